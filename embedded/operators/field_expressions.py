"""`$getField`, `$setField` and `$unsetField`: fields read or set by names that a path cannot say."""

from collections.abc import Mapping
from typing import Any

from embedded.errors import StoreError
from embedded.operators.comparing import MISSING
from embedded.operators.named_arguments import arguments
from embedded.operators.operands import Compile, Expression, Form, Variables, is_nothing
from embedded.operators.paths import as_mapping
from embedded.operators.typenames import is_string, type_name


def _get(operand: Any, variables: frozenset[str], build: Compile) -> Expression:
    if not isinstance(operand, Mapping) or next(iter(operand), "").startswith("$"):
        operand = {"field": operand, "input": "$$CURRENT"}
    given = arguments("$getField", operand, ("field", "input"))
    name, source = build(given["field"], variables), build(given["input"], variables)

    def evaluate(scope: Variables) -> Any:
        field, value = name(scope), source(scope)
        if not is_string(field):
            raise StoreError(
                3041704, f"$getField requires 'field' to evaluate to type String, but got {type_name(field)}"
            )
        if value is None:
            return None
        fields = as_mapping(value)
        return MISSING if fields is None else fields.get(field, MISSING)

    return evaluate


def _set(name: str) -> Form:
    required = ("field", "input", "value") if name == "$setField" else ("field", "input")

    def form(operand: Any, variables: frozenset[str], build: Compile) -> Expression:
        given = arguments(name, operand, required)
        field = _constant(name, given["field"])
        source, value = build(given["input"], variables), build(given.get("value", "$$REMOVE"), variables)

        def evaluate(scope: Variables) -> Any:
            found = source(scope)
            if is_nothing(found):
                return None
            fields = as_mapping(found)
            if fields is None:
                raise StoreError(4161105, f"{name} requires 'input' to evaluate to type Object")
            new = value(scope)
            if new is MISSING:
                return {key: item for key, item in fields.items() if key != field}
            return {**fields, field: new}

        return evaluate

    return form


def _constant(name: str, field: Any) -> str:
    """The field's name, which has to be known beforehand. Raises StoreError 4161106 … 4161108."""
    literal = field.get("$literal", field.get("$const")) if isinstance(field, Mapping) and len(field) == 1 else None
    if is_string(literal):
        return str(literal)
    if is_string(field):
        if not field.startswith("$"):
            return str(field)
        raise StoreError(4161108, f"'{field}' is a field path and not a constant; {name} needs {{$literal: '{field}'}}")
    raise StoreError(4161106, f"{name} requires 'field' to evaluate to a constant of type String")


FIELD_FORMS: dict[str, Form] = {"$getField": _get, "$setField": _set("$setField"), "$unsetField": _set("$unsetField")}
