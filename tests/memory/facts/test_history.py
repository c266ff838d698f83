"""What is in force, now and in the past, after decisions were taken back."""

import asyncio
from datetime import timedelta

import pytest

from agents.memory import Memory
from memory.facts.facts import Fact, Facts, Origin
from memory.facts.rules.reconcile import Add, Delete, Keep, Update
from tests.conversations import START
from utils.errors import Conflict

HOUR = timedelta(hours=1)
TOWNS = ("Madrid", "Berlin", "Oslo")


@pytest.fixture
def facts(quiet: Memory) -> Facts:
    return quiet.engine.knowledge.facts


def said(number: int) -> Origin:
    """What comes of a message that was said in a later hour."""
    return Origin("ann", "s", "rule_based", START + number * HOUR, f"m{number}")


@pytest.fixture
async def three(facts: Facts) -> tuple[str, ...]:
    """The ids of a fact, what replaced it, and what replaced that."""
    [made] = await facts.apply(said(0), [Add(TOWNS[0])])
    ids = [made.id]
    for number in (1, 2):
        [made] = await facts.apply(said(number), [Update(ids[-1], TOWNS[number])])
        ids.append(made.id)
    return tuple(ids)


async def every(facts: Facts) -> dict[str, Fact]:
    return {fact.text: fact for fact, _ in await facts.page("ann", limit=99, ended=True)}


async def timeline(facts: Facts) -> list[str]:
    """What was in force in the middle of each of the first hours."""
    found: list[str] = []
    for hour in range(4):
        page = await facts.page("ann", limit=9, as_of=START + hour * HOUR + HOUR / 2)
        found.append(" and ".join(sorted(fact.text for fact, _ in page)))
    return found


async def in_force(memory: Memory) -> list[str]:
    """The facts in force, which are those that are recalled."""
    page = await memory.engine.knowledge.facts.page("ann", limit=99)
    gists = await memory.engine.store.collections.vectors.find({"kind": "fact"}, {"content": 1}).to_list(None)
    texts = sorted(fact.text for fact, _ in page)
    assert texts == sorted(gist["content"] for gist in gists)
    return texts


async def test_the_first_of_three_comes_back_alone(quiet: Memory, facts: Facts, three: tuple[str, ...]) -> None:
    assert await timeline(facts) == ["Madrid", "Berlin", "Oslo", "Oslo"]
    assert (await facts.undo("ann", three[0])).valid_to is None
    assert await in_force(quiet) == ["Madrid"]
    assert await timeline(facts) == ["Madrid"] * 4
    for fact in (await every(facts)).values():
        assert fact.history[-1].event == "UNDO" and fact.superseded_by is None


async def test_the_one_in_the_middle_comes_back_alone(quiet: Memory, facts: Facts, three: tuple[str, ...]) -> None:
    await facts.undo("ann", three[1])
    assert await in_force(quiet) == ["Berlin"]
    assert await timeline(facts) == ["Madrid", "Berlin", "Berlin", "Berlin"]


async def test_what_is_undone_twice_is_as_it_was(quiet: Memory, facts: Facts, three: tuple[str, ...]) -> None:
    for expected in (["Berlin"], ["Oslo"], ["Berlin"], ["Oslo"]):
        await facts.undo("ann", three[2])
        assert await in_force(quiet) == expected
        assert "Oslo and" not in str(await timeline(facts)) and " and" not in str(await timeline(facts))
    history = (await facts.get("ann", three[2])).history
    assert [event.event for event in history] == ["UPDATE", *["UNDO"] * 4]
    assert {event.other for event in history} == {three[1]}


async def test_any_of_a_chain_can_be_undone_in_any_order(quiet: Memory, facts: Facts, three: tuple[str, ...]) -> None:
    for at in (0, 2, 1, 1, 0, 0, 2, 2, 1, 0):
        await facts.undo("ann", three[at])
        assert len(await in_force(quiet)) == 1
        assert " and " not in str(await timeline(facts))


async def test_a_withdrawn_fact_was_never_in_force(quiet: Memory, facts: Facts) -> None:
    [made] = await facts.apply(said(0), [Add("Madrid")])
    withdrawn = await facts.undo("ann", made.id)
    assert withdrawn.valid_to == withdrawn.valid_from
    assert await timeline(facts) == [""] * 4 and await in_force(quiet) == []
    await facts.undo("ann", made.id)
    assert await timeline(facts) == ["Madrid"] * 4 and await in_force(quiet) == ["Madrid"]


async def test_undoing_at_once_leaves_one_in_force(quiet: Memory, facts: Facts, three: tuple[str, ...]) -> None:
    for _ in range(5):
        outcomes = await asyncio.gather(*(facts.undo("ann", one) for one in (*three, *three)), return_exceptions=True)
        assert all(isinstance(outcome, Fact | Conflict) for outcome in outcomes)
        assert len(await in_force(quiet)) == 1


async def test_undoing_and_changing_at_once_leave_one_in_force(
    quiet: Memory, facts: Facts, three: tuple[str, ...]
) -> None:
    for number in range(5):
        [current] = await facts.in_force("ann", "s")
        changing = facts.change("ann", current.id, f"Town {number}")
        await asyncio.gather(changing, facts.undo("ann", three[0]), return_exceptions=True)
        assert len(await in_force(quiet)) == 1


async def test_a_chain_closes_over_a_deleted_message(quiet: Memory, facts: Facts, three: tuple[str, ...]) -> None:
    assert await facts.forget_source("ann", "s", "m1") == 1
    assert await timeline(facts) == ["Madrid", "Madrid", "Oslo", "Oslo"]
    assert (await facts.get("ann", three[0])).superseded_by == three[2]
    await facts.undo("ann", three[2])
    assert await in_force(quiet) == ["Madrid"] and await timeline(facts) == ["Madrid"] * 4
    await facts.undo("ann", three[2])
    assert await facts.forget_source("ann", "s", "m0") == 1
    assert await in_force(quiet) == ["Oslo"] and await timeline(facts) == ["", "", "Oslo", "Oslo"]
    assert await facts.forget_source("ann", "s", "m2") == 1
    assert await every(facts) == {}


async def test_what_a_deleted_message_had_replaced_holds_again(
    quiet: Memory, facts: Facts, three: tuple[str, ...]
) -> None:
    assert await facts.forget_source("ann", "s", "m2") == 1
    assert await in_force(quiet) == ["Berlin"] and await timeline(facts) == ["Madrid", *["Berlin"] * 3]
    assert (await facts.get("ann", three[1])).history[-1].event == "UNDO"


async def test_what_a_deleted_message_had_ended_holds_again(quiet: Memory, facts: Facts) -> None:
    [figs] = await facts.apply(said(0), [Add("Figs")])
    [plums] = await facts.apply(said(0), [Add("Plums")])
    await facts.apply(said(1), [Delete(figs.id), Delete(plums.id)])
    await facts.undo("ann", plums.id)
    await facts.end("ann", plums.id)
    assert await facts.forget_source("ann", "s", "m1") == 0
    assert await in_force(quiet) == ["Figs"]  # the other one was ended by hand since
    assert [event.event for event in (await facts.get("ann", figs.id)).history] == ["ADD", "DELETE", "UNDO"]


async def test_a_fact_that_another_message_says_outlives_one(quiet: Memory, facts: Facts) -> None:
    [figs] = await facts.apply(said(0), [Add("Figs")])
    await facts.apply(said(1), [Keep(figs.id)])
    assert await facts.forget_source("ann", "s", "m0") == 0
    assert (await facts.get("ann", figs.id)).sources == ("m1",)
    assert await facts.forget_source("ann", "s", "m1") == 1
    assert await in_force(quiet) == []
