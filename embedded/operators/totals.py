"""Totals: the sum, the mean, the extreme or the union of many values."""

import decimal
import math
import statistics
from collections.abc import Callable
from typing import Any

from bson import Decimal128

from embedded.errors import StoreError
from embedded.operators.comparing import Bracket, bracket, fields, number, sort_key
from embedded.operators.numbers import add, fitted, widen_on_overflow
from embedded.operators.operands import is_nothing
from embedded.operators.typenames import is_number, type_name


def total(values: list[Any]) -> Any:
    """`$sum`: anything but numbers is left out; 0 of none."""
    numbers = [value for value in values if is_number(value)]
    if not numbers:
        return 0
    if all(type(value) is float for value in numbers):
        return math.fsum(numbers) if all(map(math.isfinite, numbers)) else sum(numbers)
    if all(type(value) is int for value in numbers):
        return fitted(sum(numbers), "int")
    found: Any = 0
    for value in numbers:
        found = widen_on_overflow(add, found, value)
    return found


def average(values: list[Any]) -> Any:
    """`$avg`: anything but numbers is left out; null of none."""
    numbers = [value for value in values if is_number(value)]
    if not numbers:
        return None
    found = total(numbers)
    if isinstance(found, Decimal128):
        with decimal.localcontext(prec=34):
            return Decimal128(found.to_decimal() / len(numbers))
    return float(found) / len(numbers)


def smallest(values: list[Any]) -> Any:
    """`$min`: null and missing values are left out; null of none."""
    return min((value for value in values if not is_nothing(value)), key=sort_key, default=None)


def largest(values: list[Any]) -> Any:
    """`$max`: null and missing values are left out; null of none."""
    return max((value for value in values if not is_nothing(value)), key=sort_key, default=None)


def population_deviation(values: list[Any]) -> float | None:
    """`$stdDevPop`: anything but numbers is left out; null of none."""
    return _deviation(statistics.pstdev, values, 1)


def sample_deviation(values: list[Any]) -> float | None:
    """`$stdDevSamp`: anything but numbers is left out; null of fewer than two."""
    return _deviation(statistics.stdev, values, 2)


def _deviation(deviation: Callable[[list[float]], float], values: list[Any], least: int) -> float | None:
    numbers = [float(number(value)) for value in values if is_number(value)]
    if len(numbers) < least:
        return None
    if not all(map(math.isfinite, numbers)):
        return math.nan
    try:
        return deviation(numbers)
    except OverflowError:
        return math.inf


def merged(values: list[Any]) -> dict[str, Any]:
    """`$mergeObjects`: later fields win, null and missing values are left out."""
    united: dict[str, Any] = {}
    for value in values:
        if is_nothing(value):
            continue
        if bracket(value) is not Bracket.OBJECT:
            raise StoreError(40400, f"$mergeObjects requires object inputs, but input is of type {type_name(value)}")
        united.update(fields(value))
    return united


ACCUMULATIONS: dict[str, Callable[[list[Any]], Any]] = {
    "$sum": total,
    "$avg": average,
    "$min": smallest,
    "$max": largest,
    "$stdDevPop": population_deviation,
    "$stdDevSamp": sample_deviation,
    "$mergeObjects": merged,
}
