"""A client that takes little time of its own, over one connection that is kept alive."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import orjson

from bench.speed.times import milliseconds_since


class Refused(Exception):
    """The server answered with an error."""


class Connection:
    def __init__(self, host: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._host = host
        self._reader = reader
        self._writer = writer

    async def post(self, path: str, body: dict[str, object]) -> tuple[bytes, float]:
        """The answer's JSON, and the milliseconds from the first byte sent to the last one received.

        Raises `Refused`."""
        return await self._ask("POST", path, orjson.dumps(body))

    async def get(self, path: str) -> tuple[bytes, float]:
        """As `post`."""
        return await self._ask("GET", path, b"")

    async def _ask(self, method: str, path: str, payload: bytes) -> tuple[bytes, float]:
        head = f"{method} {path} HTTP/1.1\r\nHost: {self._host}\r\nContent-Type: application/json\r\n"
        request = f"{head}Content-Length: {len(payload)}\r\n\r\n".encode() + payload
        began = time.perf_counter()
        self._writer.write(request)
        answer = await self._reader.readuntil(b"\r\n\r\n")
        content = await self._reader.readexactly(_length(answer))
        took = milliseconds_since(began)
        if not answer.startswith(b"HTTP/1.1 200"):
            raise Refused(f"{method} {path}: {answer[:40]!r} {content[:300]!r}")
        return content, took

    async def close(self) -> None:
        self._writer.close()
        await self._writer.wait_closed()


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[Connection]:
    parts = urlsplit(url)
    connection = Connection(parts.netloc, *await asyncio.open_connection(parts.hostname, parts.port))
    try:
        yield connection
    finally:
        await connection.close()


def _length(head: bytes) -> int:
    lines = (line.partition(b":") for line in head.split(b"\r\n"))
    return next(int(value) for name, _, value in lines if name.lower() == b"content-length")
