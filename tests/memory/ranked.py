"""Indexes ranked by tests, as a search does it."""

from config.recipes import Recipe
from memory.recall.index import UserIndex
from memory.recall.query import Probe
from memory.recall.ranking import Scope, score
from memory.recall.scored import UNREAD, Ranked, Reads
from tests.conversations import START

NOW = START.timestamp()


def rank(
    index: UserIndex, probe: Probe, recipe: Recipe, scope: Scope, now: float, reads: Reads = UNREAD
) -> list[Ranked]:
    scored = score(index, probe, recipe, scope, now)
    return [] if scored is None else scored.read(reads).select()


def place_of(
    row: int, index: UserIndex, probe: Probe, recipe: Recipe, scope: Scope, now: float, reads: Reads = UNREAD
) -> tuple[int, Ranked] | None:
    scored = score(index, probe, recipe, scope, now)
    return None if scored is None else scored.read(reads).place_of(row)
