"""How long a server that is to run alone may wait for the one that has its files.

A server that was started for others ends some seconds after the last of them, so who stops these and runs the store
alone finds the files taken, by a server that nobody needs any more.
"""

import json
import socket
from pathlib import Path
from typing import Any

import bson

from embedded.starting import HOST
from embedded.wire import WireError, message_length, request_message

CLOSING_SECONDS = 3.0  # that a server may take to open its file, or to close it
ANSWER_SECONDS = 2.0


def told_state(folder: Path) -> dict[str, Any]:
    """What the server that has the files says of itself; empty where it says nothing, for it has just begun or ends."""
    try:
        state = json.loads((folder / "store.json").read_text())
    except (OSError, ValueError):
        return {}
    return state if isinstance(state, dict) else {}


def seconds_to_wait(folder: Path) -> float:
    """How long the server that has the files may still have them, if nobody comes to it; 0 where it stays."""
    state = told_state(folder)
    port, idle_exit = state.get("port"), state.get("idle_exit")
    if not isinstance(port, int):
        return CLOSING_SECONDS
    if not isinstance(idle_exit, int | float):
        return 0.0
    try:
        clients = _clients(port)
    except (OSError, ValueError, KeyError, TypeError, WireError, bson.errors.BSONError):
        return CLOSING_SECONDS
    return 0.0 if clients else idle_exit + CLOSING_SECONDS


def _clients(port: int) -> int:
    """How many connections a server has beside the one that asks."""
    with socket.create_connection((HOST, port), timeout=ANSWER_SECONDS) as asking, asking.makefile("rb") as answers:
        asking.sendall(request_message(1, bson.encode({"serverStatus": 1, "$db": "admin"})))
        head = answers.read(21)
        status = bson.decode(answers.read(message_length(head) - len(head)))
    return int(status["connections"]["current"]) - 1
