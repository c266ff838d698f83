"""All rows that have a term are found, however they came. Checked against counting."""

import sys
import threading
from collections import Counter, defaultdict
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from memory.recall.postings import UNSORTED, Postings, Ragged, grown

TERMS = np.array([0, 1, 5, 77, 2**31, 2**32 - 2, 2**32 - 1], np.uint32)
ABSENT = 4_000_000_000


def append(terms: Ragged, rows: int, chance: np.random.Generator) -> None:
    for _ in range(rows):
        terms.append(chance.choice(TERMS, chance.integers(0, 9)))


def counted(terms: Ragged) -> dict[int, Counter[int]]:
    """How often each term stands in each row."""
    found: dict[int, Counter[int]] = defaultdict(Counter)
    for number in range(len(terms)):
        for term in terms.row(number).tolist():
            found[term][number] += 1
    return found


def check(postings: Postings, terms: Ragged) -> None:
    expected = counted(terms)
    looked_for = np.append(TERMS, np.uint32(ABSENT))
    hits = postings.find(looked_for)
    assert hits.rows.dtype == np.intp and hits.counts.dtype == np.float32
    for number, term in enumerate(looked_for.tolist()):
        own = hits.terms == number
        assert list(zip(hits.rows[own].tolist(), hits.counts[own].tolist(), strict=True)) == sorted(
            expected[term].items()
        )


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from([0, 1, 30, 256, UNSORTED // 4, 700]), max_size=5), st.integers(0, 99))
def test_rows_are_found_before_and_after_they_are_sorted(portions: list[int], seed: int) -> None:
    chance = np.random.default_rng(seed)
    terms = Ragged(np.uint32)
    postings = Postings(terms)
    check(postings, terms)
    for rows in portions:
        append(terms, rows, chance)
        check(postings, terms)


def test_many_rows_are_sorted_anew_when_an_eighth_is_new() -> None:
    chance = np.random.default_rng(1)
    terms = Ragged(np.uint32)
    postings = Postings(terms)
    append(terms, 5 * UNSORTED, chance)
    check(postings, terms)
    before = postings.bytes
    append(terms, UNSORTED // 4, chance)  # of four terms each
    check(postings, terms)
    assert postings.bytes == before  # still read through
    append(terms, UNSORTED // 2, chance)
    check(postings, terms)
    assert postings.bytes > before


def test_a_few_long_rows_are_sorted_as_soon_as_many_short_ones() -> None:
    terms = Ragged(np.uint32)
    postings = Postings(terms)
    before = postings.bytes
    terms.append(np.arange(UNSORTED, dtype=np.uint32))
    postings.find(TERMS)
    assert postings.bytes == before
    terms.append(np.arange(1, dtype=np.uint32))
    postings.find(TERMS)
    assert postings.bytes > before


def test_no_terms_have_no_postings() -> None:
    terms = Ragged(np.uint32)
    postings = Postings(terms)
    for looked_for in ([], [5]):
        for part in postings.find(np.array(looked_for, np.uint32)):
            assert part.shape == (0,)
    terms.append(TERMS)
    assert postings.find(np.zeros(0, np.uint32)).rows.shape == (0,)


def test_hits_are_counted_by_term_and_cut_to_the_first_and_to_what_is_visible() -> None:
    terms = Ragged(np.uint32)
    for row in ([5, 5], [0], [5, 0], [0]):
        terms.append(np.array(row, np.uint32))
    hits = Postings(terms).find(np.array([5, 1, 0], np.uint32))
    assert hits.frequencies(3).tolist() == [2, 0, 3]
    assert (hits.first(2).rows.tolist(), hits.first(2).counts.tolist()) == ([0, 2], [2, 1])
    seen = hits.among(np.array([True, True, False]))
    assert (seen.terms.tolist(), seen.rows.tolist(), seen.counts.tolist()) == ([0, 2], [0, 1], [2, 1])
    assert hits.among(np.ones(4, np.bool_)) is hits
    assert hits.among(np.ones(3, np.bool_)).rows.tolist() == [0, 2, 1, 2]


def test_a_copy_of_some_rows_is_found_by_its_own_numbers() -> None:
    terms = Ragged(np.uint32)
    append(terms, 700, np.random.default_rng(2))
    copied = terms.taken(np.arange(1, 700, 2))
    check(Postings(copied), copied)


def test_a_term_that_a_row_repeats_counts_the_same_before_and_after_sorting() -> None:
    terms = Ragged(np.uint32)
    postings = Postings(terms)
    terms.append(np.full(300, 5, np.uint32))
    before = postings.find(TERMS[2:3])
    append(terms, UNSORTED // 2, np.random.default_rng(3))
    after = postings.find(TERMS[2:3])
    assert before.rows[0] == after.rows[0] == 0
    assert before.counts[0] == after.counts[0]


def test_rows_may_be_appended_while_others_search() -> None:
    """Large indexes are searched on threads, while what is new is appended."""
    chance = np.random.default_rng(4)
    terms = Ragged(np.uint32)
    append(terms, 1_000, chance)
    postings = Postings(terms)
    failed: list[Exception] = []
    done = threading.Event()

    def search() -> None:
        try:
            while not done.is_set():
                hits = postings.find(TERMS)
                for number in range(len(TERMS)):
                    assert (np.diff(hits.rows[hits.terms == number]) > 0).all()
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=search) for _ in range(2)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    for thread in threads:
        thread.start()
    try:
        append(terms, 8_000, chance)
    finally:
        done.set()
        for thread in threads:
            thread.join(30)
        sys.setswitchinterval(interval)
    assert failed == []
    check(postings, terms)


lengths = st.lists(st.one_of(st.integers(0, 5), st.just(150)), max_size=90)
widths = st.sampled_from([(), (3,)])


def filled(counts: list[int], shape: tuple[int, ...] = ()) -> tuple[Ragged, list[NDArray[Any]]]:
    """Rows of these lengths, whose items are all different; and the same as a list."""
    bounds = np.cumsum([0, *counts])
    whole = np.arange(bounds[-1] * int(np.prod(shape)), dtype=np.uint32).reshape(-1, *shape)
    rows = [whole[start:end] for start, end in pairwise(bounds)]
    ragged = Ragged(np.uint32, *shape)
    for row in rows:
        ragged.append(row)
    return ragged, rows


def joined(rows: list[NDArray[Any]], shape: tuple[int, ...]) -> NDArray[Any]:
    return np.concatenate([np.zeros((0, *shape), np.uint32), *rows])


@given(lengths, widths)
def test_rows_are_what_was_appended(counts: list[int], shape: tuple[int, ...]) -> None:
    ragged, rows = filled(counts, shape)
    assert len(ragged) == len(rows)
    assert all(np.array_equal(ragged.row(number), row) for number, row in enumerate(rows))
    assert ragged.counts[: len(rows)].tolist() == counts


@given(lengths, widths, st.data())
def test_gathered_rows_stand_one_behind_the_other(counts: list[int], shape: tuple[int, ...], data: Any) -> None:
    ragged, rows = filled(counts, shape)
    wanted = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=12)) if rows else []
    items, bounds = ragged.gather(np.array(wanted, np.intp))
    assert np.array_equal(items, joined([rows[number] for number in wanted], shape))
    assert bounds.tolist() == np.cumsum([0, *(counts[number] for number in wanted)]).tolist()


@given(lengths, widths, st.integers(0, 100))
def test_what_came_since_a_row_is_told_with_its_rows(counts: list[int], shape: tuple[int, ...], since: int) -> None:
    ragged, rows = filled(counts, shape)
    items, owners = ragged.between(since, len(ragged))
    assert np.array_equal(items, joined(rows[since:], shape))
    assert owners.tolist() == [number for number, row in enumerate(rows) if number >= since for _ in row]


@given(lengths, widths, st.data())
def test_a_copy_of_some_rows_grows_on_its_own(counts: list[int], shape: tuple[int, ...], data: Any) -> None:
    ragged, rows = filled(counts, shape)
    wanted = data.draw(st.lists(st.integers(0, len(rows) - 1), unique=True)) if rows else []
    copied = ragged.taken(np.array(wanted, np.intp))
    more = np.full((2, *shape), 7, np.uint32)
    copied.append(more)
    copied.append(more[:0])
    expected = [*(rows[number] for number in wanted), more, more[:0]]
    assert len(copied) == len(expected)
    assert all(np.array_equal(copied.row(number), row) for number, row in enumerate(expected))
    assert np.array_equal(copied.between(0, len(copied))[0], joined(expected, shape))
    assert len(ragged) == len(rows)
    assert all(np.array_equal(ragged.row(number), row) for number, row in enumerate(rows))


def test_an_array_handed_out_stays_as_it_was() -> None:
    ragged, rows = filled([3])
    first = ragged.row(0)
    for _ in range(200):
        ragged.append(np.full(5, 9, np.uint32))
    assert np.array_equal(first, rows[0])


def test_its_size_is_that_of_its_arrays() -> None:
    ragged, _ = filled([100])
    assert ragged.bytes == ragged.items.nbytes + ragged.starts.nbytes + ragged.counts.nbytes >= 100 * 4
    assert Ragged(np.int8, 64).bytes == 0


@pytest.mark.parametrize(("rows", "needed", "room"), [(0, 1, 64), (64, 65, 80), (100, 101, 125), (10, 1_000, 1_000)])
def test_a_column_grows_by_a_quarter_or_to_what_is_needed(rows: int, needed: int, room: int) -> None:
    column = np.ones((rows, 2), np.int32)
    longer = grown(column, needed, -1)
    assert longer.shape == (room, 2) and longer.dtype == np.int32
    assert (longer[:rows] == 1).all() and (longer[rows:] == -1).all()
