"""What is left of an answer whose process is killed in the middle of it?"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.checks import eventually
from tests.processes import Process, free_port, loci
from tests.scripted_model import Behaviour, ScriptedModel

ASKED = "Tell me a story."
STREAMS: dict[str, dict[str, Any]] = {
    "/query": {"query": ASKED, "session_id": "tale", "stream": True},
    "/v1/chat/completions": {
        "model": "m",
        "messages": [{"role": "user", "content": ASKED}],
        "memory_id": "tale",
        "stream": True,
    },
}


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def start(tmp_path: Path, scripted_model: ScriptedModel, port: int) -> Iterator[Any]:
    running: list[Process] = []

    def started() -> Process:
        process = loci(
            tmp_path / "home",
            "serve",
            port=port,
            openai_base_url=scripted_model.url,
            openai_api_key="sk",
            embedding_model="local",
        )
        running.append(process)
        process.says(r"http://127\.0\.0\.1")
        eventually(lambda: answers(port), 60)
        return process

    yield started
    for process in running:
        process.stop()


def answers(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/livez").status_code == 200
    except httpx.TransportError:
        return False


@pytest.mark.parametrize("path", list(STREAMS))
def test_a_killed_process_leaves_what_it_had_said(
    start: Any, scripted_model: ScriptedModel, port: int, path: str, tmp_path: Path
) -> None:
    process = start()
    scripted_model.script(Behaviour(pieces=("Once ", "upon ", "a time"), hang_after=3))
    address = f"http://127.0.0.1:{port}"
    with httpx.Client(base_url=address, timeout=30) as api, api.stream("POST", path, json=STREAMS[path]) as answered:
        lines = answered.iter_lines()
        while "upon" not in next(lines):
            pass
        eventually(lambda: committed(api), 10)
        process.kill()
    start()
    with httpx.Client(base_url=address, timeout=30) as api:
        found = eventually(lambda: two_messages(api), 40)
    assert [(one["role"], one["content"].strip(), one["interrupted"]) for one in found] == [
        ("user", ASKED, False),
        ("assistant", "Once upon", True),
    ]


def committed(api: httpx.Client) -> bool:
    """Whether what was said stands in the store already."""
    return "loci_drafts_total 0.0" not in api.get("/metrics").text


def two_messages(api: httpx.Client) -> list[dict[str, Any]] | None:
    items: list[dict[str, Any]] = api.get("/v1/sessions/tale/messages").json()["items"]
    return items if len(items) == 2 else None
