"""The parts of examples that are left out."""

import numpy as np

from bench.fit_ranker.examples import NAMES, Example, by_corpus, folds
from memory.recall.features import Pool

FOUND = [
    Example(corpus, conversation, "x", Pool(np.arange(1), {}), np.ones(1, np.float32), 1)
    for corpus, conversation in (("a", "a/1"), (NAMES, "a/1"), ("a", "a/2"), ("a", "a/3"), ("b", "b/1"), (NAMES, "b/1"))
]


def test_a_corpus_has_its_conversations_and_with_them_the_queries_for_names_of_them() -> None:
    assert by_corpus(FOUND) == [{"a/1", "a/2", "a/3"}, {"b/1"}]


def test_every_conversation_is_in_one_fold() -> None:
    assert folds(FOUND, 2) == [{"a/1", "a/3", "b/1"}, {"a/2"}]
