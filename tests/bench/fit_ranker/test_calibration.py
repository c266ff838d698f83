"""Calibrated scores are the shares of what answers."""

import numpy as np
import pytest

from bench.fit_ranker.calibration import calibrate
from bench.fit_ranker.examples import Example
from memory.recall.features import Pool
from memory.recall.ranking import CERTAINTY, behind_best, certainty


def examples(count: int) -> tuple[list[Example], list[np.ndarray]]:
    """The first candidate answers where the pool's certainty is high, and nothing does where it is low."""
    chance = np.random.default_rng(0)
    made, raw = [], []
    for _ in range(count):
        sure = chance.uniform()
        columns = {name: np.full(10, sure, np.float32) for name in CERTAINTY}
        answers = np.zeros(10, np.float32)
        answers[0] = chance.uniform() < sure
        made.append(Example("c", "1", "x", Pool(np.arange(10), columns), answers, int(answers.sum())))
        raw.append(np.array([3.0] + [0.0] * 9, np.float32))
    return made, raw


def test_the_scores_are_as_often_right_as_they_say() -> None:
    made, raw = examples(3_000)
    weights = calibrate(made, raw)

    def score(example: Example, scores: np.ndarray) -> float:
        logit = weights[0] * behind_best(scores)[0] + certainty(example.pool) @ weights[1:-1] + weights[-1]
        return float(1 / (1 + np.exp(-logit)))

    said = np.array([score(example, scores) for example, scores in zip(made, raw, strict=True)])
    right = np.array([example.answers[0] for example in made])
    for low, high in ((0.0, 0.3), (0.3, 0.6), (0.6, 1.0)):
        within = (said >= low) & (said < high)
        assert right[within].mean() == pytest.approx(said[within].mean(), abs=0.06)


def test_a_network_that_ranks_the_wrong_way_round_is_refused() -> None:
    made, raw = examples(300)
    with pytest.raises(ValueError, match="better score"):
        calibrate(made, [-scores for scores in raw])
