"""Facts by rules: is what changed replaced, and nothing else?"""

import pytest

from agents.memory import Memory
from memory.facts.rules.reconcile import Add, Delete, Known, Update, decide_by_rules, reconciled
from memory.facts.rules.wording import stated_by_rules
from tests.conversations import USER, say, settle
from tests.memory.changes_of_people import OF_PEOPLE, Row
from tests.memory.changes_of_plans import OF_PLANS
from tests.stated import say as state
from tests.stated import texts

ALL = {**OF_PEOPLE, **OF_PLANS}


def after(*messages: str) -> list[str]:
    """The facts in force after texts are learned, one by one."""
    force: dict[str, str] = {}
    for number, message in enumerate(messages):
        facts = [Known(key, text) for key, text in force.items()]
        for place, decision in enumerate(decide_by_rules(reconciled(stated_by_rules(message)), facts)):
            if isinstance(decision, Update | Delete):
                force.pop(decision.id)
            if isinstance(decision, Add | Update):
                force[f"{number}.{place}"] = decision.text
    return list(force.values())


def faults(row: Row) -> str:
    """What is wrong after a row's messages; nothing where all is right."""
    messages, there, gone = row
    found = after(*messages)
    missing = [one for one in there if not any(one in fact for fact in found)]
    left = [one for one in gone if any(one in fact for fact in found)]
    return f"{messages} -> {found}: missing {missing}, left {left}" if missing or left else ""


@pytest.mark.parametrize("row", [row for rows in ALL.values() for row in rows], ids=lambda row: " ".join(row[0]))
def test_what_changed_is_replaced_and_the_rest_stays(row: Row) -> None:
    assert faults(row) == ""


def test_a_name_that_several_bear_ends_nothing() -> None:
    both = ["My sister Anna lives in Gothenburg.", "My colleague Anna lives in Oslo."]
    facts = ["The user's sister Anna lives in Gothenburg.", "The user's colleague Anna lives in Oslo."]
    assert after(*both, "Anna moved to Malmö.") == [*facts, "Anna moved to Malmö."]
    assert after(*both, "Anna moved to Malmö.", "Anna moved to Malmö.") == [*facts, "Anna moved to Malmö."]


async def test_each_of_two_people_of_a_name_is_told_of(quiet: Memory) -> None:
    for text in ("My sister Anna lives in Gothenburg.", "My colleague Anna lives in Oslo."):
        [decided] = await quiet.learn(USER, text)
        assert decided.event == "ADD"
    await settle(quiet)
    assert "Gothenburg" in await say(quiet, "Where does my sister Anna live?")
    assert "Oslo" in await say(quiet, "Where does my colleague Anna live?")


async def test_a_message_that_says_what_is_cancelled_ends_the_plan(quiet: Memory) -> None:
    await state(
        quiet, "I'm planning a trip to Lisbon.", "I'm planning a trip to Porto.", "The trip to Lisbon is cancelled."
    )
    await quiet.engine.knowledge.queue.work()
    assert await texts(quiet) == ["The trip to Lisbon is cancelled.", "The user is planning a trip to Porto."]
