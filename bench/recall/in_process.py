"""Recall measured without a server: the core itself, over a built-in store that is there for the run alone."""

import contextlib
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path

from pydantic import SecretStr

from agents.memory import Memory
from agents.open import open_memory
from agents.upkeep import Work
from bench.recall.corpus import Message
from bench.recall.system import Found
from config.recipes import SEARCH
from config.settings import Settings
from memory.domain import Turn
from memory.recall.ranking import Scope

START_SECONDS = 15.0
IDLE_SECONDS = 30.0  # after which the store of a run that was killed ends by itself
TURNS = Scope(kinds=("turn",))


class Quiet:
    """Nothing is embedded or summarised beside what is measured."""

    def __call__(self, *works: Work) -> None: ...


class InProcess:
    """A `Memory` of this process, asked by the recipe of `/v1/search`."""

    def __init__(self, memory: Memory, rerank_model: Path | None = None) -> None:
        self._memory = memory
        self._rerank_model = rerank_model

    @property
    def description(self) -> str:
        reranked = f"reranked by {self._rerank_model}" if self._rerank_model else "not reranked"
        return f"in process, {self._memory.engine.gists.embedder.model}, {SEARCH}, {reranked}"

    async def add(self, owner: str, session: str, messages: Sequence[Message]) -> None:
        turns = [Turn(one.id, one.role, one.text, one.timestamp, name=one.speaker) for one in messages]
        await self._memory.add(owner, session, turns, wait=True)

    async def search(self, owner: str, query: str, top_k: int) -> list[Found]:
        recalled = await self._memory.search(owner, query, replace(SEARCH, top_k=top_k), TURNS)
        return [Found(hit.gist.id, hit.score) for hit in recalled.hits]

    async def forget(self, owner: str) -> None:
        await self._memory.engine.oversight.forgetter.user(owner)


@asynccontextmanager
async def in_process(settings: Settings) -> AsyncIterator[InProcess]:
    async with open_memory(settings, nudge=Quiet()) as memory:
        yield InProcess(memory, settings.rerank_model)


@contextmanager
def passing_settings() -> Iterator[Settings]:
    """Settings over a store in a temporary directory, and the built-in encoder whatever the environment says: nobody
    should pay a provider for a benchmark by accident. Other settings are the environment's."""
    with tempfile.TemporaryDirectory(prefix="loci-bench-") as folder, _store(Path(folder)) as uri:
        yield Settings(
            mongodb_uri=SecretStr(uri),
            loci_home=Path(folder),
            redis_url=None,
            openai_api_key=None,
            openai_base_url=None,
        )


@contextmanager
def _store(home: Path) -> Iterator[str]:
    """The address of a store that has ended when its directory is to go; one that `open_memory` starts lives on."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "embedded", "--home", str(home), "--port", str(port)]
    command += ["--idle-exit", str(IDLE_SECONDS)]
    # In a session of its own it outlives a Ctrl-C, and what was told can still be forgotten.
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until and process.poll() is None:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.01)
        else:
            raise RuntimeError("the built-in store does not start")
        yield f"mongodb://127.0.0.1:{port}/?directConnection=true"
    finally:
        process.terminate()
        process.wait(30)
