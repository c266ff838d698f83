"""Expressions that pair arrays or sort one."""

from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

from embedded.errors import StoreError
from embedded.operators.comparing import sort_key
from embedded.operators.named_arguments import arguments
from embedded.operators.operands import Compile, Expression, Form, Variables, is_nothing
from embedded.operators.ordering import compile_sort
from embedded.operators.typenames import type_name, whole_number


def _zip(operand: Any, variables: frozenset[str], build: Compile) -> Expression:
    """Arrays of what the inputs have at each position; to the end of the longest input if asked for."""
    given = arguments("$zip", operand, ("inputs",), ("useLongestLength", "defaults"))
    inputs, defaults, longest = given["inputs"], given.get("defaults", []), given.get("useLongestLength", False)
    if not isinstance(inputs, list):
        raise StoreError(34461, f"inputs must be an array of expressions, found {type_name(inputs)}")
    if not isinstance(defaults, list):
        raise StoreError(34462, f"defaults must be an array of expressions, found {type_name(defaults)}")
    if not isinstance(longest, bool):
        raise StoreError(34463, f"useLongestLength must be a bool, found {type_name(longest)}")
    if not inputs:
        raise StoreError(34465, "$zip requires at least one input array")
    if defaults and not longest:
        raise StoreError(34466, "cannot specify defaults unless useLongestLength is true")
    if defaults and len(defaults) != len(inputs):
        raise StoreError(34467, "defaults and inputs must have the same length")
    arrays = [build(item, variables) for item in inputs]
    fillers = [build(item, variables) for item in defaults]

    def evaluate(scope: Variables) -> Any:
        values = [array(scope) for array in arrays]
        if any(map(is_nothing, values)):
            return None
        for value in values:
            if not isinstance(value, list):
                raise StoreError(34468, f"$zip found a non-array expression in input: {type_name(value)}")
        if not longest:
            return [list(row) for row in zip(*values, strict=False)]
        filled = [filler(scope) for filler in fillers] or [None] * len(values)
        rows = zip_longest(*values, fillvalue=_GAP)
        return [[other if item is _GAP else item for item, other in zip(row, filled, strict=True)] for row in rows]

    return evaluate


def _sort_array(operand: Any, variables: frozenset[str], build: Compile) -> Expression:
    """By a document of paths, where what is no document counts as having none, or by the values themselves."""
    given = arguments("$sortArray", operand, ("input", "sortBy"))
    source, order = build(given["input"], variables), given["sortBy"]
    if isinstance(order, Mapping):
        by_paths = compile_sort(order)
    else:
        direction = whole_number(order)
        if direction not in (1, -1):
            raise StoreError(2942506, "The $sort element value must be either 1 or -1")

    def evaluate(scope: Variables) -> Any:
        items = source(scope)
        if is_nothing(items):
            return None
        if not isinstance(items, list):
            raise StoreError(
                2942504, f"The input argument to $sortArray must be an array, but was of type: {type_name(items)}"
            )
        if isinstance(order, Mapping):
            return sorted(items, key=lambda item: by_paths(item if isinstance(item, Mapping) else {}))
        return sorted(items, key=sort_key, reverse=direction == -1)

    return evaluate


_GAP = object()
ARRAY_FORMS: dict[str, Form] = {"$zip": _zip, "$sortArray": _sort_array}
