"""Which words are there in English? `python -m bench.fit_lexicon` makes the list, of hashes, from lists of words."""

from collections.abc import Sequence
from functools import cache
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from fitted import FITTED

LEXICON = FITTED / "lexicon.npy"  # hashes of words, ascending, (words,) uint32
SHORTEST_WORD, LONGEST_WORD = 5, 24  # letters of a word in it


def are_words(texts: Sequence[str]) -> NDArray[np.bool_]:
    """Which of some texts in small letters are words, (n,). One of 14,000 that are none is taken for one."""
    asked, lexicon = hashes_of(texts), _lexicon()
    found: NDArray[np.bool_] = lexicon[np.searchsorted(lexicon, asked).clip(max=len(lexicon) - 1)] == asked
    return found


def hashes_of(words: Sequence[str]) -> NDArray[np.uint32]:
    return np.array([crc32(word.encode()) for word in words], np.uint32)


@cache
def _lexicon() -> NDArray[np.uint32]:
    found: NDArray[np.uint32] = np.load(LEXICON)
    return found
