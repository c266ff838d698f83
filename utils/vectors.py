"""Vectors in BSON, and their likeness.

A stored vector is a BSON binary of subtype 9 with the data type float32: two header bytes (0x27: float32; 0x00: no
padding), then little-endian floats (https://bsonspec.org/spec.html, "Vector"). The bytes are written and read here
directly: `Binary.from_vector` and `as_vector` go through Python lists and are 25 to 50 times slower.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from bson.binary import VECTOR_SUBTYPE, Binary
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float32]

HEADER = b"\x27\x00"
SHORTEST = 1e-12  # length below which a float32 vector has no direction to speak of
_STACKED = 256  # vectors joined at a time: what the cache of a core holds; all at once takes four times as long
_LITTLE_ENDIAN = np.dtype("<f4")


def to_binary(vector: ArrayLike) -> Binary:
    """A one-dimensional vector, shape (d,), as a BSON vector of float32."""
    floats = np.asarray(vector, dtype=_LITTLE_ENDIAN)
    if floats.ndim != 1:
        raise ValueError(f"a vector has one dimension, not {floats.ndim}")
    return Binary(HEADER + floats.tobytes(), VECTOR_SUBTYPE)


def from_binary(binary: bytes) -> Floats:
    """The vector in a BSON binary, shape (d,), read-only, sharing the binary's memory. Raises `ValueError` where the
    bytes are not a BSON vector of float32."""
    if not binary.startswith(HEADER) or len(binary) % 4 != 2:
        raise ValueError("not a BSON vector of float32")
    return np.frombuffer(binary, dtype=_LITTLE_ENDIAN, offset=len(HEADER)).astype(np.float32, copy=False)


def stack(binaries: Sequence[bytes], dimensions: int) -> Floats:
    """Many stored vectors as one matrix, shape (n, dimensions); (0, dimensions) for none. Raises `ValueError` where one
    of them is not a float32 vector of that many dimensions."""
    width = len(HEADER) + 4 * dimensions
    if any(len(binary) != width for binary in binaries):
        raise ValueError(f"not every vector has {dimensions} dimensions")
    matrix = np.empty((len(binaries), dimensions), dtype=_LITTLE_ENDIAN)
    octets = matrix.view(np.uint8)
    for start in range(0, len(binaries), _STACKED):
        rows = np.frombuffer(b"".join(binaries[start : start + _STACKED]), dtype=np.uint8).reshape(-1, width)
        if not (rows[:, : len(HEADER)] == np.frombuffer(HEADER, dtype=np.uint8)).all():
            raise ValueError("not every binary is a BSON vector of float32")
        octets[start : start + _STACKED] = rows[:, len(HEADER) :]
    return matrix.astype(np.float32, copy=False)


def normalised(matrix: Floats) -> Floats:
    """The rows scaled to length 1: shape (n, d); a zero row stays zero."""
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    rows: Floats = np.divide(matrix, norms, out=np.zeros_like(matrix), where=norms > 0)
    return rows


def is_usable(matrix: Floats) -> bool:
    """Whether every row is finite and has a direction: neither zero nor too long to be scaled."""
    with np.errstate(over="ignore", invalid="ignore"):
        norms = np.linalg.norm(matrix, axis=1)
    return bool(np.isfinite(norms).all() and (norms > SHORTEST).all())


def batches(sizes: Iterable[int], *, most: int, bound: int) -> list[slice]:
    """Consecutive slices of items with these sizes, each of at most `most` items and `bound` in sum.

    An item larger than the bound gets a slice of its own.
    """
    slices: list[slice] = []
    start, total, position = 0, 0, 0
    for position, size in enumerate(sizes, start=1):
        if position - 1 > start and (position - 1 - start >= most or total + size > bound):
            slices.append(slice(start, position - 1))
            start, total = position - 1, 0
        total += size
    if position > start:
        slices.append(slice(start, position))
    return slices
