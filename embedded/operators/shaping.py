"""Shapes: fields kept, dropped or computed along dotted paths.

A shape is a tree of field names: `{"a": {"b": leaf}}` for `a.b`. Arrays on the way are shaped element by element.
"""

from collections.abc import Callable, Mapping
from typing import Any

from embedded.errors import StoreError
from embedded.operators.comparing import MISSING
from embedded.operators.operands import Variables
from embedded.operators.paths import as_mapping

Leaf = Callable[..., Any] | None
Shape = dict[str, Any]


def plant(shape: Shape, path: str, leaf: Leaf) -> None:
    """Add a path to a shape. Raises StoreError 31249 if it is there already, or above or below a path that is."""
    *parents, last = path.split(".")
    for name in parents:
        shape = shape.setdefault(name, {})
        if not isinstance(shape, dict):
            raise StoreError(31249, f"Path collision at {path} remaining portion {last}")
    if last in shape:
        raise StoreError(31249, f"Path collision at {path}")
    shape[last] = leaf


def check_path(path: str) -> None:
    """Raises StoreError 40353 for a trailing dot, 15998 for an empty name, 16410 for a dollar in front of one."""
    if path.endswith("."):
        raise StoreError(40353, "FieldPath must not end with a '.'.")
    for name in path.split("."):
        if not name:
            raise StoreError(15998, "FieldPath field names may not be empty strings.")
        if name.startswith("$"):
            raise StoreError(16410, f"FieldPath field names may not start with '$': {path}")


def keep(document: Mapping[str, Any], shape: Shape) -> dict[str, Any]:
    """Only the shape's fields, in the document's order. A leaf that is a function changes the value it keeps."""
    kept: dict[str, Any] = {}
    for name, value in document.items():
        if name in shape:
            found = _keep_value(value, shape[name])
            if found is not MISSING:
                kept[name] = found
    return kept


def drop(document: Mapping[str, Any], shape: Shape) -> dict[str, Any]:
    """Everything but the shape's fields. A leaf that is a function changes the value instead of dropping it."""
    left: dict[str, Any] = {}
    for name, value in document.items():
        if name not in shape:
            left[name] = value
        elif (branch := shape[name]) is not None:
            found = _drop_below(value, branch) if isinstance(branch, dict) else branch(value)
            if found is not MISSING:
                left[name] = found
    return left


def compute(document: Mapping[str, Any], shape: Shape, scope: Variables) -> dict[str, Any]:
    """The document with the shape's fields set to the values of their expressions; new fields come last."""
    computed = dict(document)
    for name, branch in shape.items():
        if isinstance(branch, dict):
            computed[name] = _compute_below(computed.get(name, MISSING), branch, scope)
            continue
        value = branch(scope)
        if value is MISSING:
            computed.pop(name, None)
        else:
            computed[name] = value
    return computed


def _keep_value(value: Any, branch: Any) -> Any:
    if not isinstance(branch, dict):
        return value if branch is None else branch(value)
    if isinstance(value, list):
        return [found for item in value if (found := _keep_value(item, branch)) is not MISSING]
    fields = as_mapping(value)
    return MISSING if fields is None else keep(fields, branch)


def _drop_below(value: Any, branch: Shape) -> Any:
    if isinstance(value, list):
        return [_drop_below(item, branch) for item in value]
    fields = as_mapping(value)
    return value if fields is None else drop(fields, branch)


def _compute_below(value: Any, branch: Shape, scope: Variables) -> Any:
    if isinstance(value, list):
        return [_compute_below(item, branch, scope) for item in value]
    return compute(as_mapping(value) or {}, branch, scope)
