"""Facts of users: their history, what was true when, and what deletions leave."""

import asyncio
from contextlib import suppress

import pytest

from agents.memory import Memory
from memory.domain import Turn
from memory.facts.facts import Facts, Origin
from memory.facts.rules.reconcile import Add, Delete, Keep, Update
from memory.store import named_leases
from tests.conversations import START
from tests.meanwhile import Killed, kill, meanwhile
from tests.stated import HOUR, come_due, found, gists, lose_leases, say, texts
from utils.clock import now
from utils.errors import Conflict, NotFound


@pytest.fixture
def facts(quiet: Memory) -> Facts:
    return quiet.engine.knowledge.facts


async def test_what_is_corrected_is_replaced_and_stays_in_the_history(quiet: Memory, facts: Facts) -> None:
    await say(quiet, "I live in Madrid.", "My dog is called Biscuit.", "I moved to Berlin.")
    assert await quiet.engine.knowledge.queue.work() == 3
    assert await texts(quiet) == ["The user moved to Berlin and lives in Berlin.", "The user's dog is called Biscuit."]
    every = {fact.text: fact for fact, _ in await facts.page("ann", limit=9, ended=True)}
    old, new = every["The user lives in Madrid."], every["The user moved to Berlin and lives in Berlin."]
    assert (old.valid_from, old.valid_to, old.superseded_by) == (START, START + 2 * HOUR, new.id)
    assert (new.valid_from, new.valid_to, new.sources) == (START + 2 * HOUR, None, ("s-m2",))
    assert [event.event for event in old.history] == ["ADD", "UPDATE"]
    assert old.history[1].other == new.id and old.decided_by == "rule_based"


async def test_of_the_facts_of_one_message_the_last_is_in_force(quiet: Memory) -> None:
    await say(quiet, "I live in Madrid.", "I moved to Berlin. No wait, I moved to Bonn.")
    await quiet.engine.knowledge.queue.work()
    assert await texts(quiet) == ["The user moved to Bonn and lives in Bonn."]
    await quiet.learn("ann", "I moved to Oslo. Actually, I moved to Bergen.", "s")
    assert await texts(quiet) == ["The user moved to Bergen and lives in Bergen."]


async def test_what_was_true_then_is_told(quiet: Memory) -> None:
    await say(quiet, "I live in Madrid.", "I moved to Berlin.")
    await quiet.engine.knowledge.queue.work()
    assert await texts(quiet, as_of=START + HOUR / 2) == ["The user lives in Madrid."]
    assert await texts(quiet, as_of=START + HOUR) == ["The user moved to Berlin and lives in Berlin."]
    assert await texts(quiet, as_of=START - HOUR) == []


async def test_only_facts_in_force_are_recalled(quiet: Memory) -> None:
    await say(quiet, "I live in Madrid.")
    await quiet.engine.knowledge.queue.work()
    assert await found(quiet, "Where does the user live?") == ["The user lives in Madrid."]
    await say(quiet, "I moved to Berlin.")
    await quiet.engine.knowledge.queue.work()
    assert await found(quiet, "Where does the user live?") == ["The user moved to Berlin and lives in Berlin."]


async def test_the_same_message_again_changes_nothing(quiet: Memory, facts: Facts) -> None:
    await say(quiet, "I live in Madrid. I love figs.")
    await quiet.engine.knowledge.queue.work()
    before = await facts.page("ann", limit=9, ended=True)
    pending = {"$set": {"facts": {"state": "pending", "attempts": 0, "lease_until": START}}}
    await quiet.engine.store.collections.vectors.update_one({"_id": "s-m0"}, pending)
    assert await quiet.engine.knowledge.queue.work() == 1
    assert await facts.page("ann", limit=9, ended=True) == before


async def test_what_is_said_again_has_two_sources(quiet: Memory, facts: Facts) -> None:
    await say(quiet, "I live in Madrid.", "As I said, I live in Madrid.", "I live in Madrid.")
    await quiet.engine.knowledge.queue.work()
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
    await quiet.engine.knowledge.queue.work()
    await say(quiet, "I moved to Berlin and I love figs.")
    meanwhile(monkeypatch, quiet.engine.store.collections.facts, "find_one_and_update", kill)
    with pytest.raises(Killed):
        await quiet.engine.knowledge.queue.work()
    assert "The user moved to Berlin and lives in Berlin." in await texts(quiet)
    await come_due(quiet)
    await quiet.engine.knowledge.queue.work()
    assert await texts(quiet) == ["The user loves figs.", "The user moved to Berlin and lives in Berlin."]
    assert len(await facts.page("ann", limit=9, ended=True)) == 3


async def test_undo_restores_what_was_replaced_or_ended(quiet: Memory, facts: Facts) -> None:
    await say(quiet, "I live in Madrid.", "I moved to Berlin.")
    await quiet.engine.knowledge.queue.work()
    [(berlin, _)] = await facts.page("ann", limit=9)
    await facts.undo("ann", berlin.id)
    assert await texts(quiet) == ["The user lives in Madrid."]
    [(madrid, _)] = await facts.page("ann", limit=9)
    await facts.end("ann", madrid.id)
    assert await texts(quiet) == [] == await found(quiet, "Where does the user live?")
    await facts.undo("ann", madrid.id)
    assert await texts(quiet) == await found(quiet, "Where does the user live?") == ["The user lives in Madrid."]
    assert [event.event for event in (await facts.get("ann", madrid.id)).history][-2:] == ["DELETE", "UNDO"]
    await facts.undo("ann", berlin.id)
    assert await texts(quiet) == ["The user moved to Berlin and lives in Berlin."]
    undone = (await facts.get("ann", madrid.id)).history[-1]
    assert (undone.event, undone.by, undone.other) == ("UNDO", "user", berlin.id)


async def test_a_fact_is_changed_by_hand(quiet: Memory, facts: Facts) -> None:
    await say(quiet, "My dog is called Biscuit.")
    await quiet.engine.knowledge.queue.work()
    [(old, _)] = await facts.page("ann", limit=9)
    new = await facts.change("ann", old.id, "The user's dog is called Rex.")
    assert (new.decided_by, await texts(quiet)) == ("user", ["The user's dog is called Rex."])
    with pytest.raises(Conflict):
        await facts.change("ann", old.id, "The user's dog is called Max.")


async def test_users_have_facts_of_their_own(quiet: Memory) -> None:
    await say(quiet, "I live in Madrid.")
    await say(quiet, "My dog is called Biscuit.", session="other")
    await say(quiet, "I live in Oslo.", owner="bob", session="bobs")
    await quiet.engine.knowledge.queue.work()
    assert await texts(quiet) == ["The user lives in Madrid.", "The user's dog is called Biscuit."]
    assert await texts(quiet, memory_id="other") == ["The user's dog is called Biscuit."]
    assert await texts(quiet, owner="bob") == ["The user lives in Oslo."]
    [(fact, _)] = await quiet.engine.knowledge.facts.page("bob", limit=9)
    for forbidden in (
        quiet.engine.knowledge.facts.get("ann", fact.id),
        quiet.engine.knowledge.facts.end("ann", fact.id),
        quiet.engine.knowledge.facts.undo("ann", fact.id),
        quiet.engine.knowledge.facts.change("ann", fact.id, "x"),
        quiet.engine.knowledge.facts.apply(Origin("ann", "s", "r", START), [Delete(fact.id)]),
        quiet.engine.knowledge.facts.apply(Origin("ann", "s", "r", START), [Keep(fact.id)]),
    ):
        with pytest.raises(NotFound):
            await forbidden
    assert await texts(quiet, owner="bob") == ["The user lives in Oslo."]


async def test_a_deleted_message_takes_along_what_it_alone_supported(quiet: Memory) -> None:
    await say(quiet, "I live in Madrid. I love figs.", "I love figs.", "I moved to Berlin.")
    await quiet.engine.knowledge.queue.work()
    await quiet.engine.oversight.forgetter.exchange("ann", "s-m2")
    assert await texts(quiet) == ["The user lives in Madrid.", "The user loves figs."]
    await quiet.engine.oversight.forgetter.exchange("ann", "s-m0")
    assert await texts(quiet) == ["The user loves figs."]
    assert "The user lives in Madrid." not in await found(quiet, "Where does the user live? Madrid?")


async def test_a_deleted_conversation_leaves_no_facts(quiet: Memory) -> None:
    await say(quiet, "I live in Madrid.")
    await say(quiet, "I love figs.", session="other")
    await quiet.engine.knowledge.queue.work()
    counts = await quiet.engine.oversight.forgetter.session("ann", "s")
    assert counts["facts"] == 1
    assert await texts(quiet, ended=True) == ["The user loves figs."]
    counts = await quiet.engine.oversight.forgetter.user("ann")
    assert counts["facts"] == 1
    for name in ("facts", "vectors", "sessions"):
        assert await getattr(quiet.engine.store.collections, name).count_documents({"user_id": "ann"}) == 0


async def test_workers_at_once_settle_each_message_once_and_in_order(quiet: Memory) -> None:
    await say(quiet, *(f"I moved to Town{number}." for number in range(12)))
    total = 0
    while total < 12:
        total += sum(await asyncio.gather(*(quiet.engine.knowledge.queue.work() for _ in range(4))))
        due = {"facts.state": "pending"}
        await quiet.engine.store.collections.vectors.update_many(due, {"$set": {"facts.lease_until": START}})
    assert await texts(quiet) == ["The user moved to Town11 and lives in Town11."]
    assert len(await quiet.engine.knowledge.facts.page("ann", limit=50, ended=True)) == 12


async def test_what_assistants_say_is_no_fact(memory: Memory) -> None:
    said = [
        Turn("a1", "assistant", "I live in the cloud.", START, proxied=True),
        Turn("u1", "user", "I live in Rome.", START, proxied=True),
        Turn("s1", "system", "My name is Loci.", START, proxied=True),
    ]
    await memory.add("ann", "s", said, wait=True)
    await memory.engine.knowledge.queue.work()
    assert await texts(memory) == ["The user lives in Rome."]


@pytest.mark.parametrize("what", ["conversation", "user"])
@pytest.mark.parametrize("between", ["facts", "vectors"])
async def test_a_deletion_between_a_fact_and_its_gist_leaves_neither(
    quiet: Memory, facts: Facts, monkeypatch: pytest.MonkeyPatch, what: str, between: str
) -> None:
    async def delete() -> None:
        await lose_leases(quiet, monkeypatch)
        if what == "user":
            await quiet.engine.oversight.forgetter.user("ann")
        else:
            with suppress(NotFound):
                await quiet.engine.oversight.forgetter.session("ann", "s")

    method = {"facts": "insert_one", "vectors": "insert_many"}[between]
    meanwhile(monkeypatch, getattr(quiet.engine.store.collections, between), method, delete)
    with pytest.raises(Conflict):
        await facts.apply(Origin("ann", "s", "user", START), [Add("The user lives in Madrid.")])
    assert await texts(quiet, ended=True) == await gists(quiet) == []
    assert await found(quiet, "Where does the user live?") == []
    if what == "user":
        assert await quiet.engine.store.collections.owners.count_documents({}) == 0


async def test_a_fact_that_is_ended_before_its_gist_landed_is_not_recalled(
    quiet: Memory, facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def end() -> None:
        await lose_leases(quiet, monkeypatch)
        [(fact, _)] = await facts.page("ann", limit=9)
        await facts.end("ann", fact.id)

    meanwhile(monkeypatch, quiet.engine.store.collections.vectors, "insert_many", end)
    await facts.apply(Origin("ann", "s", "user", START), [Add("The user lives in Madrid.")])
    assert await texts(quiet) == await gists(quiet) == []
    assert await found(quiet, "Where does the user live?") == []


async def test_a_crash_in_a_deletion_leaves_no_gist_without_its_fact(
    quiet: Memory, facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    await facts.apply(Origin("ann", "s", "user", START), [Add("The user lives in Madrid.")])
    meanwhile(monkeypatch, quiet.engine.store.collections.facts, "delete_many", kill, after=True)
    with pytest.raises(Killed):
        await quiet.engine.oversight.forgetter.session("ann", "s")
    assert await gists(quiet) == []


async def test_facts_that_are_said_after_a_deletion_stay(quiet: Memory, facts: Facts) -> None:
    await facts.apply(Origin("ann", "s", "user", START), [Add("The user lives in Madrid.")])
    moment = now()
    await asyncio.sleep(0.002)
    await facts.apply(Origin("ann", "s", "user", START), [Add("The user lives in Rome.")])
    assert await facts.forget("ann", moment, "s") == 1
    assert await texts(quiet) == await gists(quiet) == ["The user lives in Rome."]
    assert await facts.forget("ann", now()) == 1
    assert await quiet.engine.store.collections.idempotency.count_documents({}) == 0


async def test_of_two_replacements_at_once_one_wins(both: tuple[Memory, Memory]) -> None:
    for number in range(4):
        [old] = await both[0].engine.knowledge.facts.apply(
            Origin("ann", f"s{number}", "user", START), [Add("Madrid it is.")]
        )
        changes = (
            memory.engine.knowledge.facts.change("ann", old.id, f"{at} it is.") for at, memory in enumerate(both)
        )
        outcomes = await asyncio.gather(*changes, return_exceptions=True)
        assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Conflict", "Fact"]
    assert len(await texts(both[0])) == len(await gists(both[0])) == 4


async def test_a_replacement_that_comes_too_late_leaves_nothing(
    both: tuple[Memory, Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, other = both
    [old] = await memory.engine.knowledge.facts.apply(
        Origin("ann", "s", "user", START), [Add("The user lives in Madrid.")]
    )

    async def replace() -> None:
        await lose_leases(memory, monkeypatch)
        await other.engine.knowledge.facts.change("ann", old.id, "The user lives in Rome.")

    meanwhile(monkeypatch, memory.engine.store.collections.facts, "insert_one", replace)
    with pytest.raises(Conflict):
        await memory.engine.knowledge.facts.change("ann", old.id, "The user lives in Oslo.")
    assert await texts(memory) == await gists(memory) == ["The user lives in Rome."]
    assert len(await texts(memory, ended=True)) == 2


async def test_a_replacement_of_what_is_deleted_meanwhile_leaves_nothing(
    quiet: Memory, facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    [old] = await facts.apply(Origin("ann", "s", "user", START, "m1"), [Add("The user lives in Madrid.")])

    async def forget() -> None:
        await lose_leases(quiet, monkeypatch)
        await facts.forget_source("ann", "s", "m1")

    meanwhile(monkeypatch, quiet.engine.store.collections.facts, "insert_one", forget)
    with pytest.raises(NotFound):
        await facts.change("ann", old.id, "The user lives in Oslo.")
    assert await texts(quiet, ended=True) == await gists(quiet) == []


async def test_an_ended_fact_is_not_changed_however_it_ended(quiet: Memory, facts: Facts) -> None:
    [first] = await facts.apply(Origin("ann", "s", "user", START), [Add("The user lives in Madrid.")])
    second = await facts.change("ann", first.id, "The user lives in Rome.")
    third = await facts.change("ann", second.id, "The user lives in Oslo.")

    async def assert_unchangeable(*ids: str) -> None:
        before = await texts(quiet)
        for fact_id in ids:
            with pytest.raises(Conflict):
                await facts.change("ann", fact_id, "The user lives in Paris.")
        assert await texts(quiet) == before

    await assert_unchangeable(first.id, second.id)
    await facts.undo("ann", first.id)
    await assert_unchangeable(second.id, third.id)
    await facts.end("ann", first.id)
    await assert_unchangeable(first.id, second.id, third.id)


async def test_a_change_that_was_undone_can_be_made_again(quiet: Memory, facts: Facts) -> None:
    [first] = await facts.apply(Origin("ann", "s", "user", START), [Add("The user lives in Madrid.")])
    for _ in range(2):
        await facts.change("ann", first.id, "The user lives in Rome.")
        assert await texts(quiet) == ["The user lives in Rome."]
        await facts.undo("ann", first.id)
        assert await texts(quiet) == await gists(quiet) == ["The user lives in Madrid."]


async def test_what_was_carried_out_and_taken_back_is_not_carried_out_again(quiet: Memory, facts: Facts) -> None:
    [first] = await facts.apply(Origin("ann", "s", "r", START, "m1"), [Add("The user lives in Madrid.")])
    [figs] = await facts.apply(Origin("ann", "s", "r", START, "m1"), [Add("The user loves figs.")])
    later = Origin("ann", "s", "r", START + HOUR, "m2")
    decisions = [Update(first.id, "The user lives in Rome."), Delete(figs.id)]
    await facts.apply(later, decisions)
    await facts.undo("ann", first.id)
    await facts.undo("ann", figs.id)
    await facts.apply(later, decisions)
    assert await texts(quiet) == await gists(quiet) == ["The user lives in Madrid.", "The user loves figs."]


async def test_what_is_confirmed_after_its_end_is_a_conflict(facts: Facts) -> None:
    [fact] = await facts.apply(Origin("ann", "s", "r", START, "m1"), [Add("The user lives in Madrid.")])
    await facts.apply(Origin("ann", "s", "r", START, "m2"), [Keep(fact.id)])
    await facts.end("ann", fact.id)
    for source in ("m3", None):
        with pytest.raises(Conflict):
            await facts.apply(Origin("ann", "s", "r", START, source), [Keep(fact.id)])
    [again] = await facts.apply(Origin("ann", "s", "r", START, "m2"), [Keep(fact.id)])
    assert again.event == "NONE" and (await facts.get("ann", fact.id)).sources == ("m1", "m2")


async def test_no_fact_ends_before_it_began(quiet: Memory, facts: Facts) -> None:
    await say(quiet, "I live in Madrid.")
    await quiet.learn("ann", "I live in Rome.", "s")
    await quiet.engine.knowledge.queue.work()
    every = {fact.text: fact for fact, _ in await facts.page("ann", limit=9, ended=True)}
    rome, madrid = every["The user lives in Rome."], every["The user lives in Madrid."]
    assert rome.valid_to == rome.valid_from == madrid.valid_from and madrid.valid_to is None
    await facts.apply(Origin("ann", "s", "r", START - HOUR, "m9"), [Delete(madrid.id)])
    ended = await facts.get("ann", madrid.id)
    assert ended.valid_to == ended.valid_from


async def test_a_source_that_a_fact_loses_after_its_user_was_deleted_leaves_no_counters(
    quiet: Memory, facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    await say(quiet, "I live in Madrid.", "I live in Madrid.")
    await quiet.engine.knowledge.queue.work()

    async def delete() -> None:
        await quiet.engine.oversight.forgetter.user("ann")

    collections = quiet.engine.store.collections
    monkeypatch.setattr(named_leases, "WAIT", 0.0)
    with monkeypatch.context() as patch:
        meanwhile(patch, collections.facts, "update_one", delete)
        await facts.forget_source("ann", "s", "s-m1")
    assert await collections.owners.find_one({"_id": "ann"}) is None


async def test_a_message_that_is_deleted_takes_its_decision_back_and_the_history_says_so(facts: Facts) -> None:
    [old] = await facts.apply(Origin("ann", "s", "user", START, "m1"), [Add("The user lives in Madrid.")])
    await facts.apply(Origin("ann", "s", "user", START, "m2"), [Update(old.id, "The user lives in Rome.")])
    await facts.forget_source("ann", "s", "m2")
    restored = await facts.get("ann", old.id)
    assert restored.valid_to is None
    assert (restored.history[-1].event, restored.history[-1].by) == ("UNDO", "deletion")
