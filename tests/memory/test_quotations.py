"""Is what rules quoted of a message gone with it?"""

import pytest

from agents.memory import Memory
from memory.domain import RULE_BASED
from tests.conversations import USER, messages, say, turn


async def test_what_rules_quoted_of_a_message_goes_with_it(quiet: Memory) -> None:
    await quiet.add(
        USER, "s1", [turn("m1", "My safe is at home (77-31-05). It squeaks."), turn("m2", "My car is red.")]
    )
    for session in ("s1", "s2"):
        assert "77-31-05" in await say(quiet, "Where is my safe?", session_id=session)
        assert "red" in await say(quiet, "Which colour is my car?", session_id=session)
    assert await quiet.engine.forgetter.message(USER, "m1")
    said = [one for session in ("s1", "s2") for one in await messages(quiet, session)]
    answers = [one["content"] for one in said if one.get("model") == RULE_BASED]
    assert len(answers) == 4
    assert not any("77-31-05" in answer for answer in answers)
    assert sum("red" in answer for answer in answers) == 2


@pytest.mark.parametrize(
    "beads", ["beads of glass", "beads " + "of (very) fine-cut glass, " * 4, "beads " + "玻璃" * 60]
)
async def test_a_message_of_many_sentences_is_deleted_with_what_was_quoted_of_it(quiet: Memory, beads: str) -> None:
    text = " ".join(f"My box number {number} holds {number * 7} {beads}." for number in range(1_000))
    await quiet.add(USER, "s1", [turn("m1", text)])
    assert "6993 beads" in await say(quiet, "How many beads holds my box number 999?")
    assert await quiet.engine.forgetter.message(USER, "m1")
    assert not any("beads " in one["content"] for one in await messages(quiet, "s1") if one["role"] == "assistant")


async def test_quotations_are_looked_for_among_the_answers_by_rules_alone(quiet: Memory) -> None:
    vectors = quiet.engine.collections.vectors
    asked = {"user_id": USER, "role": "assistant", "model": RULE_BASED, "content": {"$regex": "x"}}
    plan = await vectors.database.command("explain", {"find": vectors.name, "filter": asked})
    assert plan["queryPlanner"]["winningPlan"]["inputStage"]["indexName"] == "answers_by_rules"
