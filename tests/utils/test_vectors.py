"""Vectors survive BSON, and similarity means what it says."""

import numpy as np
import pytest
from bson import decode, encode
from bson.binary import Binary, BinaryVectorDtype
from hypothesis import given
from hypothesis import strategies as st

from utils.vectors import batches, from_binary, is_usable, normalised, stack, to_binary


def test_a_vector_is_stored_as_bson_knows_it() -> None:
    vector = np.random.default_rng(1).standard_normal(384).astype(np.float32)
    binary = to_binary(vector)
    assert binary == Binary.from_vector(vector.tolist(), BinaryVectorDtype.FLOAT32)
    assert binary.as_vector().data == pytest.approx(vector.tolist())
    assert np.array_equal(from_binary(decode(encode({"v": binary}))["v"]), vector)


def test_many_vectors_come_back_as_one_matrix() -> None:
    matrix = np.random.default_rng(2).standard_normal((600, 8)).astype(np.float32)
    assert np.array_equal(stack([to_binary(row) for row in matrix], 8), matrix)
    assert stack([], 8).shape == (0, 8)


@pytest.mark.parametrize("bad", [b"", b"\x27\x00abc", b"\x03\x00abcd", b"\x27\x05abcd", b"\x27\x00" + bytes(12)])
def test_other_bytes_are_refused(bad: bytes) -> None:
    with pytest.raises(ValueError, match=r"vector|dimensions"):
        stack([to_binary([1.0, 2.0]), bad], 2)


def test_a_matrix_is_not_a_vector() -> None:
    with pytest.raises(ValueError, match="one dimension"):
        to_binary(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="not a BSON vector"):
        from_binary(b"\x03\x00abcd")


def test_rows_are_scaled_to_length_one_and_a_zero_row_stays() -> None:
    assert normalised(np.array([[3, 4], [0, 0]], dtype=np.float32)) == pytest.approx(np.array([[0.6, 0.8], [0, 0]]))


@pytest.mark.parametrize("bad", [np.nan, np.inf, 0.0, 1e-30, 3e38])
def test_a_row_without_a_direction_is_not_usable(bad: float) -> None:
    assert is_usable(np.ones((2, 3), dtype=np.float32))
    assert not is_usable(np.array([[1, 1], [bad, bad]], dtype=np.float32))


@given(st.lists(st.integers(0, 50)), st.integers(1, 5), st.integers(1, 100))
def test_batches_cover_everything_once_within_both_bounds(sizes: list[int], most: int, bound: int) -> None:
    slices = batches(sizes, most=most, bound=bound)
    assert [size for part in slices for size in sizes[part]] == sizes
    for part in slices:
        assert 0 < len(sizes[part]) <= most
        assert sum(sizes[part]) <= bound or len(sizes[part]) == 1
