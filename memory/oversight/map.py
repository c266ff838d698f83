"""The map: a user's memories in two dimensions, by what their embeddings say."""

import asyncio
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from memory.store import Collections
from utils.vectors import Floats, normalised, stack

MOST = 2_000  # memories on a map, the newest: some 50 ms
EXCERPT = 200  # characters of each


@dataclass(frozen=True)
class Spot:
    """A memory on the map. `x`, `y`: in -1..1. `key`: its `_id` in `vectors`."""

    key: str
    x: float
    y: float
    kind: str
    session_id: str | None
    timestamp: datetime
    text: str


@dataclass(frozen=True)
class Map:
    """`share`: of all that the embeddings differ by, how much the map shows, 0..1."""

    spots: tuple[Spot, ...]
    share: float


def projected(matrix: Floats) -> tuple[Floats, float]:
    """Vectors, (n, d), by their first two principal components, (n, 2) in -1..1, and the share of the variance that
    these have, 0..1. The same for the same vectors: of each component the largest entry is positive."""
    centred = normalised(matrix) - normalised(matrix).mean(axis=0)
    _, spread, axes = np.linalg.svd(centred.astype(np.float64), full_matrices=False)
    axes = axes[:2]
    signs = np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])
    placed = centred @ (axes * signs[:, None]).T
    placed = np.pad(placed, ((0, 0), (0, 2 - placed.shape[1])))
    widest = np.abs(placed).max(initial=0.0)
    variance = spread**2
    share = float(variance[:2].sum() / variance.sum()) if variance.sum() > 0 else 0.0
    return (placed / widest if widest > 0 else placed).astype(np.float32), share


class Cartographer:
    """`model`: the embedding model in use; vectors of others lie elsewhere."""

    def __init__(self, collections: Collections, model: str) -> None:
        self._vectors = collections.vectors
        self._model = model

    async def map_of(self, owner: str) -> Map:
        """The owner's newest memories, as far as they are embedded."""
        read = {"embedding": 1, "kind": 1, "session_id": 1, "timestamp": 1}
        read["content"] = {"$substrCP": ["$content", 0, EXCERPT]}  # type: ignore[assignment]
        wanted = {"user_id": owner, "embedding_model": self._model}
        newest = self._vectors.find(wanted, read).sort([("timestamp", -1), ("_id", -1)]).limit(MOST)
        documents = [each for each in await newest.to_list(None) if isinstance(each.get("embedding"), bytes)]
        if len(documents) < 2:
            return Map((), 0.0)
        width = max(len(each["embedding"]) for each in documents)
        documents = [each for each in documents if len(each["embedding"]) == width]
        matrix = stack([each["embedding"] for each in documents], (width - 2) // 4)
        placed, share = await asyncio.to_thread(projected, matrix)
        spots = tuple(
            Spot(
                each["_id"],
                round(float(x), 4),
                round(float(y), 4),
                each["kind"],
                each.get("session_id"),
                each["timestamp"],
                each["content"],
            )
            for each, (x, y) in zip(documents, placed, strict=True)
        )
        return Map(spots, share)
