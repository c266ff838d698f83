"""How does a pipeline start on the indexes?

Leading `$match`, `$sort`, `$skip` and `$limit` become a query; counting what a leading `$match` selects is answered
from index entries; the rest of the pipeline runs over the documents that are left.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from embedded.codec import Document, encode
from embedded.commands.call import Call, Command, Steps, read
from embedded.commands.reading import FIRST_BATCH, first_batch
from embedded.counting import count as count_matches
from embedded.cursors import Stream
from embedded.errors import StoreError, not_implemented
from embedded.operators.aggregating import run_pipeline
from embedded.operators.matching import compile_filter
from embedded.operators.typenames import is_number, is_string, type_name, whole_number
from embedded.planning import make_plan
from embedded.querying import Query, documents, drain, read_sort, run_query

_SMALL = 200
_READS_OTHERS = frozenset({"$lookup", "$graphLookup", "$unionWith", "$facet"})

Stage = Mapping[str, Any]


@dataclass(slots=True)
class Opening:
    """The query that a pipeline begins with, and the stages that are left."""

    query: Query
    rest: Sequence[Stage]


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


def aggregate(call: Call) -> Steps:
    stages = read_stages(call)
    if call.body.get("explain"):
        raise not_implemented("aggregate with explain: true (use the explain command)")
    if "cursor" not in call.body:
        raise StoreError(9, "The 'cursor' option is required, except for aggregate with the explain argument")
    if any("$changeStream" in stage for stage in stages):
        raise StoreError(40573, "The $changeStream stage is only supported on replica sets")
    if not isinstance(call.body[call.name], str):
        raise not_implemented("aggregate on a whole database")
    size = read_batch_size(call.document("cursor"))
    return first_batch(call, _stream(call, stages), size, call.namespace, empty=size == 0)


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


def read_batch_size(options: Mapping[str, Any]) -> int:
    """The size of the first batch. Raises StoreError 14 for no number, 51024 for a negative one."""
    size = options.get("batchSize", FIRST_BATCH)
    if not is_number(size):
        raise StoreError(14, f"BSON field 'cursor.batchSize' is the wrong type '{type_name(size)}', expected a number")
    if size < 0:
        raise StoreError(51024, f"BSON field 'batchSize' value must be >= 0, actual value '{size}'")
    return int(size)


def _stream(call: Call, stages: Sequence[Stage]) -> Stream:
    opening = open_pipeline(stages, call.hint())
    count = counted(opening)
    if count is not None:
        return _count(call, opening.query, *count)
    found = run_query(call.collection(), opening.query, call.store.source)
    if not opening.rest:
        return found
    # Checks the stages at once, before anything is read.
    run_pipeline((), opening.rest, collection=lambda name: ())
    return _run(call, opening.rest, found)


def _run(call: Call, stages: Sequence[Stage], found: Stream) -> Stream:
    kept: list[Document] = []
    for document in documents(found):
        if document is None:
            yield None
            continue
        kept.append(document)
        if len(kept) >= _SMALL:
            break
    call.slow = len(kept) >= _SMALL or any(next(iter(stage)) in _READS_OTHERS for stage in stages)
    yield None
    results = run_pipeline(_chain(call, kept, found), stages, collection=lambda name: _everything(call, name))
    for number, result in enumerate(results):
        if number % _SMALL == 0:
            call.breathe()
            yield None
        yield encode(result)


def _chain(call: Call, kept: list[Document], rest: Stream) -> Iterator[Document]:
    yield from kept
    kept.clear()
    yield from drain(rest, call.breathe)


def _everything(call: Call, name: str) -> Iterable[Document]:
    collection = call.store.catalog.get(call.database, name)
    return drain(run_query(collection, Query({}), call.store.source), call.breathe)


def _count(call: Call, query: Query, result: Document, field: str) -> Stream:
    collection = call.collection()
    total = 0
    if collection is None:
        compile_filter(query.filter)
    else:
        for found in count_matches(make_plan(collection, query.filter, (), query.hint), call.store.source):
            yield None
            total = found or 0
    total = max(0, total - query.skip)
    total = min(total, query.limit) if query.limit else total
    if total:
        yield encode({**result, field: total})


def _is_count(value: Any, least: int) -> bool:
    count = whole_number(value)
    return count is not None and count >= least


COMMANDS: dict[str, Command] = {
    "aggregate": read(
        aggregate,
        *("aggregate", "pipeline", "cursor", "explain", "allowDiskUse", "bypassDocumentValidation"),
        *("collation", "hint", "let"),
    ),
}
