"""Jobs are seen, and dead ones taken up again without disturbing any other."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from agents.memory import Memory
from memory.domain import FACT, SECTION, TURN
from memory.gists.embedding_queue import UNAVAILABLE
from memory.observations.observation import CATEGORIES
from memory.oversight import jobs as module
from memory.oversight.jobs import TOLD
from memory.store.leases import claim, count, fail
from memory.traces.trace import Called
from tests.conversations import USER, pairs, turn
from utils.clock import now
from utils.errors import Conflict, InvalidInput, NotFound
from utils.mongo import Collection


@pytest.fixture
async def vectors(quiet: Memory) -> Collection:
    """A collection of four jobs under `embed`."""
    await quiet.add(USER, "s1", pairs(2))
    return quiet.engine.store.collections.vectors


async def die(vectors: Collection, most: int, after: timedelta = timedelta(0)) -> list[str]:
    """Lets so many jobs fail for the last time; returns their ids."""
    await vectors.update_many({"embed.state": "pending"}, {"$set": {"embed.attempts": 0}})
    claimed = await claim(vectors, "embed", most)
    for document in claimed.documents:
        document["embed"]["attempts"] = 3
    await fail(vectors, "embed", claimed.lease, claimed.documents, "boom")
    ids = [document["_id"] for document in claimed.documents]
    await vectors.update_many({"_id": {"$in": ids}}, {"$set": {"embed.lease_until": now() + after}})
    return ids


async def test_a_dead_job_comes_back_with_all_its_attempts_and_others_stay(quiet: Memory, vectors: Collection) -> None:
    [dead] = await die(vectors, 1)
    running = await claim(vectors, "embed", 1)
    before = await vectors.find({"_id": {"$ne": dead}}).sort("_id", 1).to_list(None)
    assert await quiet.retry("embed", dead) == 1
    again = await vectors.find_one({"_id": dead})
    assert again is not None
    assert (again["embed"]["state"], again["embed"]["attempts"]) == ("pending", 0)
    assert await vectors.find({"_id": {"$ne": dead}}).sort("_id", 1).to_list(None) == before
    for kept in (dead, running.documents[0]["_id"]):
        with pytest.raises(Conflict):
            await quiet.retry("embed", kept)
    with pytest.raises(NotFound):
        await quiet.retry("embed", "nobody's")
    with pytest.raises(NotFound):
        await quiet.retry("observe", dead)


async def test_of_two_who_retry_at_once_one_is_told_so(quiet: Memory, vectors: Collection) -> None:
    [dead] = await die(vectors, 1)
    done = await asyncio.gather(*(quiet.retry("embed", dead) for _ in range(5)), return_exceptions=True)
    assert done.count(1) == 1
    assert sum(isinstance(one, Conflict) for one in done) == 4


async def test_all_that_are_dead_by_now_come_back_in_parts(
    quiet: Memory, vectors: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "AT_ONCE", 1)
    assert len(await die(vectors, 3)) == 3
    later = await die(vectors, 1, timedelta(minutes=1))  # as if it had died while the others come back
    assert await quiet.retry("embed") == 3
    assert [one.key for one in await quiet.engine.oversight.jobs.page("dead", limit=10)] == later


async def test_every_kind_is_counted_listed_and_retried(quiet: Memory) -> None:
    await quiet.add(USER, "s1", [turn("user1", "My dog is called Biscuit. " * 20, proxied=True)])
    await quiet.tool_memory.add(USER, "t1", Called("c1", "list_files", "{}", "a.txt"))
    await quiet.activate(USER, "project", "Lighthouse", None, None)
    queues = quiet.engine.oversight.jobs._queues
    dead: dict[str, Any] = {"state": "dead", "attempts": 3, "lease_until": now(), "error": "boom"}
    for queue in queues.values():
        first = await queue.collection.find_one({queue.id: {"$exists": True}})
        assert first is not None
        await queue.collection.update_one({"_id": first["_id"]}, {"$set": {queue.field: dead}})
    found = await quiet.engine.oversight.jobs.page("dead", limit=50)
    assert [one.kind for one in found] == list(quiet.engine.oversight.jobs.kinds)
    assert {one.owner for one in found} == {USER}
    told = {one.kind: (one.about, one.text) for one in found}
    assert told["summarise"][0] == "s1"
    assert told["observe"][1] == "list_files"
    assert told["sections"] == told["condense"] == ("project/lighthouse", "Lighthouse")
    assert all(len(one.text) <= 200 for one in found)
    assert [one.counts["dead"] for one in await quiet.engine.oversight.jobs.waiting()] == [1] * 7
    assert [await quiet.retry(kind) for kind in quiet.engine.oversight.jobs.kinds] == [1] * 7
    waiting = await quiet.engine.oversight.jobs.waiting()
    assert all(one.counts["dead"] == 0 and one.counts["waiting"] >= 1 for one in waiting)


async def test_a_dead_job_is_not_due_and_comes_back_only_where_the_sweep_takes_it_up(
    quiet: Memory, vectors: Collection
) -> None:
    async def seen(error: str, state: str = "dead") -> list[tuple[bool, bool]]:
        job = {"state": state, "attempts": 3, "lease_until": now() + timedelta(seconds=12), "error": error}
        await vectors.update_many({}, {"$set": {"embed": job, "facts": job}})
        found = await quiet.engine.oversight.jobs.page(TOLD[state], limit=50)  # type: ignore[index, arg-type]
        assert len(found) == 8
        return [(one.due is not None, one.comes_back) for one in found]

    assert await seen("ValueError") == [(False, False)] * 8
    assert await seen(UNAVAILABLE) == [(False, True)] * 4 + [(False, False)] * 4
    for state in ("pending", "leased"):
        assert await seen(UNAVAILABLE, state) == [(True, False)] * 8
    await seen(UNAVAILABLE)
    await quiet.engine.sweep()
    left = await quiet.engine.oversight.jobs.page("dead", limit=50)
    assert [one.kind for one in left] == ["facts"] * 4


async def test_only_what_was_said_in_a_session_is_of_one(quiet: Memory) -> None:
    await quiet.add(USER, "s1", [turn("user1", "My dog is called Biscuit.", proxied=True)])
    await quiet.learn(USER, "My flight to Oslo is on Friday.", "travels")
    await quiet.activate(USER, "project", "Lighthouse", None, None)
    vectors = quiet.engine.store.collections.vectors
    await vectors.update_many({}, {"$set": {"embed": {"state": "dead", "attempts": 3, "lease_until": now()}}})
    kinds = {document["_id"]: document["kind"] for document in await vectors.find({}).to_list(None)}
    found = await quiet.engine.oversight.jobs.page("dead", ["embed"], limit=50)
    assert {kinds[one.key] for one in found} >= {TURN, FACT}
    assert {(kinds[one.key] == TURN, one.session_id) for one in found} == {(True, "s1"), (False, None)}
    dead = {"state": "dead", "attempts": 3, "lease_until": now()}
    await quiet.engine.store.collections.sessions.update_one({}, {"$set": {"summary": dead}})
    assert [one.session_id for one in await quiet.engine.oversight.jobs.page("dead", ["summarise"], limit=2)] == ["s1"]


async def test_the_oldest_that_waits_is_the_one_due_longest(quiet: Memory, vectors: Collection) -> None:
    moment = (now() - timedelta(hours=1)).replace(microsecond=0)
    await vectors.update_one({"_id": "user1"}, {"$set": {"embed.lease_until": moment}})
    await vectors.update_one({"_id": "user0"}, {"$set": {"embed.lease_until": now() + timedelta(hours=1)}})
    [embedding] = [one for one in await quiet.engine.oversight.jobs.waiting() if one.kind == "embed"]
    assert embedding.counts == {"waiting": 4, "running": 0, "dead": 0}
    assert embedding.oldest == moment


async def test_a_place_of_another_list_is_refused(quiet: Memory) -> None:
    for place in ("nonsense/x", "embed/x"):
        with pytest.raises(InvalidInput):
            await quiet.engine.oversight.jobs.page("dead", ["facts"], limit=1, after=(now(), place))


class Asked:
    """Stands for a collection, and notes how it is asked to count."""

    filter: dict[str, Any]

    async def count_documents(self, filter: dict[str, Any], **_: Any) -> int:
        self.filter = filter
        return 0


async def test_no_document_is_read_to_count_what_waits_and_what_there_is(quiet: Memory, vectors: Collection) -> None:
    asked: Any = Asked()
    await count(asked, "embed", ["pending"], 10)
    others = quiet.engine.oversight.owners.other_kinds
    for filter, number in ((asked.filter, 4), ({"kind": {"$in": others}, "user_id": USER}, 0)):
        counting = {"explain": {"count": "vectors", "query": filter}, "verbosity": "executionStats"}
        explained = await vectors.database.command(counting)
        assert explained["executionStats"]["totalDocsExamined"] == 0, filter
        assert await vectors.count_documents(filter) == number


async def test_all_kinds_of_gists_but_messages_are_in_the_index_that_counts_them(quiet: Memory) -> None:
    assert set(quiet.engine.oversight.owners.other_kinds) == {FACT, *CATEGORIES, SECTION}
    assert all(kind < TURN for kind in quiet.engine.oversight.owners.other_kinds)
