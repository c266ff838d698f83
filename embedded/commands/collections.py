"""Databases and collections: made, listed and dropped."""

from bson import Binary

from embedded.catalog import Collection
from embedded.codec import Document, encode, encode_reply
from embedded.commands.call import Call, Command, Steps, read, write
from embedded.commands.checks import check_admin
from embedded.commands.reading import NO_LIMIT, first_batch, read_batch_size
from embedded.counting import collection_stats
from embedded.cursors import Cursor
from embedded.errors import StoreError, not_implemented
from embedded.ledger import Ledger
from embedded.operators.matching import compile_filter

_CREATE_OPTIONS = (
    *("capped", "size", "max", "validator", "validationLevel", "validationAction", "viewOn", "pipeline"),
    *("timeseries", "expireAfterSeconds", "clusteredIndex", "changeStreamPreAndPostImages", "encryptedFields"),
    *("indexOptionDefaults", "storageEngine"),
)


def create(call: Call, ledger: Ledger) -> bytes:
    for option in _CREATE_OPTIONS:
        if call.body.get(option):
            raise not_implemented(f"create with {option}")
    database, name = call.database, call.target
    if ledger.catalog.get(database, name) is not None:
        raise StoreError(48, f"Collection {database}.{name} already exists.")
    with ledger.attempt():
        ledger.create_collection(database, name)
    return encode_reply({})


def drop(call: Call, ledger: Ledger) -> bytes:
    collection = ledger.catalog.get(call.database, call.target)
    if collection is None:
        return encode_reply({})
    with ledger.attempt():
        ledger.drop_collection(collection)
    return encode_reply({"nIndexesWas": len(collection.indexes), "ns": collection.namespace})


def drop_database(call: Call, ledger: Ledger) -> bytes:
    collections = ledger.catalog.of_database(call.database)
    with ledger.attempt():
        for collection in collections:
            ledger.drop_collection(collection)
    return encode_reply({"dropped": call.database} if collections else {})


def list_collections(call: Call) -> Steps:
    selects = compile_filter(call.document("filter"))
    name_only = call.boolean("nameOnly")
    shown = []
    for collection in call.store.catalog.of_database(call.database):
        document = _describe(collection, name_only=name_only)
        if selects(document):
            shown.append(encode(document))
    size = read_batch_size(call.document("cursor"), "cursor", NO_LIMIT)
    return first_batch(call, Cursor(0, f"{call.database}.$cmd.listCollections", iter(shown)), size)


def _describe(collection: Collection, *, name_only: bool) -> Document:
    if name_only:
        return {"name": collection.name, "type": "collection"}
    return {
        "name": collection.name,
        "type": "collection",
        "options": {},
        "info": {"readOnly": False, "uuid": Binary(collection.uuid, 4)},
        "idIndex": collection.identity.spec,
    }


def list_databases(call: Call) -> Steps:
    check_admin(call)
    selects = compile_filter(call.document("filter"))
    name_only = call.boolean("nameOnly")
    shown: list[Document] = []
    catalog = call.store.catalog
    for name in catalog.databases():
        document: Document = {"name": name}
        if not name_only:
            size = 0
            for collection in catalog.of_database(name):
                for stats in collection_stats(collection, call.store.source):
                    yield None
                    size += stats.storage_size if stats else 0
            document |= {"sizeOnDisk": size, "empty": False}
        if selects(document):
            shown.append(document)
    total = {} if name_only else {"totalSize": sum(document["sizeOnDisk"] for document in shown)}
    yield encode_reply({"databases": shown, **total})


COMMANDS: dict[str, Command] = {
    "create": write(create, "create", "autoIndexId", "idIndex", "collation", "flags", *_CREATE_OPTIONS),
    "drop": write(drop, "drop"),
    "dropDatabase": write(drop_database, "dropDatabase"),
    "listCollections": read(
        list_collections, "listCollections", "filter", "nameOnly", "authorizedCollections", "cursor"
    ),
    "listDatabases": read(list_databases, "listDatabases", "filter", "nameOnly", "authorizedDatabases"),
}
