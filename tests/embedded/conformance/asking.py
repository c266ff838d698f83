"""Many small questions of the conformance tests, with all wrong answers told at once."""

import math
from collections.abc import Awaitable, Iterable
from typing import Any

import pytest
from bson import Decimal128
from pymongo.errors import BulkWriteError, OperationFailure

from tests.embedded.drivers import Documents

ABSENT = "there is no value"


async def refused(attempt: Awaitable[Any]) -> int | None:
    """The code that a command, or the first write of a batch, is refused with."""
    with pytest.raises(OperationFailure) as caught:
        await attempt
    if isinstance(caught.value, BulkWriteError) and caught.value.details["writeErrors"]:
        return caught.value.details["writeErrors"][0]["code"]
    return caught.value.code


async def code_of(attempt: Awaitable[Any]) -> int | None:
    """As `refused`, but None where it is not refused."""
    try:
        await attempt
    except OperationFailure as error:
        return error.code
    return None


async def ids(docs: Documents, filter: Any, **options: Any) -> list[Any]:
    """The `_id`s of what a filter selects, sorted by `_id`."""
    return [each["_id"] for each in await docs.find(filter, sort=[("_id", 1)], **options)]


async def selects(docs: Documents, cases: Iterable[tuple[Any, list[Any]]]) -> None:
    """Each filter selects the documents with these `_id`s, by a find and by a count."""
    found = [(filter, expected, await ids(docs, filter)) for filter, expected in cases]
    same(found)
    same([(filter, len(expected), await docs.count_documents(filter)) for filter, expected, _ in found])


def same(answers: Iterable[tuple[Any, Any, Any]]) -> None:
    """(question, one answer, the other): they agree. Raises AssertionError that tells of all that do not."""
    wrong = [f"{question}\n    {one}\n    {other}" for question, one, other in answers if one != other]
    assert not wrong, "\n".join(wrong)


async def value_of(docs: Documents, expression: Any) -> Any:
    """What an expression gives for the only document, ABSENT if nothing."""
    (found,) = await docs.aggregate([{"$project": {"_id": 0, "value": expression}}])
    return found.get("value", ABSENT)


async def gives(docs: Documents, cases: Iterable[tuple[Any, Any]]) -> None:
    """Each expression gives this value, of this type."""
    same([(expression, typed(expected), typed(await value_of(docs, expression))) for expression, expected in cases])


def typed(value: Any) -> Any:
    """The value with its type, so that 1, 1.0, Int64(1) and True differ; every NaN is the same."""
    if isinstance(value, dict):
        return {name: typed(item) for name, item in value.items()}
    if isinstance(value, list):
        return [typed(item) for item in value]
    if isinstance(value, float):
        return "double", "NaN" if math.isnan(value) else repr(value)
    return (type(value).__name__, str(value)) if isinstance(value, Decimal128) else (type(value).__name__, value)
