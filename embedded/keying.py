"""The keys under which an index holds a document."""

from collections.abc import Mapping
from typing import Any

from embedded.catalog import Index
from embedded.errors import StoreError
from embedded.operators.sort_rows import sort_rows
from embedded.operators.values import encode_key, index_values, invert_key

NO_KEYS: frozenset[bytes] = frozenset()


def entry_keys(index: Index, document: Mapping[str, Any]) -> frozenset[bytes]:
    """The keys of a document in an index; none where a sparse or partial index leaves it out.

    Marks the index multikey where an array was met. Raises 171 for two different arrays under the paths of one index.
    """
    if index.covers is not None and not index.covers(document):
        return NO_KEYS
    key = _plain_key(index, document)
    if key is not None:
        return frozenset((key,))
    arrays = 0
    absent = True
    for place, (path, _) in enumerate(index.keys):
        found = index_values(document, path)
        absent = absent and found.absent
        if found.multikey:
            arrays |= 1 << place
    if absent and index.sparse:
        return NO_KEYS
    index.multikey |= arrays
    return frozenset(_row_key(index, row) for row in _rows(index, document))


def _rows(index: Index, document: Mapping[str, Any]) -> list[list[Any]]:
    """The values under which an index holds a document; paths into one array go through its elements together."""
    try:
        return sort_rows(document, [names for names, _ in index.paths])
    except StoreError:
        raise StoreError(171, f"cannot index parallel arrays {[path for path, _ in index.keys]}") from None


def _row_key(index: Index, row: list[Any]) -> bytes:
    keys = map(encode_key, row)
    return b"".join(
        key if direction > 0 else invert_key(key) for key, (_, direction) in zip(keys, index.keys, strict=True)
    )


def _plain_key(index: Index, document: Mapping[str, Any]) -> bytes | None:
    """The key of a document with one plain value on each path; None where there is more to it."""
    parts: list[bytes] = []
    for names, direction in index.paths:
        value: Any = document
        for name in names:
            if type(value) is not dict:
                return None
            value = value.get(name)
        if (value is None and index.sparse) or type(value) is list:
            return None
        key = encode_key(value)
        parts.append(key if direction > 0 else invert_key(key))
    return parts[0] if len(parts) == 1 else b"".join(parts)


def is_same_key(index: Index, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether an index surely holds both documents under the same keys; False where that is not cheap to say."""
    for root in index.roots:
        before, after = old.get(root, _NESTED), new.get(root, _NESTED)
        if before is after:
            continue
        kind = type(before)
        if kind is not type(after) or kind is list or kind is dict or before != after:
            return False
    return True


class _Nested:
    """A value that no document holds."""


_NESTED = _Nested()
