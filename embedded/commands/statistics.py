"""Statistics: how much a collection and a database hold, and how much time went into them."""

import shutil
import time
from collections.abc import Iterable, Iterator

from bson import Int64

from embedded.activity import Spent
from embedded.catalog import Collection
from embedded.codec import Document, encode_reply
from embedded.commands.call import Call, Command, Steps, read
from embedded.commands.checks import check_admin
from embedded.counting import NOTHING, CollectionStats, collection_stats
from embedded.errors import StoreError, not_implemented

_PORTION = 50  # collections
_READS = ("find", "getMore", "aggregate", "count", "distinct")
_WRITES = ("insert", "update", "delete", "findAndModify", "findandmodify")
_KINDS = {"find": "queries", "getMore": "getmore", "insert": "insert", "update": "update", "delete": "remove"}


def coll_stats(call: Call) -> Steps:
    scale = _scale(call)
    stats = NOTHING
    for found in measured(call, call.collection()):
        yield None
        stats = found or stats
    yield encode_reply({"ns": call.namespace, **storage(stats, scale)})


def measured(call: Call, collection: Collection | None) -> Iterator[CollectionStats | None]:
    """What a collection holds, as the last value; None is a breath. One that is not there holds nothing."""
    return iter((NOTHING,)) if collection is None else collection_stats(collection, call.store.source)


def storage(stats: CollectionStats, scale: int) -> Document:
    """A collection's sizes as `collStats` and `$collStats` tell them, divided by `scale`."""
    told: Document = {
        "size": stats.size // scale,
        "count": stats.count,
        "numOrphanDocs": 0,
        "storageSize": stats.size // scale,
        "nindexes": len(stats.index_sizes),
        "totalIndexSize": sum(stats.index_sizes.values()) // scale,
        "totalSize": stats.storage_size // scale,
        "indexSizes": {name: size // scale for name, size in stats.index_sizes.items()},
        "capped": False,
        "scaleFactor": scale,
    }
    if stats.count:
        told["avgObjSize"] = stats.size // stats.count
    return told


def db_stats(call: Call) -> Steps:
    scale = _scale(call)
    if call.boolean("freeStorage"):
        raise not_implemented("dbStats with freeStorage")
    collections = call.store.catalog.of_database(call.database)
    found: list[CollectionStats] = []
    for collection in collections:
        for stats in collection_stats(collection, call.store.source):
            yield None
            if stats is not None:
                found.append(stats)
    objects, size = sum(each.count for each in found), sum(each.size for each in found)
    index_size = sum(each.storage_size for each in found) - size
    disk = shutil.disk_usage(call.store.path.parent)
    yield encode_reply(
        {
            "db": call.database,
            "collections": len(collections),
            "views": 0,
            "objects": Int64(objects),
            "avgObjSize": size / objects if objects else 0.0,
            "dataSize": size / scale,
            "storageSize": size / scale,
            "indexes": sum(len(each.indexes) for each in collections),
            "indexSize": index_size / scale,
            "totalSize": (size + index_size) / scale,
            "scaleFactor": scale,
            "fsUsedSize": disk.used / scale,
            "fsTotalSize": disk.total / scale,
        }
    )


def data_size(call: Call) -> Steps:
    """The size of one collection, named with its database."""
    if call.body.keys() & {"keyPattern", "min", "max"}:
        raise not_implemented("dataSize of a range")
    database, _, name = call.target.partition(".")
    started, stats = time.perf_counter(), NOTHING
    for found in measured(call, call.store.catalog.get(database, name)):
        yield None
        stats = found or stats
    milliseconds = int((time.perf_counter() - started) * 1000)
    yield encode_reply({"estimate": False, "size": stats.size, "numObjects": stats.count, "millis": milliseconds})


def latencies(call: Call, collection: Collection | None) -> Document:
    """The time of operations on a collection since the start, in microseconds, as `$collStats` tells it."""
    spent = {} if collection is None else call.store.activity.spent_on(collection)
    others = spent.keys() - {*_READS, *_WRITES}
    told = {"reads": _sum(spent, _READS), "writes": _sum(spent, _WRITES), "commands": _sum(spent, others)}
    return {name: {"latency": _microseconds(each), "ops": Int64(each.count)} for name, each in told.items()}


def top(call: Call) -> Steps:
    """The time of operations by collection, since the start."""
    check_admin(call)
    totals: Document = {"note": "all times in microseconds"}
    for number, collection in enumerate(call.store.catalog.collections.values(), 1):
        if number % _PORTION == 0:
            call.breathe()
            yield None
        spent = call.store.activity.spent_on(collection)
        told = {
            "total": _sum(spent, spent),
            "readLock": _sum(spent, spent.keys() - set(_WRITES)),
            "writeLock": _sum(spent, _WRITES),
            **{kind: _sum(spent, (name,)) for name, kind in _KINDS.items()},
            "commands": _sum(spent, spent.keys() - _KINDS.keys()),
        }
        totals[collection.namespace] = {
            name: {"time": _microseconds(each), "count": each.count} for name, each in told.items()
        }
    yield encode_reply({"totals": totals})


def _sum(spent: dict[str, Spent], names: Iterable[str]) -> Spent:
    return sum((spent[name] for name in list(names) if name in spent), Spent())


def _microseconds(spent: Spent) -> Int64:
    return Int64(spent.seconds * 1e6)


def _scale(call: Call) -> int:
    scale = call.integer("scale", 1)
    if scale < 1:
        raise StoreError(2, "scale has to be > 0")
    return scale


COMMANDS: dict[str, Command] = {
    "collStats": read(coll_stats, "collStats", "scale"),
    "collstats": read(coll_stats, "collstats", "scale"),
    "dbStats": read(db_stats, "dbStats", "scale", "freeStorage"),
    "dbstats": read(db_stats, "dbstats", "scale", "freeStorage"),
    "dataSize": read(data_size, "dataSize", "keyPattern", "min", "max", "estimate"),
    "top": read(top, "top"),
}
