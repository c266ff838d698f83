"""BM25 is what its formula says. Checked against loops."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.recall.postings import Hits, bm25, counts_in, idf, saturated

WORDS = "abcde"
texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=8), min_size=1, max_size=12)


def hits_of(rows: list[list[str]], terms: str) -> Hits:
    counts = [Counter(row) for row in rows]
    found = [
        (number, row, count[term])
        for number, term in enumerate(terms)
        for row, count in enumerate(counts)
        if count[term]
    ]
    numbers, places, often = np.array(found, np.intp).reshape(-1, 3).T
    return Hits(numbers, places, often.astype(np.float32))


def reference(
    rows: list[list[str]], question: str, lengths: list[float], mean: float, k1: float, b: float
) -> list[float]:
    scores = []
    for row, length in zip(rows, lengths, strict=True):
        score = 0.0
        for term in question:
            often = row.count(term)
            having = sum(term in other for other in rows)
            weight = math.log(1 + (len(rows) - having + 0.5) / (having + 0.5))
            score += weight * often * (k1 + 1) / (often + k1 * (1 - b + b * length / mean))
        scores.append(score)
    return scores


@given(texts, st.text(WORDS + "z", max_size=6), st.floats(0.1, 2), st.floats(0, 1))
def test_bm25_is_its_formula(rows: list[list[str]], question: str, k1: float, b: float) -> None:
    lengths = [len(row) + 1.0 for row in rows]
    mean = sum(lengths) / len(lengths)
    hits = hits_of(rows, question)
    weights = idf(hits.frequencies(len(question)), len(rows))
    scores = bm25(hits, weights, np.array(lengths, np.float32), mean, k1, b)
    assert scores.shape == (len(rows),) and scores.dtype == np.float32
    assert scores.tolist() == pytest.approx(reference(rows, question, lengths, mean, k1, b), rel=1e-4)


def test_one_score_by_hand() -> None:
    hits = Hits(np.array([0]), np.array([1]), np.array([2], np.float32))
    [weight] = idf(np.array([1], np.float32), 3)
    assert weight == pytest.approx(math.log(1 + 2.5 / 1.5))
    scores = bm25(hits, np.array([weight]), np.array([4, 8, 12], np.float32), 8.0, k1=1.0, b=0.5)
    assert scores.tolist() == pytest.approx([0, weight * 2 * 2 / 3, 0])


def test_a_term_that_all_have_still_counts_a_little() -> None:
    assert idf(np.array([5], np.float32), 5)[0] == pytest.approx(math.log(1 + 0.5 / 5.5))


def test_a_longer_row_gets_less_and_a_repeated_term_ever_less_more() -> None:
    counts = np.array([0, 1, 2, 3, 250], np.float32)
    shares = saturated(counts, np.full(5, 8, np.float32), 8.0, 0.9, 0.4)
    steps = np.diff(shares)
    assert shares[0] == 0 and shares[1] == pytest.approx(1)
    assert (steps[:3] > 0).all() and (np.diff(steps[:3]) < 0).all()
    assert shares[-1] < 1.9
    lengths = np.array([1, 8, 80], np.float32)
    assert (np.diff(saturated(np.ones(3, np.float32), lengths, 8.0, 0.9, 0.4)) < 0).all()


@given(texts, st.text(WORDS + "z", max_size=6), st.data())
def test_counts_are_those_of_the_rows_asked_for(rows: list[list[str]], question: str, data: st.DataObject) -> None:
    wanted = sorted(data.draw(st.sets(st.integers(0, len(rows) - 1), min_size=1, max_size=8)))
    counts = counts_in(hits_of(rows, question), len(question), np.array(wanted, np.intp))
    assert counts.shape == (len(question), len(wanted)) and counts.dtype == np.float32
    assert counts.tolist() == [[rows[row].count(term) for row in wanted] for term in question]


def test_no_terms_score_nothing() -> None:
    none = np.zeros(0, np.float32)
    assert idf(none, 3).shape == (0,)
    assert bm25(hits_of([], ""), none, np.ones(3, np.float32), 1.0).tolist() == [0, 0, 0]
