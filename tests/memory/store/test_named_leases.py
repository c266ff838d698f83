"""One thing at a time happens to a conversation, and none waits long for a holder that died."""

import asyncio
from datetime import timedelta

import pytest

from agents.memory import Memory
from memory.store import named_leases
from memory.store.named_leases import NamedLeases
from tests.conversations import until
from utils.clock import now
from utils.errors import Conflict


@pytest.fixture
def leases(quiet: Memory) -> NamedLeases:
    return NamedLeases(quiet.engine.store.collections)


async def test_one_at_a_time_holds_a_conversation(leases: NamedLeases) -> None:
    holders, most = 0, 0

    async def hold() -> None:
        nonlocal holders, most
        async with leases.held("learning", "ann", "s") as held:
            assert held
            holders += 1
            most = max(most, holders)
            await asyncio.sleep(0)
            holders -= 1

    await asyncio.gather(*(hold() for _ in range(8)))
    assert most == 1


async def test_other_conversations_users_and_doings_go_on(leases: NamedLeases) -> None:
    async with (
        leases.held("learning", "ann", "s") as first,
        leases.held("linking", "ann") as second,
        leases.held("learning", "ann", "t") as third,
        leases.held("learning", "bob", "s") as fourth,
    ):
        assert first and second and third and fourth


async def test_nothing_stays_of_a_lease(quiet: Memory, leases: NamedLeases) -> None:
    for error in (ValueError, asyncio.CancelledError):
        with pytest.raises(error):
            async with leases.linking("ann"):
                raise error
    assert await quiet.engine.store.collections.idempotency.count_documents({}) == 0


async def test_a_holder_that_lives_is_waited_for_no_longer_than_is_said(
    leases: NamedLeases, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(named_leases, "WAIT", 0.05)
    async with leases.linking("ann"):
        async with leases.held("linking", "ann") as held:
            assert not held
        with pytest.raises(Conflict):
            async with leases.linking("ann"):
                raise AssertionError("held by two")
    async with leases.held("linking", "ann") as held:
        assert held


async def test_a_holder_that_died_keeps_a_conversation_for_seconds(
    quiet: Memory, leases: NamedLeases, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert timedelta(seconds=named_leases.WAIT) > named_leases.LEASE
    monkeypatch.setattr(named_leases, "LEASE", timedelta(seconds=0.2))
    collection = quiet.engine.store.collections.idempotency
    async with leases.held("linking", "ann"):
        [held] = await collection.find({}).to_list(None)
    await collection.insert_one(held)  # as if it had not been let go
    async with leases.held("linking", "ann") as again:
        assert again


async def test_a_lease_runs_as_long_as_its_holder_works(
    quiet: Memory, leases: NamedLeases, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(named_leases, "LEASE", timedelta(seconds=0.2))
    collection = quiet.engine.store.collections.idempotency
    async with leases.linking("ann"):
        before = await collection.find_one({})

        async def renewed() -> bool:
            found = await collection.find_one({})
            return (
                found is not None and before is not None and found["until"] > before["until"] + timedelta(seconds=0.2)
            )

        await until(renewed)


async def test_a_holder_who_comes_too_late_lets_nobody_elses_lease_go(
    quiet: Memory, leases: NamedLeases, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(named_leases, "WAIT", 0.05)
    collection = quiet.engine.store.collections.idempotency
    async with leases.linking("ann"):
        taken = {"lease": "another's", "until": now() + timedelta(minutes=1)}
        await collection.update_one({}, {"$set": taken})  # as if this one had been away for longer than its lease
    async with leases.held("linking", "ann") as held:
        assert not held
    assert [one["lease"] for one in await collection.find({}).to_list(None)] == ["another's"]


async def test_a_holder_that_lost_its_lease_is_stopped_where_it_stands(
    quiet: Memory, leases: NamedLeases, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(named_leases, "LEASE", timedelta(seconds=0.04))
    with pytest.raises(Conflict):
        async with leases.linking("ann"):
            await quiet.engine.store.collections.idempotency.update_one({}, {"$set": {"lease": "another's"}})
            await asyncio.Event().wait()
    assert await asyncio.sleep(0, "nothing else is cancelled")
