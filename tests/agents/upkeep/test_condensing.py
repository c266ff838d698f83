"""A bank that has grown is condensed at once, whatever the workers are at."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from agents.memory import Memory
from agents.open import open_memory
from agents.upkeep.condensing import bank_condensing
from config.recipes import BankRecipe
from config.settings import Settings
from memory.banks.tidying import BankTidying
from memory.banks.types import BankType
from tests.banks import begun, content, update
from tests.conversations import USER, until

HUGE = "\n\n".join(f"Note {number}: nothing much was said about part {number} of it." for number in range(1_000))


async def condensed(memory: Memory, kind: BankType = "project", name: str = "loci") -> int:
    """The tokens of a bank, once they are few."""

    async def few() -> bool:
        return (await memory.engine.library.banks.info(USER, kind, name)).tokens <= BankRecipe().most

    await until(few, seconds=60)
    return (await memory.engine.library.banks.info(USER, kind, name)).tokens


async def test_it_waits_for_no_embedding(quiet: Memory) -> None:
    await begun(quiet)
    async with bank_condensing(quiet.engine):
        await update(quiet, HUGE)
        assert await condensed(quiet) <= BankRecipe().target
    assert (await quiet.engine.gists.queue.count_waiting(1)).count  # nobody has embedded anything


async def test_a_memory_that_works_in_the_background_does_it_too(make_settings: Callable[..., Settings]) -> None:
    async with open_memory(make_settings()) as memory:
        await begun(memory)
        await update(memory, HUGE)
        assert await condensed(memory) <= BankRecipe().target


async def test_what_another_process_left_is_found(quiet: Memory) -> None:
    await begun(quiet)
    await update(quiet, HUGE)
    async with bank_condensing(quiet.engine):
        assert await condensed(quiet) <= BankRecipe().target


async def test_who_ends_in_the_middle_leaves_it_to_others_at_once(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begun(quiet)
    begins = asyncio.Event()

    async def forever(*_: Any) -> bool:
        begins.set()
        await asyncio.Event().wait()
        return False

    with monkeypatch.context() as patched:
        patched.setattr(BankTidying, "_optimise", forever)
        async with bank_condensing(quiet.engine):
            await update(quiet, HUGE)
            await begins.wait()
    assert await quiet.engine.library.tidying.condense() == 1
    assert "has all of it" in await content(quiet)
