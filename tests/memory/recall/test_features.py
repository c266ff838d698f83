"""The columns by which candidates are ranked.

Columns are checked against loops over a few messages whose words are all that they mean (`tests.memory.indexes`).
"""

import math
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from memory.language.times.spans import nearness
from memory.recall.features import TOKENS_AT_ONCE, best_matches, candidates
from memory.recall.index import NONE, Sight, UserIndex
from memory.recall.postings import Ragged
from memory.recall.query import Probe
from tests.conversations import START
from tests.memory.indexes import Said, asked, column, index_of
from tests.memory.pools import conversation, everything, pool_of, question, some
from tests.numerics import NUMERIC_ERRORS
from utils.text import stem, words

pytestmark = NUMERIC_ERRORS

NEAR = (-2, -1, 0, 1, 2)
TOKENS_BESIDE = {0: 1.0, -2: 0.9, -1: 0.95, 1: 0.95}  # how much tokens count, by how far away they are


def beside(said: Sequence[Said], visible: NDArray[np.bool_]) -> Callable[[int, int], int]:
    """Which row stands so far from another in its session; -1 for none. What may not be seen is a border."""
    places: list[int] = []
    following: dict[str, int] = {}
    for one in said:
        place = following.get(one.session, 0) if one.place is None else one.place
        following[one.session] = max(place + 1, following.get(one.session, 0))
        places.append(place)

    def next_to(row: int, offset: int) -> int:
        if offset == 0 or row == NONE:
            return row
        session = sorted((places[n], n) for n, one in enumerate(said) if one.session == said[row].session)
        rows = [n for place, n in session if place >= 0]
        if row not in rows:
            return NONE
        sign = 1 if offset > 0 else -1
        at = rows.index(row) + sign
        if not 0 <= at < len(rows) or not visible[rows[at]]:
            return NONE
        return next_to(rows[at], offset - sign)

    return next_to


class Counts:
    """The terms of messages, counted with loops; of what may be seen."""

    def __init__(self, said: Sequence[Said], visible: NDArray[np.bool_]) -> None:
        self.terms = [[stem(word) for word in words(one.text)] if one.imprint else [] for one in said]
        self.rows = [row for row in range(len(said)) if visible[row]]
        self.mean = sum(self.length(row) for row in self.rows) / len(self.rows)

    def length(self, row: int) -> float:
        return len(self.terms[row]) + 1.0

    def idf(self, term: str) -> float:
        having = sum(term in self.terms[row] for row in self.rows)
        return math.log(1 + (len(self.rows) - having + 0.5) / (having + 0.5)) if having else 0.0

    def bm25(self, terms: Iterable[str], counts: Callable[[str], float], length: float, k1: float, b: float) -> float:
        return sum(
            self.idf(term) * counts(term) * (k1 + 1) / (counts(term) + k1 * (1 - b + b * length / self.mean))
            for term in terms
        )


@some
@given(conversation, question, st.data())
def test_columns_of_words_are_those_counted_by_loops(said: list[Said], text: str, data: st.DataObject) -> None:
    hidden = data.draw(st.sets(st.integers(0, len(said) - 1), max_size=len(said) - 1))
    index = index_of(said)
    visible = everything(index)
    visible[list(hidden)] = False
    probe = asked(text, index)
    pool = candidates(index, probe, Sight.of(index, visible))
    counts, next_to = Counts(said, visible), beside(said, visible)
    stems = probe.question.stems
    whole = sum(counts.idf(term) for term in stems) + 1e-6
    possible = sum(counts.idf(term) or math.log(1 + len(counts.rows)) for term in stems) + 1e-6
    for row in counts.rows:
        near = [found for offset in NEAR if (found := next_to(row, offset)) != NONE]
        own = counts.terms[row].count
        having = [term for term in stems if own(term)]
        every = (*stems, *probe.question.filler)
        expected = {
            "bm25": counts.bm25(stems, own, counts.length(row), 0.6, 0.3),
            "bm25_all": counts.bm25(every, own, counts.length(row), 0.9, 0.4),
            "covered_window": sum(counts.idf(term) for term in stems if any(term in counts.terms[one] for one in near))
            / whole,
            "covered_of_all": sum(map(counts.idf, having)) / possible,
            "length": math.log(counts.length(row)),
        }
        for name, value in expected.items():
            assert column(pool, name)[row] == pytest.approx(value, abs=1e-3), name


@some
@given(conversation, question, st.data())
def test_columns_of_meaning_and_tokens_are_those_of_loops(said: list[Said], text: str, data: st.DataObject) -> None:
    hidden = data.draw(st.sets(st.integers(0, len(said) - 1), max_size=len(said) - 1))
    index = index_of(said)
    visible = everything(index)
    visible[list(hidden)] = False
    probe = asked(text, index)
    pool = candidates(index, probe, Sight.of(index, visible))
    counts, next_to = Counts(said, visible), beside(said, visible)
    bare = [float(index.matrix[row] @ probe.bare) for row in range(len(said))]
    best = [best_of(probe, index, row) for row in range(len(said))]
    idfs = [counts.idf(term) or math.log(1 + (len(counts.rows) + 0.5) / 0.5) for term in probe.stems]
    weights = [weight / sum(idfs) for weight in idfs]
    rare = [weight * rarity for weight, rarity in zip(weights, probe.rarity.tolist(), strict=True)]
    rare = [weight / (sum(rare) + 1e-6) for weight in rare]
    for row in counts.rows:
        near = {offset: next_to(row, offset) for offset in TOKENS_BESIDE}
        near = {offset: found for offset, found in near.items() if found != NONE}

        def widest(token: int, near: dict[int, int] = near) -> float:
            found = [share * best[near[at]][token] for at, share in TOKENS_BESIDE.items() if at in near]
            return max(found + [0.0] * (len(found) < len(TOKENS_BESIDE)))

        expected = {
            "dense": float(index.matrix[row] @ probe.dense),
            "bare": bare[row],
            "tokens_rare": sum(weight * one for weight, one in zip(rare, best[row], strict=True)),
            "tokens_window": sum(weight * widest(token) for token, weight in enumerate(weights)),
        }
        for name, value in expected.items():
            assert column(pool, name)[row] == pytest.approx(value, abs=1e-3), name


def best_of(probe: Probe, index: UserIndex, row: int) -> list[float]:
    """For each token of a question the highest cosine among those of a row."""
    tokens = index.tokens.row(row).astype(np.float32) / 127
    return [max((float(one @ token) for token in tokens), default=0.0) for one in probe.tokens]


@some
@given(conversation, question, st.data())
def test_what_was_said_around_counts_the_less_the_further_away(
    said: list[Said], text: str, data: st.DataObject
) -> None:
    hidden = data.draw(st.sets(st.integers(0, len(said) - 1), max_size=len(said) - 1))
    index = index_of(said)
    visible = everything(index)
    visible[list(hidden)] = False
    probe = asked(text, index)
    pool = candidates(index, probe, Sight.of(index, visible))
    next_to, bm25 = beside(said, visible), column(pool, "bm25")
    asking = {row: 1.0 if one.imprint and "?" in one.text else 0.0 for row, one in enumerate(said)}
    for name, own in (("bm25", bm25), ("bare", {row: float(index.matrix[row] @ probe.bare) for row in bm25})):
        for side, sign in (("before", -1), ("after", 1)):
            expected = {
                row: sum(0.7**away * own.get(next_to(row, sign * away), 0.0) for away in range(1, 9)) for row in own
            }
            assert column(pool, f"{name}_{side}") == pytest.approx(expected, abs=1e-4)
    answers = {row: asking.get(next_to(row, -1), 0.0) * bm25.get(next_to(row, -1), 0.0) for row in bm25}
    assert column(pool, "answers_bm25") == pytest.approx(answers, abs=1e-5)


def test_a_window_ends_with_its_session_and_two_messages_away() -> None:
    said = [Said(f"n{number}x", session="s1") for number in range(7)]
    said += [Said("the dog barks", session="s1"), Said("n8x", session="s2")]
    pool = pool_of(said, "Where is the dog?")
    reached = {row for row, value in column(pool, "covered_window").items() if value > 0}
    assert reached == {5, 6, 7}


def test_a_hidden_message_is_a_border_between_its_neighbours() -> None:
    said = [Said("the dog"), Said("n1x"), Said("n2x"), Said("n3x")]
    assert column(pool_of(said, "dog"), "covered_window")[2] > 0
    assert column(pool_of(said, "dog", hidden=[1]), "covered_window") == {0: pytest.approx(1, abs=1e-4), 2: 0, 3: 0}


def test_the_neighbours_of_a_deleted_message_are_each_others() -> None:
    index = index_of([Said("the dog"), Said("n1x"), Said("n2x")], dropped=[1])
    pool = candidates(index, asked("dog", index), Sight.of(index, everything(index)))
    assert (
        column(pool, "bm25_before")[2] == pytest.approx(0.7 * column(pool, "bm25")[0]) and column(pool, "bm25")[0] > 0
    )


def test_covered_is_the_share_of_all_words_whether_known_or_not() -> None:
    said = [Said("a dog"), Said("a cat"), Said("a dog and a cat"), Said("a fish")]
    pool = pool_of(said, "dog, cat, unicorn?")
    known, unknown = math.log(2), math.log(5)  # idf of two rows of four; of a word that nobody said
    of_all = known / (2 * known + unknown)
    assert column(pool, "covered_of_all") == pytest.approx({0: of_all, 1: of_all, 2: 2 * of_all, 3: 0}, abs=1e-4)


# ---------------------------------------------------------------------------------------- who, when, what kind

SPEAKERS = (Said("dog", name="Ann"), Said("dog", name="Bob"), Said("dog"), Said("dog", role="assistant"))


def test_the_speaker_is_the_one_whom_a_question_names_alone() -> None:
    pool = pool_of(SPEAKERS, "What did Ann say of the dog?")
    assert column(pool, "speaker") == {0: 1, 1: 0, 2: 0, 3: 0}
    for text in ("What did Ann and Bob say of the dog?", "What did I say of the dog?"):
        assert not pool_of(SPEAKERS, text).columns["speaker"].any()


def test_the_user_and_the_assistant_are_those_without_names() -> None:
    pool = pool_of([*SPEAKERS, Said("dog", role="tool")], "What did I say of the dog?")
    assert column(pool, "user") == {0: 0, 1: 0, 2: 1, 3: 0, 4: 0}
    assert column(pool, "assistant") == {0: 0, 1: 0, 2: 0, 3: 1, 4: 0}


def test_what_is_asked_for_is_weighed_against_what_a_message_has() -> None:
    said = [Said("on friday"), Said("seven, eight"), Said("we met Ann and Bob"), Said("nothing", role="assistant")]
    dense = {row: column(pool_of(said, "How did it go over time?"), "dense")[row] for row in range(4)}
    expected = {
        "When was it?": ("asked_times", {0: 1, 1: 0, 2: 0, 3: 0}),
        "Where was it?": ("asked_names", {0: 0, 1: 0, 2: 2, 3: 0}),
        "Who was it?": ("asked_names", {0: 0, 1: 0, 2: 2, 3: 0}),
        "How did it go over time?": ("course_dense", dense),
    }
    for text, (name, values) in expected.items():
        assert column(pool_of(said, text), name) == values
        assert not pool_of(said, "Was it blue?").columns[name].any()


def test_a_reply_counts_by_itself_and_what_it_answers_where_replies_are_asked_for() -> None:
    said = [Said("how about a dog"), Said("buy a basket", role="assistant"), Said("thanks")]
    pool = pool_of(said, "What did you advise about the dog?")
    assert column(pool, "replies_dense") == {0: 0, 1: column(pool, "dense")[1], 2: 0}
    assert column(pool, "replies_bare_before") == pytest.approx({0: 0, 1: column(pool, "bare")[0], 2: 0})
    assert not pool_of(said, "Is the dog old?").columns["replies_bare_before"].any()


def test_the_date_is_how_near_a_message_is_to_the_time_that_is_named() -> None:
    said = [Said("n0x", days=0), Said("n1x", days=1), Said("n2x", days=60)]
    index = index_of(said)
    probe = asked("What did I say on 28 February 2025?", index)
    found = column(candidates(index, probe, Sight.of(index, everything(index))), "date")
    times = np.array([START.timestamp() - 86_400 * one.days for one in said])
    assert found == pytest.approx(dict(enumerate(nearness(probe.question.spans, times).tolist())))
    assert found[1] == 1 > found[0] > found[2]
    assert datetime.fromtimestamp(times[1], UTC).day == 28
    assert not pool_of(said, "What did I say?").columns["date"].any()


def test_the_best_of_each_session_is_its_first() -> None:
    said = [
        Said("dog n0x", "s1"),
        Said("red dog n1x", "s1"),
        Said("n2x", "s2"),
        Said("red n3x", "s2"),
        Said("n4x", "s3"),
    ]
    pool = pool_of(said, "red dog")
    rank = column(pool, "session_rank")
    first, second = 0.0, math.log(2)
    assert rank == pytest.approx({0: second, 1: first, 2: second, 3: first, 4: first})


def test_what_is_like_the_best_is_more_like_them_than_what_is_not() -> None:
    said = [Said("red dog", f"s{number}") for number in range(6)]
    said += [Said("dog sleeps", "s6"), Said("fish swim", "s7")]
    found = column(pool_of(said, "red dog"), "feedback")
    assert found[0] == pytest.approx(1, abs=1e-5)
    assert 1 > found[6] > found[7]


def test_a_row_without_an_imprint_is_compared_by_its_embedding() -> None:
    pool = pool_of([Said("the dog", imprint=False), Said("a cat", imprint=False)], "the dog")
    assert column(pool, "dense") == pytest.approx({0: 1, 1: column(pool, "dense")[1]})
    assert pool.rows.tolist() == [0, 1]
    assert not any(pool.columns[name].any() for name in ("bm25", "tokens_rare", "length"))


# --------------------------------------------------------------------------------------- MaxSim

WIDTH = 64


def tokens_of(count: int, seed: int) -> NDArray[np.float32]:
    """Rows of length 1."""
    vectors = np.random.default_rng(seed).normal(size=(count, WIDTH))
    rows: NDArray[np.float32] = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return rows


def stored(rows: list[NDArray[np.float32]]) -> Ragged:
    tokens = Ragged(np.int8, WIDTH)
    for row in rows:
        tokens.append(np.rint(127 * row).astype(np.int8))
    return tokens


@given(st.integers(0, 5), st.lists(st.integers(0, 4), min_size=1, max_size=8), st.data())
def test_the_best_match_is_the_highest_cosine(count: int, lengths: list[int], data: st.DataObject) -> None:
    question = tokens_of(count, 0)
    rows = [tokens_of(length, 1 + number) for number, length in enumerate(lengths)]
    wanted = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=8))
    expected = [
        [max((float(token @ other) for other in rows[row]), default=0.0) for row in wanted] for token in question
    ]
    found = best_matches(question, stored(rows), np.array(wanted, np.intp))
    assert found.shape == (count, len(wanted)) and found.dtype == np.float32
    assert found == pytest.approx(np.array(expected).reshape(found.shape), abs=0.02)  # tokens are kept in a byte


def test_the_same_token_matches_wholly_and_its_opposite_not_at_all() -> None:
    [token] = tokens_of(1, 3)
    found = best_matches(token[None], stored([token[None], -token[None], token[:0].reshape(0, WIDTH)]), np.arange(3))
    assert found[0].tolist() == pytest.approx([1, -1, 0], abs=0.02)


def test_a_row_without_tokens_between_others_matches_nothing() -> None:
    rows = [tokens_of(0, 0), tokens_of(2, 1), tokens_of(0, 0), tokens_of(0, 0), tokens_of(3, 2), tokens_of(0, 0)]
    found = best_matches(tokens_of(2, 9), stored(rows), np.arange(6))
    assert (found[:, [0, 2, 3, 5]] == 0).all()
    assert (found[:, [1, 4]] != 0).all()


@pytest.mark.parametrize("rows", [[], [0]])
def test_without_tokens_on_either_side_there_is_no_match(rows: list[int]) -> None:
    where = np.array(rows, np.intp)
    assert best_matches(tokens_of(0, 0), stored([tokens_of(1, 1)]), where).shape == (0, len(rows))
    assert best_matches(tokens_of(2, 0), stored([tokens_of(0, 1)]), where).tolist() == [[0.0] * len(rows)] * 2


def test_more_tokens_than_are_multiplied_at_once_give_the_same() -> None:
    question, rows = tokens_of(3, 0), [tokens_of(40, 1 + number) for number in range(2 * TOKENS_AT_ONCE // 40)]
    expected = np.array([(question @ row.T).max(1) for row in rows]).T
    found = best_matches(question, stored(rows), np.arange(len(rows)))
    assert found == pytest.approx(expected, abs=0.02)
