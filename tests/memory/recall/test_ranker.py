"""Are candidates weighed as the network says, and do scores compare between searches?"""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from memory.recall.features import Pool, candidates
from memory.recall.index import Sight
from memory.recall.ranking import CERTAINTY, CLIP, Ranker, behind_best, certainty, load_ranker, scaled
from tests.memory.indexes import Said, asked, index_of
from tests.numerics import NUMERIC_ERRORS

pytestmark = NUMERIC_ERRORS

Floats = NDArray[np.float32]


def floats(*values: float) -> Floats:
    return np.array(values, np.float32)


def pool_of(**columns: Floats) -> Pool:
    """A pool of these columns; what says how sure it is, is 0 where it is not given."""
    size = len(next(iter(columns.values())))
    return Pool(np.arange(size), {name: np.zeros(size, np.float32) for name in CERTAINTY} | columns)


def ranker_of(names: tuple[str, ...], units: int, seed: int) -> Ranker:
    """A network of weights by chance, whose calibration keeps the order."""
    chance = np.random.default_rng(seed)

    def some(*shape: int) -> Floats:
        return chance.normal(0, 0.3, shape).astype(np.float32)

    calibration = some(len(CERTAINTY) + 3)
    calibration[0] = abs(calibration[0]) + 0.1
    return Ranker(names, some(len(names), units), some(units), some(units), some(len(names)), calibration)


def in_order_of(raw: Floats, scores: Floats) -> bool:
    """Whether what is higher in one is nowhere lower in the other."""
    order = np.lexsort((scores, raw))
    return bool((np.diff(scores[order]) >= 0).all())


def test_a_network_by_hand() -> None:
    features = floats(1, -2, 0.5, 3).reshape(2, 2)
    ranker = Ranker(
        ("a", "b"), floats(2, 0, 0, 1).reshape(2, 2), floats(0, 1), floats(1, 10), floats(0.1, -0.1), floats()
    )
    expected = [
        math.tanh(2) + 10 * math.tanh(-2 + 1) + 0.1 + 0.2,
        math.tanh(1) + 10 * math.tanh(3 + 1) + 0.05 - 0.3,
    ]
    assert ranker.raw(features).tolist() == pytest.approx(expected, abs=1e-5)


def test_a_score_by_hand() -> None:
    """Two candidates, one deviation above and below their mean; the network passes its one feature on."""
    weights = [2.0, *[0.0] * len(CERTAINTY), 0.5, -1.0]
    ranker = Ranker(("a",), np.zeros((1, 1), np.float32), floats(0), floats(0), floats(1.0), floats(*weights))
    logits = [2 * -2 + 0.5 * math.log(2) - 1, 0.5 * math.log(2) - 1]
    expected = [1 / (1 + math.exp(-logit)) for logit in logits]
    assert ranker.scores(pool_of(a=floats(3, 5))).tolist() == pytest.approx(expected, abs=1e-4)


def test_features_are_scaled_to_mean_0_and_deviation_1_within_the_pool() -> None:
    found = scaled(pool_of(a=floats(1, 2, 3), b=floats(0, 0, 30)), ("b", "a"))
    assert found[:, 1].tolist() == pytest.approx([-math.sqrt(1.5), 0, math.sqrt(1.5)], abs=1e-4)
    assert found[:, 0].tolist() == pytest.approx([-math.sqrt(0.5), -math.sqrt(0.5), math.sqrt(2)], abs=1e-4)


def test_a_feature_that_stands_out_is_cut() -> None:
    values = np.zeros(256, np.float32)
    values[7] = 1e6
    found = scaled(pool_of(a=values, b=-values), ("a", "b"))
    assert found[7].tolist() == [CLIP[1], CLIP[0]]


@given(st.floats(0, 30, width=32), st.integers(1, 256))
def test_a_feature_that_all_have_alike_says_nothing(value: float, size: int) -> None:
    alike, others = np.full(size, value, np.float32), np.arange(size, dtype=np.float32)
    found = scaled(pool_of(a=alike, b=others), ("a", "b"))
    assert found[:, 0].tolist() == pytest.approx([0] * size, abs=0.01)


def test_scaling_leaves_the_pool_as_it_was() -> None:
    pool = pool_of(a=floats(1, 2, 3))
    scaled(pool, ("a",))
    assert pool.columns["a"].tolist() == [1, 2, 3]


def test_the_best_is_behind_none_however_many_are_as_good() -> None:
    assert behind_best(floats(3, 5, 5, -1)).tolist() == [-2, 0, 0, -6]


def test_certainty_is_that_of_the_best_whoever_it_is() -> None:
    best = {name: floats(0.1, 0.2 + number / 10, -0.3) for number, name in enumerate(CERTAINTY)}
    found = certainty(pool_of(**best))
    expected = [*(0.2 + number / 10 for number in range(len(CERTAINTY))), math.log(3)]
    assert found.tolist() == pytest.approx(expected, abs=1e-6)


@settings(deadline=None)
@given(st.integers(1, 300), st.integers(1, 8), st.integers(0, 10_000), st.sampled_from([0.1, 1.0, 30.0]))
def test_scores_are_probabilities_in_the_order_of_the_network(size: int, width: int, seed: int, spread: float) -> None:
    chance = np.random.default_rng(seed)
    names = tuple(f"f{number}" for number in range(width))
    columns = {name: (spread * chance.normal(size=size)).astype(np.float32) for name in names}
    pool = pool_of(**columns | {name: chance.random(size, np.float32) for name in CERTAINTY})
    ranker = ranker_of(names, 5, seed)
    scores = ranker.scores(pool)
    assert scores.shape == (size,)
    assert ((scores >= 0) & (scores <= 1)).all()
    assert in_order_of(ranker.raw(scaled(pool, names)), scores)


def test_one_candidate_alone_is_judged_by_how_well_it_matches() -> None:
    ranker = ranker_of(("a",), 3, 1)
    weights = np.zeros(len(CERTAINTY) + 3, np.float32)
    weights[0], weights[1], weights[-1] = 1, 5, -2
    ranker = Ranker(ranker.features, ranker.hidden, ranker.bias, ranker.out, ranker.straight, weights)
    good = ranker.scores(pool_of(**{"a": floats(3), CERTAINTY[0]: floats(0.9)}))
    bad = ranker.scores(pool_of(**{"a": floats(7), CERTAINTY[0]: floats(0.1)}))
    assert good.tolist() == pytest.approx([1 / (1 + math.exp(-2.5))])
    assert bad.tolist() == pytest.approx([1 / (1 + math.exp(1.5))])


SAID = [
    Said("My dog is called Biscuit", name="Ann"),
    Said("What a nice name! Is he old?", role="assistant"),
    Said("He is seven, and he barks at night"),
    Said("I baked apple pie on Friday", session="s2", days=20),
    Said("", session="s2"),
    Said("A summary of a talk about dogs", session="s2", kind="summary", imprint=False, place=-1),
]
QUESTIONS = ("What is my dog's name?", "When did I bake?", "What did Ann say?", "What is it?", "?!", "dog " * 3_000)


@pytest.mark.parametrize("text", QUESTIONS, ids=range(len(QUESTIONS)))
@pytest.mark.parametrize("rows", [1, 2, len(SAID)])
def test_the_fitted_network_ranks_any_pool(text: str, rows: int) -> None:
    index = index_of(SAID[:rows])
    pool = candidates(index, asked(text, index), Sight.of(index, index.alive[:rows]))
    ranker = load_ranker()
    scores = ranker.scores(pool)
    assert scores.shape == (rows,)
    assert ((scores > 0) & (scores < 1)).all()
    assert in_order_of(ranker.raw(scaled(pool, ranker.features)), scores)


def test_the_fitted_network_is_whole() -> None:
    ranker = load_ranker()
    width, units = len(ranker.features), len(ranker.out)
    assert len(set(ranker.features)) == width
    assert ranker.hidden.shape == (width, units)
    assert ranker.bias.shape == (units,) and ranker.straight.shape == (width,)
    assert ranker.calibration.shape == (len(certainty(pool_of(a=floats(0)))) + 2,)
    assert ranker.calibration[0] > 0  # else a higher share would be a lower score
    arrays = (ranker.hidden, ranker.bias, ranker.out, ranker.straight, ranker.calibration)
    assert all(array.dtype == np.float32 and np.isfinite(array).all() for array in arrays)


def test_weights_come_from_their_file(tmp_path: Path) -> None:
    file = tmp_path / "ranker.json"
    stored = {"features": ["a"], "hidden": [[2.0]], "bias": [0.5], "out": [1.0], "straight": [0.0]}
    file.write_text(json.dumps(stored | {"calibration": [1.0, *[0.0] * len(CERTAINTY), 0.0, 0.0], "date": "today"}))
    ranker = load_ranker(file)
    assert ranker.features == ("a",)
    assert ranker.raw(floats(1).reshape(1, 1)).tolist() == pytest.approx([math.tanh(2.5)])
    assert ranker.scores(pool_of(a=floats(1))).tolist() == pytest.approx([0.5])
