"""Callers by MCP are known, and it is known when a client has left."""

from types import SimpleNamespace
from typing import Any

import pytest
from mcp.server.connection import Connection
from mcp.server.session import ServerSession

from api.mcp.calling import NAME_CHARACTERS, UNNAMED, client_of, when_ended


def asked_by(name: str | None, version: str = "2025-11-25") -> Any:
    """A request, as the SDK gives it, of a client of this name."""
    params = SimpleNamespace(client_info=SimpleNamespace(name=name)) if name is not None else None
    return SimpleNamespace(session=SimpleNamespace(client_params=params), request=None, protocol_version=version)


@pytest.mark.parametrize(
    ("said", "name"), [("desktop", "desktop"), ("", UNNAMED), (None, UNNAMED), ("x" * 500, "x" * NAME_CHARACTERS)]
)
def test_a_client_is_known_by_its_name_where_it_has_one(said: str | None, name: str) -> None:
    client = client_of(asked_by(said), "process-1")
    assert (client.name, client.session) == (name, "process-1")


def test_by_the_protocol_of_2026_a_connection_is_no_session() -> None:
    assert client_of(asked_by("desktop", "2026-07-28"), "process-1").session is None


async def test_the_end_of_a_connection_is_heard_of_through_the_sdk_as_it_is_now() -> None:
    """`ServerSession._connection` is private: an upgrade that renames it is to fail here."""
    outbound: Any = None
    connection = Connection(outbound, protocol_version="2025-11-25")
    session = ServerSession(outbound, connection)
    assert session._connection is connection
    ended: list[bool] = []
    when_ended(session, lambda: ended.append(True))
    assert ended == []
    await connection.exit_stack.aclose()
    assert ended == [True]
