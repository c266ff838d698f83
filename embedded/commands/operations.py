"""The commands under way: shown, and ended."""

import datetime
import platform
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bson import Int64, Regex

from embedded.activity import Client, Operation
from embedded.codec import Document, encode_reply
from embedded.commands.call import COMMON_FIELDS, Call, Command, lenient, now
from embedded.commands.checks import check_admin
from embedded.errors import StoreError, not_implemented
from embedded.operators.matching import compile_filter

_KINDS = {"find": "query", "getMore": "getmore", "insert": "insert", "update": "update", "delete": "remove"}
_SHORT, _LONG = 1_000, 20_000  # letters of a command that are shown
_OPTIONS = frozenset({"allUsers", "idleConnections", "idleSessions", "localOps", "truncateOps"})
_REFUSED = frozenset({"idleCursors", "backtrace", "targetAllNodes"})


@dataclass(frozen=True, slots=True)
class Wanted:
    """What `$currentOp` is to show."""

    idle: bool = False
    truncated: bool = True


def read_options(spec: Mapping[str, Any]) -> Wanted:
    """The options of `$currentOp`. Raises 9 and 14 for those that it has not, 238 for those that the store has not."""
    for name, value in spec.items():
        if name not in _OPTIONS | _REFUSED:
            raise StoreError(9, f"Unrecognized option '{name}' in $currentOp stage.")
        if not isinstance(value, bool):
            raise StoreError(9, f"The '{name}' parameter of the $currentOp stage must be a boolean value")
        if value and name in _REFUSED:
            raise not_implemented(f"$currentOp with {name}")
    return Wanted(spec.get("idleConnections", False), spec.get("truncateOps", True))


def shown_operations(call: Call, wanted: Wanted) -> Iterator[Document]:
    """The commands under way, this one among them, and the connections that are idle."""
    activity = call.store.activity
    busy: set[int] = set()
    for operation in activity.running():
        if operation.client is not None:
            busy.add(operation.client.number)
        yield _show(operation, truncated=wanted.truncated)
    if wanted.idle:
        for client in list(activity.clients.values()):
            if client.number not in busy:
                yield {"type": "op", "host": platform.node(), **_show_client(client), "active": False, "op": "none"}


def _show(operation: Operation, *, truncated: bool) -> Document:
    seconds = time.perf_counter() - operation.started
    target = operation.target or "$cmd"
    shown: Document = {
        "type": "op",
        "host": platform.node(),
        **_show_client(operation.client),
        "active": True,
        "currentOpTime": datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds"),
        "opid": operation.number,
        "secs_running": Int64(seconds),
        "microsecs_running": Int64(seconds * 1e6),
        "op": _KINDS.get(operation.name, "command"),
        "ns": f"{operation.database}.{target}",
        "command": _cut(operation, _SHORT if truncated else _LONG),
        "waitingForLock": operation.waiting,
    }
    if operation.killed:
        shown["killPending"] = True
    return shown


def _cut(operation: Operation, limit: int) -> Document:
    """The command, or where it is long its beginning as text; no more of it is looked at than is shown."""
    text = ""
    for piece in _pieces(operation.body, limit):
        text += piece
        if len(text) > limit:
            return {operation.name: operation.target, "$truncated": text[:limit]}
    return operation.body


def _pieces(value: object, limit: int) -> Iterator[str]:
    """A value as text, a piece of at least a letter at a time; of one that is longer than `limit`, the beginning."""
    within: list[tuple[Iterator[tuple[str, object]], str]] = [(iter([("", value)]), "")]
    while within:
        rest, end = within[-1]
        for label, each in rest:
            if isinstance(each, Mapping):
                yield f"{label}{{"
                within.append((((f"{name[:limit]!r}: ", part) for name, part in each.items()), "}, "))
                break
            if isinstance(each, list):
                yield f"{label}["
                within.append(((("", part) for part in each), "], "))
                break
            if isinstance(each, Regex):
                yield f"{label}/{each.pattern[:limit]}/, "
            else:
                yield f"{label}{(each[:limit] if isinstance(each, (str, bytes)) else each)!r}, "
        else:
            within.pop()
            yield end


def _show_client(client: Client | None) -> Document:
    if client is None:
        return {}
    shown: Document = {
        "desc": f"conn{client.number}",
        "connectionId": client.number,
        "client": client.address,
    }
    if client.application:
        shown["appName"] = client.application
    return shown


def current_op(call: Call) -> bytes:
    """The command of that name: fields that are not options filter what is shown."""
    check_admin(call)
    everything = bool(call.body.get("$all"))
    selects = compile_filter(
        {name: value for name, value in call.body.items() if name not in _NO_FILTER and name != call.name}
    )
    shown = shown_operations(call, Wanted(idle=everything, truncated=bool(call.body.get("$truncateOps", True))))
    return encode_reply({"inprog": [each for each in shown if selects(each)]})


def kill_op(call: Call) -> bytes:
    """Ends a command at its next breath; whether it is there is not told, as MongoDB does not."""
    check_admin(call)
    if "op" not in call.body:
        raise StoreError(4, 'Missing expected field "op"')
    number = call.body["op"]
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        raise StoreError(14, 'Expected field "op" to have a value that is a number')
    operation = call.store.activity.under_way.get(int(number))
    if operation is not None:
        operation.killed = True
    return encode_reply({"info": "attempting to kill op"})


def kill_sessions(call: Call) -> bytes:
    """Ends the commands of some sessions: so Compass cancels."""
    sessions = [each.get("id") for each in call.documents(call.name)]
    for operation in call.store.activity.running():
        session = operation.body.get("lsid")
        if isinstance(session, Mapping) and session.get("id") in sessions:
            operation.killed = True
    return encode_reply({})


def kill_all_sessions(call: Call) -> bytes:
    """Ends the commands of all sessions, or of some users': of whom there are none."""
    if not call.documents(call.name):
        for operation in call.store.activity.running():
            operation.killed = operation is not call.operation
    return encode_reply({})


_NO_FILTER = COMMON_FIELDS | {"$all", "$ownOps", "$truncateOps"}

COMMANDS: dict[str, Command] = {
    "currentOp": lenient(current_op),
    "killOp": lenient(kill_op),
    "killSessions": now(kill_sessions, "killSessions"),
    "killAllSessions": now(kill_all_sessions, "killAllSessions"),
}
