"""Expressions that turn documents into arrays, and back."""

from collections.abc import Mapping
from typing import Any

from embedded.errors import StoreError
from embedded.operators.operands import Operator, as_array, null_safe
from embedded.operators.paths import as_mapping
from embedded.operators.typenames import is_string, type_name


def _to_array(value: Any) -> list[dict[str, Any]]:
    fields = as_mapping(value)
    if fields is None:
        raise StoreError(40390, f"$objectToArray requires a document input, found: {type_name(value)}")
    return [{"k": name, "v": item} for name, item in fields.items()]


def _to_object(value: Any) -> dict[str, Any]:
    return dict(_pair(item) for item in as_array("$arrayToObject", value, 40386))


def _pair(item: Any) -> tuple[str, Any]:
    if isinstance(item, Mapping) and item.keys() == {"k", "v"}:
        name, value = item["k"], item["v"]
    elif isinstance(item, list) and len(item) == 2:
        name, value = item
    else:
        raise StoreError(40392, "$arrayToObject requires [key, value] pairs or documents with the fields k and v alone")
    if not is_string(name):
        raise StoreError(40394, f"$arrayToObject requires keys of type string, found: {type_name(name)}")
    if "\0" in name:
        raise StoreError(4940400, "Key field cannot contain an embedded null byte")
    return name, value


OBJECTS: dict[str, Operator] = {
    "$objectToArray": Operator(null_safe(_to_array)),
    "$arrayToObject": Operator(null_safe(_to_object)),
}
