"""Work that was given up is seen, and done again when an admin says so."""

from datetime import timedelta
from typing import Any

import httpx
import pytest
from pymongo.database import Database

from tests.checks import eventually, problem
from utils.clock import now

USER = "ann"


@pytest.fixture
def said(own: httpx.Client, own_database: Database[dict[str, Any]]) -> list[str]:
    """The ids of embedded messages, of which two windows are summed up and all facts are made."""
    messages = [{"role": ("user", "assistant")[at % 2], "content": f"Thing {at} is on the shelf"} for at in range(42)]
    body = {"user_id": USER, "session_id": "s", "messages": messages, "wait": True}
    ids: list[str] = own.post("/v1/messages", json=body).json()["ids"]
    eventually(lambda: len(own.get("/v1/sessions/s", params={"user_id": USER}).json()["summaries"]) == 2)
    under_way = {"facts.state": {"$in": ["pending", "leased"]}}
    eventually(lambda: not own_database.vectors.count_documents(under_way))
    return ids


def job(state: str, minutes: int = 0, **more: Any) -> dict[str, Any]:
    return {"state": state, "attempts": 3, "lease_until": now() + timedelta(minutes=minutes), **more}


def kill(own_database: Database[dict[str, Any]], *ids: str) -> None:
    """Lets the embeddings of messages have failed for good, and not for want of the model."""
    for place, identifier in enumerate(ids):
        dead = job("dead", place - 100, error="ValueError")
        own_database.vectors.update_one({"_id": identifier}, {"$set": {"embed": dead}, "$unset": {"embedding": ""}})


def jobs(client: httpx.Client, **parameters: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get("/v1/admin/jobs", params=parameters).json()["items"]
    return found


def of(client: httpx.Client, kind: str) -> dict[str, Any]:
    [found] = [one for one in client.get("/v1/admin/overview").json()["jobs"] if one["kind"] == kind]
    return dict(found)


def test_a_dead_job_is_seen_retried_and_then_done(
    own: httpx.Client, own_database: Database[dict[str, Any]], said: list[str]
) -> None:
    kill(own_database, said[4])
    [dead] = jobs(own)
    assert (
        dead.items()
        >= {
            "kind": "embed",
            "state": "dead",
            "user_id": USER,
            "session_id": "s",
            "about": said[4],
            "text": "Thing 4 is on the shelf",
            "attempts": 3,
            "error": "ValueError",
            "due_at": None,
            "comes_back": False,
        }.items()
    )
    assert of(own, "embed")["dead"] == 1
    messages = own.get(f"/v1/admin/users/{USER}/sessions/s/messages").json()["items"]
    assert messages[4]["embedding"]["state"] == "dead"
    assert messages[4]["embedding"]["error"] == "ValueError"
    path = f"/v1/admin/jobs/embed/{dead['id']}/retry"
    assert own.post(path).json() == {"retried": {"embed": 1}}
    found = eventually(lambda: own_database.vectors.find_one({"_id": said[4], "embed.state": "done"}))
    assert len(found["embedding"]) > 0
    assert "error" not in found["embed"]
    assert jobs(own) == []
    assert "done" in problem(own.post(path), 409)["detail"]


def test_all_dead_jobs_are_retried_or_those_of_a_kind(
    own: httpx.Client, own_database: Database[dict[str, Any]], said: list[str]
) -> None:
    kill(own_database, *said[:5])
    own_database.summaries.delete_many({})
    own_database.sessions.update_one({}, {"$set": {"summary": job("dead", error="ModelGarbage") | {"to": -1}}})
    none = dict.fromkeys(("embed", "facts", "summarise", "title", "observe", "sections", "condense"), 0)
    assert own.post("/v1/admin/jobs/retry", params={"kind": "facts"}).json() == {"retried": {"facts": 0}}
    assert (of(own, "embed")["dead"], of(own, "summarise")["dead"]) == (5, 1)
    assert own.post("/v1/admin/jobs/retry").json() == {"retried": none | {"embed": 5, "summarise": 1}}
    eventually(lambda: own_database.vectors.count_documents({"embed.state": "done"}) == len(said))
    eventually(lambda: own_database.summaries.count_documents({"summaries.1": {"$exists": True}}))
    assert jobs(own) == []


@pytest.mark.parametrize(("state", "told"), [("pending", "waiting"), ("leased", "running")])
def test_a_job_that_is_not_dead_is_left_as_it_is(
    own: httpx.Client, own_database: Database[dict[str, Any]], said: list[str], state: str, told: str
) -> None:
    held = {"embed": job(state, 60, **({"lease": "somebody's"} if state == "leased" else {}))}
    own_database.vectors.update_one({"_id": said[0]}, {"$set": held})
    before = own_database.vectors.find_one({"_id": said[0]})
    [listed] = jobs(own, state=told, kind="embed")
    assert listed["due_at"] and not listed["comes_back"]
    assert told in problem(own.post(f"/v1/admin/jobs/embed/{listed['id']}/retry"), 409)["detail"]
    assert own.post("/v1/admin/jobs/retry").json()["retried"]["embed"] == 0
    assert own_database.vectors.find_one({"_id": said[0]}) == before
    assert of(own, "embed")[told] == 1
    assert of(own, "embed")["oldest_waiting"] is None  # it is not due yet


def test_jobs_nobody_knows_are_not_found(own: httpx.Client, said: list[str]) -> None:
    for identifier in ("AAAA", "nonsense!", "x" * 1_000):
        problem(own.post(f"/v1/admin/jobs/embed/{identifier}/retry"), 404)
    problem(own.post("/v1/admin/jobs/nonsense/AAAA/retry"), 422)
    problem(own.post("/v1/admin/jobs/retry", params={"kind": "nonsense"}), 422)
    problem(own.post("/v1/admin/jobs/retry", json={"user_id": USER}), 422)
    problem(own.get("/v1/admin/jobs/retry"), 404, 405)


@pytest.mark.parametrize("limit", [1, 2, 3, 50])
def test_jobs_are_listed_kind_by_kind_those_due_longest_first(
    own: httpx.Client, own_database: Database[dict[str, Any]], said: list[str], limit: int
) -> None:
    kill(own_database, *said[:4])
    own_database.vectors.update_many({"_id": {"$in": said[1:3]}}, {"$set": {"embed.lease_until": now()}})  # of one time
    own_database.sessions.update_one({}, {"$set": {"summary": job("dead") | {"to": 39}}})
    found: list[tuple[str, str]] = []
    parameters: dict[str, Any] = {"limit": limit}
    while parameters:
        page = own.get("/v1/admin/jobs", params=parameters).json()
        found += [(one["kind"], one["about"]) for one in page["items"]]
        cursor = page["next_cursor"]
        parameters = {"limit": limit, "cursor": cursor} if cursor else {}
    expected = [said[0], said[3], *sorted(said[1:3])]
    assert found == [*(("embed", one) for one in expected), ("summarise", "s")]
    assert [one["about"] for one in jobs(own, kind="summarise")] == ["s"]
