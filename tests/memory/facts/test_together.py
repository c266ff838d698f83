"""What a turn needs of a model goes to it in one call, once the turn is answered; each part is kept as ever."""

import asyncio
import json
from datetime import timedelta
from typing import Any

import pytest

from agents.memory import Memory
from memory.facts import queue
from memory.ids import prompt_id
from tests.conversations import USER, request, say, until
from tests.scripted_model import Behaviour, ScriptedModel, answer, slow, status
from tests.stated import texts

TITLE = "Boats on the fjord"
ADD = {"event": "ADD", "fact": 0, "id": -1, "text": None}


def facts(*stated: str, **more: Any) -> Behaviour:
    return answer(json.dumps({"facts": stated} | more))


def kinds(model: ScriptedModel) -> list[str]:
    """What was asked of it in the background."""
    return [one.kind for one in model.requests if one.kind in ("together", "facts", "title", "digest")]


async def learnt(memory: Memory) -> None:
    await memory.engine.knowledge.queue.work()


async def title(memory: Memory) -> str:
    return (await memory.engine.chats.sessions.get(USER, "s1")).title


async def test_facts_and_the_title_of_a_first_turn_are_one_call_and_later_facts_and_what_becomes_of_them(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(facts("The user has a boat called Nixe."), on="facts")
    scripted_model.script(answer(TITLE), on="title")
    await say(with_model, "My boat is called Nixe.")
    await learnt(with_model)
    assert (kinds(scripted_model), await title(with_model)) == (["together"], TITLE)
    update = {"event": "UPDATE", "fact": 0, "id": 0, "text": "The user has a boat called Nora."}
    scripted_model.script(facts("The boat is called Nora now.", decisions=[update]), on="facts")
    await say(with_model, "I renamed the boat: Nora.")
    await learnt(with_model)
    assert kinds(scripted_model) == ["together", "facts"]
    assert await texts(with_model, USER) == ["The user has a boat called Nora."]
    assert await with_model.engine.chats.titles.work() == await with_model.engine.chats.summaries.work() == 0


async def test_a_summary_that_is_due_goes_along(with_model: Memory, scripted_model: ScriptedModel) -> None:
    for number in range(10):
        await with_model.chat(request(f"I own gadget number {number}."))
        await learnt(with_model)
    assert kinds(scripted_model) == ["together", *["facts"] * 8, "together"]
    [summary] = await with_model.engine.chats.summaries.of_session(USER, "s1")
    assert (summary.from_index, summary.to_index, summary.model) == (0, 19, "gpt-4o-mini")


async def test_decisions_on_facts_that_changed_meanwhile_are_made_anew(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(facts("The user lives in Rome."), on="facts")
    await with_model.learn(USER, "I live in Rome.")
    scripted_model.script(
        Behaviour(text=json.dumps({"facts": ["The user lives in Oslo."], "decisions": [ADD]}), delay=0.3), on="facts"
    )
    update = {"event": "UPDATE", "fact": 0, "id": 0, "text": "The user lives in Oslo."}
    scripted_model.script(answer(json.dumps({"decisions": [update]})), on="facts")
    learning = asyncio.create_task(with_model.learn(USER, "I moved to Oslo."))
    [(rome, _)] = await with_model.engine.knowledge.facts.page(USER, limit=9)

    async def is_asked() -> bool:
        return any("Oslo" in str(body) for body in scripted_model.asked("facts"))

    await until(is_asked)
    await with_model.engine.knowledge.facts.change(USER, rome.id, "The user lives in Bari.")
    assert [decided.old for decided in await learning] == ["The user lives in Bari."]


@pytest.mark.parametrize("failing", ["title", "facts"])
async def test_a_part_that_fails_holds_up_no_other(
    with_model: Memory, scripted_model: ScriptedModel, failing: str
) -> None:
    scripted_model.always(facts("The user has a boat."), on="facts")
    scripted_model.always(answer(TITLE), on="title")
    scripted_model.always(status(400), on=failing)
    await say(with_model, "My boat is called Nixe.")
    await learnt(with_model)
    [fact] = await texts(with_model, USER)
    assert (fact == "The user has a boat.") is (failing == "title")
    assert (await title(with_model) == TITLE) is (failing == "facts")


async def test_facts_wait_for_the_answer_but_not_for_ever(
    with_model: Memory, scripted_model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted_model.script(slow(0.5))
    chatting = asyncio.create_task(with_model.chat(request("My boat is called Nixe.")))

    async def is_answering() -> bool:
        return bool(scripted_model.asked("chat"))

    await until(is_answering)
    await learnt(with_model)
    assert not kinds(scripted_model)
    await chatting
    failed = request("My dog is called Rex.")
    scripted_model.script(status(401))
    with pytest.raises(Exception, match="OPENAI_API_KEY"):
        await with_model.chat(failed)
    monkeypatch.setattr(queue, "ANSWERED", timedelta(0))
    await with_model.engine.store.collections.vectors.update_many({}, {"$set": {"facts.lease_until": queue.now()}})
    await learnt(with_model)
    assert any("Rex" in str(body) for body in scripted_model.asked("facts"))
    stored = await with_model.engine.store.collections.vectors.find_one({"id": prompt_id(failed.turn_id)})
    assert stored is not None and stored["facts"]["state"] == "done"
