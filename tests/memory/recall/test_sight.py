"""A search sees what it may, also where it is seen once for several searches."""

import numpy as np
import pytest

from config.recipes import SEARCH
from memory.recall.features import ROWS_AT_ONCE, Alike, alike, asked_before
from memory.recall.index import Sight, UserIndex
from memory.recall.ranking import Scope, sight_of
from tests.memory.indexes import DIMENSIONS, Said, asked, documents, index_of

SAID = [Said("the boat is red"), Said("it lies in the harbour"), Said("a dog barks", session="s2")]


def seen(index: UserIndex, scope: Scope) -> list[str]:
    return [index.ids[row] for row in np.flatnonzero(sight_of(index, SEARCH, scope).visible)]


def test_what_is_seen_is_kept_until_something_comes_or_goes() -> None:
    index = index_of(SAID)
    first = sight_of(index, SEARCH, Scope())
    assert sight_of(index, SEARCH, Scope()) is first
    index.drop(["1"])
    assert seen(index, Scope()) == ["0", "2"]
    index.put(documents([*SAID, Said("a cat sleeps", session="s2")]))
    assert seen(index, Scope()) == ["0", "2", "1", "3"]


def test_searches_that_may_see_other_rows_do() -> None:
    index = index_of(SAID)
    everywhere, here = Scope(), Scope(session_id="s2", only_session=True)
    for _ in range(2):
        assert seen(index, everywhere) == ["0", "1", "2"]
        assert seen(index, here) == ["2"]


def test_indexes_do_not_share_what_is_seen() -> None:
    one, other = index_of(SAID), index_of(SAID[:1])
    assert seen(one, Scope()) == ["0", "1", "2"] and seen(other, Scope()) == ["0"]


def test_what_a_search_leaves_out_is_seen_by_the_next() -> None:
    index = index_of([*SAID, Said("Is the boat blue?")])
    whole = sight_of(index, SEARCH, Scope())
    probe = asked("Is the boat blue?", index)
    left = whole.without(index, asked_before(index, probe.question, alike(index, probe, len(index)).dense))
    assert left.count == 3 and not left.visible[3]
    assert sight_of(index, SEARCH, Scope()) is whole and whole.visible[3]


@pytest.mark.parametrize("rows", [1, ROWS_AT_ONCE, 2 * ROWS_AT_ONCE + 5])
def test_both_likenesses_are_products_of_the_whole_matrix(rows: int) -> None:
    index = UserIndex("words", DIMENSIONS)
    index.matrix = np.random.default_rng(0).normal(size=(rows + 3, DIMENSIONS)).astype(np.float32)
    probe = asked("Where did Ann go?", index_of([Said("I went home", name="Ann")]))
    assert probe.bare is not probe.dense
    found = alike(index, probe, rows)
    expected = Alike(index.matrix[:rows] @ probe.dense, index.matrix[:rows] @ probe.bare)
    assert found.dense == pytest.approx(expected.dense, abs=1e-5)
    assert found.bare == pytest.approx(expected.bare, abs=1e-5)


def test_a_sight_of_nothing_has_no_rows() -> None:
    index = index_of(SAID)
    assert Sight.of(index, np.zeros(3, np.bool_)).count == 0


def test_neighbours_that_are_linked_anew_are_seen_anew() -> None:
    index = index_of([Said("first", place=0), Said("third", place=2)])
    index.put([one | {"_id": "late"} for one in documents([Said("second", place=1)])])
    before = sight_of(index, SEARCH, Scope())
    index.refresh()
    after = sight_of(index, SEARCH, Scope())
    assert after is not before
    assert after.before.tolist() == [-1, 2, 0, -1]
