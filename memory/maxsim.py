"""How alike are a question's tokens and a message's? Late interaction (Khattab and Zaharia, "ColBERT", 2020)."""

import numpy as np
from numpy.typing import NDArray

from memory.ragged import Ragged

SCALE = np.float32(1 / 127)


def best_matches(question: NDArray[np.float32], tokens: Ragged, rows: NDArray[np.intp]) -> NDArray[np.float32]:
    """For each token of a question, (n, 64), the highest cosine among the tokens of each row: (n, rows), 0 for a row
    without tokens."""
    items, bounds = tokens.gather(rows)
    found = np.zeros((len(question), len(rows)), np.float32)
    full = np.flatnonzero(bounds[1:] > bounds[:-1])
    if len(full) and len(question):
        cosines = (question * SCALE) @ items.astype(np.float32).T
        found[:, full] = np.maximum.reduceat(cosines, bounds[:-1][full], axis=1)
    return found
