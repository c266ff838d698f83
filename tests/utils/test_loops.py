"""Garbage is collected again after modules are loaded."""

import gc

import pytest

from utils.loops import loading


def test_no_garbage_is_collected_meanwhile_and_what_was_loaded_is_not_looked_through_again() -> None:
    frozen = gc.get_freeze_count()
    try:
        with loading():
            assert not gc.isenabled()
            kept = [[] for _ in range(1_000)]
        assert gc.isenabled() and gc.get_freeze_count() >= frozen + len(kept)
    finally:
        gc.unfreeze()


def test_it_stays_off_where_it_was_and_comes_back_after_an_error() -> None:
    try:
        with pytest.raises(ImportError), loading():
            raise ImportError("no such module")
        assert gc.isenabled()
        gc.disable()
        with loading():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
        gc.unfreeze()
