"""A model notes what each tool gave, in place of the rules; where it cannot, no trace is forgotten."""

import asyncio
import json
import logging
from typing import Any

import pytest

from agents.memory import Memory
from agents.open import open_memory
from config.settings import Settings
from memory import metrics
from memory.store.leases import MAX_ATTEMPTS
from memory.traces import queue as trace_queue
from memory.traces.queue import BATCH, Observed
from memory.traces.traces import Traces
from memory.views.records import ToolRecord
from tests.conversations import Silent
from tests.scripted_model import Behaviour, ScriptedModel, answer, html, null_content, status
from tests.tool_calls import called, come_due, insights, jobs, keep, kept, observe_all

NOTE = "Flight HAT136 to Rome costs 120 EUR."


async def test_the_observer_rewrites_summary_and_insight(
    with_model: Memory, traces: Traces, scripted_model: ScriptedModel
) -> None:
    [trace] = await keep(traces, called(1))
    assert trace.model == "rule_based"
    scripted_model.script(answer(f"{NOTE}\n"), on="observer")
    assert await observe_all(with_model) == 1
    noted = await traces.get("ann", trace.id)
    assert (noted.summary, noted.model, noted.record.summary) == (NOTE, "gpt-4o-mini", NOTE)
    assert noted.raw_output == trace.raw_output
    assert await insights(with_model) == [NOTE]
    assert await jobs(with_model) == ["done"]
    assert await observe_all(with_model) == 0
    assert len(scripted_model.asked("observer")) == 1


async def test_an_insight_that_was_rewritten_is_found_by_its_new_words_alone(
    with_model: Memory, traces: Traces, scripted_model: ScriptedModel
) -> None:
    [trace] = await keep(traces, called(1))
    await with_model.engine.gists.queue.work()
    scripted_model.script(answer("The zeppelin leaves at noon."), on="observer")
    await observe_all(with_model)
    assert (await with_model.tool_memory.search.insights("ann", "t", "find HAT001")).hits == ()
    [gist] = await with_model.engine.store.collections.vectors.find({"kind": "insight"}).to_list(None)
    assert gist["embed"]["state"] == "pending" and "embedding" not in gist
    await with_model.engine.gists.queue.work()
    [hit] = (await with_model.tool_memory.search.insights("ann", "t", "zeppelin")).hits
    assert (hit.gist.id, hit.gist.content) == (trace.id, "The zeppelin leaves at noon.")


async def test_the_observer_is_shown_the_task_and_at_most_10000_characters(
    with_model: Memory, traces: Traces, scripted_model: ScriptedModel
) -> None:
    await keep(traces, called(1, "x1" * 20_000, query="q" * 5_000))
    await observe_all(with_model)
    [body] = scripted_model.asked("observer")
    system, told = body["messages"]
    assert system["role"] == "system" and "200 words" in system["content"]
    shown = json.loads(told["content"])
    assert list(shown) == ["task", "tool", "arguments", "result"]
    assert (shown["tool"], shown["arguments"]) == ("find", '{"n": 1}')
    assert (len(shown["result"]), len(shown["task"])) == (10_000, 2_000)


async def test_the_observer_has_a_model_of_its_own(model_settings: Settings, scripted_model: ScriptedModel) -> None:
    changed = model_settings.model_copy(update={"observer_model": "gpt-watch"})
    async with open_memory(changed, nudge=Silent()) as memory:
        [trace] = await keep(memory.engine.tools.traces, called(1))
        await observe_all(memory)
        assert (await memory.engine.tools.traces.get("ann", trace.id)).model == "gpt-watch"
    assert scripted_model.asked("observer")[0]["model"] == "gpt-watch"


@pytest.mark.parametrize("empty", [answer(""), answer(" \n\x00"), null_content(), html()])
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
        assert await observe_all(with_model) == 1
    warned = [one for one in caplog.records if one.name == "Observer"]
    assert [one.levelname for one in warned] == ["WARNING"]
    assert "find" in warned[0].getMessage()
    assert await traces.get("ann", trace.id) == trace
    assert metrics.UNNOTED._value.get() == before + 1
    assert await jobs(with_model) == ["done"]


@pytest.mark.parametrize("down", [status(500), status(401)])
async def test_the_rules_summary_stays_while_the_model_is_down_and_it_is_asked_again(
    with_model: Memory,
    traces: Traces,
    scripted_model: ScriptedModel,
    caplog: pytest.LogCaptureFixture,
    down: Behaviour,
) -> None:
    scripted_model.always(down, on="observer")
    [trace] = await keep(traces, called(1))
    assert await observe_all(with_model) == 0
    assert await traces.get("ann", trace.id) == trace
    assert (await insights(with_model), await jobs(with_model)) == ([trace.summary], ["pending"])
    assert any(one.name == "Observer" and one.levelname == "WARNING" for one in caplog.records)
    scripted_model.always(answer("many words " * 1_000), on="observer")
    await come_due(with_model)
    assert await observe_all(with_model) == 1
    noted = (await traces.get("ann", trace.id)).summary
    assert noted.startswith("many words") and len(noted) <= 2_000


async def test_after_three_attempts_the_rules_summary_stays_for_good(
    with_model: Memory, traces: Traces, scripted_model: ScriptedModel
) -> None:
    scripted_model.always(status(401), on="observer")
    await keep(traces, called(1))
    for _ in range(MAX_ATTEMPTS + 1):
        await observe_all(with_model)
        await come_due(with_model)
    assert await jobs(with_model) == ["dead"]
    assert len(scripted_model.asked("observer")) == MAX_ATTEMPTS


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
    assert await with_model.engine.tools.queue.step() == Observed(BATCH, more=True)
    assert asked == BATCH
    assert await with_model.engine.tools.queue.step() == Observed(3, more=False)
    assert await with_model.engine.tools.queue.step() == Observed()


async def test_one_that_fails_takes_no_other_of_its_batch_along(
    with_model: Memory, traces: Traces, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(status(401), on="observer")
    scripted_model.always(answer(NOTE), on="observer")
    await keep(traces, *(called(number) for number in range(4)))
    assert await observe_all(with_model) == 3
    assert sorted(await jobs(with_model)) == ["done", "done", "done", "pending"]


async def test_a_turn_does_all_that_is_due_where_there_is_time(
    with_model: Memory, traces: Traces, scripted_model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trace_queue, "TURN", 60.0)
    scripted_model.always(answer(NOTE), on="observer")
    await keep(traces, *(called(number) for number in range(2 * BATCH + 1)))
    assert await with_model.engine.tools.queue.turn() == 2 * BATCH + 1
    await keep(traces, called(100))
    assert await with_model.engine.tools.queue.turn() == 1  # none was left, so it has no rest


async def test_a_turn_that_leaves_some_rests_before_the_next(
    with_model: Memory, traces: Traces, scripted_model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [100.0]
    monkeypatch.setattr(trace_queue, "monotonic", lambda: clock[0])
    queue, step = with_model.engine.tools.queue, with_model.engine.tools.queue.step

    async def slow() -> Observed:
        clock[0] += 2.0
        return await step()

    monkeypatch.setattr(queue, "step", slow)
    scripted_model.always(answer(NOTE), on="observer")
    await keep(traces, *(called(number) for number in range(3 * BATCH)))
    assert await queue.turn() == 2 * BATCH  # 4 seconds
    assert [await queue.turn() for _ in range(3)] == [0, 0, 0]
    clock[0] += trace_queue.TURN
    assert await queue.turn() == BATCH


async def test_no_more_of_a_huge_result_is_read_than_the_model_is_shown(
    with_model: Memory, traces: Traces, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = "😀" * 2_000_000
    await keep(traces, called(1, output))
    read: list[int] = []

    async def note(_model: object, _task: str, record: ToolRecord, _recipe: object) -> str:
        read.append(len(record.raw_output))
        return NOTE

    monkeypatch.setattr(trace_queue, "summary_by_model", note)
    await observe_all(with_model)
    assert read == [10_000]
    assert [trace.raw_output for trace in await kept(with_model)] == [output]
