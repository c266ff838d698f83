"""Traces of tool calls.

Each call of a tool in a task with what came back, kept whole and once, with an insight that can be recalled.
"""

from memory.traces.room import ToolTraces, open_traces
from memory.traces.trace import ID_CHARACTERS, Called, Task, Trace
from memory.traces.traces import INSIGHT, place_of
from memory.traces.words import shares, words_of_each, words_sought

__all__ = [
    "ID_CHARACTERS",
    "INSIGHT",
    "Called",
    "Task",
    "ToolTraces",
    "Trace",
    "open_traces",
    "place_of",
    "shares",
    "words_of_each",
    "words_sought",
]
