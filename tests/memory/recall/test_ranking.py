"""The right rows are kept by their cosine, in the right order. Checked against sorting all of them."""

import json
import math
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from config.recipes import Recipe
from memory.language.questions import read_question
from memory.recall.features import Pool, candidates
from memory.recall.index import Sight, UserIndex
from memory.recall.query import Probe
from memory.recall.ranking import CERTAINTY, CLIP, DAY, Ranker, Scope, behind_best, certainty, load_ranker, scaled
from tests.conversations import START
from tests.memory.indexes import Said, asked, index_of
from tests.memory.ranked import NOW, rank
from tests.numerics import NUMERIC_ERRORS
from utils.vectors import to_binary

pytestmark = NUMERIC_ERRORS

QUERY = np.array([1, 0, 0, 0], np.float32)
PROBE = Probe(read_question("?", {}, NOW), QUERY, QUERY, np.zeros((0, 64), np.float32), np.zeros(0, np.float32), ())

similarity = st.floats(-1, 1, width=32).map(lambda x: round(x, 3))
rows = st.lists(
    st.tuples(similarity, st.sampled_from(["s1", "s2", "s3"]), st.integers(0, 400)), min_size=1, max_size=160
)


def vector(cosine: float) -> NDArray[np.float32]:
    """A vector of length 1 that has this cosine with the query."""
    return np.array([cosine, math.sqrt(max(0.0, 1 - cosine * cosine)), 0, 0], np.float32)


def index_by_cosine(entries: list[tuple[float, str, int]]) -> UserIndex:
    """Rows of a similarity, a session and an age in days; their ids are their numbers."""
    index = UserIndex("model", 4)
    index.put(
        [
            {
                "_id": str(number),
                "embedding_model": "model",
                "embedding": to_binary(vector(cosine)),
                "timestamp": START - timedelta(days=age),
                "session_id": session,
                "kind": "turn",
            }
            for number, (cosine, session, age) in enumerate(entries)
        ]
    )
    return index


def cosine(top_k: int, floor: float, **more: Any) -> Recipe:
    return Recipe("r", top_k, floor, ranking="cosine", **more)


def kept(entries: list[tuple[float, str, int]], recipe: Recipe, scope: Scope | None = None) -> list[int]:
    ranked = rank(index_by_cosine(entries), PROBE, recipe, scope or Scope(), NOW)
    return [one.row for one in ranked if one.dropped is None]


@pytest.mark.parametrize("top_k", [1, 3])
def test_of_scores_that_are_shown_alike_the_newest_comes_first(top_k: int) -> None:
    entries = [(0.50002, "s1", 9), (0.50001, "s1", 5), (0.5, "s1", 7), (0.4, "s1", 0)]
    assert kept(entries, cosine(top_k, 0.0)) == [1, 2, 0][:top_k]
    assert kept([(0.501, "s1", 9), (0.5, "s1", 0)], cosine(top_k, 0.0))[0] == 0


@given(rows, st.integers(1, 12), st.sampled_from([0.0, 0.3, 0.45, 0.9]), st.sampled_from([0.0, 0.2, 0.9]))
def test_what_is_kept_is_the_best_that_passes_the_floor(
    entries: list[tuple[float, str, int]], top_k: int, floor: float, weight: float
) -> None:
    def score(entry: tuple[float, str, int]) -> float:
        return (1 - weight) * max(entry[0], 0.0) + weight * math.exp(-entry[2] / 30)

    found = kept(entries, cosine(top_k, floor, recency_weight=weight))
    passing = [entry for entry in entries if max(entry[0], 0.0) >= floor - 1e-6]
    best = sorted((score(entry) for entry in passing), reverse=True)[:top_k]
    assert len(found) == len(set(found))
    assert [score(entries[row]) for row in found] == pytest.approx(best, abs=1e-3)
    assert all(max(entries[row][0], 0.0) >= floor - 1e-6 for row in found)


@given(rows, st.integers(1, 12), st.sampled_from([0.0, 0.45]), st.sampled_from([0.1, 0.7, 1.0]))
def test_diversity_changes_the_order_but_never_the_floor_or_the_number(
    entries: list[tuple[float, str, int]], top_k: int, floor: float, weight: float
) -> None:
    plain = kept(entries, cosine(top_k, floor))
    diverse = kept(entries, cosine(top_k, floor, mmr_lambda=weight))
    assert len(diverse) == len(plain)
    assert diverse[:1] == plain[:1]
    if weight == 1.0:
        assert [entries[row][0] for row in diverse] == [entries[row][0] for row in plain]


@given(rows)
def test_every_part_of_every_score_is_between_0_and_1(entries: list[tuple[float, str, int]]) -> None:
    recipe = cosine(5, 0.2, recency_weight=0.2, mmr_lambda=0.7)
    for one in rank(index_by_cosine(entries), PROBE, recipe, Scope(), NOW):
        parts = [one.parts.dense, one.parts.score, one.parts.recency, one.parts.mmr]
        assert all(0 <= part <= 1 + 1e-6 for part in parts if part is not None)


def test_an_old_message_above_the_floor_is_found_among_many_new_ones_below_it() -> None:
    entries = [(0.2, "s1", 0)] * 500 + [(0.5, "s1", 3000)]
    assert kept(entries, cosine(1, 0.45, recency_weight=0.9)) == [500]


def test_recency_halves_every_three_weeks_or_so() -> None:
    recipe = cosine(3, 0.0, recency_weight=1.0)
    ranked = rank(index_by_cosine([(0.5, "s1", 0), (0.5, "s1", 30), (0.5, "s1", 60)]), PROBE, recipe, Scope(), NOW)
    assert [one.parts.recency for one in ranked] == pytest.approx([1, math.exp(-1), math.exp(-2)])


def test_the_future_is_not_more_recent_than_now() -> None:
    ranked = rank(index_by_cosine([(0.5, "s1", -10)]), PROBE, cosine(1, 0.0, recency_weight=0.5), Scope(), NOW)
    assert ranked[0].parts.recency == 1.0


def test_diversity_prefers_another_thing_to_the_same_thing_again() -> None:
    index = index_by_cosine([(0.9, "s1", 0), (0.89, "s1", 0)])
    other = {"_id": "x", "embedding_model": "model", "timestamp": START, "session_id": "s1", "kind": "turn"}
    index.put([other | {"embedding": to_binary(np.array([0.6, -0.8, 0, 0], np.float32))}])
    plain = rank(index, PROBE, cosine(2, 0.0), Scope(), NOW)
    diverse = rank(index, PROBE, cosine(2, 0.0, mmr_lambda=0.5), Scope(), NOW)
    assert [one.row for one in plain if one.dropped is None] == [0, 1]
    assert [one.row for one in diverse if one.dropped is None] == [0, 2]
    assert [one.dropped for one in diverse] == [None, None, "mmr"]


def test_the_sessions_own_vectors_are_among_the_candidates_before_those_of_others() -> None:
    own = [(0.5, "s1", 900)] * 20
    others = [(0.6, "s2", 0)] * 300
    recipe = cosine(400, 0.0, candidates=200, expand_below=50)
    assert set(range(20)) <= set(kept(own + others, recipe, Scope(session_id="s1")))
    assert len(kept(own + others, recipe, Scope(session_id="s1"))) == 200


def test_what_is_excluded_or_deleted_is_not_seen() -> None:
    index = index_by_cosine([(0.9, "s1", 0), (0.8, "s1", 0), (0.7, "s1", 0)])
    index.drop(["1", "never there"])
    ranked = rank(index, PROBE, cosine(3, 0.0), Scope(exclude=frozenset({"0"})), NOW)
    assert [one.row for one in ranked] == [2]


def test_nothing_visible_gives_nothing() -> None:
    assert rank(index_by_cosine([(0.9, "s1", 0)]), PROBE, cosine(3, 0.0), Scope(until=NOW - DAY), NOW) == []


def test_many_sessions_and_a_new_kind_after_them_have_numbers_of_their_own() -> None:
    index = UserIndex("model", 4)
    one = {"embedding_model": "model", "embedding": to_binary(QUERY), "timestamp": START}
    index.put([one | {"_id": str(n), "session_id": str(n), "kind": "turn"} for n in range(33_000)])
    index.put([one | {"_id": "x", "session_id": "0", "kind": "insight"}])
    ranked = rank(index, PROBE, cosine(3, 0.0), Scope(kinds=("insight",)), NOW)
    assert [index.ids[one.row] for one in ranked] == ["x"]


def test_other_kinds_than_what_was_said_are_seen_only_where_they_are_asked_for() -> None:
    index = UserIndex("model", 4)
    one = {"embedding_model": "model", "embedding": to_binary(QUERY), "timestamp": START, "session_id": "s1"}
    index.put([one | {"_id": kind, "kind": kind} for kind in ("turn", "fact", "finding", "insight", "section")])
    for scope, seen in ((Scope(), {"turn", "fact"}), (Scope(kinds=None), set(index.ids))):
        assert {index.ids[one.row] for one in rank(index, PROBE, cosine(9, 0.0), scope, NOW)} == seen


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


def test_those_that_tell_are_behind_the_best_that_tells() -> None:
    telling = np.array([True, False, True])
    assert behind_best(floats(3, 5, 2), telling).tolist() == [0, 2, -1]
    assert behind_best(floats(3, 5, 2), np.zeros(3, np.bool_)).tolist() == [-2, 0, -3]


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
