"""The three drivers, as the store's tests speak to a server through each of them."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from inspect import isawaitable
from pathlib import Path
from typing import Any

from motor.motor_asyncio import AsyncIOMotorClient
from pymongo import AsyncMongoClient, MongoClient

from embedded.launch import attached

DRIVERS: dict[str, Callable[..., Any]] = {
    "pymongo": MongoClient,
    "async": AsyncMongoClient,
    "motor": AsyncIOMotorClient,
}


async def settled(value: Any) -> Any:
    """The value, awaited if the driver is an asynchronous one."""
    return await value if isawaitable(value) else value


async def listed(cursor: Any) -> list[Any]:
    """All documents of any driver's cursor."""
    cursor = await settled(cursor)
    return [each async for each in cursor] if hasattr(cursor, "__aiter__") else list(cursor)


class Documents:
    """A collection of any driver: cursors come as lists, everything else is awaited."""

    def __init__(self, collection: Any) -> None:
        self.raw = collection

    async def find(self, *args: Any, **options: Any) -> list[Any]:
        return await listed(self.raw.find(*args, **options))

    async def aggregate(self, *args: Any, **options: Any) -> list[Any]:
        return await listed(self.raw.aggregate(*args, **options))

    async def list_indexes(self) -> list[Any]:
        return await listed(self.raw.list_indexes())

    async def explain(self, *args: Any, **options: Any) -> dict[str, Any]:
        return await settled(self.raw.find(*args, **options).explain())

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        method = getattr(self.raw, name)

        async def call(*args: Any, **options: Any) -> Any:
            return await settled(method(*args, **options))

        return call


class Database:
    """A fresh database of any driver."""

    def __init__(self, client: Any, name: str) -> None:
        self.client, self.name = client, name
        self.raw = client[name]

    def __getitem__(self, name: str) -> Documents:
        return Documents(self.raw[name])

    async def command(self, *args: Any, **options: Any) -> Any:
        return await settled(self.raw.command(*args, **options))

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        method = getattr(self.raw, name)

        async def call(*args: Any, **options: Any) -> Any:
            return await settled(method(*args, **options))

        return call


class kept_attached:
    """`attached` for code without an event loop: it runs in a thread of its own."""

    def __init__(self, home: Path, idle_exit: float = 2.0) -> None:
        self._home, self._idle_exit = home, idle_exit
        self._ready, self._over = threading.Event(), threading.Event()
        self._uri = ""
        self._thread = threading.Thread(target=lambda: asyncio.run(self._stay()), daemon=True)

    async def _stay(self) -> None:
        async with attached(self._home, idle_exit=self._idle_exit) as uri:
            self._uri = uri
            self._ready.set()
            await asyncio.to_thread(self._over.wait)

    def __enter__(self) -> str:
        self._thread.start()
        assert self._ready.wait(20)
        return self._uri

    def __exit__(self, *exc: object) -> None:
        self._over.set()
        self._thread.join(10)


def until(condition: Callable[[], bool], seconds: float = 10.0) -> None:
    """Poll a condition. Raises AssertionError when it does not come true in time."""
    pause = threading.Event()
    for _ in range(int(seconds / 0.02)):
        if condition():
            return
        pause.wait(0.02)
    raise AssertionError("it did not happen in time")
