"""Control characters are taken the same way wherever they come in."""

from typing import Any

import httpx
import pytest

from agents.memory import Memory
from memory.observations import SessionMessage
from tests.checks import problem
from tests.conversations import USER
from utils.errors import InvalidInput
from utils.text import off_a_terminal

NUL = "The billing service runs on host\0 web-17, and that is important to remember."
STEP = {"step_name": "deploy", "step_type": "GOAL"}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/observations", {"source": "GOAL:deploy", "findings": [NUL]}),
        ("/v1/observations/extract", STEP | {"output": NUL}),
        ("/v1/observations/extract", STEP | {"output": f"\x1b[31m{NUL}\x1b[0m"}),
        ("/v1/sessions/s/consolidate", {"messages": [{"role": "user", "content": NUL}]}),
        ("/v1/banks", {"conversation_type": "project", "project_name": "loci", "project_description": NUL}),
        ("/v1/banks/project/loci/update", {"content": NUL}),
        ("/v1/facts", {"text": NUL}),
        ("/v1/search", {"query": NUL}),
    ],
)
def test_they_are_refused_and_nothing_is_kept(api: httpx.Client, user: str, path: str, body: dict[str, Any]) -> None:
    told = problem(api.post(path, json={"user_id": user, **body}), 400)
    assert told["detail"].endswith(": a string has control characters")
    assert api.get("/v1/banks", params={"user_id": user}).json()["items"] == []
    assert api.get("/v1/observations", params={"user_id": user}).json()["items"] == []


PAGES = "The heron\fnests\vat the\x85Spree."


def test_what_parts_pages_and_lines_in_what_is_said_is_a_blank(api: httpx.Client, user: str) -> None:
    own = {"user_id": user, "session_id": user}
    asked = {"messages": [{"role": "user", "content": PAGES}], "memory_id": f"{user}-p", "user_id": user, "model": "m"}
    added = api.post("/v1/messages", json=own | {"messages": [{"role": "user", "content": PAGES}]})
    assert added.json()["accepted"] == 1
    assert api.post("/query", json={"user_id": user, "session_id": f"{user}-q", "query": PAGES}).status_code == 200
    assert api.post("/v1/chat/completions", json=asked).status_code == 200
    for session in (user, f"{user}-q", f"{user}-p"):
        kept = api.get(f"/v1/sessions/{session}/messages", params={"user_id": user}).json()["items"]
        assert kept[0]["content"] == "The heron nests at the Spree."


async def test_python_refuses_them_too(quiet: Memory) -> None:
    calls = [
        lambda: quiet.observe(USER, "GOAL:deploy", findings=[NUL]),
        lambda: quiet.observe(USER, "GOAL:\0", findings=["x"]),
        lambda: quiet.extract_observations(USER, "deploy", "GOAL", NUL),
        lambda: quiet.consolidate(USER, "s", [SessionMessage("user", NUL)]),
        lambda: quiet.activate(USER, "project", "a\0b"),
        lambda: quiet.activate(USER, "project", "loci", None, NUL),
        lambda: quiet.activate(USER, "project", None, "/a\0b"),
        lambda: quiet.update(USER, "project", "loci", NUL),
    ]
    for attempt in calls:
        with pytest.raises(InvalidInput, match="control characters"):
            await attempt()


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x9b31mred\x9b0m", "red"),
        ("\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]0;a title\x07$ ls", "$ ls"),
        ("\x1b(B\x1b[mok\x0f", "ok"),
        ("bo\x08old", "bold"),
        ("\x1b7saved\x1b8", "saved"),
        ("cut off \x1b[38;5", "cut off "),
        ("a\0b\x0cc", "a\0b\x0cc"),
    ],
)
def test_what_a_terminal_shows_is_kept(printed: str, shown: str) -> None:
    assert off_a_terminal(printed) == shown
