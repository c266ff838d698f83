"""Which messages of the user's say what is to be forgotten, though nobody asked to remember it."""

import asyncio
import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from memory.facts import (
    Attribute,
    StatedValue,
    clauses,
    named_in,
    of_what,
    statement_to_forget,
    statement_to_remember,
    value_given,
    values_stated,
    without_asides,
)
from memory.store import Collections
from utils.mongo import Document
from utils.sentences import split_sentences
from utils.text import ends_with_question_mark, slug

SHORTEST_STATEMENT = 2  # words
FEWEST_WORDS = 3  # of a clause that says something beside another; "I think" does not
LONGEST_STATEMENT = 1_000  # characters

_GOES_ON = re.compile(r"[,;]\s|\s+(?:and|but|which)\b")


class Statement(NamedTuple):
    """A message that says something. `statement`: the sentences of it that do; `rest`: the others; `value`: what the
    first gives."""

    id: str
    statement: str
    rest: str = ""
    value: str = ""


class Saying:
    """Finds messages by what they say; deletes none."""

    def __init__(self, collections: Collections) -> None:
        self._vectors = collections.vectors

    async def value(self, owner: str, key: str, values: Sequence[str]) -> tuple[list[str], int]:
        """The ids of the messages that say of the thing under a key that it is one of these values; and how many others
        say that it is something else."""
        thing, _ = of_what(key) or (key, "")
        saying = {"user_id": owner, "role": "user", "name": None} | {
            "content": {"$regex": rf"(?:^|\W)(?:my|our|the)\W{{0,3}}{named_in(thing)}", "$options": "i"}
        }
        messages = await self._vectors.find(saying, {"id": 1, "content": 1}).to_list(None)
        stated = {message["id"]: values_stated(message["content"], key) for message in messages}
        same = [
            identifier
            for identifier, statements in stated.items()
            if any(_is_one_of(values, statement) for statement in statements)
        ]
        return same, sum(bool(statements) for statements in stated.values()) - len(same)

    async def statement(self, owner: str, statement: str) -> list[Statement]:
        """The messages that say a statement and nothing else, whatever their marks and capitals; where there is none,
        those that say it among other things; and former requests to forget it."""
        words = _words(statement)
        if len(words) < SHORTEST_STATEMENT or len(statement) > LONGEST_STATEMENT or ends_with_question_mark(statement):
            return []
        pattern = r"\W+".join(re.findall(r"\w+", statement))  # as it is spelt: "straße" folds to what no message says
        messages = await self._told(owner, rf"(?:^|\W){pattern}(?:\W|$)")
        # MongoDB takes letters that are not ASCII for none.
        whole = [
            Statement(message["id"], message["content"]) for message in messages if _says(message["content"], words)
        ]
        saying = whole or _each_said(messages, lambda part: statement if _says(part, words) else None)
        asked = [
            Statement(message["id"], statement)
            for message in messages
            if _words(statement_to_forget(message["content"]) or "") == words
        ]
        return [*saying, *asked] if saying else []

    async def attribute(self, owner: str, attribute: Attribute) -> list[Statement]:
        """The messages that give an attribute of the user's a value."""
        messages = await self._told(owner, attribute.words)
        # What was to be remembered is kept under a key.
        stating = [message for message in messages if statement_to_remember(message["content"]) is None]
        # In a thread, for there may be many, and the loop answers others meanwhile.
        return await asyncio.to_thread(_each_said, stating, lambda part: value_given(part, attribute))

    async def _told(self, owner: str, pattern: str) -> list[Document]:
        wanted = {"user_id": owner, "role": "user", "name": None} | {"content": {"$regex": pattern, "$options": "i"}}
        return await self._vectors.find(wanted, {"id": 1, "content": 1}).to_list(None)


def _each_said(messages: Iterable[Document], value_of: Callable[[str], str | None]) -> list[Statement]:
    return [statement for message in messages if (statement := _said(message, value_of)) is not None]


def _said(message: Document, value_of: Callable[[str], str | None]) -> Statement | None:
    """What a message says of something, by its sentences, or by their clauses; None where none gives a value."""
    parts = [part for sentence in split_sentences(message["content"]) for part in _parts(sentence, value_of)]
    values = [value_of(part) for part in parts]
    saying = [(part, value) for part, value in zip(parts, values, strict=True) if value is not None]
    if not saying:
        return None
    rest = " ".join(part for part, value in zip(parts, values, strict=True) if value is None)
    return Statement(message["id"], " ".join(part for part, _ in saying), rest, saying[0][1])


def _parts(sentence: str, value_of: Callable[[str], str | None]) -> list[str]:
    """A sentence, or its clauses, as sentences, where one of several gives a value."""
    every = clauses(sentence)
    parts = [f"{part[:1].upper()}{part[1:].rstrip('.!')}." for part in every if len(part.split()) >= FEWEST_WORDS]
    return parts if len(parts) > 1 and any(map(value_of, parts)) else [sentence]


def _says(sentence: str, words: list[str]) -> bool:
    return words in (_words(sentence), _words(without_asides(sentence))) and not ends_with_question_mark(sentence)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _is_one_of(values: Sequence[str], stated: StatedValue) -> bool:
    """Whether what is stated is one of some values, or, of what is the user's, goes on behind it: "4471, and never
    changes"."""
    text = stated.value.casefold()
    for known in map(str.casefold, values):
        if slug(text) == slug(known) or (stated.own and text.startswith(known) and _GOES_ON.match(text[len(known) :])):
            return True
    return False
