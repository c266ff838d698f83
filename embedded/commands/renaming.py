"""Renaming: a collection gets another name, perhaps in another database."""

from embedded.codec import encode_reply
from embedded.commands.call import Call, Command, write
from embedded.commands.checks import check_admin
from embedded.errors import StoreError
from embedded.ledger import Ledger


def rename_collection(call: Call, ledger: Ledger) -> bytes:
    check_admin(call)
    source, target = _namespace(call, call.name), _namespace(call, "to")
    if source == target:
        raise StoreError(20, "Can't rename a collection to itself")
    collection, taken = ledger.catalog.get(*source), ledger.catalog.get(*target)
    if collection is None:
        raise StoreError(26, f"Source collection {'.'.join(source)} does not exist")
    if taken is not None and not call.boolean("dropTarget"):
        raise StoreError(48, "target namespace exists")
    with ledger.attempt():
        if taken is not None:
            ledger.drop_collection(taken)
        ledger.rename_collection(collection, *target)
    return encode_reply({})


def _namespace(call: Call, field: str) -> tuple[str, str]:
    """(database, collection). Raises TypeMismatch (14), InvalidNamespace (73)."""
    value = call.body.get(field)
    if not isinstance(value, str):
        raise StoreError(14, f"BSON field 'renameCollection.{field}' is the wrong type, expected type 'string'")
    database, _, name = value.partition(".")
    if not database or not name:
        raise StoreError(73, f"Invalid namespace: {value}")
    return database, name


COMMANDS: dict[str, Command] = {
    "renameCollection": write(rename_collection, "renameCollection", "to", "dropTarget", "stayTemp")
}
