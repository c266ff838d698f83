"""A trace and its insight stay one, whoever dies, deletes or overtakes the observer in between."""

import asyncio
from collections.abc import Callable

import pytest

from agents.memory import Memory
from agents.open import open_memory
from config.settings import Settings
from memory.traces.traces import Traces
from tests.conversations import Silent, until
from tests.meanwhile import Killed, kill, meanwhile
from tests.scripted_model import ScriptedModel, answer
from tests.tool_calls import called, come_due, insights, jobs, keep, kept, observe_all

NOTE = "Flight HAT136 to Rome costs 120 EUR."


async def test_an_insight_that_a_crash_left_out_is_made_up_for(
    make_settings: Callable[..., Settings], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_memory(make_settings(), nudge=Silent()) as memory:
        with monkeypatch.context() as patch:
            meanwhile(patch, memory.engine.store.collections.vectors, "insert_many", kill)
            with pytest.raises(Killed):
                await keep(memory.engine.tools.traces, called(1))
        assert await insights(memory) == []
        assert await observe_all(memory) == 0  # whoever keeps it may still be at it
    async with open_memory(make_settings(), nudge=Silent()) as memory:
        await come_due(memory)
        await memory.engine.sweep()
        [trace] = await kept(memory)
        assert await insights(memory) == [trace.summary]
        assert await jobs(memory) == ["done"]
        [hit] = (await memory.tool_memory.search.insights("ann", "t", "HAT001")).hits
        assert hit.gist.id == trace.id


@pytest.mark.parametrize("collection", ["vectors", "traces"])
@pytest.mark.parametrize("after", [False, True])
async def test_a_worker_that_dies_between_insight_and_trace_leaves_both_to_the_next(
    with_model: Memory,
    traces: Traces,
    scripted_model: ScriptedModel,
    monkeypatch: pytest.MonkeyPatch,
    collection: str,
    after: bool,
) -> None:
    scripted_model.script(answer("Cut short."), on="observer")
    scripted_model.always(answer(NOTE), on="observer")
    [trace] = await keep(traces, called(1))
    with monkeypatch.context() as patch, pytest.raises(Killed):
        meanwhile(patch, getattr(with_model.engine.store.collections, collection), "update_one", kill, after=after)
        await observe_all(with_model)
    await come_due(with_model)
    await with_model.engine.sweep()
    noted = "Cut short." if collection == "traces" and after else NOTE
    assert ((await traces.get("ann", trace.id)).summary, *await insights(with_model)) == (noted, noted)


async def test_many_workers_note_each_trace_once(two: tuple[Memory, Memory], scripted_model: ScriptedModel) -> None:
    await keep(two[0].engine.tools.traces, *(called(number) for number in range(20)))

    async def work(memory: Memory) -> None:
        await observe_all(memory)

    await asyncio.gather(*map(work, two * 2))

    async def done() -> bool:
        await work(two[0])
        return set(await jobs(two[0])) == {"done"}

    await until(done)
    assert len(scripted_model.asked("observer")) == 20


@pytest.mark.parametrize(
    ("collection", "method", "after"),
    [
        ("vectors", "insert_many", False),
        ("tasks", "find_one", False),
        ("tasks", "find_one", True),
        ("traces", "update_one", False),
        ("traces", "update_one", True),
    ],
)
async def test_a_trace_that_is_deleted_while_the_observer_reads_stays_deleted(
    two: tuple[Memory, Memory], monkeypatch: pytest.MonkeyPatch, collection: str, method: str, after: bool
) -> None:
    one, other = two
    await keep(one.engine.tools.traces, called(1))

    async def reset() -> None:
        await other.engine.tools.traces.reset("ann", "t")

    meanwhile(monkeypatch, getattr(one.engine.store.collections, collection), method, reset, after=after)
    await observe_all(one)
    assert await kept(one) == []
    assert await insights(one) == []


async def test_a_worker_that_lost_its_lease_changes_nothing(
    two: tuple[Memory, Memory], scripted_model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = two
    scripted_model.script(answer("slow"), answer("fast"), on="observer")
    [trace] = await keep(one.engine.tools.traces, called(1))

    async def overtake() -> None:
        await come_due(other)
        await other.engine.sweep()

    meanwhile(monkeypatch, one.engine.store.collections.traces, "update_one", overtake)
    assert await observe_all(one) == 0
    assert (await one.engine.tools.traces.get("ann", trace.id)).summary == "fast"
    assert await insights(one) == ["fast"]
