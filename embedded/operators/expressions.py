"""Aggregation expressions: the value of each for a document.

An expression is compiled once to a function of its variables, among them ROOT and CURRENT. MISSING means that there is
no value: a field that is not there, or `$$REMOVE`.
"""

from collections.abc import Callable, Mapping
from typing import Any

from embedded.errors import StoreError, not_implemented
from embedded.operators.array_expressions import ARRAYS
from embedded.operators.array_forms import ARRAY_FORMS
from embedded.operators.bit_expressions import BITS
from embedded.operators.byte_expressions import BYTES
from embedded.operators.choosing import CHOICE_FORMS
from embedded.operators.comparing import MISSING, compare
from embedded.operators.conversion_expressions import CONVERSION_FORMS, CONVERSIONS
from embedded.operators.date_arithmetic import DATE_ARITHMETIC
from embedded.operators.date_expressions import DATE_FORMS, DATES
from embedded.operators.date_making import DATE_MAKING
from embedded.operators.dates import this_moment
from embedded.operators.field_expressions import FIELD_FORMS
from embedded.operators.forms import FORMS
from embedded.operators.math_expressions import MATHS
from embedded.operators.object_expressions import OBJECTS
from embedded.operators.operands import Expression, Operator, Variables, truthy
from embedded.operators.paths import as_mapping
from embedded.operators.regex_expressions import REGEX_FORMS
from embedded.operators.set_expressions import SETS
from embedded.operators.string_expressions import STRING_FORMS, STRINGS
from embedded.operators.totals import ACCUMULATIONS
from embedded.operators.trigonometry import ANGLES

__all__ = ["Expression", "Variables", "compile_expression", "truthy"]
_COMPARISONS: dict[str, Operator] = {
    "$cmp": Operator(compare, 2),
    "$eq": Operator(lambda a, b: compare(a, b) == 0, 2),
    "$ne": Operator(lambda a, b: compare(a, b) != 0, 2),
    "$gt": Operator(lambda a, b: compare(a, b) > 0, 2),
    "$gte": Operator(lambda a, b: compare(a, b) >= 0, 2),
    "$lt": Operator(lambda a, b: compare(a, b) < 0, 2),
    "$lte": Operator(lambda a, b: compare(a, b) <= 0, 2),
}
_OPERATORS = _COMPARISONS | MATHS | ANGLES | BITS | STRINGS | BYTES | ARRAYS | SETS | OBJECTS | CONVERSIONS | DATES
_FORMS = (
    FORMS
    | STRING_FORMS
    | REGEX_FORMS
    | ARRAY_FORMS
    | CHOICE_FORMS
    | FIELD_FORMS
    | DATE_FORMS
    | DATE_ARITHMETIC
    | DATE_MAKING
    | CONVERSION_FORMS
)
_REFUSED = frozenset({"$function", "$median", "$meta", "$percentile", "$sampleRate", "$toHashedIndexKey"})
_SYSTEM_VARIABLES = frozenset({"CLUSTER_TIME", "DESCEND", "PRUNE", "KEEP", "SEARCH_META", "USER_ROLES"})


def compile_expression(expression: Any, variables: frozenset[str] = frozenset()) -> Expression:
    """The function of an expression; `variables` are the names that may follow `$$` besides the system's own.

    Raises StoreError 168 for an unknown operator, 16020 for the wrong number of operands, 17276 for an unknown
    variable, 238 for what the store does not support.
    """
    if isinstance(expression, str):
        return _field_path(expression, variables) if expression.startswith("$") else lambda scope: expression
    if isinstance(expression, list):
        items = [compile_expression(item, variables) for item in expression]
        return lambda scope: [None if (value := item(scope)) is MISSING else value for item in items]
    if isinstance(expression, Mapping):
        first = next(iter(expression), "")
        return _call(expression, variables) if first.startswith("$") else _document(expression, variables)
    return lambda scope: expression


def _document(expression: Mapping[str, Any], variables: frozenset[str]) -> Expression:
    for name in expression:
        if name.startswith("$"):
            raise StoreError(16410, f"FieldPath field names may not start with '$'. Consider using $getField ({name})")
        if "." in name:
            raise StoreError(16412, f"FieldPath field names may not contain '.': {name}")
    fields = [(name, compile_expression(value, variables)) for name, value in expression.items()]

    def evaluate(scope: Variables) -> dict[str, Any]:
        values = ((name, field(scope)) for name, field in fields)
        return {name: value for name, value in values if value is not MISSING}

    return evaluate


def _call(expression: Mapping[str, Any], variables: frozenset[str]) -> Expression:
    if len(expression) != 1:
        raise StoreError(
            15983,
            f"an expression specification must contain exactly one field, the name of the expression: {expression}",
        )
    name, operand = next(iter(expression.items()))
    if form := _FORMS.get(name):
        return form(operand, variables, compile_expression)
    if name in ACCUMULATIONS:
        return _accumulation(ACCUMULATIONS[name], operand, variables)
    operator = _OPERATORS.get(name)
    if operator is None:
        raise not_implemented(name) if name in _REFUSED else StoreError(168, f"Unrecognized expression '{name}'")
    operands = operand if isinstance(operand, list) else [operand]
    operator.check(name, len(operands))
    function = operator.function
    match [compile_expression(item, variables) for item in operands]:
        case [only]:
            return lambda scope: function(only(scope))
        case [first, second]:
            return lambda scope: function(first(scope), second(scope))
        case compiled:
            return lambda scope: function(*[item(scope) for item in compiled])


def _accumulation(function: Callable[[list[Any]], Any], operand: Any, variables: frozenset[str]) -> Expression:
    """`$sum` and its like outside of a group: over the operands, or over the array that the only operand is."""
    if isinstance(operand, list) and len(operand) != 1:
        items = [compile_expression(item, variables) for item in operand]
        return lambda scope: function([item(scope) for item in items])
    only = compile_expression(operand[0] if isinstance(operand, list) else operand, variables)

    def evaluate(scope: Variables) -> Any:
        value = only(scope)
        return function(value if isinstance(value, list) else [value])

    return evaluate


def _field_path(path: str, variables: frozenset[str]) -> Expression:
    if path.startswith("$$"):
        name, _, rest = path[2:].partition(".")
        if name == "REMOVE":
            return lambda scope: MISSING
        if name == "NOW":
            moment = this_moment()
            return lambda scope: MISSING if rest else moment
        if name in _SYSTEM_VARIABLES:
            raise not_implemented(f"$${name}")
        if name not in ("ROOT", "CURRENT") and name not in variables:
            raise StoreError(17276, f"Use of undefined variable: {name}")
    else:
        name, rest = "CURRENT", path[1:]
        if not rest:
            raise StoreError(16872, "'$' by itself is not a valid FieldPath")
    names = rest.split(".") if rest else []
    if rest and not all(names):
        raise StoreError(15998, "FieldPath must not end with a '.' or contain an empty field name.")
    if not names:
        return lambda scope: scope[name]
    if len(names) == 1:
        only = names[0]

        def on_top(scope: Variables) -> Any:
            value = scope[name]
            return value.get(only, MISSING) if type(value) is dict else _reach(value, names, 0)

        return on_top
    return lambda scope: _reach(scope[name], names, 0)


def _reach(value: Any, names: list[str], start: int) -> Any:
    """The value below a path; from an array, an array of what its documents have there. Arrays within it are left out,
    and numbers are no positions."""
    for place in range(start, len(names)):
        if isinstance(value, list):
            found = (_reach(item, names, place) for item in value if as_mapping(item) is not None)
            return [item for item in found if item is not MISSING]
        inner = as_mapping(value)
        if inner is None:
            return MISSING
        value = inner.get(names[place], MISSING)
    return value
