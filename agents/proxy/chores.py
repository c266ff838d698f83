"""Chores of chat fronts: what a front asks a model for itself, such as a title, by `config/chores.toml`."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import config
from agents.openai_chat import newest_user, said_in, text_of

SYSTEM = ("system", "developer")
TABLE = Path(config.__file__).parent / "chores.toml"


@dataclass(frozen=True)
class Chore:
    """A request that a front makes: `begins`, and `holds`, are of the user's last message, which is no more than
    `begins` where `max_tokens` says how many are asked for; `system`: how a paragraph of the system's message begins,
    where that says what is to be done. `seen`: where it was."""

    front: str
    what: str
    seen: str
    begins: str = ""
    holds: str = ""
    system: str = ""
    max_tokens: int | None = None

    def is_asked(self, text: str, system: str, max_tokens: object) -> bool:
        if self.max_tokens is not None:
            return text == self.begins and max_tokens == self.max_tokens
        return text.startswith(self.begins) and self.holds in text and f"\n\n{self.system}" in f"\n\n{system}"


@cache
def chores() -> tuple[Chore, ...]:
    return tuple(Chore(**row) for row in tomllib.loads(TABLE.read_text(encoding="utf-8"))["chore"])


def chore_of(messages: Sequence[Mapping[str, Any]], max_tokens: object = None) -> Chore | None:
    """The chore that a transcript ends in; None where it is the user who asks. `max_tokens`: of its answer."""
    at = newest_user(messages)
    if at is None:
        return None
    text = said_in(messages[at].get("content")).lstrip()
    system = text_of(messages[0].get("content")).lstrip() if messages[0].get("role") in SYSTEM else ""
    return next((known for known in chores() if known.is_asked(text, system, max_tokens)), None)
