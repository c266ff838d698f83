"""Findings, insights and lessons are looked for at the same time, each text once."""

import asyncio
from typing import Any

import pytest

from agents.memory import Memory
from memory.observations.observation import CATEGORIES
from memory.recall.word_search import SPARE

HERON = "The heron nests by the mill"


async def test_the_three_categories_are_searched_at_the_same_time(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await quiet.observe("ann", "RUN:walk", findings=[HERON], insights=["Herons like mills"], lessons=["Feed no heron"])
    search, together = quiet.engine.notes.observations._search, asyncio.Barrier(len(CATEGORIES))
    recall = search.recall

    async def once_all_have_begun(*arguments: Any) -> Any:
        async with asyncio.timeout(10):
            await together.wait()
        return await recall(*arguments)

    monkeypatch.setattr(search, "recall", once_all_have_begun)
    fil = await quiet.recall_fil("ann", "heron", 5)
    found = [[one.observation.content for one in part] for part in (fil.findings, fil.insights, fil.lessons)]
    assert found == [[HERON], ["Herons like mills"], ["Feed no heron"]]


async def test_behind_a_text_that_is_repeated_the_others_are_found(quiet: Memory) -> None:
    for number in range(3 * SPARE):
        await quiet.observe("ann", f"RUN:{number}", findings=[HERON])
    await quiet.observe("ann", "RUN:walk", findings=[f"{HERON}, as it does each year", "A heron, for once, by day"])
    found = (await quiet.recall_fil("ann", "heron nests", 3)).findings
    assert found[0].observation.content == HERON
    assert len({one.observation.content for one in found}) == 3
