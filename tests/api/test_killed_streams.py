"""What is left of an answer whose process is killed in the middle of it."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from memory.turns.drafts import ABANDONED
from tests.checks import eventually
from tests.processes import free_port, serving, stored
from tests.scripted_model import Behaviour, ScriptedModel
from utils.clock import now

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


@pytest.mark.parametrize("path", list(STREAMS))
def test_a_killed_process_leaves_what_it_had_said(
    scripted_model: ScriptedModel, port: int, path: str, tmp_path: Path
) -> None:
    scripted_model.script(Behaviour(pieces=("Once ", "upon ", "a time"), hang_after=3))
    address = f"http://127.0.0.1:{port}"
    home = tmp_path / "home"
    with (
        serving(home, scripted_model.url, port) as process,
        httpx.Client(base_url=address, timeout=30) as api,
        api.stream("POST", path, json=STREAMS[path]) as answered,
    ):
        lines = answered.iter_lines()
        while "upon" not in next(lines):
            pass
        eventually(lambda: committed(api), 10)
        process.kill()
    with stored(home) as store:  # time passes at once
        store.drafts.update_many({}, {"$set": {"at": now() - 2 * ABANDONED}})
    with serving(home, scripted_model.url, port), httpx.Client(base_url=address, timeout=30) as api:
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
