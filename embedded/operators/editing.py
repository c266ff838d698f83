"""Drafts: a document changed along paths, without touching the one that it came from."""

from collections.abc import Mapping, Sequence
from typing import Any

from embedded.errors import StoreError
from embedded.operators.comparing import MISSING
from embedded.operators.paths import as_mapping, position
from embedded.operators.typenames import type_name

_LONGEST_PADDING = 1_500_000


class Draft:
    """A new version of a document. What lies on a changed path is copied once, everything else is shared."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.root: dict[str, Any] = dict(document)
        self._owned: dict[int, Any] = {}

    def get(self, names: Sequence[str]) -> Any:
        """The value at a path, whose numbers are positions in arrays; MISSING if there is none."""
        value: Any = self.root
        for name in names:
            value = _child(value, name)
        return value

    def set(self, names: Sequence[str], value: Any) -> None:
        """Put a value at a path, making the documents on the way and padding arrays with nulls.

        Raises StoreError 28 if something on the way is neither a document nor an array that the name fits.
        """
        holder: Any = self.root
        for place, name in enumerate(names[:-1]):
            inner = _child(holder, name)
            if inner is MISSING:
                inner = {}
                self._owned[id(inner)] = inner
            elif (owned := self._own(inner)) is not None:
                inner = owned
            else:
                shown = {name: inner}
                raise StoreError(28, f"Cannot create field '{names[place + 1]}' in element {shown}")
            self._put(holder, names, place, inner)
            holder = inner
        self._put(holder, names, len(names) - 1, value)

    def unset(self, names: Sequence[str]) -> None:
        """Remove the field at a path; an element of an array becomes null. Nothing happens if the path is absent."""
        if self.get(names) is MISSING:
            return
        *parents, last = names
        holder: Any = self.root
        if parents:
            holder = self._own(self.get(parents))
            self.set(parents, holder)
        if isinstance(holder, list):
            holder[int(last)] = None
        else:
            del holder[last]

    def _own(self, container: Any) -> Any:
        """The container itself if it was made here, else a copy; None if the value is no container."""
        if id(container) in self._owned:
            return container
        fields = as_mapping(container)
        if fields is None and not isinstance(container, list):
            return None
        copy: Any = dict(fields) if fields is not None else list(container)
        self._owned[id(copy)] = copy
        return copy

    def _put(self, holder: Any, names: Sequence[str], place: int, value: Any) -> None:
        name = names[place]
        if isinstance(holder, dict):
            holder[name] = value
            return
        index = position(name)
        if index is None:
            shown = {names[place - 1]: holder}
            raise StoreError(28, f"Cannot create field '{name}' in element {shown}")
        if index > len(holder) + _LONGEST_PADDING:
            raise StoreError(2, f"can't backfill more than {_LONGEST_PADDING} elements")
        if index >= len(holder):
            holder.extend([None] * (index - len(holder) + 1))
        holder[index] = value


def need_array(value: Any, path: str, document: Mapping[str, Any]) -> list[Any]:
    """The value, which has to be an array. Raises StoreError 2."""
    if isinstance(value, list):
        return value
    raise StoreError(
        2,
        f"The field '{path}' must be an array but is of type {type_name(value)} in document "
        f"{{_id: {document.get('_id')!r}}}",
    )


def _child(value: Any, name: str) -> Any:
    if isinstance(value, list):
        index = position(name)
        return value[index] if index is not None and index < len(value) else MISSING
    fields = as_mapping(value)
    return MISSING if fields is None else fields.get(name, MISSING)
