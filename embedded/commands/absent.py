"""What is part of a MongoDB server but not of this store, and how is it answered?

Each command here is one that a standalone MongoDB 7 knows. What MongoDB itself refuses without a replica set is refused
alike; the rest, which MongoDB would do, is NotImplemented. A few hold as they are, for there is nothing to do.
"""

from collections.abc import Callable

from embedded.codec import encode_reply
from embedded.commands.call import Call, Command, handshake, now
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


def _refusal(error: Callable[[str], StoreError]) -> Command:
    def refuse(call: Call) -> bytes:
        raise error(call.name)

    return handshake(refuse)


def _no_replication(name: str) -> StoreError:
    return StoreError(76, "not running with --replSet")


def _no_defaults(name: str) -> StoreError:
    return StoreError(51300, f"'{name}' is not supported on standalone nodes.")


def fsync(call: Call) -> bytes:
    """Everything that was acknowledged is on disk already."""
    check_admin(call)
    if call.boolean("lock"):
        raise not_implemented("fsync with lock")
    return encode_reply({"numFiles": 1})


def fsync_unlock(call: Call) -> bytes:
    check_admin(call)
    raise StoreError(20, "fsyncUnlock called when not locked")


def plan_cache_clear(call: Call) -> bytes:
    """Plans follow rules; none is kept."""
    return encode_reply({})


REFUSALS: dict[str, Command] = {
    **{name: _refusal(not_implemented) for name in _NOT_IMPLEMENTED},
    **{name: _refusal(_no_replication) for name in _NEEDS_REPLICATION},
    **{name: _refusal(_no_defaults) for name in ("getDefaultRWConcern", "setDefaultRWConcern")},
}
COMMANDS: dict[str, Command] = {
    **REFUSALS,
    "fsync": now(fsync, "fsync", "lock"),
    "fsyncUnlock": now(fsync_unlock, "fsyncUnlock"),
    "planCacheClear": now(plan_cache_clear, "planCacheClear", "query", "sort", "projection", "collation"),
}
