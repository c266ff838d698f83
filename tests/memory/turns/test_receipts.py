"""A receipt tells what an answer rests on, to its owner alone."""

import asyncio

import pytest

from agents.memory import Memory
from memory.domain import RULE_BASED
from tests.conversations import USER, request, say, settle
from utils.errors import NotFound
from utils.mongo import Document


async def test_a_receipt_tells_what_was_considered_used_and_spent(quiet: Memory) -> None:
    await say(quiet, "my dog is called Biscuit", "I like trains.")
    asked = request("what is my dog called?", "s2")
    answer = (await quiet.chat(asked)).answer
    receipt = await quiet.engine.chats.receipts.get(USER, asked.turn_id)
    assert (receipt.query, receipt.intent, receipt.model) == (asked.query, "question", "rule_based")
    assert receipt.agents_used == ("memory_agent", "writer_agent")
    assert receipt.messages == (f"{asked.turn_id}.prompt", f"{asked.turn_id}.response")
    dog, trains = receipt.considered
    assert dog.dropped is None
    assert dog.parts.score > 4 * trains.parts.score
    assert [one.n for one in receipt.used] == list(range(1, len(receipt.used) + 1))
    assert sum(entry.tokens for entry in receipt.ledger) == receipt.prompt_tokens == answer.usage.prompt_tokens


async def test_a_receipt_is_for_its_owner_alone_even_where_exchanges_have_the_same_id(quiet: Memory) -> None:
    for owner in ("ann", "bob"):
        await quiet.chat(request(f"I am {owner}", owner=owner, turn_id="same"))
    assert (await quiet.engine.chats.receipts.get("ann", "same")).query == "I am ann"
    assert (await quiet.engine.chats.receipts.get("bob", "same")).query == "I am bob"
    with pytest.raises(NotFound):
        await quiet.engine.chats.receipts.get("cleo", "same")
    await quiet.engine.chats.receipts.delete("bob", "same")
    assert (await quiet.engine.chats.receipts.get("ann", "same")).query == "I am ann"


@pytest.mark.parametrize("deleted", [False, True])
async def test_a_receipt_that_is_just_being_written_is_waited_for(quiet: Memory, deleted: bool) -> None:
    receipts, may = quiet.engine.chats.receipts, asyncio.Event()
    await quiet.chat(request("I am Ann", turn_id="t1"))
    receipt = await receipts.get(USER, "t1")
    await receipts.delete(USER, "t1")

    async def write() -> None:
        await may.wait()
        await receipts.keep_after(USER, lambda: receipt, receipt.messages)

    receipts.expect(USER, "t1", asyncio.create_task(write()))
    asking = asyncio.create_task(receipts.delete(USER, "t1") if deleted else receipts.get(USER, "t1"))
    await asyncio.sleep(0)
    may.set()
    if deleted:
        await asking
        with pytest.raises(NotFound):
            await receipts.get(USER, "t1")
    else:
        assert await asking == receipt


@pytest.mark.parametrize("deleted", ["session", "prompt", "response"])
async def test_no_receipt_is_written_of_what_was_deleted_meanwhile(quiet: Memory, deleted: str) -> None:
    receipts = quiet.engine.chats.receipts
    await quiet.chat(request("I am Ann", turn_id="t1"))
    receipt = await receipts.get(USER, "t1")
    forgetter = quiet.engine.oversight.forgetter
    await (forgetter.session(USER, "s1") if deleted == "session" else forgetter.message(USER, f"t1.{deleted}"))
    await receipts.keep_after(USER, lambda: receipt, receipt.messages)
    with pytest.raises(NotFound):
        await receipts.get(USER, "t1")


async def test_a_second_receipt_of_an_exchange_takes_the_place_of_the_first(quiet: Memory) -> None:
    for _ in range(2):
        await quiet.chat(request("I am Ann", turn_id="same", retried=True))
    assert await quiet.engine.store.collections.receipts.count_documents({}) == 1


async def test_a_receipt_of_an_earlier_version_tells_as_much_as_it_knows(quiet: Memory) -> None:
    await say(quiet, "my dog is called Biscuit")
    asked = request("What is my dog called?")
    await quiet.chat(asked)
    await settle(quiet)
    receipts = quiet.engine.chats.receipts
    assert (await receipts.get(USER, asked.turn_id)).left_out == "not_quoted"
    stored = quiet.engine.store.collections.receipts
    cases: tuple[tuple[str, Document, str], ...] = (
        (RULE_BASED, {}, "not_quoted"),
        ("a-model", {}, "budget"),
        (RULE_BASED, {"used": []}, "no_answer"),
    )
    for model, fields, expected in cases:
        change = {"$unset": {"left_out": 1}, "$set": {"model": model} | fields}
        assert (await stored.update_one({"turn_id": asked.turn_id}, change)).modified_count == 1
        assert (await receipts.get(USER, asked.turn_id)).left_out == expected
