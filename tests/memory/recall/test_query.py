"""Is a query searched with what it asks, and without the names of those of whom it asks it?"""

import numpy as np
import pytest

from memory.gists.gists import document_of, imprints, text_to_embed, to_document
from memory.recall.features import candidates
from memory.recall.index import Sight, UserIndex
from memory.recall.query import Probe, probe_of, question_for
from memory.recall.ranking import load_ranker
from tests.conversations import START, turn
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


async def index_of(reader: LocalEmbedder, said: list[tuple[str, str]] = SAID) -> UserIndex:
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
    return await probe_of(question_for(query, index, NOW), vector, reader, reader)


async def test_the_names_of_speakers_are_left_out_of_meaning_and_tokens(reader: LocalEmbedder) -> None:
    index = await index_of(reader)
    found = await probe(reader, index, "What did Melanie's picture look like?")
    assert found.question.speakers == {index.names["melanie"]}
    assert found.stems == (stem("picture"), stem("look"))
    [vector] = await reader.embed(["What did picture look like?"])
    assert np.array_equal(found.bare, vector)
    assert not np.array_equal(found.bare, found.dense)


async def test_a_query_without_names_has_one_meaning(reader: LocalEmbedder) -> None:
    found = await probe(reader, await index_of(reader), "What colour was the sunrise?")
    assert found.bare is found.dense


async def test_tokens_are_of_length_1_and_each_has_its_stem(reader: LocalEmbedder) -> None:
    found = await probe(reader, await index_of(reader), "Which painting hangs above the xylophones?")
    assert found.tokens.dtype == found.rarity.dtype == np.float32
    assert np.linalg.norm(found.tokens, axis=1) == pytest.approx(1, abs=0.03)
    assert found.tokens.shape == (len(found.stems), TOKEN_DIMENSIONS)
    assert found.rarity.shape == (len(found.stems),)
    assert {stem("painting"), stem("xylophones")} <= set(found.stems)


async def test_rarer_tokens_count_more(reader: LocalEmbedder) -> None:
    found = await probe(reader, await index_of(reader), "house zebra")
    assert found.stems == ("hous", "zebra")
    assert 0 <= found.rarity[0] < found.rarity[1] <= 1


async def test_a_query_of_names_alone_keeps_their_tokens(reader: LocalEmbedder) -> None:
    found = await probe(reader, await index_of(reader), "Melanie?")
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
    index = await index_of(reader)
    found = await probe(reader, index, query)
    assert len(found.tokens) == len(found.rarity) == len(found.stems)
    assert np.isfinite(found.rarity).all() and ((found.rarity >= 0) & (found.rarity <= 1)).all()
    pool = candidates(index, found, Sight.of(index, index.alive[: len(index)]))
    scores = load_ranker().scores(pool)
    assert len(scores) == len(SAID) and ((scores > 0) & (scores < 1)).all()


async def test_a_speaker_whose_messages_are_all_deleted_is_nobody(reader: LocalEmbedder) -> None:
    index = await index_of(reader, [*SAID, ("We planted tulips.", "Rose")])
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
    index = await index_of(reader)
    pool = candidates(index, await probe(reader, index, query), Sight.of(index, index.alive[: len(index)]))
    assert pool.rows[np.argmax(load_ranker().scores(pool))] == best
