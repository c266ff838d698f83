"""What tests of exports and imports send and read."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import httpx

Lines = list[dict[str, Any]]

NDJSON = {"content-type": "application/x-ndjson"}
CHANGED = {"epoch", "created_at", "at"}  # what need not be the same of what went out and came in


def exported(api: httpx.Client, user: str) -> bytes:
    answer = api.get(f"/v1/users/{user}/export")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/x-ndjson"
    return answer.content


def lines_of(file: bytes) -> Lines:
    return [json.loads(line) for line in file.splitlines()]


def file_of(lines: Sequence[Any]) -> bytes:
    return b"".join(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines)


def ended(lines: Sequence[dict[str, Any]]) -> bytes:
    """A file of a header and these lines, with the end that they are to have."""
    counts = Counter(line["kind"] for line in lines)
    return file_of([HEADER, *lines, {"kind": "end", "counts": counts}])


HEADER = {"kind": "export", "format": "loci", "version": 1, "user_id": "somebody", "at": "2026-01-01T00:00:00Z"}
SESSION = {
    "kind": "session",
    "id": "s",
    "title": "A talk",
    "created_at": "2024-05-01T12:00:00Z",
    "updated_at": "2024-05-02T12:00:00Z",
    "epoch": "0" * 32,
    "places": 10,
    "summarised_to": -1,
}
MESSAGE = {
    "kind": "message",
    "session_id": "s",
    "id": "m1",
    "place": 0,
    "role": "user",
    "content": "The heron nests by the mill.",
    "timestamp": "2024-05-01T12:00:00Z",
    "created_at": "2024-05-01T12:00:01Z",
}


def bring_in(api: httpx.Client, user: str, file: Any, **more: Any) -> httpx.Response:
    return api.post(f"/v1/users/{user}/import", content=file, headers=NDJSON, **more)


def imported(api: httpx.Client, user: str, file: bytes) -> tuple[dict[str, int], dict[str, int]]:
    """How many are new by kind, and how many were there; without those of which there are none."""
    answer = bring_in(api, user, file)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert body.keys() == {"imported", "already_there"}
    new, there = (
        {kind: count for kind, count in body[name].items() if count} for name in ("imported", "already_there")
    )
    return new, there
