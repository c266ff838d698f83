"""Which messages of the user's say what is to be forgotten, though nobody asked to remember it?"""

import re
from collections.abc import Sequence

from memory.asking import is_unmarked_question
from memory.attributes import of_what
from memory.collections import Collections
from memory.extract import Stated, values_stated
from utils.text import slug

SHORTEST_STATEMENT = 2  # words
LONGEST_STATEMENT = 1_000  # characters

_GOES_ON = re.compile(r"[,;]\s|\s+(?:and|but|which)\b")


class Saying:
    """Finds messages by what they say; deletes none."""

    def __init__(self, collections: Collections) -> None:
        self._vectors = collections.vectors

    async def value(self, owner: str, key: str, values: Sequence[str]) -> tuple[list[str], int]:
        """The ids of the messages that say of the thing under a key that it is one of these values; and how many others
        say that it is something else."""
        thing, _ = of_what(key) or (key, "")
        words = r"\W+".join(map(re.escape, re.split(r"\W+", thing)))
        saying = {"user_id": owner, "role": "user", "name": None} | {
            "content": {"$regex": rf"\b(?:my|our|the)\W{{1,4}}{words}\b", "$options": "i"}
        }
        found = await self._vectors.find(saying, {"id": 1, "content": 1}).to_list(None)
        said = {one["id"]: values_stated(one["content"], key) for one in found}
        same = [identifier for identifier, told in said.items() if any(_is_one_of(values, one) for one in told)]
        return same, sum(bool(told) for told in said.values()) - len(same)

    async def statement(self, owner: str, statement: str) -> list[str]:
        """The ids of the messages that say a statement and nothing else, whatever their marks and capitals; of
        conversations with facts of their own, where these are forgotten, none."""
        words = _words(statement)
        if len(words) < SHORTEST_STATEMENT or len(statement) > LONGEST_STATEMENT or is_unmarked_question(statement):
            return []
        pattern = r"\W+".join(words)
        told = {"user_id": owner, "role": "user", "name": None, "facts": {"$exists": False}} | {
            "content": {"$regex": rf"^\W*{pattern}\W*$", "$options": "i"}
        }
        found = await self._vectors.find(told, {"id": 1, "content": 1}).to_list(None)
        # MongoDB takes letters that are not ASCII for none.
        return [one["id"] for one in found if _words(one["content"]) == words and not one["content"].endswith("?")]


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _is_one_of(values: Sequence[str], stated: Stated) -> bool:
    """Whether what is stated is one of some values, or, of what is the user's, goes on behind it: "4471, and never
    changes"."""
    text = stated.value.casefold()
    for known in map(str.casefold, values):
        if slug(text) == slug(known) or (stated.own and text.startswith(known) and _GOES_ON.match(text[len(known) :])):
            return True
    return False
