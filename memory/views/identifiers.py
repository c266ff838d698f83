"""Identifiers: what looks as what a thing is called by, be it an id, a name, a path or a version."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice

from memory.views.json_values import Json

LOOKED_AT = 20_000  # texts of a value among which identifiers are looked for
LONG_NUMBER = 8  # digits from which a number names something
SHORTEST_PLACE, LONGEST_PLACE = 4, 500  # characters of a path or an address
MARKS = ".,;:!?()[]\"'*"  # that stand around a word

_IDENTIFIER = re.compile(r"(?=.*\d)[\w#:+.\-/@]{4,}")
_CODE = re.compile(r"[A-Z][A-Z0-9]{4,11}")
_ID_KEY = re.compile(
    r"(?:^|_|-)(?:ids?|uuids?|keys?|codes?|numbers?|sku|ref|hash|versions?|revisions?|rev|builds?|seq|e?tags?)$"
    r"|(?<=[a-z])(?:Ids?|IDs?|Keys?|Codes?|Numbers?)$"
)
_DIGIT, _LETTER = re.compile(r"\d"), re.compile(r"[^\W\d_]")
_MEASURE = re.compile(r"[\d.,:/-]+[^\W\d_]{0,5}$")
_PLACE = re.compile(r"[\w)\].~][./\\]\w|^[./]\w|\w/$")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|[\W_]+")


def names_id(key: str) -> bool:
    """Whether a field is called as those that say which thing is meant, be it by a number alone."""
    return key == "id" or key.endswith(("_id", "Id"))


def ends_as_id(key: str) -> bool:
    """Whether a field ends in a word for what tells things apart: an id, a code, a number, a version."""
    return _ID_KEY.search(key) is not None


def parts_of(name: str) -> list[str]:
    """The words of a name such as `crm_get_contact` or `getContact`, lower case, without an `s` at their ends."""
    return [singular(word.casefold()) for word in _HUMP.split(name) if word]


def singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def is_identifier(value: str) -> bool:
    """Whether a text looks as what things are called by: a code in capitals, or one word with a digit."""
    return bool(_IDENTIFIER.fullmatch(value) or _CODE.fullmatch(value))


def is_name(value: str) -> bool:
    """Whether a text looks as what one thing alone is called by: letters with digits, or a long number; no time, date,
    price or measure."""
    if value.isdecimal():
        return len(value) >= LONG_NUMBER
    return is_identifier(value) and bool(_DIGIT.search(value) and _LETTER.search(value)) and not _MEASURE.match(value)


def names_place(value: str) -> bool:
    """Whether a text is a path, the name of a file or an address."""
    if not SHORTEST_PLACE <= len(value) <= LONGEST_PLACE or value[-1] in MARKS or any(map(str.isspace, value)):
        return False
    is_measure = _DIGIT.search(value) is not None and _MEASURE.match(value) is not None
    return _PLACE.search(value) is not None and not is_measure


def identifiers(value: Json) -> list[str]:
    """The identifiers in a value, each once, in their order; those that are keys of objects, too."""
    return list(dict.fromkeys(filter(is_identifier, islice(_texts(value), LOOKED_AT))))


def _texts(value: Json) -> Iterator[str]:
    """The texts in a value, and the keys of objects before what stands under them."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield key
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, str):
        yield value
