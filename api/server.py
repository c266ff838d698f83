"""`loci serve`: how it listens, says so, and ends."""

import errno
import gc
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import uvicorn
from fastapi import FastAPI
from threadpoolctl import threadpool_limits

from config.settings import Settings
from embedded.process import few_arenas, tune
from utils.errors import ConfigurationError

GRACE = 20  # seconds that requests under way have when it is told to end


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


async def serve(app: FastAPI, settings: Settings, started: Callable[[str], None]) -> None:
    """Serves until SIGINT or SIGTERM. `started`: is told the address once it answers.

    Raises `ConfigurationError` where the address cannot be had, and what the application raises at its start.
    """
    few_arenas()
    with ExitStack() as stack:
        sockets = [stack.enter_context(one) for one in _listen(settings.host, settings.port)]
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        address = f"http://{host}:{sockets[0].getsockname()[1]}"
        config = uvicorn.Config(
            app, lifespan="off", log_level=settings.log_level.lower(), access_log=False, timeout_graceful_shutdown=GRACE
        )
        async with app.router.lifespan_context(app):  # here rather than in uvicorn, which would print a traceback
            _tune()
            handlers = {kind: signal.signal(kind, signal.SIG_IGN) for kind in (signal.SIGINT, signal.SIGTERM)}
            await _Server(config, lambda: started(address), lambda: _end_streams(app)).serve(
                sockets
            )  # raises the signal again as it ends
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
