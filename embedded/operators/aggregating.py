"""Aggregation pipelines, run stage by stage."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from embedded.errors import StoreError, not_implemented
from embedded.operators.dates import one_moment
from embedded.operators.grouping import count, group, sort_by_count
from embedded.operators.joining import Collection, facet, join, unwind
from embedded.operators.stages import (
    Document,
    Stage,
    add_fields,
    limit,
    match,
    project,
    replace_root,
    replace_with,
    sample,
    skip,
    sort,
    unset,
)

Through = Callable[[Iterator[Document]], Iterator[Document]]

_STAGES: dict[str, Callable[[Any], Stage]] = {
    "$match": match,
    "$project": project,
    "$addFields": add_fields,
    "$set": add_fields,
    "$unset": unset,
    "$group": group,
    "$sort": sort,
    "$limit": limit,
    "$skip": skip,
    "$unwind": unwind,
    "$count": count,
    "$sortByCount": sort_by_count,
    "$replaceRoot": replace_root,
    "$replaceWith": replace_with,
    "$sample": sample,
}
# fmt: off
_REFUSED = frozenset((
    "$bucket", "$bucketAuto", "$changeStream", "$changeStreamSplitLargeEvent", "$collStats", "$currentOp", "$densify",
    "$documents", "$fill", "$geoNear", "$graphLookup", "$indexStats", "$listLocalSessions", "$listSampledQueries",
    "$listSearchIndexes", "$listSessions", "$merge", "$out", "$planCacheStats", "$redact", "$search", "$searchMeta",
    "$setWindowFields", "$shardedDataDistribution", "$unionWith", "$vectorSearch",
))
# fmt: on


def run_pipeline(
    documents: Iterable[Document],
    stages: Sequence[Mapping[str, Any]],
    *,
    collection: Callable[[str], Iterable[Document]],
    through: Through = iter,
) -> Iterator[Document]:
    """The results of a pipeline over `documents`; `collection(name)` gives another collection's for `$lookup`, and
    what a stage gives to the next one goes `through` a function, which may end it all.

    Stages are checked at once, before anything is read; results may share values with the documents.
    Raises StoreError 40324 for an unknown stage, 168 for an unknown expression, 238 for what the store does not
    support, and MongoDB's other codes for malformed stages.
    """
    with one_moment():
        pipeline = _build_all(stages, collection, through)
    return pipeline(documents)


def _build_all(
    stages: Sequence[Mapping[str, Any]],
    collection: Collection,
    through: Through,
) -> Stage:
    built = [_build(stage, collection, through) for stage in stages]

    def run(documents: Iterable[Document]) -> Iterator[Document]:
        results = iter(documents)
        for stage in built:
            results = through(stage(results))
        return results

    return run


def _build(stage: Any, collection: Collection, through: Through) -> Stage:
    if not isinstance(stage, Mapping):
        raise StoreError(14, "Each element of the 'pipeline' array must be an object")
    if len(stage) != 1:
        raise StoreError(40323, "A pipeline stage specification object must contain exactly one field.")
    name, spec = next(iter(stage.items()))
    if name == "$lookup":
        return join(spec, collection)
    if name == "$facet":
        return facet(spec, lambda stages: _build_all(stages, collection, through))
    if name in _REFUSED:
        raise not_implemented(name)
    if name not in _STAGES:
        raise StoreError(40324, f"Unrecognized pipeline stage name: '{name}'")
    return _STAGES[name](spec)
