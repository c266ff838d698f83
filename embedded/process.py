"""The interpreter, set up for a server that answers quickly and stays small."""

import contextlib
import ctypes
import gc
import sys

SWITCH_SECONDS = 0.0005  # the writer's thread and the event loop take turns quickly; 0.005 by default
COLLECT_AFTER = (10_000, 20, 20)  # allocations, and younger collections
LARGE = 1_000_000  # bytes; blocks from this size on go back to the system as soon as they are free
ARENAS = 2

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8  # of glibc's malloc.h


def tune() -> None:
    """Set up the interpreter of a process that has loaded what it needs."""
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.freeze()  # what is loaded stays, and need not be looked through for garbage
    gc.set_threshold(*COLLECT_AFTER)


def keep_small() -> None:
    """Return large blocks to the system as soon as they are free, at the price of asking for them again."""
    few_arenas()
    _set(_M_MMAP_THRESHOLD, LARGE)
    _set(_M_TRIM_THRESHOLD, 4 * LARGE)


def few_arenas() -> None:
    """Let threads share what is free; each has an arena of its own by default. Called before they start."""
    _set(_M_ARENA_MAX, ARENAS)


def _set(option: int, value: int) -> None:
    with contextlib.suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).mallopt(option, value)


def give_back() -> None:
    """Return the free memory between what is in use to the system; takes milliseconds."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
