"""Lexical scores: BM25 and coverage of a query's terms.

BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009).
"""

import numpy as np
from numpy.typing import NDArray

from memory.recall.postings import Hits
from utils.vectors import Floats


def idf(frequencies: Floats, rows: int) -> Floats:
    """The weight of terms that so many of all rows have, (terms,): ln(1 + (N - df + 0.5) / (df + 0.5))."""
    weights: Floats = np.log(1 + (rows - frequencies + np.float32(0.5)) / (frequencies + np.float32(0.5)))
    return weights


def saturated(counts: Floats, lengths: Floats, mean: float, k1: float, b: float) -> Floats:
    """The share of a term's weight that a row gets which has it so often; `lengths` in terms."""
    return (counts * (k1 + 1) / (counts + k1 * (1 - b + b * lengths / mean))).astype(np.float32, copy=False)


def bm25(hits: Hits, weights: Floats, lengths: Floats, mean: float, k1: float = 0.6, b: float = 0.3) -> Floats:
    """The score of every row, shape (rows,). `weights`: of the terms. `lengths`: of the rows."""
    shares = weights[hits.terms] * saturated(hits.counts, lengths[hits.rows], mean, k1, b)
    return np.bincount(hits.rows, shares, minlength=len(lengths)).astype(np.float32)


def counts_in(hits: Hits, terms: int, rows: NDArray[np.intp]) -> Floats:
    """How often each row has each term, shape (terms, rows). `rows`: ascending, at least one."""
    counts = np.zeros((terms, len(rows)), np.float32)
    at = np.minimum(np.searchsorted(rows, hits.rows), len(rows) - 1)
    there = rows[at] == hits.rows
    counts[hits.terms[there], at[there]] = hits.counts[there]
    return counts
