"""The summary of a whole conversation, as it grows."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from datetime import timedelta
from typing import Any

import pytest

from agents.memory import Memory
from agents.open import open_memory
from config.settings import Settings
from memory.domain import Gist, Turn
from memory.ids import prompt_id, response_id
from memory.language.summaries import extend_by_rules
from memory.turns.digest import ANSWERED
from memory.turns.places import Place
from tests.conversations import START, Silent
from tests.scripted_model import Body, ScriptedModel, status
from utils.clock import now
from utils.text import count_tokens


async def say(memory: Memory, *contents: str) -> None:
    there = await memory.engine.chats.turns.page("ann", "s", after=-1, limit=200)
    for number, content in enumerate(contents, len(there)):
        at = START + timedelta(minutes=number)
        await memory.engine.chats.turns.remember("ann", "s", [Turn(f"m{number}", "user", content, at)])


async def grown(memory: Memory) -> str:
    await memory.engine.chats.digests.extend("ann", "s")
    return await memory.engine.chats.digests.get("ann", "s")


async def test_a_digest_grows_by_rules(quiet: Memory) -> None:
    assert await grown(quiet) == ""
    await say(quiet, "I decided to move to Oslo in May.", "Nice weather.")
    assert "I decided to move to Oslo in May." in await grown(quiet)
    await say(quiet, "My budget is 2,000 euros.")
    digest = await grown(quiet)
    assert "Oslo" in digest and "2,000 euros" in digest
    assert not await quiet.engine.chats.digests.extend("ann", "s")


async def test_a_model_is_given_the_digest_and_what_is_new(
    model_settings: Settings, scripted_model: ScriptedModel
) -> None:
    asked: list[Body] = []

    def reply(body: Body) -> str:
        asked.append(json.loads(body["messages"][1]["content"]))
        return f"- summary {len(asked)}"

    scripted_model.reply = reply
    async with open_memory(model_settings, nudge=Silent()) as memory:
        await say(memory, "one", "two")
        assert await grown(memory) == "- summary 1"
        await say(memory, "three")
        assert await grown(memory) == "- summary 2"
        scripted_model.always(status(400), on="digest")
        await say(memory, "I live in Oslo.")
        assert await grown(memory) == "- summary 2\n- I live in Oslo."
    said = [{"role": "user", "content": text} for text in ("one", "two", "three")]
    assert asked == [
        {"summary": "", "messages": said[:2]},
        {"summary": "- summary 1", "messages": said[2:]},
    ]


async def test_a_deleted_message_is_not_told_any_more(quiet: Memory) -> None:
    await say(quiet, "My pin is 4711.", "I live in Oslo.")
    assert "4711" in await grown(quiet)
    await quiet.engine.oversight.forgetter.exchange("ann", "m0")
    assert await quiet.engine.chats.digests.get("ann", "s") == ""
    assert await grown(quiet) == "- I live in Oslo."


async def test_no_digest_of_a_deleted_user_stays_in_memory(quiet: Memory) -> None:
    await say(quiet, "My pin is 4711.")
    assert "4711" in await grown(quiet)
    await quiet.engine.oversight.forgetter.user("ann")
    assert "4711" not in str(vars(quiet.engine.chats.digests.cache))


async def test_a_digest_is_read_again_where_another_process_extends_it(both: tuple[Memory, Memory]) -> None:
    one, other = both
    await say(one, "I live in Oslo.")
    assert await grown(one) == await other.engine.chats.digests.get("ann", "s") == "- I live in Oslo."
    await say(one, "My dog is called Rex.")
    await grown(one)
    assert "Rex" in await other.engine.chats.digests.get("ann", "s")


def forgotten(memory: Memory) -> Coroutine[Any, Any, object]:
    return memory.engine.oversight.forgetter.message("ann", "m0")


def reworded(memory: Memory) -> Coroutine[Any, Any, object]:
    return memory.engine.oversight.forgetter.reword("ann", "m0", "I have no pin.")


@pytest.mark.parametrize("told_before", [(), ("Hello.",)], ids=["first", "later"])
@pytest.mark.parametrize("change", [forgotten, reworded])
async def test_what_is_forgotten_while_a_model_writes_a_digest_is_not_told(
    model_settings: Settings,
    scripted_model: ScriptedModel,
    told_before: tuple[str, ...],
    change: Callable[[Memory], Coroutine[Any, Any, object]],
) -> None:
    loop, told = asyncio.get_running_loop(), list[str]()

    def changing(body: Body) -> str:
        asked = str(body["messages"][1]["content"])
        if "4711" in asked:
            asyncio.run_coroutine_threadsafe(change(memory), loop).result(10)
        told.append(asked)
        return json.dumps({"digest": asked})

    scripted_model.reply = changing
    async with open_memory(model_settings, nudge=Silent()) as memory:
        for number, text in enumerate(told_before):
            await memory.engine.chats.turns.remember("ann", "s", [Turn(f"b{number}", "user", text, START)])
            assert text in await grown(memory)
        await memory.engine.chats.turns.remember("ann", "s", [Turn("m0", "user", "My pin is 4711.", START)])
        await memory.engine.chats.turns.remember("ann", "s", [Turn("m1", "user", "I live in Oslo.", START)])
        assert await grown(memory) == ""
        await memory.engine.chats.turns.remember("ann", "s", [Turn("m2", "user", "I like tea.", START)])
        digest = await grown(memory)
    assert "4711" in told[-2]
    assert "4711" not in digest
    assert all(text in digest for text in (*told_before, "I live in Oslo.", "I like tea."))


async def opened(memory: Memory, turn_id: str) -> Place:
    """An exchange whose answer is still to come."""
    prompt = Turn(prompt_id(turn_id), "user", f"What of {turn_id}?", now(), turn_id=turn_id)
    return await memory.engine.chats.turns.open_exchange("ann", "s", prompt, retried=False)


async def answered(memory: Memory, turn_id: str, place: Place) -> None:
    answer = Turn(response_id(turn_id), "assistant", f"This of {turn_id}.", now(), turn_id=turn_id)
    assert await memory.engine.chats.turns.close_exchange("ann", "s", place, answer, retried=False) != "gone"


@pytest.fixture
def told(scripted_model: ScriptedModel) -> list[list[str]]:
    """The messages that the model is given, each time."""
    given: list[list[str]] = []

    def reply(body: Body) -> str:
        given.append([one["content"] for one in json.loads(body["messages"][1]["content"])["messages"]])
        return "- summary"

    scripted_model.reply = reply
    return given


async def test_exchanges_that_overlap_are_told_whole_and_in_order(with_model: Memory, told: list[list[str]]) -> None:
    first, second = await opened(with_model, "one"), await opened(with_model, "two")
    await grown(with_model)
    await answered(with_model, "two", second)
    await opened(with_model, "three")
    assert not await with_model.engine.chats.digests.extend("ann", "s")
    await answered(with_model, "one", first)
    await grown(with_model)
    assert told == [["What of one?"], ["This of one.", "What of two?", "This of two.", "What of three?"]]


async def test_an_answer_that_does_not_come_holds_a_digest_up_for_a_while(
    with_model: Memory, told: list[list[str]]
) -> None:
    await opened(with_model, "one")
    await answered(with_model, "two", await opened(with_model, "two"))
    await grown(with_model)
    vectors = with_model.engine.store.collections.vectors
    for passed, extended in ((ANSWERED - timedelta(seconds=30), False), (ANSWERED + timedelta(seconds=1), True)):
        await vectors.update_one({"_id": prompt_id("one")}, {"$set": {"created_at": now() - passed}})
        assert await with_model.engine.chats.digests.extend("ann", "s") is extended
    assert told == [["What of one?"], ["What of two?", "This of two."]]


async def test_a_message_without_a_place_for_an_answer_holds_nothing_up(quiet: Memory) -> None:
    await say(quiet, "I live in Oslo.", "My pin is 4711.", "I work in Rome.")
    await quiet.engine.oversight.forgetter.message("ann", "m1")
    assert await grown(quiet) == "- I live in Oslo.\n- I work in Rome."


async def test_a_digest_goes_with_a_question_whose_exchange_is_deleted_by_its_answer(quiet: Memory) -> None:
    place = await opened(quiet, "one")
    assert "What of one?" in await grown(quiet)
    await answered(quiet, "one", place)
    await quiet.engine.oversight.forgetter.exchange("ann", response_id("one"))
    assert await quiet.engine.chats.digests.get("ann", "s") == ""


async def test_a_deleted_conversation_has_no_digest(quiet: Memory) -> None:
    await say(quiet, "My pin is 4711.")
    await grown(quiet)
    await quiet.engine.oversight.forgetter.session("ann", "s")
    assert await grown(quiet) == ""
    await say(quiet, "I live in Oslo.")
    assert await grown(quiet) == "- I live in Oslo."


def test_the_lines_that_say_least_go_first() -> None:
    def said(text: str) -> Gist:
        return Gist(text, text, "turn", "s", "user", text, START)

    summary = ""
    for number in range(30):
        summary = extend_by_rules(summary, [said(f"I decided to visit Town{number} in May 20{number:02}.")], 100)
        assert count_tokens(summary) <= 100
    assert "Town29" in summary and "Town0 " not in summary
