"""Expressions on the bits of integers."""

from collections.abc import Callable
from functools import reduce
from operator import and_, or_, xor
from typing import Any

from embedded.errors import StoreError
from embedded.operators.numbers import as_type, widest
from embedded.operators.operands import Operator, null_safe
from embedded.operators.typenames import type_name


def _integer(name: str, value: Any) -> int:
    if type_name(value) not in ("int", "long"):
        raise StoreError(14, f"{name} only supports int and long operands, not {type_name(value)}")
    return int(value)


def _combined(name: str, operation: Callable[[int, int], int], nothing: int) -> Operator:
    def call(*values: Any) -> Any:
        found = reduce(operation, [_integer(name, value) for value in values], nothing)
        return as_type(found, widest(*values) if values else "int")

    return Operator(null_safe(call), 0, None)


def _not(value: Any) -> Any:
    return as_type(~_integer("$bitNot", value), type_name(value))


BITS: dict[str, Operator] = {
    "$bitAnd": _combined("$bitAnd", and_, -1),
    "$bitOr": _combined("$bitOr", or_, 0),
    "$bitXor": _combined("$bitXor", xor, 0),
    "$bitNot": Operator(null_safe(_not)),
}
