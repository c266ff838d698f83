"""What seldom changes is kept, and what any process changes of it is seen by the next reading."""

from agents.memory import Memory
from memory.domain import Turn
from memory.ids import new_id
from utils.clock import now

USER = "ann"


async def said(memory: Memory, session: str, text: str) -> str:
    turn = Turn(new_id(), "user", text, now())
    await memory.add(USER, session, [turn])
    return turn.id


async def test_what_another_process_says_of_projects_and_sessions_holds_at_once(both: tuple[Memory, Memory]) -> None:
    one, other = both
    await said(one, "trip", "We leave on Friday.")
    for memory in both:
        assert (await memory.within(USER, session_id="trip")).instructions == ()
    await other.preferences(USER, {"instructions": "Be brief.", "paused": True})
    await other.engine.chats.sessions.change(USER, "trip", {"instructions": "Answer in Czech."})
    at = await one.within(USER, session_id="trip")
    assert (at.instructions, at.paused) == (("Be brief.", "Answer in Czech."), True)
    await other.move(USER, "trip", "holidays")
    assert (await one.within(USER, session_id="trip")).project == "holidays"
    await other.engine.oversight.forgetter.session(USER, "trip")
    assert (await one.within(USER, session_id="trip")).project is None


async def test_what_another_process_learns_stands_in_the_profile_at_once(both: tuple[Memory, Memory]) -> None:
    one, other = both
    assert await one.engine.knowledge.profile.within(USER, 300) == []
    [learnt] = await other.learn(USER, "I live in Prague.")
    [item] = await one.engine.knowledge.profile.within(USER, 300)
    assert item.id == learnt.id
    await other.engine.knowledge.facts.end(USER, item.id)
    assert await one.engine.knowledge.profile.within(USER, 300) == []


async def test_counters_that_an_earlier_build_did_not_have_stand_at_0(both: tuple[Memory, Memory]) -> None:
    one, other = both
    await one.learn(USER, "I live in Prague.")
    await one.engine.store.collections.owners.update_one({"_id": USER}, {"$unset": {"facts": "", "places": ""}})
    assert len(await other.engine.knowledge.profile.within(USER, 300)) == 1
    await one.learn(USER, "My sister is called Wilma.")
    await one.preferences(USER, {"timezone": "Europe/Prague"})
    assert len(await other.engine.knowledge.profile.within(USER, 300)) == 2
    assert (await other.preferences(USER)).timezone == "Europe/Prague"


async def test_a_request_looks_once_and_sees_what_it_changes_itself(both: tuple[Memory, Memory]) -> None:
    one, other = both
    changes = one.engine.store.changes
    await one.preferences(USER, {"locale": "cs"})
    with changes.looked_at_once():
        before = await changes.standing(USER, "places")
        await other.preferences(USER, {"locale": "de"})
        assert await changes.standing(USER, "places") == before
        await one.preferences(USER, {"timezone": "Europe/Prague"})
        assert (await one.preferences(USER)).timezone == "Europe/Prague"
    assert (await one.preferences(USER)).locale == "de"
