"""The first, the last, the smallest or the largest `n` of many values."""

from collections.abc import Callable
from typing import Any

from embedded.errors import StoreError
from embedded.operators.comparing import MISSING, sort_key
from embedded.operators.operands import Form, is_nothing, named
from embedded.operators.typenames import is_number, whole_number

Choose = Callable[[list[Any], int], list[Any]]


def count_of(value: Any) -> int:
    """`n`. Raises StoreError 5787902 for no number, 5787903 for one with a fraction, 5787908 below 1."""
    if not is_number(value):
        raise StoreError(5787902, f"Value for 'n' must be of integral type, but found {value!r}")
    count = whole_number(value)
    if count is None:
        raise StoreError(5787903, f"Value for 'n' must be of integral type, but found {value!r}")
    if count <= 0:
        raise StoreError(5787908, f"'n' must be greater than 0, found {count}")
    return count


def first(values: list[Any], count: int) -> list[Any]:
    """`$firstN`; null where a value is missing."""
    return [None if value is MISSING else value for value in values[:count]]


def last(values: list[Any], count: int) -> list[Any]:
    """`$lastN`; null where a value is missing."""
    return [None if value is MISSING else value for value in values[-count:]]


def smallest(values: list[Any], count: int) -> list[Any]:
    """`$minN`, the smallest first; null and missing values are left out."""
    return sorted((value for value in values if not is_nothing(value)), key=sort_key)[:count]


def largest(values: list[Any], count: int) -> list[Any]:
    """`$maxN`, the largest first; null and missing values are left out."""
    return sorted((value for value in values if not is_nothing(value)), key=sort_key, reverse=True)[:count]


CHOICES: dict[str, Choose] = {"$firstN": first, "$lastN": last, "$minN": smallest, "$maxN": largest}


def _of_array(name: str, choose: Choose) -> Form:
    def call(count: Any, array: Any) -> list[Any]:
        number = count_of(count)
        if not isinstance(array, list):
            raise StoreError(5788200, "Input must be an array")
        return choose(array, number)

    return named(name, call, ("n", "input"))


CHOICE_FORMS: dict[str, Form] = {name: _of_array(name, choose) for name, choose in CHOICES.items()}
