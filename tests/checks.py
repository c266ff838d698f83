"""What tests of a served API look at again and again."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import httpx

T = TypeVar("T")

PROBLEM = {"type", "title", "status", "detail", "request_id"}


def eventually(look: Callable[[], T], seconds: float = 60.0) -> T:
    """The first truthy thing that `look` gives; fails when there is none in time."""
    until = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < until, "it did not come to pass in time"
        time.sleep(0.02)
    return found


def at_once(work: Callable[[int], T], times: int) -> list[T]:
    """What some work gives that is done so many times at once."""
    with ThreadPoolExecutor(times) as threads:
        return list(threads.map(work, range(times)))


def bearer(key: str) -> dict[str, str]:
    """The header that carries a key."""
    return {"Authorization": f"Bearer {key}"}


def problem(answer: httpx.Response, *statuses: int) -> dict[str, Any]:
    """The body of an error: problem+json with all its fields, of one of these statuses."""
    assert answer.status_code in statuses, (answer.status_code, answer.text[:500])
    assert answer.headers["content-type"] == "application/problem+json"
    body: dict[str, Any] = answer.json()
    assert body.keys() - {"errors"} == PROBLEM
    assert body["status"] == answer.status_code
    assert body["request_id"] == answer.headers["x-request-id"]
    assert body["title"]
    assert body["detail"]
    for error in body.get("errors", []):
        assert error.keys() == {"loc", "msg"}
    return body


def but_for_others(user: str) -> dict[str, Any]:
    """A filter of all documents but those of other tests' users, of whom work may go on."""
    return {"$or": [{"user_id": user}, {"user_id": {"$not": {"$regex": "^(user|other)-"}}}]}
