"""Which columns of a table tell its objects apart?"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from json import dumps

from memory.views.json_values import Cell, Json, is_number, is_scalar, written

FEWEST_ALIKE, MOSTLY = 4, 0.75  # objects, and the share of them with the same value, from which others are exceptions
MOST_CALLED = 400  # characters of such values together, if they are more than one
LONG = 32  # characters of a value that is told once, however many rows have it
FEW = 12  # objects of which all but one may have another word where what is spoken of does not tell them apart
LONGEST_WORD = 12  # characters of one that says what an object is
LONGEST_DESCRIPTION = 40  # characters of a text that says how an object is


@dataclass(frozen=True)
class Column:
    """Cells under a head. A head of one field is its key, of several `key(field|field)`. `of_all`: what all cells say
    is the same of what is left out. `is_plain`: each cell has one value."""

    head: str
    cells: tuple[str, ...]
    of_all: bool = False
    is_plain: bool = False


def differing(
    objects: Sequence[Mapping[str, Json]], common: Sequence[str], columns: Sequence[Column]
) -> Iterator[Column]:
    """The columns of states: of yes and no, and of a value that most objects have and some have not."""
    if len(objects) < FEWEST_ALIKE:
        return
    heads = {column.head for column in columns} | {one.partition("=")[0] for one in common}
    for name in objects[0]:
        cells = [one.get(name) for one in objects]
        if written(name) in heads or not all(map(is_scalar, cells)):
            continue
        texts = tuple(map(written, cells))
        most = max(Counter(texts).values())
        if most < len(texts) and (most >= MOSTLY * len(texts) or all(isinstance(cell, bool) for cell in cells)):
            yield Column(written(name), texts)


def telling_apart(
    objects: Sequence[Mapping[str, Json]],
    columns: Sequence[Column],
    nested_of: Callable[[Sequence[Cell], str], Column | None],
) -> Column | None:
    """The column that tells most objects apart beside the others: of texts, else of objects, else of numbers; None if
    there is none. What is measured tells nothing apart, though it differs."""
    measured = {written(name) for name in objects[0] if all(is_number(one.get(name)) for one in objects)}
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
        if all(is_scalar(cell) for cell in cells):
            kind = numbers if written(name) in measured else texts
            kind.append(Column(written(name), tuple(map(written, cells))))
        elif all(isinstance(cell, Mapping) and all(map(is_scalar, cell.values())) for cell in cells):
            column = nested_of(cells, name)
            nested += [column] if column else []
    for found in (texts, nested, numbers):
        counts = [len(set(zip(rows, column.cells, strict=True))) for column in found]
        if counts and max(counts) > told:
            return found[counts.index(max(counts))]
    return None


def naming_repeats(columns: Sequence[Column]) -> tuple[list[str], list[Column]]:
    """What long values that stand in several rows are called, as `$1=value`, and the columns with these names in their
    places: a token that each call was made with is told once, though another one took its place."""
    counts = Counter(cell for column in columns if column.is_plain for cell in column.cells if len(cell) >= LONG)
    repeated: list[str] = []
    for cell, count in counts.most_common():
        if count > 1 and (not repeated or sum(map(len, repeated)) + len(cell) <= MOST_CALLED):
            repeated.append(cell)
    if not repeated or any(cell.startswith("$") for column in columns for cell in column.cells):
        return [], list(columns)
    names = {cell: f"${number}" for number, cell in enumerate(repeated, 1)}
    return [f"{name}={cell}" for cell, name in names.items()], [
        replace(column, cells=tuple(names.get(cell, cell) for cell in column.cells)) if column.is_plain else column
        for column in columns
    ]


def describing(groups: Iterable[Sequence[Mapping[str, Json]]], columns: Sequence[Column]) -> list[str]:
    """The fields that say how the objects of a group are, where ids alone tell these apart: the colour and the size of
    each variant of a product. Such fields are of a few texts, or of objects of these, and tell most of the objects of
    their group apart together. `columns`: those of all groups' objects, one after the other."""
    found: dict[str, None] = {}
    start = 0
    for group in groups:
        cells = [column.cells[start : start + len(group)] for column in columns]
        start += len(group)
        if len(group) < FEWEST_ALIKE:
            continue
        told = [own for own in cells if not _are_opaque(own) and not _are_measured(own)]
        if _apart(told, len(group)) >= MOSTLY * len(group):
            continue
        names = dict.fromkeys(name for one in group for name in one)
        few = FEW if told else 0  # what is spoken of does not tell them apart
        fields = {name: own for name in names if (own := _described([one.get(name) for one in group], few)) is not None}
        if _apart([*told, *fields.values()], len(group)) >= MOSTLY * len(group):
            found |= dict.fromkeys(fields)
    return list(found)


def saying_what(objects: Sequence[Mapping[str, Json]], columns: Sequence[Column]) -> list[Column]:
    """The shortest text that says what each of a few objects is of which nothing but ids would stand."""
    if not 1 < len(objects) < FEWEST_ALIKE or not columns or not all(_are_opaque(column.cells) for column in columns):
        return []
    ids = "\n".join(cell for column in columns for cell in column.cells)
    told = []
    for name in objects[0]:
        texts = [text for one in objects if isinstance(text := one.get(name), str) and len(text) <= LONGEST_WORD]
        tells_apart = len(texts) == len(objects) == len(set(texts)) and not any(map(_is_code, texts))
        if tells_apart and not all(text in ids for text in texts):
            told.append(Column(written(name), tuple(map(written, texts))))
    return sorted(told, key=lambda column: sum(map(len, column.cells)))[:1]


def _apart(cells: Sequence[Sequence[str]], objects: int) -> int:
    return len(set(zip(*cells, strict=True))) if cells else min(1, objects)


def _described(values: Sequence[Json], few: int) -> list[str] | None:
    """The texts of a field that says how each of some objects is, in which several are alike; None for another. `few`:
    objects of which all but one may have another word."""
    if all(isinstance(value, str) for value in values):
        texts = [str(value) for value in values]
        longest = max(map(len, texts))
        loose = len(texts) <= few and longest <= LONGEST_WORD and not any(map(_is_code, texts))
        most = len(texts) - 1 if loose else len(texts) // 2
        return texts if 1 < len(set(texts)) <= most and longest <= LONGEST_DESCRIPTION else None
    if not all(isinstance(value, Mapping) and value for value in values):
        return None
    inner = [item for value in values if isinstance(value, Mapping) for item in value.items()]
    if not all(isinstance(item, str) and len(item) <= LONGEST_DESCRIPTION for _, item in inner):
        return None
    is_of_few = len({pair for pair in inner if isinstance(pair[1], str)}) <= max(len(values), len(inner) // 2)
    return [dumps(value, sort_keys=True) for value in values] if is_of_few else None


def _is_code(text: str) -> bool:
    """Whether a text is a code, of an airport or a currency, or has a number in it."""
    return any(map(str.isdigit, text)) or (len(text) > 2 and text.isupper())


def _are_opaque(cells: Sequence[str]) -> bool:
    """Whether cells are of ids: each another one, in one word, with digits."""
    return len(set(cells)) == len(cells) and all(
        any(map(str.isdigit, cell)) and not any(map(str.isspace, cell)) for cell in cells
    )


def _are_measured(cells: Sequence[str]) -> bool:
    return all(cell.replace(".", "", 1).isdigit() for cell in cells)
