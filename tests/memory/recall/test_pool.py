"""The pool of candidates is of what may be seen alone, and nothing hidden shows in its columns."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.recall.features import Pool, candidates
from memory.recall.index import Sight
from tests.memory.indexes import Said, asked, index_of
from tests.memory.pools import conversation, everything, message, pool_of, question, some
from tests.numerics import NUMERIC_ERRORS
from utils.text import STOPWORDS

pytestmark = NUMERIC_ERRORS


@some
@given(conversation, question, st.data())
def test_the_pool_is_of_what_may_be_seen_each_once(said: list[Said], text: str, data: st.DataObject) -> None:
    hidden = data.draw(st.sets(st.integers(0, len(said) - 1), max_size=len(said) - 1))
    size = data.draw(st.integers(1, len(said) + 2))
    pool = pool_of(said, text, hidden, size=size)
    rows = pool.rows.tolist()
    assert len(rows) == len(set(rows)) == min(size, len(said) - len(hidden))
    assert not hidden & set(rows)
    for values in pool.columns.values():
        assert values.shape == (len(rows),)
        assert np.isfinite(values).all()


def test_what_has_the_words_comes_into_a_small_pool() -> None:
    said = [Said(f"something else n{number}x", session=f"s{number}") for number in range(40)]
    said[17] = Said("the dog sleeps", session="s17")
    assert pool_of(said, "Where is the dog?", size=1).rows.tolist() == [17]


def test_what_stands_next_to_the_words_comes_into_a_small_pool() -> None:
    said = [Said(f"talk of n{number}x and m{number}x", session=f"s{number // 10}") for number in range(40)]
    said[25] = Said("where is the dog", session="s2")
    assert set(pool_of(said, "Where is the dog?", size=3).rows.tolist()) == {24, 25, 26}


def test_a_reply_comes_into_a_small_pool_where_what_the_assistant_said_is_asked_for() -> None:
    said = [Said(f"talk of n{number}x", role=("user", "assistant")[number % 2]) for number in range(40)]
    said[20] = Said("how about a dog")
    assert set(pool_of(said, "What did you advise about the dog?", size=2).rows) == {20, 21}
    assert set(pool_of(said, "What did he advise about the dog?", size=2).rows) == {20, 19}


def test_what_the_named_one_says_comes_into_a_small_pool() -> None:
    said = [Said("my dog", session=f"s{number}", name="Bob") for number in range(9)]
    said[4] = Said("my dog", session="s4", name="Ann")
    assert pool_of(said, "What about Ann's dog?", size=1).rows.tolist() == [4]


@some
@given(conversation, question, st.integers(1, 6))
def test_a_smaller_pool_has_the_best_of_a_larger_one_in_its_order(said: list[Said], text: str, size: int) -> None:
    assert pool_of(said, text, size=size).rows.tolist() == pool_of(said, text).rows[:size].tolist()


@some
@given(conversation, question, st.data())
def test_what_hidden_messages_say_changes_no_column(said: list[Said], text: str, data: st.DataObject) -> None:
    """Not who they are by, nor when: their places in the session alone, which they keep."""
    hidden = data.draw(st.sets(st.integers(0, len(said) - 1), max_size=len(said) - 1))
    others = list(said)
    for row in hidden:
        of = said[row]
        other = data.draw(message)
        others[row] = Said(other.text, of.session, other.role, of.name, other.kind, other.days, of.place, other.imprint)
    same(pool_of(said, text, hidden), pool_of(others, text, hidden))


@some
@given(
    conversation,
    st.sampled_from(["Where did the dog bark?", "Did I feed the red cat in June?", "What is it?"]),
    st.data(),
)
def test_deleted_messages_change_no_column(said: list[Said], text: str, data: st.DataObject) -> None:
    dropped = data.draw(st.sets(st.integers(0, len(said) - 1), max_size=len(said) - 1))
    said = [Said(**{**vars(one), "place": number}) for number, one in enumerate(said)]
    holed = index_of(said, dropped)
    left = [row for row in range(len(said)) if row not in dropped]
    whole = index_of([said[row] for row in left])
    one = candidates(holed, asked(text, holed), Sight.of(holed, everything(holed)))
    other = candidates(whole, asked(text, whole), Sight.of(whole, everything(whole)))
    same(one, Pool(np.array(left)[other.rows], other.columns))


@some
@given(conversation, conversation, question)
def test_messages_that_come_while_a_search_is_under_way_change_no_column(
    said: list[Said], later: list[Said], text: str
) -> None:
    said = [Said(**{**vars(one), "place": number}) for number, one in enumerate(said)]
    later = [Said(**{**vars(one), "place": 100 + number}) for number, one in enumerate(later)]
    index, longer = index_of(said), index_of(said + later)
    probe = asked(text, index)
    same(
        candidates(index, probe, Sight.of(index, everything(index))),
        candidates(longer, probe, Sight.of(longer, everything(index))),
    )


def same(one: Pool, other: Pool) -> None:
    assert one.rows.tolist() == other.rows.tolist()
    assert one.columns.keys() == other.columns.keys()
    for name, values in one.columns.items():
        assert values == pytest.approx(other.columns[name], abs=1e-4), name


def stop_words_only() -> str:
    return " ".join(sorted(STOPWORDS))


@pytest.mark.parametrize(
    "text",
    [
        "?!",
        "",
        "What is it?",
        stop_words_only(),
        " ".join(f"w{number}x dog" for number in range(2_000)),
        "dog " * 8_000,
    ],
    ids=["signs", "nothing", "few stop words", "stop words", "many words", "one word often"],
)
@pytest.mark.parametrize(
    "said",
    [
        [Said("the dog barks")],
        [Said("")],
        [Said("the dog", imprint=False)],
        [Said("the dog", imprint=False, place=-1), Said("the cat", imprint=False, place=-1)],
        [Said("the dog")] * 5,
        [Said("the dog barks", name="Ann"), Said("?!"), Said("is it"), Said("a cat", imprint=False, kind="summary")],
    ],
    ids=["one", "empty", "no imprint", "gists", "the same", "mixed"],
)
def test_odd_questions_to_odd_indexes_give_numbers(text: str, said: list[Said]) -> None:
    pool = pool_of(said, text)
    assert sorted(pool.rows.tolist()) == list(range(len(said)))
    assert all(np.isfinite(values).all() for values in pool.columns.values())
