"""The server's life: it listens, sweeps, notices that nobody is there, and goes.

Documents are served on 127.0.0.1 only. `<home>/store` holds `data.db`, the lock that a running server keeps, the state
file that says where it listens, and the log.
"""

import asyncio
import contextlib
import fcntl
import json
import logging
import os
import signal
import socket
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from embedded.connection import Connection
from embedded.dispatch import Dispatcher, deliver
from embedded.process import give_back, keep_small, tune
from embedded.room import told
from embedded.schema import FileRefused
from embedded.starting import HOST, AlreadyRunning, StoreStartError
from embedded.store import Store
from embedded.sweeping import SECONDS, sweeps
from embedded.waiting import seconds_to_wait, told_state
from embedded.writer import Job

logger = logging.getLogger(__name__)

# Below the range that systems give to outgoing connections, so that no client takes the port while the server restarts.
FIRST_PORT, PORTS = 21_000, 8_000
_POLL_SECONDS = 0.1


def serve(home: Path, port: int = 0, idle_exit: float | None = None) -> None:
    """Serve the store of `home` until SIGTERM or SIGINT, or until nobody was connected for `idle_exit` seconds.

    Without `idle_exit`, which a server has that others started for themselves, one of those is waited for that is about
    to end. `port` 0 takes the one used before, or else a free one. Raises StoreStartError.
    """
    folder = home / "store"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise StoreStartError(f"{folder} cannot be made: {error.strerror}") from error
    with _locked(folder, patient=idle_exit is None), contextlib.closing(_listen(folder, port)) as listener:
        os.environ["SQLITE_TMPDIR"] = str(folder)  # what is written beside the file stays as private as the file
        keep_small()
        tune()
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            runner.run(_serve(folder, listener, idle_exit))


async def _serve(folder: Path, listener: socket.socket, idle_exit: float | None) -> None:
    loop = asyncio.get_running_loop()
    try:
        store = Store(folder / "data.db", deliver=lambda jobs: _hand_over(loop, jobs))
    except FileRefused as error:
        raise StoreStartError(str(error)) from error
    dispatcher = Dispatcher(store, loop)
    connections: set[Connection] = set()
    idle_since = loop.time()

    def changed(connection: Connection, made: bool) -> None:
        nonlocal idle_since
        (connections.add if made else connections.discard)(connection)
        idle_since = loop.time()

    server = await loop.create_server(lambda: Connection(dispatcher, changed), sock=listener, backlog=512)
    port = listener.getsockname()[1]
    _write_state(folder, port, idle_exit)
    logger.info("serving %s on %s:%d", folder, HOST, port)
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    sweeper = asyncio.create_task(_sweep_forever(store))
    pause = None if idle_exit is None else max(0.05, min(1.0, idle_exit / 4))
    try:
        while not stopped.is_set():
            if idle_exit is not None and not connections and loop.time() - idle_since >= idle_exit:
                logger.info("nobody was connected for %g seconds", idle_exit)
                break
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stopped.wait(), pause)
    finally:
        sweeper.cancel()
        (folder / "store.json").unlink(missing_ok=True)
        server.close()
        for connection in list(connections):
            connection.close()
        await asyncio.sleep(0)
        dispatcher.close()
        store.close()
        logger.info("stopped")


def _hand_over(loop: asyncio.AbstractEventLoop, jobs: list[Job]) -> None:
    with contextlib.suppress(RuntimeError):  # the loop is closed: nobody is there to be told
        loop.call_soon_threadsafe(deliver, jobs)


async def _sweep_forever(store: Store) -> None:
    while True:
        await asyncio.sleep(SECONDS)
        try:
            await _sweep(store)
        except Exception:
            logger.exception("a sweep failed; the next one comes in a minute")


async def _sweep(store: Store) -> None:
    store.cursors.expire()
    store.activity.forget_gone(store.catalog)
    give_back()
    for run in sweeps(store.catalog):
        more = True
        while more:
            more = await _written(store, run) == b"more"


async def _written(store: Store, run: Callable[..., bytes]) -> bytes:
    outcome: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
    store.writer.put(Job(run, lambda result: outcome.set_result(result if isinstance(result, bytes) else b"failed")))
    return await outcome


@contextlib.contextmanager
def _locked(folder: Path, *, patient: bool) -> Iterator[None]:
    """Hold the lock for as long as the server lives; the kernel frees it however the process ends."""
    with _opened(folder) as file:
        until: float | None = None
        while (taken := _refused(file)) is not None:
            if until is None:
                until = time.monotonic() + (_told_wait(folder) if patient else 0.0)
            if time.monotonic() >= until:
                raise AlreadyRunning(f"another server has {folder}{_told_address(folder)}") from taken
            time.sleep(_POLL_SECONDS)
        yield


def _opened(folder: Path) -> IO[str]:
    """The file that is locked. Raises StoreStartError."""
    try:
        return (folder / "lock").open("a+")
    except OSError as error:
        raise StoreStartError(told(folder, error)) from error


def _refused(file: IO[str]) -> OSError | None:
    """Takes the lock; why not, where another has it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error
    return None


def _told_wait(folder: Path) -> float:
    """How many seconds the server that has the files is waited for, which is logged."""
    seconds = seconds_to_wait(folder)
    if seconds:
        logger.info("another server has %s, and ends when nobody needs it: waiting %g seconds at most", folder, seconds)
    return seconds


def _told_address(folder: Path) -> str:
    """Where the server that has the files says it listens."""
    port = told_state(folder).get("port")
    return f" and listens at mongodb://{HOST}:{port}" if isinstance(port, int) else ""


def _listen(folder: Path, port: int) -> socket.socket:
    """A listening socket on the wanted port, or, for 0, on the last one used or a free one."""
    if port:
        listener = _bind(port)
        if listener is None:
            raise StoreStartError(f"port {port} of {HOST} is in use")
        _remember_port(folder, port)
        return listener
    start = zlib.crc32(str(folder.resolve()).encode()) % PORTS
    wanted = [FIRST_PORT + (start + offset) % PORTS for offset in range(200)]
    for candidate in (*_last_port(folder), *wanted):
        listener = _bind(candidate)
        if listener is not None:
            _remember_port(folder, candidate)
            return listener
    raise StoreStartError(f"no free port on {HOST} between {FIRST_PORT} and {FIRST_PORT + PORTS}")


def _bind(port: int) -> socket.socket | None:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen(512)
    except OSError:
        listener.close()
        return None
    listener.setblocking(False)
    return listener


def _last_port(folder: Path) -> list[int]:
    try:
        return [int((folder / "port").read_text())]
    except (OSError, ValueError):
        return []


def _remember_port(folder: Path, port: int) -> None:
    if _last_port(folder) != [port]:
        _replace(folder / "port", str(port))


def _write_state(folder: Path, port: int, idle_exit: float | None) -> None:
    state = {"pid": os.getpid(), "port": port, "started": time.time(), "idle_exit": idle_exit}
    _replace(folder / "store.json", json.dumps(state))


def _replace(path: Path, text: str) -> None:
    """Write a file whole or not at all. Raises StoreStartError."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_text(text)
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise StoreStartError(told(path, error)) from error


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop
