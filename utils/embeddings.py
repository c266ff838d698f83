"""Embedders: texts become vectors, in this process or at a provider; a cache keeps the last ones.

Both ways promise the same: one row of length 1 a text, of a dimension that never changes, whatever the text is.
"""

import asyncio
import os
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

import numpy as np

from config.settings import Settings
from utils.circuit import CircuitBreaker
from utils.errors import ConfigurationError
from utils.text import repair
from utils.text_cache import TextCache
from utils.vectors import Floats

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from utils.encoder import Encoder, Reading

AHEAD = 3  # texts that are read ahead at a time
AHEAD_CHARACTERS = 600  # of such a text (some 20 ms) at most
LOCAL_CHUNK = 8  # texts (some 20 ms) after which a bulk lets others have the encoder


class Embedder(Protocol):
    """What turns texts into vectors; `model` and `dimensions` are recorded with every vector."""

    @property
    def model(self) -> str: ...

    @property
    def dimensions(self) -> int | None:
        """None until a provider's first answer."""

    @property
    def healthy(self) -> bool:
        """Whether the last calls came through; asks nobody."""

    async def embed(self, texts: Sequence[str]) -> Floats:
        """Vectors of length 1, shape (n, d), in the order of the texts. Raises `ModelError` where the provider failed,
        refused, or sent something that is not vectors."""


SHARED_VECTORS: TextCache[Floats] = TextCache()  # one a process: its API and its worker embed the same texts
SHARED_READINGS: "TextCache[Reading]" = TextCache(waiting=True)

os.register_at_fork(after_in_child=SHARED_READINGS.begin_anew)  # a forked child has not the threads that were making


class LocalEmbedder:
    """The packaged encoder, run on its own threads."""

    def __init__(
        self,
        encoder: "Encoder",
        *,
        model: str,
        dimensions: int,
        cache: "TextCache[Reading] | None" = None,
        ahead: bool = False,
    ) -> None:
        """`ahead`: texts may be read ahead, for whoever needs them later has the same cache."""
        self.model = model
        self.dimensions = dimensions
        self._encoder = encoder
        self.healthy = True
        self._cache = cache if cache is not None else TextCache(waiting=True)
        self._ahead = ahead
        self._reading: set[asyncio.Task[None]] = set()

    def read_ahead(self, text: str) -> None:
        """Begins to read what will be asked for, so that there is less to wait for then: short texts, and few at a
        time, for questions wait in the same line."""
        if self._ahead and len(text) <= AHEAD_CHARACTERS and len(self._reading) < AHEAD:
            task = asyncio.create_task(self._try_to_read(text))
            self._reading.add(task)
            task.add_done_callback(self._reading.discard)

    async def read_all_ahead(self, texts: Sequence[str]) -> None:
        """Reads what will be asked for; for work in the background, where a question is to find it read."""
        if self._ahead and texts:
            await self._try_to_read(*texts)

    async def _try_to_read(self, *texts: str) -> None:
        with suppress(Exception):  # whoever needs it is told
            await self.read(texts)

    async def embed(self, texts: Sequence[str]) -> Floats:
        """As `Embedder`; only a text's first 256 tokens count."""
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        return np.stack([reading.sentence for reading in await self.read(texts)])

    async def read(self, texts: Sequence[str]) -> "list[Reading]":
        """What the encoder makes of texts and their tokens, in the order of the texts."""
        repaired = [repair(text) for text in texts]
        chunks = [repaired[start : start + LOCAL_CHUNK] for start in range(0, len(texts), LOCAL_CHUNK)]
        return [reading for chunk in chunks for reading in await self._cache.fill(self.model, chunk, self._encode)]

    async def _encode(self, texts: Sequence[str]) -> "list[Reading]":
        return await asyncio.wrap_future(self._encoder.submit(texts))


def open_local_embedder(settings: Settings) -> LocalEmbedder:
    """The packaged encoder; it takes half a second the first time, then 0.1 s. Raises `ConfigurationError` where its
    package is missing."""
    from utils.encoder import DIMENSIONS, MODEL, load_encoder  # onnxruntime takes 0.2 s to import

    encoder = load_encoder(settings.loci_home)
    alone = settings.redis_url is None  # else the worker is another process
    return LocalEmbedder(encoder, model=MODEL, dimensions=DIMENSIONS, cache=SHARED_READINGS, ahead=alone)


def open_embedder(settings: Settings, client: "AsyncOpenAI | None") -> Embedder:
    """The embedder that the settings ask for. Raises `ConfigurationError` where the local encoder's package is missing,
    or a provider is set without a client."""
    if settings.local_embeddings:
        return open_local_embedder(settings)
    if client is None:
        raise ConfigurationError("Embedding at a provider needs its client")
    from utils.remote_embedder import RemoteEmbedder  # with the SDK: see utils.models

    return RemoteEmbedder(
        client,
        settings.embedding_model,
        deadline=settings.model_deadline,
        breaker=CircuitBreaker("embedding"),
        cache=SHARED_VECTORS,
    )
