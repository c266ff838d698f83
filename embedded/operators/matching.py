"""Filters: which documents each selects."""

from collections.abc import Callable, Mapping
from typing import Any

from embedded.errors import StoreError, not_implemented
from embedded.operators.comparing import MISSING
from embedded.operators.conditions import All, Condition, Not, Predicate, Some, Test, at_path, every, on_value
from embedded.operators.equality import compares, equals, equals_or_matches, is_one_of
from embedded.operators.expressions import compile_expression, truthy
from embedded.operators.paths import as_mapping
from embedded.operators.patterns import as_regex, compile_operands, is_regex
from embedded.operators.typetests import has_bits, has_remainder, has_size, has_type

__all__ = ["Predicate", "compile_filter", "compile_value_test", "is_operators"]
_REFUSED_ON_TOP = frozenset({"$where", "$text", "$jsonSchema", "$sampleRate"})
_REFUSED = frozenset(
    {"$near", "$nearSphere", "$geoWithin", "$geoIntersects", "$geoNear", "$within", "$maxDistance", "$minDistance"}
)
_LOGICAL = frozenset({"$and", "$or", "$nor"})
_TAKES_PAIRS = frozenset({"$regex", "$options"})


def compile_filter(filter: Mapping[str, Any]) -> Predicate:
    """A predicate for a filter document; compile once, call per document.

    Raises StoreError 2 for unknown operators and malformed operands, 51091 for an invalid regular expression, 168 for
    an unknown expression, 238 for what the store does not support.
    """
    return every([_clause(name, operand) for name, operand in filter.items() if name != "$comment"])


def compile_value_test(operand: Any) -> Test:
    """The test of an array's element by `$pull` and `$elemMatch`: operators, a filter for documents, or a value.

    Raises as `compile_filter`.
    """
    if is_operators(operand) and next(iter(operand)) not in _LOGICAL | {"$expr"}:
        return on_value(_field_condition(operand))
    return _element_filter(operand) if isinstance(operand, Mapping) else equals_or_matches(operand)


def is_operators(operand: Any) -> bool:
    """Whether an operand is a document of operators such as `{$gt: 1}`, and not a value or a reference."""
    if not isinstance(operand, Mapping):
        return False
    first = next(iter(operand), "")
    return first.startswith("$") and first not in ("$ref", "$id", "$db")


def _clause(name: str, operand: Any) -> Predicate:
    if not name.startswith("$"):
        return at_path(name, _field_condition(operand) if is_operators(operand) else Some(equals_or_matches(operand)))
    if name in _LOGICAL:
        return _logical(name, operand)
    if name == "$expr":
        expression = compile_expression(operand)
        return lambda document: truthy(expression({"ROOT": document, "CURRENT": document}))
    if name in ("$alwaysTrue", "$alwaysFalse"):
        return lambda document: name == "$alwaysTrue"
    if name in _REFUSED_ON_TOP or name in _REFUSED:
        raise not_implemented(name)
    raise StoreError(
        2,
        f"unknown top level operator: {name}. If you have a field name that starts with a '$' symbol, consider using "
        "$getField or $setField.",
    )


def _logical(name: str, operand: Any) -> Predicate:
    if not isinstance(operand, list):
        raise StoreError(2, f"{name} must be an array")
    if not operand:
        raise StoreError(2, "$and/$or/$nor must be a nonempty array")
    if not all(isinstance(clause, Mapping) for clause in operand):
        raise StoreError(2, "$or/$and/$nor entries need to be full objects")
    tests = [compile_filter(clause) for clause in operand]
    if name == "$and":
        return every(tests)
    if name == "$or":
        return lambda document: any(test(document) for test in tests)
    return lambda document: not any(test(document) for test in tests)


def _field_condition(operators: Mapping[str, Any]) -> Condition:
    conditions = [_operator(name, operand) for name, operand in operators.items() if name not in _TAKES_PAIRS]
    if "$regex" in operators:
        pattern, options = operators["$regex"], operators.get("$options")
        search, same = compile_operands(pattern, options), equals(as_regex(pattern, options))
        conditions.append(Some(lambda value: search(value) is not None if type(value) is str else same(value)))
    elif "$options" in operators:
        raise StoreError(2, "$options needs a $regex")
    return conditions[0] if len(conditions) == 1 else All(tuple(conditions))


def _operator(name: str, operand: Any) -> Condition:
    build = _OPERATORS.get(name)
    if build is not None:
        return build(operand)
    if name in _REFUSED or name in _REFUSED_ON_TOP:
        raise not_implemented(name)
    raise StoreError(2, f"unknown operator: {name}")


def _comparison(name: str, accepts: Callable[[int], bool]) -> Callable[[Any], Condition]:
    def build(operand: Any) -> Condition:
        if is_regex(operand):
            raise StoreError(2, f"Can't have RegEx as arg to predicate over field ({name}).")
        return Some(compares(operand, accepts))

    return build


def _ne(operand: Any) -> Condition:
    if is_regex(operand):
        raise StoreError(2, "Can't have regex as arg to $ne.")
    return Not(Some(equals(operand)))


def _in(name: str, operand: Any) -> Condition:
    if not isinstance(operand, list):
        raise StoreError(2, f"{name} needs an array")
    return Some(is_one_of(operand))


def _exists(operand: Any) -> Condition:
    present = Some(lambda value: value is not MISSING)
    return present if truthy(operand) else Not(present)


def _not(operand: Any) -> Condition:
    if is_regex(operand):
        return Not(Some(equals_or_matches(operand)))
    if not isinstance(operand, Mapping):
        raise StoreError(2, "$not needs a regex or a document")
    if not operand:
        raise StoreError(2, "$not cannot be empty")
    for name in operand:
        if not name.startswith("$"):
            raise StoreError(2, f"unknown operator: {name}")
    return Not(_field_condition(operand))


def _elem_match(operand: Any) -> Condition:
    if not isinstance(operand, Mapping):
        raise StoreError(2, "$elemMatch needs an Object")
    test = compile_value_test(operand)
    return Some(lambda value: isinstance(value, list) and any(map(test, value)), expand=False)


def _element_filter(filter: Mapping[str, Any]) -> Test:
    """A filter for an array's elements that are documents, or arrays, whose fields are then their positions."""
    holds = compile_filter(filter)

    def test(value: Any) -> bool:
        if isinstance(value, list):
            return holds({str(place): item for place, item in enumerate(value)})
        inner = as_mapping(value)
        return inner is not None and holds(inner)

    return test


def _all(operand: Any) -> Condition:
    if not isinstance(operand, list):
        raise StoreError(2, "$all needs an array")
    if not operand:
        return Some(lambda value: False)
    element_wise = [isinstance(item, Mapping) and next(iter(item), "") == "$elemMatch" for item in operand]
    if any(element_wise):
        if not all(element_wise):
            raise StoreError(2, "$all/$elemMatch has to be consistent")
        return All(tuple(_field_condition(item) for item in operand))
    if any(is_operators(item) for item in operand):
        raise StoreError(2, "no $ expressions in $all")
    return All(tuple(Some(equals_or_matches(item)) for item in operand))


_OPERATORS: dict[str, Callable[[Any], Condition]] = {
    "$eq": lambda operand: Some(equals(operand)),
    "$ne": _ne,
    "$gt": _comparison("$gt", lambda order: order > 0),
    "$gte": _comparison("$gte", lambda order: order >= 0),
    "$lt": _comparison("$lt", lambda order: order < 0),
    "$lte": _comparison("$lte", lambda order: order <= 0),
    "$in": lambda operand: _in("$in", operand),
    "$nin": lambda operand: Not(_in("$nin", operand)),
    "$exists": _exists,
    "$type": lambda operand: Some(has_type(operand)),
    "$not": _not,
    "$elemMatch": _elem_match,
    "$all": _all,
    "$size": lambda operand: Some(has_size(operand), expand=False),
    "$mod": lambda operand: Some(has_remainder(operand)),
    "$bitsAllSet": lambda operand: Some(has_bits(operand, lambda bits, mask: bits & mask == mask)),
    "$bitsAnySet": lambda operand: Some(has_bits(operand, lambda bits, mask: bits & mask != 0)),
    "$bitsAllClear": lambda operand: Some(has_bits(operand, lambda bits, mask: bits & mask == 0)),
    "$bitsAnyClear": lambda operand: Some(has_bits(operand, lambda bits, mask: bits & mask != mask)),
    "$comment": lambda operand: All(()),
}
