"""Everything that was said is kept, once, in order, and for its speaker alone."""

import asyncio
from typing import Any

import pytest
from pymongo.errors import AutoReconnect, DuplicateKeyError

from agents.memory import Memory
from memory.turns.places import Places
from tests.conversations import USER, messages, pairs, settle, turn
from tests.meanwhile import meanwhile
from utils.errors import Conflict


async def test_a_repeated_id_is_a_no_op_in_a_later_call_within_one_and_in_another_session(quiet: Memory) -> None:
    await quiet.add(USER, "s1", [turn("m1", "first")])
    again = await quiet.add(USER, "s1", [turn("m1", "changed"), turn("m2", "one"), turn("m2", "another"), turn("m3")])
    assert (again.accepted, again.duplicates) == (2, 2)
    assert again.ids == ("m1", "m2", "m2", "m3")
    kept = await messages(quiet)
    assert [one["content"] for one in kept] == ["first", "one", "message m3"]
    assert [one["message_index"] for one in kept] == [0, 1, 2]
    assert (await quiet.add(USER, "s2", [turn("m1")])).accepted == 0
    assert await messages(quiet, "s2") == []


async def test_two_users_may_have_the_same_ids_and_see_nothing_of_each_other(quiet: Memory) -> None:
    await quiet.add("ann", "s1", [turn("m1", "Ann keeps bees")])
    await quiet.add("bob", "s1", [turn("m1", "Bob sails boats"), turn("m2", "Bob has a boat called Wilma")])
    await settle(quiet)
    for owner, others in (("ann", "Bob"), ("bob", "Ann")):
        kept = await messages(quiet, "s1", owner)
        assert [one["id"] for one in kept] == ["m1", "m2"][: len(kept)]
        assert not any(others in one["content"] for one in kept)
        found = await quiet.search(owner, "bees and boats")
        assert {hit.gist.id for hit in found.hits} == {one["id"] for one in kept}
        assert not any(others in hit.gist.content for hit in found.hits)
    sessions = [await quiet.engine.chats.sessions.get(owner, "s1") for owner in ("ann", "bob")]
    assert [(one.id, one.message_count) for one in sessions] == [("s1", 1), ("s1", 2)]


async def test_the_first_user_of_an_id_has_it_plain_in_the_store(quiet: Memory) -> None:
    await quiet.add("ann", "s1", [turn("m1")])
    await quiet.add("bob", "s1", [turn("m1")])
    for collection in (quiet.engine.store.collections.vectors, quiet.engine.store.collections.sessions):
        keys = {one["user_id"]: one["_id"] for one in await collection.find({}).to_list(None)}
        plain = "m1" if collection is quiet.engine.store.collections.vectors else "s1"
        assert keys["ann"] == plain
        assert keys["bob"].startswith(f"{plain}~")


async def test_two_users_may_make_the_same_session_at_the_same_moment(quiet: Memory) -> None:
    owners = [f"user{n}" for n in range(8)]
    await asyncio.gather(*(quiet.add(owner, "s1", [turn("m1", f"{owner} was here")]) for owner in owners * 2))
    for owner in owners:
        assert [one["content"] for one in await messages(quiet, "s1", owner)] == [f"{owner} was here"]
        await quiet.engine.chats.sessions.get(owner, "s1")
    await settle(quiet)
    for owner in owners:
        hits = (await quiet.search(owner, "who was here?")).hits
        assert [hit.gist.content for hit in hits] == [f"{owner} was here"]


async def test_concurrent_turns_of_one_session_get_distinct_places_without_a_gap(quiet: Memory) -> None:
    await asyncio.gather(*(quiet.add(USER, "s1", [turn(f"c{caller}-{n}") for n in range(3)]) for caller in range(20)))
    kept = await messages(quiet)
    assert [one["message_index"] for one in kept] == list(range(60))
    for caller in range(20):  # each caller's turns stand together
        places = [one["message_index"] for one in kept if one["_id"].startswith(f"c{caller}-")]
        assert places == list(range(places[0], places[0] + 3))


async def test_the_same_turns_sent_at_once_by_two_callers_are_kept_once(quiet: Memory) -> None:
    results = await asyncio.gather(*(quiet.add(USER, "s1", pairs(5)) for _ in range(4)))
    assert sum(one.accepted for one in results) == 10
    assert len(await messages(quiet)) == 10
    session = await quiet.engine.chats.sessions.get(USER, "s1")
    assert (session.message_count, session.pair_count) == (10, 5)


async def test_an_import_into_a_session_deleted_meanwhile_is_refused_and_leaves_nothing(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    reserve = Places.reserve

    async def then_deleted(self: Places, owner: str, session_id: str, turns: Any, **more: Any) -> Any:
        place = await reserve(self, owner, session_id, turns, **more)
        await quiet.engine.oversight.forgetter.session(owner, session_id)
        return place

    monkeypatch.setattr(Places, "reserve", then_deleted)
    with pytest.raises(Conflict):
        await quiet.add(USER, "s1", pairs(2))
    assert await messages(quiet) == []


async def test_an_answer_to_a_deleted_session_is_not_counted_in_another_users_of_the_same_id(quiet: Memory) -> None:
    asked = turn("q1", "A question?", turn_id="t1")
    place = await quiet.engine.chats.turns.open_exchange("carol", "main", asked, retried=False)
    await quiet.engine.oversight.forgetter.session("carol", "main")
    await quiet.add("dave", "main", pairs(1))
    answer = turn("a1", "An answer.", "assistant", turn_id="t1")
    counted = await quiet.engine.chats.turns.close_exchange("carol", "main", place, answer, retried=False)
    assert counted == "gone"
    session = await quiet.engine.chats.sessions.get("dave", "main")
    assert (session.message_count, session.pair_count) == (2, 1)
    assert await quiet.engine.store.collections.vectors.count_documents({"user_id": "carol"}) == 0


async def test_the_store_itself_refuses_two_messages_at_one_place(quiet: Memory) -> None:
    await quiet.add(USER, "s1", [turn("m1")])
    vectors = quiet.engine.store.collections.vectors
    found = await vectors.find_one({"_id": "m1"})
    assert found is not None
    with pytest.raises(DuplicateKeyError):
        await vectors.insert_one(found | {"_id": "other", "id": "other"})


async def test_a_session_logs_its_newest_200_events(quiet: Memory) -> None:
    await quiet.add(USER, "s1", [turn(f"m{n}") for n in range(150)])
    await quiet.add(USER, "s1", [turn(f"m{n}") for n in range(150, 260)])
    session = await quiet.engine.store.collections.sessions.find_one({"_id": "s1"})
    assert session is not None
    assert [event["turn_id"] for event in session["events"]] == [f"m{n}" for n in range(60, 260)]
    assert session["message_count"] == 260


async def test_a_thousand_turns_are_kept_in_the_order_in_which_they_were_said(quiet: Memory) -> None:
    remembered = await quiet.add(USER, "s1", pairs(500))
    kept = await messages(quiet)
    assert [one["_id"] for one in kept] == list(remembered.ids)
    assert [one["message_index"] for one in kept] == list(range(1_000))
    assert (remembered.accepted, remembered.duplicates) == (1_000, 0)
    session = await quiet.engine.chats.sessions.get(USER, "s1")
    assert (session.message_count, session.pair_count) == (1_000, 500)


async def test_an_imported_session_is_titled_by_the_first_thing_that_the_user_said(quiet: Memory) -> None:
    await quiet.add(USER, "s1", [turn("a1", "Welcome!", "assistant"), turn("m1", "Plan a trip to Rome " + "x" * 99)])
    session = await quiet.engine.chats.sessions.get(USER, "s1")
    assert session.title.startswith("Plan a trip to Rome")
    assert len(session.title) <= 60


async def test_waiting_for_an_import_returns_when_all_of_it_can_be_recalled(quiet: Memory) -> None:
    await quiet.add(USER, "s1", pairs(20), wait=True)
    kept = await messages(quiet)
    assert {one["embed"]["state"] for one in kept} == {"done"}


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(
    ("collection", "method"),
    [("sessions", "find_one_and_update"), ("vectors", "insert_many"), ("sessions", "update_one")],
)
async def test_a_crash_between_two_steps_loses_and_duplicates_nothing_once_it_is_tried_again(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch, collection: str, method: str, after: bool
) -> None:
    async def crash() -> None:
        raise AutoReconnect("the store went away")

    meanwhile(monkeypatch, getattr(quiet.engine.store.collections, collection), method, crash, after=after)
    turns = pairs(12)
    with pytest.raises(AutoReconnect):
        await quiet.add(USER, "s1", turns)
    await quiet.add(USER, "s1", turns)
    await quiet.add(USER, "s1", pairs(1, first=90))
    kept = await messages(quiet)
    assert [one["_id"] for one in kept] == [one.id for one in [*turns, *pairs(1, first=90)]]
    session = await quiet.engine.chats.sessions.get(USER, "s1")
    assert (session.message_count, session.pair_count) == (26, 13)
    await settle(quiet)
    found = await quiet.engine.store.collections.vectors.find({"embed.state": "done"}, {"_id": 1}).to_list(None)
    assert len(found) == 26
