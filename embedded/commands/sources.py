"""Stages that begin a pipeline with documents of their own: figures of a collection, or what the server is doing."""

import datetime
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from embedded.catalog import Collection
from embedded.codec import Document, encode
from embedded.commands.call import Call, read_integer
from embedded.commands.operations import read_options, shown_operations
from embedded.commands.statistics import latencies, measured, storage
from embedded.counting import NOTHING
from embedded.cursors import Stream
from embedded.errors import StoreError, not_implemented

Stage = Mapping[str, Any]
_NEEDS_NO_COLLECTION = frozenset({"$changeStream", "$documents", "$listLocalSessions"})
"""Stages that MongoDB takes on a whole database too."""


def source(call: Call, stages: Sequence[Stage]) -> Stream | None:
    """The documents that a pipeline's first stage makes, None where the pipeline reads a collection.

    Raises 40602 for such a stage further behind, 73 where a collection is missing or one too many.
    """
    names = [next(iter(stage)) for stage in stages]
    late = next((name for name in names[1:] if name in _SOURCES), None)
    if late is not None:
        raise StoreError(40602, f"{late} is only valid as the first stage in a pipeline")
    first = names[0] if names else ""
    if not isinstance(call.body[call.name], str):
        _check_without_collection(call, first)
    elif first == "$currentOp":
        raise StoreError(73, "$currentOp must be run against the 'admin' database with {aggregate: 1}")
    produce = _SOURCES.get(first)
    if produce is None:
        return None
    spec = stages[0][first]
    if not isinstance(spec, Mapping):
        raise StoreError(9, f"the {first} stage specification must be an object")
    return produce(call, spec)


def _check_without_collection(call: Call, first: str) -> None:
    target = call.body[call.name]
    if isinstance(target, bool) or target != 1:
        raise StoreError(9, "Invalid command format: the 'aggregate' field must specify a collection name or 1")
    if first == "$currentOp":
        if call.database != "admin":
            raise StoreError(73, "$currentOp must be run against the 'admin' database with {aggregate: 1}")
    elif first in _NEEDS_NO_COLLECTION:
        raise not_implemented(first)
    else:
        shown = f"'{first}'" if first else "an empty pipeline"
        raise StoreError(73, f"{{aggregate: 1}} is not valid for {shown}; a collection is required.")


def _current_op(call: Call, spec: Mapping[str, Any]) -> Stream:
    options = read_options(spec)
    return iter([encode(shown) for shown in shown_operations(call, options)])


def _coll_stats(call: Call, spec: Mapping[str, Any]) -> Stream:
    parts = {name: _part(spec, name) for name in ("count", "storageStats", "latencyStats") if name in spec}
    if "queryExecStats" in spec:
        raise not_implemented("$collStats with queryExecStats")
    unknown = spec.keys() - parts.keys()
    if unknown:
        raise StoreError(40415, f"BSON field '$collStats.{min(unknown)}' is an unknown field.")
    if parts.get("latencyStats", {}).get("histograms"):
        raise not_implemented("$collStats with histograms")
    collection = call.collection()
    if collection is None and "count" in parts:
        raise StoreError(26, f"Unable to retrieve count in $collStats stage: {call.namespace} does not exist")
    return _measure(call, collection, parts)


def _measure(call: Call, collection: Collection | None, parts: Mapping[str, Mapping[str, Any]]) -> Stream:
    document: Document = {
        "ns": call.namespace,
        "host": platform.node(),
        "localTime": datetime.datetime.now(datetime.UTC),
    }
    if "latencyStats" in parts:
        document["latencyStats"] = latencies(call, collection)
    if "storageStats" in parts or "count" in parts:
        stats = NOTHING
        for found in measured(call, collection):
            yield None
            stats = found or stats
        if "storageStats" in parts:
            document["storageStats"] = storage(stats, _scale(parts["storageStats"]))
        if "count" in parts:
            document["count"] = stats.count
    yield encode(document)


def _part(spec: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = spec[name]
    if not isinstance(part, Mapping):
        raise StoreError(14, f"BSON field '$collStats.{name}' is the wrong type, expected type 'object'")
    _scale(part)
    return part


def _scale(part: Mapping[str, Any]) -> int:
    scale = read_integer("$collStats", "scale", part.get("scale", 1))
    if scale < 1:
        raise StoreError(2, "scale has to be > 0")
    return scale


def _index_stats(call: Call, spec: Mapping[str, Any]) -> Stream:
    if spec:
        raise StoreError(28803, "The $indexStats stage specification must be an empty object")
    return _index_uses(call.collection())


def _index_uses(collection: Collection | None) -> Iterator[bytes]:
    for index in collection.indexes if collection else ():
        yield encode(
            {
                "name": index.name,
                "key": index.spec["key"],
                "host": platform.node(),
                "accesses": {"ops": index.uses, "since": index.since},
                "spec": index.spec,
            }
        )


def _plan_cache(call: Call, spec: Mapping[str, Any]) -> Stream:
    """Nothing: plans follow rules, and none is kept."""
    return iter(())


_SOURCES: dict[str, Callable[[Call, Mapping[str, Any]], Stream]] = {
    "$collStats": _coll_stats,
    "$currentOp": _current_op,
    "$indexStats": _index_stats,
    "$planCacheStats": _plan_cache,
}
