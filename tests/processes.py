"""The commands of Loci as processes of their own, for tests that kill them."""

import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from pymongo import MongoClient
from pymongo.database import Database

from tests.checks import eventually

prepare: Callable[[Path], None] = lambda home: None  # of a home for a command; the tests' own sets it  # noqa: E731

LOCI = Path(sys.executable).with_name("loci")
OWN = re.compile(
    r"^(MONGODB|REDIS|LOCI|OPENAI|ANTHROPIC|API_KEYS|ADMIN|HOST|PORT|ROOT_PATH|CORS|CHAT|SUMMARY|EMBEDDING|USE_LLM|RERANK|LOG_LEVEL"
    r"|PYTHONDONTWRITEBYTECODE)"  # which would have every command compile all of Loci anew
)


def free_port() -> int:
    """A port that nobody has, of those that the system gives to no connection by itself."""
    while True:
        port = secrets.choice(range(15_000, 32_000))
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


def environment(home: Path, **settings: object) -> dict[str, str]:
    """This process's environment with these settings and no others; the home has an encoder then."""
    prepare(home)
    kept = {name: value for name, value in os.environ.items() if not OWN.match(name)}
    return {**kept, "LOCI_HOME": str(home), **{name.upper(): str(value) for name, value in settings.items()}}


def run(home: Path, *arguments: str, seconds: float = 60, **settings: object) -> subprocess.CompletedProcess[str]:
    """Runs a command to its end, in an empty directory beside the home."""
    home.mkdir(parents=True, exist_ok=True)
    return subprocess.run(
        [LOCI, *arguments],
        env=environment(home, **settings),
        cwd=home,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


class Process:
    """A command that runs until it is told to stop, or killed. Use it as a context manager."""

    def __init__(self, home: Path, command: list[str | Path], **settings: object) -> None:
        home.mkdir(parents=True, exist_ok=True)
        self._output: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            command,
            env=environment(home, **settings),
            cwd=home,
            stdout=self._output,
            stderr=self._output,
            start_new_session=True,
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def output(self) -> str:
        self._output.flush()
        return os.pread(self._output.fileno(), 1 << 20, 0).decode(errors="replace")

    def says(self, pattern: str, seconds: float = 30) -> re.Match[str]:
        """Waits for a line of its output."""

        def look() -> re.Match[str] | None:
            assert self._process.poll() is None, self.output
            return re.search(pattern, self.output)

        return eventually(look, seconds)

    def kill(self) -> None:
        """As `kill -9` does."""
        self._process.kill()
        self._process.wait(10)

    def stop(self, seconds: float = 30, kind: signal.Signals = signal.SIGTERM) -> int:
        """As a service manager does; the exit status."""
        self.ask_to_stop(kind)
        return self.ends(seconds)

    def ends(self, seconds: float = 30) -> int:
        """Waits until it ends by itself; the exit status."""
        return self._process.wait(seconds)

    def ask_to_stop(self, kind: signal.Signals = signal.SIGTERM) -> None:
        if self._process.poll() is None:
            self._process.send_signal(kind)

    def __enter__(self) -> "Process":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._process.poll() is None:
            self.kill()
        self._output.close()


def loci(home: Path, *arguments: str, **settings: object) -> Process:
    """One of Loci's commands."""
    return Process(home, [LOCI, *arguments], **settings)


@contextmanager
def stored(home: Path) -> Iterator[Database[dict[str, Any]]]:
    """What the built-in store of a home has, whose server runs."""
    port = json.loads((home / "store" / "store.json").read_text())["port"]
    with MongoClient[dict[str, Any]](f"mongodb://127.0.0.1:{port}/?directConnection=true") as client:
        yield client["loci"]


def serving(home: Path, model: str, port: int) -> Process:
    """A service that answers by now, with a model of OpenAI's API at an address."""
    process = loci(home, "serve", port=port, openai_base_url=model, openai_api_key="sk", embedding_model="local")
    process.says("Loci is at")
    return process
