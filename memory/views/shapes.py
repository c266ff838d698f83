"""Which results of tools are of like shapes, and share a table?"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from memory.views.json_values import Json
from memory.views.records import Record

LIKE = 0.75  # share of all fields of two objects that both have, from which they share a table
COMPARED = 8  # shapes that a new one is compared with


def tables(records: Iterable[Record]) -> list[list[Record]]:
    """Records in groups, each for a table: of one shape, or of objects most of whose fields are the same."""
    alike: dict[object, list[Record]] = {}
    shapes = [(record, _shape_of(record)) for record in records]
    listed = {record.tool_name: shape for record, shape in reversed(shapes) if record.output and _is_of_list(shape)}
    for record, shape in shapes:
        if record.output == []:  # as another list of the tool might be
            shape = listed.get(record.tool_name, shape)
        if shape not in alike and isinstance(shape, frozenset):
            known = islice(reversed(alike), COMPARED)
            shape = next((one for one in known if isinstance(one, frozenset) and _is_like(shape, one)), shape)
        alike.setdefault(shape, []).append(record)
    return list(alike.values())


def _is_of_list(shape: object) -> bool:
    return isinstance(shape, tuple) and isinstance(shape[1], frozenset)


def _is_like(shape: frozenset[str], other: frozenset[str]) -> bool:
    return len(shape & other) >= LIKE * len(shape | other)


def _shape_of(record: Record) -> object:
    """What records that share a table have in common."""
    match record.output:
        case Mapping() as fields:
            return frozenset(fields)
        case str():
            return record.tool_name, "text"
        case list(items):
            return record.tool_name, _fields_in(items)
        case _:
            return record.tool_name, "values"


def _fields_in(items: Sequence[Json]) -> frozenset[str]:
    """The fields of the first object of a list, or of a list in it."""
    first = items[0] if items else None
    if isinstance(first, list):
        first = first[0] if first else None
    return frozenset(first) if isinstance(first, Mapping) else frozenset()
