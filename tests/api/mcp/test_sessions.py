"""A session of the protocol of 2025 outlives the process that it was begun with."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from api.mcp import sessions
from tests.mcp_clients import ACCEPT, INITIALIZE, Heard, call, client
from tests.processes import free_port, loci

INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
ANN = {"x-api-key": "key-of-ann"}
PING = {"jsonrpc": "2.0", "id": 7, "method": "ping"}


def begin(plain: httpx.Client) -> dict[str, str]:
    """Begins a session; the headers of its requests."""
    begun = plain.post("/mcp", json=INITIALIZE, headers=ACCEPT)
    assert begun.status_code == 200
    mine = ACCEPT | {"mcp-session-id": begun.headers["mcp-session-id"]}
    assert plain.post("/mcp", json=INITIALIZED, headers=mine).status_code == 202
    return mine


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
async def test_a_client_goes_on_after_a_kill_and_is_told_of_changes(tmp_path: Path) -> None:
    home, port, uri = tmp_path / "home", free_port(), "loci://banks/project/loci/active.md"
    heard = Heard()
    with loci(home, "serve", port=port) as server:
        server.says("Loci is at")
        async with client(f"http://127.0.0.1:{port}", "legacy", name="one", hears=heard) as connected:
            await call(connected, "activate", conversation_type="project", project_name="loci")
            await connected.subscribe_resource(uri)
            server.kill()
            with loci(home, "serve", port=port) as again:
                again.says("Loci is at")
                done = await call(connected, "update", content="After the kill.")
                assert done["bank_info"]["id"] == "loci"
                assert "After the kill." in (await connected.read_resource(uri)).contents[0].text  # type: ignore[union-attr]
                while not heard.empty():
                    heard.get_nowait()
                told, times = None, 0  # what is said once more changes nothing, and nobody is told
                async with client(f"http://127.0.0.1:{port}", "auto", name="two") as other, asyncio.timeout(60):
                    while told is None:  # the client may not have opened its stream again yet
                        times += 1
                        said = f"The sky was blue {times} times."
                        await call(other, "update", content=said, conversation_id="project/loci")
                        with suppress(TimeoutError):
                            told = await asyncio.wait_for(heard.get(), 1)
                assert told == uri


@pytest.fixture
def two(serve: Callable[..., str]) -> Iterator[tuple[httpx.Client, httpx.Client]]:
    """Two processes over one store."""
    keys = "ann:key-of-ann, bob:key-of-bob"
    first, second = serve(api_keys=keys), serve(api_keys=keys)
    with httpx.Client(base_url=first, headers=ANN) as here, httpx.Client(base_url=second, headers=ANN) as there:
        yield here, there


def ping(plain: httpx.Client, session: dict[str, str]) -> int:
    return plain.post("/mcp", json=PING, headers=session).status_code


def test_a_session_goes_on_with_another_process(two: tuple[httpx.Client, httpx.Client]) -> None:
    here, there = two
    mine = begin(here)
    assert [ping(plain, mine) for plain in (there, here, there)] == [200] * 3
    with there.stream("GET", "/mcp", headers=mine) as stream:
        assert stream.status_code == 200
    assert ping(there, mine | {"mcp-session-id": "nobodys"}) == 404


def test_who_ended_a_session_has_none_any_more(two: tuple[httpx.Client, httpx.Client]) -> None:
    here, there = two
    mine, other = begin(here), begin(here)
    assert here.delete("/mcp", headers=mine).status_code == 200
    assert (ping(here, mine), ping(there, mine)) == (404, 404)
    assert there.delete("/mcp", headers=other).status_code == 200
    assert ping(there, other) == 404


def test_another_users_session_is_not_made_again(two: tuple[httpx.Client, httpx.Client]) -> None:
    here, there = two
    anns = begin(here)
    bobs = anns | {"x-api-key": "key-of-bob"}
    assert [ping(there, one) for one in (bobs, anns, bobs)] == [404, 200, 404]


def test_what_a_client_says_at_length_is_not_kept(
    two: tuple[httpx.Client, httpx.Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "LONGEST", 10)
    here, there = two
    mine = begin(here)
    assert (ping(here, mine), ping(there, mine)) == (200, 404)
