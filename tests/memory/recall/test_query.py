"""A query is searched with what it asks, slips mended, and without the names of those of whom it asks it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.memory import Memory
from config.recipes import QUERY_COSINE
from memory.gists.gists import document_of, imprints, text_to_embed, to_document
from memory.recall.features import candidates
from memory.recall.index import Sight, UserIndex
from memory.recall.query import LEAST, Probe, probe_of, question_for, slips, speaker_called
from memory.recall.ranking import Scope, load_ranker
from tests.conversations import START, USER, say, settle, turn
from tests.memory.indexes import Said, index_of
from tests.numerics import NUMERIC_ERRORS
from utils.embeddings import LocalEmbedder
from utils.encoder import TOKEN_DIMENSIONS
from utils.text import stem
from utils.vectors import to_binary

pytestmark = NUMERIC_ERRORS

NOW = START.timestamp()
SAID = [
    ("My dog is called Biscuit.", "Melanie"),
    ("What a nice name! We had a rabbit once.", "Caroline"),
    ("I painted a sunrise by the lake last year.", "Melanie"),
    ("I am looking for a new flat in Lisbon.", "Caroline"),
    ("The adoption agency wrote to me yesterday.", "Caroline"),
]


async def read_index(reader: LocalEmbedder, said: list[tuple[str, str]] = SAID) -> UserIndex:
    index = UserIndex(reader.model, reader.dimensions)
    turns = [turn(f"m{number}", text, name=name) for number, (text, name) in enumerate(said)]
    documents = [document_of("ann", "s1", one, place) for place, one in enumerate(turns)]
    texts = [text_to_embed(document) for document in documents]
    made = await imprints(reader, [one.content for one in turns], texts)
    for document, vector, imprint in zip(documents, await reader.embed(texts), made, strict=True):
        more = {"embedding": to_binary(vector), "embedding_model": reader.model, "recall": to_document(imprint)}
        index.put([document | more])
    index.refresh()
    return index


async def probe(reader: LocalEmbedder, index: UserIndex, query: str) -> Probe:
    [vector] = await reader.embed([query])
    return await probe_of(await question_for(query, index, NOW), vector, reader, reader)


async def test_the_names_of_speakers_are_left_out_of_meaning_and_tokens(reader: LocalEmbedder) -> None:
    index = await read_index(reader)
    found = await probe(reader, index, "What did Melanie's picture look like?")
    assert found.question.speakers == {index.names["melanie"]}
    assert found.stems == (stem("picture"), stem("look"))
    [vector] = await reader.embed(["What did picture look like?"])
    assert np.array_equal(found.bare, vector)
    assert not np.array_equal(found.bare, found.dense)


async def test_a_query_without_names_has_one_meaning(reader: LocalEmbedder) -> None:
    found = await probe(reader, await read_index(reader), "What colour was the sunrise?")
    assert found.bare is found.dense


async def test_tokens_are_of_length_1_and_each_has_its_stem(reader: LocalEmbedder) -> None:
    found = await probe(reader, await read_index(reader), "Which painting hangs above the xylophones?")
    assert found.tokens.dtype == found.rarity.dtype == np.float32
    assert np.linalg.norm(found.tokens, axis=1) == pytest.approx(1, abs=0.03)
    assert found.tokens.shape == (len(found.stems), TOKEN_DIMENSIONS)
    assert found.rarity.shape == (len(found.stems),)
    assert {stem("painting"), stem("xylophones")} <= set(found.stems)


async def test_rarer_tokens_count_more(reader: LocalEmbedder) -> None:
    found = await probe(reader, await read_index(reader), "house zebra")
    assert found.stems == ("hous", "zebra")
    assert 0 <= found.rarity[0] < found.rarity[1] <= 1


async def test_a_query_of_names_alone_keeps_their_tokens(reader: LocalEmbedder) -> None:
    found = await probe(reader, await read_index(reader), "Melanie?")
    assert len(found.tokens) > 0
    assert found.question.stems == ()


QUERIES = {
    "signs": "?!",
    "blank": " ",
    "stop words": "what is it",
    "surrogate": "odd \ud800 dog",
    "emoji": "😀",
    "one long word": "x" * 32_000,
    "many words": " ".join(f"w{number}x" for number in range(4_500)),
    "one word often": "dog " * 8_000,
}


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES.keys())
async def test_odd_queries_are_read_and_ranked_like_others(reader: LocalEmbedder, query: str) -> None:
    index = await read_index(reader)
    found = await probe(reader, index, query)
    assert len(found.tokens) == len(found.rarity) == len(found.stems)
    assert np.isfinite(found.rarity).all() and ((found.rarity >= 0) & (found.rarity <= 1)).all()
    pool = candidates(index, found, Sight.of(index, index.alive[: len(index)]))
    scores = load_ranker().scores(pool)
    assert len(scores) == len(SAID) and ((scores > 0) & (scores < 1)).all()


async def test_a_speaker_whose_messages_are_all_deleted_is_nobody(reader: LocalEmbedder) -> None:
    index = await read_index(reader, [*SAID, ("We planted tulips.", "Rose")])
    index.drop([f"m{len(SAID)}"])
    found = await probe(reader, index, "Where did we plant the rose?")
    assert found.question.speakers == frozenset()
    assert "rose" in found.stems


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("What is the name of Melanie's pet?", 0),
        ("What did Mel paint?", 2),
        ("In which city does Caroline want to live?", 3),
        ("Who wrote to Caroline?", 4),
    ],
)
async def test_the_message_that_answers_comes_first(reader: LocalEmbedder, query: str, best: int) -> None:
    index = await read_index(reader)
    pool = candidates(index, await probe(reader, index, query), Sight.of(index, index.alive[: len(index)]))
    assert pool.rows[np.argmax(load_ranker().scores(pool))] == best


EMI = [Said("Hey Kate! How are you?", name="Elise"), Said("Fine, thanks.", name="Emi")]


def called(name: str, said: list[Said]) -> str | None:
    index = index_of(said)
    code = speaker_called(name, index)
    return next((speaker for speaker, number in index.names.items() if number == code), None)


def test_who_is_greeted_by_a_name_is_called_so() -> None:
    assert called("kate", EMI * LEAST) == "emi"


@pytest.mark.parametrize("greeting", ["Good morning Kate", "hi Kate", "So nice, thank you Kate!", "Bye, Kate"])
def test_greetings_of_many_kinds_count(greeting: str) -> None:
    assert called("kate", [Said(greeting, name="Elise"), Said("Oh, hi.", name="Emi")] * LEAST) == "emi"


def test_a_few_greetings_are_not_enough() -> None:
    assert called("kate", EMI * (LEAST - 1)) is None


def test_who_is_only_spoken_of_is_no_speaker() -> None:
    said = [Said("Kate came by. I like Kate.", name="Elise"), Said("Kate is kind.", name="Emi")]
    assert called("kate", said * 5) is None


def test_a_name_by_which_both_are_greeted_means_neither() -> None:
    back = [Said("Hey Kate!", name="Emi"), Said("Hello.", name="Elise")]
    assert called("kate", (EMI + back) * LEAST) is None


def test_a_greeting_at_the_end_of_one_message_does_not_greet_by_the_first_word_of_the_next() -> None:
    said = [Said("I just came to say hi", name="Elise"), Said("Kate told me", name="Emi")]
    assert called("kate", said * 5) is None


def test_without_names_nobody_is_called_anything() -> None:
    said = [Said("Hey Kate! How are you?"), Said("Fine, thanks.", role="assistant")]
    assert called("kate", said * 5) is None
    assert called("kate", []) is None


def test_deleted_greetings_do_not_count() -> None:
    index = index_of(EMI * LEAST, dropped=[0])
    assert speaker_called("kate", index) is None
    assert speaker_called("kate", index_of(EMI * (LEAST + 1), dropped=[0])) is not None


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
        ("wher is the vna", "where is the van"),
        ("waht do we do on sundays", "what do we do on sundays"),
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
        "planet vim",  # a word
        "the usb of kona",  # of no word that was told
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
