"""Reading: documents found, fetched batch by batch, counted, and listed by value."""

from collections.abc import Iterator, Mapping
from typing import Any

from bson import Int64

from embedded.bounds import is_point
from embedded.codec import encode_cursor, encode_reply
from embedded.commands.call import Call, Command, Steps, now, read, read_count
from embedded.counting import count as count_matches
from embedded.cursors import IDLE_SECONDS, SESSION_SECONDS, Cursor
from embedded.errors import StoreError, not_implemented
from embedded.operators.matching import compile_filter
from embedded.operators.values import encode_key
from embedded.planning import make_plan
from embedded.querying import Query, documents, run_query, sorted_query

FIRST_BATCH = 101
NO_LIMIT = 2**31
"""As the size of a batch: as many documents as it has room for."""


def query_of(call: Call) -> Query:
    """The query that a find command asks for. Raises StoreError for what is not supported."""
    for field in ("min", "max", "returnKey", "showRecordId"):
        if call.body.get(field):
            raise not_implemented(f"find's {field}")
    if call.body.get("tailable") or call.body.get("awaitData"):
        raise StoreError(2, "error processing query: tailable cursor requested on non capped collection")
    query = Query(
        filter=call.document("filter"),
        skip=call.integer("skip"),
        limit=call.integer("limit"),
        projection=call.document("projection") or None,
        hint=call.hint(),
    )
    return sorted_query(query, call.document("sort"))


def find(call: Call) -> Steps:
    query = query_of(call)
    stream = run_query(call.collection(), query, call.store.source)
    size = read_batch_size(call.body, call.name, FIRST_BATCH)
    single, lasting = call.boolean("singleBatch"), call.boolean("noCursorTimeout")
    cursor = Cursor(0, call.namespace, stream, patience=SESSION_SECONDS if lasting else IDLE_SECONDS)
    cursor.knows_end, cursor.limit = bool(query.sort) or is_point(query.filter.get("_id")), query.limit
    return first_batch(call, cursor, size, single=single)


def first_batch(
    call: Call,
    cursor: Cursor,
    size: int,
    *,
    single: bool = False,
) -> Steps:
    """The reply with the first `size` documents; a cursor is kept where more may be left, or none were asked for."""
    found: list[bytes] = []
    if size:
        for batch in cursor.fill(size):
            if isinstance(batch, list):
                found = batch
            else:
                yield batch
    more = (cursor.more or not size) and not single
    identifier = call.store.cursors.keep(cursor) if more else 0
    yield encode_cursor(b"firstBatch", found, identifier, cursor.namespace)


def read_batch_size(options: Mapping[str, Any], where: str, default: int) -> int:
    """How many documents a batch may have. Raises StoreError 14 for no number, 2 for one that is not finite, 51024 for
    a negative one."""
    size = options.get("batchSize")
    return default if size is None else read_count(where, "batchSize", size)


def get_more(call: Call) -> Steps:
    identifier = call.body[call.name]
    name = call.body.get("collection")
    if not isinstance(identifier, int) or not isinstance(name, str):
        raise StoreError(14, "getMore needs a cursor id and a collection")
    namespace = f"{call.database}.{name}"
    size = read_batch_size(call.body, call.name, 0)
    cursor = call.store.cursors.take(identifier, namespace)
    if cursor.asker is not None:
        cursor.asker.now = call.breathe
    found: list[bytes] = []
    for batch in cursor.fill(size):
        if isinstance(batch, list):
            found = batch
        else:
            yield batch
    identifier = call.store.cursors.keep(cursor) if cursor.more else 0
    yield encode_cursor(b"nextBatch", found, identifier, namespace)


def kill_cursors(call: Call) -> bytes:
    identifiers = call.body.get("cursors")
    if not isinstance(identifiers, list):
        raise StoreError(14, "BSON field 'killCursors.cursors' is the wrong type, expected type 'array'")
    for place, each in enumerate(identifiers):
        if isinstance(each, bool) or not isinstance(each, int):
            raise StoreError(14, f"BSON field 'killCursors.cursors.{place}' is the wrong type, expected type 'long'")
    killed, unknown = call.store.cursors.kill(identifiers)
    none: list[int] = []
    return encode_reply(
        {
            "cursorsKilled": [Int64(each) for each in killed],
            "cursorsNotFound": [Int64(each) for each in unknown],
            "cursorsAlive": none,
            "cursorsUnknown": none,
        }
    )


def count(call: Call) -> Steps:
    query = Query(call.document("query"), hint=call.hint())
    skip, limit = call.integer("skip"), abs(call.signed("limit"))
    collection = call.collection()
    total = 0
    if collection is None:
        compile_filter(query.filter)
    else:
        for found in count_matches(make_plan(collection, query.filter, (), query.hint), call.store.source):
            if found is None:
                yield None
            else:
                total = found
    total = max(0, total - skip)
    yield encode_reply({"n": min(total, limit) if limit else total})


def distinct(call: Call) -> Steps:
    key = call.body.get("key")
    if not isinstance(key, str):
        raise StoreError(14, "BSON field 'distinct.key' is the wrong type, expected type 'string'")
    query = Query(call.document("query"), hint=call.hint())
    values: dict[bytes, Any] = {}
    for document in documents(run_query(call.collection(), query, call.store.source)):
        if document is None:
            yield None
        else:
            for value in _reached(document, key.split(".")):
                values.setdefault(encode_key(value), value)
    yield encode_reply({"values": [values[each] for each in sorted(values)]})


def _reached(value: Any, names: list[str]) -> Iterator[Any]:
    """The values at a path, the elements of arrays one by one."""
    if not names:
        if isinstance(value, list):
            yield from value
        else:
            yield value
    elif isinstance(value, Mapping):
        if names[0] in value:
            yield from _reached(value[names[0]], names[1:])
    elif isinstance(value, list):
        if names[0].isdigit() and int(names[0]) < len(value):
            yield from _reached(value[int(names[0])], names[1:])
        for item in value:
            if isinstance(item, Mapping):
                yield from _reached(item, names)


COMMANDS: dict[str, Command] = {
    "find": read(
        find,
        *("find", "filter", "sort", "projection", "hint", "skip", "limit", "batchSize", "singleBatch", "max", "min"),
        *("returnKey", "showRecordId", "tailable", "awaitData", "oplogReplay", "noCursorTimeout"),
        *("allowPartialResults", "collation", "allowDiskUse", "let"),
    ),
    "getMore": read(get_more, "getMore", "collection", "batchSize"),
    "killCursors": now(kill_cursors, "killCursors", "cursors"),
    "count": read(count, "count", "query", "limit", "skip", "hint", "collation", "fields"),
    "distinct": read(distinct, "distinct", "key", "query", "collation", "hint"),
}
