"""Tasks leave each other their turns, however often they are sent."""

from collections import Counter
from collections.abc import Iterator
from queue import Empty
from typing import Any

import pytest
from celery import Celery

from agents.memory import Memory
from config.settings import Settings
from memory.traces import queue as trace_queue
from memory.traces.queue import BATCH
from tests.scripted_model import ScriptedModel, answer
from tests.tool_calls import called, keep
from workers.app import WorkerProcess, make_app

SWEEPS = 2


@pytest.fixture
def worker(model_settings: Settings) -> Iterator[tuple[Celery, WorkerProcess]]:
    """The tasks, which this thread runs, and the door to the core."""
    app, process = make_app(model_settings)
    yield app, process
    process.stop()


def taken(app: Celery) -> Counter[str]:
    """The names of the tasks that were sent, which nobody will run."""
    names: Counter[str] = Counter()
    with app.connection_for_read() as connection:
        queue = connection.SimpleQueue(app.conf.task_default_queue)
        try:
            while True:
                names[queue.get_nowait().headers["task"]] += 1
        except Empty:
            return names


def observed(process: WorkerProcess) -> int:
    async def count(memory: Memory) -> int:
        return await memory.engine.store.collections.traces.count_documents({"observe.state": "done"})

    done = process.run(count)
    assert done is not None
    return done


def test_many_sweeps_begin_no_chains_of_their_own(
    worker: tuple[Celery, WorkerProcess], scripted_model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, process = worker
    scripted_model.always(answer("A note."), on="observer")
    monkeypatch.setattr(trace_queue, "TURN", 0.001)  # of one batch

    async def fill(memory: Memory) -> Any:
        await keep(memory.engine.tools.traces, *(called(number) for number in range(4 * SWEEPS * BATCH)))

    process.run(fill)
    for _ in range(SWEEPS):
        app.tasks["loci.sweep"]()
    assert taken(app)["loci.observe"] == SWEEPS
    for _ in range(SWEEPS):
        app.tasks["loci.observe"]()
    assert 0 < observed(process) <= 2 * SWEEPS * BATCH  # a batch each, of twice as many
    assert taken(app)["loci.observe"] == 0
