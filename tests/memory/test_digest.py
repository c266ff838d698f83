"""The summary of a whole conversation, as it grows."""

import json
from datetime import timedelta

from agents.memory import Memory
from agents.open import open_memory
from config.settings import Settings
from memory.domain import Gist, Turn
from memory.summary_rules import extend_by_rules
from tests.conversations import START, Silent
from tests.scripted_model import Body, ScriptedModel, status
from utils.text import count_tokens


async def say(memory: Memory, *contents: str) -> None:
    there = await memory.engine.turns.page("ann", "s", after=-1, limit=200)
    for number, content in enumerate(contents, len(there)):
        at = START + timedelta(minutes=number)
        await memory.engine.turns.remember("ann", "s", [Turn(f"m{number}", "user", content, at)])


async def grown(memory: Memory) -> str:
    await memory.engine.digests.extend("ann", "s")
    return await memory.engine.digests.get("ann", "s")


async def test_a_digest_grows_by_rules(quiet: Memory) -> None:
    assert await grown(quiet) == ""
    await say(quiet, "I decided to move to Oslo in May.", "Nice weather.")
    assert "I decided to move to Oslo in May." in await grown(quiet)
    await say(quiet, "My budget is 2,000 euros.")
    digest = await grown(quiet)
    assert "Oslo" in digest and "2,000 euros" in digest
    assert not await quiet.engine.digests.extend("ann", "s")


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
    await quiet.engine.forgetter.exchange("ann", "m0")
    assert await quiet.engine.digests.get("ann", "s") == ""
    assert await grown(quiet) == "- I live in Oslo."


async def test_a_deleted_conversation_has_no_digest(quiet: Memory) -> None:
    await say(quiet, "My pin is 4711.")
    await grown(quiet)
    await quiet.engine.forgetter.session("ann", "s")
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
