"""Forms: expressions that decide for themselves what to evaluate, and with which variables."""

import re
from collections.abc import Mapping
from random import random
from typing import Any

from embedded.errors import StoreError
from embedded.operators.comparing import MISSING
from embedded.operators.named_arguments import arguments
from embedded.operators.operands import (
    Compile,
    Expression,
    Form,
    Variables,
    as_array,
    as_whole,
    is_nothing,
    truthy,
)

_VARIABLE = re.compile(r"[a-z\x80-\U0010ffff][A-Za-z0-9_\x80-\U0010ffff]*")


def _literal(operand: Any, variables: frozenset[str], build: Compile) -> Expression:
    return lambda scope: operand


def _and(operand: Any, variables: frozenset[str], build: Compile) -> Expression:
    items = [build(item, variables) for item in (operand if isinstance(operand, list) else [operand])]
    return lambda scope: all(truthy(item(scope)) for item in items)


def _or(operand: Any, variables: frozenset[str], build: Compile) -> Expression:
    items = [build(item, variables) for item in (operand if isinstance(operand, list) else [operand])]
    return lambda scope: any(truthy(item(scope)) for item in items)


def _cond(operand: Any, variables: frozenset[str], build: Compile) -> Expression:
    if isinstance(operand, list):
        if len(operand) != 3:
            raise StoreError(16020, f"Expression $cond takes exactly 3 arguments. {len(operand)} were passed in.")
        parts = operand
    else:
        named = arguments("$cond", operand, ("if", "then", "else"))
        parts = [named["if"], named["then"], named["else"]]
    test, yes, no = (build(part, variables) for part in parts)
    return lambda scope: yes(scope) if truthy(test(scope)) else no(scope)


def _if_null(operand: Any, variables: frozenset[str], build: Compile) -> Expression:
    if not isinstance(operand, list) or len(operand) < 2:
        raise StoreError(1257300, "$ifNull needs at least two arguments")
    *firsts, otherwise = (build(item, variables) for item in operand)

    def evaluate(scope: Variables) -> Any:
        for item in firsts:
            value = item(scope)
            if not is_nothing(value):
                return value
        return otherwise(scope)

    return evaluate


def _switch(operand: Any, variables: frozenset[str], build: Compile) -> Expression:
    named = arguments("$switch", operand, ("branches",), ("default",))
    if not isinstance(named["branches"], list):
        raise StoreError(40061, "$switch expected an array for 'branches'")
    if not named["branches"]:
        raise StoreError(40068, "$switch requires at least one branch.")
    branches = []
    for branch in named["branches"]:
        parts = arguments("a branch of $switch", branch, ("case", "then"))
        branches.append((build(parts["case"], variables), build(parts["then"], variables)))
    default = build(named["default"], variables) if "default" in named else None

    def evaluate(scope: Variables) -> Any:
        for case, then in branches:
            if truthy(case(scope)):
                return then(scope)
        if default is None:
            raise StoreError(
                40066, "$switch could not find a matching branch for an input, and no default was specified"
            )
        return default(scope)

    return evaluate


def _let(operand: Any, variables: frozenset[str], build: Compile) -> Expression:
    named = arguments("$let", operand, ("vars", "in"))
    if not isinstance(named["vars"], Mapping):
        raise StoreError(10065, "invalid parameter: expected an object (vars)")
    values = [(_variable(name), build(value, variables)) for name, value in named["vars"].items()]
    inner = build(named["in"], variables | named["vars"].keys())
    return lambda scope: inner({**scope, **{name: value(scope) for name, value in values}})


def _map(operand: Any, variables: frozenset[str], build: Compile) -> Expression:
    named = arguments("$map", operand, ("input", "in"), ("as",))
    name = _variable(named.get("as", "this"))
    source, inner = build(named["input"], variables), build(named["in"], variables | {name})

    def evaluate(scope: Variables) -> Any:
        items = source(scope)
        if is_nothing(items):
            return None
        mapped = (inner({**scope, name: item}) for item in as_array("$map", items, 16883))
        return [None if value is MISSING else value for value in mapped]

    return evaluate


def _filter(operand: Any, variables: frozenset[str], build: Compile) -> Expression:
    named = arguments("$filter", operand, ("input", "cond"), ("as", "limit"))
    name = _variable(named.get("as", "this"))
    source, test = build(named["input"], variables), build(named["cond"], variables | {name})
    limit = build(named.get("limit"), variables)

    def evaluate(scope: Variables) -> Any:
        items, most = source(scope), limit(scope)
        if is_nothing(items):
            return None
        kept = [item for item in as_array("$filter", items, 28651) if truthy(test({**scope, name: item}))]
        if is_nothing(most):
            return kept
        count = as_whole("$filter", most, 327391)
        if count < 1:
            raise StoreError(327392, f"$filter: limit must be greater than 0: {count}")
        return kept[:count]

    return evaluate


def _reduce(operand: Any, variables: frozenset[str], build: Compile) -> Expression:
    named = arguments("$reduce", operand, ("input", "initialValue", "in"))
    source, initial = build(named["input"], variables), build(named["initialValue"], variables)
    step = build(named["in"], variables | {"this", "value"})

    def evaluate(scope: Variables) -> Any:
        items, value = source(scope), initial(scope)
        if is_nothing(items):
            return None
        for item in as_array("$reduce", items, 40080):
            value = step({**scope, "this": item, "value": value})
        return value

    return evaluate


def _variable(name: Any) -> str:
    if not isinstance(name, str) or not (_VARIABLE.fullmatch(name) or name == "CURRENT"):
        raise StoreError(9, f"'{name}' starts with an invalid character for a user variable name")
    return name


def _rand(operand: Any, variables: frozenset[str], build: Compile) -> Expression:
    if operand not in ({}, []):
        raise StoreError(3040501, "$rand does not currently accept arguments")
    return lambda scope: random()  # noqa: S311


FORMS: dict[str, Form] = {
    "$rand": _rand,
    "$literal": _literal,
    "$const": _literal,
    "$and": _and,
    "$or": _or,
    "$cond": _cond,
    "$ifNull": _if_null,
    "$switch": _switch,
    "$let": _let,
    "$map": _map,
    "$filter": _filter,
    "$reduce": _reduce,
}
