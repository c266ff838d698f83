"""Conversations that may keep so many messages."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from agents.memory import Memory
from agents.open import open_memory
from config.settings import Settings
from memory.domain import Turn
from tests.conversations import START, Silent


async def say(memory: Memory, count: int) -> None:
    turns = [
        Turn(f"m{n}", "user", f"I live in Town{n}.", START + timedelta(minutes=n), stating=n == 0) for n in range(count)
    ]
    await memory.engine.turns.remember("ann", "s", turns)


async def left(memory: Memory) -> list[str]:
    return [turn.id for turn in await memory.engine.turns.page("ann", "s", after=-1, limit=200)]


async def test_the_oldest_and_least_recalled_go_first(
    make_settings: Callable[..., Settings], caplog: pytest.LogCaptureFixture
) -> None:
    async with open_memory(make_settings(max_entries=10), nudge=Silent()) as memory:
        await say(memory, 14)
        await memory.engine.eviction.note_use("ann", ["m0", "m2"])
        with caplog.at_level("INFO"):
            assert await memory.engine.eviction.run("ann", "s") == 4
        assert await left(memory) == ["m0", "m2", "m6", "m7", "m8", "m9", "m10", "m11", "m12", "m13"]
        assert "m1, m3, m4, m5" in caplog.text
        assert (await memory.engine.sessions.get("ann", "s")).message_count == 10
        assert await memory.engine.eviction.run("ann", "s") == 0


async def test_the_newer_half_stays_however_often_the_older_was_recalled(
    make_settings: Callable[..., Settings],
) -> None:
    async with open_memory(make_settings(max_entries=4), nudge=Silent()) as memory:
        await say(memory, 6)
        await memory.engine.eviction.note_use("ann", ["m0", "m1", "m2"])
        await memory.engine.eviction.run("ann", "s")
        assert (await left(memory))[-2:] == ["m4", "m5"]
        assert len(await left(memory)) == 4


async def test_facts_in_force_are_kept_when_their_message_goes(make_settings: Callable[..., Settings]) -> None:
    async with open_memory(make_settings(max_entries=4), nudge=Silent()) as memory:
        await say(memory, 8)
        await memory.engine.fact_queue.work()
        assert "m0" not in await left(memory)
        assert [fact.text for fact in await memory.engine.facts.in_force("ann", "s")] == ["The user lives in Town0."]


async def test_nothing_goes_without_a_bound(quiet: Memory) -> None:
    await say(quiet, 50)
    assert await quiet.engine.eviction.run("ann", "s") == 0
    assert len(await left(quiet)) == 50
