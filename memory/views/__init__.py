"""Views of tool results.

Packing of JSON, tables, logs and code that keeps what the next step may need. Pure functions, whose time grows with the
length of a text and no faster.
"""

from memory.views.blocks import Block, block_of, call_text, left_out, one_line, tables
from memory.views.excerpts import excerpt
from memory.views.identifiers import MARKS, is_name
from memory.views.json_values import written
from memory.views.lists import Shortener, worth_of
from memory.views.records import RAW, Call, ToolRecord, read_json
from memory.views.relevance import SMALL, Talk, talk_of
from memory.views.shortened import is_left_of, signs_of
from memory.views.standing import in_force, overtaken
from memory.views.trace_rules import summary_by_rules

__all__ = [
    "MARKS",
    "RAW",
    "SMALL",
    "Block",
    "Call",
    "Shortener",
    "Talk",
    "ToolRecord",
    "block_of",
    "call_text",
    "excerpt",
    "in_force",
    "is_left_of",
    "is_name",
    "left_out",
    "one_line",
    "overtaken",
    "read_json",
    "signs_of",
    "summary_by_rules",
    "tables",
    "talk_of",
    "worth_of",
    "written",
]
