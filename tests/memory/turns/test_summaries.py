"""Every ten pairs get one summary, by whatever means, whoever writes at the same time."""

import asyncio
from collections.abc import Callable, Coroutine
from datetime import timedelta
from typing import Any

import pytest

from agents.memory import Memory
from agents.open import ABANDONED_DEADLINES
from memory.domain import RULE_BASED, Summary
from memory.turns import summaries as summarise
from tests.conversations import USER, messages, pairs, request, turn
from tests.scripted_model import ScriptedModel, answer, no_finish_reason, status
from utils.clock import now
from utils.model_json import Part

ABANDONED = timedelta(seconds=60 * ABANDONED_DEADLINES)


async def summaries(memory: Memory, session_id: str = "s1") -> list[Summary]:
    return await memory.engine.chats.summaries.of_session(USER, session_id)


async def windows(memory: Memory, session_id: str = "s1") -> list[tuple[int, int]]:
    return [(one.from_index, one.to_index) for one in await summaries(memory, session_id)]


async def overdue(memory: Memory) -> None:
    """Lets the wait of every summary pass."""
    await memory.engine.store.collections.sessions.update_many({}, {"$set": {"summary.lease_until": now()}})


async def waits_since(memory: Memory, passed: timedelta) -> None:
    await overdue(memory)
    await memory.engine.store.collections.sessions.update_many(
        {"summary.waiting_since": {"$exists": True}}, {"$set": {"summary.waiting_since": now() - passed}}
    )


@pytest.mark.parametrize("at_once", [False, True])
async def test_25_pairs_have_two_summaries_that_tile_the_first_20(quiet: Memory, at_once: bool) -> None:
    for added in [pairs(25)] if at_once else [pairs(1, first=number) for number in range(25)]:
        await quiet.add(USER, "s1", added)
    assert await quiet.engine.chats.summaries.work() == 2
    assert await windows(quiet) == [(0, 19), (20, 39)]
    assert [one.message_count for one in await summaries(quiet)] == [20, 20]


@pytest.mark.parametrize(("count", "expected"), [(9, 0), (10, 1), (19, 1), (20, 2)])
async def test_a_summary_is_due_every_10_pairs(quiet: Memory, count: int, expected: int) -> None:
    await quiet.add(USER, "s1", pairs(count))
    assert await quiet.engine.chats.summaries.work() == expected


async def test_25_exchanges_at_once_have_two_summaries_that_tile(quiet: Memory) -> None:
    await asyncio.gather(*(quiet.chat(request(f"What is thing number {n}?")) for n in range(25)))
    await asyncio.gather(*(quiet.engine.chats.summaries.work() for _ in range(3)))
    assert await windows(quiet) == [(0, 19), (20, 39)]
    assert [one["message_index"] for one in await messages(quiet)] == list(range(50))


async def test_workers_at_once_write_each_summary_once(quiet: Memory) -> None:
    for session in ("s1", "s2", "s3"):
        await quiet.add(USER, session, [turn(f"{session}.{n}") for n in range(40)])
    written = await asyncio.gather(*(quiet.engine.chats.summaries.work() for _ in range(5)))
    assert sum(written) == 6
    for session in ("s1", "s2", "s3"):
        assert await windows(quiet, session) == [(0, 19), (20, 39)]


async def test_messages_that_come_while_a_summary_is_written_are_summarised_too(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    await with_model.add(USER, "s1", pairs(10))
    added = False

    async def more() -> None:
        nonlocal added
        if not added:
            added = True
            await with_model.add(USER, "s1", pairs(10, first=10))

    meanwhile(scripted_model, "", more)
    await with_model.engine.chats.summaries.work()
    assert await windows(with_model) == [(0, 19), (20, 39)]


async def test_an_answer_in_progress_delays_its_window_until_it_lands(quiet: Memory) -> None:
    await quiet.add(USER, "s1", pairs(9))
    turns = quiet.engine.chats.turns
    place = await turns.open_exchange(USER, "s1", turn("q1", "A question?", turn_id="t1"), retried=False)
    await quiet.engine.chats.summaries.work()
    assert await windows(quiet) == []
    landed = turn("a1", "The answer.", "assistant", turn_id="t1")
    await turns.close_exchange(USER, "s1", place, landed, retried=False)
    await overdue(quiet)
    await quiet.engine.chats.summaries.work()
    assert await windows(quiet) == [(0, 19)]
    assert (await summaries(quiet))[0].message_count == 20


async def test_an_abandoned_answer_does_not_block_its_window_for_ever(quiet: Memory) -> None:
    await quiet.add(USER, "s1", pairs(9))
    await quiet.engine.chats.turns.open_exchange(USER, "s1", turn("q1", "A question?", turn_id="t1"), retried=False)
    await quiet.add(USER, "s1", pairs(2, first=20))
    await quiet.engine.sweep()
    assert await windows(quiet) == []
    await waits_since(quiet, ABANDONED - timedelta(minutes=1))
    await quiet.engine.sweep()
    assert await windows(quiet) == []
    await waits_since(quiet, ABANDONED + timedelta(minutes=1))
    await quiet.engine.sweep()
    assert await windows(quiet) == [(0, 19)]
    assert (await summaries(quiet))[0].message_count == 19


async def test_a_place_that_a_crash_left_empty_does_not_block_its_window(quiet: Memory) -> None:
    await quiet.add(USER, "s1", pairs(5))
    await quiet.engine.chats.places.reserve(USER, "s1", [turn("lost", role="assistant")])
    await quiet.add(USER, "s1", pairs(6, first=5))
    await quiet.engine.chats.summaries.work()
    await waits_since(quiet, summarise.LOST + timedelta(seconds=1))
    await quiet.engine.chats.summaries.work()
    assert await windows(quiet) == [(0, 19)]


async def test_a_dead_summary_is_tried_again_when_more_is_said(quiet: Memory) -> None:
    await quiet.add(USER, "s1", pairs(10))
    await quiet.engine.store.collections.sessions.update_one(
        {"_id": "s1"}, {"$set": {"summary.state": "dead", "summary.attempts": 3}}
    )
    await quiet.engine.chats.summaries.work()
    assert await windows(quiet) == []
    await quiet.add(USER, "s1", pairs(1, first=50))
    await quiet.engine.chats.summaries.work()
    assert await windows(quiet) == [(0, 19)]


# By a model, or by rules.


async def test_a_summary_by_a_model_carries_its_text_and_its_name(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(answer("- The user counts items."))
    await with_model.add(USER, "s1", pairs(10))
    await with_model.engine.chats.summaries.work()
    (made,) = await summaries(with_model)
    assert (made.text, made.model) == ("- The user counts items.", "gpt-4o-mini")


async def test_a_model_reads_the_last_12_messages_at_temperature_0_2_and_writes_at_most_120_tokens(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    await with_model.add(USER, "s1", pairs(10))
    await with_model.engine.chats.summaries.work()
    (asked,) = scripted_model.asked("chat")
    lines = asked["messages"][1]["content"].split("\n")
    assert len(lines) == 12
    assert lines[0] == "user: user says something of item number 4"
    assert lines[-1] == "assistant: assistant says something of item number 9"
    assert (asked["temperature"], asked["max_tokens"]) == (0.2, 120)
    assert "4 to 6 short bullet points" in asked["messages"][0]["content"]


@pytest.mark.parametrize("failure", [status(503), status(401), no_finish_reason()], ids=["away", "refused", "garbage"])
async def test_a_summary_falls_back_to_rules_when_the_model_fails_and_says_so(
    with_model: Memory, scripted_model: ScriptedModel, failure: Any
) -> None:
    scripted_model.always(failure)
    await with_model.add(USER, "s1", pairs(10))
    await with_model.engine.chats.summaries.work()
    (made,) = await summaries(with_model)
    assert made.model == RULE_BASED
    assert made.text.startswith("- ")


async def test_the_newest_summaries_of_the_session_come_before_those_of_others(quiet: Memory) -> None:
    for session, count in (("s1", 20), ("s2", 40), ("s3", 20)):
        await quiet.add(USER, session, [turn(f"{session}.{n}") for n in range(count)])
        await quiet.engine.chats.summaries.work()
    newest = await quiet.engine.chats.summaries.newest(USER, "s1", 3)
    assert [(one.session_id, one.from_index) for one in newest] == [("s1", 0), ("s3", 0), ("s2", 20)]
    for number in range(10):
        await quiet.add(USER, f"more{number}", [turn(f"more{number}.{n}") for n in range(20)])
    await quiet.engine.chats.summaries.work()
    newest = await quiet.engine.chats.summaries.newest(USER, "s1", 3)
    assert newest[0].session_id == "s1"
    assert len(newest) == 3


# Forgetting.


async def test_a_summary_is_written_again_without_what_was_forgotten(quiet: Memory) -> None:
    said = [*pairs(9), turn("p1", "My PIN is 4711 and always was.", turn_id="t"), turn("p2", "I see.", "assistant")]
    await quiet.add(USER, "s1", said)
    await quiet.engine.chats.summaries.work()
    assert "4711" in (await summaries(quiet))[0].text
    fact, _ = await quiet.engine.chats.keyvalues.put(USER, "pin", "4711", source="p1")
    assert await quiet.engine.oversight.forgetter.exchanges(USER, fact.sources) == 1
    (left,) = await summaries(quiet)
    assert "4711" not in left.text
    assert (left.from_index, left.to_index, left.message_count) == (0, 19, 19)


async def test_a_summary_of_which_nothing_is_left_is_not_told(quiet: Memory) -> None:
    await quiet.add(USER, "s1", [turn(f"m{n}", turn_id="t") for n in range(20)])
    await quiet.engine.chats.summaries.work()
    fact, _ = await quiet.engine.chats.keyvalues.put(USER, "k", "v", source="m3")
    assert await quiet.engine.oversight.forgetter.exchanges(USER, fact.sources) == 20
    assert await quiet.engine.chats.summaries.newest(USER, "s1", 3) == []


def meanwhile(scripted_model: ScriptedModel, text: str, do: Callable[[], Coroutine[Any, Any, object]]) -> None:
    """Has the model say what it is asked, and where it is asked of a text, something else is done first."""
    loop = asyncio.get_running_loop()

    def reply(asked: dict[str, Any]) -> str:
        said = str(asked["messages"][1]["content"])
        if text in said:
            asyncio.run_coroutine_threadsafe(do(), loop).result(10)
        return said

    scripted_model.reply = reply


@pytest.mark.parametrize("rewritten", [False, True])
async def test_what_is_forgotten_while_its_summary_is_being_written_is_not_in_it(
    with_model: Memory, scripted_model: ScriptedModel, rewritten: bool
) -> None:
    forget = with_model.engine.oversight.forgetter.message
    await with_model.add(USER, "s1", [*pairs(9), turn("p1", "My PIN is 4711."), turn("p2", "My dog is Rex.")])
    if rewritten:
        await with_model.engine.chats.summaries.work()
    meanwhile(scripted_model, "4711", lambda: forget(USER, "p1"))
    if rewritten:
        assert await forget(USER, "p2")
    else:
        await with_model.engine.chats.summaries.work()
    (made,) = await summaries(with_model)
    assert "4711" not in made.text and ("Rex" in made.text) is not rewritten
    assert made.message_count == 19 - rewritten


async def test_a_session_deleted_while_its_summary_is_being_written_leaves_none(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    await with_model.add(USER, "s1", pairs(10))
    meanwhile(scripted_model, "", lambda: with_model.engine.oversight.forgetter.session(USER, "s1"))
    await with_model.engine.chats.summaries.work()
    assert await with_model.engine.store.collections.summaries.count_documents({}) == 0


async def test_a_session_that_comes_back_under_another_user_gets_summaries_of_its_own(quiet: Memory) -> None:
    await quiet.add("alice", "work", pairs(10))
    await quiet.engine.sweep()
    await quiet.engine.store.collections.sessions.delete_one({"_id": "work"})  # a deletion that came no further
    await quiet.add("bob", "work", pairs(20))
    await quiet.engine.sweep()
    found = await quiet.engine.store.collections.summaries.find({"user_id": "alice"}).to_list(None)
    assert [len(one["summaries"]) for one in found] == [1]
    assert len(await quiet.engine.chats.summaries.of_session("bob", "work")) == 2


async def test_a_model_is_asked_for_one_summary_at_a_time(with_model: Memory) -> None:
    for session in ("s1", "s2", "s3"):
        await with_model.add(USER, session, [turn(f"{session}.{n}") for n in range(20)])
    going = most = 0

    async def counted(part: Part[Any]) -> tuple[Any, str]:
        nonlocal going, most
        going += 1
        most = max(most, going)
        await asyncio.sleep(0.01)
        going -= 1
        return part.read("- They spoke."), "m"

    assert await with_model.engine.chats.summaries.work(counted) == 3
    assert most == 1
