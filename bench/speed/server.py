"""What is measured: Loci as its users run it, an API process with its worker, and the built-in store beside it."""

import contextlib
import os
import select
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from pymongo import MongoClient
from pymongo.synchronous.database import Database

from bench.speed.resident import resident
from config.settings import Settings
from utils.mongo import Document

START_SECONDS = 60.0
STOP_SECONDS = 60.0
IDLE_SECONDS = 60.0  # after which the store of a run that was killed ends by itself
ROOT = Path(__file__).resolve().parent.parent.parent


class NotStarted(Exception):
    """A process of the server ended, or did not answer in time."""


@dataclass(frozen=True)
class Resident:
    """MB."""

    api: float
    store: float


class Server:
    """Two processes over a directory of their own, at free ports of 127.0.0.1, under default settings but for some."""

    def __init__(self, home: Path, *, free_encoder: bool, **settings: str) -> None:
        self._settings = settings
        self._home = home
        self._app = ["-m", "bench.speed.app", *(["--free-encoder"] if free_encoder else [])]
        self._log: IO[bytes] = (home / "log").open("ab")
        self._running: list[subprocess.Popen[bytes]] = []
        self._store_port = 0
        self.url = ""

    @property
    def processes(self) -> list[int]:
        """The ids of the two."""
        return [process.pid for process in self._running]

    @property
    def resident(self) -> Resident:
        store, api = (resident(process.pid) for process in self._running)
        return Resident(api, store)

    @contextlib.contextmanager
    def database(self) -> Iterator[Database[Document]]:
        with MongoClient[Document](self._uri, tz_aware=True) as client:
            yield client["loci"]

    def start(self) -> None:
        """Returns when it answers. Raises `NotStarted`."""
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self._store_port = probe.getsockname()[1]
        store = ["-m", "embedded", "--home", str(self._home), "--port", str(self._store_port)]
        # In a session of its own it outlives a Ctrl-C, and the API can end well.
        self._spawn([*store, "--idle-exit", str(IDLE_SECONDS)], start_new_session=True)
        until = time.monotonic() + START_SECONDS
        while not self._store_answers():
            if time.monotonic() > until or self._running[0].poll() is not None:
                raise NotStarted(self._said())
            time.sleep(0.01)
        self.url = self._first_line(self._spawn(self._app, stdout=subprocess.PIPE))

    def stop(self) -> None:
        """Returns when both have ended, the API first."""
        while self._running:
            process = self._running.pop()
            process.terminate()
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.stdout is not None:
                process.stdout.close()

    def restart(self) -> None:
        self.stop()
        self.start()

    @property
    def _uri(self) -> str:
        return f"mongodb://127.0.0.1:{self._store_port}/?directConnection=true"

    def _spawn(
        self, arguments: list[str], *, stdout: int | None = None, start_new_session: bool = False
    ) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, *arguments],
            env=_environment(MONGODB_URI=self._uri, LOCI_HOME=str(self._home), PORT="0", **self._settings),
            cwd=self._home,  # where no .env lies
            stdout=self._log if stdout is None else stdout,
            stderr=self._log,
            start_new_session=start_new_session,
        )
        self._running.append(process)
        return process

    def _store_answers(self) -> bool:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self._store_port)):
            return True
        return False

    def _first_line(self, process: subprocess.Popen[bytes]) -> str:
        if process.stdout is None or not select.select([process.stdout], [], [], START_SECONDS)[0]:
            raise NotStarted("the API did not answer in time")
        line = process.stdout.readline().decode().strip()
        if not line:
            raise NotStarted(self._said())
        return line

    def _said(self) -> str:
        return (self._home / "log").read_text(errors="replace")[-2_000:]


@contextlib.contextmanager
def served(*, free_encoder: bool = False, **settings: str) -> Iterator[Server]:
    """A started server over a temporary directory, which goes with it. `settings`: others than the default, by name."""
    with tempfile.TemporaryDirectory(prefix="loci-speed-") as home:
        server = Server(Path(home), free_encoder=free_encoder, **settings)
        try:
            server.start()
            yield server
        finally:
            server.stop()


def _environment(**settings: str) -> dict[str, str]:
    """This process's environment with these settings of Loci and no others."""
    own = {name.upper() for name in Settings.model_fields}
    kept = {name: value for name, value in os.environ.items() if name.upper() not in own}
    return kept | settings | {"PYTHONPATH": str(ROOT)}
