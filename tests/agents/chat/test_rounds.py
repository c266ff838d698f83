"""A model that may use memory's tools before it answers, and what of that stays."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from agents.chat import ChatRequest
from agents.chat.rounds import MOST_CALLS, ROUNDS
from agents.events import Delta, Finished
from agents.memory import Memory
from agents.open import open_memory
from config.settings import Settings
from memory.domain import RULE_BASED
from memory.ids import prompt_id
from tests.conversations import USER, Silent, request, settle, until
from tests.scripted_model import Behaviour, ScriptedModel, answer, calling, cut, garbage, hang, status
from utils.errors import ModelError, NotFound

LIMIT = "The billing API allows 137 requests a minute"
SAID = "the billing API allows 137 requests a minute, keep that in mind"


@pytest.fixture
async def tooled(model_settings: Settings) -> AsyncIterator[Memory]:
    """A memory whose model has tools."""
    settings = model_settings.model_copy(update={"memory_tools": True})
    async with open_memory(settings, nudge=Silent()) as opened:
        yield opened


async def observed(memory: Memory) -> list[str]:
    return [found.observation.content for found in await memory.recall_observations(USER, "billing API requests")]


async def said(memory: Memory, query: str = SAID, *, streamed: bool = False, **more: Any) -> tuple[Finished, str]:
    """The end of an answer, and all of its deltas."""
    asked = request(query, **more)
    if not streamed:
        finished = await memory.chat(asked)
        return finished, finished.answer.text
    events = [event async for event in memory.stream(asked)]
    assert isinstance(events[-1], Finished)
    return events[-1], "".join(event.text for event in events if isinstance(event, Delta))


@pytest.mark.parametrize("streamed", [False, True])
async def test_what_it_remembers_is_kept_and_the_answer_comes_after_that(
    tooled: Memory, scripted_model: ScriptedModel, streamed: bool
) -> None:
    scripted_model.script(calling("remember", "One moment.", findings=[LIMIT]), answer("It is noted."))
    finished, text = await said(tooled, streamed=streamed)
    assert finished.answer.text == text == "One moment.\n\nIt is noted."
    assert await observed(tooled) == [LIMIT]
    first, second = scripted_model.asked("chat")
    assert {tool["function"]["name"] for tool in first["tools"]} >= {"remember", "recall", "scratchpad_set"}
    assert "tool_record" not in str(first["tools"])
    called, result = second["messages"][-2:]
    assert (called["role"], called["content"], len(called["tool_calls"])) == ("assistant", "One moment.", 1)
    assert (result["role"], result["tool_call_id"]) == ("tool", called["tool_calls"][0]["id"])
    assert json.loads(result["content"]) == {"remembered": 1}
    receipt = await tooled.engine.chats.receipts.get(USER, finished.context.request.turn_id)
    assert receipt.tools_used == ("remember",)
    assert receipt.ledger[-1].section == "tools"
    assert receipt.ledger[-1].characters > len(json.dumps(first["tools"])) + len(first["messages"][1]["content"])
    counted = [sum(len(one["content"] or "") for one in body["messages"]) // 4 + 1 for body in (first, second)]
    assert sum(entry.tokens for entry in receipt.ledger) == receipt.prompt_tokens == sum(counted)


async def test_a_call_that_cannot_be_carried_out_is_told_and_may_be_mended(
    tooled: Memory, scripted_model: ScriptedModel
) -> None:
    wrong = Behaviour(text="", calls=(("remember", "{findings:"), ("tool_record", "{}")), finish_reason="tool_calls")
    scripted_model.script(wrong, calling("remember", findings=[LIMIT]), answer("Done."))
    finished, text = await said(tooled)
    assert text == "Done."
    assert await observed(tooled) == [LIMIT]
    results = [json.loads(one["content"]) for one in scripted_model.asked("chat")[1]["messages"][-2:]]
    assert all("error" in result for result in results)
    assert finished.answer.tools == ("remember", "tool_record")


@pytest.mark.parametrize("streamed", [False, True])
async def test_who_calls_without_end_is_stopped_and_rules_answer(
    tooled: Memory, scripted_model: ScriptedModel, streamed: bool
) -> None:
    scripted_model.always(calling("scratchpad_set", key="plan", value="more"))
    finished, _ = await said(tooled, streamed=streamed)
    assert finished.answer.model == RULE_BASED
    asked = scripted_model.asked("chat")
    assert len(asked) == ROUNDS
    assert [body.get("tool_choice") for body in asked] == [*[None] * (ROUNDS - 1), "none"]
    assert (await tooled.scratchpad.get(USER, "plan")).value == "more"


async def test_a_provider_that_takes_no_tools_answers_without(tooled: Memory, scripted_model: ScriptedModel) -> None:
    scripted_model.script(status(400, param="tools"), answer("Hello."))
    finished, text = await said(tooled)
    assert (text, finished.answer.tools) == ("Hello.", ())


@pytest.mark.parametrize("more", [{"temporary": True}, {"isolated": True}, {"use_memory": False}])
async def test_a_request_that_is_to_leave_nothing_has_no_tools(
    tooled: Memory, scripted_model: ScriptedModel, more: dict[str, Any]
) -> None:
    await said(tooled, **more)
    assert "tools" not in scripted_model.asked("chat")[0]


async def test_there_are_none_by_default(with_model: Memory, scripted_model: ScriptedModel) -> None:
    finished, _ = await said(with_model)
    assert "tools" not in scripted_model.asked("chat")[0]
    assert "tools" not in [entry.section for entry in finished.answer.ledger]


@pytest.mark.parametrize("whole", [True, False])
async def test_it_goes_with_the_message_that_it_comes_of(
    tooled: Memory, scripted_model: ScriptedModel, whole: bool
) -> None:
    scripted_model.script(calling("remember", findings=[LIMIT]), answer("Noted."))
    finished, _ = await said(tooled)
    await settle(tooled)
    if whole:
        await tooled.engine.oversight.forgetter.session(USER, "s1")
    else:
        await tooled.engine.oversight.forgetter.exchange(USER, prompt_id(finished.context.request.turn_id))
    assert await observed(tooled) == []


@pytest.fixture
def deleted_meanwhile(tooled: Memory, monkeypatch: pytest.MonkeyPatch) -> ChatRequest:
    """A request whose exchange is deleted just before what the model remembers of it is kept."""
    asked, observe = request(SAID), tooled.observe

    async def deleted_before(*arguments: Any, **named: Any) -> Any:
        await tooled.engine.oversight.forgetter.exchange(USER, prompt_id(asked.turn_id))
        return await observe(*arguments, **named)

    monkeypatch.setattr(tooled, "observe", deleted_before)
    return asked


@pytest.mark.parametrize(
    ("then", "model"), [(answer("Noted."), "gpt-4o-mini"), (garbage(), RULE_BASED)], ids=["answered", "failed"]
)
async def test_it_goes_also_where_that_was_deleted_while_it_was_answered(
    tooled: Memory, scripted_model: ScriptedModel, deleted_meanwhile: ChatRequest, then: Behaviour, model: str
) -> None:
    scripted_model.script(calling("remember", findings=[LIMIT]), then)
    finished = await tooled.chat(deleted_meanwhile)
    assert (finished.answer.model, finished.answer.tools) == (model, ("remember",))
    assert await observed(tooled) == []


async def test_it_goes_also_where_who_asked_left_before_anything_was_said(
    tooled: Memory, scripted_model: ScriptedModel, deleted_meanwhile: ChatRequest
) -> None:
    scripted_model.script(calling("remember", findings=[LIMIT]), hang())
    answering = asyncio.create_task(tooled.chat(deleted_meanwhile))

    async def asked_again() -> bool:
        return len(scripted_model.asked("chat")) == 2

    await until(asked_again)
    assert await observed(tooled) == [LIMIT]
    answering.cancel()
    await asyncio.gather(answering, return_exceptions=True)
    assert await observed(tooled) == []


async def test_of_many_calls_at_once_some_are_carried_out_and_all_are_answered(
    tooled: Memory, scripted_model: ScriptedModel
) -> None:
    calls = tuple(("scratchpad_set", json.dumps({"key": f"k{n}", "value": "v"})) for n in range(MOST_CALLS + 3))
    scripted_model.script(Behaviour(text="", calls=calls, finish_reason="tool_calls"), answer("Done."))
    await said(tooled)
    sent = scripted_model.asked("chat")[1]["messages"]
    results = [json.loads(one["content"]) for one in sent if one["role"] == "tool"]
    assert [("error" in result) for result in results] == [False] * MOST_CALLS + [True] * 3
    assert len(await tooled.scratchpad.page(USER, limit=50)) == MOST_CALLS


async def test_a_stream_that_breaks_after_a_call_keeps_what_was_said(
    tooled: Memory, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(calling("remember", "One moment.", findings=[LIMIT]), cut(0))
    scripted_model.always(status(401))
    asked = request(SAID)
    with pytest.raises(ModelError):
        [event async for event in tooled.stream(asked)]
    await tooled.close()
    kept = await tooled.engine.chats.turns.page(USER, "s1", after=-1, limit=5)
    assert [turn.content for turn in kept] == [SAID, "One moment."]
    assert kept[-1].interrupted


async def test_what_it_recalls_it_can_answer_from(tooled: Memory, scripted_model: ScriptedModel) -> None:
    await tooled.observe(USER, "GOAL:limits", findings=[LIMIT])
    scripted_model.script(calling("recall", query="billing API"), answer("137."))
    await said(tooled, "How many?")
    assert LIMIT in scripted_model.asked("chat")[1]["messages"][-1]["content"]


async def test_tools_write_for_the_user_alone(tooled: Memory, scripted_model: ScriptedModel) -> None:
    scripted_model.script(calling("scratchpad_set", key="plan", value="mine"), answer("Kept."))
    await said(tooled)
    with pytest.raises(NotFound):
        await tooled.scratchpad.get("bob", "plan")
