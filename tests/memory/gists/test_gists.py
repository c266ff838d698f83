"""What stands in `vectors` for a turn, and what is embedded of it."""

import bson
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from memory.gists.gists import (
    EMPTY,
    MOST,
    MOST_PIECES,
    Imprint,
    document_of,
    from_bytes,
    from_document,
    hashed,
    hashes,
    imprints,
    pieces,
    terms_of,
    text_to_embed,
    to_bytes,
    to_document,
)
from memory.language.traits import Trait, traits_of
from tests.conversations import USER, turn
from utils.embeddings import LocalEmbedder
from utils.encoder import TOKEN_DIMENSIONS


@pytest.mark.parametrize(
    ("name", "text"), [("Ana", "Ana: hello"), (None, "hello"), ("user", "hello"), ("User", "hello")]
)
def test_a_speakers_name_is_embedded_with_the_text_unless_it_is_the_role(name: str | None, text: str) -> None:
    assert text_to_embed(document_of(USER, "s1", turn("m1", "hello", name=name), 0)) == text


def test_the_terms_of_a_text_are_the_stems_of_its_words_in_order() -> None:
    terms = terms_of("Dogs run. The dog was RUNNING!")
    assert terms.dtype == np.uint32
    assert terms.tolist() == [hashed(one) for one in ("dog", "run", "the", "dog", "was", "run")]


def test_stored_terms_keep_their_numbers_for_ever() -> None:
    assert hashed("biscuit") == 0x8832D1A2
    assert hashed("über") == 0xD2E10488


@pytest.mark.parametrize(("one", "other"), [("Biscuit's", "biscuit"), ("don’t", "DON'T"), ("walked", "walking")])
def test_forms_of_a_word_are_one_term(one: str, other: str) -> None:
    assert terms_of(one).tolist() == terms_of(other).tolist()


@pytest.mark.parametrize("text", ["", "?!", " \n\t", "_", "\ud800", "😀"])
def test_a_text_without_words_has_no_terms(text: str) -> None:
    assert terms_of(text).shape == (0,)
    assert terms_of(text).dtype == np.uint32


@given(st.text(max_size=60), st.text(max_size=60))
def test_the_terms_of_two_texts_are_those_of_both(one: str, other: str) -> None:
    assert terms_of(f"{one} {other}").tolist() == terms_of(one).tolist() + terms_of(other).tolist()


def test_a_long_text_is_known_by_its_beginning() -> None:
    text = "first " + "middle " * MOST + "last"
    terms = terms_of(text)
    assert len(terms) == MOST
    assert terms[0] == hashed("first") and hashed("last") not in terms


def test_the_terms_of_stems_keep_their_order_and_number() -> None:
    assert hashes(["b", "a", "b"]).tolist() == [hashed("b"), hashed("a"), hashed("b")]
    assert hashes([]).shape == (0,) and hashes([]).dtype == np.uint32


@given(st.lists(st.integers(0, 2**32 - 1)))
def test_stored_terms_come_back(numbers: list[int]) -> None:
    found = from_bytes(to_bytes(np.array(numbers, np.uint32)))
    assert found.dtype == np.uint32 and found.tolist() == numbers


def test_terms_are_stored_with_the_lowest_byte_first() -> None:
    assert to_bytes(np.array([1, 0x0A0B0C0D], np.uint32)) == b"\x01\x00\x00\x00\x0d\x0c\x0b\x0a"


@given(st.binary(max_size=40))
def test_an_incomplete_term_at_the_end_is_left_out(stored: bytes) -> None:
    assert to_bytes(from_bytes(stored)) == stored[: len(stored) // 4 * 4]


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


@pytest.mark.parametrize(
    "said",
    [
        "When did you start painting?",
        "My sister keeps bees.",
        "Where is the big cello now?",
        "Do bees make honey?",
    ],
)
async def test_terms_and_traits_are_of_what_was_said_and_tokens_of_what_is_embedded(
    reader: LocalEmbedder, said: str
) -> None:
    [imprint] = await imprints(reader, [said], [f"Ann: {said}"])
    assert imprint.terms.tolist() == terms_of(said).tolist()
    assert imprint.traits.tolist() == traits_of(said).tolist()
    [reading] = await reader.read([f"Ann: {said}"])
    assert "ann" in reading.words
    assert np.array_equal(imprint.tokens, reading.tokens)


async def test_every_text_has_one_in_the_order_of_the_texts(reader: LocalEmbedder) -> None:
    texts = ["bread", "?!", "", "what is it", "odd \ud800 text", "word " * 10_000]
    found = await imprints(reader, texts, texts)
    assert [imprint.terms[:2].tolist() for imprint in found] == [terms_of(text)[:2].tolist() for text in texts]
    assert [len(imprint.tokens) for imprint in found[:4]] == [1, 0, 0, 3]
    assert all(same(from_document(to_document(imprint)), imprint) for imprint in found)
    assert await imprints(reader, [], []) == []


def test_traits_that_an_earlier_version_kept_besides_are_left_out() -> None:
    stored = to_document(Imprint(terms_of("dog"), EMPTY.tokens, traits_of("dog")))
    assert same(from_document(stored | {"traits": stored["traits"] + b"\x01\x01"}), from_document(stored))


@pytest.mark.parametrize("damaged", [{"tokens": b"abc"}, {"traits": b"ab"}, {"tokens": b"x" * 65}])
def test_a_damaged_imprint_counts_as_none(damaged: dict[str, bytes]) -> None:
    stored = to_document(Imprint(terms_of("dog"), EMPTY.tokens, EMPTY.traits))
    assert len(from_document(stored).terms) == 1
    assert from_document(stored | damaged) is EMPTY


@pytest.mark.parametrize("mark", [" ", "\n\n", "x"])
@pytest.mark.parametrize("every", [3, 1_030, 1_700])
def test_a_text_has_a_bounded_number_of_pieces_and_they_are_all_of_it(mark: str, every: int) -> None:
    for size in (200_000, 1_000_000):
        text = (("y" * every + mark) * (size // every + 1))[:size]
        assert "".join(found := pieces(text)) == text
        assert len(found) <= MOST_PIECES
        assert size > 200_000 or max(map(len, found)) <= 2_000
