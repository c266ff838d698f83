"""What a command is refused for before it runs: unknown fields, transactions, concerns, collation, variables."""

import time
from collections.abc import Mapping
from typing import Any

from embedded.commands.call import Call
from embedded.errors import StoreError, not_implemented

_READ_LEVELS = ("local", "available", "majority")
NO_TRANSACTIONS = "Transaction numbers are only allowed on a replica set member or mongos"


def check(call: Call, fields: frozenset[str] | None) -> None:
    """Refuse what the command does not know, and set its deadline. `fields` None: it takes any.

    Raises 40415 for unknown fields, 20 for transactions, 123 and 2 for concerns that need a replica set, 238.
    """
    body = call.body
    if "txnNumber" in body or "startTransaction" in body or "autocommit" in body:
        raise StoreError(20, NO_TRANSACTIONS)
    if fields is None:
        return
    if not fields.issuperset(body):
        unknown = next(name for name in body if name not in fields and name != call.name)
        raise StoreError(40415, f"BSON field '{call.name}.{unknown}' is an unknown field.")
    if "maxTimeMS" in body:
        limit = call.integer("maxTimeMS")
        call.deadline = time.monotonic() + limit / 1000 if limit else None
    if "readConcern" in body:
        level = call.document("readConcern").get("level", "local")
        if level in ("snapshot", "linearizable"):
            raise StoreError(123, "node needs to be a replica set member to use read concern")
        if level not in _READ_LEVELS:
            raise StoreError(2, f"Enumeration value '{level}' for field 'readConcern.level' is not a valid value.")
    if "writeConcern" in body:
        _check_write_concern(call.document("writeConcern"))
    if body.get("apiVersion", "1") != "1":
        raise StoreError(322, f'API version must be "1", got {body["apiVersion"]!r}')
    if "collation" in body:
        check_collation(body["collation"])
    if body.get("let"):
        _check_variables(call)


def check_admin(call: Call) -> None:
    """Raises Unauthorized (13) for a command that is only for the database `admin`."""
    if call.database != "admin":
        raise StoreError(13, f"{call.name} may only be run against the admin database.")


def check_collation(collation: object) -> None:
    """Strings compare byte by byte here; any collation that would do otherwise is refused (238)."""
    if collation and (not isinstance(collation, Mapping) or collation.get("locale") != "simple"):
        raise not_implemented("collation")


def _check_write_concern(concern: Mapping[str, Any]) -> None:
    unknown = concern.keys() - {"w", "j", "wtimeout", "fsync", "provenance"}
    if unknown:
        raise StoreError(40415, f"BSON field 'writeConcern.{min(unknown)}' is an unknown field.")
    w = concern.get("w", 1)
    if isinstance(w, str):
        if w != "majority":
            raise StoreError(
                2, f"cannot use non-'majority' 'w' mode \"{w}\" when a host is not a member of a replica set"
            )
    elif w not in (0, 1):
        raise StoreError(2, "cannot use 'w' > 1 when a host is not replicated")


def _check_variables(call: Call) -> None:
    """`let` is harmless where nothing refers to a variable."""
    rest = {name: value for name, value in call.body.items() if name != "let"}
    if "$$" in repr(rest) or any(b"$$" in raw for documents in call.sequences.values() for raw in documents):
        raise not_implemented("let")
