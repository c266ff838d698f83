"""Are the right rows kept, in the right order? Checked against sorting all of them."""

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from config.recipes import Recipe
from memory.features import Probe, candidates
from memory.index import UserIndex
from memory.question import read_question
from memory.ranker import load_ranker
from memory.ranking import DAY, Scope, score
from memory.scored import EXTRA, UNREAD, Ranked, Reads
from tests.conversations import START
from tests.memory import indexes
from tests.memory.indexes import Said
from utils.vectors import to_binary

NOW = START.timestamp()
QUERY = np.array([1, 0, 0, 0], np.float32)
PROBE = Probe(read_question("?", {}, NOW), QUERY, QUERY, np.zeros((0, 64), np.float32), np.zeros(0, np.float32), ())

similarity = st.floats(-1, 1, width=32).map(lambda x: round(x, 3))
rows = st.lists(
    st.tuples(similarity, st.sampled_from(["s1", "s2", "s3"]), st.integers(0, 400)), min_size=1, max_size=160
)


def rank(
    index: UserIndex, probe: Probe, recipe: Recipe, scope: Scope, now: float, reads: Reads = UNREAD
) -> list[Ranked]:
    scored = score(index, probe, recipe, scope, now)
    return [] if scored is None else scored.read(reads).select()


def place_of(
    row: int, index: UserIndex, probe: Probe, recipe: Recipe, scope: Scope, now: float, reads: Reads = UNREAD
) -> tuple[int, Ranked] | None:
    scored = score(index, probe, recipe, scope, now)
    return None if scored is None else scored.read(reads).place_of(row)


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


# ------------------------------------------------------------------------------------------------ all that is known

WORDS = ("dog", "dogs", "cat", "apple", "June", "I", "the", "red?")
QUESTIONS = ("Where did the dog bark?", "Did I feed the red cat in June?", "What is it?", "?!")
message = st.builds(
    Said,
    st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join),
    st.sampled_from(["s1", "s2"]),
    st.sampled_from(["user", "assistant"]),
    kind=st.sampled_from(["turn", "turn", "fact"]),
    days=st.integers(0, 90),
    imprint=st.sampled_from([True, True, False]),
)
conversation = st.lists(message, min_size=1, max_size=12)
some = settings(max_examples=40, deadline=None)


def fused(top_k: int = 8, floor: float = 0.0, **more: Any) -> Recipe:
    return Recipe("r", top_k, floor, ranking="fused", **more)


def said_to(entries: Sequence[Said], text: str, recipe: Recipe, scope: Scope | None = None) -> list[Ranked]:
    index = indexes.index_of(entries)
    return rank(index, indexes.asked(text, index), recipe, scope or Scope(), NOW)


@some
@given(conversation, st.sampled_from(QUESTIONS), st.integers(1, 12), st.sampled_from([0.0, 0.05, 0.3]))
def test_what_all_that_is_known_keeps_is_the_likeliest_that_passes_the_floor(
    entries: list[Said], text: str, top_k: int, floor: float
) -> None:
    index = indexes.index_of(entries)
    probe = indexes.asked(text, index)
    pool = candidates(index, probe, index.alive[: len(index)])
    likely = dict(zip(pool.rows.tolist(), load_ranker().scores(pool).tolist(), strict=True))
    ranked = rank(index, probe, fused(top_k, floor), Scope(), NOW)
    expected = sorted(likely, key=lambda row: (likely[row] < floor, -likely[row], row))
    assert [one.row for one in ranked] == expected[: top_k + EXTRA]
    assert [one.row for one in ranked if one.dropped is None] == [row for row in expected if likely[row] >= floor][
        :top_k
    ]
    for one in ranked:
        assert one.parts.score == one.parts.fused == pytest.approx(likely[one.row])
        assert (one.dropped == "below_floor") == (likely[one.row] < floor)


@some
@given(conversation, st.sampled_from(QUESTIONS), st.sampled_from([None, 0.5]), st.sampled_from([0.0, 0.2, 1.0]))
def test_every_part_of_every_fused_score_is_between_0_and_1(
    entries: list[Said], text: str, mmr_lambda: float | None, weight: float
) -> None:
    ranked = said_to(entries, text, fused(3, recency_weight=weight, mmr_lambda=mmr_lambda))
    assert len([one for one in ranked if one.dropped is None]) == min(3, len(entries))
    assert len({one.row for one in ranked}) == len(ranked)
    for one in ranked:
        parts = one.parts
        assert parts.bm25 is not None and parts.fused is not None
        assert (parts.recency is None) == (weight == 0)
        assert all(0 <= part <= 1 + 1e-6 for part in parts if part is not None)


@some
@given(conversation, st.sampled_from(QUESTIONS), st.integers(0, 2), st.data())
def test_what_a_scope_leaves_out_is_not_ranked_and_changes_no_score(
    entries: list[Said], text: str, which: int, data: st.DataObject
) -> None:
    scope, seen = [
        (Scope(kinds=("turn",)), [entry.kind == "turn" for entry in entries]),
        (Scope(since=NOW - 30 * DAY), [entry.days <= 30 for entry in entries]),
        (Scope(exclude=frozenset({"0"})), [number > 0 for number in range(len(entries))]),
    ][which]
    others = [
        entry if visible else replace(data.draw(message), session=entry.session, kind=entry.kind, days=entry.days)
        for entry, visible in zip(entries, seen, strict=True)
    ]
    ranked = said_to(entries, text, fused(), scope)
    assert {one.row for one in ranked} == {number for number, visible in enumerate(seen) if visible}
    found = {one.row: one.parts.score for one in said_to(others, text, fused(), scope)}
    assert found == pytest.approx({one.row: one.parts.score for one in ranked}, abs=1e-4)


@some
@given(conversation, st.sampled_from(QUESTIONS), st.data())
def test_an_index_built_anew_without_its_holes_ranks_as_before(
    entries: list[Said], text: str, data: st.DataObject
) -> None:
    entries = [replace(entry, text=f"{entry.text} n{number}x") for number, entry in enumerate(entries)]
    gone = data.draw(st.sets(st.integers(0, len(entries) - 1), max_size=len(entries) - 1))
    index = indexes.index_of([*entries, *[Said(f"h{number}x", "s3") for number in range(100)]])
    index.drop([str(number) for number in (*gone, *range(len(entries), len(entries) + 100))])
    index.refresh()
    fresh = index.compacted()
    fresh.refresh()
    assert len(fresh) == len(entries) - len(gone)

    def ranked(one: UserIndex) -> dict[str, float]:
        found = rank(one, indexes.asked(text, one), fused(), Scope(), NOW)
        return {one.ids[ranked.row]: ranked.parts.score for ranked in found}

    assert ranked(fresh) == pytest.approx(ranked(index), abs=1e-4)


@some
@given(conversation, st.sampled_from(QUESTIONS), st.sampled_from([0.0, 0.1]), st.sampled_from([0.0, 0.5]))
def test_a_rows_place_is_where_the_search_has_it(entries: list[Said], text: str, floor: float, weight: float) -> None:
    index = indexes.index_of(entries)
    probe, recipe = indexes.asked(text, index), fused(4, floor, recency_weight=weight)
    ranked = rank(index, probe, recipe, Scope(), NOW)
    for at, one in enumerate(ranked):
        placed = place_of(one.row, index, probe, recipe, Scope(), NOW)
        assert placed is not None
        place, again = placed
        assert again.parts == one.parts
        assert place <= at and ranked[place].parts.score == one.parts.score  # the same score is the same place


said_of = st.floats(0, 1, width=32)


@some
@given(conversation, st.sampled_from(QUESTIONS), st.sampled_from([0.0, 0.05, 0.3]), st.integers(1, 6), st.data())
def test_a_cross_encoder_changes_the_order_of_what_passes_the_floor_and_no_more(
    entries: list[Said], text: str, floor: float, top_k: int, data: st.DataObject
) -> None:
    index = indexes.index_of(entries)
    probe, recipe = indexes.asked(text, index), fused(top_k, floor)
    likely = {one.row: one.parts.score for one in rank(index, probe, fused(12, floor), Scope(), NOW)}
    scored = score(index, probe, recipe, Scope(), NOW)
    assert scored is not None
    passed = scored.shortlist(12)
    assert passed == sorted((row for row in likely if likely[row] >= floor), key=lambda row: (-likely[row], row))
    read = scored.shortlist(3)
    assert read == passed[:3]
    reranked = {row: data.draw(said_of) for row in read}
    ranked = rank(index, probe, recipe, Scope(), NOW, reranked)
    scores = {row: (likely[row] + reranked.get(row, 0.0)) / 2 if reranked else likely[row] for row in likely}
    assert {one.row for one in ranked if one.dropped != "below_floor"} <= set(passed)
    assert [one.parts.score for one in ranked if one.dropped is None] == pytest.approx(
        sorted((scores[row] for row in passed), reverse=True)[:top_k]
    )
    unread = [one.row not in read for one in ranked]
    assert unread == sorted(unread)
    for at, one in enumerate(ranked):
        assert (one.parts.fused, one.parts.rerank) == (pytest.approx(likely[one.row]), reranked.get(one.row))
        assert one.parts.score == pytest.approx(scores[one.row])
        placed = place_of(one.row, index, probe, recipe, Scope(), NOW, reranked)
        assert placed is not None
        assert placed[0] <= at and ranked[placed[0]].parts.score == one.parts.score == placed[1].parts.score


def test_what_is_not_looked_at_has_no_place() -> None:
    index = indexes.index_of([Said("the dog"), Said("the cat")])
    probe = indexes.asked("dog", index)
    assert place_of(0, index, probe, fused(), Scope(exclude=frozenset({"0"})), NOW) is None
    assert place_of(0, index, probe, fused(), Scope(until=NOW - DAY), NOW) is None


def test_what_has_the_words_comes_before_what_has_not() -> None:
    entries = [Said(f"talk about item n{number}x", f"s{number}") for number in range(20)]
    entries[11] = Said("the grey parrot escaped", "s11")
    assert said_to(entries, "Which parrot escaped?", fused(1))[0].row == 11


def test_recency_alone_puts_the_newest_first() -> None:
    entries = [Said("the dog barks", days=9), Said("a fish", days=2), Said("a cat", days=5)]
    ranked = said_to(entries, "dog", fused(3, recency_weight=1.0))
    assert [one.row for one in ranked] == [1, 2, 0]
    assert [one.parts.score for one in ranked] == pytest.approx([math.exp(-days / 30) for days in (2, 5, 9)])


def test_the_words_of_a_message_show_in_its_parts() -> None:
    ranked = said_to([Said("the dog barks"), Said("a fish swims")], "dog", fused(2))
    words = {one.row: one.parts.bm25 for one in ranked}
    assert words[1] == 0
    assert words[0] is not None and 0 < words[0] < 1


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize(
    "text", ["?!", "", "What is it?", "dog " * 8_000], ids=["signs", "nothing", "stop words", "long"]
)
@pytest.mark.parametrize(
    "entries",
    [
        [Said("the dog barks")],
        [Said("")],
        [Said("the dog", imprint=False, place=-1)],
        [Said("the dog barks")] * 300,
    ],
    ids=["one", "empty", "gist", "the same"],
)
def test_odd_questions_and_rows_are_ranked_like_others(text: str, entries: list[Said]) -> None:
    ranked = said_to(entries, text, fused(3))
    assert len([one for one in ranked if one.dropped is None]) == min(3, len(entries))
    assert all(0 < one.parts.score < 1 for one in ranked)


@pytest.mark.parametrize("silence", [0.0, 1e-9])
def test_small_talk_finds_nothing_where_a_recipe_keeps_silence(silence: float) -> None:
    said = [Said("good morning"), Said("the dog barked this morning")]
    for text, idle in (("Good morning!", True), ("Who barked in the morning?", False)):
        ranked = said_to(said, text, fused(silence=silence))
        assert len(ranked) == 2
        assert all((one.dropped == "silent") == (idle and silence > 0) for one in ranked)


@pytest.mark.parametrize(
    "text", ["What happened in January 2025?", "Tell me everything about January 2025", "January 2025"]
)
def test_a_question_that_names_a_time_alone_finds_what_was_said_then(text: str) -> None:
    # START is 1 March 2025.
    said = [Said(f"Something about subject n{n}x.", days=float(10 * n)) for n in range(30)]
    ranked = said_to(said, text, fused(3, 0.01, silence=0.05))
    kept = [said[one.row].days for one in ranked if one.dropped is None]
    assert kept and all((START - timedelta(days=days)).strftime("%Y-%m") == "2025-01" for days in kept[:3])


def test_words_beside_the_time_still_decide() -> None:
    said = [Said("The dog barked.", days=300), *(Said(f"Subject n{n}x.", days=10.0) for n in range(20))]
    assert said_to(said, "When did the dog bark, in January 2025 or before?", fused(1))[0].row == 0
