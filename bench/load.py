"""A load generator that takes little CPU of its own: how many requests a server answers, and how fast."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

import numpy as np
import orjson

Body = Callable[[int, int], dict[str, object]]


@dataclass(frozen=True)
class Load:
    """Times in milliseconds; `rate` in requests a second."""

    requests: int
    rate: float
    p50: float
    p95: float


async def run(url: str, path: str, body: Body, *, clients: int, seconds: float) -> Load:
    """`clients` connections that each send one request after the other. `body`: of a client's n-th request."""
    times: list[float] = []
    until = time.perf_counter() + seconds
    began = time.perf_counter()
    await asyncio.gather(*(_client(url, path, body, client, until, times) for client in range(clients)))
    took = time.perf_counter() - began
    p50, p95 = np.percentile(np.array(times) * 1_000, [50, 95])
    return Load(len(times), len(times) / took, float(p50), float(p95))


async def _client(url: str, path: str, body: Body, client: int, until: float, times: list[float]) -> None:
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    n = 0
    while time.perf_counter() < until:
        payload = orjson.dumps(body(client, n))
        head = f"POST {path} HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Type: application/json\r\n"
        began = time.perf_counter()
        writer.write(f"{head}Content-Length: {len(payload)}\r\n\r\n".encode() + payload)
        answer = await reader.readuntil(b"\r\n\r\n")
        length = next(int(line[15:]) for line in answer.split(b"\r\n") if line.lower().startswith(b"content-length:"))
        content = await reader.readexactly(length)
        times.append(time.perf_counter() - began)
        if not answer.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(f"{answer[:40]!r} {content[:300]!r}")
        n += 1
    writer.close()
