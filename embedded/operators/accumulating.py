"""What does a group make of its documents' values?"""

from collections.abc import Callable, Mapping
from typing import Any

from embedded.errors import StoreError, not_implemented
from embedded.operators.comparing import MISSING
from embedded.operators.expressions import Expression, compile_expression
from embedded.operators.set_expressions import distinct
from embedded.operators.totals import ACCUMULATIONS

Accumulate = Callable[[list[Any]], Any]
_ACCUMULATORS: dict[str, Accumulate] = ACCUMULATIONS | {
    "$first": lambda values: _or_null(values[0]),
    "$last": lambda values: _or_null(values[-1]),
    "$push": lambda values: [value for value in values if value is not MISSING],
    "$addToSet": lambda values: distinct([value for value in values if value is not MISSING]),
    "$count": len,
}
_REFUSED = frozenset(
    {"$accumulator", "$bottom", "$bottomN", "$firstN", "$lastN", "$maxN", "$median", "$minN", "$percentile", "$top"}
    | {"$topN", "$setUnion", "$concatArrays"}
)


def compile_accumulator(field: str, spec: Any) -> tuple[Expression, Accumulate]:
    """(what to collect of each document, what to make of it) for a field of `$group`.

    Raises StoreError 40234/40235/40238 for a malformed one, 15952 for an unknown one, 238 for an unsupported one.
    """
    if "." in field or field.startswith("$"):
        raise StoreError(40235, f"The field name '{field}' cannot contain '.' or begin with '$'")
    if not isinstance(spec, Mapping):
        raise StoreError(40234, f"The field '{field}' must be an accumulator object")
    if len(spec) != 1:
        raise StoreError(40238, f"The field '{field}' must specify one accumulator")
    name, operand = next(iter(spec.items()))
    if name in _REFUSED:
        raise not_implemented(f"The accumulator {name}")
    if name not in _ACCUMULATORS:
        raise StoreError(15952, f"unknown group operator '{name}'")
    if name == "$count" and operand != {}:
        raise StoreError(2, "$count takes no arguments, i.e. $count:{}")
    if isinstance(operand, list) and name != "$push":
        raise StoreError(40237, f"The {name} accumulator is a unary operator")
    return compile_expression(operand), _ACCUMULATORS[name]


def _or_null(value: Any) -> Any:
    return None if value is MISSING else value
