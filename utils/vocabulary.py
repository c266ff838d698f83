"""The encoder's vocabulary: texts taken apart into its pieces.

By a unigram language model (Kudo, "Subword Regularization", 2018): of all ways to write a word as pieces, the
likeliest. The libraries that do this keep 250,000 pieces in 50 to 280 MB; here they stay in the bytes that they came
in, and what a word is taken apart into is remembered.
"""

from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from unicodedata import category, normalize
from zlib import crc32

import numpy as np

from utils.encoder_file import Pieces
from utils.text import is_unspaced

BEGIN, END, UNKNOWN = 0, 2, 3  # special pieces
WORD_MARK = "▁"  # begins each word, in place of the blank before it
LONGEST_RUN = 256  # characters without a blank that are looked at together
REMEMBERED = 8_192  # runs,
LONGEST_REMEMBERED = 24  # of so many characters: words, and no sentences of what is written without blanks

_BUCKETS = 1 << 18
_SPECIAL = 4
_UNLIKELY = 10.0  # by which what is unknown is less likely than the least likely piece (sentencepiece's kUnkPenalty)


class Token(NamedTuple):
    """A piece by its number, and the lower-case word that it belongs to; empty for punctuation. Where words have no
    blanks between them, a piece is its own word."""

    number: int
    word: str


class Vocabulary:
    """The pieces, found by their hashes; safe to share between threads."""

    def __init__(self, pieces: Pieces, table: Path) -> None:
        """`table`: what `write_table` wrote for these pieces."""
        self._pieces = pieces
        with np.load(table) as stored:
            self._starts, self._order = stored["starts"].data, stored["order"].data
            self._longest: dict[str, int] = dict(
                zip(map(chr, stored["first"].tolist()), stored["longest"].tolist(), strict=True)
            )
        self._bounds = pieces.bounds.data
        self._scores = pieces.scores.data
        self._unknown = float(pieces.scores.min()) - _UNLIKELY
        self._taken_apart = lru_cache(REMEMBERED)(self._take_apart)

    def tokens(self, text: str, most: int) -> list[Token]:
        """The pieces of a text in order, so many at most."""
        found: list[Token] = []
        for run in _runs(normalize("NFC", text).translate(self._pieces.normal)):
            found += self._taken_apart(run) if len(run) <= LONGEST_REMEMBERED else self._take_apart(run)
            if len(found) >= most:
                return found[:most]
        return found

    def _take_apart(self, run: str) -> tuple[Token, ...]:
        names, at = _names(run), 0
        found: list[Token] = []
        for number, length in self._likeliest(run):
            if number == UNKNOWN and found and found[-1].number == UNKNOWN and not names.get(at):
                at += length  # what is unknown in a row is one
                continue
            word = next((names[place] for place in range(at, at + length) if place in names), "")
            if word and is_unspaced(word):
                word = run[at : at + length].removeprefix(WORD_MARK).lower()
            found.append(Token(number, word))
            at += length
        return tuple(found)

    def _likeliest(self, run: str) -> list[tuple[int, int]]:
        """The pieces of a run of characters, by number and length (Viterbi, 1967)."""
        size = len(run)
        best = [0.0] + [-np.inf] * size
        last = [(UNKNOWN, 1)] * (size + 1)
        for start in range(size):
            here = best[start]
            if here + self._unknown > best[start + 1]:
                best[start + 1], last[start + 1] = here + self._unknown, (UNKNOWN, 1)
            for end in range(start + 1, min(size, start + self._longest.get(run[start], 0)) + 1):
                number = self._number(run[start:end])
                if number != UNKNOWN and here + self._scores[number] > best[end]:
                    best[end], last[end] = here + self._scores[number], (number, end - start)
        found, end = [], size
        while end > 0:
            found.append(last[end])
            end -= last[end][1]
        return found[::-1]

    def _number(self, piece: str) -> int:
        wanted = piece.encode("utf-8", "surrogatepass")
        bucket = crc32(wanted) % _BUCKETS
        text, bounds = self._pieces.text, self._bounds
        for place in range(self._starts[bucket], self._starts[bucket + 1]):
            number: int = self._order[place]
            if text[bounds[number] : bounds[number + 1]] == wanted:
                return number
        return UNKNOWN


def write_table(pieces: Pieces, table: Path) -> None:
    """Writes what finds pieces: `order`, their numbers by hash; `starts`, where those of a hash begin; and of each
    character the `longest` piece that begins with it, in characters."""
    bounds = pieces.bounds.tolist()
    texts = {at: pieces.text[bounds[at] : bounds[at + 1]] for at in range(_SPECIAL, len(pieces))}
    texts = {number: text for number, text in texts.items() if text}
    buckets = np.array([crc32(text) for text in texts.values()]) % _BUCKETS
    order = np.argsort(buckets, kind="stable")
    starts = np.zeros(_BUCKETS + 1, np.uint32)
    starts[1:] = np.cumsum(np.bincount(buckets, minlength=_BUCKETS))
    longest: dict[str, int] = defaultdict(int)
    for text in texts.values():
        piece = text.decode()
        longest[piece[0]] = max(longest[piece[0]], len(piece))
    with table.open("wb") as file:
        np.savez(
            file,
            starts=starts,
            order=np.array(list(texts), np.uint32)[order],
            first=np.array(list(map(ord, longest)), np.uint32),
            longest=np.array(list(longest.values()), np.uint16),
        )


def _runs(text: str) -> Iterator[str]:
    """What stands between blanks, each with the mark of a word before it, and in parts where it is long."""
    for word in text.split():
        marked = WORD_MARK + word
        for start in range(0, len(marked), LONGEST_RUN):
            yield marked[start : start + LONGEST_RUN]


def _names(run: str) -> dict[int, str]:
    """Of each letter and digit of a run, by its place, the lower-case word that it belongs to. Marks that go with a
    letter, such as the vowels of Hindi and Thai, are of its word."""
    names: dict[int, str] = {}
    start = 0
    for place in range(len(run) + 1):
        if place < len(run) and (run[place].isalnum() or (place > start and category(run[place])[0] == "M")):
            continue
        names |= dict.fromkeys(range(start, place), run[start:place].lower())
        start = place + 1
    return names
