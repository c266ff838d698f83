"""Do small counts tell a question from an answer, and a plan from a reaction?"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.language.asking import is_request, is_unmarked_question
from memory.language.traits import Trait, is_first_person, traits_of

MOST = {Trait.TIMES: 3, Trait.NUMBERS: 3, Trait.NAMES: 4, Trait.FIRST_PERSON: 4}


@pytest.mark.parametrize(
    ("text", "trait", "count"),
    [
        ("Where is it?", Trait.ASKS, 1),
        ("Where is it? \n", Trait.ASKS, 1),
        ("Where is it? Here.", Trait.ASKS, 0),
        ("The key is lost. Where is it?", Trait.ASKS, 2),
        ("Where is it? Here.", Trait.QUESTION, 1),
        ("Here.", Trait.QUESTION, 0),
        ("We left on Friday at 7pm.", Trait.TIMES, 2),
        ("It was last May, three years ago.", Trait.TIMES, 3),  # and "ago", which is one more than is counted
        ("On the 3rd of 2023", Trait.TIMES, 2),
        ("The monthly fridays", Trait.TIMES, 0),
        ("Two cats, 12 mice and a dozen eggs", Trait.NUMBERS, 3),
        ("It cost 1,200.50 in all.", Trait.NUMBERS, 1),
        ("Someone often asks.", Trait.NUMBERS, 0),
        ("We met Ann and Bob in Rome, Paris and London.", Trait.NAMES, 4),
        ("Nobody. Everybody.", Trait.NAMES, 0),  # capitals that begin a sentence name nobody
        ('It is called "the big one".', Trait.NAMES, 1),
        ("I think my sister has mine.", Trait.FIRST_PERSON, 3),
        ("I’m sure we’ve met.", Trait.FIRST_PERSON, 2),
        ("You told them in time.", Trait.FIRST_PERSON, 0),
        ("Always answer in French.", Trait.INSTRUCTION, 1),
        ("From now on, be brief.", Trait.INSTRUCTION, 1),
        ("Please never use bullet points.", Trait.INSTRUCTION, 1),
        ("Don’t ever call me sir.", Trait.INSTRUCTION, 1),
        ("Be brief when I ask for help.", Trait.INSTRUCTION, 1),
        ("I always answer in French.", Trait.INSTRUCTION, 0),
        ("Thanks, that helps.", Trait.REPLY, 1),
        ("“Oh wow, really?", Trait.REPLY, 1),
        ("That’s right.", Trait.REPLY, 1),
        ("Nothing helps, thanks.", Trait.REPLY, 0),
        ("Okra is green.", Trait.REPLY, 0),
    ],
)
def test_a_trait_is_counted(text: str, trait: Trait, count: int) -> None:
    assert traits_of(text)[trait] == count


@pytest.mark.parametrize(
    "text",
    [
        "Where is he?",
        "他在哪里？",
        "Summarize what happened with Pixel",
        "please tell me my name.",
        "Could you list them!",
    ],
)
def test_a_question_or_a_request_alone_asks(text: str) -> None:
    assert traits_of(text)[Trait.ASKS] == 1


@pytest.mark.parametrize(
    "text",
    [
        "Tell me more. I live in Rome.",
        "I was told to list them.",
        "Lists help me.",
        "Where? There.",
        "List of what I packed: " + ", ".join(f"thing {number}" for number in range(40)),
    ],
)
def test_what_tells_something_does_not_ask(text: str) -> None:
    assert traits_of(text)[Trait.ASKS] == 0


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("what is my sourdough starter called", True),
        ("where is my scooter parked", True),
        ("so who does Ottilie marry", True),
        ("how many people are coming", True),
        ("what's the asset tag of my laptop", True),
        ("is my flight on time", True),
        ("do you know the number", True),
        ("wher is my boat", True),
        ("who broke her wrist", True),
        ("who broke it was Tom", False),
        ("turns out im allergic to nuts??", False),
        ("Waht's my sister called", True),
        ("so whta did she say", True),
        ("wherever it is", False),
        ("when I was young I lived in Rome", False),
        ("what a day it was", False),
        ("what she did was awful", False),
        ("how nice of you", False),
        ("what matters is that Pia is vegan", False),
        ("Who has the key is Anton", False),
        ("what helps is 5 mg at night", False),
        ("Would you believe it, I won", False),
        ("Did I tell you I got a dog called Rex", False),
        ("had the best day", False),
        ("did the dishes", False),
        ("have a nice day", False),
        ("is my flight on time: no", False),
        ("where is it. I looked", False),
        ("where is " + "very " * 50, False),
    ],
)
def test_a_question_without_its_mark_asks(text: str, asks: bool) -> None:
    assert bool(traits_of(text)[Trait.ASKS]) == asks


def test_an_instruction_is_looked_for_at_the_beginning_alone() -> None:
    assert not traits_of("word " * 100 + "when I ask for help, be brief")[Trait.INSTRUCTION]


def test_an_empty_text_has_no_traits() -> None:
    assert not traits_of("").any()


@given(st.text())
def test_every_text_has_small_counts(text: str) -> None:
    traits = traits_of(text)
    assert traits.shape == (len(Trait),) and traits.dtype == np.uint8
    assert all(traits[trait] <= MOST.get(trait, 1) for trait in Trait)
    asks = is_request(text) or is_unmarked_question(text) or text.rstrip().endswith(("？", "؟"))
    assert traits[Trait.ASKS] <= traits[Trait.QUESTION] or asks
    assert bool(traits[Trait.FIRST_PERSON]) == is_first_person(text)


@pytest.mark.parametrize("text", ["What is my name?", "WHERE DO WE LIVE", "what I’ve said", "tell me", "I"])
def test_who_asks_of_oneself_is_told_from_who_does_not(text: str) -> None:
    assert is_first_person(text)
    assert not is_first_person("What did Ann tell the army in time? It is in Rome.")
