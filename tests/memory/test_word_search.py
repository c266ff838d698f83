"""Recall by words: scores as a loop over the texts gives them."""

import math
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from config.recipes import OBSERVATIONS, Recipe
from memory.imprint import worded
from memory.index import WORDS, UserIndex
from memory.ranking import Scope
from memory.word_search import query_terms, ranked
from tests.conversations import START
from utils.text import content_stems, stem, words

EVERY = Scope(kinds=None)
text = st.lists(st.sampled_from(["dog", "dogs", "cat", "apple", "the", "barking", "mill's"]), max_size=8).map(" ".join)


def index_of(texts: list[str], kind: str = "finding") -> UserIndex:
    index = UserIndex(WORDS, 0)
    index.put(
        [
            {"_id": str(n), "timestamp": START, "session_id": "", "kind": kind, "role": kind, "recall": worded(one)}
            for n, one in enumerate(texts)
        ]
    )
    return index


def expected(texts: list[str], query: str, recipe: Recipe) -> dict[int, float]:
    """Robertson's formula with Lucene's idf, text by text; then s / (1 + s)."""
    documents = [Counter(map(stem, words(one))) for one in texts]
    mean = max(1, sum(document.total() for document in documents) / len(documents))
    scores: dict[int, float] = {}
    for row, document in enumerate(documents):
        score = 0.0
        for term in set(content_stems(query) or map(stem, words(query))):
            having = sum(term in one for one in documents)
            rarity = math.log(1 + (len(documents) - having + 0.5) / (having + 0.5))
            length = 1 - recipe.b + recipe.b * document.total() / mean
            score += rarity * document[term] * (recipe.k1 + 1) / (document[term] + recipe.k1 * length)
        if score > 0:
            scores[row] = score / (1 + score)
    return scores


@settings(max_examples=150, deadline=None)
@given(st.lists(text, min_size=1, max_size=12), text)
def test_scores_are_bm25s_and_fall_along_the_list(texts: list[str], query: str) -> None:
    found = ranked(index_of(texts), query_terms(query), OBSERVATIONS, EVERY)
    assert dict(found) == pytest.approx(expected(texts, query, OBSERVATIONS), rel=1e-4)
    scores = [score for _, score in found]
    assert scores == sorted(scores, reverse=True) and all(0 < score < 1 for score in scores)


@settings(max_examples=50, deadline=None)
@given(st.lists(text, min_size=1, max_size=12), text, st.sets(st.integers(0, 11)))
def test_what_was_deleted_counts_for_nothing(texts: list[str], query: str, gone: set[int]) -> None:
    index = index_of(texts)
    index.drop(map(str, gone))
    left = [one for n, one in enumerate(texts) if n not in gone]
    found = [score for _, score in ranked(index, query_terms(query), OBSERVATIONS, EVERY)]
    scores = expected(left, query, OBSERVATIONS).values() if left else []
    assert found == pytest.approx(sorted(scores, reverse=True), rel=1e-4)


def test_a_score_is_higher_above_one_than_below_it() -> None:
    """The document's own formula gives 1.0 → 1.0 and 1.01 → 0.50."""
    texts = ["heron", "heron heron heron", *[f"other {n}" for n in range(200)]]
    (first, high), (second, low) = ranked(index_of(texts), query_terms("heron"), OBSERVATIONS, EVERY)
    assert (first, second) == (1, 0) and 0.5 < low < high < 1


def test_equal_ones_come_newest_first_and_then_by_id() -> None:
    index = UserIndex(WORDS, 0)
    one = {"session_id": "", "kind": "finding", "role": "finding", "recall": worded("heron")}
    index.put([one | {"_id": name, "timestamp": START} for name in ("b", "a")])
    index.put([one | {"_id": "c", "timestamp": START.replace(year=2026)}])
    found = ranked(index, query_terms("heron"), OBSERVATIONS, EVERY)
    assert [index.ids[row] for row, _ in found] == ["c", "a", "b"]


def test_a_query_of_stop_words_alone_looks_for_them() -> None:
    index = index_of(["to be or not", "mill"])
    assert [row for row, _ in ranked(index, query_terms("to be"), OBSERVATIONS, EVERY)] == [0]


def test_nothing_is_found_in_nothing_or_by_nothing() -> None:
    assert ranked(UserIndex(WORDS, 0), query_terms("heron"), OBSERVATIONS, EVERY) == []
    assert ranked(index_of(["heron"]), query_terms("?!"), OBSERVATIONS, EVERY) == []
    assert ranked(index_of(["", "?"]), query_terms("heron"), OBSERVATIONS, EVERY) == []
