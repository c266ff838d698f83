"""`loci serve`: how it listens, says so, and ends; in one process, or in several on the same sockets."""

import asyncio
import errno
import gc
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack

import uvicorn
from fastapi import FastAPI
from threadpoolctl import threadpool_limits

from config.settings import Settings
from embedded.process import few_arenas, tune
from utils.errors import ConfigurationError

GRACE = 20  # seconds that requests under way have when it is told to end
RESTART = 1.0  # seconds after which a process that ended is started again
COMMAND = (sys.executable, "-c", "from api.command import main; main()", "serve")

log = logging.getLogger(__name__)


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, started: Callable[[], None], ending: Callable[[], None]) -> None:
        super().__init__(config)
        self._tell = started
        self._end = ending

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._tell()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._end()
        await super().shutdown(sockets)


class _Beside:
    """Processes that answer beside this one on the same sockets, as long as it does. One that ends is started anew."""

    def __init__(self, command: Sequence[str], count: int, sockets: Sequence[socket.socket]) -> None:
        self._sockets = [one.fileno() for one in sockets]
        self._command = [*command, "--listening", ",".join(map(str, self._sockets))]
        self._count = count
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        self._tasks = [asyncio.create_task(self._keep()) for _ in range(self._count)]

    async def _keep(self) -> None:
        while True:
            process = await asyncio.create_subprocess_exec(
                *self._command, stdin=asyncio.subprocess.PIPE, pass_fds=self._sockets, start_new_session=True
            )
            try:
                log.warning("a process ended with %d and is started again", await process.wait())
                await asyncio.sleep(RESTART)
            finally:
                if process.returncode is None:
                    process.terminate()
                    await process.wait()

    def end(self) -> None:
        """Tells them to stop; `ended` waits for that."""
        for task in self._tasks:
            task.cancel()

    async def ended(self) -> None:
        self.end()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def _end_with_the_first() -> None:
    """Ends this process, one of several, when the first one does, however that ends: it holds this one's input."""
    loop = asyncio.get_running_loop()

    def look() -> None:
        if not os.read(0, 1):
            loop.remove_reader(0)
            signal.raise_signal(signal.SIGTERM)

    loop.add_reader(0, look)


async def serve(
    app: FastAPI,
    settings: Settings,
    started: Callable[[str], None],
    *,
    beside: int = 0,
    options: Sequence[str] = (),
    listening: Sequence[int] = (),
) -> None:
    """Serves until SIGINT or SIGTERM. `started`: is told the address once it answers. `beside`: other processes that
    answer there, too, by `loci serve` with `options`. `listening`: in one of these, the sockets that it was given.

    Raises `ConfigurationError` where the address cannot be had, and what the application raises at its start.
    """
    few_arenas()
    with ExitStack() as stack:
        given = [socket.socket(fileno=one) for one in listening]
        sockets = [stack.enter_context(one) for one in given or _listen(settings.host, settings.port)]
        others = _Beside([*COMMAND, *options], beside, sockets)

        def tell() -> None:
            others.start()
            if listening:
                _end_with_the_first()
            else:
                started(address)

        def end() -> None:
            others.end()
            _end_streams(app)

        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        address = f"http://{host}:{sockets[0].getsockname()[1]}"
        config = uvicorn.Config(
            app, lifespan="off", log_level=settings.log_level.lower(), access_log=False, timeout_graceful_shutdown=GRACE
        )
        async with app.router.lifespan_context(app):  # here rather than in uvicorn, which would print a traceback
            _tune()
            handlers = {kind: signal.signal(kind, signal.SIG_IGN) for kind in (signal.SIGINT, signal.SIGTERM)}
            try:
                await _Server(config, tell, end).serve(sockets)  # raises the signal again as it ends
            finally:
                await others.ended()
            for kind, handler in handlers.items():
                signal.signal(kind, handler)


def _end_streams(app: FastAPI) -> None:
    app.state.mcp.end_streams()
    app.state.ending.begin()


def _tune() -> None:
    """Sets a started process up for answering. Threads that share one product of matrices wait for each other: with two
    of them, a search took several times as long on two cores that had other work too."""
    threadpool_limits(1, user_api="blas")
    gc.collect()
    tune()


def _listen(host: str, port: int) -> Iterator[socket.socket]:
    """A socket for each address of the host, so that "localhost" is all that it means."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError:
        raise ConfigurationError(f"HOST={host} is not an address of this machine") from None
    some = False
    for family, _, _, _, address in dict.fromkeys(found):
        try:
            yield socket.create_server((str(address[0]), int(address[1])), family=family)
            some = True
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise ConfigurationError(f"Port {port} of {host} is in use: set PORT to another") from None
            if error.errno == errno.EACCES:
                raise ConfigurationError(f"Port {port} may not be used by this user: set PORT to another") from None
    if not some:
        raise ConfigurationError(f"HOST={host} is not an address of this machine")
