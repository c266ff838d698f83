"""Each job is done once, and none is forgotten."""

import asyncio
from datetime import datetime, timedelta

import pytest

from agents.memory import Memory
from memory.store import leases
from memory.store.leases import BACKOFF, LEASE, MAX_ATTEMPTS, claim, count_waiting, fail, put_back, reclaim, revive
from tests.conversations import USER, pairs, until
from utils.clock import now
from utils.mongo import Collection


@pytest.fixture
async def jobs(quiet: Memory) -> Collection:
    """A collection of ten jobs under `embed`."""
    await quiet.add(USER, "s1", pairs(5))
    return quiet.engine.store.collections.vectors


async def later(jobs: Collection, by: timedelta = LEASE) -> None:
    """Lets the time of every lease and every wait pass."""
    await jobs.update_many({}, {"$set": {"embed.lease_until": now() - by}})


async def states(jobs: Collection) -> list[str]:
    return [one["embed"]["state"] for one in await jobs.find({}).sort("_id", 1).to_list(None)]


async def test_a_claim_leases_the_jobs_and_counts_an_attempt(jobs: Collection) -> None:
    taken = await claim(jobs, "embed", 4)
    assert len(taken.documents) == 4
    for one in await jobs.find({"embed.lease": taken.lease}).to_list(None):
        assert one["embed"]["state"] == "leased"
        assert one["embed"]["attempts"] == 1
        assert one["embed"]["lease_until"] > now() + LEASE / 2
    assert sorted(await states(jobs)) == ["leased"] * 4 + ["pending"] * 6


async def test_two_workers_never_get_the_same_job(jobs: Collection) -> None:
    claims = await asyncio.gather(*(claim(jobs, "embed", 3) for _ in range(8)))
    ids = [document["_id"] for one in claims for document in one.documents]
    assert len(ids) == len(set(ids))
    assert len({one.lease for one in claims}) == 8


async def test_the_job_that_is_due_longest_is_claimed_first_and_none_before_its_time(jobs: Collection) -> None:
    await jobs.update_one({"_id": "user3"}, {"$set": {"embed.lease_until": now() - timedelta(hours=1)}})
    assert [one["_id"] for one in (await claim(jobs, "embed", 1)).documents] == ["user3"]
    await jobs.update_many({}, {"$set": {"embed.lease_until": now() + timedelta(minutes=1)}})
    assert (await claim(jobs, "embed", 10)).documents == []


async def test_a_job_that_failed_is_claimed_alone_so_that_it_takes_no_other_with_it(jobs: Collection) -> None:
    first = await claim(jobs, "embed", 3)
    await fail(jobs, "embed", first.lease, first.documents, "boom")
    await later(jobs)
    fresh = await claim(jobs, "embed", 10)
    assert len(fresh.documents) == 7
    for _ in range(3):
        assert len((await claim(jobs, "embed", 10)).documents) == 1


async def test_a_failed_job_waits_longer_after_each_attempt(jobs: Collection) -> None:
    for wait in BACKOFF:
        taken = await claim(jobs, "embed", 1)
        await fail(jobs, "embed", taken.lease, taken.documents, "boom")
        found = await jobs.find_one({"_id": taken.documents[0]["_id"]})
        assert found is not None
        assert timedelta(0) < found["embed"]["lease_until"] - now() <= wait
        assert found["embed"]["error"] == "boom"
        await jobs.delete_many({"_id": {"$ne": found["_id"]}})
        await later(jobs)


async def test_three_failed_attempts_make_a_job_dead_and_a_dead_job_is_left_alone(jobs: Collection) -> None:
    await jobs.delete_many({"_id": {"$ne": "user1"}})
    for attempt in range(1, MAX_ATTEMPTS + 1):
        taken = await claim(jobs, "embed", 1)
        assert taken.documents[0]["embed"]["attempts"] == attempt
        await fail(jobs, "embed", taken.lease, taken.documents, "boom")
        await later(jobs)
    assert MAX_ATTEMPTS == 3
    assert await states(jobs) == ["dead"]
    assert (await claim(jobs, "embed", 1)).documents == []
    assert await reclaim(jobs, "embed") == 0


async def test_a_job_that_killed_three_workers_is_dead_and_others_are_claimed_all_the_same(jobs: Collection) -> None:
    await jobs.update_many({"role": "user"}, {"$set": {"embed.attempts": 3, "embed.lease_until": now() - LEASE}})
    taken = await claim(jobs, "embed", 5)  # the five that are due longest have no attempt left
    assert len(taken.documents) == 5
    assert {one["role"] for one in taken.documents} == {"assistant"}
    assert sorted(await states(jobs)) == ["dead"] * 5 + ["leased"] * 5


async def test_a_worker_whose_lease_ran_out_cannot_end_the_job_of_the_next_one(jobs: Collection) -> None:
    await jobs.delete_many({"_id": {"$ne": "user1"}})
    slow = await claim(jobs, "embed", 1)
    await later(jobs)
    await reclaim(jobs, "embed")
    quick = await claim(jobs, "embed", 1)
    await fail(jobs, "embed", slow.lease, slow.documents, "late")
    await put_back(jobs, "embed", slow.lease, slow.documents, timedelta(0))
    found = await jobs.find_one({"_id": "user1"})
    assert found is not None
    assert found["embed"]["lease"] == quick.lease
    assert found["embed"]["attempts"] == 2


async def test_a_job_that_is_put_back_has_lost_no_attempt(jobs: Collection) -> None:
    await jobs.delete_many({"_id": {"$ne": "user1"}})
    for _ in range(5):
        taken = await claim(jobs, "embed", 1)
        await put_back(jobs, "embed", taken.lease, taken.documents, timedelta(0))
    found = await jobs.find_one({"_id": "user1"})
    assert found is not None
    assert (found["embed"]["state"], found["embed"]["attempts"]) == ("pending", 0)


async def test_revived_jobs_start_with_a_clean_count(jobs: Collection) -> None:
    await jobs.update_many({}, {"$set": {"embed.state": "dead", "embed.attempts": 3, "embed.error": "x"}})
    assert await revive(jobs, "embed", {"embed.error": "y"}) == 0
    assert await revive(jobs, "embed", {"embed.error": "x"}, most=1) == 1
    assert await revive(jobs, "embed", {}) == 9
    assert len((await claim(jobs, "embed", 20)).documents) == 10


async def test_the_jobs_of_a_worker_that_died_are_due_again_when_their_lease_is_over(
    jobs: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    await claim(jobs, "embed", 10)
    moment: list[datetime] = [now() + LEASE - timedelta(seconds=1)]
    monkeypatch.setattr(leases, "now", lambda: moment[0])
    assert await reclaim(jobs, "embed") == 0
    moment[0] += timedelta(seconds=2)
    assert await reclaim(jobs, "embed") == 10
    assert len((await claim(jobs, "embed", 10)).documents) == 1  # tried before: one at a time


async def test_a_lease_runs_on_for_as_long_as_its_holder_works(
    jobs: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "LEASE", timedelta(seconds=0.2))
    claimed = await claim(jobs, "embed", 2)
    ends = [one["embed"]["lease_until"] for one in await jobs.find({"embed.lease": claimed.lease}).to_list(None)]
    renewed = {"embed.lease": claimed.lease, "embed.lease_until": {"$gt": max(ends)}}

    async def all_renewed() -> bool:
        return await jobs.count_documents(renewed) == len(ends)

    async with leases.held(jobs, "embed", claimed):
        await until(all_renewed)


async def test_jobs_wait_until_they_are_done_or_dead(jobs: Collection, quiet: Memory) -> None:
    assert [await count_waiting(jobs, "embed", most) for most in (100, 4)] == [10, 4]
    taken = await claim(jobs, "embed", 2)
    assert (await quiet.engine.gists.queue.count_waiting(100)).count == 10
    await jobs.update_one({"_id": taken.documents[0]["_id"]}, {"$set": {"embed.state": "dead"}})
    assert (await quiet.engine.gists.queue.count_waiting(100)).count == 9
    await later(jobs)
    await reclaim(jobs, "embed")
    await quiet.engine.gists.queue.work()
    assert (await quiet.engine.gists.queue.count_waiting(100)).count == 0
