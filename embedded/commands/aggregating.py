"""The command `aggregate`: what comes out of a pipeline.

What it begins with is a query (`opening`) or documents that a stage makes (`sources`); the other stages run over the
documents that are left.
"""

from collections.abc import Sequence
from functools import partial

from embedded.codec import Document, encode
from embedded.commands.call import Call, Command, Steps, read
from embedded.commands.explaining import explain_inline
from embedded.commands.opening import Stage, breathing, counted, everything, open_pipeline, read_stages
from embedded.commands.reading import FIRST_BATCH, first_batch, read_batch_size
from embedded.commands.sources import source
from embedded.counting import count as count_matches
from embedded.cursors import Asker, Cursor, Leave, Stream
from embedded.errors import StoreError
from embedded.operators.aggregating import run_pipeline
from embedded.operators.matching import compile_filter
from embedded.planning import make_plan
from embedded.querying import Query, drain, run_query

_PORTION = 200


def aggregate(call: Call) -> Steps:
    stages = read_stages(call)
    if call.boolean("explain"):
        return explain_inline(call)
    if "cursor" not in call.body:
        raise StoreError(9, "The 'cursor' option is required, except for aggregate with the explain argument")
    if any("$changeStream" in stage for stage in stages):
        raise StoreError(40573, "The $changeStream stage is only supported on replica sets")
    size = read_batch_size(call.document("cursor"), "cursor", FIRST_BATCH)
    asker = Asker(call.breathe)
    target = call.body[call.name]
    namespace = call.namespace if isinstance(target, str) else f"{call.database}.$cmd.aggregate"
    return first_batch(call, Cursor(0, namespace, _stream(call, stages, asker), asker, knows_end=False), size)


def _stream(call: Call, stages: Sequence[Stage], asker: Asker) -> Stream:
    made = source(call, stages)
    if made is not None:
        rest = _checked(stages[1:])
        stays = "$currentOp" in stages[0] and all("$match" in stage for stage in rest)
        return _run(call, rest, made, asker, stays=stays) if rest else _staying(made) if stays else made
    opening = open_pipeline(stages, call.hint())
    count = counted(opening)
    if count is not None:
        return _count(call, opening.query, *count)
    found = run_query(call.collection(), opening.query, call.store.source)
    if not opening.rest:
        return found
    return _run(call, _checked(opening.rest), found, asker)


def _checked(stages: Sequence[Stage]) -> Sequence[Stage]:
    """The stages, whose mistakes are told at once, before anything is read."""
    run_pipeline((), stages, collection=lambda name: ())
    return stages


def _run(call: Call, stages: Sequence[Stage], found: Stream, asker: Asker, *, stays: bool = False) -> Stream:
    """What the stages make of what was found. One document may keep them busy for long, so they leave the event loop.

    `stays`: they only choose among the operations under way, which are to be seen while these keep every thread busy.
    """
    yield Leave.NEVER if stays else Leave.LOOP
    results = run_pipeline(
        breathing(asker.breathe, drain(found, asker.breathe)),
        stages,
        collection=lambda name: everything(call, name, asker.breathe),
        through=partial(breathing, asker.breathe),
    )
    for number, result in enumerate(results):
        if number % _PORTION == 0:
            yield None
        yield encode(result)


def _staying(found: Stream) -> Stream:
    yield Leave.NEVER
    yield from found


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
