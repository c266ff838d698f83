"""The launcher: joins the server of a home directory's store, or starts it.

The server is a process of its own and may be shared by many. Whoever is attached keeps a connection to it; when that
drops, because the server was killed, it is started again on the same port, where every client finds it by itself.
"""

import asyncio
import contextlib
import json
import logging
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import bson

from embedded.room import check_room, told
from embedded.starting import EXIT_ALREADY_RUNNING, HOST, StoreStartError
from embedded.wire import message_length, request_message

__all__ = ["StoreStartError", "attached"]

logger = logging.getLogger(__name__)

START_SECONDS = 15.0
PING_SECONDS = 2.0
MAX_LOG = 10_000_000
_POLL_SECONDS = 0.02
_PACKAGES = Path(__file__).resolve().parent.parent


class Server(subprocess.Popen[bytes]):
    """A server that is meant to outlive its starter, which `Popen` would warn of."""

    def __del__(self) -> None:
        pass


_started: list[Server] = []


@dataclass(slots=True)
class Attachment:
    """The connection that tells whether the server lives."""

    port: int
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


@contextlib.asynccontextmanager
async def attached(home: Path, *, idle_exit: float = 10.0) -> AsyncIterator[str]:
    """Start or join the store of `home`; its URI, which stays valid even if the server is killed meanwhile.

    The server ends by itself `idle_exit` seconds after its last client. Raises StoreStartError.
    """
    home = Path(os.path.abspath(home))  # noqa: ASYNC240, PTH100
    attachment = await _attach(home, 0, idle_exit)
    keeper = asyncio.create_task(_keep(home, attachment, idle_exit))
    try:
        yield f"mongodb://{HOST}:{attachment.port}/?directConnection=true"
    finally:
        keeper.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await keeper
        await _hang_up(attachment)


async def _keep(home: Path, attachment: Attachment, idle_exit: float) -> None:
    """Bring the server back on its port whenever the connection drops."""
    while True:
        with contextlib.suppress(OSError):
            await attachment.reader.read(1)
        await _hang_up(attachment)
        logger.warning("the built-in store went away; starting it again")
        while True:
            try:
                fresh = await _attach(home, attachment.port, idle_exit)
                break
            except StoreStartError as error:
                logger.error("the built-in store does not start: %s", error)
                await asyncio.sleep(1.0)
        attachment.reader, attachment.writer = fresh.reader, fresh.writer


async def _attach(home: Path, port: int, idle_exit: float) -> Attachment:
    """Join, and start for as long as there is none to join. `port` 0: any."""
    folder = home / "store"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise StoreStartError(f"{folder} cannot be made: {error.strerror}") from error
    until = time.monotonic() + START_SECONDS
    child: Server | None = None
    while True:
        attachment = await _join(folder)
        if attachment is not None and port in (0, attachment.port):
            return attachment
        if attachment is not None:
            await _hang_up(attachment)
            raise StoreStartError(f"the store of {home} has moved to port {attachment.port}")
        if child is None or child.poll() == EXIT_ALREADY_RUNNING:
            child = _started_on(folder, home, port, idle_exit)
        elif child.poll() is not None and child.returncode != 0:
            raise StoreStartError(_reason(folder, child))
        elif child.poll() == 0:
            child = None
        if time.monotonic() > until:
            raise StoreStartError(f"the store of {home} did not answer within {START_SECONDS:g} seconds")
        await asyncio.sleep(_POLL_SECONDS)


async def _join(folder: Path) -> Attachment | None:
    """A connection to the server that the state file names, if it answers a ping."""
    try:
        state = json.loads((folder / "store.json").read_text())
        port, pid = int(state["port"]), int(state["pid"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    try:
        async with asyncio.timeout(PING_SECONDS):
            reader, writer = await asyncio.open_connection(HOST, port)
            attachment = Attachment(port, reader, writer)
            try:
                if await _asks_pid(attachment) == pid:
                    return attachment
            except (ValueError, asyncio.IncompleteReadError):
                pass
            await _hang_up(attachment)
    except (OSError, TimeoutError):
        pass
    return None


async def _asks_pid(attachment: Attachment) -> int | None:
    """The process id that answers, so that a server of another home on the same port is not taken for ours."""
    attachment.writer.write(request_message(1, bson.encode({"serverStatus": 1, "$db": "admin"})))
    await attachment.writer.drain()
    head = await attachment.reader.readexactly(21)
    body = await attachment.reader.readexactly(message_length(head) - 21)
    pid = bson.decode(body).get("pid")
    return pid if isinstance(pid, int) else None


async def _hang_up(attachment: Attachment) -> None:
    attachment.writer.close()
    with contextlib.suppress(OSError):
        await attachment.writer.wait_closed()


def _started_on(folder: Path, home: Path, port: int, idle_exit: float) -> Server:
    """A server that has been started. Raises StoreStartError where nothing can be written in its folder."""
    try:
        return _spawn(home, port, idle_exit)
    except OSError as error:
        raise StoreStartError(told(folder, error)) from error


def _spawn(home: Path, port: int, idle_exit: float) -> Server:
    """Start the server in a session of its own, so that it outlives a Ctrl-C of its starter."""
    _started[:] = [child for child in _started if child.poll() is None]  # reaps what has ended
    path = os.pathsep.join(filter(None, (str(_PACKAGES), os.environ.get("PYTHONPATH"))))
    command = [
        sys.executable,
        "-m",
        "embedded",
        "--home",
        str(home),
        "--port",
        str(port),
        "--idle-exit",
        str(idle_exit),
    ]
    path_of_log = home / "store" / "log"
    if path_of_log.exists() and path_of_log.stat().st_size > MAX_LOG:
        path_of_log.replace(path_of_log.with_name("log.1"))
    with path_of_log.open("ab") as log:
        child = Server(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            env={**os.environ, "PYTHONPATH": path},
            start_new_session=True,
        )
    _started.append(child)
    return child


def _reason(folder: Path, child: Server) -> str:
    """What the log says of the process that failed."""
    lines = (folder / "log").read_text(errors="replace").splitlines()[-50:]
    mark = f" {child.pid} ERROR "
    for line in reversed(lines):
        if mark in line:
            return line.split(mark, 1)[1]
    try:
        check_room(folder)  # without room, the log could not be written
    except OSError as error:
        return told(folder, error)
    return f"the server ended with status {child.returncode}; see {folder / 'log'}"
