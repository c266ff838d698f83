"""Conversations: sessions, the places of their messages, drafts of answers, summaries, key-values and receipts.

A message gets its place by one atomic update and is committed before anything is made of it. Summaries cover fixed
windows of places; a receipt says what an answer considered, used and spent.
"""

from memory.turns.branches import LINE, Found
from memory.turns.drafts import Drafts
from memory.turns.keyvalues import NONE, KeyValues
from memory.turns.line import Stored
from memory.turns.places import Counted, Place, Places
from memory.turns.projects import EVERYWHERE, LINES, Preferences, Project, Projects, Standpoint
from memory.turns.receipts import (
    LedgerEntry,
    LeftOut,
    Receipt,
    Receipts,
    Used,
    left_out_of,
    numbers_of,
    receipt_records,
)
from memory.turns.records import conversation_records
from memory.turns.room import Conversations, open_conversations
from memory.turns.sessions import Ended, title_of
from memory.turns.summaries import TOLD, lines_of
from memory.turns.turns import Turns
from memory.turns.writings import Writings

__all__ = [
    "EVERYWHERE",
    "LINE",
    "LINES",
    "NONE",
    "TOLD",
    "Conversations",
    "Counted",
    "Drafts",
    "Ended",
    "Found",
    "KeyValues",
    "LedgerEntry",
    "LeftOut",
    "Place",
    "Places",
    "Preferences",
    "Project",
    "Projects",
    "Receipt",
    "Receipts",
    "Standpoint",
    "Stored",
    "Turns",
    "Used",
    "Writings",
    "conversation_records",
    "left_out_of",
    "lines_of",
    "numbers_of",
    "open_conversations",
    "receipt_records",
    "title_of",
]
