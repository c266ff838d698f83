"""The elements of arrays that an edit changes: `$`, `$[]` and `$[name]` as positions."""

from collections.abc import Mapping
from typing import Any

from embedded.errors import StoreError
from embedded.operators.array_filters import ArrayFilters, identifier_of
from embedded.operators.comparing import MISSING
from embedded.operators.editing import Draft
from embedded.operators.edits import Edit
from embedded.operators.positions import matched_position


def element_paths(
    draft: Draft,
    edit: Edit,
    filter: Mapping[str, Any],
    document: Mapping[str, Any],
    array_filters: ArrayFilters,
) -> list[tuple[str, ...]]:
    """The edit's path with every `$`, `$[]` and `$[name]` turned into the positions that it stands for.

    Raises StoreError 2 where the filter matched by no element, or where there is no array.
    """
    if not edit.dynamic:
        return [edit.names]
    found: list[tuple[str, ...]] = [()]
    for name in edit.names:
        if name == "$":
            place = matched_position(filter, document, ".".join(found[0]))
            if place is None:
                raise StoreError(2, "The positional operator did not find the match needed from the query.")
            found = [(*names, str(place)) for names in found]
        elif (identifier := identifier_of(name)) is not None:
            holds = array_filters.get(identifier)
            found = [
                (*names, str(place))
                for names in found
                for place, element in enumerate(_elements(draft, names, edit))
                if holds is None or holds({identifier: element})
            ]
        else:
            found = [(*names, name) for names in found]
    return found


def _elements(draft: Draft, names: tuple[str, ...], edit: Edit) -> list[Any]:
    array = draft.get(names)
    path = ".".join(names)
    if array is MISSING:
        raise StoreError(
            2, f"The path '{path}' must exist in the document in order to apply array updates: {'.'.join(edit.names)}"
        )
    if not isinstance(array, list):
        raise StoreError(2, f"Cannot apply array updates to non-array element {path}: {array!r}")
    return array
