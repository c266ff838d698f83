"""Long texts out of conversations, from which an encoder learns to find what stands in the middle of one.

Messages that follow each other are one text. It answers what any of them answers, and a few words out of it, as
somebody types who looks for a name. Without such texts a fitted encoder's vectors of tokens depend so much on what
stands around them that a bare name is not found in a long message.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from bench.recall.corpus import Message, Question
from memory.gists.gists import spoken
from utils.text import STOPWORDS

WORDS = (100, 150, 200)  # of a text; each step has texts of one length
READ = 170  # words of a text that the encoder surely reads: what answers stands in these
MOST_TEXTS, MOST_QUESTIONS = 16, 16  # of a conversation in one step
SPANS = 2  # runs of words out of each text that are looked for
MOST_WORDS = 4  # of a run


@dataclass(frozen=True)
class Sought:
    """What is looked for, and the places of the texts that answer."""

    query: str
    answers: frozenset[int]


def long_texts(
    messages: Sequence[Message], questions: Sequence[Question], chance: random.Random
) -> tuple[list[str], list[Sought]]:
    """Texts, and what is looked for in them."""
    groups = _groups(messages, chance.choice(WORDS))[:MOST_TEXTS]
    texts = [spoken(group[0].speaker, group[0].role, " ".join(one.text for one in group)) for group in groups]
    places = {message.id: at for at, group in enumerate(groups) for message in _read(group)}
    sought = [Sought(one.text, frozenset(places[e] for e in one.evidence if e in places)) for one in questions]
    for group in groups:
        read = _read(group)
        runs = (_run(message.text, chance) for message in chance.sample(read, min(SPANS, len(read))))
        sought += [Sought(run, _with(run, texts)) for run in runs if run]
    return texts, [one for one in sought if one.answers]


def _groups(messages: Sequence[Message], words: int) -> list[list[Message]]:
    """Messages that follow each other, so many words in each group."""
    groups: list[list[Message]] = [[]]
    length = 0
    for message in messages:
        if length >= words:
            groups.append([])
            length = 0
        groups[-1].append(message)
        length += len(message.text.split())
    return [group for group in groups if group]


def _read(group: Sequence[Message]) -> list[Message]:
    """Those of a group that end within what is read."""
    found: list[Message] = []
    length = 0
    for message in group:
        length += len(message.text.split())
        if length < READ:
            found.append(message)
    return found


def _run(text: str, chance: random.Random) -> str:
    """A few words that follow each other, one of them a telling one; empty where there is none."""
    words = text.split()
    telling = [at for at, word in enumerate(words) if len(word) > 3 and word.strip(".,!?").lower() not in STOPWORDS]
    if not telling:
        return ""
    length = chance.randint(1, MOST_WORDS)
    first = max(0, chance.choice(telling) - chance.randrange(length))
    return " ".join(words[first : first + length]).strip(".,!?;:")


def _with(run: str, texts: Sequence[str]) -> frozenset[int]:
    return frozenset(at for at, text in enumerate(texts) if run.lower() in text.lower())
