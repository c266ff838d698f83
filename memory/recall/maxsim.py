"""MaxSim between a question's tokens and a message's: late interaction (Khattab and Zaharia, "ColBERT", 2020)."""

import numpy as np
from numpy.typing import NDArray

from memory.recall.ragged import Ragged

SCALE = np.float32(1 / 127)
AT_ONCE = 512  # tokens


def best_matches(question: NDArray[np.float32], tokens: Ragged, rows: NDArray[np.intp]) -> NDArray[np.float32]:
    """For each token of a question, (n, 64), the highest cosine among the tokens of each row: (n, rows), 0 for a row
    without tokens."""
    items, bounds = tokens.gather(rows)
    found = np.zeros((len(rows), len(question)), np.float32)
    full = np.flatnonzero(bounds[1:] > bounds[:-1])
    if len(full) and len(question):
        cosines = _products(items, np.ascontiguousarray((question * SCALE).T))  # so laid out, it takes two thirds
        found[full] = np.maximum.reduceat(cosines, bounds[:-1][full], axis=0)
    return np.ascontiguousarray(found.T)


def _products(items: NDArray[np.int8], question: NDArray[np.float32]) -> NDArray[np.float32]:
    """(n, 64) @ (64, m), some at a time: what is made float32 is still near when it is multiplied."""
    products = np.empty((len(items), question.shape[1]), np.float32)
    part = np.empty((AT_ONCE, items.shape[1]), np.float32)
    for start in range(0, len(items), AT_ONCE):
        taken = items[start : start + AT_ONCE]
        part[: len(taken)] = taken
        np.dot(part[: len(taken)], question, out=products[start : start + AT_ONCE])
    return products
