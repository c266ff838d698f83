"""Is what tells told from what asks, within one text?"""

import pytest

from memory.language.asking import asks, is_unmarked_question, tells_too, told_before_asking


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


@pytest.mark.parametrize(
    ("text", "asking"),
    [
        ("turns out im allergic to nuts??", False),
        ("home at last. I paid twice?!", False),
        ("we've got the flat in Leipzig??", False),
        ("im allergic to nuts?", True),
        ("I should take it twice??", True),
        ("so I owe him twenty??", True),
        ("I take it or leave it??", True),
        ("I told you my name??", True),
        ("I know who broke it??", True),
        ("do I have any allergies??", True),
        ("I am late. you ok??", True),
        ("bought an umbrella??", True),
        ("ich bin gegen Nüsse allergisch??", True),
    ],
)
def test_what_is_told_of_oneself_with_several_marks_tells(text: str, asking: bool) -> None:
    assert asks(text) == asking


@pytest.mark.parametrize(
    ("text", "asking"),
    [
        ("ok what about the present for Ann, birthday is 3 december, she turns 34", False),
        ("what about the car, it needs new tyres", False),
        ("what about the car, does it need new tyres", True),
        ("what about Tom, the one with the hat", True),
        ("what about the party, I forgot", True),
        ("what about the present, her birthday is in May?", True),
        ("what about the car", True),
        ("what helps is tea", False),
        ("What broke was the handle", False),
        ("what happened when Tom was ill", True),
        ("what makes you think this is good", True),
    ],
)
def test_what_begins_as_a_question_may_tell(text: str, asking: bool) -> None:
    assert asks(text) == asking


@pytest.mark.parametrize(
    "text",
    [
        "who broke her wrist",
        "what broke in june",
        "who broke the lamp",
        "which colleague broke her wrist",
        "who won",
        "so who lives in graz",
        "who fixed the bike i sold",
        "whose cat bit tom",
        "how many people came to the party",
        "what helps against hiccups",
        "who took the left shoe",
        "who cut the hedge",
    ],
)
def test_who_did_something_is_asked_without_a_mark(text: str) -> None:
    assert is_unmarked_question(text)


@pytest.mark.parametrize(
    "text",
    [
        "who knows",
        "which reminds me i need milk",
        "what great news",
        "who broke it was Tom",
        "what nonsense this week",
        "which really annoyed me",
        "which meant tom left early",
        "what spoilt kids they are",
        "what tired eyes",
        "what news the neighbours have",
        "who needs a car",
        "who broke it got fired",
        "what started as a joke ended badly",
        "what came next was worse",
        "how much we laughed",
        "who broke the lamp. Tom did",
        "who broke it " + "and again " * 20,
    ],
)
def test_what_wonders_or_tells_is_no_such_question(text: str) -> None:
    assert not is_unmarked_question(text)
