"""Accumulators: what a group makes of its documents' values."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from embedded.errors import StoreError, not_implemented
from embedded.operators.choosing import CHOICES, Choose, count_of
from embedded.operators.comparing import MISSING
from embedded.operators.expressions import Expression, Variables, compile_expression
from embedded.operators.named_arguments import arguments
from embedded.operators.ordering import compile_sort
from embedded.operators.paths import as_mapping
from embedded.operators.set_expressions import distinct
from embedded.operators.totals import ACCUMULATIONS

_SIMPLE: dict[str, Callable[[list[Any]], Any]] = ACCUMULATIONS | {
    "$first": lambda values: _or_null(values[0]),
    "$last": lambda values: _or_null(values[-1]),
    "$push": lambda values: [value for value in values if value is not MISSING],
    "$addToSet": lambda values: distinct([value for value in values if value is not MISSING]),
    "$count": len,
}
_RANKED = frozenset({"$top", "$topN", "$bottom", "$bottomN"})
_REFUSED = frozenset({"$accumulator", "$median", "$percentile"})


@dataclass(frozen=True, slots=True)
class Accumulator:
    """What to `collect` of each document, and what to make of that: `finish(collected, the group's key)`."""

    collect: Expression
    finish: Callable[[list[Any], Any], Any]


def compile_accumulator(field: str, spec: Any) -> Accumulator:
    """The accumulator of a field of `$group`.

    Raises StoreError 40234 … 40238 for a malformed one, 15952 for an unknown one, 238 for an unsupported one.
    """
    if not isinstance(spec, Mapping):
        raise StoreError(40234, f"The field '{field}' must be an accumulator object")
    if "." in field:
        raise StoreError(40235, f"The field name '{field}' cannot contain '.'")
    if field.startswith("$"):
        raise StoreError(40236, f"The field name '{field}' cannot be an operator name")
    if len(spec) != 1:
        raise StoreError(40238, f"The field '{field}' must specify one accumulator")
    name, operand = next(iter(spec.items()))
    if isinstance(operand, list):
        raise StoreError(40237, f"The {name} accumulator is a unary operator")
    if name in _REFUSED:
        raise not_implemented(f"The accumulator {name}")
    if name in CHOICES:
        return _choice(CHOICES[name], arguments(name, operand, ("n", "input")))
    if name in _RANKED:
        return _ranked(name, operand)
    if name not in _SIMPLE:
        raise StoreError(15952, f"unknown group operator '{name}'")
    if name == "$count" and operand != {}:
        raise StoreError(2, "$count takes no arguments, i.e. $count:{}")
    accumulate = _SIMPLE[name]
    return Accumulator(compile_expression(operand), lambda values, key: accumulate(values))


def _choice(choose: Choose, given: Mapping[str, Any]) -> Accumulator:
    count = _count(given["n"])
    return Accumulator(compile_expression(given["input"]), lambda values, key: choose(values, count(key)))


def _count(expression: Any) -> Callable[[Any], int]:
    """`n`, which may look at the fields of the group's key."""
    number = compile_expression(expression)

    def count(key: Any) -> int:
        fields = as_mapping(key) or {}
        return count_of(number({"ROOT": fields, "CURRENT": fields}))

    return count


def _ranked(name: str, operand: Any) -> Accumulator:
    """`$top` and its like: outputs by the order of their documents; of equal ones, those that came first."""
    single, at_end = not name.endswith("N"), name.startswith("$bottom")
    given = arguments(name, operand, ("output", "sortBy") if single else ("n", "output", "sortBy"))
    if not isinstance(given["sortBy"], Mapping):
        raise StoreError(10065, "invalid parameter: expected an object (sortBy)")
    output, order = compile_expression(given["output"]), compile_sort(given["sortBy"])
    count = _count(1 if single else given["n"])

    def collect(scope: Variables) -> tuple[bytes, Any]:
        return order(scope["ROOT"]), _or_null(output(scope))

    def finish(collected: list[tuple[bytes, Any]], key: Any) -> Any:
        kept = sorted(collected, key=_rank, reverse=at_end)[: count(key)]
        values = [value for _, value in (sorted(kept, key=_rank) if at_end else kept)]
        return values[0] if single else values

    return Accumulator(collect, finish)


def _rank(ranked: tuple[bytes, Any]) -> bytes:
    return ranked[0]


def _or_null(value: Any) -> Any:
    return None if value is MISSING else value
