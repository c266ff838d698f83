"""What comes out of a pipeline?

What it begins with is a query (`opening`) or documents that a stage makes (`sources`); the other stages run over the
documents that are left.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from embedded.codec import Document, encode
from embedded.commands.call import Call, Command, Steps, read
from embedded.commands.explaining import explain_inline
from embedded.commands.opening import Stage, breathing, counted, everything, open_pipeline, read_stages
from embedded.commands.reading import FIRST_BATCH, first_batch
from embedded.commands.sources import source
from embedded.counting import count as count_matches
from embedded.cursors import Stream
from embedded.errors import StoreError
from embedded.operators.aggregating import run_pipeline
from embedded.operators.matching import compile_filter
from embedded.operators.typenames import is_number, type_name
from embedded.planning import make_plan
from embedded.querying import Query, documents, drain, run_query

_SMALL = 200
_READS_OTHERS = frozenset({"$lookup", "$graphLookup", "$unionWith", "$facet"})


def aggregate(call: Call) -> Steps:
    stages = read_stages(call)
    if call.boolean("explain"):
        return explain_inline(call)
    if "cursor" not in call.body:
        raise StoreError(9, "The 'cursor' option is required, except for aggregate with the explain argument")
    if any("$changeStream" in stage for stage in stages):
        raise StoreError(40573, "The $changeStream stage is only supported on replica sets")
    size = read_batch_size(call.document("cursor"))
    target = call.body[call.name]
    namespace = call.namespace if isinstance(target, str) else f"{call.database}.$cmd.aggregate"
    return first_batch(call, _stream(call, stages), size, namespace, empty=size == 0)


def read_batch_size(options: Mapping[str, Any]) -> int:
    """The size of the first batch. Raises StoreError 14 for no number, 51024 for a negative one."""
    size = options.get("batchSize", FIRST_BATCH)
    if not is_number(size):
        raise StoreError(14, f"BSON field 'cursor.batchSize' is the wrong type '{type_name(size)}', expected a number")
    if size < 0:
        raise StoreError(51024, f"BSON field 'batchSize' value must be >= 0, actual value '{size}'")
    return int(size)


def _stream(call: Call, stages: Sequence[Stage]) -> Stream:
    made = source(call, stages)
    if made is not None:
        return _run(call, _checked(stages[1:]), made)
    opening = open_pipeline(stages, call.hint())
    count = counted(opening)
    if count is not None:
        return _count(call, opening.query, *count)
    found = run_query(call.collection(), opening.query, call.store.source)
    if not opening.rest:
        return found
    return _run(call, _checked(opening.rest), found)


def _checked(stages: Sequence[Stage]) -> Sequence[Stage]:
    """The stages, whose mistakes are told at once, before anything is read."""
    run_pipeline((), stages, collection=lambda name: ())
    return stages


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
    results = run_pipeline(_chain(call, kept, found), stages, collection=lambda name: everything(call, name))
    for number, result in enumerate(results):
        if number % _SMALL == 0:
            call.breathe()
            yield None
        yield encode(result)


def _chain(call: Call, kept: list[Document], rest: Stream) -> Iterator[Document]:
    yield from breathing(call, kept)
    kept.clear()
    yield from breathing(call, drain(rest, call.breathe))


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


COMMANDS: dict[str, Command] = {
    "aggregate": read(
        aggregate,
        *("aggregate", "pipeline", "cursor", "explain", "allowDiskUse", "bypassDocumentValidation"),
        *("collation", "hint", "let"),
    ),
}
