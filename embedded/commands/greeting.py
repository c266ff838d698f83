"""What does the server say of itself?"""

import datetime
import os
import platform
import sys
import time

from embedded.codec import MAX_DOCUMENT, Document, encode_reply
from embedded.commands.call import Call, Command, handshake, now
from embedded.commands.writing import MAX_OPERATIONS
from embedded.wire import MAX_MESSAGE

VERSION = "7.0.0"
WIRE_VERSION = 21
SESSION_MINUTES = 30
_started = time.monotonic()


def greeting(call: Call) -> bytes:
    """A standalone server, so that drivers neither look for a set nor number their writes for retries."""
    primary = "isWritablePrimary" if call.name == "hello" else "ismaster"
    return encode_reply(
        {
            "helloOk": True,
            primary: True,
            "maxBsonObjectSize": MAX_DOCUMENT,
            "maxMessageSizeBytes": MAX_MESSAGE,
            "maxWriteBatchSize": MAX_OPERATIONS,
            "localTime": datetime.datetime.now(datetime.UTC),
            "logicalSessionTimeoutMinutes": SESSION_MINUTES,
            "connectionId": call.connection,
            "minWireVersion": 0,
            "maxWireVersion": WIRE_VERSION,
            "readOnly": False,
        }
    )


def done(call: Call) -> bytes:
    return encode_reply({})


def build_info(call: Call) -> bytes:
    return encode_reply(
        {
            "version": VERSION,
            "versionArray": [*map(int, VERSION.split(".")), 0],
            "gitVersion": "none",
            "modules": [],
            "bits": 64,
            "debug": False,
            "maxBsonObjectSize": MAX_DOCUMENT,
            "storageEngines": ["sqlite"],
            "store": "Loci built-in store",
        }
    )


def server_status(call: Call) -> bytes:
    uptime = time.monotonic() - _started
    status: Document = {
        "host": platform.node(),
        "version": VERSION,
        "process": "loci",
        "pid": os.getpid(),
        "uptime": uptime,
        "uptimeMillis": int(uptime * 1000),
        "localTime": datetime.datetime.now(datetime.UTC),
        "metrics": {"cursor": {"open": {"total": len(call.store.cursors)}}},
        "storageEngine": {"name": "sqlite", "persistent": True},
    }
    return encode_reply(status)


def host_info(call: Call) -> bytes:
    return encode_reply(
        {
            "system": {"currentTime": datetime.datetime.now(datetime.UTC), "numCores": os.cpu_count() or 1},
            "os": {"type": platform.system(), "name": platform.system(), "version": platform.release()},
            "extra": {"python": sys.version.split()[0]},
        }
    )


def connection_status(call: Call) -> bytes:
    nobody: Document = {"authenticatedUsers": [], "authenticatedUserRoles": []}
    if call.boolean("showPrivileges"):
        nobody["authenticatedUserPrivileges"] = []
    return encode_reply({"authInfo": nobody})


COMMANDS: dict[str, Command] = {
    "hello": handshake(greeting),
    "isMaster": handshake(greeting),
    "ismaster": handshake(greeting),
    "ping": now(done, "ping"),
    "buildInfo": now(build_info, "buildInfo"),
    "buildinfo": now(build_info, "buildinfo"),
    "serverStatus": now(server_status, "serverStatus"),
    "hostInfo": now(host_info, "hostInfo"),
    "connectionStatus": now(connection_status, "connectionStatus", "showPrivileges"),
    "endSessions": now(done, "endSessions"),
    "refreshSessions": now(done, "refreshSessions"),
}
