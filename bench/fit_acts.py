"""Fits by which borders `memory/language/heads.py` tells what a text does: `python -m bench.fit_acts`.

Fitted on the examples and patterns of `bench/data/acts.json`, on what `bench/data/languages.json` has (its questions,
without their mark, ask; what its users tell neither asks, nor asks to forget or to sum up), on what users tell of
themselves (`bench/data/lasting.json`), with a mark at the end and without, and on sentences of the
English conversations that we wrote: those that end with a question mark ask, with it or without; of the others most
tell. And on questions about these conversations, and as many more of their sentences. These and the English examples
stand there as hasty people type them, too: in small letters, without marks, and most with slips of the hand. Each
border is a logistic regression over the encoder's embedding and the mark at the end. Tells how well it does with the
examples held out, which are in other languages or other words; `--languages`, in each language after those of all
others.
"""

import argparse
import asyncio
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from config.settings import Settings
from memory.language.heads import ACTS, BORDERS, DEEDS, Act, Doing, marks_of
from utils.embeddings import open_local_embedder
from utils.sentences import split_sentences
from utils.text import ends_with_question_mark
from utils.vectors import Floats

DATA = Path(__file__).with_name("data")
ONLY_SOMETHING = "told"  # what it tells may be a change or not
OF_WORK = "of work"  # tells what somebody is, by trade or otherwise: for the border of work alone
LONGEST = 200  # characters of what a user tells

ABOUT: tuple[Act, ...] = ("home", "work", "others", "supposes")  # lists of examples that are about it, or do it
KINDS: dict[str, tuple[Act, ...]] = {
    "ask": ("asks",),
    "question": ("asks",),
    "seek": ("asks",),
    "recall": ("asks", "recalls"),
    "near": ("asks", "places"),
    "look": ("asks", "looks"),
    "tell_ask": ("asks", "states"),
    "task": ("requests",),
    "state": ("states",),
    "change": ("states", "changes"),
    "correct": ("states", "corrects"),
    "chat": ("chats",),
    "forget": ("forgets",),
    "summarise": ("summarises",),
    "whole": ("summarises", "whole"),
    ONLY_SOMETHING: ("states",),
    OF_WORK: ("states",),
    "asked": ("asks",),  # a sentence of a conversation that ends with a question mark
    "said": ("states",),  # and one that does not
}
WITH_MARKS = frozenset(("ask", "question", "seek", "recall", "near", "look"))  # kinds that ask with a mark or without
REAL = 1.0  # the weight of what stands in conversations
EXAMPLE_WEIGHT = 0.8  # of each of an example's two forms
ENGLISH = 1.2  # how much more English counts: what people say in it differs more than translations do
PATTERN_WEIGHT = 0.25  # of an example made of a pattern: there are twelve of each
SENTENCE_WEIGHT = 0.4
TYPED = 3_000  # questions about conversations, and as many sentences of them
OWN_WEIGHT = 1.0  # of a question of oneself, as users ask: there are few
OF_ONESELF = re.compile(r"\b(?:I|me|my|we|our|us)\b", re.IGNORECASE)
MEASURED = ("questions", "lookups", "languages", "turns")  # files that other fits and benches are measured on
PLAIN, FIRST = 0.2, 0.5  # shares of what is typed without slips, and of what is mistyped in its first word
ASKED, SAID = 1_800, 2_200  # sentences of conversations
STRENGTH, OF_ACTS = 1e-4, 5e-5  # of the regularisation
STEPS = 8  # of Newton's method
LIKELY = (0.5, 0.7, 0.85)


class Example(NamedTuple):
    """`kind`: one of `KINDS`."""

    text: str
    kind: str
    language: str
    weight: float
    about: frozenset[str] = frozenset()


def examples() -> list[Example]:
    data = json.loads((DATA / "acts.json").read_text("utf-8"))
    about = {act: frozenset(map(_plain, texts)) for act, texts in data["about"].items()}

    def labelled(some: dict[str, dict[str, list[str]]]) -> list[Example]:
        return [
            one._replace(about=frozenset(act for act, texts in about.items() if _plain(one.text) in texts))
            for one in _listed(some)
        ]

    listed = labelled(data["examples"])
    chance = Random(11)
    listed += [one._replace(text=_hasty(one.text, chance)) for one in listed[::2] if one.language == "en"]
    for language, patterns in data["patterns"].items():
        for at, what in enumerate(patterns["np"]):
            of = frozenset(["others"] if at in data["patterns_of_others"] else [])
            made = ((kind, one.format(what)) for kind in patterns if kind != "np" for one in patterns[kind])
            listed += [Example(text, kind, language, PATTERN_WEIGHT, of) for kind, text in made]
    of_work = labelled({language: {OF_WORK: texts} for language, texts in data["of_work"].items()})
    return [*listed, *of_work, *_real(), *_sentences(), *_lasting(), *_typed()]


def _bare(text: str) -> str:
    """A text without the mark of a statement's end."""
    return text.rstrip(".。।")


def _plain(text: str) -> str:
    """A text without the marks around it."""
    return text.strip(" ¿?？؟;.。।")


def _unmarked(text: str, kind: str) -> str:
    return text.strip(" ¿?？؟;") if kind in WITH_MARKS and ends_with_question_mark(text) else _bare(text)


def held_out() -> list[Example]:
    return _listed(json.loads((DATA / "acts.json").read_text("utf-8"))["held_out"])


def _listed(languages: dict[str, dict[str, list[str]]]) -> list[Example]:
    """Each with the mark at its end and without."""
    return [
        Example(text, kind, language, EXAMPLE_WEIGHT * (ENGLISH if language == "en" else 1))
        for language, kinds in languages.items()
        for kind, texts in kinds.items()
        for one in texts
        for text in (one, _unmarked(one, kind))
    ]


def _real() -> list[Example]:
    real = []
    for one in json.loads((DATA / "languages.json").read_text("utf-8"))["conversations"]:
        language = one["id"].removeprefix("languages-")
        asked = (item["question"] for item in one["questions"] if item["category"] == "same")
        real += [Example(text.strip(" ¿?？"), "ask", language, REAL) for text in asked]
        told = (item["text"] for item in one["messages"] if item["role"] == "user")
        real += [
            Example(_bare(text) if at % 2 else text, ONLY_SOMETHING, language, REAL)
            for at, text in enumerate(told)
            if len(text) <= LONGEST and not {"?", "？"} & set(text)
        ]
    return real


def _lasting() -> list[Example]:
    """What users tell of themselves, as they type it: with its mark, without it, and in small letters."""
    lasting = json.loads((DATA / "lasting.json").read_text("utf-8"))["lasting"]
    return [
        Example(text, "said", language, SENTENCE_WEIGHT)
        for language, texts in lasting.items()
        for one in texts
        for text in dict.fromkeys((one, _bare(one), _bare(one).lower()))
    ]


def _sentences() -> list[Example]:
    """Sentences of conversations as they stand there, without their mark, and in small letters, in turn."""
    every = [*_said_in(sorted((DATA / "written").glob("*.json"))), *_said_in([DATA / "asked.json"])]
    asked = [one for one in every if ends_with_question_mark(one) and one.count("?") == 1 and len(one.split()) <= 20]
    said = [one for one in every if "?" not in one and not one.endswith("!") and 4 <= len(one.split()) <= 25]
    chance = Random(7)
    picked = [
        *((one, "asked") for one in chance.sample(asked, ASKED)),
        *((one, "said") for one in chance.sample(said, SAID)),
    ]
    return [
        Example((text, bare, bare.lower())[at % 3], kind, "en", SENTENCE_WEIGHT)
        for at, (text, kind) in enumerate(picked)
        for bare in (text.rstrip("?. "),)
    ]


def _typed() -> Iterator[Example]:
    """Questions about conversations, and sentences of them, as they stand or without their mark in turn; and as hasty
    people type them. Those of `questions.json` and `lookups.json` stay for measuring answers."""
    chance = Random(9)
    files = [*sorted(DATA.glob("*.json")), *sorted((DATA / "written").glob("*.json"))]
    about = (
        text
        for file in files
        if file.stem not in MEASURED
        for text in _questions_in(json.loads(file.read_text("utf-8")))
    )
    asked = sorted({text for text in about if text.endswith("?")})
    every = [*_said_in(sorted((DATA / "written").glob("*.json"))), *_said_in([DATA / "asked.json"])]
    said = sorted({one for one in every if "?" not in one and not one.endswith("!") and 4 <= len(one.split()) <= 25})
    picked: tuple[tuple[str, str, list[str]], ...] = (
        ("asked", "? ", chance.sample(asked, TYPED)),
        ("said", ". ", chance.sample(said, TYPED)),
    )
    for kind, marks, texts in picked:
        for at, text in enumerate(texts):
            bare = text.rstrip(marks)
            weight = OWN_WEIGHT if kind == "asked" and OF_ONESELF.search(text) else SENTENCE_WEIGHT
            yield Example((text, bare)[at % 2], kind, "en", weight)
            yield Example(_hasty(bare, chance), kind, "en", weight)


def _questions_in(data: object) -> Iterator[str]:
    match data:
        case dict():
            if isinstance(question := data.get("question"), str):
                yield question
            for part in data.values():
                yield from _questions_in(part)
        case list():
            for part in data:
                yield from _questions_in(part)


def _hasty(text: str, chance: Random) -> str:
    """A text in small letters without the mark at its end, three of four with slips."""
    small = text.rstrip("?. ").lower().replace("'", "").replace("’", "")
    return small if chance.random() < PLAIN else with_slips(small, chance)


def with_slips(text: str, chance: Random) -> str:
    """A text with a slip in every sixth word or one: two letters changed places, one is left out, or stands twice. The
    first one is often in the first word, which tells most of what a text does."""
    typed = text.split()
    for slip in range(max(1, len(typed) // 6)):
        long = [at for at, word in enumerate(typed) if len(word) > 2 and word.isalpha()]
        if not long:
            break
        at = long[0] if not slip and chance.random() < FIRST else chance.choice(long)
        word, letter = typed[at], chance.randrange(len(typed[at]) - 1)
        before, here, after = word[:letter], word[letter], word[letter + 1 :]
        typed[at] = chance.choice((before + after[0] + here + after[1:], before + after, before + 2 * here + after))
    return " ".join(typed)


def _said_in(files: Sequence[Path]) -> Iterator[str]:
    for file in files:
        for conversation in json.loads(file.read_text("utf-8"))["conversations"]:
            for message in conversation["messages"]:
                yield from map(str.strip, split_sentences(message["text"]))


def inputs_of(some: Sequence[Example], vectors: Floats) -> Floats:
    marks = np.stack([marks_of(one.text) for one in some])
    return np.concatenate((vectors, marks), axis=1)


def border(
    inputs: Floats, yes: NDArray[np.bool_], weights: NDArray[np.float64], strength: float = STRENGTH
) -> NDArray[np.float32]:
    """Logistic regression by Newton's method; those that do it and those that do not weigh more alike than they are."""
    inputs = np.c_[inputs, np.ones(len(inputs), np.float32)]
    weights = weights * np.where(yes, (weights * yes).sum(), (weights * ~yes).sum()) ** -0.5
    weights = (weights / weights.sum()).astype(np.float32)
    held = strength * np.eye(inputs.shape[1])
    held[-1, -1] = 1e-6
    solved = np.zeros(inputs.shape[1])
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-inputs @ solved.astype(np.float32)))
        slope = inputs.T @ ((likely - yes) * weights) + held @ solved
        bend = (inputs * (weights * np.maximum(likely * (1 - likely), 1e-4))[:, None]).T @ inputs + held
        solved -= np.linalg.solve(bend, slope)
    return solved.astype(np.float32)


def borders(some: Sequence[Example], vectors: Floats) -> NDArray[np.float32]:
    """(acts, 388), in the order of `ACTS`."""
    kinds, real = np.array([one.kind for one in some]), np.array([one.weight == REAL for one in some])
    weights, inputs = np.array([one.weight for one in some]), inputs_of(some, vectors)
    solved = []
    for act in ACTS:
        if act == "whole":
            among = np.isin(kinds, ("whole", "summarise"))
        elif act in ABOUT:
            among = ~real & ~np.isin(kinds, ("asked", "said"))
            among &= (kinds != OF_WORK) | (act == "work")
        elif act == "changes":
            among = ~np.isin(kinds, (ONLY_SOMETHING, OF_WORK, "said"))
        else:
            among = kinds != OF_WORK
        yes = does(act, some)
        solved.append(border(inputs[among], yes[among], weights[among], OF_ACTS))
    return np.stack(solved)


def does(act: Act, some: Sequence[Example]) -> NDArray[np.bool_]:
    return np.array([act in (one.about if act in ABOUT else KINDS[one.kind]) for one in some])


def likely(weights: NDArray[np.float32], some: Sequence[Example], vectors: Floats) -> NDArray[np.float32]:
    inputs = inputs_of(some, vectors)
    shares: NDArray[np.float32] = 1 / (1 + np.exp(-(inputs @ weights[:, :-1].T + weights[:, -1])))
    return shares


def report(title: str, some: Sequence[Example], shares: NDArray[np.float32]) -> None:
    kinds = np.array([one.kind for one in some])
    print(title)
    doings = [Doing(*row) for row in shares.tolist()]
    wants = np.array([one.wants for one in doings])
    asking = np.isin(kinds, ("ask", "question", "seek", "recall", "near", "look"))
    stating = np.isin(kinds, ("state", "change", "correct"))
    right = np.mean([one.deed in KINDS[kind] for one, kind in zip(doings, kinds, strict=True)])
    print(
        f"  asks: {wants[asking].mean():.3f} of {asking.sum()}; states: {1 - wants[stating].mean():.3f} of "
        f"{stating.sum()}; the likeliest of {len(DEEDS)} deeds is right: {right:.3f} of {len(some)}"
    )
    for at, act in enumerate(ACTS):
        told, among = kinds == ONLY_SOMETHING, kinds != ONLY_SOMETHING
        if act == "whole":
            among = np.isin(kinds, ("whole", "summarise"))
        elif act in ABOUT:
            among &= ~np.isin(kinds, ("asked", "said"))
        yes = among & does(act, some)
        if not yes.any():
            continue
        rates = [
            f"{share}: {np.mean(shares[yes, at] >= share):.2f}, "
            f"{np.mean(shares[among & ~yes, at] >= share):.3f} of others"
            + (f", {np.mean(shares[told, at] >= share):.3f} of chats" if told.any() else "")
            for share in LIKELY
        ]
        print(f"  {act:11}{'; '.join(rates)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="tell what is found in each example held out")
    parser.add_argument("--languages", action="store_true", help="measure languages that are left out, too")
    options = parser.parse_args()
    asyncio.run(_fit(listed=options.list, languages=options.languages))


async def _fit(*, listed: bool, languages: bool) -> None:
    reader = await asyncio.to_thread(open_local_embedder, Settings())
    known, others = examples(), held_out()
    vectors = await reader.embed([one.text for one in known])
    if languages:
        _report_languages(known, vectors)
    weights = borders(known, vectors)
    over = likely(weights, others, await reader.embed([one.text for one in others]))
    english = np.array([one.language == "en" for one in others])
    report(f"{english.sum()} examples held out in English", *_those(others, over, english))
    report(f"{(~english).sum()} examples held out in other languages", *_those(others, over, ~english))
    if listed:
        for one, row in zip(others, over, strict=True):
            print(
                one.language, one.kind, *(f"{act}={share:.2f}" for act, share in zip(ACTS, row, strict=True)), one.text
            )
    np.save(BORDERS, weights)
    print(f"written to {BORDERS}")


def _report_languages(known: list[Example], vectors: Floats) -> None:
    """How well borders do in languages that are left out."""
    languages = np.array([one.language for one in known])
    left_out = np.zeros((len(known), len(ACTS)), np.float32)
    for some in np.array_split(sorted(set(languages)), 7):
        out = np.isin(languages, some)
        rest, those = [known[at] for at in np.flatnonzero(~out)], [known[at] for at in np.flatnonzero(out)]
        left_out[out] = likely(borders(rest, vectors[~out]), those, vectors[out])
    english = languages == "en"
    report(f"{(~english).sum():,} examples, their languages left out", *_those(known, left_out, ~english))
    report(f"{english.sum():,} in English, after other languages alone", *_those(known, left_out, english))


def _those(
    some: Sequence[Example], shares: NDArray[np.float32], chosen: NDArray[np.bool_]
) -> tuple[list[Example], NDArray[np.float32]]:
    return [one for one, is_chosen in zip(some, chosen, strict=True) if is_chosen], shares[chosen]


if __name__ == "__main__":
    main()
