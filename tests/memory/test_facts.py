"""Facts of users: their history, what was true when, and what deletions leave."""

import asyncio
from datetime import timedelta

import pytest

from agents.memory import Memory
from config.recipes import SEARCH
from memory.domain import Turn
from memory.fact_decisions import Add, Delete, Keep, Update
from memory.facts import Facts, Origin
from tests.conversations import START
from utils.errors import Conflict, NotFound

HOUR = timedelta(hours=1)


async def say(memory: Memory, *contents: str, owner: str = "ann", session: str = "s") -> None:
    """A user's messages, an hour apart, of which facts are to be made."""
    there = await memory.engine.turns.page(owner, session, after=-1, limit=200)
    for number, content in enumerate(contents, len(there)):
        turn = Turn(f"{session}-m{number}", "user", content, START + number * HOUR, stating=True)
        await memory.engine.turns.remember(owner, session, [turn])


async def texts(memory: Memory, owner: str = "ann", **filter: object) -> list[str]:
    page = await memory.engine.facts.page(owner, limit=100, **filter)  # type: ignore[arg-type]
    return sorted(fact.text for fact, _ in page)


async def found(memory: Memory, query: str, owner: str = "ann") -> list[str]:
    recall = await memory.search(owner, query, SEARCH)
    return [hit.gist.content for hit in recall.hits if hit.gist.kind == "fact"]


@pytest.fixture
def facts(quiet: Memory) -> Facts:
    return quiet.engine.facts


async def test_what_is_corrected_is_replaced_and_stays_in_the_history(quiet: Memory, facts: Facts) -> None:
    await say(quiet, "I live in Madrid.", "My dog is called Biscuit.", "I moved to Berlin.")
    assert await quiet.engine.fact_queue.work() == 3
    assert await texts(quiet) == ["The user moved to Berlin.", "The user's dog is called Biscuit."]
    every = {fact.text: fact for fact, _ in await facts.page("ann", limit=9, ended=True)}
    old, new = every["The user lives in Madrid."], every["The user moved to Berlin."]
    assert (old.valid_from, old.valid_to, old.superseded_by) == (START, START + 2 * HOUR, new.id)
    assert (new.valid_from, new.valid_to, new.sources) == (START + 2 * HOUR, None, ("s-m2",))
    assert [event.event for event in old.history] == ["ADD", "UPDATE"]
    assert old.history[1].other == new.id and old.decided_by == "rule_based"


async def test_what_was_true_then_is_told(quiet: Memory) -> None:
    await say(quiet, "I live in Madrid.", "I moved to Berlin.")
    await quiet.engine.fact_queue.work()
    assert await texts(quiet, as_of=START + HOUR / 2) == ["The user lives in Madrid."]
    assert await texts(quiet, as_of=START + HOUR) == ["The user moved to Berlin."]
    assert await texts(quiet, as_of=START - HOUR) == []


async def test_only_facts_in_force_are_recalled(quiet: Memory) -> None:
    await say(quiet, "I live in Madrid.")
    await quiet.engine.fact_queue.work()
    assert await found(quiet, "Where does the user live?") == ["The user lives in Madrid."]
    await say(quiet, "I moved to Berlin.")
    await quiet.engine.fact_queue.work()
    assert await found(quiet, "Where does the user live?") == ["The user moved to Berlin."]


async def test_the_same_message_again_changes_nothing(quiet: Memory, facts: Facts) -> None:
    await say(quiet, "I live in Madrid. I love figs.")
    await quiet.engine.fact_queue.work()
    before = await facts.page("ann", limit=9, ended=True)
    pending = {"$set": {"facts": {"state": "pending", "attempts": 0, "lease_until": START}}}
    await quiet.engine.collections.vectors.update_one({"_id": "s-m0"}, pending)
    assert await quiet.engine.fact_queue.work() == 1
    assert await facts.page("ann", limit=9, ended=True) == before


async def test_what_is_said_again_has_two_sources(quiet: Memory, facts: Facts) -> None:
    await say(quiet, "I live in Madrid.", "As I said, I live in Madrid.", "I live in Madrid.")
    await quiet.engine.fact_queue.work()
    [(fact, _)] = await facts.page("ann", limit=9)
    assert set(fact.sources) >= {"s-m0", "s-m2"}


async def test_decisions_are_carried_out_once_however_often_they_are_tried(facts: Facts) -> None:
    origin = Origin("ann", "s", "rule_based", START, "m1")
    for _ in range(2):
        [added] = await facts.apply(origin, [Add("The user lives in Madrid.")])
    later = Origin("ann", "s", "gpt", START + HOUR, "m2")
    for _ in range(2):
        [decided] = await facts.apply(later, [Update(added.id, "The user lives in Berlin.")])
        assert (decided.event, decided.old) == ("UPDATE", "The user lives in Madrid.")
    assert len(await facts.page("ann", limit=9, ended=True)) == 2


async def test_a_fact_that_was_replaced_meanwhile_is_not_replaced_again(facts: Facts) -> None:
    [added] = await facts.apply(Origin("ann", "s", "r", START, "m1"), [Add("The user lives in Madrid.")])
    await facts.apply(Origin("ann", "s", "r", START, "m2"), [Update(added.id, "The user lives in Berlin.")])
    with pytest.raises(Conflict):
        await facts.apply(Origin("ann", "s", "r", START, "m3"), [Update(added.id, "The user lives in Rome.")])


async def test_a_crash_between_two_decisions_is_made_up_for(
    quiet: Memory, facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    await say(quiet, "I live in Madrid.")
    await quiet.engine.fact_queue.work()
    await say(quiet, "I moved to Berlin and I love figs.")
    close, crashed = Facts._close, False

    async def crashing(self: Facts, *arguments: object, **named: object) -> object:
        nonlocal crashed
        if not crashed:
            crashed = True
            raise RuntimeError("killed")
        return await close(self, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Facts, "_close", crashing)
    with pytest.raises(RuntimeError):
        await quiet.engine.fact_queue.work()
    due = {"$set": {"facts.state": "pending", "facts.lease_until": START}}
    await quiet.engine.collections.vectors.update_one({"_id": "s-m1"}, due)
    await quiet.engine.fact_queue.work()
    assert await texts(quiet) == ["The user loves figs.", "The user moved to Berlin."]
    assert len(await facts.page("ann", limit=9, ended=True)) == 3


async def test_undo_restores_what_was_replaced_or_ended(quiet: Memory, facts: Facts) -> None:
    await say(quiet, "I live in Madrid.", "I moved to Berlin.")
    await quiet.engine.fact_queue.work()
    [(berlin, _)] = await facts.page("ann", limit=9)
    await facts.undo("ann", berlin.id)
    assert await texts(quiet) == ["The user lives in Madrid."]
    [(madrid, _)] = await facts.page("ann", limit=9)
    await facts.end("ann", madrid.id)
    assert await texts(quiet) == [] == await found(quiet, "Where does the user live?")
    await facts.undo("ann", madrid.id)
    assert await texts(quiet) == await found(quiet, "Where does the user live?") == ["The user lives in Madrid."]
    await facts.undo("ann", berlin.id)
    assert [event.event for event in (await facts.get("ann", madrid.id)).history][-2:] == ["DELETE", "UNDO"]


async def test_a_fact_is_changed_by_hand(quiet: Memory, facts: Facts) -> None:
    await say(quiet, "My dog is called Biscuit.")
    await quiet.engine.fact_queue.work()
    [(old, _)] = await facts.page("ann", limit=9)
    new = await facts.change("ann", old.id, "The user's dog is called Rex.")
    assert (new.decided_by, await texts(quiet)) == ("user", ["The user's dog is called Rex."])
    with pytest.raises(Conflict):
        await facts.change("ann", old.id, "The user's dog is called Max.")


async def test_conversations_and_users_have_facts_of_their_own(quiet: Memory) -> None:
    await say(quiet, "I live in Madrid.")
    await say(quiet, "I live in Rome.", session="other")
    await say(quiet, "I live in Oslo.", owner="bob", session="bobs")
    await quiet.engine.fact_queue.work()
    assert await texts(quiet) == ["The user lives in Madrid.", "The user lives in Rome."]
    assert await texts(quiet, memory_id="other") == ["The user lives in Rome."]
    assert await texts(quiet, owner="bob") == ["The user lives in Oslo."]
    [(fact, _)] = await quiet.engine.facts.page("bob", limit=9)
    for forbidden in (
        quiet.engine.facts.get("ann", fact.id),
        quiet.engine.facts.end("ann", fact.id),
        quiet.engine.facts.undo("ann", fact.id),
        quiet.engine.facts.change("ann", fact.id, "x"),
        quiet.engine.facts.apply(Origin("ann", "s", "r", START), [Delete(fact.id)]),
        quiet.engine.facts.apply(Origin("ann", "s", "r", START), [Keep(fact.id)]),
    ):
        with pytest.raises(NotFound):
            await forbidden
    assert await texts(quiet, owner="bob") == ["The user lives in Oslo."]


async def test_a_deleted_message_takes_along_what_it_alone_supported(quiet: Memory) -> None:
    await say(quiet, "I live in Madrid. I love figs.", "I love figs.", "I moved to Berlin.")
    await quiet.engine.fact_queue.work()
    await quiet.engine.forgetter.exchange("ann", "s-m2")
    assert await texts(quiet) == ["The user lives in Madrid.", "The user loves figs."]
    await quiet.engine.forgetter.exchange("ann", "s-m0")
    assert await texts(quiet) == ["The user loves figs."]
    assert "The user lives in Madrid." not in await found(quiet, "Where does the user live? Madrid?")


async def test_a_deleted_conversation_leaves_no_facts(quiet: Memory) -> None:
    await say(quiet, "I live in Madrid.")
    await say(quiet, "I live in Rome.", session="other")
    await quiet.engine.fact_queue.work()
    counts = await quiet.engine.forgetter.session("ann", "s")
    assert counts["facts"] == 1
    assert await texts(quiet, ended=True) == ["The user lives in Rome."]
    counts = await quiet.engine.forgetter.user("ann")
    assert counts["facts"] == 1
    for name in ("facts", "vectors", "sessions"):
        assert await quiet.engine.collections.__dict__[name].count_documents({"user_id": "ann"}) == 0


async def test_workers_at_once_settle_each_message_once_and_in_order(quiet: Memory) -> None:
    await say(quiet, *(f"I moved to Town{number}." for number in range(12)))
    total = 0
    while total < 12:
        total += sum(await asyncio.gather(*(quiet.engine.fact_queue.work() for _ in range(4))))
        due = {"facts.state": "pending"}
        await quiet.engine.collections.vectors.update_many(due, {"$set": {"facts.lease_until": START}})
    assert await texts(quiet) == ["The user moved to Town11."]
    assert len(await quiet.engine.facts.page("ann", limit=50, ended=True)) == 12


async def test_what_assistants_say_is_no_fact(memory: Memory) -> None:
    answers = [Turn("a1", "assistant", "I live in the cloud.", START), Turn("u1", "user", "I live in Rome.", START)]
    await memory.add("ann", "s", answers, wait=True)
    await memory.engine.fact_queue.work()
    assert await texts(memory) == []
