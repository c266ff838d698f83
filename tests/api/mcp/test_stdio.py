"""`loci mcp`, as a desktop client starts it."""

import asyncio
import json
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.checks import eventually
from tests.conversations import until
from tests.mcp_clients import Heard, call, refusal
from tests.mcp_clients import client as over_http
from tests.processes import LOCI, environment, free_port, loci


@asynccontextmanager
async def client(home: Path, mode: str, *arguments: str) -> AsyncIterator[Client]:
    parameters = StdioServerParameters(command=str(LOCI), args=["mcp", *arguments], env=environment(home), cwd=home)
    async with Client(stdio_client(parameters), mode=mode) as connected:
        yield connected


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "home"
    made.mkdir()
    return made


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_bank_is_kept_for_its_user_and_conversation_and_stands_in_files_when_the_client_leaves(
    home: Path, mode: str
) -> None:
    async with client(home, mode) as connected:
        begun = await call(connected, "activate", conversation_type="project", project_name="loci")
        assert "activate" in await refusal(connected, "update", content="A secret.", conversation_id="conv_8f3a")
        await call(connected, "update", content="Decided: we use SQLite.")
        assert "SQLite" in (await call(connected, "recall", query="What was decided?"))["items"][0]["text"]
    file = home / "banks/default/project/loci/decisions.md"
    assert "Decided: we use SQLite." in file.read_text()
    async with client(home, mode) as later:
        said = await call(later, "update", content="The sky was blue.", conversation_id=begun["conversation_id"])
        assert said["version"] == 3
    async with client(home, mode, "--user", "bob") as bob:
        assert (await call(bob, "list_banks"))["items"] == []


async def test_it_shares_its_store_with_a_server(home: Path) -> None:
    port = free_port()
    with loci(home, "serve", port=port) as server:
        server.says("Loci is at")
        async with client(home, "auto") as connected, client(home, "legacy") as other:
            for one in (connected, other):
                await call(one, "activate", conversation_type="project", project_name="loci")
            await call(connected, "update", content="The sky was blue.")
            await call(other, "update", content="The sea was calm.")
            told = await call(connected, "activate", conversation_type="project", project_name="loci")
            text = "\n".join(told["content"].values())
            assert text.count("The sky was blue.") == text.count("The sea was calm.") == 1
        server.stop()
    eventually(lambda: "The sea was calm." in (home / "banks/default/project/loci/active.md").read_text())


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
async def test_clients_of_a_server_are_told_of_what_another_process_changed(home: Path) -> None:
    port, uri = free_port(), "loci://banks/project/loci/active.md"
    heard = Heard()
    with loci(home, "serve", port=port) as server:
        server.says("Loci is at")
        address = f"http://127.0.0.1:{port}"
        async with (
            client(home, "auto") as writing,
            over_http(address) as listening,
            over_http(address, "legacy", hears=heard) as subscribed,
        ):

            async def is_told() -> bool:
                """Of one change after the other, until the client has opened the stream on which it is told."""
                await call(writing, "update", content="The sky was blue.")
                return not heard.empty()

            await call(writing, "activate", conversation_type="project", project_name="loci")
            await subscribed.subscribe_resource(uri)
            async with listening.listen(resource_subscriptions=[uri]) as told, asyncio.timeout(60):
                await call(writing, "update", content="decisions.md:\nThe sky was blue.")
                await call(writing, "update", content="The sky was blue.")
                async for event in told:
                    assert getattr(event, "uri", None) == uri
                    break
                await until(is_told, 60)
        assert await heard.get() == uri
        server.stop()


def test_nothing_but_the_protocol_is_on_standard_output_whatever_is_logged(home: Path) -> None:
    sent = b'not json\n{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n'
    settings = environment(home, log_level="DEBUG")
    done = subprocess.run(
        [LOCI, "mcp"], input=sent, env=settings, cwd=home, capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert all(line.startswith(b'{"jsonrpc"') for line in done.stdout.splitlines())


def test_a_client_that_no_longer_reads_ends_it_quietly(home: Path) -> None:
    call = {"jsonrpc": "2.0", "method": "tools/list"}
    with subprocess.Popen(
        [LOCI, "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(home),
        cwd=home,
    ) as process:
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        process.stdin.write(json.dumps(call | {"id": 1}).encode() + b"\n")
        process.stdin.flush()
        assert process.stdout.readline()
        process.stdout.close()
        process.stdin.write(json.dumps(call | {"id": 2}).encode() + b"\n")
        process.stdin.close()
        assert process.wait(30) == 0
        assert b"Traceback" not in process.stderr.read()
