"""Questions with their pools of candidates and which of them answer, to fit on."""

import asyncio
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.recall.corpus import UNANSWERABLE, Conversation, Corpus, Question
from bench.recall.small_talk import QUESTIONS as SMALL_TALK
from memory.domain import Turn
from memory.gists.gists import document_of, embedded_fields, imprints, text_to_embed
from memory.recall.features import Pool, candidates
from memory.recall.index import Sight, UserIndex
from memory.recall.query import probe_of, question_for
from memory.recall.ranking import among_which, only_ask
from utils.embeddings import LocalEmbedder
from utils.encoder import DIMENSIONS, MODEL, load_encoder

OWNER = "fit"
NAMES = "names"  # the corpus of queries that are a name alone
MOST_NAMES = 6  # of a conversation
SHORT = "short"  # the category of questions that are asked of a short piece of the history
LONGEST_SHORT = 100  # messages
BATCH = 256

_NAME = re.compile(r"(?<=[a-z,] )(?:[A-Z][a-z]{2,}|\w*\d[\w-]{3,})(?: [A-Z][a-z]{2,})?\b")


@dataclass(frozen=True)
class Example:
    """One question. `conversation`: its corpus and id. `answers`: (n,) of 0 and 1, which of the pool are evidence.
    `evidence`: how much there is in all; 0 for a question that nothing answers. `among`: which of the pool may be its
    best, (n,), as the product has it."""

    corpus: str
    conversation: str
    category: str
    pool: Pool
    answers: NDArray[np.float32]
    evidence: int
    among: NDArray[np.bool_] | None = None


def examples(corpora: Iterable[Corpus], home: Path) -> list[Example]:
    """Of every question of the corpora, and of small talk in every conversation. `home`: where the encoder is kept."""
    reader = LocalEmbedder(load_encoder(home), model=MODEL, dimensions=DIMENSIONS)
    return [
        example
        for corpus in corpora
        for conversation in corpus.conversations
        for example in asyncio.run(_of_conversation(corpus.name, conversation, reader))
    ]


def bare_names(conversation: Conversation) -> list[Question]:
    """Queries as somebody types who looks for a name: words in capitals or with digits, within a sentence, that one
    message alone has."""
    texts = {message.id: message.text for message in conversation.messages}
    places: dict[str, set[str]] = defaultdict(set)
    for identifier, text in texts.items():
        for name in _NAME.findall(text):
            places[name].add(identifier)
    alone = [(name, holders.pop()) for name, holders in places.items() if len(holders) == 1]
    step = max(1, len(alone) // MOST_NAMES)
    return [
        Question(f"name {at}", name, NAMES, (holder,)) for at, (name, holder) in enumerate(alone[::step][:MOST_NAMES])
    ]


async def _of_conversation(corpus: str, conversation: Conversation, reader: LocalEmbedder) -> list[Example]:
    index = await _indexed(conversation, reader)
    chance = np.random.default_rng(0)
    found = []
    for question in (*conversation.questions, *SMALL_TALK, *bare_names(conversation)):
        if not question.counts:
            continue
        [vector] = await reader.embed([question.text])
        asked = await question_for(question.text, index, float(index.times[: len(index)].max()))
        probe = await probe_of(asked, vector, reader, reader)
        evidence = set() if question.category in UNANSWERABLE else set(question.evidence)
        whole = index.alive[: len(index)]
        for short, visible in ((False, whole), (True, _some(chance, len(index), index, evidence))):
            pool = candidates(index, probe, Sight.of(index, visible))
            answers = np.array([index.ids[row] in evidence for row in pool.rows], np.float32)
            there = sum(visible[row] for row in range(len(index)) if index.ids[row] in evidence)
            category = SHORT if short else question.category
            of = NAMES if question.category == NAMES else corpus
            among = among_which(asked, only_ask(index, asked, pool))
            found.append(Example(of, f"{corpus}/{conversation.id}", category, pool, answers, int(there), among))
    return found


def _some(chance: np.random.Generator, size: int, index: UserIndex, evidence: set[str]) -> NDArray[np.bool_]:
    """A short piece of a history, half of the time one that holds some of the evidence: users begin with nothing."""
    length = min(size, int(np.exp(chance.uniform(0, np.log(LONGEST_SHORT)))) + 1)
    answering = [row for row in range(size) if index.ids[row] in evidence]
    if answering and chance.random() < 0.5:
        start = int(chance.choice(answering)) - int(chance.integers(0, length))
    else:
        start = int(chance.integers(0, size - length + 1))
    start = min(max(0, start), size - length)
    visible = np.zeros(size, np.bool_)
    visible[start : start + length] = True
    return visible


async def _indexed(conversation: Conversation, reader: LocalEmbedder) -> UserIndex:
    index = UserIndex(reader.model, DIMENSIONS)
    places: dict[str, int] = {}
    documents = []
    for message in conversation.messages:
        place = places[message.session] = places.get(message.session, -1) + 1
        turn = Turn(message.id, message.role, message.text, message.timestamp, name=message.speaker)
        documents.append(document_of(OWNER, message.session, turn, place))
    for start in range(0, len(documents), BATCH):
        part = documents[start : start + BATCH]
        texts = [text_to_embed(document) for document in part]
        vectors = await reader.embed(texts)
        made = await imprints(reader, [document["content"] for document in part], texts)
        for document, vector, imprint in zip(part, vectors, made, strict=True):
            index.put([document | embedded_fields(vector, reader.model, imprint)])
    index.refresh()
    return index


def by_corpus(found: Sequence[Example]) -> list[set[str]]:
    """The conversations of each corpus."""
    parts: dict[str, set[str]] = defaultdict(set)
    for example in found:
        if example.corpus != NAMES:  # whose queries are of conversations of the others
            parts[example.corpus].add(example.conversation)
    return list(parts.values())


def folds(found: Sequence[Example], count: int) -> list[set[str]]:
    """The conversations in so many parts; each part has some of every corpus."""
    return [{talk for of_corpus in by_corpus(found) for talk in sorted(of_corpus)[at::count]} for at in range(count)]
