"""Messages that say what is to be forgotten, and those that only speak of it."""

import pytest

from agents.memory import Memory
from tests.conversations import USER, turn


@pytest.fixture
async def told(quiet: Memory) -> Memory:
    said = {
        "a": "My PIN is 4471.",
        "b": "Btw, my PIN is 4471, and never changes",
        "c": "My PIN is 99",
        "d": "I like opera",
        "e": "i LIKE opera!!",
        "f": "I like opera?",
        "g": "I like opera and tea",
        "h": "Ich mag Käse",
        "l": "Ich mag die Königstraße.",
    }
    turns = [turn(name, text) for name, text in said.items()]
    await quiet.add(USER, "s1", [*turns, turn("i", "My PIN is 4471", name="Petra")])
    await quiet.add("bob", "s1", [turn("j", "My PIN is 4471"), turn("k", "I like opera")])
    return quiet


async def test_a_value_is_found_where_the_user_states_it_and_others_are_counted(told: Memory) -> None:
    found, others = await told.engine.oversight.saying.value(USER, "PIN", ["4471"])
    assert (sorted(found), others) == (["a", "b"], 1)


async def test_a_statement_is_found_where_a_message_says_nothing_else(told: Memory) -> None:
    assert sorted(one.id for one in await told.engine.oversight.saying.statement(USER, "I like opera")) == ["d", "e"]
    assert [one.id for one in await told.engine.oversight.saying.statement(USER, "ICH MAG KÄSE.")] == ["h"]
    assert [one.id for one in await told.engine.oversight.saying.statement(USER, "ich mag die königstraße")] == ["l"]
    assert await told.engine.oversight.saying.statement(USER, "opera") == []
