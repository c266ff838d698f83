"""`loci mcp`, as a desktop client starts it."""

import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.checks import eventually
from tests.mcp_clients import call
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
async def test_a_bank_is_kept_and_stands_in_files_when_the_client_leaves(home: Path, mode: str) -> None:
    async with client(home, mode) as connected:
        await call(connected, "activate", conversation_type="project", project_name="loci")
        await call(connected, "update", content="We decided to use SQLite.")
        assert "SQLite" in (await call(connected, "recall", query="What was decided?"))["items"][0]["content"]
    file = home / "banks/default/project/loci/decisions.md"
    assert "We decided to use SQLite." in file.read_text()
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


def test_nothing_but_the_protocol_is_on_standard_output(home: Path) -> None:
    sent = b'not json\n{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n'
    done = subprocess.run(
        [LOCI, "mcp"], input=sent, env=environment(home), cwd=home, capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert all(line.startswith(b'{"jsonrpc"') for line in done.stdout.splitlines())
