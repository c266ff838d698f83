"""Terms of a text, and how they stand in a gist.

A term is the stem of a word. It is kept as a hash of 32 bits, in the order of the text, so that an index needs no
dictionary: of 50,000 stems, some 0.3 share a hash with another.
"""

from collections.abc import Iterable
from functools import lru_cache
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from utils.text import searched_words, stem

Terms = NDArray[np.uint32]

MOST = 4_096  # terms kept of a text; a longer one is found by its beginning

_LITTLE_ENDIAN = np.dtype("<u4")


@lru_cache(maxsize=65_536)
def hashed(stemmed: str) -> int:
    """The number that stands for a stem."""
    return crc32(stemmed.encode())


def terms_of(text: str) -> Terms:
    """The terms of a text in order, shape (n,)."""
    return np.array([hashed(stem(word)) for word in searched_words(text)[:MOST]], np.uint32)


def hashes(stems: Iterable[str]) -> Terms:
    """The terms of stems, in their order."""
    return np.array([hashed(one) for one in stems], np.uint32)


def to_bytes(terms: Terms) -> bytes:
    return terms.astype(_LITTLE_ENDIAN).tobytes()


def from_bytes(stored: bytes) -> Terms:
    """As `to_bytes` wrote them; an incomplete one at the end is left out."""
    return np.frombuffer(stored, _LITTLE_ENDIAN, len(stored) // 4).astype(np.uint32, copy=False)
