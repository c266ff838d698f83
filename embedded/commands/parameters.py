"""How the server is set up, and what it has logged."""

import sys

from embedded.codec import Document, encode_reply
from embedded.commands.call import COMMON_FIELDS, Call, Command, lenient, now
from embedded.commands.checks import check_admin
from embedded.commands.greeting import SESSION_MINUTES, VERSION
from embedded.cursors import IDLE_SECONDS
from embedded.errors import StoreError, not_implemented
from embedded.querying import MAX_SORT_BYTES
from embedded.sweeping import SECONDS

_PARAMETERS: Document = {
    "authenticationMechanisms": [],
    "cursorTimeoutMillis": int(IDLE_SECONDS * 1000),
    "featureCompatibilityVersion": {"version": VERSION.rpartition(".")[0]},
    "internalQueryMaxBlockingSortMemoryUsageBytes": MAX_SORT_BYTES,
    "localLogicalSessionTimeoutMinutes": SESSION_MINUTES,
    "logComponentVerbosity": {"verbosity": 0},
    "logLevel": 0,
    "quiet": False,
    "ttlMonitorEnabled": True,
    "ttlMonitorSleepSecs": int(SECONDS),
}


def get_parameter(call: Call) -> bytes:
    """The parameters that are named, all for "*". Raises InvalidOptions (72) where none of them is known."""
    check_admin(call)
    if isinstance(call.body[call.name], dict):
        raise not_implemented("getParameter with options")
    if call.body[call.name] == "*":
        return encode_reply(_PARAMETERS)
    found = {name: value for name, value in _PARAMETERS.items() if name in call.body}
    if not found:
        raise StoreError(72, "no option found to get")
    return encode_reply(found)


def set_parameter(call: Call) -> bytes:
    """Nothing can be set while the server runs. Raises 72 for an unknown parameter, 20 for the others."""
    check_admin(call)
    named = [name for name in call.body if name != call.name and name not in COMMON_FIELDS]
    if not named:
        raise StoreError(72, "no option found to set, use help:true to see options ")
    if named[0] not in _PARAMETERS:
        raise StoreError(72, f"attempted to set unrecognized parameter [{named[0]}], use help:true to see options ")
    raise StoreError(20, f"not allowed to change [{named[0]}] at runtime")


def get_cmd_line_opts(call: Call) -> bytes:
    check_admin(call)
    folder = str(call.store.path.parent)
    return encode_reply({"argv": sys.argv, "parsed": {"storage": {"dbPath": folder}}})


def get_log(call: Call) -> bytes:
    """The last lines of the log. There are no warnings from the start."""
    check_admin(call)
    wanted = call.body[call.name]
    log = call.store.activity.log
    if not isinstance(wanted, str):
        raise StoreError(14, "Argument to getLog must be of type String")
    match wanted:
        case "*":
            return encode_reply({"names": ["global", "startupWarnings"]})
        case "global":
            return encode_reply({"totalLinesWritten": log.total, "log": list(log.lines)})
        case "startupWarnings":
            return encode_reply({"totalLinesWritten": 0, "log": []})
    raise StoreError(96, f"No log named '{wanted}'")


def profile(call: Call) -> bytes:
    """The profiler's level, which is always 0."""
    level = call.body[call.name]
    if isinstance(level, bool) or not isinstance(level, (int, float)):
        raise StoreError(14, "BSON field 'profile.profile' is the wrong type, expected type 'int'")
    if level > 0 or call.body.keys() & {"slowms", "sampleRate", "filter"}:
        raise not_implemented("the profiler")
    return encode_reply({"was": 0})


COMMANDS: dict[str, Command] = {
    "getParameter": lenient(get_parameter),
    "setParameter": lenient(set_parameter),
    "getCmdLineOpts": now(get_cmd_line_opts, "getCmdLineOpts"),
    "getLog": now(get_log, "getLog"),
    "profile": now(profile, "profile", "slowms", "sampleRate", "filter"),
}
