"""Small counts tell a question from an answer, and a plan from a reaction."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.language.heads import doing
from memory.language.traits import Trait, traits_of
from utils.embeddings import LocalEmbedder

MOST = {Trait.ASKS: 2, Trait.TIMES: 3, Trait.NUMBERS: 3, Trait.NAMES: 4, Trait.FIRST_PERSON: 4}


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
    ],
)
def test_a_trait_is_counted(text: str, trait: Trait, count: int) -> None:
    assert traits_of(text)[trait] == count


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("他在哪里？", 1),
        ("so who does Ottilie marry", 1),
        ("what's the asset tag of my laptop", 1),
        ("please tell me the name of my physio", 1),
        ("Welches Buch hat Mia mir geliehen?", 1),
        ("Summarise what I said about Pixel", 1),
        ("We adopted a tortoise in May. How old can it get?", 2),
        ("Ich wohne seit Mai in Kiel.", 0),
        ("My tortoise is called Ottilie", 0),
        ("When I was young I lived in Rome.", 0),
        ("I asked Ben about the van, and it is sold.", 0),
        ("where is " + "very " * 50, 0),
    ],
)
async def test_what_a_text_does_tells_whether_it_asks(reader: LocalEmbedder, text: str, asks: int) -> None:
    [vector] = await reader.embed([text])
    assert traits_of(text, doing(vector, text))[Trait.ASKS] == asks


def test_an_empty_text_has_no_traits() -> None:
    assert not traits_of("").any()


@given(st.text())
def test_every_text_has_small_counts(text: str) -> None:
    traits = traits_of(text)
    assert traits.shape == (len(Trait),) and traits.dtype == np.uint8
    assert all(traits[trait] <= MOST.get(trait, 1) for trait in Trait)
    assert not traits[Trait.ASKS] or traits[Trait.QUESTION]
