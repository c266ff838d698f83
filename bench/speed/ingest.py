"""How fast a server takes messages in. Each is durable before its call is answered."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice

from bench.speed.connection import Connection, connected
from bench.speed.conversation import PER_SESSION
from bench.speed.floors import Floor, sqlite
from bench.speed.server import served
from bench.speed.times import Times, milliseconds_since, times

BATCH = 500
BATCHES = 20
SINGLE = 500  # calls of one message each

Body = dict[str, object]


@dataclass(frozen=True)
class Way:
    """One way of taking messages in. `free_encoder`: the worker has all else to do. `wait`: a call is answered when a
    search would find its messages."""

    name: str
    free_encoder: bool
    wait: bool = False


@dataclass(frozen=True)
class IngestRun:
    """`calls`: times of single calls of so many messages each. `rate`: messages a second."""

    way: Way
    batch: int
    calls: Times
    rate: float


DURABLE = Way("durable, encoder at no cost", free_encoder=True)
BUSY = Way("durable, the worker encoding meanwhile", free_encoder=False)
FOUND = Way("durable and searchable, encoder at no cost", free_encoder=True, wait=True)


async def measure_bulk(texts: Sequence[str]) -> tuple[list[IngestRun], Floor]:
    """Batches, each into a session of its own."""
    runs = [await _measure(way, texts, BATCH, BATCHES, BATCH) for way in (DURABLE, BUSY, FOUND)]
    return runs, sqlite(texts, BATCH, BATCHES)


async def measure_one(texts: Sequence[str]) -> tuple[list[IngestRun], Floor]:
    """One message a call, as a conversation is."""
    runs = [await _measure(way, texts, 1, SINGLE, PER_SESSION) for way in (DURABLE, BUSY)]
    return runs, sqlite(texts, 1, SINGLE)


async def _measure(way: Way, texts: Sequence[str], batch: int, calls: int, per_session: int) -> IngestRun:
    with served(free_encoder=way.free_encoder) as server:
        async with connected(server.url) as connection:
            await _send(connection, bodies("before", texts, batch, 1, per_session, wait=True))
            began = time.perf_counter()
            taken = await _send(connection, bodies("user", texts, batch, calls, per_session, wait=way.wait))
            seconds = milliseconds_since(began) / 1_000
    return IngestRun(way, batch, times(taken), batch * calls / seconds)


async def _send(connection: Connection, bodies: Iterator[Body]) -> list[float]:
    return [(await connection.post("/v1/messages", body))[1] for body in bodies]


def bodies(user: str, texts: Sequence[str], batch: int, calls: int, per_session: int, *, wait: bool) -> Iterator[Body]:
    """Requests of `POST /v1/messages`; a session takes `per_session` messages, or a batch if that is more."""
    said = cycle(texts)
    each = max(1, per_session // batch)
    for n in range(calls):
        messages = [{"role": "user", "content": text} for text in islice(said, batch)]
        yield {"user_id": user, "session_id": f"{user}-in-{n // each}", "messages": messages, "wait": wait}
