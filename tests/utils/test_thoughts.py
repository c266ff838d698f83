"""Thoughts of reasoning models are taken out of whole texts and of streams alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utils.thoughts import SpokenStream, without_thoughts


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<think>\nThey ask {of: tea}.\n</think>\n\nYou like tea.", "You like tea."),
        ("<thinking>Hm.</thinking>Yes.\n<think>More.</think>\nAnd no.", "Yes.\nAnd no."),
        ("It is <think>is it?</think>so.", "It is so."),
        ("<think>I wonder and wonder", ""),
        ("Wait.\n<THINK>I wonder", "Wait."),
        ("The model had begun.</think>Blue.", "Blue."),
        ("Write <think> before it.", "Write <think> before it."),
        ("a < b, <b>bold</b>", "a < b, <b>bold</b>"),
        ("  spaced \n", "  spaced \n"),
    ],
)
def test_what_is_said_stays_without_thoughts(text: str, said: str) -> None:
    assert without_thoughts(text) == said


@given(st.lists(st.sampled_from(["<think>", "</think>", "<thi", "nk>", "a ", "\n", "<", "b"]), max_size=12))
def test_a_stream_says_what_the_whole_says_however_it_is_cut(pieces: list[str]) -> None:
    text = "<think></think>" + "".join(pieces)  # else an end without a beginning takes what a stream has said
    stream = SpokenStream()
    said = "".join(map(stream.read, text)) + stream.rest()
    assert said.strip() == without_thoughts(text).strip()
