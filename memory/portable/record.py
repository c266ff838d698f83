"""What is exported and imported? Records, one for each thing that a user has, without anything of where it stood.

A record names no user: whoever imports it owns it. Fields are those of `api/wire/portable.py`, where they are checked;
times are in UTC. Ids are those that the owner knows, never the `_id` that a document took because another user had it.
"""

from dataclasses import dataclass
from typing import Literal, get_args

from utils.mongo import Document

FORMAT: Literal["loci"] = "loci"
VERSION: Literal[1] = 1  # another one where an older reader would lose or misread something

Kind = Literal[
    "session",
    "summaries",
    "message",
    "fact",
    "memory",
    "observation",
    "entry",
    "task",
    "trace",
    "bank_version",
    "bank",
    "receipt",
]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class Record:
    """One thing of a user's. `size`: bytes of the line that it came in."""

    kind: Kind
    fields: Document
    size: int = 0
