"""The indexes that stay in memory, and whose they are."""

import asyncio

import numpy as np
import pytest

from agents.memory import Memory
from config.recipes import SEARCH
from memory import metrics
from memory.recall import kept_indexes
from memory.recall.index import UserIndex
from memory.recall.kept_indexes import KeptIndexes
from memory.recall.ranking import Scope
from tests.conversations import turn
from utils.vectors import Floats


@pytest.fixture
async def three(quiet: Memory) -> KeptIndexes:
    """Indexes of three users, the least recently used being ann's."""
    indexes = quiet.engine.search.recaller._indexes
    assert isinstance(indexes, KeptIndexes)
    for owner in ("ann", "bob", "eve"):
        await quiet.add(owner, "s1", [turn(f"{owner}-m1", "bees make honey")], wait=True)
        await look(indexes, owner)
    return indexes


async def look(indexes: KeptIndexes, owner: str) -> None:
    await indexes.suiting(owner, embedded(384), SEARCH, Scope())


def embedded(dimensions: int) -> "asyncio.Future[Floats]":
    """A query's vector that is there already."""
    vector: asyncio.Future[Floats] = asyncio.get_running_loop().create_future()
    vector.set_result(np.zeros(dimensions, np.float32))
    return vector


def held(indexes: KeptIndexes) -> list[str]:
    return [owner for owner in ("ann", "bob", "eve") if indexes.known(owner) is not None]


async def test_the_least_recently_used_goes_first(three: KeptIndexes, monkeypatch: pytest.MonkeyPatch) -> None:
    assert held(three) == ["ann", "bob", "eve"]
    before = metrics.EVICTED._value.get()
    monkeypatch.setattr(three, "_bound", three._bytes - 1)
    await look(three, "ann")
    assert held(three) == ["ann", "eve"]
    assert metrics.EVICTED._value.get() == before + 1
    monkeypatch.setattr(three, "_bound", 0)
    await look(three, "eve")
    assert held(three) == ["eve"]  # the one just used stays, however large
    three.forget("eve")
    assert three._bytes == 0


async def test_one_that_is_being_brought_up_to_date_holds_up_nobody_elses_eviction(
    three: KeptIndexes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(three, "_bound", 0)
    async with three._kept["ann"].lock:
        await look(three, "eve")
        assert held(three) == ["ann", "eve"]
    await look(three, "eve")
    assert held(three) == ["eve"]


async def test_an_index_that_may_have_missed_a_deletion_is_read_anew(
    three: KeptIndexes, monkeypatch: pytest.MonkeyPatch
) -> None:
    index, _ = await three.suiting("ann", embedded(384), SEARCH, Scope())
    again, _ = await three.suiting("ann", embedded(384), SEARCH, Scope())
    assert again is index
    monkeypatch.setattr(kept_indexes, "TOMBSTONE_SECONDS", 0)
    anew, _ = await three.suiting("ann", embedded(384), SEARCH, Scope())
    assert anew is not index and anew.row_of("ann-m1") is not None


async def test_an_embedding_of_another_length_begins_an_index_of_its_own(three: KeptIndexes) -> None:
    index, _ = await three.suiting("ann", embedded(8), SEARCH, Scope())
    assert (index.dimensions, len(index)) == (8, 0)


async def test_looks_at_once_share_one_index(three: KeptIndexes) -> None:
    three.forget("ann")
    found = await asyncio.gather(*(three.suiting("ann", embedded(384), SEARCH, Scope()) for _ in range(5)))
    assert len({id(index) for index, _ in found}) == 1 and len(found[0][0]) == 1


async def test_what_is_dropped_while_holes_go_in_a_thread_is_dropped_from_the_new_index_too(
    three: KeptIndexes, quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = [turn(f"m{number}", "bees make honey") for number in range(100)]
    kept = [turn("gone", "wasps make paper", name="Wanda"), turn("stays", "ants make hills", name="Anton")]
    await quiet.add("ann", "s1", [*told, *kept], wait=True)
    await look(three, "ann")
    loop, compacted = asyncio.get_running_loop(), UserIndex.compacted

    def meanwhile(index: UserIndex) -> UserIndex:
        asyncio.run_coroutine_threadsafe(drop_one(), loop).result()  # the event loop goes on
        return compacted(index)

    async def drop_one() -> None:
        three.drop("ann", [key_of("gone")])

    def key_of(identifier: str) -> str:
        [key] = [key for key in before.ids if identifier in key]
        return key

    before = three.known("ann")
    assert before is not None
    monkeypatch.setattr(kept_indexes, "THREAD_ROWS", 1)
    monkeypatch.setattr(UserIndex, "compacted", meanwhile)
    three.drop("ann", [key for key in before.ids if key not in (key_of("gone"), key_of("stays"))])
    await quiet.add("ann", "s1", [turn("new", "moths eat wool")], wait=True)
    await look(three, "ann")
    after = three.known("ann")
    assert after is not None and after is not before
    alive = [key for key in after.ids if after.row_of(key) is not None]
    assert len(alive) == 2 and set(after.names) == {"anton"}
