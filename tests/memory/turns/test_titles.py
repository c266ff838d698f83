"""Titles of sessions: by rules at once, then by a model, once; what a user called a session stays."""

import asyncio
from typing import Any

import pytest

from agents.memory import Memory
from agents.open import open_memory
from config.settings import Settings
from memory.domain import Turn
from memory.ids import prompt_id
from memory.turns.sessions import TITLE_CHARACTERS, title_of
from tests.conversations import START, USER, Silent, request, say, until
from tests.scripted_model import Behaviour, ScriptedModel, answer, cut, hang, slow, status

SAID = "Hello! We want to see Lisbon in May with two kids. What should we book first?"
BY_RULES = "We want to see Lisbon in May with two kids."
TITLE = "Lisbon with kids in May"


async def title(memory: Memory, session: str = "s1") -> str:
    return (await memory.engine.chats.sessions.get(USER, session)).title


async def document(memory: Memory) -> dict[str, Any]:
    found = await memory.engine.store.collections.sessions.find_one({"user_id": USER, "session_id": "s1"})
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("said", "made"),
    [
        (SAID, BY_RULES),
        ("Hallo!\nIch suche eine Wohnung in Wien.", "Ich suche eine Wohnung in Wien."),
        ("Thanks!", "Thanks!"),
        ("How do I prune an old apple tree that has not been cut back for at least ten years?", None),
        ("x" * 500, None),
        ("苹果树怎么修剪？它已经十年没有修剪过了。", "苹果树怎么修剪？"),
    ],
)
async def test_rules_make_it_of_the_first_sentence_that_says_something(
    quiet: Memory, said: str, made: str | None
) -> None:
    await say(quiet, said, "And another thing.")
    assert await title(quiet) == made if made else len(await title(quiet)) <= TITLE_CHARACTERS
    assert await quiet.engine.chats.titles.work() == 0


@pytest.mark.parametrize(
    ("written", "made"),
    [
        (TITLE, TITLE),
        (f'<think>Short.</think>\n\n"{TITLE}."', TITLE),
        (f"**{TITLE}**\n\nI hope this helps!", TITLE),
        ("« Lisbonne en famille »", "Lisbonne en famille"),
        ("A trip to Lisbon " * 30, "A trip to Lisbon A trip to Lisbon A trip to Lisbon A trip…"),
        ('"".', BY_RULES),
    ],
)
async def test_a_model_makes_it_once_the_first_exchange_is_answered(
    with_model: Memory, scripted_model: ScriptedModel, written: str, made: str
) -> None:
    scripted_model.script(answer(written), on="title")
    await say(with_model, SAID)
    assert await title(with_model) == BY_RULES
    assert await with_model.engine.chats.titles.work() == 1
    assert await title(with_model) == made
    [asked] = scripted_model.asked("title")
    assert asked["messages"][1]["content"] == SAID
    await say(with_model, "And then?")
    assert await with_model.engine.chats.titles.work() == 0


@pytest.mark.parametrize("failure", [status(401), status(404), Behaviour(text=" ")])
async def test_rules_stand_in_for_a_model_that_fails_and_it_is_not_asked_again(
    with_model: Memory, scripted_model: ScriptedModel, failure: Behaviour
) -> None:
    await say(with_model, SAID)
    scripted_model.script(failure, on="title")
    assert await with_model.engine.chats.titles.work() == 1
    assert (await title(with_model), (await document(with_model))["naming"]) == (BY_RULES, {"state": "done"})
    await say(with_model, "And then?")
    assert await with_model.engine.chats.titles.work() == 0


@pytest.mark.parametrize("named", ["Trip", BY_RULES])
@pytest.mark.parametrize("when", ["before", "meanwhile", "after"])
async def test_a_title_of_the_users_stays(
    with_model: Memory, scripted_model: ScriptedModel, named: str, when: str
) -> None:
    sessions, titles = with_model.engine.chats.sessions, with_model.engine.chats.titles
    scripted_model.script(slow(0.2), on="title")
    await say(with_model, SAID)
    if when == "before":
        await sessions.change(USER, "s1", {"title": named})
    working = asyncio.create_task(titles.work())
    if when == "meanwhile":

        async def is_asked() -> bool:
            return bool(scripted_model.asked("title"))

        await until(is_asked)
        await sessions.change(USER, "s1", {"title": named})
    await working
    if when == "after":
        await sessions.change(USER, "s1", {"title": named})
    await say(with_model, "And then?")
    await titles.work()
    assert await title(with_model) == named
    assert len(scripted_model.asked("title")) == (when != "before")


async def test_an_exchange_that_nobody_answered_brings_none_and_the_next_does(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(status(401))
    with pytest.raises(Exception, match="OPENAI_API_KEY"):
        await say(with_model, "What is the weather?")
    assert await with_model.engine.chats.titles.work() == 0
    assert await title(with_model) == "What is the weather?"
    await say(with_model, SAID)
    scripted_model.script(answer(TITLE), on="title")
    assert await with_model.engine.chats.titles.work() == 1
    assert await title(with_model) == TITLE


async def test_a_temporary_chat_has_none(with_model: Memory, scripted_model: ScriptedModel) -> None:
    await say(with_model, SAID, temporary=True)
    assert await with_model.engine.chats.titles.work() == 0
    assert await with_model.engine.store.collections.sessions.count_documents({}) == 0


async def test_the_sweep_makes_up_for_a_crash(model_settings: Settings, scripted_model: ScriptedModel) -> None:
    scripted_model.script(hang(), answer(TITLE), on="title")
    async with open_memory(model_settings, nudge=Silent()) as memory:
        await say(memory, SAID)
        working = asyncio.create_task(memory.engine.chats.titles.work())

        async def is_asked() -> bool:
            return bool(scripted_model.asked("title"))

        await until(is_asked)
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
        past = {"$set": {"naming.lease_until": START}}
        await memory.engine.store.collections.sessions.update_many({"naming.state": "leased"}, past)
    async with open_memory(model_settings, nudge=Silent()) as memory:
        await memory.engine.sweep()
        assert await title(memory) == TITLE


async def test_an_answer_that_broke_off_is_one(with_model: Memory, scripted_model: ScriptedModel) -> None:
    scripted_model.script(cut(3))
    with pytest.raises(Exception, match="broke off"):
        [event async for event in with_model.stream(request(SAID))]
    scripted_model.script(answer(TITLE), on="title")
    assert await with_model.engine.chats.titles.work() == 1
    assert await title(with_model) == TITLE


@pytest.mark.parametrize("when", ["meanwhile", "after"])
async def test_it_goes_with_the_message_that_it_is_made_of(
    with_model: Memory, scripted_model: ScriptedModel, when: str
) -> None:
    scripted_model.script(Behaviour(text=TITLE, delay=0.3), on="title")
    first = request(SAID)
    await with_model.chat(first)
    working = asyncio.create_task(with_model.engine.chats.titles.work())
    if when == "meanwhile":

        async def is_asked() -> bool:
            return bool(scripted_model.asked("title"))

        await until(is_asked)
    else:
        await working
        assert await title(with_model) == TITLE
    await with_model.engine.oversight.forgetter.message(USER, prompt_id(first.turn_id))
    await working
    assert await title(with_model) == "Conversation"


async def test_a_message_with_another_text_gives_another_title(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(answer(TITLE), on="title")
    first = request(SAID)
    await with_model.chat(first)
    await with_model.engine.chats.titles.work()
    await with_model.engine.oversight.forgetter.reword(USER, prompt_id(first.turn_id), "Porto it is. In June.")
    assert await title(with_model) == "Porto it is."


async def test_what_is_said_after_a_deletion_gets_its_own(with_model: Memory, scripted_model: ScriptedModel) -> None:
    scripted_model.script(answer(TITLE), answer("Old apple trees"), on="title")
    await say(with_model, SAID)
    await with_model.engine.chats.titles.work()
    await with_model.engine.oversight.forgetter.session(USER, "s1")
    await say(with_model, "How do I prune an old apple tree?")
    await with_model.engine.chats.titles.work()
    assert await title(with_model) == "Old apple trees"


async def test_an_imported_conversation_keeps_the_title_by_rules(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    said = [Turn("m1", "user", SAID, START), Turn("m2", "assistant", "Flights.", START)]
    await with_model.add(USER, "s1", said)
    await say(with_model, "And then?")
    assert await with_model.engine.chats.titles.work() == 0
    assert await title(with_model) == title_of(SAID) == BY_RULES
    assert not scripted_model.asked("title")
