"""Observations: findings, insights and lessons of agents that work in steps, and their scratchpad.

They are kept by category and source, recalled by BM25 the moment they are written, and extracted from outputs by a
model or rules. Scratchpad values may expire.
"""

from memory.observations.consolidation import SessionMessage
from memory.observations.observation import (
    CATEGORIES,
    FIL,
    LONGEST,
    LONGEST_SOURCE,
    Category,
    Observation,
    Observed,
    Recalled,
    observed,
    source_of_session,
)
from memory.observations.observations import INDEXED, Observations
from memory.observations.observer import Consolidated, Extracted, Outcome
from memory.observations.room import AgentNotes, open_notes
from memory.observations.scratchpad import LONGEST_KEY, LONGEST_TTL, LONGEST_VALUE, Entry, Scratchpad, wrong_with

__all__ = [
    "CATEGORIES",
    "FIL",
    "INDEXED",
    "LONGEST",
    "LONGEST_KEY",
    "LONGEST_SOURCE",
    "LONGEST_TTL",
    "LONGEST_VALUE",
    "AgentNotes",
    "Category",
    "Consolidated",
    "Entry",
    "Extracted",
    "Observation",
    "Observations",
    "Observed",
    "Outcome",
    "Recalled",
    "Scratchpad",
    "SessionMessage",
    "observed",
    "open_notes",
    "source_of_session",
    "wrong_with",
]
