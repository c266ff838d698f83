"""The greeting: what the server says of itself when somebody connects."""

import datetime
import uuid
from collections.abc import Mapping

from bson import Binary

from embedded.codec import MAX_DOCUMENT, encode_reply
from embedded.commands.call import Call, Command, lenient, now
from embedded.commands.writing import MAX_OPERATIONS
from embedded.wire import MAX_MESSAGE

VERSION = "7.0.0"
WIRE_VERSION = 21
SESSION_MINUTES = 30


def greeting(call: Call) -> bytes:
    """A standalone server, so that drivers neither look for a set nor number their writes for retries."""
    _introduce(call)
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


def _introduce(call: Call) -> None:
    """Remember the application's name, for those who look at what is under way."""
    told = call.body.get("client")
    application = told.get("application") if isinstance(told, Mapping) else None
    name = application.get("name") if isinstance(application, Mapping) else None
    if isinstance(name, str) and call.operation.client is not None:
        call.operation.client.application = name


def done(call: Call) -> bytes:
    return encode_reply({})


def build_info(call: Call) -> bytes:
    return encode_reply(
        {
            "version": VERSION,
            "versionArray": [*map(int, VERSION.split(".")), 0],
            "gitVersion": "none",
            "modules": [],
            "javascriptEngine": "none",
            "sysInfo": "deprecated",
            "bits": 64,
            "debug": False,
            "maxBsonObjectSize": MAX_DOCUMENT,
            "storageEngines": ["sqlite"],
            "store": "Loci built-in store",
        }
    )


def whats_my_uri(call: Call) -> bytes:
    client = call.operation.client
    return encode_reply({"you": client.address if client else ""})


def start_session(call: Call) -> bytes:
    """A session's id. Nothing is kept of one, for nothing is undone when it ends."""
    return encode_reply({"id": {"id": Binary(uuid.uuid4().bytes, 4)}, "timeoutMinutes": SESSION_MINUTES})


COMMANDS: dict[str, Command] = {
    "hello": lenient(greeting),
    "isMaster": lenient(greeting),
    "ismaster": lenient(greeting),
    "ping": now(done, "ping"),
    "buildInfo": now(build_info, "buildInfo"),
    "buildinfo": now(build_info, "buildinfo"),
    "whatsmyuri": now(whats_my_uri, "whatsmyuri"),
    "startSession": now(start_session, "startSession"),
    "endSessions": now(done, "endSessions"),
    "refreshSessions": now(done, "refreshSessions"),
}
