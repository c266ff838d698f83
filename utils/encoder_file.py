"""The file in which the encoder's package carries its model.

One file holds tokenizer and weights, little-endian and without alignment: a header, the pieces of the vocabulary with
their scores, how characters are normalised, a directory of tensors, and the tensors. Matrices are in 4 bits, in blocks
of 32 inputs: a scale in half precision and 16 bytes, each with input j in its low and input j + 16 in its high half, 8
more than its value in scales (the format that ggml calls Q4_0). All else is float32.
"""

import os
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from utils.errors import ConfigurationError
from utils.vectors import Floats

BLOCK = 32  # inputs of a block
MAGIC = b"E5S1"
WORDS = "emb.word"  # the tensor of the embeddings of pieces
REMEMBERED = 4_096  # of these, of 216 bytes each
IN_FOUR_BITS = 1  # the type of a tensor; 0 is float32

_BLOCK_BYTES = 2 + BLOCK // 2
_HEADER = struct.Struct("<4sI7ifi")
_VOCABULARY = struct.Struct("<5iQ")
_ENTRY = struct.Struct("<BIQQ")


@dataclass(frozen=True)
class Shape:
    """`layers` of `heads` heads, `width` wide; `inner`: of the layer within; `epsilon`: of the normalisation."""

    width: int
    layers: int
    heads: int
    inner: int
    epsilon: float


@dataclass(frozen=True)
class Pieces:
    """The vocabulary. Piece i is `text[bounds[i]:bounds[i + 1]]` in UTF-8, `scores[i]` its logarithmic likelihood. The
    first four are special: a text's beginning, padding, its end, and what is unknown. `normal`: what characters are
    read as, by their numbers."""

    text: bytes
    bounds: NDArray[np.uint32]
    scores: Floats
    normal: dict[int, str]

    def __len__(self) -> int:
        return len(self.scores)


class EncoderFile:
    """The file. What is not asked for is not read, and nothing of it stays mapped: pages that were read once would
    count as the process's memory."""

    def __init__(self, path: Path) -> None:
        """Raises `ConfigurationError` where it is none of the kind."""
        self._path = path
        try:
            with path.open("rb") as file:
                magic, _, width, layers, heads, inner, _, _, _, epsilon, block = _HEADER.unpack(file.read(_HEADER.size))
        except (OSError, struct.error):
            magic, block = b"", 0
        if magic != MAGIC or block != BLOCK:
            raise self._refused()
        self.shape = Shape(width, layers, heads, inner, epsilon)
        self._file = path.open("rb")  # for as long as the encoder lives
        self._word = lru_cache(REMEMBERED)(self._read_word)

    @cached_property
    def pieces(self) -> Pieces:
        """The vocabulary."""
        return self._parsed[0]

    def words(self, numbers: Sequence[int]) -> Floats:
        """The embeddings of pieces by their numbers, (n, width)."""
        raw = np.frombuffer(b"".join(map(self._word, numbers)), np.uint8)
        return unpacked(raw.reshape(len(numbers), -1, _BLOCK_BYTES))

    def _read_word(self, number: int) -> bytes:
        size = self.shape.width // BLOCK * _BLOCK_BYTES
        return os.pread(self._file.fileno(), size, self._directory[WORDS][1] + number * size)

    def tensor(self, name: str) -> Floats:
        """A matrix, (outputs, inputs), or a vector, in float32."""
        kind, start, end = self._directory[name]
        raw = self._mapped()[start:end]
        if kind != IN_FOUR_BITS:
            plain: Floats = raw.view("<f4").astype(np.float32)
            return plain.reshape(-1, self.shape.width) if name in ("emb.pos", "emb.type") else plain
        inputs = self.shape.inner if name.split(".")[1] == "fo" else self.shape.width
        return unpacked(raw.reshape(-1, inputs // BLOCK, _BLOCK_BYTES))

    @property
    def names(self) -> list[str]:
        """Of all tensors."""
        return list(self._directory)

    @property
    def _directory(self) -> dict[str, tuple[int, int, int]]:
        return self._parsed[1]

    def _refused(self) -> ConfigurationError:
        return ConfigurationError(f"The encoder's package does not carry the model it should: {self._path.name}")

    @cached_property
    def _parsed(self) -> tuple[Pieces, dict[str, tuple[int, int, int]]]:
        try:
            pieces, directory = self._parse()
        except (ValueError, struct.error):  # cut short
            raise self._refused() from None
        if max(end for _, _, end in directory.values()) > self._path.stat().st_size:
            raise self._refused()
        return pieces, directory

    def _parse(self) -> tuple[Pieces, dict[str, tuple[int, int, int]]]:
        raw = self._mapped()
        count, _, _, _, _, length = _VOCABULARY.unpack_from(raw.data, at := _HEADER.size)
        bounds = raw[(at := at + _VOCABULARY.size) : at + 4 * (count + 1)].view("<u4")
        scores = raw[(at := at + 4 * (count + 1)) : at + 4 * count].view("<f4")
        text = raw[(at := at + 4 * count) : at + length].tobytes()
        normal, at = _normalisation(raw, at + length)
        directory, (tensors,) = {}, struct.unpack_from("<i", raw.data, at)
        at += 4
        for _ in range(tensors):
            (named,) = struct.unpack_from("<H", raw.data, at)
            name = raw[at + 2 : at + 2 + named].tobytes().decode()
            kind, _, start, size = _ENTRY.unpack_from(raw.data, at := at + 2 + named)
            directory[name] = (kind, start, start + size)
            at += _ENTRY.size
        return Pieces(text, bounds.astype(np.uint32), scores.astype(np.float32), normal), directory

    def _mapped(self) -> NDArray[np.uint8]:
        return np.memmap(self._path, np.uint8, "r").view(np.ndarray)  # of which single numbers are read faster


def unpacked(blocks: NDArray[np.uint8]) -> Floats:
    """The numbers of blocks, (…, blocks, 18) of bytes, as (…, 32 · blocks) of float32."""
    scales = np.ascontiguousarray(blocks[..., :2]).view("<f2").astype(np.float32)
    halves = blocks[..., 2:]
    values = np.concatenate([halves & 15, halves >> 4], axis=-1).astype(np.float32) - 8
    return (values * scales).reshape(*blocks.shape[:-2], -1)


def _normalisation(raw: NDArray[np.uint8], at: int) -> tuple[dict[int, str], int]:
    """What characters are read as, and where that ends."""
    count, size = struct.unpack_from("<iI", raw.data, at)
    at += 8
    numbers, end, normal = raw[at : at + size].tobytes(), at + size, {}
    place = 0
    for _ in range(count):
        character, length = struct.unpack_from("<IB", numbers, place)
        normal[character] = "".join(map(chr, struct.unpack_from(f"<{length}I", numbers, place := place + 5)))
        place += 4 * length
    return normal, end
