"""Conversations and questions with which the features of candidates are tested."""

from collections.abc import Iterable, Sequence

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from memory.recall.features import Pool, candidates
from memory.recall.index import Sight, UserIndex
from tests.memory.indexes import Said, asked, index_of

QUESTIONS = (
    "Where did the dog bark?",
    "Did Ann feed the red cat in June?",
    "How many apples did Ann and Bob eat?",
    "What is it?",
    "?!",
    "dog",
)
WORDS = ("dog", "dogs", "cat", "apple", "June", "I", "seven", "the", "did", "red?")

text = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
message = st.builds(
    Said,
    text,
    st.sampled_from(["s1", "s2"]),
    st.sampled_from(["user", "assistant", "tool"]),
    st.sampled_from([None, None, "Ann", "Bob Lee"]),
    days=st.integers(0, 400),
    place=st.one_of(st.none(), st.none(), st.integers(-1, 20)),
    imprint=st.sampled_from([True, True, True, False]),
)


def told_apart(said: list[Said]) -> list[Said]:
    """The same with a word of its own in each, so that no two score the same."""
    return [Said(**{**vars(one), "text": f"{one.text} n{number}x"}) for number, one in enumerate(said)]


conversation = st.lists(message, min_size=1, max_size=14).map(told_apart)
question = st.sampled_from(QUESTIONS)
some = settings(max_examples=40, deadline=None)


def everything(index: UserIndex) -> NDArray[np.bool_]:
    return index.alive[: len(index)].copy()


def pool_of(said: Sequence[Said], text: str, hidden: Iterable[int] = (), **more: int) -> Pool:
    """The pool of a question; `hidden` rows are not to be seen."""
    index = index_of(said)
    visible = everything(index)
    visible[list(hidden)] = False
    return candidates(index, asked(text, index), Sight.of(index, visible), **more)
