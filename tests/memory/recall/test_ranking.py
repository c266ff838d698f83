"""Are the right rows kept by their cosine, in the right order? Checked against sorting all of them."""

import math
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from config.recipes import Recipe
from memory.language.questions import read_question
from memory.recall.index import UserIndex
from memory.recall.query import Probe
from memory.recall.ranking import DAY, Scope
from tests.conversations import START
from tests.memory.ranked import NOW, rank
from utils.vectors import to_binary

QUERY = np.array([1, 0, 0, 0], np.float32)
PROBE = Probe(read_question("?", {}, NOW), QUERY, QUERY, np.zeros((0, 64), np.float32), np.zeros(0, np.float32), ())

similarity = st.floats(-1, 1, width=32).map(lambda x: round(x, 3))
rows = st.lists(
    st.tuples(similarity, st.sampled_from(["s1", "s2", "s3"]), st.integers(0, 400)), min_size=1, max_size=160
)


def vector(cosine: float) -> NDArray[np.float32]:
    """A vector of length 1 that has this cosine with the query."""
    return np.array([cosine, math.sqrt(max(0.0, 1 - cosine * cosine)), 0, 0], np.float32)


def index_of(entries: list[tuple[float, str, int]]) -> UserIndex:
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
    ranked = rank(index_of(entries), PROBE, recipe, scope or Scope(), NOW)
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
    for one in rank(index_of(entries), PROBE, recipe, Scope(), NOW):
        parts = [one.parts.dense, one.parts.score, one.parts.recency, one.parts.mmr]
        assert all(0 <= part <= 1 + 1e-6 for part in parts if part is not None)


def test_an_old_message_above_the_floor_is_found_among_many_new_ones_below_it() -> None:
    entries = [(0.2, "s1", 0)] * 500 + [(0.5, "s1", 3000)]
    assert kept(entries, cosine(1, 0.45, recency_weight=0.9)) == [500]


def test_recency_halves_every_three_weeks_or_so() -> None:
    recipe = cosine(3, 0.0, recency_weight=1.0)
    ranked = rank(index_of([(0.5, "s1", 0), (0.5, "s1", 30), (0.5, "s1", 60)]), PROBE, recipe, Scope(), NOW)
    assert [one.parts.recency for one in ranked] == pytest.approx([1, math.exp(-1), math.exp(-2)])


def test_the_future_is_not_more_recent_than_now() -> None:
    ranked = rank(index_of([(0.5, "s1", -10)]), PROBE, cosine(1, 0.0, recency_weight=0.5), Scope(), NOW)
    assert ranked[0].parts.recency == 1.0


def test_diversity_prefers_another_thing_to_the_same_thing_again() -> None:
    index = index_of([(0.9, "s1", 0), (0.89, "s1", 0)])
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
    index = index_of([(0.9, "s1", 0), (0.8, "s1", 0), (0.7, "s1", 0)])
    index.drop(["1", "never there"])
    ranked = rank(index, PROBE, cosine(3, 0.0), Scope(exclude=frozenset({"0"})), NOW)
    assert [one.row for one in ranked] == [2]


def test_nothing_visible_gives_nothing() -> None:
    assert rank(index_of([(0.9, "s1", 0)]), PROBE, cosine(3, 0.0), Scope(until=NOW - DAY), NOW) == []


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
