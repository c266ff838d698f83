"""Do rows of different lengths in one array come out as they went in?"""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from memory.recall.postings import Ragged, grown

lengths = st.lists(st.one_of(st.integers(0, 5), st.just(150)), max_size=90)
widths = st.sampled_from([(), (3,)])


def filled(counts: list[int], shape: tuple[int, ...] = ()) -> tuple[Ragged, list[NDArray[Any]]]:
    """Rows of these lengths, whose items are all different; and the same as a list."""
    bounds = np.cumsum([0, *counts])
    whole = np.arange(bounds[-1] * int(np.prod(shape)), dtype=np.uint32).reshape(-1, *shape)
    rows = [whole[start:end] for start, end in pairwise(bounds)]
    ragged = Ragged(np.uint32, *shape)
    for row in rows:
        ragged.append(row)
    return ragged, rows


def joined(rows: list[NDArray[Any]], shape: tuple[int, ...]) -> NDArray[Any]:
    return np.concatenate([np.zeros((0, *shape), np.uint32), *rows])


@given(lengths, widths)
def test_rows_are_what_was_appended(counts: list[int], shape: tuple[int, ...]) -> None:
    ragged, rows = filled(counts, shape)
    assert len(ragged) == len(rows)
    assert all(np.array_equal(ragged.row(number), row) for number, row in enumerate(rows))
    assert ragged.counts[: len(rows)].tolist() == counts


@given(lengths, widths, st.data())
def test_gathered_rows_stand_one_behind_the_other(counts: list[int], shape: tuple[int, ...], data: Any) -> None:
    ragged, rows = filled(counts, shape)
    wanted = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=12)) if rows else []
    items, bounds = ragged.gather(np.array(wanted, np.intp))
    assert np.array_equal(items, joined([rows[number] for number in wanted], shape))
    assert bounds.tolist() == np.cumsum([0, *(counts[number] for number in wanted)]).tolist()


@given(lengths, widths, st.integers(0, 100))
def test_what_came_since_a_row_is_told_with_its_rows(counts: list[int], shape: tuple[int, ...], since: int) -> None:
    ragged, rows = filled(counts, shape)
    items, owners = ragged.between(since, len(ragged))
    assert np.array_equal(items, joined(rows[since:], shape))
    assert owners.tolist() == [number for number, row in enumerate(rows) if number >= since for _ in row]


@given(lengths, widths, st.data())
def test_a_copy_of_some_rows_grows_on_its_own(counts: list[int], shape: tuple[int, ...], data: Any) -> None:
    ragged, rows = filled(counts, shape)
    wanted = data.draw(st.lists(st.integers(0, len(rows) - 1), unique=True)) if rows else []
    copied = ragged.taken(np.array(wanted, np.intp))
    more = np.full((2, *shape), 7, np.uint32)
    copied.append(more)
    copied.append(more[:0])
    expected = [*(rows[number] for number in wanted), more, more[:0]]
    assert len(copied) == len(expected)
    assert all(np.array_equal(copied.row(number), row) for number, row in enumerate(expected))
    assert np.array_equal(copied.between(0, len(copied))[0], joined(expected, shape))
    assert len(ragged) == len(rows)
    assert all(np.array_equal(ragged.row(number), row) for number, row in enumerate(rows))


def test_an_array_handed_out_stays_as_it_was() -> None:
    ragged, rows = filled([3])
    first = ragged.row(0)
    for _ in range(200):
        ragged.append(np.full(5, 9, np.uint32))
    assert np.array_equal(first, rows[0])


def test_its_size_is_that_of_its_arrays() -> None:
    ragged, _ = filled([100])
    assert ragged.bytes == ragged.items.nbytes + ragged.starts.nbytes + ragged.counts.nbytes >= 100 * 4
    assert Ragged(np.int8, 64).bytes == 0


@pytest.mark.parametrize(("rows", "needed", "room"), [(0, 1, 64), (64, 65, 80), (100, 101, 125), (10, 1_000, 1_000)])
def test_a_column_grows_by_a_quarter_or_to_what_is_needed(rows: int, needed: int, room: int) -> None:
    column = np.ones((rows, 2), np.int32)
    longer = grown(column, needed, -1)
    assert longer.shape == (room, 2) and longer.dtype == np.int32
    assert (longer[:rows] == 1).all() and (longer[rows:] == -1).all()
