"""Are all rows found that have a term, however they came? Checked against counting."""

import sys
import threading
from collections import Counter, defaultdict

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.recall.postings import UNSORTED, Postings, Ragged

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
