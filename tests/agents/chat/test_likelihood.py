"""The likelihood that a passage answers: decisive words without a counterpart, and numbers, speak against it."""

from pathlib import Path

import numpy as np
import pytest

from agents.chat.likelihood import SAME, Evidence, Question, Text, counterparts, likelihood
from utils.embeddings import LocalEmbedder
from utils.encoder import MODEL, load_encoder


@pytest.fixture
def reader(home: Path) -> LocalEmbedder:
    return LocalEmbedder(load_encoder(home), model=MODEL, dimensions=384)


async def asked_and_told(reader: LocalEmbedder, *contents: str) -> tuple[Question, *tuple[Text, ...]]:
    """The first one as it is asked, the others as they are told."""
    asked, *told = await texts(reader, *contents)
    return Question(asked.text, asked.reading), *told


async def texts(reader: LocalEmbedder, *contents: str) -> list[Text]:
    return [Text(text, reading) for text, reading in zip(contents, await reader.read(contents), strict=True)]


@pytest.mark.parametrize(
    ("question", "answer", "near_miss"),
    [
        ("Where does my sister live?", "My sister lives in Antwerp.", "My cousin lives in Antwerp."),
        (
            "What's the wifi password at the cabin?",
            "The cabin wifi password is elk-9.",
            "The office wifi password is x.",
        ),
        ("When is the flight to Porto?", "The flight to Porto is at 9:10.", "The flight to Rome is at 9:10."),
        ("Wo arbeitet mein Bruder?", "Mein Bruder arbeitet in Linz.", "Meine Tante arbeitet in Linz."),
    ],
)
async def test_a_decisive_word_that_lacks_speaks_against_a_passage(
    reader: LocalEmbedder, question: str, answer: str, near_miss: str
) -> None:
    asked, right, wrong = await asked_and_told(reader, question, answer, near_miss)
    likely = [likelihood(asked, Evidence(one, score=0.6, rival=0.0, by_user=True)) for one in (right, wrong)]
    assert likely[0] > likely[1] + 0.3


async def test_another_number_rules_a_passage_out(reader: LocalEmbedder) -> None:
    asked, other, same = await asked_and_told(
        reader, "What is in rack C?", "Rack B has the switches.", "Rack C has the switches."
    )
    assert likelihood(asked, Evidence(other, 0.9, 0.0, by_user=True)) == 0
    assert likelihood(asked, Evidence(same, 0.9, 0.0, by_user=True)) > 0.5


async def test_the_more_recall_is_sure_the_likelier_and_a_rival_takes_from_it(reader: LocalEmbedder) -> None:
    asked, passage = await asked_and_told(reader, "What do I drive?", "I drive an old Saab.")
    unsure, sure, rivalled = (
        likelihood(asked, Evidence(passage, score, rival, by_user=True))
        for score, rival in ((0.3, 0.0), (0.8, 0.0), (0.8, 0.7))
    )
    assert unsure < sure > rivalled


async def test_kin_are_more_decisive_than_what_says_of_which_form_an_answer_is(reader: LocalEmbedder) -> None:
    [question] = await asked_and_told(reader, "what is the name of my brother")
    decisive = dict(zip(question.reading.words, question.decisive, strict=True))
    assert decisive["brother"] > 2 * decisive["name"]


async def test_a_word_has_a_counterpart_by_its_stem_or_by_a_near_token(reader: LocalEmbedder) -> None:
    question, passage = await texts(reader, "Which flights did we book?", "We booked a flight and a hotel.")
    assert (counterparts(question, passage) >= SAME).all()
    [nothing] = await texts(reader, "")
    assert np.array_equal(counterparts(question, nothing) >= SAME, [False, False])
