"""How much do a collection and a database hold, as `collStats` and `dbStats` tell it?"""

from bson import Int64

from embedded.codec import Document, encode_reply
from embedded.commands.call import Call, Command, Steps, read
from embedded.counting import CollectionStats, collection_stats
from embedded.errors import StoreError


def coll_stats(call: Call) -> Steps:
    scale = _scale(call)
    collection = call.collection()
    stats = CollectionStats(0, 0, {})
    if collection is not None:
        for found in collection_stats(collection, call.store.source):
            yield None
            stats = found or stats
    reply: Document = {
        "ns": call.namespace,
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
        reply["avgObjSize"] = stats.size // stats.count
    yield encode_reply(reply)


def db_stats(call: Call) -> Steps:
    scale = _scale(call)
    collections = call.store.catalog.of_database(call.database)
    found: list[CollectionStats] = []
    for collection in collections:
        for stats in collection_stats(collection, call.store.source):
            yield None
            if stats is not None:
                found.append(stats)
    objects, size = sum(each.count for each in found), sum(each.size for each in found)
    index_size = sum(each.storage_size for each in found) - size
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
        }
    )


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
}
