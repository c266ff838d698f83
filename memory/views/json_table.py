"""How do JSON values of one shape become a table with one head?

What is the same in every row stands once, before the rows; what an agent would not miss is left out. A field of objects
is a column whose head names the objects' own fields, `flights(number|date)`, and whose cells hold them in that order,
`HAT1|2024-05-21 ; HAT2|2024-05-22`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from memory.views.json_columns import Column, describing, differing, naming_repeats, saying_what, telling_apart
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
    whole_of,
    written,
    written_item,
)
from memory.views.object_fields import (
    are_named,
    are_persons,
    is_date_or_nothing,
    is_mere_person,
    keeps_any,
    share_no_shape,
    stand_in_ids,
)
from memory.views.table_rows import FIELD, told_once

ROW, LEG = "; ", " + "  # between rows in a cell, and between the rows of a list in a list
MOST_NAMED = 8  # objects of a list that are told whole; where more are named, it is by what they have in common
PAIR = 2  # fields of an object of which neither says anything alone, as of an amount and its currency


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
    if share_no_shape(objects):
        return Table(rows=tuple(map(written, values)))
    common, columns = _columns(objects, keep)
    if len(values) == 1:
        return Table(rows=(", ".join(common),))
    named, columns = naming_repeats(columns)
    rows = tuple(FIELD.join(column.cells[at] for column in columns) for at in range(len(values)))
    return Table(" ".join([*common, *named]), FIELD.join(column.head for column in columns), rows)


def _column(cells: Sequence[Cell], keep: Keep, key: str, others: Sequence[Cell] = ()) -> Column | None:
    """None where nothing of the cells is kept. `others`: cells of the same column that are left out."""
    read = [cell if isinstance(cell, Missing) else rows_by_id(cell) for cell in cells]
    name = written(key)
    there = [cell for cell in read if not isinstance(cell, Missing)]
    if all(is_scalar(cell) for cell in there):
        if not any(keep.keeps(key, cell) for cell in there if is_scalar(cell)):
            return None
        texts = tuple("" if isinstance(cell, Missing) else written(cell) for cell in read)
        return Column(name, texts, is_plain=True)
    if all(isinstance(cell, Mapping) for cell in there):
        rest = [other for other in others if isinstance(other, Mapping)]
        objects = [[cell] if isinstance(cell, Mapping) else [] for cell in read]
        column = _nested(objects, keep, key, listed=False, others=rest, asked=keep.asks_for(key))
        if column is None or len(rest) == len(others):
            return column
        return replace(column, of_all=False)  # some of those that are left out have no object there
    if all(is_list(cell) for cell in there):
        rest = [item for other in others if is_list(other) for item in other if isinstance(item, Mapping)]
        return _listed([cell if is_list(cell) else [] for cell in read], keep, key, rest)
    return Column(name, tuple("" if isinstance(cell, Missing) else written(cell) for cell in cells))


def _listed(
    cells: Sequence[Sequence[Json]], keep: Keep, key: str, others: Sequence[Mapping[str, Json]]
) -> Column | None:
    """Cells that are lists: of objects, of lists of objects, or of values. `others`: objects that are left out."""
    items = [item for cell in cells for item in cell]
    if items and all(isinstance(item, Mapping) for item in items):
        return _nested([objects_of(cell) for cell in cells], keep, key, others=others)
    if items and all(is_list(item) and all(isinstance(leg, Mapping) for leg in item) for item in items):
        lists = [objects_of(item) for item in items if is_list(item)]
        rest = [leg for cell in cells for item in whole_of(cell) if is_list(item) for leg in item]
        column = _nested(lists, keep, key, between=LEG, others=[leg for leg in rest if isinstance(leg, Mapping)])
        if column is None:
            return None
        inner = iter(column.cells)
        return Column(
            column.head, tuple(ROW.join(next(inner) for _ in cell) + told_of_all(cell, ROW) for cell in cells)
        )
    if items and not any(keep.keeps(name, value) for item in items for name, value in scalars(item, key)):
        return None
    return Column(written(key), tuple(",".join(map(written_item, cell)) + told_of_all(cell, ",") for cell in cells))


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
    if share_no_shape(objects):
        return Column(
            written(key), tuple(between.join(map(written, cell)) + told_of_all(cell, between) for cell in cells)
        )
    rest = [*others, *(item for cell in cells for item in whole_of(cell) if isinstance(item, Mapping))]
    if objects and max(map(len, objects)) == PAIR and (listed or keeps_any(objects, keep)):
        keep = EVERYTHING
    common, columns = _columns(
        objects, keep, rest if len(objects) > 1 else (), asked=asked, asked_for=bool(key) and keep.asks_for(key)
    )
    if listed and key and objects and not common and not columns and all(map(is_mere_person, objects)):
        counts = tuple(f"×{len(cell)}{told_of_all(cell, between)}" if cell else "" for cell in cells)
        return Column(written(key), counts)  # of persons whom nobody speaks of, how many they are
    if listed and objects:
        column = telling_apart(objects, columns, lambda one, name: _nested(_each(one), keep, name))
        columns += [column] if column else []
        columns += differing(objects, common, columns)
        columns = _with_all(describing(cells, columns), objects, columns)
        columns += saying_what(objects, columns)
        columns = _with_named(objects, keep, common, columns)
    if not common and not columns:
        return None
    name = written(key)
    if len(objects) == 1:
        return Column(
            name, tuple("{" + ", ".join(common) + "}" + told_of_all(cell, between) if cell else "" for cell in cells)
        )
    if not columns and not listed:
        said = "{" + ", ".join(common) + "}"
        return Column(name, tuple(said if cell else "" for cell in cells), of_all=True)
    if not columns:
        texts = (f"×{len(cell)}{told_of_all(cell, between)}" if cell else "" for cell in cells)
        return Column(f"{name}({' '.join(common)})", tuple(texts))
    named, columns = naming_repeats(columns)
    rows = iter(list(zip(*(column.cells for column in columns), strict=True)))
    plain = [column.is_plain and between != LEG for column in columns]
    told = (between.join(told_once([next(rows) for _ in cell], plain)) + told_of_all(cell, between) for cell in cells)
    head = " ".join([*common, *named, FIELD.join(column.head for column in columns)]).strip()
    return Column(f"{name}({head})" if key else head, tuple(told))


def _is_short(value: Json) -> bool:
    """Whether it is no list, nor has one in it: these have rows of their own."""
    return is_scalar(value) or (isinstance(value, Mapping) and all(map(is_scalar, value.values())))


def _each(cells: Sequence[Cell]) -> list[list[Mapping[str, Json]]]:
    """Cells of one object each, or none."""
    return [[cell] if isinstance(cell, Mapping) else [] for cell in cells]


def _with_all(names: Sequence[str], objects: Sequence[Mapping[str, Json]], columns: Sequence[Column]) -> list[Column]:
    """Columns of objects with the whole of some fields, of which part may be in them."""
    heads = tuple(map(written, names))
    left = [one for one in columns if not any(one.head == head or one.head.startswith(f"{head}(") for head in heads)]
    added = (_column([one.get(name, MISSING) for one in objects], EVERYTHING, name) for name in names)
    return [*left, *(column for column in added if column is not None)]


def _with_named(
    objects: Sequence[Mapping[str, Json]], keep: Keep, common: Sequence[str], columns: Sequence[Column]
) -> list[Column]:
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
    called = parts if len(parts) > 1 and (asked_for or are_named(objects, parts, keep)) else ()
    unnamed = not called and are_persons(names)
    for name in names:
        cells = [one.get(name, MISSING) for one in objects]
        if unnamed and all(map(is_date_or_nothing, cells)):
            continue  # a date says nothing of nobody
        if not keep.asks_for(name) and stand_in_ids(objects, name, keep):
            continue
        own = name in called or (asked and all(is_scalar(cell) or isinstance(cell, Missing) for cell in cells))
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
