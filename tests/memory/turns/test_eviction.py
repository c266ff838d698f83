"""Conversations that may keep so many messages."""

from collections.abc import AsyncIterator, Callable
from datetime import timedelta

import pytest

from agents.memory import Memory
from agents.open import open_memory
from config.settings import Settings
from memory.domain import Turn
from memory.facts import queue as fact_queue
from memory.ids import prompt_id, response_id
from memory.store.leases import claim, fail
from tests.conversations import START, Silent, pairs
from tests.meanwhile import meanwhile


async def say(memory: Memory, count: int) -> None:
    """Messages of which nothing is to be learned."""
    turns = [Turn(f"m{n}", "user", f"Where is Town{n}?", START + timedelta(minutes=n)) for n in range(count)]
    await memory.engine.chats.turns.remember("ann", "s", turns)
    await memory.engine.knowledge.queue.work()


async def left(memory: Memory) -> list[str]:
    return [turn.id for turn in await memory.engine.chats.turns.page("ann", "s", after=-1, limit=200)]


async def test_the_oldest_and_least_recalled_go_first(
    make_settings: Callable[..., Settings], caplog: pytest.LogCaptureFixture
) -> None:
    async with open_memory(make_settings(max_entries=10), nudge=Silent()) as memory:
        await say(memory, 14)
        await memory.engine.chats.eviction.note_use("ann", ["m0", "m2"])
        with caplog.at_level("INFO"):
            assert await memory.engine.chats.eviction.run("ann", "s") == 4
        assert await left(memory) == ["m0", "m2", "m6", "m7", "m8", "m9", "m10", "m11", "m12", "m13"]
        assert "m1, m3, m4, m5" in caplog.text
        assert (await memory.engine.chats.sessions.get("ann", "s")).message_count == 10
        assert await memory.engine.chats.eviction.run("ann", "s") == 0


async def test_the_newer_half_stays_however_often_the_older_was_recalled(
    make_settings: Callable[..., Settings],
) -> None:
    async with open_memory(make_settings(max_entries=4), nudge=Silent()) as memory:
        await say(memory, 6)
        await memory.engine.chats.eviction.note_use("ann", ["m0", "m1", "m2"])
        await memory.engine.chats.eviction.run("ann", "s")
        assert (await left(memory))[-2:] == ["m4", "m5"]
        assert len(await left(memory)) == 4


async def test_facts_in_force_are_kept_when_their_message_goes(make_settings: Callable[..., Settings]) -> None:
    async with open_memory(make_settings(max_entries=4), nudge=Silent()) as memory:
        await memory.engine.chats.turns.remember("ann", "s", gadgets(8))
        await memory.engine.knowledge.queue.work()
        assert await left(memory) == ["m4", "m5", "m6", "m7"]
        assert await facts(memory) == {f"The user's gadget {n} is called G{n}." for n in range(8)}


async def test_only_conversations_of_the_proxy_are_kept_to_so_many(make_settings: Callable[..., Settings]) -> None:
    async with open_memory(make_settings(max_entries=4), nudge=Silent()) as memory:
        await say(memory, 8)
        assert len(await left(memory)) == 8
        assert await memory.engine.chats.digests.get("ann", "s") == ""


def gadgets(count: int) -> list[Turn]:
    return [
        Turn(f"m{n}", "user", f"My gadget {n} is called G{n}.", START + timedelta(minutes=n), proxied=True)
        for n in range(count)
    ]


async def facts(memory: Memory) -> set[str]:
    return {fact.text for fact in await memory.engine.knowledge.facts.in_force("ann", "s")}


async def test_no_message_goes_before_its_facts_are_made(
    make_settings: Callable[..., Settings], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fact_queue, "BATCH_BY_RULES", 4)  # so that it evicts while others wait
    monkeypatch.setattr(fact_queue, "LOOK_AGAIN", timedelta(0))
    async with open_memory(make_settings(max_entries=20), nudge=Silent()) as memory:
        await memory.engine.chats.turns.remember("ann", "s", gadgets(45))
        await memory.engine.knowledge.queue.work()
        assert await facts(memory) == {f"The user's gadget {n} is called G{n}." for n in range(45)}
        assert await left(memory) == [f"m{n}" for n in range(25, 45)]


async def test_an_answer_that_lands_after_its_prompt_is_settled_leaves_none_too_much(
    make_settings: Callable[..., Settings],
) -> None:
    async with open_memory(make_settings(max_entries=4), nudge=Silent()) as memory:
        turns, queue = memory.engine.chats.turns, memory.engine.knowledge.queue
        for name in ("t0", "t1", "t2"):
            prompt = Turn(prompt_id(name), "user", f"What of {name}?", START, turn_id=name, proxied=True)
            place = await turns.open_exchange("ann", "s", prompt, retried=False)
            await queue.work()
            answer = Turn(response_id(name), "assistant", f"This of {name}.", START, turn_id=name, proxied=True)
            assert await turns.close_exchange("ann", "s", place, answer, retried=False) != "gone"
            await queue.work()
        assert await left(memory) == [identify(name) for name in ("t1", "t2") for identify in (prompt_id, response_id)]


async def test_while_nobody_makes_facts_a_conversation_grows(make_settings: Callable[..., Settings]) -> None:
    async with open_memory(make_settings(max_entries=4), nudge=Silent()) as memory:
        await memory.engine.chats.turns.remember("ann", "s", gadgets(9))
        assert await memory.engine.chats.eviction.run("ann", "s") == 0
        claimed = await claim(memory.engine.store.collections.vectors, "facts", 9)  # by a worker that dies
        assert await memory.engine.chats.eviction.run("ann", "s") == 0
        await fail(memory.engine.store.collections.vectors, "facts", claimed.lease, claimed.documents[:1], "Gone")
        assert await memory.engine.chats.eviction.run("ann", "s") == 0 and len(await left(memory)) == 9


async def test_a_message_whose_facts_failed_for_good_may_go(make_settings: Callable[..., Settings]) -> None:
    async with open_memory(make_settings(max_entries=4), nudge=Silent()) as memory:
        await memory.engine.chats.turns.remember("ann", "s", gadgets(9))
        await memory.engine.store.collections.vectors.update_many({"user_id": "ann"}, {"$set": {"facts.state": "dead"}})
        assert await memory.engine.chats.eviction.run("ann", "s") == 5
        assert await left(memory) == ["m5", "m6", "m7", "m8"]


async def test_nothing_goes_without_a_bound(quiet: Memory) -> None:
    await say(quiet, 50)
    assert await quiet.engine.chats.eviction.run("ann", "s") == 0
    assert len(await left(quiet)) == 50


@pytest.fixture
async def both(make_settings: Callable[..., Settings]) -> AsyncIterator[tuple[Memory, Memory]]:
    """Two workers on a conversation that has four messages too much."""
    settings = make_settings(max_entries=10)
    async with open_memory(settings, nudge=Silent()) as one, open_memory(settings, nudge=Silent()) as other:
        await one.engine.chats.turns.remember("ann", "s", pairs(7))
        await one.engine.knowledge.queue.work()
        yield one, other


@pytest.mark.parametrize("when", ["counted", "found"])
async def test_two_workers_at_once_drop_no_more_than_one(
    both: tuple[Memory, Memory], monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    one, other = both

    async def run() -> None:
        assert await one.engine.chats.eviction.run("ann", "s") == 4

    if when == "counted":
        meanwhile(monkeypatch, other.engine.store.collections.vectors, "count_documents", run, after=True)
    else:
        meanwhile(monkeypatch, other.engine.gists.eraser, "erase", run)  # type: ignore[arg-type]
    assert await other.engine.chats.eviction.run("ann", "s") == 0
    assert len(await left(one)) == 10
    session = await one.engine.chats.sessions.get("ann", "s")
    assert (session.message_count, session.pair_count) == (10, 5)


async def test_what_another_worker_dropped_of_those_found_leaves_none_too_much(
    both: tuple[Memory, Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = both
    oldest = (await left(one))[0]

    async def drop_the_oldest() -> None:
        assert await one.engine.gists.eraser.erase("ann", {"id": oldest, "user_id": "ann"}) == 1

    meanwhile(monkeypatch, other.engine.store.collections.vectors, "count_documents", drop_the_oldest, call=2)
    assert await other.engine.chats.eviction.run("ann", "s") == 3
    assert len(await left(one)) == 10


async def test_a_conversation_that_is_deleted_meanwhile_has_nothing_to_drop(
    both: tuple[Memory, Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = both

    async def delete() -> None:
        await one.engine.oversight.forgetter.session("ann", "s")

    meanwhile(monkeypatch, other.engine.store.collections.vectors, "count_documents", delete, after=True)
    assert await other.engine.chats.eviction.run("ann", "s") == 0


async def test_the_counts_are_of_what_is_there_though_a_crash_left_others(both: tuple[Memory, Memory]) -> None:
    one, _ = both
    await one.engine.store.collections.sessions.update_one(
        {"_id": "s"}, {"$inc": {"message_count": 3, "pair_count": 2}}
    )
    await one.engine.chats.eviction.run("ann", "s")
    session = await one.engine.chats.sessions.get("ann", "s")
    assert (session.message_count, session.pair_count) == (10, 5)


async def test_what_is_said_while_messages_are_counted_counts(
    both: tuple[Memory, Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = both

    async def say_more() -> None:
        await one.engine.chats.turns.remember("ann", "s", pairs(1, first=7))

    meanwhile(monkeypatch, other.engine.store.collections.sessions, "find_one", say_more, after=True)
    await other.engine.chats.eviction.run("ann", "s")
    session = await one.engine.chats.sessions.get("ann", "s")
    assert (session.message_count, session.pair_count) == (12, 6) == (len(await left(one)), 6)
