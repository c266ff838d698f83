"""MCP's own tools find a server as they expect it: the conformance suite, and the inspector's command line."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

HERE = Path(__file__).parent / "suite"
TOOLS = os.environ.get("LOCI_TEST_MCP_SUITE")  # the folder of the commands
NODE = shutil.which("node")
NEWEST = 22  # of Node, without which the conformance suite does not start

pytestmark = pytest.mark.skipif(TOOLS is None or NODE is None, reason="no tools: set LOCI_TEST_MCP_SUITE")


def node() -> int:
    assert NODE is not None
    said = subprocess.run([NODE, "--version"], capture_output=True, text=True, check=True).stdout
    return int(re.sub(r"^v(\d+).*", r"\1", said.strip()))


def run(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(Path(TOOLS or "") / arguments[0]), *arguments[1:]]
    return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=110, check=False)


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_the_conformance_suite_finds_no_fault_but_that_its_examples_are_missing(
    serve: Callable[..., str], tmp_path: Path, revision: str
) -> None:
    if node() < NEWEST:
        pytest.skip(f"the suite needs Node {NEWEST}")
    address = serve()
    bank = {"conversation_type": "project", "project_name": "loci"}
    httpx.post(f"{address}/v1/banks", json=bank, timeout=30).raise_for_status()  # a resource that the suite may read
    known = str(HERE / f"{revision}.yml")
    asked = ("--url", f"{address}/mcp", "--requirements", revision, "--expected-failures", known)
    done = run(tmp_path, "conformance", "server", *asked)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert "all failures are expected" in done.stdout  # it has read what may fail, and run


def test_the_inspector_holds_a_session(serve: Callable[..., str], tmp_path: Path) -> None:
    address = f"{serve()}/mcp"

    def asked(*arguments: str) -> Any:
        done = run(tmp_path, "mcp-inspector", "--cli", address, "--transport", "http", "--method", *arguments)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def called(tool: str, *arguments: str) -> Any:
        pairs = [part for argument in arguments for part in ("--tool-arg", argument)]
        return asked("tools/call", "--tool-name", tool, *pairs)["structuredContent"]

    assert {tool["name"] for tool in asked("tools/list")["tools"]} >= {"activate", "update"}
    begun = called("activate", "conversation_type=project", "project_name=loci")
    told = called("update", "content=Decided: we use SQLite.", f"conversation_id={begun['conversation_id']}")
    assert told["status"] == "success"
    uri = "loci://banks/project/loci/decisions.md"
    assert uri in {one["uri"] for one in asked("resources/list")["resources"]}
    assert "SQLite" in asked("resources/read", "--uri", uri)["contents"][0]["text"]
    prompt = asked("prompts/get", "--prompt-name", "memory_bank", "--prompt-args", "conversation_type=global")
    assert prompt["messages"][0]["role"] == "user"
