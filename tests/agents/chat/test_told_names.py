"""Are names with a slip those that were told, and other names other ones?"""

from datetime import UTC, datetime

import pytest

from agents.chat.context import Citation
from agents.chat.statements import Sentence
from agents.chat.told_names import with_told_names
from agents.memory import Memory
from tests.conversations import say

TOLD = (
    "Wendeline is the new vet, she is really kind with the cat.",
    "Zbigniew says the timing belt has to be changed at 120000 km.",
    "Talked to Mr Pettigrew about the fence.",
    "Martin and Dagny went home, and so did Dagna.",
    "the plural of okapi is okapis",
)


def sentences(*texts: str) -> list[Sentence]:
    moment = datetime(2025, 3, 1, tzinfo=UTC)
    return [
        Sentence(text, Citation(0, str(at), "turn", "similar", "s", "user", text, moment, 0.5), 0.5)
        for at, text in enumerate(texts)
    ]


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ("who is Wendaline", "who is Wendeline"),
        ("What did Zbignew say?", "What did Zbigniew say?"),
        ("Where is Mr Petigrew’s fence?", "Where is Mr Pettigrew’s fence?"),
        ("who is petigrew", "who is Pettigrew"),
    ],
)
def test_a_name_with_a_slip_is_the_one_that_was_told(query: str, meant: str) -> None:
    assert with_told_names(query, sentences(*TOLD)) == meant


@pytest.mark.parametrize(
    "query",
    [
        "Who is Marvin?",  # a name of its own
        "Who is Penhaligon?",
        "Who is Zbigniew?",
        "Who is Dagn?",  # too short
        "Who is Dagnx?",  # which of the two
        "what is an okapi",
        "Wer ist Wendaline und was macht sie?",  # in German
        "Where is the fense?",
    ],
)
def test_what_is_no_slip_of_a_name_stays(query: str) -> None:
    assert with_told_names(query, sentences(*TOLD)) == query


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Is Wendaline kind?", "Wendeline"),
        ("What did Zbignew say about the timing belt?", "120000 km"),
        ("What did I talk about with Mr Petigrew?", "fence"),
    ],
)
async def test_what_was_told_of_a_name_answers_for_it_with_a_slip(quiet: Memory, query: str, expected: str) -> None:
    await say(quiet, *TOLD[:3], "The boiler was serviced by Mr Okafor.")
    answer = await say(quiet, query, session_id="s2")
    assert answer.startswith("You told me") and expected in answer
