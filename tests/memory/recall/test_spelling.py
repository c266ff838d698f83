"""Are slips of the finger read as what was meant, and is all else left as it was typed?"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.memory import Memory
from config.recipes import QUERY_COSINE
from memory.recall.query import slips
from memory.recall.ranking import Scope
from tests.conversations import USER, say, settle, turn

TOLD = (
    "The licence plate of the van is KX21 ABZ.",
    "My sourdough starter is called Gerald.",
    "Grandma's allotment is behind the crematorium.",
    "We crochet blankets on Sundays.",
)


@pytest.fixture
async def told(quiet: Memory) -> Memory:
    await quiet.add(USER, "s1", [turn(f"m{at}", text) for at, text in enumerate(TOLD)], wait=True)
    return quiet


@pytest.mark.parametrize(
    ("query", "searched"),
    [
        ("what is the lisence plate?", "what is the licence plate?"),
        ("name of my suordough startr", "name of my sourdough starter"),
        ("who is near the alotment?", "who is near the allotment?"),
        ("where is the crematoriumm", "where is the crematorium"),
        ("do we crochett blankts?", "do we crochet blankets?"),
    ],
)
async def test_a_slip_is_read_as_the_word_that_was_told(told: Memory, query: str, searched: str) -> None:
    recall = await told.search(USER, query)
    assert recall.query == searched
    assert recall.hits == (await told.search(USER, searched)).hits


@pytest.mark.parametrize(
    "query",
    [
        "What is the licence plate?",
        "the license plate",  # spelt so elsewhere
        "an amulet of a tuber",  # words, too, if no one told them
        "the sour dough",
        "crocheting",  # of a word that was told
        "Alotment",  # may be a name
        "see alotment.txt and my-alotment",
        "plotmentt",
        "open C:\\alotment\\x",
        "the re\u0301alotment",
        "planet vann",
        "wo ist der alotment?",  # German
        "kubectl",  # of no word
    ],
)
async def test_what_is_no_slip_stays_as_it_was_typed(told: Memory, query: str) -> None:
    assert (await told.search(USER, query)).query == query


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("I had a kidney stone in May.", "When did I have a scone?"),
        ("My towel is in the blue locker.", "Where is my trowel?"),
        ("The lab keeps nitrile gloves.", "where is the nitrite?"),
        ("I use vim with neovide.", "do I use neovim?"),  # neither is a word: which is meant?
        ("The dog is allowed in.", "the allowmant"),  # "allowment" is none
        ("Meine kleine Wohnung.", "habe ich keine Wohnung?"),
        ("Mi hermano vive en Lima.", "donde vive mi hermana?"),
    ],
)
async def test_another_word_is_no_slip(quiet: Memory, said: str, asked: str) -> None:
    await quiet.add(USER, "s1", [turn("m1", said)], wait=True)
    assert (await quiet.search(USER, asked)).query == asked


async def test_a_slip_that_was_told_as_often_as_a_word_is_none(told: Memory) -> None:
    asked = "who is near the alotment?"
    await told.add(USER, "s2", [turn("q", asked)], wait=True)
    assert (await told.search(USER, asked)).query == "who is near the allotment?"
    await told.add(USER, "s2", [turn("t", "An alotment is a thing of its own.")], wait=True)
    assert (await told.search(USER, asked)).query == asked
    own = Scope(exclude=frozenset({"t"}))
    assert (await told.search(USER, asked, scope=own)).query == "who is near the allotment?"


async def test_what_a_search_does_not_see_is_not_meant(told: Memory) -> None:
    asked = "who is near the alotment?"
    assert (await told.search(USER, asked, scope=Scope(sessions=("s1",)))).query == "who is near the allotment?"
    assert (await told.search(USER, asked, scope=Scope(sessions=("s9",)))).query == asked


async def test_of_several_words_the_one_that_was_told_most_often_is_meant(quiet: Memory) -> None:
    said = ["The kayak was stolen.", "The kayaks are back.", "A kayan visited us."]
    await quiet.add(USER, "s1", [turn(f"m{at}", text) for at, text in enumerate(said)], wait=True)
    assert (await quiet.search(USER, "the kayax")).query == "the kayak"


async def test_what_was_deleted_or_is_anothers_is_not_meant(told: Memory) -> None:
    asked = "who is near the alotment?"
    assert (await told.search("bob", asked)).query == asked
    await told.engine.oversight.forgetter.session(USER, "s1")
    assert (await told.search(USER, asked)).query == asked


async def test_the_seeds_recipe_searches_as_it_was_asked(told: Memory) -> None:
    assert (await told.search(USER, "who is near the alotment?", QUERY_COSINE)).query == "who is near the alotment?"


async def test_rules_answer_a_question_with_a_slip(memory: Memory) -> None:
    await say(memory, "The allotment is behind the mill.")
    await settle(memory)
    assert await say(memory, "Where is the alotment?", session_id="s2") == (
        "You told me: “The allotment is behind the mill.” [1]"
    )


@given(st.text("abcdez", min_size=1, max_size=7))
def test_a_slip_is_undone_by_a_slip_and_keeps_the_first_letter(word: str) -> None:
    found = slips(word)
    assert len(found) == len(set(found)) and word not in found
    assert all(other[0] == word[0] and word in set(slips(other)) for other in found)


def test_slips_leave_out_add_change_or_exchange_one_letter() -> None:
    assert {"kaak", "kaayak", "kanak", "kyaak", "kayka", "kayaks"} <= set(slips("kayak"))
    assert not {"kayak", "ayak", "akyak", "gayak", "kaa", "kakya"} & set(slips("kayak"))
