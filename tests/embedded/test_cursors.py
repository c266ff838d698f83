"""Open cursors are kept for as long as they should be."""

import time

import pytest

from embedded.cursors import IDLE_SECONDS, SESSION_SECONDS, Cursor, Cursors
from embedded.errors import StoreError


def last(steps):
    return [step for step in steps if step is not None][-1]


def test_a_cursor_gives_its_documents_in_batches():
    cursor = Cursor(0, "t.c", iter([b"1", None, b"2", b"3"]))
    assert last(cursor.fill(2)) == [b"1", b"2"] and cursor.pending == b"3"
    assert last(cursor.fill(2)) == [b"3"] and cursor.pending is None


def test_a_batch_ends_before_16_mib():
    large = b"x" * (9 * 1024 * 1024)
    cursor = Cursor(0, "t.c", iter([large, large]))
    assert len(last(cursor.fill(0))) == 1 and cursor.pending is large


def test_a_cursor_is_forgotten_after_ten_idle_minutes():
    cursors = Cursors()
    identifier = cursors.keep(Cursor(0, "t.c", iter(())))
    cursors.expire(time.monotonic() + IDLE_SECONDS - 1)
    assert len(cursors) == 1
    cursors.expire(time.monotonic() + IDLE_SECONDS + 1)
    with pytest.raises(StoreError) as caught:
        cursors.take(identifier, "t.c")
    assert caught.value.code == 43


def test_a_cursor_without_a_time_out_is_kept_as_long_as_a_session():
    cursors = Cursors()
    cursors.keep(Cursor(0, "t.c", iter(()), patience=SESSION_SECONDS))
    cursors.expire(time.monotonic() + SESSION_SECONDS - 1)
    assert len(cursors) == 1
    cursors.expire(time.monotonic() + SESSION_SECONDS + 1)
    assert len(cursors) == 0


def test_a_cursor_belongs_to_its_collection():
    cursors = Cursors()
    identifier = cursors.keep(Cursor(0, "t.c", iter(())))
    with pytest.raises(StoreError) as caught:
        cursors.take(identifier, "t.other")
    assert caught.value.code == 13
    assert cursors.kill([identifier, 5]) == ([identifier], [5])
