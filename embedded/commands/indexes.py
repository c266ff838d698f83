"""Indexes: made, listed and dropped."""

from collections.abc import Mapping
from typing import Any

from embedded.catalog import Collection, Index
from embedded.codec import Document, encode, encode_reply
from embedded.commands.call import Call, Command, Steps, read, write
from embedded.commands.checks import check_collation
from embedded.commands.reading import NO_LIMIT, first_batch, read_batch_size
from embedded.cursors import Cursor
from embedded.errors import StoreError, not_implemented
from embedded.ledger import Ledger
from embedded.operators.matching import compile_filter

MAX_INDEXES = 64
MAX_FIELDS = 32
_OPTIONS = frozenset({"v", "key", "name", "ns", "unique", "sparse", "background", "expireAfterSeconds"}) | {
    "partialFilterExpression",
    "collation",
    "hidden",
    "dropDups",
}
_UNSUPPORTED = frozenset(
    {"weights", "default_language", "language_override", "textIndexVersion", "bits", "min", "max"}
) | {
    "2dsphereIndexVersion",
    "bucketSize",
    "wildcardProjection",
    "storageEngine",
    "prepareUnique",
    "clustered",
}
_PARTIAL_OPERATORS = frozenset({"$eq", "$exists", "$gt", "$gte", "$lt", "$lte", "$type", "$and", "$or", "$in"})


def create_indexes(call: Call, ledger: Ledger) -> bytes:
    specs = [read_spec(each) for each in call.documents("indexes")]
    if not specs:
        raise StoreError(2, "Must specify at least one index to create")
    existed = ledger.catalog.get(call.database, call.target) is not None
    with ledger.attempt():
        collection = ledger.collection(call.database, call.target)
        before = len(collection.indexes)
        for spec in specs:
            if not _exists(collection, spec):
                if len(collection.indexes) >= MAX_INDEXES:
                    raise StoreError(67, f"add index fails, too many indexes for {collection.namespace}")
                collection = ledger.create_index(collection, spec, call.breathe)
    reply: Document = {
        "numIndexesBefore": before,
        "numIndexesAfter": len(collection.indexes),
        "createdCollectionAutomatically": not existed,
    }
    if len(collection.indexes) == before:
        reply["note"] = "all indexes already exist"
    return encode_reply(reply)


def read_spec(given: Mapping[str, Any]) -> Document:
    """The index as it is stored. Raises CannotCreateIndex (67), 197, and 238 for kinds that are not supported."""
    unknown = min(given.keys() - _OPTIONS, default=None)
    if unknown in _UNSUPPORTED:
        raise not_implemented(f"the index option {unknown}")
    if unknown is not None:
        raise StoreError(197, f"The field '{unknown}' is not valid for an index specification. Specification: {given}")
    check_collation(given.get("collation"))
    key, name = given.get("key"), given.get("name")
    if not isinstance(key, Mapping) or not key:
        raise StoreError(67, "Index keys cannot be empty.")
    if not isinstance(name, str) or not name:
        raise StoreError(67, "The index name cannot be empty")
    if len(key) > MAX_FIELDS:
        raise StoreError(13103, "too many compound keys")
    for path, direction in key.items():
        _check_component(path, direction)
    if list(key) == ["_id"] and key["_id"] != 1:
        raise StoreError(2, f"The field 'key' for an _id index must be {{_id: 1}}, but got {dict(key)}")
    if given.get("hidden"):
        raise not_implemented("a hidden index")
    spec: Document = {"v": 2, "key": dict(key), "name": "_id_" if list(key) == ["_id"] else name}
    for option in ("unique", "sparse", "background", "hidden", "dropDups"):
        if not isinstance(given.get(option, False), (bool, int, float)):
            raise StoreError(14, f"The field '{option}' has a value that is not convertible to bool: {given[option]!r}")
    if given.get("v", 2) not in (1, 2):
        raise StoreError(67, f"Invalid index specification {dict(given)}; cannot create an index with v={given['v']}")
    for option in ("unique", "sparse"):
        if given.get(option):
            spec[option] = True
    if "background" in given:  # means nothing any more, and is listed
        spec["background"] = bool(given["background"])
    if "expireAfterSeconds" in given:
        spec["expireAfterSeconds"] = _expiry(key, given["expireAfterSeconds"])
    if "partialFilterExpression" in given:
        partial = given["partialFilterExpression"]
        if not isinstance(partial, Mapping):
            raise StoreError(67, "partialFilterExpression must be an object")
        if spec.get("sparse"):
            raise StoreError(67, 'cannot mix "partialFilterExpression" and "sparse" options')
        _check_partial(partial)
        compile_filter(partial)
        spec["partialFilterExpression"] = partial
    return spec


def _check_component(path: str, direction: object) -> None:
    if isinstance(direction, str):
        raise not_implemented(f"an index of kind '{direction}'")
    number = isinstance(direction, (int, float)) and not isinstance(direction, bool)
    if not number or direction == 0 or direction != direction:
        raise StoreError(67, "Values in v:2 index key pattern must be non-zero numbers or strings")
    if "$**" in path:
        raise not_implemented("a wildcard index")
    if not path or path.startswith("$") or ".." in path or path.startswith(".") or path.endswith("."):
        raise StoreError(67, f"Index keys cannot contain an empty field or one that starts with '$': {path}")


def _expiry(key: Mapping[str, Any], seconds: object) -> object:
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        raise StoreError(67, "TTL index 'expireAfterSeconds' option must be numeric")
    if not 0 <= seconds <= 2**31 - 1:
        raise StoreError(67, "TTL index 'expireAfterSeconds' must be within 0 and 2147483647")
    if len(key) != 1 or "_id" in key:
        raise StoreError(67, "TTL indexes are single-field indexes, compound indexes do not support TTL")
    return seconds


def _check_partial(expression: Any) -> None:
    if isinstance(expression, Mapping):
        for name, value in expression.items():
            if name.startswith("$") and (name not in _PARTIAL_OPERATORS or (name == "$exists" and not value)):
                raise StoreError(67, f"Expression not supported in partial index: {name}: {value}")
            _check_partial(value)
    elif isinstance(expression, list):
        for each in expression:
            _check_partial(each)


def _exists(collection: Collection, spec: Document) -> bool:
    """Whether exactly this index is there. Raises IndexOptionsConflict (85) and IndexKeySpecsConflict (86)."""
    named = collection.index_named(spec["name"])
    if named is not None:
        if _signature(named.spec) != _signature(spec):
            raise StoreError(
                86,
                "An existing index has the same name as the requested index. When index names are not specified, they "
                "are auto generated and can cause conflicts. Please refer to our documentation. "
                f"Requested index: {spec}, existing index: {named.spec}",
            )
        if named.name != "_id_" and named.spec.get("expireAfterSeconds") != spec.get("expireAfterSeconds"):
            raise StoreError(
                85, f"An equivalent index already exists with the same name but different options: {named.spec}"
            )
        return True
    for index in collection.indexes:
        if _signature(index.spec) == _signature(spec):
            raise StoreError(85, f"Index already exists with a different name: {index.name}")
    return False


def _signature(spec: Document) -> tuple[object, ...]:
    """What makes two indexes the same to MongoDB, whatever their names."""
    identity = spec["name"] == "_id_"
    return (
        list(spec["key"].items()),
        not identity and bool(spec.get("unique")),
        bool(spec.get("sparse")),
        repr(spec.get("partialFilterExpression")),
    )


def drop_indexes(call: Call, ledger: Ledger) -> bytes:
    collection = ledger.catalog.get(call.database, call.target)
    if collection is None:
        raise StoreError(26, f"ns not found {call.namespace}")
    before = len(collection.indexes)
    dropped = _chosen(collection, call.body.get("index"))
    with ledger.attempt():
        for index in dropped:
            collection = ledger.drop_index(collection, index)
    reply: Document = {"nIndexesWas": before}
    if call.body.get("index") == "*":
        reply["msg"] = "non-_id indexes dropped for collection"
    return encode_reply(reply)


def _chosen(collection: Collection, choice: Any) -> list[Index]:
    """The indexes that `dropIndexes` names. Raises IndexNotFound (27), and InvalidOptions (72) for that on `_id`."""
    if choice == "*":
        return list(collection.indexes[1:])
    chosen = []
    for each in choice if isinstance(choice, list) else [choice]:
        if isinstance(each, Mapping):
            found = [index for index in collection.indexes if list(index.spec["key"].items()) == list(each.items())]
            if not found:
                raise StoreError(27, f"can't find index with key: {dict(each)}")
            if len(found) > 1:
                raise StoreError(86, f"{len(found)} indexes found for key: {dict(each)}, specify the index by its name")
        else:
            found = [index for index in collection.indexes if index.name == each]
            if not found:
                raise StoreError(27, f"index not found with name [{each}]")
        if found[0] is collection.identity:
            raise StoreError(72, "cannot drop _id index")
        chosen.append(found[0])
    return chosen


def list_indexes(call: Call) -> Steps:
    collection = call.collection()
    if collection is None:
        raise StoreError(26, f"ns does not exist: {call.namespace}")
    shown = [encode(index.spec) for index in collection.indexes]
    size = read_batch_size(call.document("cursor"), "cursor", NO_LIMIT)
    return first_batch(call, Cursor(0, call.namespace, iter(shown)), size)


COMMANDS: dict[str, Command] = {
    "createIndexes": write(create_indexes, "createIndexes", "indexes", "commitQuorum", "ignoreUnknownIndexOptions"),
    "dropIndexes": write(drop_indexes, "dropIndexes", "index"),
    "deleteIndexes": write(drop_indexes, "deleteIndexes", "index"),
    "listIndexes": read(list_indexes, "listIndexes", "cursor", "includeBuildUUIDs", "includeIndexBuildInfo"),
}
