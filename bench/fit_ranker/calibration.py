"""What makes a probability of the rank in a pool: logistic regression."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bench.fit_ranker.examples import Example
from memory.recall.ranking import behind_best, certainty

CONSIDERED = 20  # candidates of a question, best first
STEPS = 200


def calibrate(found: Sequence[Example], raw: Sequence[NDArray[np.float32]]) -> NDArray[np.float64]:
    """The weights of how far a candidate is behind the best, of what `certainty` gives, and a constant. `raw`: the
    network's scores of each pool.

    Newton's method with a small ridge. Raises `ValueError` where a better score would make an answer less likely.
    """
    rows, labels = [], []
    for example, scores in zip(found, raw, strict=True):
        best = np.argsort(-scores)[:CONSIDERED]
        sure = certainty(example.pool, example.among)
        rows += [[behind, *sure, 1.0] for behind in behind_best(scores, example.among)[best]]
        labels += example.answers[best].tolist()
    x, y = np.array(rows, np.float64), np.array(labels)
    weights = np.zeros(x.shape[1])
    for _ in range(STEPS):
        expected = 1 / (1 + np.exp(-(x @ weights)))
        curve = x.T @ (x * (expected * (1 - expected))[:, None]) + 1e-3 * np.eye(len(weights))
        change = np.linalg.solve(curve, x.T @ (y - expected) - 1e-3 * weights)
        weights += change
        if np.abs(change).max() < 1e-9:
            break
    if weights[0] <= 0:
        raise ValueError("a better score must not make an answer less likely")
    return weights
