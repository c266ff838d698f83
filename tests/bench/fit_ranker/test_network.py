"""The fitted network puts what answers first."""

import numpy as np

from bench.fit_ranker.network import Plan, Question, fit
from memory.recall.ranking import Ranker


def questions(count: int, seed: int) -> list[Question]:
    """What answers has a high first feature, unless the third one is high too: no weighing alone tells that."""
    chance = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        features = chance.normal(size=(30, 4)).astype(np.float32)
        score = features[:, 0] * np.where(features[:, 2] > 0, -1, 1)
        answers = np.zeros(30, np.float32)
        answers[np.argsort(-score)[:2]] = 1
        made.append(Question(features, answers, 1.0))
    return made


def test_it_learns_what_depends_on_two_features_at_once() -> None:
    weights = fit(questions(400, seed=1), Plan(hidden=8, networks=2, epochs=40, rate=1e-2, decay=0.0, dropout=0.0))
    ranker = Ranker(
        ("a", "b", "c", "d"),
        weights["hidden"],
        weights["bias"],
        weights["out"],
        weights["straight"],
        np.zeros(0, np.float32),
    )
    found = [one.answers[np.argsort(-ranker.raw(one.features))[:2]].mean() for one in questions(100, seed=2)]
    assert np.mean(found) > 0.7


def test_the_same_questions_give_the_same_weights() -> None:
    plan = Plan(hidden=4, networks=2, epochs=2)
    one, other = (fit(questions(20, seed=3), plan) for _ in range(2))
    assert all(np.array_equal(one[name], other[name]) for name in one)
    assert one["hidden"].shape == (4, 8) and one["bias"].shape == one["out"].shape == (8,)  # of both networks
