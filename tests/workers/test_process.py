"""What becomes of a piece of work that does not come to its end."""

import asyncio
import logging
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from openai import AsyncOpenAI
from pymongo.errors import AutoReconnect, OperationFailure

from agents.memory import Memory
from config.settings import Settings
from tests.processes import free_port
from utils import mongo
from utils.models import client_of
from workers.app import WorkerProcess


@pytest.fixture
def process(make_settings: Callable[..., Settings]) -> Iterator[WorkerProcess]:
    opened = WorkerProcess(make_settings())
    yield opened
    opened.stop()


def test_work_is_left_to_the_sweep_where_the_store_is_away(
    process: WorkerProcess, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(memory: Memory) -> None:
        raise AutoReconnect("127.0.0.1:1: connection closed")

    with caplog.at_level(logging.WARNING):
        process.run(work)
    (record,) = caplog.records
    assert "the store does not answer" in record.message
    assert record.exc_info is None


@pytest.mark.parametrize("silent", [False, True])
def test_a_store_that_was_never_there_is_told_of_as_briefly(
    make_settings: Callable[..., Settings],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    *,
    silent: bool,
) -> None:
    async def work(memory: Memory) -> None:
        raise AssertionError("there is no memory to work with")

    monkeypatch.setattr(mongo, "SELECTION_SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as frozen, caplog.at_level(logging.WARNING):
        port = frozen.getsockname()[1] if silent else free_port()
        WorkerProcess(make_settings(mongodb_uri=f"mongodb://127.0.0.1:{port}")).run(work)
    assert any("the store does not answer" in record.message and not record.exc_info for record in caplog.records)


def test_a_bug_is_told(process: WorkerProcess) -> None:
    async def work(memory: Memory) -> None:
        raise OperationFailure("no such command", 59)

    with pytest.raises(OperationFailure):
        process.run(work)


def test_a_worker_whose_loop_rests_between_tasks_condenses_banks_in_the_sweep_alone(process: WorkerProcess) -> None:
    async def work(memory: Memory) -> list[str]:
        return [task.get_coro().__qualname__ for task in asyncio.all_tasks()]  # type: ignore[union-attr]

    assert not any("condense" in name for name in process.run(work) or ("condense",))


def test_a_worker_never_searches_and_does_not_load_the_cross_encoder(
    make_settings: Callable[..., Settings], tmp_path: Path
) -> None:
    process = WorkerProcess(make_settings(rerank_model=tmp_path / "which is not there"))
    process.start()
    process.stop()


def test_a_start_that_fails_closes_the_models_client(
    make_settings: Callable[..., Settings], monkeypatch: pytest.MonkeyPatch
) -> None:
    clients: list[AsyncOpenAI] = []

    def kept(settings: Settings) -> AsyncOpenAI | None:
        made = client_of(settings)
        assert made is not None
        clients.append(made)
        return made

    async def failing(*_: Any, **__: Any) -> None:
        raise AutoReconnect("the store went away")

    monkeypatch.setattr("agents.open.client_of", kept)
    monkeypatch.setattr("agents.open.open_engine", failing)
    process = WorkerProcess(make_settings(openai_base_url="http://127.0.0.1:9/v1", openai_api_key="sk"))
    for _ in range(2):
        with pytest.raises(AutoReconnect):
            process.start()
    assert [client.is_closed() for client in clients] == [True, True]


def test_a_memory_whose_closing_fails_is_not_worked_with_again(
    process: WorkerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def worked(memory: Memory) -> Memory:
        await memory.engine.store.ping()
        return memory

    async def failing(_: Memory) -> None:
        raise OSError("a thread does not end")

    with monkeypatch.context() as patch:
        patch.setattr(Memory, "close", failing)
        first = process.run(worked)
        with pytest.raises(OSError, match="a thread does not end"):
            process.stop()
    second = process.run(worked)
    assert first is not None and second is not None and first is not second
