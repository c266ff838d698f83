"""Tool memory as agents use it: views of a history of tool calls, and searches of a task."""

from agents.tools.history import misplaced_in, wrong_with
from agents.tools.memory import Compressing, ToolMemory
from agents.tools.record_part import FURTHEST, LONGEST_ID, MOST_READ, READ, id_of_row, part_of, passage, read_record
from agents.tools.view import ViewOptions

__all__ = [
    "FURTHEST",
    "LONGEST_ID",
    "MOST_READ",
    "READ",
    "Compressing",
    "ToolMemory",
    "ViewOptions",
    "id_of_row",
    "misplaced_in",
    "part_of",
    "passage",
    "read_record",
    "wrong_with",
]
