"""Conversations: sessions, the places of their messages, drafts of answers, summaries, key-values and receipts.

A message gets its place by one atomic update and is committed before anything is made of it. Summaries cover fixed
windows of places; a receipt says what an answer considered, used and spent.
"""

from memory.turns.drafts import Drafts
from memory.turns.keyvalues import NONE, KeyValues
from memory.turns.places import Place, Places
from memory.turns.receipts import LedgerEntry, LeftOut, Receipt, Receipts, Used, left_out_of, numbers_of
from memory.turns.room import Conversations, open_conversations
from memory.turns.sessions import title_of
from memory.turns.summaries import TOLD
from memory.turns.turns import Turns

__all__ = [
    "NONE",
    "TOLD",
    "Conversations",
    "Drafts",
    "KeyValues",
    "LedgerEntry",
    "LeftOut",
    "Place",
    "Places",
    "Receipt",
    "Receipts",
    "Turns",
    "Used",
    "left_out_of",
    "numbers_of",
    "open_conversations",
    "title_of",
]
