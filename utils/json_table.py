"""How do JSON values of one shape become a table with one head?

What is the same in every row stands once, before the rows; what an agent would not miss is left out. A field of objects
is a column whose head names the objects' own fields, `flights(number|date)`, and whose cells hold them in that order,
`HAT1|2024-05-21 ; HAT2|2024-05-22`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from json import dumps
from typing import Protocol, TypeAlias, TypeGuard

from utils.table_rows import FIELD, told_once

Json: TypeAlias = "Mapping[str, Json] | list[Json] | str | int | float | bool | None"
Scalar: TypeAlias = str | int | float | bool | None
Cell: TypeAlias = "Json | _Missing"

ROW, LEG = "; ", " + "  # between rows in a cell, and between the rows of a list in a list
FEWEST_ALIKE, MOSTLY = 4, 0.75  # objects, and the share of them with the same value, from which others are exceptions
PAIR = 2  # fields of an object of which neither says anything alone, as of an amount and its currency
SPARSEST = 4  # of so many fields, an object of a table has one at least, on average
SPECIAL = ("|", ";", "\n", "\r", " + ", "->")

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_PART_OF_NAME = re.compile(r"(?i)(?:first|middle|last|given|family|sur|fore)[ _-]?name")
_LIKE_A_FIELD = re.compile(r", [\w.-]+=")


class Part(list[Json]):
    """Some items of a list. `whole`: all of them; what these do not have in common is told of each that is there."""

    def __init__(self, items: Iterable[Json], whole: Sequence[Json]) -> None:
        super().__init__(items)
        self.whole = whole


class Keep(Protocol):
    """What of values is worth its place."""

    def keeps(self, key: str, value: Scalar) -> bool:
        """Whether a value under a key is."""

    def asks_for(self, key: str) -> bool:
        """Whether all values of an object under a key are, but for objects and lists in it."""


class _Everything:
    def keeps(self, key: str, value: Scalar) -> bool:
        return value is not None and value != ""

    def asks_for(self, key: str) -> bool:
        return True


EVERYTHING: Keep = _Everything()  # all that says anything


class _Missing:
    """A field that an object has not."""


MISSING = _Missing()


@dataclass(frozen=True)
class Column:
    """Cells under a head. A head of one field is its key, of several `key(field|field)`. `of_all`: what all cells say
    is the same of what is left out. `is_plain`: each cell has one value."""

    head: str
    cells: tuple[str, ...]
    of_all: bool = False
    is_plain: bool = False


@dataclass(frozen=True)
class Table:
    """`common`: fields that every row has, as `key=value`. `head`, `rows`: the others; a row has no head where it is
    the only one, and names its fields itself."""

    common: str = ""
    head: str = ""
    rows: tuple[str, ...] = ()


def table_of(values: Sequence[Json], keep: Keep) -> Table:
    """The table of values, one row each; rows are empty where nothing of them is kept."""
    if not all(isinstance(value, Mapping) for value in values):
        column = _column(values, keep, "")
        return Table(head=column.head, rows=column.cells) if column else Table(rows=("",) * len(values))
    objects = [value for value in values if isinstance(value, Mapping)]
    if _share_no_shape(objects):
        return Table(rows=tuple(map(written, values)))
    common, columns = _columns(objects, keep)
    if len(values) == 1:
        return Table(rows=(", ".join(common),))
    rows = tuple(FIELD.join(column.cells[at] for column in columns) for at in range(len(values)))
    return Table(" ".join(common), FIELD.join(column.head for column in columns), rows)


def written(value: Json) -> str:
    """A value in a cell: a text as it is, but for one that could be taken for several."""
    if isinstance(value, str):
        is_plain = not any(mark in value for mark in SPECIAL) and _LIKE_A_FIELD.search(value) is None
        return value if is_plain else dumps(value, ensure_ascii=False)
    if isinstance(value, Part):
        return f"{dumps(value, ensure_ascii=False, separators=(',', ':'))[:-1]}{_of_all(value, ',')}]"
    return "" if value is None else dumps(value, ensure_ascii=False, separators=(",", ":"))


def _item(value: Json) -> str:
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


def _column(cells: Sequence[Cell], keep: Keep, key: str, others: Sequence[Cell] = ()) -> Column | None:
    """None where nothing of the cells is kept. `others`: cells of the same column that are left out."""
    read = [cell if isinstance(cell, _Missing) else rows_by_id(cell) for cell in cells]
    name = written(key)
    there = [cell for cell in read if not isinstance(cell, _Missing)]
    if all(_is_scalar(cell) for cell in there):
        if not any(keep.keeps(key, cell) for cell in there if _is_scalar(cell)):
            return None
        texts = tuple("" if isinstance(cell, _Missing) else written(cell) for cell in read)
        return Column(name, texts, is_plain=True)
    if all(isinstance(cell, Mapping) for cell in there):
        rest = [other for other in others if isinstance(other, Mapping)]
        objects = [[cell] if isinstance(cell, Mapping) else [] for cell in read]
        column = _nested(objects, keep, key, listed=False, others=rest, asked=keep.asks_for(key))
        if column is None or len(rest) == len(others):
            return column
        return replace(column, of_all=False)  # some of those that are left out have no object there
    if all(_is_list(cell) for cell in there):
        rest = [item for other in others if _is_list(other) for item in other if isinstance(item, Mapping)]
        return _listed([cell if _is_list(cell) else [] for cell in read], keep, key, rest)
    return Column(name, tuple("" if isinstance(cell, _Missing) else written(cell) for cell in cells))


def _listed(
    cells: Sequence[Sequence[Json]], keep: Keep, key: str, others: Sequence[Mapping[str, Json]]
) -> Column | None:
    """Cells that are lists: of objects, of lists of objects, or of values. `others`: objects that are left out."""
    items = [item for cell in cells for item in cell]
    if items and all(isinstance(item, Mapping) for item in items):
        return _nested([_objects_of(cell) for cell in cells], keep, key, others=others)
    if items and all(_is_list(item) and all(isinstance(leg, Mapping) for leg in item) for item in items):
        lists = [_objects_of(item) for item in items if _is_list(item)]
        rest = [leg for cell in cells for item in _whole_of(cell) if _is_list(item) for leg in item]
        column = _nested(lists, keep, key, between=LEG, others=[leg for leg in rest if isinstance(leg, Mapping)])
        if column is None:
            return None
        inner = iter(column.cells)
        return Column(column.head, tuple(ROW.join(next(inner) for _ in cell) + _of_all(cell, ROW) for cell in cells))
    if items and not any(keep.keeps(name, value) for item in items for name, value in scalars(item, key)):
        return None
    return Column(written(key), tuple(",".join(map(_item, cell)) + _of_all(cell, ",") for cell in cells))


def _nested(
    cells: Sequence[Sequence[Mapping[str, Json]]],
    keep: Keep,
    key: str,
    between: str = ROW,
    *,
    listed: bool = True,
    others: Sequence[Mapping[str, Json]] = (),
    asked: bool = False,
) -> Column | None:
    """A column whose cells hold objects, each some, that are told apart where they are `listed`. Of one object alone,
    the cell names the fields. `others`: objects that are left out, beside those of parts of lists. `asked`: all their
    values are worth their places, but for objects and lists in them."""
    objects = [item for cell in cells for item in cell]
    if _share_no_shape(objects):
        return Column(written(key), tuple(between.join(map(written, cell)) + _of_all(cell, between) for cell in cells))
    rest = [*others, *(item for cell in cells for item in _whole_of(cell) if isinstance(item, Mapping))]
    if objects and max(map(len, objects)) == PAIR and (listed or _keeps_any(objects, keep)):
        keep = EVERYTHING
    common, columns = _columns(
        objects, keep, rest if len(objects) > 1 else (), asked=asked, asked_for=bool(key) and keep.asks_for(key)
    )
    if listed and key and objects and not common and not columns and all(map(_is_mere_person, objects)):
        counts = tuple(f"×{len(cell)}{_of_all(cell, between)}" if cell else "" for cell in cells)
        return Column(written(key), counts)  # of persons whom nobody speaks of, how many they are
    if listed and objects:
        if (column := _telling_apart(objects, columns, keep)) is not None:
            columns.append(column)
        columns += _differing(objects, common, columns)
    if not common and not columns:
        return None
    name = written(key)
    if len(objects) == 1:
        return Column(
            name, tuple("{" + ", ".join(common) + "}" + _of_all(cell, between) if cell else "" for cell in cells)
        )
    if not columns and not listed:
        said = "{" + ", ".join(common) + "}"
        return Column(name, tuple(said if cell else "" for cell in cells), of_all=True)
    if not columns:
        texts = (f"×{len(cell)}{_of_all(cell, between)}" if cell else "" for cell in cells)
        return Column(f"{name}({' '.join(common)})", tuple(texts))
    rows = iter(list(zip(*(column.cells for column in columns), strict=True)))
    plain = [column.is_plain and between != LEG for column in columns]
    told = (between.join(told_once([next(rows) for _ in cell], plain)) + _of_all(cell, between) for cell in cells)
    head = " ".join([*common, FIELD.join(column.head for column in columns)]).strip()
    return Column(f"{name}({head})" if key else head, tuple(told))


def _columns(
    objects: Sequence[Mapping[str, Json]],
    keep: Keep,
    others: Sequence[Mapping[str, Json]] = (),
    *,
    asked: bool = False,
    asked_for: bool = False,
) -> tuple[list[str], list[Column]]:
    """What all objects have in common, as `key=value`, and the columns of what differs. `others`: objects of the same
    list that are left out. `asked`: all their values are worth their places."""
    common: list[str] = []
    columns: list[Column] = []
    names = dict.fromkeys(name for one in objects for name in one)
    parts = [name for name in names if name.endswith("name")]
    called = parts if len(parts) > 1 and (asked_for or _are_named(objects, parts, keep)) else ()
    unnamed = not called and _are_persons(names)
    for name in names:
        cells = [one.get(name, MISSING) for one in objects]
        if unnamed and all(map(_is_date_or_nothing, cells)):
            continue  # a date says nothing of nobody
        if not keep.asks_for(name) and _stand_in_ids(objects, name, keep):
            continue
        own = name in called or (asked and all(_is_scalar(cell) or isinstance(cell, _Missing) for cell in cells))
        rest = [other.get(name, MISSING) for other in others]
        column = _column(cells, EVERYTHING if own else keep, name, rest)
        if column is None:
            continue
        differs = not column.of_all and any(other != cells[0] for other in rest)
        if len(set(column.cells)) > 1 or differs:
            columns.append(column)
        elif column.cells[0]:
            common.append(f"{column.head}={column.cells[0]}")
    return common, columns


def _is_date_or_nothing(cell: Cell) -> bool:
    return isinstance(cell, _Missing) or not cell or (isinstance(cell, str) and _DATE.fullmatch(cell) is not None)


def _stand_in_ids(objects: Sequence[Mapping[str, Json]], name: str, keep: Keep) -> bool:
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


def _are_persons(keys: Iterable[str]) -> bool:
    """Whether objects of these keys have a first and a last name."""
    return sum(_PART_OF_NAME.fullmatch(key) is not None for key in keys) > 1


def _is_mere_person(one: Mapping[str, Json]) -> bool:
    """Whether an object is a person of whom nothing is so or not."""
    return _are_persons(one) and not any(isinstance(value, bool) for value in one.values())


def _are_named(objects: Sequence[Mapping[str, Json]], parts: Sequence[str], keep: Keep) -> bool:
    """Whether a first or a last name of objects is kept: neither says who it is without the other."""
    values = ((key, one.get(key)) for one in objects for key in parts)
    return any(isinstance(value, str) and keep.keeps(key, value) for key, value in values)


def _keeps_any(objects: Iterable[Mapping[str, Json]], keep: Keep) -> bool:
    """Whether a field of objects that is neither an object nor a list is kept."""
    return any(_is_scalar(value) and keep.keeps(key, value) for one in objects for key, value in one.items())


def _objects_of(cell: Sequence[Json]) -> list[Mapping[str, Json]]:
    """The objects of a list of nothing else; a part of it stays one."""
    objects = [item for item in cell if isinstance(item, Mapping)]
    return Part(objects, cell.whole) if isinstance(cell, Part) else objects  # type: ignore[return-value]


def _whole_of(cell: Sequence[object]) -> Sequence[Json]:
    """The whole of which a cell is a part; nothing for one that is none."""
    return cell.whole if isinstance(cell, Part) else ()


def _of_all(cell: Sequence[object], between: str) -> str:
    """Behind a part of a list, how many it has in all."""
    more = len(cell.whole) - len(cell) if isinstance(cell, Part) else 0
    return f"{between}… {more} more" if more else ""


def _share_no_shape(objects: Sequence[Mapping[str, Json]]) -> bool:
    """Whether a table of objects would be empty for the most part."""
    return sum(map(len, objects)) * SPARSEST < len(objects) * len({name for one in objects for name in one})


def _differing(
    objects: Sequence[Mapping[str, Json]], common: Sequence[str], columns: Sequence[Column]
) -> Iterator[Column]:
    """The columns of states: of yes and no, and of a value that most objects have and some have not."""
    if len(objects) < FEWEST_ALIKE:
        return
    heads = {column.head for column in columns} | {one.partition("=")[0] for one in common}
    for name in objects[0]:
        cells = [one.get(name) for one in objects]
        if written(name) in heads or not all(map(_is_scalar, cells)):
            continue
        texts = tuple(map(written, cells))
        most = max(Counter(texts).values())
        if most < len(texts) and (most >= MOSTLY * len(texts) or all(isinstance(cell, bool) for cell in cells)):
            yield Column(written(name), texts)


def _telling_apart(objects: Sequence[Mapping[str, Json]], columns: Sequence[Column], keep: Keep) -> Column | None:
    """The column that tells most objects apart beside the others: of texts, else of objects, else of numbers; None if
    there is none. What is measured tells nothing apart, though it differs."""
    measured = {written(name) for name in objects[0] if all(_is_number(one.get(name)) for one in objects)}
    rows = list(zip(*(column.cells for column in columns if column.head not in measured), strict=True))
    rows = rows or [()] * len(objects)
    told = len(set(rows))
    if told == len(objects):
        return None
    texts: list[Column] = []
    nested: list[Column] = []
    numbers: list[Column] = []
    shown = {column.head for column in columns}
    for name in objects[0]:
        cells = [one.get(name) for one in objects]
        if written(name) in shown:
            continue
        if all(_is_scalar(cell) for cell in cells):
            kind = numbers if written(name) in measured else texts
            kind.append(Column(written(name), tuple(map(written, cells))))
        elif all(isinstance(cell, Mapping) and all(map(_is_scalar, cell.values())) for cell in cells):
            column = _nested([[cell] for cell in cells if isinstance(cell, Mapping)], keep, name)
            nested += [column] if column else []
    for found in (texts, nested, numbers):
        counts = [len(set(zip(rows, column.cells, strict=True))) for column in found]
        if counts and max(counts) > told:
            return found[counts.index(max(counts))]
    return None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_scalar(value: object) -> TypeGuard[Scalar]:
    return value is None or isinstance(value, str | int | float)


def _is_list(value: object) -> TypeGuard[list[Json]]:
    return isinstance(value, list)
