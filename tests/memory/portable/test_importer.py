"""What a user has goes out whole, comes in once, and goes again where a deletion comes between."""

import asyncio

import pytest

from agents.memory import Memory
from memory.ids import owner_apart, scoped
from memory.product import Record
from memory.responses import Answered, Begun, ResponseItem
from memory.store.collections import INDEXES
from tests.conversations import USER, found, messages, pairs, request, settle, turn
from tests.tool_calls import called, keep
from utils.errors import Conflict
from utils.mongo import Document

OTHER = "bob"
KINDS = (
    *("session", "summaries", "message", "image", "memory", "fact", "observation", "entry", "task", "trace"),
    *("bank_version", "bank", "conversation", "response", "response_item", "receipt", "preferences", "project"),
)


async def live(memory: Memory) -> None:
    """Something of every kind."""
    engine = memory.engine
    await memory.add(USER, "s1", pairs(12))
    await settle(memory)
    await memory.chat(request("Remember that my locker is 4711"))
    await memory.chat(request("What does the user say of item number 3?", images=("https://pictures.test/3.png",)))
    for text in ("I live in Madrid.", "I live in Oslo."):
        await memory.learn(USER, text)
    await memory.observe(USER, "GOAL:deploy", findings=["The bridge is closed."])
    await engine.notes.scratchpad.put(USER, "plan", "Straße")
    await keep(engine.tools.traces, called(1, "HAT001"), called(2, "HAT002"))
    kept, asked = engine.responses, ResponseItem("msg_1", {"role": "user", "content": "Hi \ud800"}, ("user", "Hi"))
    conversation = await kept.conversations.create(USER, "conv_1", {"topic": "birds"}, [asked])
    begun = await kept.responses.begin(USER, Begun.at_end("resp_1", conversation.session_id))
    body = {"id": "resp_1", "huge": 10**40}
    answered = Answered("turn", body, [asked], [asked])
    await kept.responses.keep(USER, begun, answered, conversation=conversation.id)
    bank = await memory.activate(USER, "project", "loci")
    await memory.update(USER, "project", bank.info.id, "Decided: we use SQLite.")
    await memory.preferences(USER, {"instructions": "Be brief.", "locale": "de-DE"})
    await memory.put_project(USER, "zoo", {"isolated": True, "instructions": "Speak of animals."})
    await memory.chat(request("I feed the pandas.", "s2", project="zoo"))
    await settle(memory)


async def records(memory: Memory, owner: str = USER) -> list[Record]:
    return [record async for record in memory.engine.records(owner)]


async def bring_in(memory: Memory, every: list[Record], owner: str = OTHER) -> dict[str, int]:
    """How many are new, by kind."""
    async with memory.importing(owner) as importing:
        for record in every:
            await importing.take(record)
        taken = await importing.finish()
    return dict(+taken.imported)


async def left(memory: Memory, owner: str = OTHER) -> dict[str, int]:
    """How many documents a user has in each collection."""
    database = memory.engine.store.collections.database
    names = set(await database.list_collection_names()) - {"idempotency"}
    whose = {"$in": [owner, owner_apart(owner, "zoo")]}
    counts = {name: await database[name].count_documents({"user_id": whose}) for name in names}
    counts["owners"] = await memory.engine.store.collections.owners.count_documents({"_id": whose})
    return {name: count for name, count in counts.items() if count}


async def test_every_collection_that_is_used_is_named_by_a_product_or_the_store(quiet: Memory) -> None:
    await live(quiet)
    named = {name for product in quiet.engine.products for name in product.indexes} | set(INDEXES) | {"api_keys"}
    assert set(await quiet.engine.store.collections.database.list_collection_names()) <= named


async def test_what_goes_out_comes_in_once_and_goes_out_the_same(quiet: Memory) -> None:
    await live(quiet)
    every = await records(quiet)
    assert {record.kind for record in every} == set(KINDS)
    assert tuple(quiet.engine.importer.lines) == KINDS
    new = await bring_in(quiet, every)
    assert sum(new.values()) == len(every)
    await settle(quiet)
    same = [record for record in await records(quiet, OTHER) if record.kind not in ("bank", "bank_version")]
    assert same == [record for record in every if record.kind not in ("bank", "bank_version")]
    assert await bring_in(quiet, every) == {}
    assert await bring_in(quiet, await records(quiet, OTHER), USER) == {}
    assert await records(quiet) == every


@pytest.mark.parametrize("kind", KINDS)
async def test_a_deletion_takes_back_what_lands_after_it(quiet: Memory, kind: str) -> None:
    """The user is deleted when records of a kind are about to come: whatever lands then, goes."""
    await live(quiet)
    every = await records(quiet)
    first = next(at for at, record in enumerate(every) if record.kind == kind)
    with pytest.raises(Conflict, match="meanwhile"):
        async with quiet.importing(OTHER) as importing:
            for record in every[:first]:
                await importing.take(record)
            await importing.commit()
            await quiet.engine.oversight.forgetter.user(OTHER)
            await importing.take(every[first])
            await importing.commit()
    assert await left(quiet) == {}
    await settle(quiet)
    assert await left(quiet) == {}
    assert await records(quiet) == every


async def test_an_import_that_breaks_off_is_ended_by_a_repeat_wherever_that_was(quiet: Memory) -> None:
    await live(quiet)
    every = await records(quiet)
    for count in range(0, len(every), 3):
        with pytest.raises(ZeroDivisionError):
            async with quiet.importing(OTHER) as importing:
                for record in every[:count]:
                    await importing.take(record)
                raise ZeroDivisionError
    await bring_in(quiet, every)
    await settle(quiet)
    assert len(await records(quiet, OTHER)) == len(every)
    session = await quiet.engine.chats.sessions.get(OTHER, "s1")
    own = await quiet.engine.chats.sessions.get(USER, "s1")
    assert (session.message_count, session.pair_count) == (own.message_count, own.pair_count)
    assert (session.title, session.updated_at) == (own.title, own.updated_at)


async def test_counts_that_a_crash_left_wrong_are_made_anew(quiet: Memory) -> None:
    await quiet.add(USER, "s1", pairs(3))
    every = await records(quiet)
    await bring_in(quiet, every)
    crashed: Document = {"$set": {"message_count": 2, "pair_count": 0, "importing": True}}
    await quiet.engine.store.collections.sessions.update_one({"user_id": OTHER}, crashed)
    assert await bring_in(quiet, every) == {}
    session = await quiet.engine.chats.sessions.get(OTHER, "s1")
    assert (session.message_count, session.pair_count) == (6, 3)


async def test_facts_that_replaced_each_other_still_do(quiet: Memory) -> None:
    await quiet.learn(USER, "I live in Madrid.")
    await quiet.learn(USER, "I live in Oslo.")
    own = await quiet.engine.knowledge.facts.in_force(USER, "default")
    await bring_in(quiet, await records(quiet))
    [fact] = await quiet.engine.knowledge.facts.in_force(OTHER, "default")
    assert (fact.id, fact.text) == (scoped(own[0].id, OTHER), own[0].text)
    await quiet.engine.knowledge.facts.undo(OTHER, fact.id)
    [earlier] = await quiet.engine.knowledge.facts.in_force(OTHER, "default")
    assert "Madrid" in earlier.text
    assert await quiet.engine.knowledge.facts.in_force(USER, "default") == own


async def test_messages_that_are_being_forgotten_stay(quiet: Memory) -> None:
    await quiet.add(USER, "s1", pairs(2))
    await quiet.engine.store.collections.vectors.update_one({"id": "user0"}, {"$set": {"forgotten": {"by": "x"}}})
    await bring_in(quiet, await records(quiet))
    assert [one["id"] for one in await messages(quiet, owner=OTHER)] == ["assistant0", "user1", "assistant1"]
    assert [one["message_index"] for one in await messages(quiet, owner=OTHER)] == [1, 2, 3]


async def test_an_import_waits_for_another_of_the_same_user_alone(quiet: Memory) -> None:
    await quiet.add(USER, "s1", pairs(2))
    every = await records(quiet)
    async with quiet.importing(OTHER):
        assert await bring_in(quiet, every, "carl") == {"session": 1, "message": 4}
        second = asyncio.create_task(bring_in(quiet, every))
        await asyncio.sleep(0)
        assert await left(quiet) == {}
    assert await second == {"session": 1, "message": 4}


async def test_what_was_deleted_and_comes_again_is_found_before_it_is_embedded(quiet: Memory) -> None:
    await quiet.add(USER, "s1", [turn("heron", "The heron nests by the mill.")])
    await settle(quiet)
    every = await records(quiet)
    await quiet.add(USER, "s2", [turn("kiln", "The kiln is hot.")])
    await settle(quiet)
    assert "heron" in await found(quiet, "Where does the heron nest?")
    await quiet.engine.oversight.forgetter.session(USER, "s1")
    assert "heron" not in await found(quiet, "Where does the heron nest?")
    await bring_in(quiet, every, USER)
    assert "heron" in await found(quiet, "Where does the heron nest?")
    await settle(quiet)
    assert "heron" in await found(quiet, "Where does the heron nest?")
