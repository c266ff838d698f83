"""Is what tells told from what asks, within one text?"""

import pytest

from memory.asking import tells_too, told_before_asking


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("Knee hurts on the outside after running, what could it be?", "Knee hurts on the outside after running"),
        (
            "My blood pressure was 151 over 94, 148 at noon, should I worry?",
            "My blood pressure was 151 over 94, 148 at noon",
        ),
        ("We named the baby Leonie - do you like it?", "We named the baby Leonie"),
        ("Where do I live?", ""),
        ("If I go to Rome in May, what should I see?", ""),
        ("Hey Loci, where do I live?", ""),
        ("I forgot, where do I live?", ""),
        ("I keep forgetting where it is, is it here?", ""),
        ("What is my sister's name, Ann or Anna?", ""),
        ("In Rome last year, where did we eat?", ""),
        ("The boiler makes a noise.", ""),
    ],
)
def test_a_sentence_may_tell_before_it_asks(sentence: str, told: str) -> None:
    assert told_before_asking(sentence) == told


@pytest.mark.parametrize(
    "text",
    [
        "The plumber charges 85 an hour. Is that a lot?",
        "Anjali's boyfriend Will used to work at Evans Cycles! Shall I ask him?",
        "home again. Flight delayed by 4 hours, can we claim?",
    ],
)
def test_a_text_may_tell_and_end_with_a_question(text: str) -> None:
    assert tells_too(text)


@pytest.mark.parametrize(
    "text",
    ["Good morning Loci! Where is my van?", "Thanks for the recipe! How long in the oven?", "Who is Ann? And Bo?"],
)
def test_courtesies_and_questions_tell_nothing(text: str) -> None:
    assert not tells_too(text)
