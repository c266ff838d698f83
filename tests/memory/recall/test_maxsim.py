"""Is the best match of a token the best of all? Checked against loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from memory.recall.maxsim import AT_ONCE, best_matches
from memory.recall.ragged import Ragged

WIDTH = 64


def some(count: int, seed: int) -> NDArray[np.float32]:
    """Rows of length 1."""
    vectors = np.random.default_rng(seed).normal(size=(count, WIDTH))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def stored(rows: list[NDArray[np.float32]]) -> Ragged:
    tokens = Ragged(np.int8, WIDTH)
    for row in rows:
        tokens.append(np.rint(127 * row).astype(np.int8))
    return tokens


@given(st.integers(0, 5), st.lists(st.integers(0, 4), min_size=1, max_size=8), st.data())
def test_the_best_match_is_the_highest_cosine(count: int, lengths: list[int], data: st.DataObject) -> None:
    question = some(count, 0)
    rows = [some(length, 1 + number) for number, length in enumerate(lengths)]
    wanted = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=8))
    expected = [
        [max((float(token @ other) for other in rows[row]), default=0.0) for row in wanted] for token in question
    ]
    found = best_matches(question, stored(rows), np.array(wanted, np.intp))
    assert found.shape == (count, len(wanted)) and found.dtype == np.float32
    assert found == pytest.approx(np.array(expected).reshape(found.shape), abs=0.02)  # tokens are kept in a byte


def test_the_same_token_matches_wholly_and_its_opposite_not_at_all() -> None:
    [token] = some(1, 3)
    found = best_matches(token[None], stored([token[None], -token[None], token[:0].reshape(0, WIDTH)]), np.arange(3))
    assert found[0].tolist() == pytest.approx([1, -1, 0], abs=0.02)


def test_a_row_without_tokens_between_others_matches_nothing() -> None:
    rows = [some(0, 0), some(2, 1), some(0, 0), some(0, 0), some(3, 2), some(0, 0)]
    found = best_matches(some(2, 9), stored(rows), np.arange(6))
    assert (found[:, [0, 2, 3, 5]] == 0).all()
    assert (found[:, [1, 4]] != 0).all()


@pytest.mark.parametrize("rows", [[], [0]])
def test_without_tokens_on_either_side_there_is_no_match(rows: list[int]) -> None:
    where = np.array(rows, np.intp)
    assert best_matches(some(0, 0), stored([some(1, 1)]), where).shape == (0, len(rows))
    assert best_matches(some(2, 0), stored([some(0, 1)]), where).tolist() == [[0.0] * len(rows)] * 2


def test_more_tokens_than_are_multiplied_at_once_give_the_same() -> None:
    question, rows = some(3, 0), [some(40, 1 + number) for number in range(2 * AT_ONCE // 40)]
    expected = np.array([(question @ row.T).max(1) for row in rows]).T
    found = best_matches(question, stored(rows), np.arange(len(rows)))
    assert found == pytest.approx(expected, abs=0.02)
