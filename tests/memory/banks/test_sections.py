"""What banks say is recalled by those who ask for it, and is in nobody's way."""

import asyncio
from typing import Any

import pytest

from agents.memory import Memory
from config.recipes import SEARCH
from memory.banks.bank import texts_of
from memory.banks.store import Change
from memory.recall.ranking import Scope
from memory.store.leases import pending
from tests.banks import begun, found, update
from tests.conversations import USER, pairs, settle


async def test_what_a_bank_says_is_recalled_by_those_who_ask_for_it(quiet: Memory) -> None:
    await begun(quiet)
    await update(quiet, "The lighthouse keeper is called Ada.")
    first = (await found(quiet, "lighthouse keeper"))[0]
    assert first.startswith("loci › active.md › Notes\n")
    await settle(quiet)
    assert (await found(quiet, "lighthouse keeper"))[0] == first
    assert await found(quiet, "lighthouse keeper", None) == []
    assert await found(quiet, "lighthouse keeper", ("turn", "fact")) == []
    assert await found(quiet, "lighthouse keeper", owner="bob") == []


@pytest.mark.parametrize("lead", ["Restart haproxy first.", "_Never_ restart haproxy first."])
async def test_what_a_file_says_before_its_sections_is_recalled_but_for_its_title(quiet: Memory, lead: str) -> None:
    await begun(quiet)
    banks = quiet.engine.library.banks
    seen = await banks._store.find(USER, "project", "loci")
    files = {"runbook.md": f"# Runbook\n{lead}\n"}
    await banks.commit(seen, Change(texts_of(seen) | files, "update", "rule_based"))
    assert f"loci › runbook.md\n{lead}" in await found(quiet, "restart haproxy")
    assert not any("What is under way" in one for one in await found(quiet, "What is under way?"))


async def test_messages_are_ranked_as_if_there_were_no_banks(quiet: Memory) -> None:
    await quiet.add(USER, "s1", pairs(12), wait=True)
    queries = ["item number 7", "what does the assistant say?", "number"]
    before = [await quiet.search(USER, query) for query in queries]
    await begun(quiet)
    for number in range(5):
        await update(quiet, f"user says something of item number {number}, said the assistant")
    await settle(quiet)
    after = [await quiet.search(USER, query) for query in queries]
    assert [[(hit.gist.key, hit.parts) for hit in one.hits] for one in after] == [
        [(hit.gist.key, hit.parts) for hit in one.hits] for one in before
    ]
    both = await quiet.search(USER, "item number 3", SEARCH, Scope(kinds=("turn", "section")))
    assert {hit.gist.kind for hit in both.hits} == {"turn", "section"}
    assert [hit.score for hit in both.hits] == sorted((hit.score for hit in both.hits), reverse=True)


async def test_one_brings_the_sections_up_to_a_bank_for_all_who_ask(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begun(quiet)
    sections, looks = quiet.engine.library.banks._sections, 0
    write = sections._write

    async def counted(*arguments: Any) -> None:
        nonlocal looks
        looks += 1
        await write(*arguments)

    monkeypatch.setattr(sections, "_write", counted)
    await quiet.engine.store.collections.banks.update_many({}, {"$set": {"sections": pending()}})
    assert all(await asyncio.gather(*(sections.follow(USER, "project", "loci") for _ in range(10))))
    assert looks == 1
    assert await sections.follow(USER, "project", "loci", anew=True)
    assert looks == 2


async def test_what_is_no_longer_in_a_bank_is_no_longer_recalled(quiet: Memory) -> None:
    await begun(quiet)
    await update(quiet, "active.md > Current focus (replace):\nThe lighthouse.")
    await update(quiet, "active.md > Current focus (replace):\nThe submarine.")
    await update(quiet, "active.md > Current focus (replace):\nThe airship.")
    assert not any("submarine" in one for one in await found(quiet, "submarine"))
    gists = await quiet.engine.store.collections.vectors.count_documents({"bank": {"$exists": True}})
    assert gists == len({one["content"] async for one in quiet.engine.store.collections.vectors.find({})})
