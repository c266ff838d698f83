"""Does a model note what each tool gave, in the place of the rules, and is no trace forgotten where it cannot?"""

import asyncio
import json
import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from agents.memory import Memory
from agents.open import open_memory
from config.settings import Settings
from memory import leases, metrics, trace_queue
from memory.leases import MAX_ATTEMPTS
from memory.tool_records import Record
from memory.trace_queue import BATCH, Step
from memory.traces import Traces
from tests.conversations import Silent, until
from tests.meanwhile import Killed, kill, meanwhile
from tests.scripted_model import Behaviour, ScriptedModel, answer, html, null_content, status
from tests.tool_calls import called, insights, keep, kept
from utils.clock import now

NOTE = "Flight HAT136 to Rome costs 120 EUR."


@pytest.fixture
def traces(with_model: Memory) -> Traces:
    return with_model.engine.traces


async def jobs(memory: Memory) -> list[str]:
    found = await memory.engine.collections.traces.find({}).sort("_id", 1).to_list(None)
    return [one["observe"]["state"] for one in found]


async def come_due(memory: Memory) -> None:
    due = {"$set": {"observe.lease_until": now() - timedelta(hours=1)}}
    await memory.engine.collections.traces.update_many({"observe.lease_until": {"$exists": True}}, due)


async def test_the_observer_rewrites_summary_and_insight(
    with_model: Memory, traces: Traces, scripted_model: ScriptedModel
) -> None:
    [trace] = await keep(traces, called(1))
    assert trace.model == "rule_based"
    scripted_model.script(answer(f"{NOTE}\n"), on="observer")
    assert await with_model.engine.trace_queue.work() == 1
    noted = await traces.get("ann", trace.id)
    assert (noted.summary, noted.model, noted.record.summary) == (NOTE, "gpt-4o-mini", NOTE)
    assert noted.raw_output == trace.raw_output
    assert await insights(with_model) == [NOTE]
    assert await jobs(with_model) == ["done"]
    assert await with_model.engine.trace_queue.work() == 0
    assert len(scripted_model.asked("observer")) == 1


async def test_an_insight_that_was_rewritten_is_found_by_its_new_words(
    with_model: Memory, traces: Traces, scripted_model: ScriptedModel
) -> None:
    [trace] = await keep(traces, called(1))
    await with_model.engine.embeddings.work()
    scripted_model.script(answer("The zeppelin leaves at noon."), on="observer")
    await with_model.engine.trace_queue.work()
    [gist] = await with_model.engine.collections.vectors.find({"kind": "insight"}).to_list(None)
    assert gist["embed"]["state"] == "pending" and "embedding" not in gist
    await with_model.engine.embeddings.work()
    [hit] = (await with_model.tool_memory.search("ann", "t", "zeppelin")).hits
    assert (hit.gist.id, hit.gist.content) == (trace.id, "The zeppelin leaves at noon.")


async def test_what_was_rewritten_is_not_found_by_its_old_words_any_more(
    with_model: Memory, traces: Traces, scripted_model: ScriptedModel
) -> None:
    await keep(traces, called(1))
    scripted_model.script(answer("The zeppelin leaves at noon."), on="observer")
    await with_model.engine.trace_queue.work()
    assert (await with_model.tool_memory.search("ann", "t", "find HAT001")).hits == ()


async def test_the_observer_is_shown_the_task_and_at_most_10000_characters(
    with_model: Memory, traces: Traces, scripted_model: ScriptedModel
) -> None:
    await keep(traces, called(1, "x1" * 20_000, query="q" * 5_000))
    await with_model.engine.trace_queue.work()
    [body] = scripted_model.asked("observer")
    system, told = body["messages"]
    assert system["role"] == "system" and "200 words" in system["content"]
    shown = json.loads(told["content"])
    assert list(shown) == ["task", "tool", "arguments", "result"]
    assert (shown["tool"], shown["arguments"]) == ("find", '{"n": 1}')
    assert (len(shown["result"]), len(shown["task"])) == (10_000, 2_000)


async def test_a_long_note_is_cut(with_model: Memory, traces: Traces, scripted_model: ScriptedModel) -> None:
    scripted_model.script(answer("many words " * 1_000), on="observer")
    [trace] = await keep(traces, called(1))
    await with_model.engine.trace_queue.work()
    assert len((await traces.get("ann", trace.id)).summary) <= 2_000


async def test_the_observer_has_a_model_of_its_own(model_settings: Settings, scripted_model: ScriptedModel) -> None:
    changed = model_settings.model_copy(update={"observer_model": "gpt-watch"})
    async with open_memory(changed, nudge=Silent()) as memory:
        [trace] = await keep(memory.engine.traces, called(1))
        await memory.engine.trace_queue.work()
        assert (await memory.engine.traces.get("ann", trace.id)).model == "gpt-watch"
    assert scripted_model.asked("observer")[0]["model"] == "gpt-watch"


@pytest.mark.parametrize("empty", [answer(""), answer(" \n\x00"), null_content()])
async def test_an_empty_answer_leaves_the_rules_summary_with_a_warning(
    with_model: Memory,
    traces: Traces,
    scripted_model: ScriptedModel,
    caplog: pytest.LogCaptureFixture,
    empty: Behaviour,
) -> None:
    scripted_model.always(empty, on="observer")
    [trace] = await keep(traces, called(1))
    before = metrics.UNNOTED._value.get()
    with caplog.at_level(logging.DEBUG):
        assert await with_model.engine.trace_queue.work() == 1
    warned = [one for one in caplog.records if one.name == "Observer"]
    assert [one.levelname for one in warned] == ["WARNING"]
    assert "find" in warned[0].getMessage()
    assert await traces.get("ann", trace.id) == trace
    assert metrics.UNNOTED._value.get() == before + 1
    assert await jobs(with_model) == ["done"]


@pytest.mark.parametrize("down", [status(500), status(401), html()])
async def test_the_rules_summary_stays_while_the_model_is_down(
    with_model: Memory, traces: Traces, scripted_model: ScriptedModel, down: Behaviour
) -> None:
    scripted_model.always(down, on="observer")
    [trace] = await keep(traces, called(1))
    await with_model.engine.trace_queue.work()
    assert await traces.get("ann", trace.id) == trace
    assert await insights(with_model) == [trace.summary]


async def test_what_was_not_noted_is_tried_again(
    with_model: Memory, traces: Traces, scripted_model: ScriptedModel, caplog: pytest.LogCaptureFixture
) -> None:
    scripted_model.always(status(401), on="observer")
    [trace] = await keep(traces, called(1))
    assert await with_model.engine.trace_queue.work() == 0
    assert await jobs(with_model) == ["pending"]
    assert any(one.name == "Observer" and one.levelname == "WARNING" for one in caplog.records)
    scripted_model.always(answer(NOTE), on="observer")
    await come_due(with_model)
    assert await with_model.engine.trace_queue.work() == 1
    assert (await traces.get("ann", trace.id)).summary == NOTE


async def test_after_three_attempts_the_rules_summary_stays_for_good(
    with_model: Memory, traces: Traces, scripted_model: ScriptedModel
) -> None:
    scripted_model.always(status(401), on="observer")
    await keep(traces, called(1))
    for _ in range(MAX_ATTEMPTS + 1):
        await with_model.engine.trace_queue.work()
        await come_due(with_model)
    assert await jobs(with_model) == ["dead"]
    assert len(scripted_model.asked("observer")) == MAX_ATTEMPTS


async def test_an_insight_that_a_crash_left_out_is_made_up_for(
    make_settings: Callable[..., Settings], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_memory(make_settings(), nudge=Silent()) as memory:
        with monkeypatch.context() as patch:
            meanwhile(patch, memory.engine.collections.vectors, "insert_many", kill)
            with pytest.raises(Killed):
                await keep(memory.engine.traces, called(1))
        assert await insights(memory) == []
        assert await memory.engine.trace_queue.work() == 0  # whoever keeps it may still be at it
    async with open_memory(make_settings(), nudge=Silent()) as memory:
        await come_due(memory)
        await memory.engine.sweep()
        [trace] = await kept(memory)
        assert await insights(memory) == [trace.summary]
        assert await jobs(memory) == ["done"]
        [hit] = (await memory.tool_memory.search("ann", "t", "HAT001")).hits
        assert hit.gist.id == trace.id


async def test_a_worker_that_dies_leaves_its_job_to_the_next(
    with_model: Memory, traces: Traces, scripted_model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted_model.always(answer(NOTE), on="observer")
    await keep(traces, called(1))
    with monkeypatch.context() as patch:
        meanwhile(patch, with_model.engine.collections.traces, "update_one", kill)
        with pytest.raises(Killed):
            await with_model.engine.trace_queue.work()
    assert await jobs(with_model) == ["leased"]
    await come_due(with_model)
    await with_model.engine.sweep()
    assert await insights(with_model) == [NOTE]
    assert await jobs(with_model) == ["done"]


async def test_many_workers_note_each_trace_once(two: tuple[Memory, Memory], scripted_model: ScriptedModel) -> None:
    await keep(two[0].engine.traces, *(called(number) for number in range(20)))

    async def work(memory: Memory) -> None:
        await memory.engine.trace_queue.work()

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
    await keep(one.engine.traces, called(1))

    async def reset() -> None:
        await other.engine.traces.reset("ann", "t")

    meanwhile(monkeypatch, getattr(one.engine.collections, collection), method, reset, after=after)
    await one.engine.trace_queue.work()
    assert await kept(one) == []
    assert await insights(one) == []


async def test_a_worker_that_lost_its_lease_changes_nothing(
    two: tuple[Memory, Memory], scripted_model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = two
    scripted_model.script(answer("slow"), answer("fast"), on="observer")
    [trace] = await keep(one.engine.traces, called(1))

    async def overtake() -> None:
        await come_due(other)
        await other.engine.sweep()

    meanwhile(monkeypatch, one.engine.collections.traces, "update_one", overtake)
    assert await one.engine.trace_queue.work() == 0
    assert (await one.engine.traces.get("ann", trace.id)).summary == "fast"
    assert await insights(one) == ["fast"]


async def test_a_batch_is_asked_at_once_and_says_whether_there_is_more(
    with_model: Memory, traces: Traces, monkeypatch: pytest.MonkeyPatch
) -> None:
    await keep(traces, *(called(number) for number in range(BATCH + 3)))
    all_asked, asked = asyncio.Event(), 0

    async def note(*_: Any) -> str:
        nonlocal asked
        asked += 1
        if asked == BATCH:
            all_asked.set()
        await asyncio.wait_for(all_asked.wait(), 10)
        return NOTE

    monkeypatch.setattr(trace_queue, "summary_by_model", note)
    assert await with_model.engine.trace_queue.step() == Step(BATCH, more=True)
    assert asked == BATCH
    assert await with_model.engine.trace_queue.step() == Step(3, more=False)
    assert await with_model.engine.trace_queue.step() == Step()


async def test_one_that_fails_takes_no_other_of_its_batch_along(
    with_model: Memory, traces: Traces, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(status(401), on="observer")
    scripted_model.always(answer(NOTE), on="observer")
    await keep(traces, *(called(number) for number in range(4)))
    assert await with_model.engine.trace_queue.work() == 3
    assert sorted(await jobs(with_model)) == ["done", "done", "done", "pending"]


async def test_a_lease_runs_on_while_the_model_is_asked(
    with_model: Memory, traces: Traces, monkeypatch: pytest.MonkeyPatch
) -> None:
    [trace] = await keep(traces, called(1))
    monkeypatch.setattr(leases, "LEASE", timedelta(milliseconds=150))
    asked, answers = asyncio.Event(), asyncio.Event()

    async def note(*_: Any) -> str:
        asked.set()
        await answers.wait()
        return NOTE

    monkeypatch.setattr(trace_queue, "summary_by_model", note)
    working = asyncio.create_task(with_model.engine.trace_queue.work())
    await asyncio.wait_for(asked.wait(), 10)
    over = now() + timedelta(milliseconds=150)

    async def is_renewed() -> bool:
        [found] = await with_model.engine.collections.traces.find({}).to_list(None)
        return bool(found["observe"]["lease_until"] > over)

    await until(is_renewed)
    answers.set()
    assert await working == 1
    assert (await traces.get("ann", trace.id)).summary == NOTE


async def test_no_more_of_a_huge_result_is_read_than_the_model_is_shown(
    with_model: Memory, traces: Traces, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = "😀" * 2_000_000
    await keep(traces, called(1, output))
    read: list[int] = []

    async def note(_model: object, _task: str, record: Record, _recipe: object) -> str:
        read.append(len(record.raw_output))
        return NOTE

    monkeypatch.setattr(trace_queue, "summary_by_model", note)
    await with_model.engine.trace_queue.work()
    assert read == [10_000]
    assert [trace.raw_output for trace in await kept(with_model)] == [output]


async def test_an_insight_that_the_observer_rewrote_is_embedded_at_once(
    model_settings: Settings, scripted_model: ScriptedModel
) -> None:
    scripted_model.always(answer("The zeppelin leaves at noon."), on="observer")
    async with open_memory(model_settings) as memory:
        await memory.tool_memory.add("ann", "t", called(1))

        async def is_found() -> bool:
            hits = (await memory.tool_memory.search("ann", "t", "zeppelin")).hits
            [gist] = await memory.engine.collections.vectors.find({"kind": "insight"}).to_list(None)
            return bool(hits) and gist["content"].startswith("The zeppelin") and gist["embed"]["state"] == "done"

        await until(is_found)
