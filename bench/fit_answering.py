"""Fits when an answer without a model quotes a passage: `python -m bench.fit_answering --keep`.

Fits what `agents/chat/likelihood.py` weighs: how decisive the words of a question are, and how likely a passage
answers. At first a word is as decisive as the evidence of the questions of `bench/data` has it itself. Then both are
fitted together, on what recall finds for these questions, for the same ones where their evidence is left out, for those
of other people, and for the questions of `bench/data/lookups.json`, two fifths of which ask for what nobody told. Tells
how many first quotes are right and wrong at several thresholds, each conversation judged by what was fitted on the
others.
"""

import argparse
import asyncio
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.chat.likelihood import (
    FEATURES,
    SAME,
    WEIGHTS,
    Evidence,
    Text,
    counterparts,
    decisiveness,
    features,
    word_columns,
)
from agents.chat.passages import READ, statements
from agents.memory import Memory
from agents.open import open_memory
from bench.recall.in_process import Quiet, passing_settings
from config.recipes import QUERY
from memory.domain import Turn
from memory.recall import Scope
from utils.embeddings import LocalEmbedder, open_local_embedder
from utils.vectors import Floats

DATA = Path(__file__).with_name("data")
CORPORA = ("asking", "told", "answered", "languages")
EVERY = 3  # of the questions of a corpus is asked
OF_STRANGERS = 18  # every so many of them are asked of the next conversation too
MOST_EVIDENCE = 3  # messages
STRENGTH = 0.5  # of the regularisation; of how decisive words are, towards where they started
DECISIVE_STRENGTH = 3.0
STEPS, RATE = 100, 0.04  # of the descent
NEWTON = 20  # steps
MISSING = FEATURES.index("missing")
FOLDS = 6
LOOKUPS_WEIGHT = 4.0  # of the questions of `lookups.json`, which are as users ask
WITHOUT_EVIDENCE = 0.5
Weighing = NDArray[np.float64]
THRESHOLDS = np.arange(0.3, 0.9, 0.05)

Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class Asked:
    """A question of a conversation. `right`: ids of messages that answer it, or what a right quote has in it."""

    question: str
    right: tuple[str, ...]


@dataclass(frozen=True)
class Conversation:
    name: str
    corpus: str
    turns: tuple[tuple[str, Turn], ...]  # with their sessions
    asked: tuple[Asked, ...]
    strangers: tuple[Asked, ...] = ()


@dataclass(frozen=True)
class Case:
    """A question with the passages that recall found, and whether each is `right`."""

    corpus: str
    fold: int
    weight: float
    question: Text
    found: tuple[Evidence, ...]
    right: tuple[bool, ...]


@dataclass(frozen=True)
class Weights:
    decisive: Floats  # (words' columns + 1,)
    likelihood: Floats  # (features + 1,)


def conversations() -> Iterator[Conversation]:
    for corpus in CORPORA:
        every = json.loads((DATA / f"{corpus}.json").read_text("utf-8"))["conversations"]
        for n, one in enumerate(every):
            others = every[(n + 1) % len(every)]["questions"][::OF_STRANGERS]
            yield Conversation(
                f"{corpus}-{n}",
                corpus,
                tuple((f"s{message['session']}", _turn(message)) for message in one["messages"]),
                tuple(Asked(q["question"], tuple(q["evidence"])) for q in one["questions"][::EVERY] if q["evidence"]),
                tuple(Asked(q["question"], ()) for q in others),
            )
    for n, one in enumerate(json.loads((DATA / "lookups.json").read_text("utf-8"))):
        turns = [_told(at, text) for at, text in enumerate(one["told"])]
        asked = tuple(Asked(q["question"], (*q["right"], *q.get("before", ()))) for q in one["asked"])
        yield Conversation(f"lookups-{n}", "lookups", tuple(("notes", turn) for turn in turns), asked)


def _turn(message: dict[str, Any]) -> Turn:
    name = None if message["speaker"] in ("user", "assistant") else message["speaker"]
    at = datetime.fromisoformat(message["date"]).replace(tzinfo=UTC)
    return Turn(message["id"], message["role"], message["text"], at, name=name)


def _told(at: int, text: str) -> Turn:
    """A line of `lookups.json`; "a:" begins what the assistant said."""
    when = datetime.now(UTC) - timedelta(days=40) + timedelta(hours=20 * at)
    return Turn(f"m{at}", "assistant" if text.startswith("a:") else "user", text.removeprefix("a:"), when)


async def decisive_by_evidence(reader: LocalEmbedder) -> Floats:
    """The weights of `word_columns`; evidence of more than three messages is of no one word."""
    columns, has = [], []
    for corpus in (*CORPORA, "asked"):
        for one in json.loads((DATA / f"{corpus}.json").read_text("utf-8"))["conversations"]:
            said = {message["id"]: f"{message['speaker']}: {message['text'][:600]}" for message in one["messages"]}
            for question in one["questions"][:: EVERY if corpus == "asked" else 1]:
                evidence = [said[name] for name in question.get("evidence", ()) if name in said]
                if not 0 < len(evidence) <= MOST_EVIDENCE:
                    continue
                asked, *told = await read(reader, [question["question"], *evidence])
                if asked.reading.words:
                    columns.append(word_columns(asked.reading))
                    has.append(counterparts(asked, *told) >= SAME)
    return newton(np.concatenate(columns), np.concatenate(has))


def newton(columns: Floats, right: NDArray[np.bool_], each: Floats | None = None) -> Floats:
    """A logistic regression's weights, the constant last. `each`: how much each row counts."""
    design = np.c_[columns, np.ones(len(columns))].astype(np.float64)
    counts = np.ones(len(columns)) if each is None else each
    found, penalty = np.zeros(design.shape[1]), np.eye(design.shape[1]) * STRENGTH
    for _ in range(NEWTON):
        likely = 1 / (1 + np.exp(-design @ found))
        slope = design.T @ (counts * (right - likely)) - penalty @ found
        found += np.linalg.solve((design * (counts * likely * (1 - likely))[:, None]).T @ design + penalty, slope)
    return np.asarray(found, np.float32)


async def read(reader: LocalEmbedder, texts: Sequence[str]) -> list[Text]:
    return [Text(text, reading) for text, reading in zip(texts, await reader.read(texts), strict=True)]


async def cases(memory: Memory, reader: LocalEmbedder) -> list[Case]:
    found = []
    for conversation in conversations():
        by_session: dict[str, list[Turn]] = {}
        for session, turn in conversation.turns:
            by_session.setdefault(session, []).append(turn)
        for session, turns in by_session.items():
            await memory.add(conversation.name, session, turns, wait=True)
        for asked in (*conversation.asked, *conversation.strangers):
            found += await _cases(memory, reader, conversation, asked)
        print(conversation.name, flush=True)
    return found


async def _cases(memory: Memory, reader: LocalEmbedder, conversation: Conversation, asked: Asked) -> list[Case]:
    recall = await memory.search(conversation.name, asked.question, QUERY, Scope("asking"))
    [question] = await read(reader, [asked.question])
    lookup = conversation.corpus == "lookups"
    found, right = [], []
    hits = {hit: statements(hit.gist.content, by_user=hit.gist.role == "user") for hit in recall.hits[:READ]}
    for hit, stated in hits.items():
        by_user = hit.gist.role != "assistant"
        passages = await read(reader, stated)
        rival = max((other.score for other, told in hits.items() if told and other is not hit), default=0.0)
        if passages:  # of a message the nearest
            nearest = max(passages, key=lambda one: float(one.reading.sentence @ question.reading.sentence))
            found.append(Evidence(nearest, hit.score, rival, by_user))
            right.append(any(one in hit.gist.content if lookup else one == hit.gist.id for one in asked.right))
    if not found:
        return []
    fold = zlib.crc32(conversation.name.encode()) % FOLDS
    weight = LOOKUPS_WEIGHT if lookup else 1.0
    case = Case(conversation.corpus, fold, weight, question, tuple(found), tuple(right))
    others = tuple(one for one, answers in zip(found, right, strict=True) if not answers)
    if lookup or not any(right) or not others:
        return [case]
    return [case, Case("without evidence", fold, WITHOUT_EVIDENCE, question, others, (False,) * len(others))]


class Fit:
    """The fit to some cases by Adam (Kingma and Ba, 2015), from where words are as decisive as evidence has them."""

    def __init__(self, found: Sequence[Case], decisive: Floats) -> None:
        self._found = found
        self._start = decisive
        self._words = [word_columns(case.question.reading) for case in found]
        self._same = [[counterparts(case.question, one.passage) >= SAME for one in case.found] for case in found]

    def fitted(self, cases: Sequence[int]) -> Weights:
        columns = [self._columns(at, decisiveness(self._words[at], self._start)) for at in cases]
        right = np.array([answers for at in cases for answers in self._found[at].right])
        each = np.array([self._found[at].weight for at in cases for _ in self._found[at].right], np.float32)
        size = len(self._start)
        values = np.concatenate([self._start, newton(np.concatenate(columns), right, each)]).astype(np.float64)
        mean, square = np.zeros_like(values), np.zeros_like(values)
        for step in range(1, STEPS + 1):
            slope = self._slope(cases, values[:size], values[size:])
            mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
            values -= RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
        return Weights(values[:size].astype(np.float32), values[size:].astype(np.float32))

    def likelihoods(self, at: int, weights: Weights) -> Floats:
        """Of the passages of a case."""
        columns = self._columns(at, decisiveness(self._words[at], weights.decisive))
        return np.asarray(1 / (1 + np.exp(-(columns @ weights.likelihood[:-1] + weights.likelihood[-1]))), np.float32)

    def _columns(self, at: int, decisive: Floats) -> Floats:
        case = self._found[at]
        rows = [
            features(case.question, one, same, decisive) for one, same in zip(case.found, self._same[at], strict=True)
        ]
        return np.array(rows, np.float32)

    def _slope(self, cases: Sequence[int], decisive: Weighing, likelihood: Weighing) -> Weighing:
        of_words, of_features = DECISIVE_STRENGTH * (decisive - self._start), STRENGTH * likelihood
        of_features[-1] = 0
        for at in cases:
            case, words = self._found[at], self._words[at]
            how = decisiveness(words, decisive.astype(np.float32))
            columns = np.c_[self._columns(at, how), np.ones(len(case.found))]
            error = case.weight * (1 / (1 + np.exp(-columns @ likelihood)) - np.array(case.right))
            of_features += columns.T @ error
            for one, same, wrong in zip(case.found, self._same[at], error, strict=True):
                if one.by_user and not same.all():
                    word = int(np.where(same, 0, how).argmax())
                    share = likelihood[MISSING] * wrong * how[word] * (1 - how[word])
                    of_words += share * np.append(words[word], 1)
        return np.concatenate([of_words, of_features])


def report(found: Sequence[Case], fit: Fit) -> None:
    """First quotes, right and wrong, by threshold."""
    judged: dict[str, list[tuple[float, bool]]] = {}
    for fold in range(FOLDS):
        weights = fit.fitted([at for at, case in enumerate(found) if case.fold != fold])
        for at, case in enumerate(found):
            if case.fold == fold:
                likely = fit.likelihoods(at, weights)
                judged.setdefault(case.corpus, []).append((float(likely.max()), case.right[int(likely.argmax())]))
    for corpus, quotes in judged.items():
        rates = [
            f"{least:.2f} {sum(right for p, right in quotes if p >= least)}/"
            f"{sum(not right for p, right in quotes if p >= least)}"
            for least in THRESHOLDS
        ]
        print(f"{corpus} ({len(quotes)}): right/wrong at {', '.join(rates)}", flush=True)


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", action="store_true", help="write the weights")
    keep = parser.parse_args().keep
    with passing_settings() as settings:
        reader = await asyncio.to_thread(open_local_embedder, settings)
        async with open_memory(settings, nudge=Quiet()) as memory:
            found = await cases(memory, reader)
        decisive = await decisive_by_evidence(reader)
    fit = Fit(found, decisive)
    report(found, fit)
    weights = fit.fitted(range(len(found)))
    print(dict(zip((*FEATURES, "constant"), weights.likelihood.round(2).tolist(), strict=True)))
    if keep:
        stored = {"decisive": weights.decisive, "likelihood": weights.likelihood}
        text = json.dumps({name: [round(float(one), 4) for one in column] for name, column in stored.items()})
        WEIGHTS.write_text(f"{text}\n", "utf-8")


if __name__ == "__main__":
    asyncio.run(main())
