"""How well do rows answer by their words?

BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memory.postings import Posting

Floats = NDArray[np.float32]


def idf(frequencies: Floats, rows: int) -> Floats:
    """The weight of terms that so many of all rows have, (terms,): ln(1 + (N - df + 0.5) / (df + 0.5))."""
    weights: Floats = np.log(1 + (rows - frequencies + np.float32(0.5)) / (frequencies + np.float32(0.5)))
    return weights


def saturated(counts: Floats, lengths: Floats, mean: float, k1: float, b: float) -> Floats:
    """The share of a term's weight that a row gets which has it so often; `lengths` in terms."""
    return (counts * (k1 + 1) / (counts + k1 * (1 - b + b * lengths / mean))).astype(np.float32, copy=False)


def bm25(
    postings: Sequence[Posting], weights: Floats, lengths: Floats, mean: float, k1: float = 0.6, b: float = 0.3
) -> Floats:
    """The score of every row, shape (rows,). `lengths`: of the rows."""
    scores = np.zeros(len(lengths), np.float32)
    for posting, weight in zip(postings, weights, strict=True):
        scores[posting.rows] += weight * saturated(posting.counts, lengths[posting.rows], mean, k1, b)
    return scores


def counts_in(postings: Sequence[Posting], rows: NDArray[np.intp]) -> Floats:
    """How often each row has each term, shape (terms, rows)."""
    counts = np.zeros((len(postings), len(rows)), np.float32)
    for number, posting in enumerate(postings):
        if len(posting.rows):
            at = np.minimum(np.searchsorted(posting.rows, rows), len(posting.rows) - 1)
            counts[number] = np.where(posting.rows[at] == rows, posting.counts[at], 0)
    return counts
