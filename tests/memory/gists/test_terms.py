"""Do the same words have the same terms, whatever their form, and do stored ones come back?"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.gists.gists import MOST, from_bytes, hashed, hashes, terms_of, to_bytes


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
