"""Under which keys does an index hold a document?"""

from collections.abc import Mapping
from itertools import product
from typing import Any

from embedded.catalog import Index
from embedded.errors import StoreError
from embedded.operators.values import encode_key, index_values, invert_key

NO_KEYS: frozenset[bytes] = frozenset()


def entry_keys(index: Index, document: Mapping[str, Any]) -> frozenset[bytes]:
    """The keys of a document in an index; none where a sparse or partial index leaves it out.

    Marks the index multikey where an array was met. Raises 171 for arrays in two independent fields of one index.
    """
    if index.covers is not None and not index.covers(document):
        return NO_KEYS
    key = _plain_key(index, document)
    if key is not None:
        return frozenset((key,))
    components: list[list[bytes]] = []
    absent = True
    array_root: str | None = None
    for place, (path, direction) in enumerate(index.keys):
        found = index_values(document, path)
        absent = absent and found.absent
        if found.multikey:
            root = path.split(".", 1)[0]
            if array_root is not None and array_root != root:
                raise StoreError(171, f"cannot index parallel arrays [{root}] [{array_root}]")
            array_root = root
            if not index.multikey >> place & 1:
                index.multikey |= 1 << place
        keys = [encode_key(value) for value in found.values]
        components.append(keys if direction > 0 else [invert_key(key) for key in keys])
    if absent and index.sparse:
        return NO_KEYS
    if array_root is None:
        return frozenset((b"".join([keys[0] for keys in components]),))
    return frozenset(map(b"".join, product(*components)))


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
