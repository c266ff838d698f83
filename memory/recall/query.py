"""A query on its way to what an index is searched with: misspelt words, the question that it asks, its vectors."""

import asyncio
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from memory.gists import Terms, hashes
from memory.language import (
    ENGLISH,
    LONGEST_WORD,
    MOST_NAMES,
    SHORTEST_WORD,
    Question,
    Trait,
    are_words,
    capitalised,
    doing,
    language_of,
    read_question,
)
from memory.recall.index import NONE, UserIndex
from memory.recall.postings import Rows
from utils.embeddings import Embedder, LocalEmbedder
from utils.text import STOPWORDS, stem
from utils.vectors import Floats
from utils.vocabulary import UNKNOWN

GREETINGS = ("hey", "hi", "hello", "dear", "morning", "afternoon", "evening", "night", "thanks", "you", "bye", "yo")
LEAST = 3  # greetings by which a name is believed
AGREED = 0.8  # share of them that must mean the same speaker
AT_ONCE = 2_000  # characters of a query that are read in the event loop, within some milliseconds
LOOKED_AT = 500  # messages with the name, the newest

_GREETINGS = hashes(stem(word) for word in GREETINGS)

SCALE = np.float32(1 / 127)  # of the bytes in which tokens are kept
MOST = 16  # words of a query that are looked at for slips
_MOST_FREQUENT, _VOCABULARY = 100, 250_002  # ids of the encoder's vocabulary, which are in the order of frequency

# Neither part of a name, a path, an address nor a word with accents that are characters of their own.
_WORD = re.compile(
    rf"(?<![\w'’./\\@\u0300-\u036f-])[a-z]{{{SHORTEST_WORD},{LONGEST_WORD}}}(?![\w'’/\\@\u0300-\u036f-]|\.\w)"
)
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_FUNCTION_WORDS = {word.replace("'", ""): word for word in STOPWORDS if "'" in word}  # as they are typed: "whats"
_FUNCTION_WORDS |= {word: word for word in STOPWORDS if "'" not in word}


def speaker_called(name: str, index: UserIndex) -> int | None:
    """The code of the speaker who is greeted by a name, lower case; None where nobody is, or several are."""
    term = hashes([stem(name)])
    rows = index.postings.find(term).rows
    rows = rows[index.alive[rows]][-LOOKED_AT:]
    greeted = Counter(code for row in _greeting(rows, term, index) if (code := _addressee(row, index)))
    if not greeted:
        return None
    [(code, count)] = greeted.most_common(1)
    return code if count >= max(LEAST, AGREED * greeted.total()) else None


def _greeting(rows: Rows, name: Terms, index: UserIndex) -> list[int]:
    """Those of the rows in which a name stands right after a greeting."""
    terms, bounds = index.terms.gather(rows)
    found = np.flatnonzero(terms == name)
    owners = np.searchsorted(bounds, found, side="right") - 1
    greeted = (bounds[owners] < found) & np.isin(terms[found - 1], _GREETINGS)  # what begins a row follows nothing
    greeting: list[int] = rows[np.unique(owners[greeted])].tolist()
    return greeting


def _addressee(row: int, index: UserIndex) -> int:
    """The other speaker who stands next to a row in its session; 0 for none."""
    own = index.speakers[row]
    for neighbour in (index.links.before[row], index.links.after[row]):
        if neighbour != NONE and index.speakers[neighbour] not in (0, own):
            return int(index.speakers[neighbour])
    return 0


@dataclass(frozen=True)
class Probe:
    """A question as vectors. `dense`: (dimensions,) of the text; `bare`: without the names of speakers. `tokens`:
    (n, 64), rows of length 1. `rarity`: (n,), how much a token counts; `stems`: the stem of each one's word. `known`:
    whether the encoder knows any of its words."""

    question: Question
    dense: Floats
    bare: Floats
    tokens: Floats
    rarity: Floats
    stems: tuple[str, ...]
    known: bool = True


async def question_for(query: str, index: UserIndex, now: float, zone: tzinfo = UTC) -> Question:
    """A query as those understand it who know who speaks in an index, and by which names they are greeted there.
    `now`: seconds since 1970; `zone`: whose days it speaks of. A long one is read in a thread."""
    names = names_for(query, index)
    if len(query) <= AT_ONCE:
        return read_question(query, names, now, zone)
    return await asyncio.to_thread(read_question, query, names, now, zone)


def names_for(query: str, index: UserIndex) -> dict[str, int]:
    """The names, lower case, of those who speak in an index, and those by which a query may call them; with codes."""
    names = dict(index.names)
    greeted = sorted(capitalised(query) - STOPWORDS - names.keys())[:MOST_NAMES] if names else []
    if greeted:
        index.refresh()
    return names | {name: code for name in greeted if (code := speaker_called(name, index)) is not None}


async def probe_of(question: Question, vector: Floats, embedder: Embedder, reader: LocalEmbedder) -> Probe:
    """What an index is searched with for a question. `vector`: the embedding of its text.

    Raises `ModelError` where the question without the names in it cannot be embedded.
    """
    bare = vector if question.bare == question.text else (await embedder.embed([question.bare]))[0]
    [reading] = await reader.read([question.text])
    spelt = {part for word in question.name_words for part in word.split("'")}  # as the encoder takes words apart
    kept = [at for at, word in enumerate(reading.words) if word not in spelt]
    kept = kept or list(range(len(reading.words)))
    return Probe(
        replace(question, does=doing(reading.sentence, question.text)),
        vector,
        bare,
        reading.tokens[kept] * SCALE,
        _rarity(np.array([reading.ids[at] for at in kept])),
        tuple(stem(reading.words[at]) for at in kept),
        reading.known,
    )


def _rarity(tokens: NDArray[np.intp]) -> Floats:
    """How rare tokens are at large, 0..1, squared; what the vocabulary lacks is as rare as can be."""
    ranks = np.where(tokens == UNKNOWN, _VOCABULARY, np.maximum(tokens - _MOST_FREQUENT, 2))
    rarity: Floats = ((np.log(ranks) / np.log(_VOCABULARY)) ** 2).astype(np.float32)
    return rarity


def strange_words(query: str) -> list[re.Match[str]]:
    """The words in small letters of an English query that are none in English, of the first ones."""
    found = list(islice(_WORD.finditer(query), MOST))
    if not found or language_of(query) is not ENGLISH:
        return []
    known = are_words([one[0] for one in found])
    return [one for one, is_known in zip(found, known, strict=True) if not is_known]


def respelt(query: str, strange: Sequence[re.Match[str]], index: UserIndex, visible: NDArray[np.bool_]) -> str:
    """A query with its strange words as the history has them: as the English word that a slip makes of one (Damerau, "A
    technique for computer detection and correction of spelling errors", 1964) and that was told, of several the one
    that was told most often; as they stand where they were told as often. Where none was told, as the function word of
    which a letter was left out, or two changed places: "usb" is none, "wats" is "what's". `visible`: the rows that
    count, (rows,)."""
    for found in reversed(strange):
        others = slips(found[0])
        words = {stem(found[0]): found[0]}
        for other, is_word in zip(others, are_words(others), strict=True):
            if is_word and other not in STOPWORDS:
                words.setdefault(stem(other), other)
        counts = _told(list(words), index, visible)
        meant = list(words.values())[int(counts.argmax())]
        if not counts.any():
            longer = (other for other in others if len(other) > len(found[0]) or Counter(other) == Counter(found[0]))
            whole = (found[0], *longer)
            meant = next((_FUNCTION_WORDS[other] for other in whole if other in _FUNCTION_WORDS), meant)
        query = f"{query[: found.start()]}{meant}{query[found.end() :]}"
    return query


def _told(stems: Sequence[str], index: UserIndex, visible: NDArray[np.bool_]) -> NDArray[np.intp]:
    """How many visible rows that do not ask have each of some stems, (n,)."""
    hits, size = index.postings.find(hashes(stems)), len(visible)
    telling = visible & (index.traits[:size, Trait.ASKS] != 1)
    inside = hits.rows < size
    rows, terms = hits.rows[inside], hits.terms[inside]
    return np.bincount(terms[telling[rows]], minlength=len(stems))


def slips(word: str) -> list[str]:
    """What stands there where two letters but the first changed places, or one is added, left out or another, each
    once: first what is most likely meant."""
    parts = [(word[:at], word[at:]) for at in range(1, len(word) + 1)]
    found = {f"{left}{right[1]}{right[0]}{right[2:]}": None for left, right in parts if len(right) > 1}
    found |= {f"{left}{letter}{right}": None for left, right in parts for letter in _LETTERS}
    found |= {f"{left}{right[1:]}": None for left, right in parts if right}
    found |= {f"{left}{letter}{right[1:]}": None for left, right in parts if right for letter in _LETTERS}
    found.pop(word, None)
    return list(found)
