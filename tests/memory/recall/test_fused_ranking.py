"""The right rows are kept by all that is known of them, in the right order. Checked against sorting all of them."""

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from config.recipes import Recipe
from memory.language.heads import ACTS, Doing
from memory.recall.features import candidates
from memory.recall.index import Sight, UserIndex
from memory.recall.ranking import DAY, Scope, likelihoods, score
from memory.recall.scored import DECIMALS, EXTRA, Ranked
from tests.conversations import START
from tests.memory import indexes
from tests.memory.indexes import Said
from tests.memory.ranked import NOW, place_of, rank
from tests.numerics import NUMERIC_ERRORS

UNREAD = Doing(*[0.0] * len(ACTS))  # of a text that the encoder has not read
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


def said_to(
    entries: Sequence[Said], text: str, recipe: Recipe, scope: Scope | None = None, does: Doing | None = None
) -> list[Ranked]:
    index = indexes.index_of(entries)
    return rank(index, indexes.asked(text, index, does), recipe, scope or Scope(), NOW)


@some
@given(conversation, st.sampled_from(QUESTIONS), st.integers(1, 12), st.sampled_from([0.0, 0.05, 0.3]))
def test_what_all_that_is_known_keeps_is_the_likeliest_that_passes_the_floor(
    entries: list[Said], text: str, top_k: int, floor: float
) -> None:
    index = indexes.index_of(entries)
    probe = indexes.asked(text, index)
    pool = candidates(index, probe, Sight.of(index, index.alive[: len(index)]))
    likely = dict(zip(pool.rows.tolist(), likelihoods(index, probe, pool).tolist(), strict=True))
    ranked = rank(index, probe, fused(top_k, floor), Scope(), NOW)
    shown = {row: float(np.round(score, DECIMALS)) for row, score in likely.items()}
    expected = sorted(likely, key=lambda row: (likely[row] < floor, -shown[row], -index.times[row], row))
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


said_of = st.floats(2**-6, 1, width=32)  # more than scores differ by that are shown as the same


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
    shown = {row: float(np.round(score, DECIMALS)) for row, score in likely.items()}
    passing = [row for row in likely if likely[row] >= floor]
    assert passed == sorted(passing, key=lambda row: (-shown[row], -index.times[row], row))
    read = scored.shortlist(3)
    assert read == passed[:3]
    reranked = {row: data.draw(said_of) for row in read}
    ranked = rank(index, probe, recipe, Scope(), NOW, reranked)
    scores = {row: (likely[row] + reranked.get(row, 0.0)) / 2 if reranked else likely[row] for row in likely}
    assert {one.row for one in ranked if one.dropped != "below_floor"} <= set(passed)
    assert [one.parts.score for one in ranked if one.dropped is None] == pytest.approx(
        sorted((scores[row] for row in passed), reverse=True)[:top_k], abs=10**-DECIMALS
    )  # what is shown as the same stands in either order
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


@NUMERIC_ERRORS
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
    for text, idle in (("Thanks, good morning!", True), ("who barked in the morning", False)):
        ranked = said_to(said, text, fused(silence=silence), does=replace(UNREAD, asks=0.9))
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
