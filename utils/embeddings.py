"""Embedders: texts become vectors, in this process or at a provider; a cache keeps the last ones.

Both ways promise the same: one row of length 1 a text, of a dimension that never changes, whatever the text is.
"""

import asyncio
import os
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from hashlib import blake2b
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import numpy as np

from config.settings import Settings
from utils.circuit import CircuitBreaker
from utils.errors import ConfigurationError
from utils.text import repair
from utils.vectors import Floats

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from utils.encoder import Encoder, Reading

CACHED = 2048  # texts; as vectors of 1,536 dimensions 12 MB, as readings some 20
AHEAD = 3  # texts that are read ahead at a time
AHEAD_CHARACTERS = 600  # of such a text (some 20 ms) at most
LOCAL_CHUNK = 8  # texts (some 20 ms) after which a bulk lets others have the encoder

T = TypeVar("T")


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
        """Vectors of length 1, shape (n, d), in the order of the texts.

        Raises:
            ModelError: the provider failed, refused, or sent something that is not vectors.
        """


class TextCache(Generic[T]):
    """What was made of the newest texts: a chat message is embedded as a query, and again by the worker. Threads and
    their event loops may share it. `waiting`: what one is making, the others wait for; else they make it, too."""

    def __init__(self, size: int = CACHED, *, waiting: bool = False) -> None:
        self._size = size
        self._waiting = waiting
        self._lock = threading.Lock()
        self._made: OrderedDict[bytes, T] = OrderedDict()
        self._making: dict[bytes, Future[None]] = {}  # done when there is no more to wait for

    def begin_anew(self) -> None:
        """Lets go of all."""
        self._lock = threading.Lock()
        self._made.clear()
        self._making.clear()

    async def fill(
        self, space: str, texts: Sequence[str], make: Callable[[Sequence[str]], Awaitable[Sequence[T]]]
    ) -> list[T]:
        """What belongs to each text in a space; `make` makes what is missing."""
        keys = [blake2b(f"{space}\0{text}".encode(), digest_size=16).digest() for text in texts]
        named = dict(zip(keys, texts, strict=True))
        known: dict[bytes, T] = {}
        while named.keys() - known.keys():
            mine, others = self._claim(named, known)
            if mine:
                try:
                    known.update(zip(mine, await make([named[key] for key in mine]), strict=True))
                finally:
                    self._end(mine, known)
            for future in others:
                await asyncio.wrap_future(future)
        self._keep(known)
        return [known[key] for key in keys]

    def _claim(self, named: Iterable[bytes], known: dict[bytes, T]) -> tuple[list[bytes], list[Future[None]]]:
        """Takes what is made into `known`; returns what the caller is to make, and what others are making."""
        mine: list[bytes] = []
        others: list[Future[None]] = []
        with self._lock:
            for key in named:
                if key in known:
                    continue
                if key in self._made:
                    known[key] = self._made[key]
                elif key in self._making:
                    others.append(self._making[key])
                else:
                    mine.append(key)
                    if self._waiting:
                        self._making[key] = Future()
                        self._making[key].set_running_or_notify_cancel()  # who waits may be cancelled, it may not
        return mine, others

    def _end(self, mine: Sequence[bytes], known: Mapping[bytes, T]) -> None:
        """Lets those go on who wait for what was made, or could not be."""
        self._keep({key: known[key] for key in mine if key in known})
        with self._lock:
            ended = [self._making.pop(key) for key in mine if key in self._making]
        for future in ended:
            future.set_result(None)

    def _keep(self, known: Mapping[bytes, T]) -> None:
        with self._lock:
            for key, made in known.items():
                self._made[key] = made
                self._made.move_to_end(key)
            while len(self._made) > self._size:
                self._made.popitem(last=False)


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

    async def _try_to_read(self, text: str) -> None:
        with suppress(Exception):  # whoever needs it is told
            await self.read([text])

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
    """The packaged encoder; it takes half a second the first time, then 0.1 s.

    Raises:
        ConfigurationError: its package is missing.
    """
    from utils.encoder import DIMENSIONS, MODEL, load_encoder  # onnxruntime takes 0.2 s to import

    encoder = load_encoder(settings.loci_home)
    alone = settings.redis_url is None  # else the worker is another process
    return LocalEmbedder(encoder, model=MODEL, dimensions=DIMENSIONS, cache=SHARED_READINGS, ahead=alone)


def open_embedder(settings: Settings, client: "AsyncOpenAI | None") -> Embedder:
    """The embedder that the settings ask for.

    Raises:
        ConfigurationError: the local encoder's package is missing, or a provider is set without a client.
    """
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
