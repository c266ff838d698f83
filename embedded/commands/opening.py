"""The opening of a pipeline: the query that it begins with.

Leading `$match`, `$sort`, `$skip` and `$limit` become a query, which the indexes serve; so does counting what a leading
`$match` selects.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from embedded.codec import Document
from embedded.commands.call import Call
from embedded.errors import StoreError
from embedded.operators.typenames import is_string, type_name, whole_number
from embedded.querying import Query, drain, read_sort, run_query

Stage = Mapping[str, Any]


@dataclass(slots=True)
class Opening:
    """The query that a pipeline begins with, and the stages that are left."""

    query: Query
    rest: Sequence[Stage]


def read_stages(call: Call) -> list[Stage]:
    """The stages of a pipeline. Raises StoreError 14 for another type, 40323 for a stage that is not one field."""
    stages = call.body.get("pipeline")
    if not isinstance(stages, list):
        given = "missing" if stages is None else type_name(stages)
        raise StoreError(14, f"BSON field 'aggregate.pipeline' is the wrong type '{given}', expected type 'array'")
    for stage in stages:
        if not isinstance(stage, Mapping):
            raise StoreError(14, "Each element of the 'pipeline' array must be an object")
        if len(stage) != 1:
            raise StoreError(40323, "A pipeline stage specification object must contain exactly one field.")
    return stages


def open_pipeline(stages: Sequence[Stage], hint: Any = None) -> Opening:
    """Take the leading `$match`, `$sort`, `$skip`, `$limit` (in an order that a query has) off a pipeline."""
    query = Query({}, hint=hint)
    filters: list[Mapping[str, Any]] = []
    place = 0
    for place, stage in enumerate(stages):  # noqa: B007
        operand = stage.get(next(iter(stage), ""))
        sliced = query.skip or query.limit
        if "$match" in stage and isinstance(operand, Mapping) and not sliced:
            filters.append(operand)
        elif "$sort" in stage and isinstance(operand, Mapping) and operand and not query.sort and not sliced:
            query.sort = read_sort(operand)
        elif "$skip" in stage and _is_count(operand, 0) and not sliced:
            query.skip = int(operand)  # type: ignore[arg-type]
        elif "$limit" in stage and _is_count(operand, 1) and not query.limit:
            query.limit = int(operand)  # type: ignore[arg-type]
        else:
            break
    else:
        place = len(stages)
    filters = [each for each in filters if each]
    query.filter = filters[0] if len(filters) == 1 else {"$and": filters} if filters else {}
    return Opening(query, stages[place:])


def counted(opening: Opening) -> tuple[Document, str] | None:
    """(the result but for the number, the number's field) if the rest only counts, as `count_documents` and `$count`
    do; else None."""
    if len(opening.rest) != 1:
        return None
    stage = opening.rest[0]
    name = stage.get("$count")
    if is_string(name) and name and not name.startswith("$") and "." not in name:
        return {}, name
    group = stage.get("$group")
    if not isinstance(group, Mapping) or len(group) != 2 or "_id" not in group:
        return None
    field = next(each for each in group if each != "_id")
    if "." in field or field.startswith("$"):
        return None
    constant = group["_id"] is None or (type(group["_id"]) in (int, float, bool))
    if constant and isinstance(group[field], Mapping) and dict(group[field]) == {"$sum": 1}:
        return {"_id": group["_id"]}, field
    return None


def breathing(breathe: Callable[[], None], found: Iterable[Document]) -> Iterator[Document]:
    """The same documents, a breath before each: what a stage makes of one may take long."""
    for document in found:
        breathe()
        yield document


def everything(call: Call, name: str, breathe: Callable[[], None]) -> Iterator[Document]:
    """The documents of another collection of the call's database, for `$lookup`."""
    collection = call.store.catalog.get(call.database, name)
    return drain(run_query(collection, Query({}), call.store.source), breathe)


def _is_count(value: Any, least: int) -> bool:
    count = whole_number(value)
    return count is not None and count >= least
