"""A message that its user wants recalled no more: no other answer comes to know of it, and its chat still does."""

from collections.abc import Callable

import pytest

from agents.memory import Memory
from agents.open import open_memory
from config.settings import Settings
from memory.domain import Gist
from tests.conversations import USER, Silent, found, messages, request, settle, turn
from tests.scripted_mongot import ScriptedMongot
from utils.errors import NotFound

ASKED = "Which bees make honey?"


async def withhold(memory: Memory, identifier: str, *, recalled: bool = False, owner: str = USER) -> None:
    turns = memory.engine.chats.turns
    assert (await turns.set_recalled(owner, "s1", identifier, recalled=recalled)).recalled is recalled


@pytest.mark.parametrize("embedded", [True, False], ids=["embedded", "just said"])
@pytest.mark.parametrize("search", ["exact", "mongodb"])
async def test_it_is_found_by_no_process_until_it_is_recalled_again(
    make_settings: Callable[..., Settings], mongot: ScriptedMongot, search: str, *, embedded: bool
) -> None:
    settings = make_settings(mongodb_uri=mongot.uri, vector_search=search)
    async with open_memory(settings, nudge=Silent()) as one, open_memory(settings, nudge=Silent()) as another:
        await another.add(USER, "s1", [turn("m1", "Bees make honey."), turn("m2", "Red bees make honey, too.")])
        if embedded:
            await settle(another)
        for memory in (one, another):
            assert not embedded or sorted(await found(memory, ASKED)) == ["m1", "m2"]
        await withhold(one, "m1")
        await withhold(one, "m1")
        for memory in (one, another):
            assert "m1" not in await found(memory, ASKED)
        await settle(one)
        for memory in (one, another):
            assert await found(memory, ASKED) == ["m2"]
        await withhold(another, "m1", recalled=True)
        for memory in (one, another):
            assert sorted(await found(memory, ASKED)) == ["m1", "m2"]


async def test_it_stays_in_its_chat_and_is_no_neighbour_of_what_is_recalled(quiet: Memory) -> None:
    await quiet.add(USER, "s1", [turn("m1", "Bees make honey."), turn("m2", "Wasps make paper.")], wait=True)
    await withhold(quiet, "m1")
    assert [one["id"] for one in await messages(quiet)] == ["m1", "m2"]
    chats = quiet.engine.chats
    place = await chats.places.place(USER, "s1")
    assert place is not None
    recent: list[Gist] = await chats.turns.recent(USER, "s1", place, 5)
    assert [gist.id for gist in recent] == ["m1", "m2"]
    assert await chats.turns.near(USER, recent[1:], 1) == []
    await withhold(quiet, "m1", recalled=True)
    assert [gist.id for gist in await chats.turns.near(USER, recent[1:], 1)] == ["m1"]


async def test_why_not_says_so(quiet: Memory) -> None:
    await quiet.add(USER, "s1", [turn("m1", "My cat is called Ada.")], wait=True)
    await withhold(quiet, "m1")
    asked = request("What is my cat called?", "s2")
    assert "Ada" not in (await quiet.chat(asked)).answer.text
    why_not = await quiet.engine.oversight.explainer.why_not(USER, asked.turn_id, "m1")
    assert (why_not.reason, why_not.recorded) == ("not_recalled", False)


async def test_it_stays_so_where_its_chat_is_moved_or_comes_in_again(quiet: Memory) -> None:
    await quiet.add(USER, "s1", [turn("m1", "Bees make honey."), turn("m2", "Wasps make paper.")], wait=True)
    await withhold(quiet, "m1")
    await quiet.put_project(USER, "zoo", {"isolated": True})
    apart = await quiet.move(USER, "s1", "zoo")
    await settle(quiet)
    assert await found(quiet, "What do bees and wasps make?", owner=apart) == ["m2"]
    assert (await quiet.engine.chats.turns.get(apart, "s1", "m1")).recalled is False


async def test_only_its_owner_can_withhold_it_and_only_a_message(quiet: Memory) -> None:
    await quiet.add(USER, "s1", [turn("m1", "Bees make honey.")], wait=True)
    await quiet.add("bob", "s1", [turn("m1", "Bob's bees make honey.")], wait=True)
    for owner, session, identifier in (("eve", "s1", "m1"), (USER, "s2", "m1"), (USER, "s1", "m2")):
        with pytest.raises(NotFound):
            await quiet.engine.chats.turns.set_recalled(owner, session, identifier, recalled=False)
    await withhold(quiet, "m1", owner="bob")
    assert await found(quiet, ASKED) == ["m1"]
    assert await found(quiet, ASKED, owner="bob") == []
