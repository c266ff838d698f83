"""What is part of a MongoDB server but not of this store, and how it is answered.

Each command here is one that a standalone MongoDB 7 knows. What MongoDB itself refuses without a replica set is refused
alike, as is what needs users or a transaction, for there are none; the rest, which MongoDB would do, is NotImplemented.
A few hold as they are, for there is nothing to do.
"""

from collections.abc import Callable

from embedded.codec import encode_reply
from embedded.commands.call import Call, Command, lenient, now
from embedded.commands.checks import check_admin
from embedded.errors import StoreError, not_implemented

_NEEDS_REPLICATION = (
    *("replSetGetStatus", "replSetGetConfig", "replSetInitiate", "replSetReconfig", "replSetFreeze"),
    *("replSetMaintenance", "replSetStepDown", "replSetSyncFrom", "appendOplogNote"),
)
_NOT_IMPLEMENTED = (
    *("cloneCollectionAsCapped", "collMod", "connPoolStats", "convertToCapped", "createRole", "createUser"),
    *("createSearchIndexes", "dbHash", "dropAllRolesFromDatabase", "dropAllUsersFromDatabase", "dropRole"),
    *("dropSearchIndex", "features", "filemd5", "getShardVersion", "grantRolesToUser", "killAllSessionsByPattern"),
    *("lockInfo", "logRotate", "mapReduce", "planCacheClearFilters", "planCacheListFilters", "planCacheSetFilter"),
    *("reIndex", "revokeRolesFromUser", "rotateCertificates", "setFeatureCompatibilityVersion", "shutdown"),
    *("updateRole", "updateSearchIndex", "updateUser"),
)


def _refusal(error: Callable[[Call], StoreError]) -> Command:
    def refuse(call: Call) -> bytes:
        raise error(call)

    return lenient(refuse)


def _absent(call: Call) -> StoreError:
    return not_implemented(call.name)


def _no_replication(call: Call) -> StoreError:
    return StoreError(76, "not running with --replSet")


def _no_defaults(call: Call) -> StoreError:
    return StoreError(51300, f"'{call.name}' is not supported on standalone nodes.")


def _no_transaction(call: Call) -> StoreError:
    """With a transaction's number, the command is refused (20) before it comes here."""
    return StoreError(125, f"{call.name} must be run within a transaction")


def _no_user(call: Call) -> StoreError:
    return StoreError(11, f"User '{call.target}@{call.database}' not found")


def _no_login(call: Call) -> StoreError:
    return StoreError(18, "Authentication failed.")


def _no_lock(call: Call) -> StoreError:
    check_admin(call)
    return StoreError(20, "fsyncUnlock called when not locked")


def fsync(call: Call) -> bytes:
    """Everything that was acknowledged is on disk already."""
    check_admin(call)
    if call.boolean("lock"):
        raise not_implemented("fsync with lock")
    return encode_reply({"numFiles": 1})


def plan_cache_clear(call: Call) -> bytes:
    """Plans follow rules; none is kept."""
    return encode_reply({})


REFUSALS: dict[str, Command] = {
    **{name: _refusal(_absent) for name in _NOT_IMPLEMENTED},
    **{name: _refusal(_no_replication) for name in _NEEDS_REPLICATION},
    **{name: _refusal(_no_defaults) for name in ("getDefaultRWConcern", "setDefaultRWConcern")},
    **{name: _refusal(_no_transaction) for name in ("abortTransaction", "commitTransaction")},
    "dropUser": _refusal(_no_user),
    "saslStart": _refusal(_no_login),
    "fsyncUnlock": _refusal(_no_lock),
}
COMMANDS: dict[str, Command] = {
    **REFUSALS,
    "fsync": now(fsync, "fsync", "lock"),
    "planCacheClear": now(plan_cache_clear, "planCacheClear", "query", "sort", "projection", "collation"),
}
