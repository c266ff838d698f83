"""What is deleted is gone, with all that was derived from it."""

import asyncio
import time
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from pymongo.errors import AutoReconnect

from agents.memory import Memory
from memory.domain import Turn
from memory.facts.facts import Facts, Origin
from memory.facts.rules.reconcile import Add
from memory.gists.caches import GistEraser
from memory.turns.receipts import Receipts
from memory.turns.sessions import Sessions
from memory.turns.summaries import Summaries
from tests.conversations import USER, messages, pairs, request, say, settle, turn, until
from tests.tool_calls import called, keep, named
from utils.clock import now
from utils.errors import Conflict, NotFound


async def _crash(*_: Any, **__: Any) -> None:
    raise AutoReconnect("the store went away")


async def counts(memory: Memory, owner: str = USER) -> dict[str, int]:
    database = memory.engine.store.collections.vectors.database
    return {
        name: found
        for name in await database.list_collection_names()
        if (found := await database[name].count_documents({"user_id": owner}))
    }


async def test_a_deleted_session_takes_its_messages_summaries_and_receipts_with_it(quiet: Memory) -> None:
    await quiet.add(USER, "s1", pairs(10))
    await say(quiet, "What is item number 3?")
    await say(quiet, "I like trains.", session_id="s2")
    gone = await quiet.engine.oversight.forgetter.session(USER, "s1")
    assert gone == {
        "sessions": 1,
        "vectors": 22,
        "summaries": 1,
        "facts": 0,
        "observations": 0,
        "traces": 0,
        "conversations": 0,
        "responses": 0,
        "response_items": 0,
        "receipts": 1,
    }
    left = await counts(quiet)
    left.pop("tombstones")
    assert left == {"sessions": 1, "vectors": 2, "receipts": 1}
    with pytest.raises(NotFound):
        await quiet.engine.chats.sessions.get(USER, "s1")


async def test_the_session_of_the_same_id_of_another_user_stays(quiet: Memory) -> None:
    await quiet.add("ann", "s1", pairs(2))
    await quiet.add("bob", "s1", pairs(2))
    await quiet.engine.oversight.forgetter.session("ann", "s1")
    assert len(await messages(quiet, "s1", "bob")) == 4
    with pytest.raises(NotFound):
        await quiet.engine.oversight.forgetter.session("ann", "s1")


async def test_a_deletion_that_a_crash_cut_short_is_ended_by_the_next_one(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await quiet.add(USER, "s1", pairs(10))
    await settle(quiet)
    with monkeypatch.context() as patch:
        patch.setattr(GistEraser, "erase", _crash)
        with pytest.raises(AutoReconnect):
            await quiet.engine.oversight.forgetter.session(USER, "s1")
    assert (await quiet.engine.oversight.forgetter.session(USER, "s1"))["vectors"] == 20
    assert (await quiet.search(USER, "item number 3")).hits == ()
    assert set(await counts(quiet)) == {"tombstones"}


async def test_deleting_a_user_leaves_nothing_of_that_user_and_all_of_others(quiet: Memory) -> None:
    for owner in ("ann", "bob"):
        await quiet.add(owner, "s1", pairs(10))
        await say(quiet, "remember that my dog is Rex", "what is my dog called?", owner=owner)
        await quiet.engine.store.idempotency.begin(owner, "key", "print")
    before = await counts(quiet, "bob")
    gone = await quiet.engine.oversight.forgetter.user("ann")
    assert gone == {
        "sessions": 1,
        "vectors": 24,
        "summaries": 1,
        "memories": 1,
        "facts": 0,
        "receipts": 2,
        "observations": 0,
        "scratchpad": 0,
        "traces": 0,
        "tasks": 0,
        "banks": 0,
        "bank_versions": 0,
        "conversations": 0,
        "responses": 0,
        "response_items": 0,
    }
    assert await counts(quiet, "ann") == {}
    assert await quiet.engine.store.collections.owners.find_one({"_id": "ann"}) is None
    assert await counts(quiet, "bob") == before
    assert set((await quiet.engine.oversight.forgetter.user("ann")).values()) == {0}


async def test_a_forgotten_fact_takes_every_exchange_that_stated_it_with_it(quiet: Memory) -> None:
    await say(quiet, "remember that my PIN is 1111")
    await say(quiet, "remember that my PIN is 4711", "remember that my PIN is 4711", session_id="s2")
    fact = await quiet.engine.chats.keyvalues.get(USER, "pin")
    assert await quiet.engine.oversight.forgetter.exchanges(USER, fact.sources) == 6
    assert (await quiet.search(USER, "my PIN is 4711")).hits == ()
    assert await quiet.engine.store.collections.receipts.count_documents({}) == 0


async def test_values_of_any_length_and_number_are_taken_out_of_answers(quiet: Memory) -> None:
    essays = [
        f"{letter} essay " + f"{letter}{number:05d} ".strip() * 330 for number, letter in enumerate("ABCDEFGHIJKL")
    ]
    for essay in essays:
        await quiet.engine.chats.keyvalues.put(USER, "essay", essay)
    answers = [turn(f"m{at}", f"Your essay is: {essay}!", "assistant") for at, essay in enumerate(essays)]
    await quiet.add(USER, "s1", [*answers, turn("m99", f"Your essay is: {essays[0]}s!", "assistant")])
    assert await quiet.engine.oversight.forgetter.redact(USER, "essay", essays) == len(essays)
    left = [one["content"] for one in await messages(quiet)]
    assert left == ["Your essay is: …!"] * len(essays) + [f"Your essay is: {essays[0]}s!"]


async def test_forgetting_a_fact_deletes_no_message_of_another_user_with_the_same_id(quiet: Memory) -> None:
    await quiet.add("bob", "s1", [turn("m1", "Bob's own words")])
    fact, _ = await quiet.engine.chats.keyvalues.put("ann", "pin", "1111", source="m1")
    assert await quiet.engine.oversight.forgetter.exchanges("ann", fact.sources) == 0
    assert len(await messages(quiet, "s1", "bob")) == 1


async def test_forgotten_exchanges_are_not_counted_any_more(quiet: Memory) -> None:
    await say(quiet, "remember that my vault is 31337", "hello", "forget my vault")
    session = await quiet.engine.chats.sessions.get(USER, "s1")
    stored = await messages(quiet)
    assert session.message_count == len(stored) == 3
    assert session.pair_count == 2


async def keep_saying(memory: Memory, session_id: str, said: list[tuple[float, str]], done: asyncio.Event) -> None:
    """Asks one question after the other; notes when each that was answered was begun, and its `turn_id`."""
    while not done.is_set():
        asked = request("Where is my pen?", session_id)
        began = time.monotonic()
        with suppress(Conflict):
            await memory.chat(asked)
            said.append((began, asked.turn_id))


async def said_at_least(said: list[tuple[float, str]], count: int) -> None:
    async def enough() -> bool:
        return len(said) >= count

    await until(enough)


@pytest.mark.parametrize("what", ["session", "user"])
async def test_what_is_said_after_a_deletion_began_stays(quiet: Memory, what: str) -> None:
    await quiet.add(USER, "s1", pairs(200))
    said: list[tuple[float, str]] = []
    done = asyncio.Event()
    saying = [asyncio.create_task(keep_saying(quiet, "s1", said, done)) for _ in range(4)]
    await said_at_least(said, 8)
    began = time.monotonic()
    if what == "session":
        deleted = await quiet.engine.oversight.forgetter.session(USER, "s1")
    else:
        deleted = await quiet.engine.oversight.forgetter.user(USER)
    ended = len(said)
    await said_at_least(said, ended + 20)
    done.set()
    await asyncio.gather(*saying)
    assert deleted["vectors"] >= 400
    kept = await messages(quiet)
    after = {turn_id for at, turn_id in said if at > began + 0.5}
    later = {turn_id for _, turn_id in said[ended + 4 :]}
    assert after | later <= {one["turn_id"] for one in kept}
    session = await quiet.engine.chats.sessions.get(USER, "s1")
    assert session.message_count == len(kept) == 2 * session.pair_count


async def test_one_message_goes_and_the_rest_of_its_exchange_stays(quiet: Memory) -> None:
    await say(quiet, "My dog is called Biscuit.", "What is my dog's name?")
    question = (await messages(quiet))[2]
    assert await quiet.engine.oversight.forgetter.message(USER, question["id"])
    assert [message["role"] for message in await messages(quiet)] == ["user", "assistant", "assistant"]
    assert (await counts(quiet))["receipts"] == 1
    assert (await quiet.engine.chats.sessions.get(USER, "s1")).message_count == 3
    assert not await quiet.engine.oversight.forgetter.message(USER, question["id"])
    assert not await quiet.engine.oversight.forgetter.message("bob", "nothing")


# A deletion of messages that something comes between.


async def told_of_oslo(memory: Memory) -> None:
    """An exchange that stands in the title, a fact, the digest, the summary and the counts."""
    turns = memory.engine.chats.turns
    asked = Turn("t.prompt", "user", "I live in Oslo.", now(), turn_id="t", proxied=True)
    place = await turns.open_exchange(USER, "s1", asked, retried=False)
    answer = Turn("t.response", "assistant", "Oslo is nice.", now(), turn_id="t")
    await turns.close_exchange(USER, "s1", place, answer, retried=False)
    await memory.add(USER, "s1", pairs(9))
    await memory.engine.knowledge.queue.work()
    await settle(memory)
    assert await tells_of_oslo(memory) == {"sessions", "vectors", "facts", "summaries"}
    assert "Oslo" in await memory.engine.chats.digests.get(USER, "s1")


async def tells_of_oslo(memory: Memory) -> set[str]:
    database = memory.engine.store.collections.vectors.database
    names = await database.list_collection_names()
    return {name for name in names if "Oslo" in str(await database[name].find({}).to_list(None))}


STEPS = [
    (Receipts, "delete"),
    (Facts, "forget_source"),
    (Sessions, "uncount"),
    (Sessions, "retitle"),
    (Summaries, "rewrite"),
    (Summaries, "_text"),
    (GistEraser, "erase"),
]


@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(("where", "step"), STEPS, ids=[step for _, step in STEPS])
async def test_deleting_an_exchange_again_after_a_crash_leaves_nothing_of_it(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch, where: type, step: str, done: bool
) -> None:
    await told_of_oslo(quiet)
    method = getattr(where, step)

    async def crash(*args: Any, **more: Any) -> None:
        if done:
            await method(*args, **more)
        raise AutoReconnect("the store went away")

    with monkeypatch.context() as patch:
        patch.setattr(where, step, crash)
        with pytest.raises(AutoReconnect):
            await quiet.engine.oversight.forgetter.exchange(USER, "t.prompt")
    await quiet.engine.oversight.forgetter.exchange(USER, "t.prompt")
    assert await tells_of_oslo(quiet) == set()
    session = await quiet.engine.chats.sessions.get(USER, "s1")
    assert (session.message_count, session.pair_count, len(await messages(quiet))) == (18, 9, 18)


@pytest.mark.parametrize("step", ["forget_source", "retitle"])
async def test_a_deletion_of_a_message_that_a_crash_cut_short_is_ended_by_the_sweep(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    await told_of_oslo(quiet)
    with monkeypatch.context() as patch:
        patch.setattr(Facts if step == "forget_source" else Sessions, step, _crash)
        with pytest.raises(AutoReconnect):
            await quiet.engine.oversight.forgetter.exchange(USER, "t.prompt")
    await quiet.engine.sweep()
    assert await tells_of_oslo(quiet) != set()  # whoever deletes it may be at it
    monkeypatch.setattr("memory.oversight.forget.CUT_SHORT", timedelta(0))
    await quiet.engine.sweep()
    assert await tells_of_oslo(quiet) == set()
    session = await quiet.engine.chats.sessions.get(USER, "s1")
    assert (session.message_count, session.pair_count, len(await messages(quiet))) == (18, 9, 18)


async def test_a_deletion_that_cannot_be_ended_yet_keeps_no_other_work_waiting(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def taken(*_: Any) -> int:
        raise Conflict("Facts of the conversation are being changed")

    await quiet.add(USER, "s1", [turn("m1"), turn("m2")])
    cut_short = {"forgotten": {"by": "somebody", "at": turn("m1").timestamp}}
    await quiet.engine.store.collections.vectors.update_many({"id": {"$in": ["m1", "m2"]}}, {"$set": cut_short})
    with monkeypatch.context() as patch:
        patch.setattr(Facts, "forget_source", taken)
        await quiet.engine.sweep()
    assert {message["embed"]["state"] for message in await messages(quiet)} == {"done"}
    await quiet.engine.sweep()
    assert await messages(quiet) == []


async def test_an_exchange_that_two_delete_at_once_is_counted_once(quiet: Memory) -> None:
    await told_of_oslo(quiet)
    deleted = await asyncio.gather(*(quiet.engine.oversight.forgetter.exchange(USER, "t.prompt") for _ in range(4)))
    assert sum(deleted) == 2
    session = await quiet.engine.chats.sessions.get(USER, "s1")
    assert (session.message_count, session.pair_count) == (18, 9)
    assert await tells_of_oslo(quiet) == set()


async def test_the_title_goes_with_an_exchange_that_is_deleted_by_its_answer(quiet: Memory) -> None:
    await told_of_oslo(quiet)
    assert await quiet.engine.oversight.forgetter.exchange(USER, "t.response") == 2
    assert await tells_of_oslo(quiet) == set()


async def test_what_is_made_of_a_message_while_it_is_being_deleted_goes_too(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that had read the message before makes a fact of it and extends the digest."""
    await told_of_oslo(quiet)
    rewrite = Summaries.rewrite

    async def meanwhile(*args: Any) -> None:
        await rewrite(*args)
        origin = Origin(USER, "s1", "rule_based", now(), "t.prompt")
        await quiet.engine.knowledge.facts.apply(origin, [Add("The user is in Oslo.")])
        await quiet.engine.chats.digests.extend(USER, "s1")

    monkeypatch.setattr(Summaries, "rewrite", meanwhile)
    await quiet.engine.oversight.forgetter.exchange(USER, "t.prompt")
    assert await tells_of_oslo(quiet) == set()
    assert await quiet.engine.chats.digests.get(USER, "s1")


async def test_the_receipt_of_what_is_said_while_a_session_is_being_ended_goes_too(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await say(quiet, "hello")
    end, asked = quiet.engine.chats.sessions.end, request("My PIN is 4711.")

    async def late(owner: str, session_id: str) -> Any:
        await asyncio.sleep(0.002)  # the clock of receipts tells milliseconds
        await quiet.chat(asked)
        return await end(owner, session_id)

    monkeypatch.setattr(quiet.engine.chats.sessions, "end", late)
    await quiet.engine.oversight.forgetter.session(USER, "s1")
    assert set(await counts(quiet)) == {"tombstones"}


async def test_a_deleted_user_takes_tasks_traces_and_insights_along(quiet: Memory) -> None:
    for owner in (USER, "bob"):
        await keep(quiet.engine.tools.traces, called(1), called(2), owner=owner)
        await keep(quiet.engine.tools.traces, called(3), owner=owner, task="other")
    gone = await quiet.engine.oversight.forgetter.user(USER)
    assert (gone["tasks"], gone["traces"], gone["vectors"]) == (2, 3, 3)
    assert set(await counts(quiet)) <= {"tombstones"}
    left = await counts(quiet, "bob")
    assert (left["tasks"], left["traces"], left["vectors"]) == (2, 3, 3)


async def test_what_an_agent_keeps_while_its_user_is_deleted_goes_too(both: tuple[Memory, Memory]) -> None:
    task = await both[0].engine.tools.traces.begin(USER, "t")
    await both[1].engine.oversight.forgetter.user(USER)
    with pytest.raises(Conflict):
        await both[0].engine.tools.traces.keep(task, await named(both[0].engine.tools.traces, task, called(1)))
    assert set(await counts(both[0])) <= {"tombstones"}
