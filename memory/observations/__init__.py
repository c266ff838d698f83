"""Observations: findings, insights and lessons of agents that work in steps, and their scratchpad.

They are kept by category and source, recalled by BM25 the moment they are written, and extracted from outputs by a
model or rules. Scratchpad values may expire.
"""

from memory.observations.consolidation import Said
from memory.observations.observation import (
    CATEGORIES,
    FIL,
    LONGEST,
    LONGEST_SOURCE,
    Category,
    Observation,
    Observed,
    Recalled,
    observation_id,
    observed,
    source_of_session,
)
from memory.observations.observations import Observations
from memory.observations.observer import Consolidated, Extracted, Observer, Outcome
from memory.observations.room import AgentNotes, open_notes
from memory.observations.scratchpad import (
    LONGEST_KEY,
    LONGEST_TTL,
    LONGEST_VALUE,
    Entry,
    Scratchpad,
    folded_of,
    wrong_with,
)
from memory.observations.store import INDEXED, ObservationStore, document_of

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
    "ObservationStore",
    "Observations",
    "Observed",
    "Observer",
    "Outcome",
    "Recalled",
    "Said",
    "Scratchpad",
    "document_of",
    "folded_of",
    "observation_id",
    "observed",
    "open_notes",
    "source_of_session",
    "wrong_with",
]
