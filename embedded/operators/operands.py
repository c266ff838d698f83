"""Operands: what the functions behind expressions take, and what they say of a wrong one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bson import Decimal128

from embedded.errors import StoreError
from embedded.operators.comparing import MISSING
from embedded.operators.named_arguments import arguments
from embedded.operators.typenames import is_number, is_string, type_name, whole_number

Variables = Mapping[str, Any]
Expression = Callable[[Variables], Any]
Compile = Callable[[Any, frozenset[str]], Expression]
Form = Callable[[Any, frozenset[str], Compile], Expression]


@dataclass(frozen=True, slots=True)
class Operator:
    """A function of evaluated operands, and how many it takes: exactly `least`, or up to `most`; None has no end."""

    function: Callable[..., Any]
    least: int = 1
    most: int | None = -1

    def check(self, name: str, count: int) -> None:
        """Raises StoreError 16020 for a wrong number of operands, 28667 outside of a range."""
        most = self.least if self.most == -1 else self.most
        if self.least == most and count != most:
            raise StoreError(16020, f"Expression {name} takes exactly {most} arguments. {count} were passed in.")
        if count < self.least or (most is not None and count > most):
            raise StoreError(
                28667,
                f"Expression {name} takes at least {self.least} arguments, and at most {most}, but {count} were given.",
            )


def is_nothing(value: Any) -> bool:
    """Whether a value is null or missing."""
    return value is None or value is MISSING


def truthy(value: Any) -> bool:
    """Whether a value counts as true: everything but false, zero, null and a missing field."""
    if is_nothing(value) or value is False:
        return False
    if isinstance(value, Decimal128):
        return bool(value.to_decimal())
    return not is_number(value) or bool(value)


def null_safe(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, but null as soon as an operand is null or missing."""

    def call(*operands: Any) -> Any:
        for operand in operands:
            if operand is None or operand is MISSING:
                return None
        return function(*operands)

    return call


def as_number(name: str, value: Any, code: int = 28765) -> Any:
    """The value, which has to be a number. Raises StoreError `code`."""
    if not is_number(value):
        raise StoreError(code, f"{name} only supports numeric types, not {type_name(value)}")
    return value


def as_text(name: str, value: Any, code: int) -> str:
    """The value, which has to be a string. Raises StoreError `code`."""
    if not is_string(value):
        raise StoreError(code, f"{name} requires a string argument, found: {type_name(value)}")
    return str(value)


def as_array(name: str, value: Any, code: int) -> list[Any]:
    """The value, which has to be an array. Raises StoreError `code`."""
    if not isinstance(value, list):
        raise StoreError(code, f"{name} requires an array argument, found: {type_name(value)}")
    return value


def as_whole(name: str, value: Any, code: int, fraction: int | None = None) -> int:
    """The value, which has to be a number without a fraction. Raises StoreError `code`, `fraction` for one with it."""
    whole = whole_number(value)
    if whole is None:
        found = fraction if fraction and is_number(value) else code
        raise StoreError(found, f"{name} requires an integral argument, found: {type_name(value)}")
    return whole


def named(name: str, function: Callable[..., Any], required: tuple[str, ...], optional: tuple[str, ...] = ()) -> Form:
    """The form whose operands have names; `function` takes their values in order, MISSING for those left out."""

    def form(operand: Any, variables: frozenset[str], build: Compile) -> Expression:
        given = arguments(name, operand, required, optional)
        items = [build(given[field], variables) if field in given else None for field in (*required, *optional)]
        return lambda scope: function(*[MISSING if item is None else item(scope) for item in items])

    return form
