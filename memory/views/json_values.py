"""Values of JSON: their kinds, which of them are worth their place, and how one is written in a cell."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from json import dumps
from typing import Protocol, TypeAlias, TypeGuard

Json: TypeAlias = "Mapping[str, Json] | list[Json] | str | int | float | bool | None"
Scalar: TypeAlias = str | int | float | bool | None
Cell: TypeAlias = "Json | Missing"

SPECIAL = ("|", ";", "\n", "\r", " + ", "->")

_LIKE_A_FIELD = re.compile(r", [\w.-]+=")


class Missing:
    """A field that an object has not."""


MISSING = Missing()


class PartOfList(list[Json]):
    """Some items of a list. `whole`: all of them."""

    def __init__(self, items: Iterable[Json], whole: Sequence[Json]) -> None:
        super().__init__(items)
        self.whole = whole


class Keep(Protocol):
    """What of values is worth its place."""

    def keeps(self, key: str, value: Scalar) -> bool:
        """Whether a value under a key is."""

    def asks_for(self, key: str) -> bool:
        """Whether all values of an object under a key are, but for objects and lists in it."""

    def name_of(self, item: Mapping[str, Json]) -> str | None:
        """By what an object of a list is named, so that all of it is worth its place; None where it is not."""


class _Everything:
    def keeps(self, key: str, value: Scalar) -> bool:
        return value is not None and value != ""

    def asks_for(self, key: str) -> bool:
        return True

    def name_of(self, item: Mapping[str, Json]) -> str | None:
        return None  # all of each is shown anyway


EVERYTHING: Keep = _Everything()  # all that says anything


def written(value: Json) -> str:
    """A value in a cell: a text as it is, but for one that could be taken for several."""
    if isinstance(value, str):
        is_plain = not any(mark in value for mark in SPECIAL) and _LIKE_A_FIELD.search(value) is None
        return value if is_plain else dumps(value, ensure_ascii=False)
    if isinstance(value, PartOfList):
        return f"{dumps(value, ensure_ascii=False, separators=(',', ':'))[:-1]}{told_of_all(value, ',')}]"
    return "" if value is None else dumps(value, ensure_ascii=False, separators=(",", ":"))


def written_item(value: Json) -> str:
    """The same in a list, between commas."""
    return dumps(value, ensure_ascii=False) if isinstance(value, str) and "," in value else written(value)


def scalars(value: Json, key: str = "") -> Iterator[tuple[str, Scalar]]:
    """Every value that is neither an object nor a list, with the key that it stands under."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from scalars(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from scalars(item, key)
    else:
        yield key, value


def rows_by_id(value: Json) -> Json:
    """Objects of one shape under keys of their own, as a list of objects that name their keys; else the value."""
    if not isinstance(value, Mapping) or not value or not all(isinstance(item, Mapping) for item in value.values()):
        return value
    inner = {key: item for key, item in value.items() if isinstance(item, Mapping)}
    names = next(iter(inner.values()))
    own_ids = any(all(item.get(name) == key for key, item in inner.items()) for name in names)
    name = next((one for one in ("key", "id") if not any(one in item for item in inner.values())), None)
    if name is None and not own_ids:
        return value
    widest = max(map(len, inner.values()))
    if not own_ids and (len(inner) < 2 or len({name for item in inner.values() for name in item}) > 2 * widest):
        return value
    return [item if own_ids or name is None else {name: key, **item} for key, item in inner.items()]


def objects_of(cell: Sequence[Json]) -> list[Mapping[str, Json]]:
    """The objects of a list of nothing else; a part of it stays one."""
    objects = [item for item in cell if isinstance(item, Mapping)]
    return PartOfList(objects, cell.whole) if isinstance(cell, PartOfList) else objects  # type: ignore[return-value]


def told_of_all(cell: Sequence[object], between: str) -> str:
    """Behind a part of a list, how many it has in all."""
    more = len(cell.whole) - len(cell) if isinstance(cell, PartOfList) else 0
    return f"{between}… {more} more" if more else ""


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_scalar(value: object) -> TypeGuard[Scalar]:
    return value is None or isinstance(value, str | int | float)


def is_list(value: object) -> TypeGuard[list[Json]]:
    return isinstance(value, list)
