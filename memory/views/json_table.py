"""Tables: JSON values of one shape under one head.

What is the same in every row stands once, before the rows; what an agent would not miss is left out. A field of objects
is a column whose head names the objects' own fields, `flights(number|date)`, and whose cells hold them in that order,
`HAT1|2024-05-21; HAT2|2024-05-22`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from memory.views.json_values import (
    EVERYTHING,
    MISSING,
    Cell,
    Json,
    Keep,
    Missing,
    is_list,
    is_scalar,
    objects_of,
    rows_by_id,
    scalars,
    told_of_all,
    written,
    written_item,
)

FIELD, ROW, LEG = "|", "; ", " + "  # between fields, rows in a cell, and the rows of a list in a list
MOST_NAMED = 8  # objects of a list that are told whole; where more are named, it is by what they have in common
PAIR = 2  # fields of an object of which neither says anything alone, as of an amount and its currency
SPARSEST = 4  # of so many fields, an object of a table has one at least, on average

Object = Mapping[str, Json]


@dataclass(frozen=True)
class Table:
    """`common`: fields that every row has, as `key=value`. `head`, `rows`: the others; a row has no head where it is
    the only one, and names its fields itself."""

    common: str = ""
    head: str = ""
    rows: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Column:
    """Cells under a head. A head of one field is its key, of several `key(field|field)`."""

    head: str
    cells: tuple[str, ...]


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


def _column(cells: Sequence[Cell], keep: Keep, key: str) -> _Column | None:
    """None where nothing of the cells is kept."""
    read = [cell if isinstance(cell, Missing) else rows_by_id(cell) for cell in cells]
    there = [cell for cell in read if not isinstance(cell, Missing)]
    if all(is_scalar(cell) for cell in there):
        if not any(keep.keeps(key, cell) for cell in there if is_scalar(cell)):
            return None
        texts = tuple("" if isinstance(cell, Missing) else written(cell) for cell in read)
        return _Column(written(key), texts)
    if all(isinstance(cell, Mapping) for cell in there):
        return _nested(_each(read), keep, key, listed=False, asked=keep.asks_for(key))
    if all(is_list(cell) for cell in there):
        return _listed([cell if is_list(cell) else [] for cell in read], keep, key)
    return _Column(written(key), tuple("" if isinstance(cell, Missing) else written(cell) for cell in cells))


def _listed(cells: Sequence[Sequence[Json]], keep: Keep, key: str) -> _Column | None:
    """Cells that are lists: of objects, of lists of objects, or of values."""
    items = [item for cell in cells for item in cell]
    if items and all(isinstance(item, Mapping) for item in items):
        return _nested([objects_of(cell) for cell in cells], keep, key)
    if items and all(is_list(item) and all(isinstance(leg, Mapping) for leg in item) for item in items):
        lists = [objects_of(item) for item in items if is_list(item)]
        column = _nested(lists, keep, key, between=LEG)
        if column is None:
            return None
        inner = iter(column.cells)
        told = (ROW.join(next(inner) for _ in cell) + told_of_all(cell, ROW) for cell in cells)
        return _Column(column.head, tuple(told))
    if items and not any(keep.keeps(name, value) for item in items for name, value in scalars(item, key)):
        return None
    return _Column(written(key), tuple(",".join(map(written_item, cell)) + told_of_all(cell, ",") for cell in cells))


def _nested(
    cells: Sequence[Sequence[Object]],
    keep: Keep,
    key: str,
    between: str = ROW,
    *,
    listed: bool = True,
    asked: bool = False,
) -> _Column | None:
    """A column whose cells hold objects, each some, that are told apart where they are `listed`. Of one object alone,
    the cell names the fields. `asked`: all their values are worth their places, but for objects and lists in them."""
    objects = [item for cell in cells for item in cell]
    name = written(key)

    def filled(said: Callable[[Sequence[Object]], str]) -> tuple[str, ...]:
        return tuple(said(cell) + told_of_all(cell, between) if cell else "" for cell in cells)

    if _share_no_shape(objects):
        return _Column(name, filled(lambda cell: between.join(map(written, cell))))
    if objects and max(map(len, objects)) == PAIR and (listed or _keeps_any(objects, keep)):
        keep = EVERYTHING
    common, columns = _columns(objects, keep, asked=asked)
    if listed and objects:
        columns = _with_named(objects, keep, common, columns)
    if not common and not columns:
        return None
    if len(objects) == 1 or (not columns and not listed):
        said = "{" + ", ".join(common) + "}"
        return _Column(name, filled(lambda cell: said))
    if not columns:
        return _Column(f"{name}({' '.join(common)})", filled(lambda cell: f"×{len(cell)}"))
    rows = iter(list(zip(*(column.cells for column in columns), strict=True)))
    told = (between.join(FIELD.join(next(rows)) for _ in cell) + told_of_all(cell, between) for cell in cells)
    head = " ".join([*common, FIELD.join(column.head for column in columns)]).strip()
    return _Column(f"{name}({head})" if key else head, tuple(told))


def _columns(objects: Sequence[Object], keep: Keep, *, asked: bool = False) -> tuple[list[str], list[_Column]]:
    """What all objects have in common, as `key=value`, and the columns of what differs. `asked`: all their values are
    worth their places."""
    common: list[str] = []
    columns: list[_Column] = []
    for name in dict.fromkeys(name for one in objects for name in one):
        cells = [one.get(name, MISSING) for one in objects]
        own = asked and all(is_scalar(cell) or isinstance(cell, Missing) for cell in cells)
        column = _column(cells, EVERYTHING if own else keep, name)
        if column is None:
            continue
        if len(set(column.cells)) > 1:
            columns.append(column)
        elif column.cells[0]:
            common.append(f"{column.head}={column.cells[0]}")
    return common, columns


def _each(cells: Sequence[Cell]) -> list[list[Object]]:
    """Cells of one object each, or none."""
    return [[cell] if isinstance(cell, Mapping) else [] for cell in cells]


def _with_named(
    objects: Sequence[Object], keep: Keep, common: Sequence[str], columns: Sequence[_Column]
) -> list[_Column]:
    """Columns where the other fields of an object that is named stand behind its row, or the last of its rows, unless
    many are."""
    places = {name: at for at, one in enumerate(objects) if (name := keep.name_of(one)) is not None}
    if not columns or len(objects) < 2 or len(places) > MOST_NAMED:
        return list(columns)
    shown = {column.head for column in columns} | {one.partition("=")[0] for one in common}
    last = list(columns[-1].cells)
    for at in places.values():
        fields = {key: value for key, value in objects[at].items() if written(key) not in shown and _is_short(value)}
        if told := _columns([fields], EVERYTHING)[0]:
            last[at] += " {" + ", ".join(told) + "}"
    return [*columns[:-1], replace(columns[-1], cells=tuple(last))]


def _is_short(value: Json) -> bool:
    """Whether it is no list, nor has one in it: these have rows of their own."""
    return is_scalar(value) or (isinstance(value, Mapping) and all(map(is_scalar, value.values())))


def _keeps_any(objects: Iterable[Object], keep: Keep) -> bool:
    """Whether a field of objects that is neither an object nor a list is kept."""
    return any(is_scalar(value) and keep.keeps(key, value) for one in objects for key, value in one.items())


def _share_no_shape(objects: Sequence[Object]) -> bool:
    """Whether a table of objects would be empty for the most part."""
    return sum(map(len, objects)) * SPARSEST < len(objects) * len({name for one in objects for name in one})
