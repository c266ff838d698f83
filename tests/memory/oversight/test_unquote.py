"""What rules quoted of a message goes with it."""

import asyncio

import pytest

from agents.memory import Memory
from memory.domain import RULE_BASED
from memory.oversight.unquote import Told
from tests.conversations import USER, messages, request, say, settle, turn
from tests.scripted_model import ScriptedModel, answer, status


async def test_what_rules_quoted_of_a_message_goes_with_it(quiet: Memory) -> None:
    await quiet.add(
        USER, "s1", [turn("m1", "My safe is at home (77-31-05). It squeaks."), turn("m2", "My car is red.")]
    )
    for session in ("s1", "s2"):
        assert "77-31-05" in await say(quiet, "Where is my safe?", session_id=session)
        assert "red" in await say(quiet, "Is my car red?", session_id=session)
    assert await quiet.engine.oversight.forgetter.message(USER, "m1")
    said = [one for session in ("s1", "s2") for one in await messages(quiet, session)]
    answers = [one["content"] for one in said if one.get("model") == RULE_BASED]
    assert len(answers) == 4
    assert not any("77-31-05" in answer for answer in answers)
    assert sum("red" in answer for answer in answers) == 2


@pytest.mark.parametrize(
    ("beads", "many"),
    [("beads of glass", 400), ("beads " + "of (very) fine-cut glass, " * 4, 200), ("beads " + "玻璃" * 60, 100)],
)
async def test_a_message_of_many_sentences_is_deleted_with_what_was_quoted_of_it(
    quiet: Memory, beads: str, many: int
) -> None:
    text = " ".join(f"My box number {number} holds {number * 7} {beads}." for number in range(many))
    await quiet.add(USER, "s1", [turn("m1", text)])
    await settle(quiet, 60)  # each of its pieces is embedded
    last = many - 1
    assert f"{last * 7} beads" in await say(quiet, f"How many beads holds my box number {last}?")
    assert await quiet.engine.oversight.forgetter.message(USER, "m1")
    assert not any("beads " in one["content"] for one in await messages(quiet, "s1") if one["role"] == "assistant")


async def test_quotations_are_looked_for_among_the_answers_by_rules_alone(quiet: Memory) -> None:
    vectors = quiet.engine.store.collections.vectors
    asked = {"user_id": USER, "role": "assistant", "model": RULE_BASED, "content": {"$regex": "x"}}
    plan = await vectors.database.command("explain", {"find": vectors.name, "filter": asked})
    assert plan["queryPlanner"]["winningPlan"]["inputStage"]["indexName"] == "answers_by_rules"


SECRET = "My passport number is C01X00T47."
LONG = (
    f"My boss Fatima {'really and truly ' * 5}wants https://example.com/{'a' * 40} of me by Monday {'at noon ' * 30}."
)


async def answers(memory: Memory, *sessions: str) -> str:
    """What the assistant says in sessions."""
    said = [one for session in sessions or ("s1",) for one in await messages(memory, session)]
    return "\n".join(one["content"] for one in said if one["role"] == "assistant")


@pytest.mark.parametrize(
    "asked",
    [
        "Summarise our conversation",
        "Give me a summary of my holidays",
        "Tell me everything you know about me",
        "What do you know about me?",
        "What was the second last thing I said?",
        "Summarise our conversation in 5 bullet points",
    ],
)
async def test_what_a_summary_by_rules_told_of_a_message_goes_with_it(quiet: Memory, asked: str) -> None:
    await say(quiet, "My boss is called Fatima.", SECRET, "I have a nut allergy.")
    told = await say(quiet, asked)
    await say(quiet, "What was the last thing you said?", session_id="s1")
    assert await say(quiet, f"forget that {SECRET[0].lower()}{SECRET[1:-1]}") == "I have forgotten that."
    assert "C01X00T47" not in await answers(quiet)
    assert ("Fatima" in told) == ("Fatima" in await answers(quiet))
    later = await quiet.chat(request("Summarise our conversation"))
    assert "C01X00T47" not in str(later.context.bundle) + later.answer.text


async def test_a_line_that_was_cut_goes_with_its_message(quiet: Memory) -> None:
    await quiet.add(USER, "s1", [turn("m1", f"{LONG} And I live in Oslo."), turn("m2", "I have a nut allergy.")])
    assert "Fatima" in await say(quiet, "Summarise our conversation")
    assert await quiet.engine.oversight.forgetter.message(USER, "m1")
    assert (await answers(quiet)).splitlines().count("- …") == 2
    assert "nut allergy" in await answers(quiet)


async def test_of_a_question_and_its_answer_each_goes_with_its_message(quiet: Memory) -> None:
    said = [
        turn("m1", "When is my flight LX40?"),
        turn("m2", "At nine, from gate 7.", "assistant"),
        turn("m3", "I like opera.", name="Bob"),
    ]
    await quiet.add(USER, "s1", said)
    told = "- Q: When is my flight LX40? A: At nine, from gate 7.\n- Bob: I like opera."
    assert await say(quiet, "Summarise our conversation") == told
    assert await quiet.engine.oversight.forgetter.message(USER, "m2")
    assert (await answers(quiet)).startswith("- Q: When is my flight LX40? A: …\n- Bob")
    assert await quiet.engine.oversight.forgetter.message(USER, "m1")
    assert await quiet.engine.oversight.forgetter.message(USER, "m3")
    assert await answers(quiet) == "- Q: …\n- Bob: …"


async def test_a_summary_of_a_models_that_rules_told_goes_with_what_it_is_of(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    scripted_model.always(answer("- The passport is C01X00T47.\n- The user likes opera."))
    await with_model.add(USER, "s1", [turn(f"m{number}") for number in range(20)])
    await settle(with_model)
    scripted_model.always(status(500))
    assert "C01X00T47" in await say(with_model, "Summarise our conversation")
    scripted_model.always(answer("- The user likes opera."))
    assert await with_model.engine.oversight.forgetter.message(USER, "m7")
    assert "C01X00T47" not in str(await messages(with_model))


async def test_two_messages_that_go_at_once_both_leave_an_answer(quiet: Memory) -> None:
    await say(quiet, "My boss is called Fatima.", SECRET, "I have a nut allergy.", "Summarise our conversation")
    ids = [one["id"] for one in (await messages(quiet))[:5] if one["role"] == "user"]
    await asyncio.gather(*(quiet.engine.oversight.forgetter.message(USER, identifier) for identifier in ids))
    assert "- …\n- …\n- …" in await answers(quiet)


async def test_a_fact_that_rules_told_goes_with_its_message(quiet: Memory) -> None:
    await quiet.add(USER, "gym", [turn("m1", "Well, my locker is number 12 and I work at Nokia.", proxied=True)])
    await quiet.engine.knowledge.queue.work()
    assert "number 12" in await say(quiet, "Tell me everything you know about me")
    assert await quiet.engine.oversight.forgetter.message(USER, "m1")
    assert "number 12" not in await answers(quiet) and "Nokia" not in await answers(quiet)


async def test_what_is_put_in_other_words_is_told_no_more_as_it_was(quiet: Memory) -> None:
    await quiet.add(USER, "s1", [turn("m1", f"I like opera. {SECRET}")])
    await say(quiet, "Summarise our conversation")
    assert await quiet.engine.oversight.forgetter.reword(USER, "m1", "I like opera.")
    assert await answers(quiet) == "- I like opera.\n- …"


@pytest.mark.parametrize(
    ("text", "answer", "left"),
    [
        ("My PIN is 447", "- My PIN is 4471.", "- My PIN is 4471."),
        ("My PIN is 44", "You told me: “My PIN is 44, I think.” [1]", "You told me: “…” [1]"),
        ("Noted.", "Noted. I'll remember that.", "Noted. I'll remember that."),
        (
            " My  safe:\n77-31-05,\n“the [1] big” [1] one\n",
            "On 2025-03-01: “My  safe:\n77-31-05,\n“the [1] big” [1] one” [1]\nYou told me: “It squeaks.” [2]",
            "On 2025-03-01: “…” [1]\nYou told me: “It squeaks.” [2]",
        ),
    ],
)
def test_what_was_quoted_goes_whole_and_what_only_begins_alike_stays(text: str, answer: str, left: str) -> None:
    assert Told((text,)).taken_out_of(answer) == left


def test_lines_go_whole() -> None:
    told = Told((), frozenset({"She likes tea."}))
    assert told.taken_out_of("In all:\nShe likes tea.\n- Tea") == "In all:\n- …\n- Tea"
