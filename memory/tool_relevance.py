"""Which values of a tool's result may the next step need?

Identifiers, for tools are called by them; and whatever the conversation speaks of. Times of day, numbers and addresses
say little that was not asked for, though they look like identifiers.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from utils.json_table import Json, Scalar
from utils.text import STOPWORDS

SMALL = 160  # characters of a result that is shown whole, whatever it says
LONG_NUMBER = 8  # digits from which a number names something
TELLING = frozenset({"error", "errors", "message", "reason", "detail"})  # keys of what a tool has to say

_IDENTIFIER = re.compile(r"(?=.*\d)[\w#:+.\-/@]{4,}")
_CODE = re.compile(r"[A-Z][A-Z0-9]{4,11}")
_ID_KEY = re.compile(
    r"(?:^|_|-)(?:ids?|uuids?|keys?|codes?|numbers?|sku|ref|hash)$|(?<=[a-z])(?:Ids?|IDs?|Keys?|Codes?|Numbers?)$"
)
_TIME = re.compile(r"\d\d:\d\d")
_STAMP = re.compile(r"(created|updated|modified)(_at|_on|At|On)?$")
_WORD = re.compile(r"[^\W\d_]{3,}|\d{3,}")


@dataclass(frozen=True)
class Talk:
    """What the user and the agent said, lower case."""

    text: str

    @cached_property
    def words(self) -> frozenset[str]:
        """The words and numbers in it that carry meaning."""
        return frozenset(_WORD.findall(self.text)) - STOPWORDS

    def mentions(self, value: Scalar) -> bool:
        """Whether a word or a number of a value was said."""
        return not self.words.isdisjoint(_WORD.findall(str(value).casefold()))

    def keeps(self, key: str, value: Scalar) -> bool:
        """Whether a value under a key is worth its place."""
        if value is None or value == "":
            return False
        if key in TELLING or (names_id(key) and not isinstance(value, bool)):
            return True
        if isinstance(value, bool):
            return not self.words.isdisjoint(_WORD.findall(key.casefold()))
        if _ID_KEY.search(key):
            return True
        if not isinstance(value, str) or not is_identifier(value):
            return self.mentions(value)
        if _STAMP.match(key):
            return False
        if _TIME.match(value) or "@" in value or (value.isdecimal() and len(value) < LONG_NUMBER):
            return value.casefold() in self.text
        return True


def talk_of(texts: Iterable[str]) -> Talk:
    return Talk("\n".join(texts).casefold())


def names_id(key: str) -> bool:
    """Whether a field is called as those that say which thing is meant, be it by a number alone."""
    return key == "id" or key.endswith(("_id", "Id"))


def is_identifier(value: str) -> bool:
    """Whether a text looks as what things are called by: a code in capitals, or one word with a digit."""
    return bool(_IDENTIFIER.fullmatch(value) or _CODE.fullmatch(value))


def identifiers(value: Json) -> list[str]:
    """The identifiers in a value, each once, in their order; those that are keys of objects, too."""
    found: dict[str, None] = {}
    _gather(value, found)
    return list(found)


def _gather(value: Json, found: dict[str, None]) -> None:
    if isinstance(value, Mapping):
        for key, item in value.items():
            if is_identifier(key):
                found[key] = None
            _gather(item, found)
    elif isinstance(value, str):
        if is_identifier(value):
            found[value] = None
    elif isinstance(value, list | tuple):
        for item in value:
            _gather(item, found)


def everything(_key: str, value: Scalar) -> bool:
    """Keeps all that says anything."""
    return value is not None and value != ""
