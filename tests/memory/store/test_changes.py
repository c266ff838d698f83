"""Every process sees at its next search what others wrote and deleted."""

import asyncio
from typing import Any

import pytest

from agents.memory import Memory
from agents.open import open_memory
from config.recipes import SEARCH
from config.settings import Settings
from memory.recall import kept_indexes
from memory.recall.recaller import with_overrides
from memory.store import changes
from memory.turns.keyvalues import KeyValues
from tests.conversations import USER, Silent, found, pairs, turn
from utils.clock import now
from utils.errors import PreconditionFailed


async def test_what_another_process_writes_and_deletes_is_seen_by_the_next_search(two: tuple[Memory, Memory]) -> None:
    one, other = two
    await one.add(USER, "s1", [turn("m1", "bees make honey")], wait=True)
    assert await found(one, "bees honey") == ["m1"]
    await other.add(USER, "s2", [turn("m2", "bees like lavender")], wait=True)
    for memory in two:
        assert sorted(await found(memory, "bees")) == ["m1", "m2"]
    await one.engine.oversight.forgetter.session(USER, "s1")
    for memory in two:
        assert await found(memory, "bees") == ["m2"]


async def test_a_message_that_was_deleted_and_sent_again_is_found_by_old_and_new_processes(
    two: tuple[Memory, Memory], model_settings: Settings
) -> None:
    one, other = two
    await one.add(USER, "s1", [turn("m1", "bees make honey")], wait=True)
    assert await found(other, "bees") == ["m1"]
    await one.engine.oversight.forgetter.session(USER, "s1")
    await one.add(USER, "s1", [turn("m1", "bees make honey")], wait=True)
    assert await found(other, "bees") == ["m1"]
    async with open_memory(model_settings, nudge=Silent()) as third:
        assert await found(third, "bees") == ["m1"]


async def test_a_change_that_lands_after_a_later_one_is_found(two: tuple[Memory, Memory]) -> None:
    one, other = two
    await one.add(USER, "s1", [turn("m1", "bees make honey"), turn("m2", "bees like lavender")], wait=True)
    vectors, ledger = one.engine.store.collections.vectors, one.engine.store.changes
    stored = await vectors.find_one({"_id": "m1"})
    assert stored is not None
    await one.engine.oversight.forgetter.session(USER, "s1")
    assert await found(other, "bees") == []
    early, late = await ledger.take(USER), await ledger.take(USER)
    await vectors.insert_one(stored | {"_id": "late", "id": "late", "message_index": 1, "change": late})
    assert await ledger.close(USER, late)
    assert await found(other, "bees") == ["late"]
    await vectors.insert_one(stored | {"_id": "early", "id": "early", "message_index": 0, "change": early})
    assert await ledger.close(USER, early)
    assert sorted(await found(other, "bees", with_overrides(SEARCH, floor=0.1))) == ["early", "late"]
    recall = await other.search(USER, "bees")
    assert {one.key for one in recall.considered} == {"early", "late"}


async def test_a_writer_so_slow_that_the_sweep_closed_its_number_writes_again(
    two: tuple[Memory, Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = two
    await one.add(USER, "s1", [turn("m0", "bees make honey")], wait=True)
    assert await found(other, "bees") == ["m0"]
    await one.add(USER, "s1", [turn("m1", "bees like lavender")])
    ledger, close, calls = one.engine.store.changes, type(one.engine.store.changes).close_all, 0

    async def slow(self: Any, *args: Any, **more: Any) -> bool:
        nonlocal calls
        calls += 1
        if calls == 1:  # long after: the sweep closes the number, and a reader passes it
            with monkeypatch.context() as patch:
                patch.setattr(changes, "now", lambda: now() + changes.OPEN_AT_MOST * 2)
                await other.engine.store.changes.sweep()
            await other.search(USER, "bees")
        return await close(self, *args, **more)

    monkeypatch.setattr(type(ledger), "close_all", slow)
    await one.engine.gists.queue.work()
    assert calls >= 2  # another task of the same process may close one, too
    assert sorted(await found(other, "bees")) == ["m0", "m1"]


async def test_a_number_that_a_crash_left_open_is_closed_by_the_sweep(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = quiet.engine.store.changes
    lost, number = await ledger.take(USER), await ledger.take(USER)
    assert await ledger.close(USER, number)
    await ledger.sweep()
    standing = await ledger.standing(USER)
    assert standing is not None
    assert (standing.settled, standing.change) == (lost - 1, number)
    monkeypatch.setattr(changes, "now", lambda: now() + changes.OPEN_AT_MOST * 2)
    await ledger.sweep()
    standing = await ledger.standing(USER)
    assert standing is not None
    assert standing.settled == number
    assert not await ledger.close(USER, lost)


async def test_concurrent_writers_get_different_numbers(quiet: Memory) -> None:
    numbers = await asyncio.gather(*(quiet.engine.store.changes.take(USER) for _ in range(25)))
    assert sorted(numbers) == list(range(1, 26))


async def test_a_user_who_was_deleted_and_comes_back_has_nothing_of_before(two: tuple[Memory, Memory]) -> None:
    one, other = two
    await one.add(USER, "s1", [turn(f"m{n}", f"bees in hive {n}") for n in range(5)], wait=True)
    assert len(await found(other, "bees")) == 5
    counts = await one.engine.oversight.forgetter.user(USER)
    assert (counts["sessions"], counts["vectors"]) == (1, 5)
    assert await found(other, "bees") == []
    await one.add(USER, "s1", [turn("m1", "bees again")], wait=True)
    assert await found(other, "bees") == ["m1"]
    assert await found(one, "bees") == ["m1"]


async def test_a_user_deleted_while_a_worker_embeds_leaves_nothing_behind(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await quiet.add(USER, "s1", pairs(2))
    embed = type(quiet.engine.gists.embedder).embed

    async def meanwhile(self: Any, texts: Any) -> Any:
        made = await embed(self, texts)
        await quiet.engine.oversight.forgetter.user(USER)
        return made

    monkeypatch.setattr(type(quiet.engine.gists.embedder), "embed", meanwhile)
    assert await quiet.engine.gists.queue.work() == 0
    for name in await quiet.engine.store.collections.vectors.database.list_collection_names():
        assert await quiet.engine.store.collections.vectors.database[name].count_documents({}) == 0, name


async def test_the_users_searched_least_recently_leave_memory_first(make_settings: Any) -> None:
    async with open_memory(make_settings(recall_memory_mb=1), nudge=Silent()) as memory:
        for owner in ("ann", "bob", "cleo", "dan"):  # some 0.4 MB each
            await memory.add(owner, "s1", [turn(f"m{n}", f"{owner} {n}") for n in range(200)], wait=True)
        for owner in ("ann", "bob", "ann", "cleo", "dan"):
            assert len(await found(memory, f"{owner} 7", owner=owner)) == 8
        held = memory.engine.search.recaller._indexes._kept
        assert sum(one.bytes for one in held.values()) <= 1 << 20
        assert "dan" in held
        assert "bob" not in held
        assert len(await found(memory, "bob 3", owner="bob")) == 8


async def test_an_index_that_slept_longer_than_marks_of_deletions_last_is_built_anew(
    two: tuple[Memory, Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = two
    await one.add(USER, "s1", [turn("m1", "bees make honey")], wait=True)
    await one.add(USER, "s2", [turn("m2", "bees like lavender")], wait=True)
    assert len(await found(other, "bees")) == 2
    await one.engine.oversight.forgetter.session(USER, "s1")
    await one.engine.store.collections.tombstones.delete_many({})  # as the store does after a day
    asleep = kept_indexes.monotonic() + 24 * 3600
    monkeypatch.setattr(kept_indexes, "monotonic", lambda: asleep)
    assert await found(other, "bees") == ["m2"]
    assert {one.key for one in (await other.search(USER, "bees")).considered} == {"m2"}


async def test_a_write_that_comes_to_nothing_leaves_nothing_of_a_user_who_has_nothing(quiet: Memory) -> None:
    with pytest.raises(PreconditionFailed):
        await quiet.engine.chats.keyvalues.put("nobody", "pin", "9", expected="another")
    assert await quiet.engine.store.collections.owners.find_one({"_id": "nobody"}) is None


async def test_what_lands_after_its_user_was_deleted_is_known_of(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await quiet.add(USER, "s1", [turn("m1")])
    keyvalues, owners = quiet.engine.chats.keyvalues, quiet.engine.store.collections.owners
    create = KeyValues._create

    async def late(*given: Any) -> Any:
        await quiet.engine.oversight.forgetter.user(USER)
        assert await owners.find_one({"_id": USER}) is None
        return await create(*given)

    monkeypatch.setattr(KeyValues, "_create", late)
    await keyvalues.put(USER, "pin", "9")
    assert await owners.find_one({"_id": USER}) is not None
    assert [fact.value for fact in await keyvalues.suited(USER, "pin", 5)] == ["9"]


async def test_who_writes_while_it_reads_its_state_sees_what_it_wrote(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    counters, read, go_on = quiet.engine.store.changes, asyncio.Event(), asyncio.Event()
    get = counters._reads.get

    async def slowly(owner: str) -> Any:
        state = await get(owner)
        read.set()
        await go_on.wait()
        return state

    monkeypatch.setattr(counters._reads, "get", slowly)
    with counters.looked_at_once():
        looking = asyncio.create_task(counters.standing(USER))
        await read.wait()
        number = await counters.take(USER)
        go_on.set()
        for standing in (await looking, await counters.standing(USER)):
            assert standing is not None and standing.change == number
        counters.look_anew()
        later = await counters.take(USER)
        standing = await counters.standing(USER)
        assert standing is not None and standing.change == later
