"""Sorting: the order in which documents come."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from embedded.errors import StoreError, not_implemented
from embedded.operators.keys import encode_key, invert_key
from embedded.operators.paths import values_at
from embedded.operators.sort_rows import sort_rows
from embedded.operators.typenames import whole_number


def sort_documents(documents: Iterable[Any], sort_spec: Mapping[str, Any]) -> list[Any]:
    """The documents sorted by {path: 1 or -1}, stable.

    An array counts as its smallest element when ascending and as its largest when descending; of several paths into
    one array, each element gives a row of values, and the first row counts.
    Raises StoreError 15974/15975 for a wrong direction, 238 for `$meta`, 2 for a document with arrays on two paths.
    """
    key = compile_sort(sort_spec)
    return sorted(documents, key=key)


def compile_sort(sort_spec: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], bytes]:
    """The sort key of a document, in bytes. Raises as `sort_documents`."""
    descending = [direction(path, wanted) < 0 for path, wanted in sort_spec.items()]
    if len(descending) == 1:
        return _part(next(iter(sort_spec)), descending[0])
    paths = [path.split(".") for path in sort_spec]

    def key(document: Mapping[str, Any]) -> bytes:
        return min(
            b"".join(
                [
                    invert_key(encode_key(value)) if down else encode_key(value)
                    for value, down in zip(row, descending, strict=True)
                ]
            )
            for row in sort_rows(document, paths)
        )

    return key


def direction(path: str, wanted: Any) -> int:
    """1 or -1. Raises StoreError 15974, 15975, 17312 for anything else, 16410 for a path that begins with a dollar."""
    if isinstance(wanted, Mapping):
        if "$meta" in wanted:
            raise not_implemented("Sorting by $meta")
        raise StoreError(17312, "$meta is the only expression supported by $sort right now")
    found = whole_number(wanted)
    if found is None:
        raise StoreError(15974, f"Illegal key in $sort specification: {path}: {wanted}")
    if found not in (1, -1):
        raise StoreError(15975, "$sort key ordering must be 1 (for ascending) or -1 (for descending)")
    if path.startswith("$"):
        raise StoreError(16410, f"FieldPath field names may not start with '$': {path}")
    if not all(path.split(".")):
        raise StoreError(15998, "FieldPath field names may not be empty strings.")
    return found


def _part(path: str, descending: bool) -> Callable[[Mapping[str, Any]], bytes]:
    if descending:
        return lambda document: invert_key(max(map(encode_key, values_at(document, path))))
    return lambda document: min(map(encode_key, values_at(document, path)))
