"""Neighbours stand by place, in whatever order they came and whoever went. Checked against sorting."""

from collections import defaultdict
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.recall.index import NONE, Links, visible_neighbours


class Session:
    """Links with the columns that an index has beside them."""

    def __init__(self) -> None:
        self.links = Links()
        self.sessions: list[int] = []
        self.places: list[int] = []
        self.alive: list[bool] = []

    def add(self, session: int, place: int) -> None:
        self.links.add(len(self.places), session, place)
        self.sessions.append(session)
        self.places.append(place)
        self.alive.append(True)

    def remove(self, row: int) -> None:
        self.alive[row] = False
        self.links.remove(row, self.sessions[row])

    def refreshed(self) -> tuple[list[int], list[int]]:
        self.links.refresh(
            np.array(self.sessions, np.int32), np.array(self.places, np.int32), np.array(self.alive, np.bool_)
        )
        return self.links.before[: len(self.places)].tolist(), self.links.after[: len(self.places)].tolist()

    def expected(self) -> tuple[list[int], list[int]]:
        before, after = [NONE] * len(self.places), [NONE] * len(self.places)
        members: dict[int, list[int]] = defaultdict(list)
        for row, session in enumerate(self.sessions):
            if self.alive[row] and self.places[row] >= 0:
                members[session].append(row)
        for rows in members.values():
            rows.sort(key=lambda row: self.places[row])
            for one, other in pairwise(rows):
                after[one], before[other] = other, one
        return before, after


additions = st.tuples(st.just("add"), st.integers(0, 1), st.sampled_from([1, 1, 1, 2, 0, -1, -3]))
removals = st.tuples(st.just("remove"), st.integers(0, 99), st.none())
looks = st.tuples(st.just("look"), st.none(), st.none())


@given(st.lists(st.one_of(additions, additions, removals, looks), max_size=100))
def test_neighbours_are_those_by_place_after_any_additions_and_removals(
    steps: list[tuple[str, Any, Any]],
) -> None:
    """Places go up by a step or two, mostly; what is removed is counted from the end."""
    session = Session()
    place = {0: -1, 1: -1}
    for what, number, by in steps:
        rows = [row for row, alive in enumerate(session.alive) if alive]
        if what == "add":
            place[number] = max(-1, place[number] + by)
            session.add(number, place[number])
        elif what == "remove" and rows:
            session.remove(rows[-1 - number % len(rows)])
        elif what == "look":
            assert session.refreshed() == session.expected()
    assert session.refreshed() == session.expected()


@given(st.lists(st.integers(0, 3), max_size=100))
def test_what_comes_in_order_is_linked_at_once(sessions: list[int]) -> None:
    session = Session()
    for place, number in enumerate(sessions):
        session.add(number, place)
    size = len(sessions)
    assert (session.links.before[:size].tolist(), session.links.after[:size].tolist()) == session.expected()


@pytest.mark.parametrize(
    ("first", "removed", "then", "before", "after"),
    [
        pytest.param([0, 1], [1], [2], [NONE, NONE, 0], [2, NONE, NONE], id="behind a last one that went"),
        pytest.param([0, 1, 2], [1], [], [NONE, NONE, 0], [2, NONE, NONE], id="beside one that went"),
        pytest.param([0, -1, 1], [], [], [NONE, NONE, 0], [2, NONE, NONE], id="beside one without a place"),
        pytest.param([0, 1, 2], [1], [1], [NONE, NONE, 3, 0], [3, NONE, NONE, 2], id="said again in its old place"),
    ],
)
def test_neighbours_are_those_that_are_left(
    first: list[int], removed: list[int], then: list[int], before: list[int], after: list[int]
) -> None:
    session = Session()
    for place in first:
        session.add(7, place)
    for row in removed:
        session.remove(row)
    for place in then:
        session.add(7, place)
    assert session.refreshed() == (before, after)


def test_a_session_that_is_empty_again_begins_anew() -> None:
    session = Session()
    session.add(7, 0)
    session.add(7, 1)
    session.remove(1)
    session.remove(0)
    assert session.refreshed() == ([NONE] * 2, [NONE] * 2)
    session.add(7, 0)
    assert session.refreshed() == ([NONE] * 3, [NONE] * 3)


def test_without_rows_there_is_nothing_to_link() -> None:
    assert Session().refreshed() == ([], [])
    assert Links().bytes == 0


def test_neighbours_that_may_not_be_seen_or_came_later_are_none() -> None:
    links = np.array([1, 2, 3, NONE, 1], np.int32)
    every = np.ones(4, np.bool_)
    assert visible_neighbours(links, every).tolist() == [1, 2, 3, NONE, NONE]
    assert visible_neighbours(links, every[:3]).tolist() == [1, 2, NONE, NONE]
    assert visible_neighbours(links, np.array([True, False, True, True])).tolist() == [NONE, 2, 3, NONE, NONE]


def test_a_step_from_nowhere_leads_nowhere() -> None:
    after = visible_neighbours(np.array([1, 2, NONE], np.int32), np.ones(3, np.bool_))
    assert after[after[[0, 1, 2, NONE]]].tolist() == [2, NONE, NONE, NONE]
