"""Which fields of objects say something in a table, and which say it only with others?"""

import re
from collections.abc import Iterable, Mapping, Sequence

from memory.views.json_values import Cell, Json, Keep, Missing, is_scalar

SPARSEST = 4  # of so many fields, an object of a table has one at least, on average

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_PART_OF_NAME = re.compile(r"(?i)(?:first|middle|last|given|family|sur|fore)[ _-]?name")


def is_date_or_nothing(cell: Cell) -> bool:
    return isinstance(cell, Missing) or not cell or (isinstance(cell, str) and _DATE.fullmatch(cell) is not None)


def stand_in_ids(objects: Sequence[Mapping[str, Json]], name: str, keep: Keep) -> bool:
    """Whether all that a field says stands at the beginning of another one that is kept: `card_17` is a card."""
    if len(objects) < 2:
        return False

    def stands(one: Mapping[str, Json]) -> bool:
        value = one.get(name)
        return isinstance(value, str) and any(
            isinstance(other, str)
            and len(other) > len(value)
            and other.startswith(value)
            and not other[len(value)].isalnum()
            and keep.keeps(key, other)
            for key, other in one.items()
        )

    return all(map(stands, objects))


def are_persons(keys: Iterable[str]) -> bool:
    """Whether objects of these keys have a first and a last name."""
    return sum(_PART_OF_NAME.fullmatch(key) is not None for key in keys) > 1


def is_mere_person(one: Mapping[str, Json]) -> bool:
    """Whether an object is a person of whom nothing is so or not."""
    return are_persons(one) and not any(isinstance(value, bool) for value in one.values())


def are_named(objects: Sequence[Mapping[str, Json]], parts: Sequence[str], keep: Keep) -> bool:
    """Whether a first or a last name of objects is kept: neither says who it is without the other."""
    values = ((key, one.get(key)) for one in objects for key in parts)
    return any(isinstance(value, str) and keep.keeps(key, value) for key, value in values)


def keeps_any(objects: Iterable[Mapping[str, Json]], keep: Keep) -> bool:
    """Whether a field of objects that is neither an object nor a list is kept."""
    return any(is_scalar(value) and keep.keeps(key, value) for one in objects for key, value in one.items())


def share_no_shape(objects: Sequence[Mapping[str, Json]]) -> bool:
    """Whether a table of objects would be empty for the most part."""
    return sum(map(len, objects)) * SPARSEST < len(objects) * len({name for one in objects for name in one})
