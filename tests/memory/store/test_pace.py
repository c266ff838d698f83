"""Background work waits for those who are being answered, also where the two meet in one process."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest

from agents.memory import Memory
from memory.store.leases import pending
from tests.conversations import USER, messages, turn
from tests.tool_calls import called, keep, observe_all
from utils import yielding
from utils.yielding import ANSWERING

Work = Callable[[Memory], Coroutine[Any, Any, int]]


def embedding(memory: Memory) -> Coroutine[Any, Any, int]:
    return memory.engine.gists.queue.work()


def learning(memory: Memory) -> Coroutine[Any, Any, int]:
    return memory.engine.knowledge.queue.work()


@pytest.fixture
def answered(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """A request that is being answered until this is called."""
    monkeypatch.setattr(yielding, "PATIENCE", 60.0)
    end = ANSWERING.begin()
    yield end
    end()


async def test_the_observer_waits_for_a_request_that_is_being_answered(
    quiet: Memory, answered: Callable[[], None]
) -> None:
    await keep(quiet.engine.tools.traces, called(1))
    waiting = {"$set": {"observe": pending()}}
    await quiet.engine.store.collections.traces.update_many({}, waiting)
    working = asyncio.create_task(observe_all(quiet))
    await asyncio.sleep(0.2)  # nothing happens, for which there is nothing to wait
    assert not working.done()
    answered()
    assert await asyncio.wait_for(working, 20) == 1


@pytest.mark.parametrize(("work", "job"), [(embedding, "embed"), (learning, "facts")])
async def test_work_waits_for_a_request_that_is_being_answered(
    quiet: Memory, answered: Callable[[], None], work: Work, job: str
) -> None:
    await quiet.engine.chats.turns.remember(USER, "s1", [turn("m1", "I live in Oslo.", proxied=True)])
    working = asyncio.create_task(work(quiet))
    await asyncio.sleep(0.2)  # nothing happens, for which there is nothing to wait
    assert [message[job]["state"] for message in await messages(quiet)] != ["done"]
    answered()
    assert await asyncio.wait_for(working, 20) == 1
    assert [message[job]["state"] for message in await messages(quiet)] == ["done"]
