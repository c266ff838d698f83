"""The format of an export: its name, its version and its kinds of records."""

from typing import Literal, get_args

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
