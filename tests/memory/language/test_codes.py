"""Is it told which one of a kind a question is about, and is what was said of another one no answer?"""

import pytest

from agents.memory import Memory
from config.recipes import SEARCH
from memory.language.questions import codes_of
from tests.conversations import USER, say, turn


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("What is in invoice INV-2292?", {"2292"}),
        ("When does LH441 leave?", {"lh441"}),
        ("Who closed ticket #7?", {"7"}),
        ("Has order 48213 come?", {"48213"}),
        ("It was 9:30 on 2023-05-04, and cost £1,200.50, or $1500.", set()),
        ("What happened in 2023?", set()),
        ("How many of the 10000 steps did I walk?", set()),
        ("Which of the 12 is mine?", set()),
        ("Which spare part is CT-34, and what runs on zeus2?", {"34", "zeus2"}),
        ("When did I have COVID-19, in mid-2023 or in the mid-90s?", set()),
        ("Who ran 10000 km, paid 1500 USD or 1500€, and saw 2500 people in 1789?", set()),
        ("Was it on May20, 3 Sept7 or at UTC-10, said GPT-4?", set()),
        ("Is the F-150 in room B12 or at gate A4?", {"150", "b12"}),
    ],
)
def test_a_code_is_told_from_an_amount_and_a_time(text: str, codes: set[str]) -> None:
    assert codes_of(text) == codes


async def test_what_was_said_of_another_one_is_hardly_an_answer(quiet: Memory) -> None:
    told = {"m1": "Invoice INV-2291 is about the new roof.", "m2": "I sent it to Petra.", "m3": "The roof leaks."}
    await quiet.add(USER, "s1", [turn(name, text) for name, text in told.items()], wait=True)
    scores = {}
    for number in (2291, 2292):
        recall = await quiet.search(USER, f"What is invoice INV-{number} about?", SEARCH)
        scores[number] = {hit.gist.id: hit.score for hit in recall.hits}
    assert scores[2291]["m1"] > 0.3
    assert scores[2292].get("m1", 0) == pytest.approx(0.3 * scores[2291]["m1"], rel=0.3)


async def test_what_names_the_one_asked_for_comes_first(quiet: Memory) -> None:
    told = [turn(f"m{n}", f"Ticket #{n} is with Petra, as far as I know.") for n in range(11, 30)]
    await quiet.add(USER, "s1", told, wait=True)
    for number in (11, 17, 29):
        recall = await quiet.search(USER, f"Who has ticket #{number}?", SEARCH)
        assert recall.hits[0].gist.id == f"m{number}"


async def test_rules_do_not_answer_with_another_one(quiet: Memory) -> None:
    await say(quiet, "Invoice INV-2291 is about the new roof.")
    assert "roof" in await say(quiet, "What is invoice INV-2291 about?")
    assert "roof" not in await say(quiet, "What is invoice INV-2292 about?")


async def test_an_answer_that_is_a_code_itself_is_told(quiet: Memory) -> None:
    await say(quiet, "The tracking number of my order is 99887766.")
    assert "99887766" in await say(quiet, "What is the tracking number of my order?")
