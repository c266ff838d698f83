"""A message with another text leaves nothing of the former one, and all is made anew of the new one."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from pymongo.errors import AutoReconnect

from agents.memory import Memory
from memory.facts.facts import Facts
from memory.facts.queue import FactQueue
from memory.oversight.forget import Forgetter
from tests.conversations import USER, messages, pairs, settle, turn


async def _crash(*_: Any, **__: Any) -> None:
    raise AutoReconnect("the store went away")


async def test_a_message_with_another_text_is_found_by_that(quiet: Memory) -> None:
    await quiet.add(USER, "s1", pairs(10))
    await quiet.add(USER, "s1", [turn("dog", "My dog is called Biscuit.")])
    await settle(quiet)
    assert await quiet.engine.oversight.forgetter.reword(USER, "dog", "My parrot is called Kiwi.")
    await settle(quiet)
    found = await quiet.search(USER, "What is my parrot called?")
    assert found.hits[0].gist.content == "My parrot is called Kiwi."
    assert "Biscuit" not in str([hit.gist.content for hit in (await quiet.search(USER, "Biscuit the dog")).hits])
    assert not await quiet.engine.oversight.forgetter.reword("bob", "dog", "Mine.")
    assert (await messages(quiet))[-1]["content"] == "My parrot is called Kiwi."


async def test_the_facts_of_a_message_are_made_anew_with_its_text(quiet: Memory) -> None:
    await quiet.engine.chats.turns.remember(USER, "s1", [turn("m1", "I live in Oslo.", proxied=True)])
    await quiet.engine.knowledge.queue.work()
    await quiet.engine.oversight.forgetter.reword(USER, "m1", "I live in Rome.")
    assert await quiet.engine.knowledge.facts.page(USER, limit=9, ended=True) == []
    await quiet.engine.knowledge.queue.work()
    assert [fact.text for fact, _ in await quiet.engine.knowledge.facts.page(USER, limit=9)] == [
        "The user lives in Rome."
    ]
    assert (await quiet.engine.chats.sessions.get(USER, "s1")).title == "I live in Rome."


async def test_a_fact_that_is_just_being_made_of_a_messages_former_text_is_not_kept(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    decided, forgotten = asyncio.Event(), asyncio.Event()
    carry_out, forget_source = FactQueue._carry_out, Facts.forget_source

    async def late(*args: Any) -> None:
        decided.set()
        await forgotten.wait()
        await carry_out(*args)

    async def and_then(*args: Any) -> int:
        found = await forget_source(*args)
        forgotten.set()
        await working
        return found

    await quiet.engine.chats.turns.remember(USER, "s1", [turn("m1", "I live in Oslo.", proxied=True)])
    with monkeypatch.context() as patch:
        patch.setattr(FactQueue, "_carry_out", late)
        patch.setattr(Facts, "forget_source", and_then)
        working = asyncio.create_task(quiet.engine.knowledge.queue.work())
        await decided.wait()
        await quiet.engine.oversight.forgetter.reword(USER, "m1", "I live in Rome.")
    await quiet.engine.knowledge.queue.work()
    facts = await quiet.engine.knowledge.facts.page(USER, limit=9, ended=True)
    assert [fact.text for fact, _ in facts] == ["The user lives in Rome."]


async def test_facts_are_made_again_where_a_crash_cuts_a_rewording_short(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await quiet.engine.chats.turns.remember(USER, "s1", [turn("m1", "I live in Oslo.", proxied=True)])
    await quiet.engine.knowledge.queue.work()
    with monkeypatch.context() as patch:
        patch.setattr("memory.store.leases.LEASE", timedelta(0))
        patch.setattr(Forgetter, "_overwrite", _crash)
        with pytest.raises(AutoReconnect):
            await quiet.engine.oversight.forgetter.reword(USER, "m1", "I live in Rome.")
    assert await quiet.engine.knowledge.facts.page(USER, limit=9) == []
    await quiet.engine.sweep()
    assert [fact.text for fact, _ in await quiet.engine.knowledge.facts.page(USER, limit=9)] == [
        "The user lives in Oslo."
    ]


async def test_of_two_that_reword_a_message_at_once_the_later_ones_text_alone_makes_facts(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    overwrite, first = Forgetter._overwrite, asyncio.Event()
    waiting = asyncio.Event()

    async def late(self: Forgetter, owner: str, found: Any, text: str) -> bool:
        if "Madrid" in text:
            waiting.set()
            await first.wait()
        return await overwrite(self, owner, found, text)

    await quiet.engine.chats.turns.remember(USER, "s1", [turn("m1", "I live in Oslo.", proxied=True)])
    monkeypatch.setattr(Forgetter, "_overwrite", late)
    later = asyncio.create_task(quiet.engine.oversight.forgetter.reword(USER, "m1", "I live in Madrid."))
    await waiting.wait()
    await quiet.engine.oversight.forgetter.reword(USER, "m1", "I live in Rome.")
    await quiet.engine.knowledge.queue.work()
    first.set()
    assert await later
    await quiet.engine.knowledge.queue.work()
    facts = await quiet.engine.knowledge.facts.page(USER, limit=9, ended=True)
    assert [fact.text for fact, _ in facts] == ["The user lives in Madrid."]
    assert (await messages(quiet))[-1]["content"] == "I live in Madrid."
