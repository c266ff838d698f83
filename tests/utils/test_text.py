"""Text is measured, cut and taken apart as promised, whatever it is."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utils.text import (
    content_stems,
    count_tokens,
    cut_at_word,
    ends_with_question_mark,
    pieces_of,
    searched_words,
    slug,
    stem,
    without_recalled,
    words,
)

prose = st.text(alphabet="ab cdé.,;!? \n\t-’'“”漢🙂", max_size=120)


@given(st.text() | prose, st.integers(1, 60))
def test_pieces_are_short_and_leave_nothing_out(text: str, characters: int) -> None:
    pieces = pieces_of(text, characters)
    assert "".join(pieces) == text
    assert all(len(piece) <= characters for piece in pieces)
    assert len(pieces) <= 1 + 2 * len(text) // characters


def test_pieces_end_where_the_text_pauses() -> None:
    text = "One two three. Four five\n\nSix seven eight nine ten eleven"
    assert pieces_of(text, 30) == ["One two three. Four five\n\n", "Six seven eight nine ten ", "eleven"]
    assert pieces_of("x" * 7, 3) == ["xxx", "xxx", "x"]


@given(st.text() | prose, st.integers(1, 60))
def test_a_cut_text_is_short_and_on_one_line(text: str, characters: int) -> None:
    cut = cut_at_word(text, characters)
    flat = " ".join(text.split())
    assert len(cut) <= characters
    assert "\n" not in cut
    if len(flat) <= characters:
        assert cut == flat
    else:
        assert cut.endswith("…")
        assert flat.startswith(cut[:-1])


@given(st.lists(st.text("abc", min_size=1, max_size=8), min_size=1, max_size=30), st.integers(20, 60))
def test_words_that_fit_are_cut_whole(parts: list[str], characters: int) -> None:
    text = " ".join(parts)
    cut = cut_at_word(text, characters)
    if cut.endswith("…"):
        assert text[len(cut) - 1] == " "


def test_a_word_that_does_not_fit_is_cut_itself() -> None:
    assert cut_at_word("x" * 50, 10) == "x" * 9 + "…"
    assert cut_at_word("any length", None) == "any length"


@given(st.text())
def test_tokens_are_a_quarter_of_the_bytes_rounded_up(text: str) -> None:
    assert count_tokens(text) == (len(text.encode("utf-8", "replace")) + 3) // 4


@given(st.text() | prose)
def test_stems_and_slugs_are_made_of_any_text(text: str) -> None:
    assert len(content_stems(text)) <= len(searched_words(text))
    assert len(slug(text, 20)) <= 20
    assert "\n" not in slug(text)


def test_stems_leave_out_what_carries_no_meaning() -> None:
    assert content_stems("What is my dog’s name?") == content_stems("the names of dogs")[::-1] == ["dog", "name"]


@pytest.mark.parametrize(
    ("word", "plain"),
    [("Tromsø", "tromso"), ("Łódź", "lodz"), ("Hæstad", "haestad"), ("Đurić", "duric"), ("Straße", "strasse")],
)
def test_a_word_is_the_same_without_what_a_keyboard_may_not_have(word: str, plain: str) -> None:
    [written], [typed] = words(word), words(plain)
    assert stem(written) == stem(typed)


def test_words_have_the_same_stems_whichever_threads_ask_at_once() -> None:
    asked = [f"{word}{ending}" for word in ("relation", "generous", "national") for ending in ("", "s", "ly", "ness")]
    asked = [f"{letter}{word}" for letter in "abcdefghijklmnopqrstuvwxyz" for word in asked]
    expected = [stem.__wrapped__(word) for word in asked]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as threads:
            found = list(threads.map(lambda _: [stem.__wrapped__(word) for word in asked], range(8)))
    finally:
        sys.setswitchinterval(interval)
    assert found == [expected] * 8


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("玉露は京都の", ["玉露", "露は", "は京", "京都", "都の"]),
        ("京都のもの", ["京都", "都の"]),  # what is grammar alone is left out
        ("ありがとう", ["あり", "りが", "がと", "とう"]),
        ("茶", ["茶"]),
        ("Ich mag GPT玉露", ["ich", "mag", "gpt", "玉露"]),
        ("我喜欢绿茶。", ["我喜", "喜欢", "欢绿", "绿茶"]),
        ("안녕하세요 세계", ["안녕하세요", "세계"]),
        ("Café au lait", ["café", "au", "lait"]),
    ],
)
def test_writing_without_spaces_is_found_by_pairs_of_characters(text: str, found: list[str]) -> None:
    assert searched_words(text) == found


@pytest.mark.parametrize("text", ["Why?", "なぜ？", "لماذا؟", "Πού μένω;", "Πού μένω\u037e ", "Որտե՞ղ եմ ապրում՞"])
def test_a_question_ends_with_its_mark_in_any_script(text: str) -> None:
    assert ends_with_question_mark(text)


@pytest.mark.parametrize("text", ["Done;", "a = b;", "Why? Because.", "Μένω στην Πάτρα."])
def test_a_semicolon_asks_in_greek_alone(text: str) -> None:
    assert not ends_with_question_mark(text)


def test_marks_are_part_of_words_in_scripts_that_write_vowels_so() -> None:
    assert words("मैं लखनऊ में रहता हूँ।") == ["मैं", "लखनऊ", "में", "रहता", "हूँ"]
    assert words("مُحَمَّد هنا") == ["مُحَمَّد", "هنا"]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('<memory kind="known">\nTold.\n</memory>\n\nHi', "Hi"),
        (
            'Hi\n## Similar\n<memory kind="a">1</memory> and <memory kind="b">2 <memory kind="c">3</memory>.',
            "Hi\n and .",
        ),
        ('## Mine\nHi <memory kind="a">1</memory>', "## Mine\nHi"),
        ('<memory kind="a"> is never closed', '<memory kind="a"> is never closed'),
        ("a <memory> and a </memory> of mine", "a <memory> and a </memory> of mine"),
        ('1</memory>2<memory kind="a">3</memory>4', "1</memory>24"),
    ],
)
def test_what_memory_quoted_is_taken_out_of_a_text(text: str, left: str) -> None:
    assert without_recalled(text) == left
