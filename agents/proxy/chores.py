"""Chores of chat fronts: what a front asks a model for itself, such as a title, by `config/chores.toml`."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import config
from agents.openai_chat import newest_user, text_of

TABLE = Path(config.__file__).parent / "chores.toml"


@dataclass(frozen=True)
class Chore:
    """A request that a front makes: `begins`, and `holds`, are of the user's last message. `seen`: where it was."""

    front: str
    what: str
    seen: str
    begins: str
    holds: str = ""


@cache
def chores() -> tuple[Chore, ...]:
    return tuple(Chore(**row) for row in tomllib.loads(TABLE.read_text(encoding="utf-8"))["chore"])


def chore_of(messages: Sequence[Mapping[str, Any]]) -> Chore | None:
    """The chore that a transcript ends in; None where it is the user who asks."""
    at = newest_user(messages)
    if at is None:
        return None
    text = text_of(messages[at].get("content")).lstrip()
    return next((known for known in chores() if text.startswith(known.begins) and known.holds in text), None)
