"""Does what recall goes by come back from the store as it was made?"""

import bson
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from memory.gists.gists import EMPTY, Imprint, from_document, imprints, terms_of, to_document
from memory.language.traits import Trait, traits_of
from utils.embeddings import LocalEmbedder
from utils.encoder import TOKEN_DIMENSIONS

made = st.builds(
    Imprint,
    arrays(np.uint32, st.integers(0, 20)),
    arrays(np.int8, st.tuples(st.integers(0, 4), st.just(TOKEN_DIMENSIONS))),
    arrays(np.uint8, len(Trait)),
)


def same(one: Imprint, other: Imprint) -> bool:
    pairs = ((one.terms, other.terms), (one.tokens, other.tokens), (one.traits, other.traits))
    return all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in pairs)


@given(made)
def test_it_comes_back_from_the_store_as_it_was(imprint: Imprint) -> None:
    stored = bson.decode(bson.encode({"recall": to_document(imprint)}))
    assert same(from_document(stored["recall"]), imprint)


def test_a_gist_without_one_has_an_empty_one() -> None:
    for stored in (None, {}):
        assert same(from_document(stored), EMPTY)
    assert same(from_document(to_document(EMPTY)), EMPTY)


def test_one_that_another_version_made_is_not_read() -> None:
    stored = to_document(Imprint(terms_of("bees"), EMPTY.tokens, traits_of("bees")))
    assert len(from_document(stored).terms) == 1
    assert same(from_document(stored | {"made_by": "another/1", "tokens": b"odd"}), EMPTY)


def test_of_one_that_an_earlier_version_made_words_hold_and_tokens_do_not() -> None:
    tokens = np.ones((2, TOKEN_DIMENSIONS), np.int8)
    stored = to_document(Imprint(terms_of("bees"), tokens, traits_of("bees"))) | {"made_by": "loci-minilm-3/3"}
    assert same(from_document(stored), Imprint(terms_of("bees"), EMPTY.tokens, traits_of("bees")))


async def test_terms_and_traits_are_of_what_was_said_and_tokens_of_what_is_embedded(reader: LocalEmbedder) -> None:
    [imprint] = await imprints(reader, ["Do bees make honey?"], ["Ann: Do bees make honey?"])
    assert imprint.terms.tolist() == terms_of("Do bees make honey?").tolist()
    assert imprint.traits.tolist() == traits_of("Do bees make honey?").tolist()
    [reading] = await reader.read(["Ann: Do bees make honey?"])
    assert "ann" in reading.words
    assert np.array_equal(imprint.tokens, reading.tokens)


async def test_every_text_has_one_in_the_order_of_the_texts(reader: LocalEmbedder) -> None:
    texts = ["bread", "?!", "", "what is it", "odd \ud800 text", "word " * 10_000]
    found = await imprints(reader, texts, texts)
    assert [imprint.terms[:2].tolist() for imprint in found] == [terms_of(text)[:2].tolist() for text in texts]
    assert [len(imprint.tokens) for imprint in found[:4]] == [1, 0, 0, 3]
    assert all(same(from_document(to_document(imprint)), imprint) for imprint in found)
    assert await imprints(reader, [], []) == []


@pytest.mark.parametrize("damaged", [{"tokens": b"abc"}, {"traits": b"ab"}, {"tokens": b"x" * 65}])
def test_a_damaged_imprint_counts_as_none(damaged: dict[str, bytes]) -> None:
    stored = to_document(Imprint(terms_of("dog"), EMPTY.tokens, EMPTY.traits))
    assert len(from_document(stored).terms) == 1
    assert from_document(stored | damaged) is EMPTY
