"""What an admin sees: everybody, what was said, and why it was answered so."""

import math
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from pymongo.database import Database

from config.settings import Settings
from tests.api.said import every, say
from tests.checks import eventually, problem


def test_everybody_who_has_anything_is_listed(
    own: httpx.Client, own_database: Database[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.auth.LOOK_AGAIN", math.inf)  # the keys below turn none on
    ids = say(own, "ann", "s", "The heron nests by the mill", "It is grey") + say(own, "ann", "t", "Hello")
    own.put("/v1/memories/k", json={"value": "v", "user_id": "key values"})
    own.put("/v1/scratchpad/k", json={"value": "v", "user_id": "pad"})
    own.post("/v1/facts", json={"text": "I live in Madrid.", "user_id": "Fact"})
    own.post("/v1/observations", json={"source": "x", "lessons": ["Wait for it"], "user_id": "observer"})
    own.post("/v1/banks", json={"conversation_type": "project", "project_name": "p", "user_id": "zoë"})
    record = {"task_id": "t", "tool_name": "ls", "raw_output": "a", "user_id": "tools"}
    assert own.post("/v1/tool-memory/records", json=record).status_code == 201
    own_database["api_keys"].insert_many([{"_id": owner * 9, "user_id": owner} for owner in ("ann", "holder")])
    expected = sorted(["ann", "key values", "pad", "Fact", "observer", "zoë", "tools", "holder"])
    for limit in (1, 3, 200):
        assert [one["id"] for one in every(own, "/v1/admin/users", limit)] == expected
    seen = {one["id"]: one for one in every(own, "/v1/admin/users", 50)}
    assert (seen["ann"]["sessions"], seen["ann"]["messages"]) == (2, len(ids))
    assert (seen["Fact"]["sessions"], seen["Fact"]["messages"]) == (0, 0)
    last = own.get("/v1/sessions", params={"user_id": "ann"}).json()["items"][0]["updated_at"]
    assert seen["ann"]["last_activity"] == last
    assert [name for name, one in seen.items() if one["last_activity"] is None] == ["holder", "pad"]
    assert [one["id"] for one in every(own, "/v1/admin/users", 1, q="OL")] == ["holder", "tools"]
    assert every(own, "/v1/admin/users", 50, q=".") == []


def test_a_user_has_counts_by_collection(own: httpx.Client) -> None:
    say(own, "ann", "s", "The heron nests by the mill")
    say(own, "bob", "s", "Hello")
    own.post("/query", json={"query": "Where does the heron nest?", "user_id": "ann", "session_id": "t"})
    eventually(lambda: own.get("/v1/admin/users/ann").json()["counts"]["receipts"])
    found = own.get("/v1/admin/users/ann").json()
    assert (found["id"], found["sessions"], found["messages"]) == ("ann", 2, 3)
    assert found["counts"]["vectors"] == 3
    assert found["counts"]["sessions"] == 2
    assert found["counts"]["receipts"] == 1
    assert found["counts"]["memories"] == found["counts"]["banks"] == 0


def test_the_overview_says_what_runs_and_how_much_there_is(
    own: httpx.Client, make_settings: Callable[..., Settings]
) -> None:
    say(own, "ann", "s", "The heron nests by the mill", "It is grey")
    own.post("/v1/facts", json={"text": "I live in Madrid.", "user_id": "ann"})
    noted = {"source": "x", "findings": ["One", "Two"], "lessons": ["Wait"], "user_id": "ann"}
    own.post("/v1/observations", json=noted)
    own.post("/v1/search", json={"query": "heron", "user_id": "ann"})
    eventually(lambda: not any(one["waiting"] + one["running"] for one in own.get("/v1/admin/overview").json()["jobs"]))
    found = own.get("/v1/admin/overview").json()
    health = own.get("/health").json()
    assert found.items() >= health.items()
    assert found["driver"] == make_settings().mongodb_driver
    assert 0 <= found["uptime_seconds"] < 120
    assert found["gists"] == {"turn": 2, "fact": 1, "finding": 2, "insight": 0, "lesson": 1, "section": 0}
    assert found["counts"]["users"] == found["counts"]["sessions"] == found["counts"]["facts"] == 1
    assert (found["counts"]["observations"], found["counts"]["messages"]) == (3, 2)
    assert {one["kind"] for one in found["jobs"]} == {
        *("embed", "facts", "summarise", "title", "observe", "sections", "condense")
    }
    assert all((one["dead"], one["oldest_waiting"]) == (0, None) for one in found["jobs"])
    assert found["recall"]["indexes"] >= 1
    assert 0 < found["recall"]["bytes"] < found["recall"]["bytes_at_most"] == 512 * 1024 * 1024


def test_sessions_messages_and_what_is_known_are_as_the_user_sees_them(api: httpx.Client, user: str) -> None:
    say(api, user, "s", *(f"Thing {number} is on the shelf" for number in range(7)))
    say(api, user, "t", "Hello")
    api.put("/v1/memories/locker", json={"value": "12", "user_id": user})
    api.post("/v1/facts", json={"text": "I live in Madrid.", "user_id": user})
    for path in ("/sessions", "/sessions/s", "/memories", "/facts", "/sessions?q=hello", "/facts?ended=true"):
        mine = api.get(f"/v1{path}", params=httpx.URL(path).params.set("user_id", user))
        seen = api.get(f"/v1/admin/users/{user}{path}")
        assert seen.status_code == mine.status_code == 200
        assert seen.json() == mine.json()
    mine = api.get("/v1/sessions/s/messages", params={"user_id": user}).json()["items"]
    for limit in (3, 7, 50):
        seen = every(api, f"/v1/admin/users/{user}/sessions/s/messages", limit)
        assert [{name: value for name, value in one.items() if name != "embedding"} for one in seen] == mine
    model = api.get("/health").json()["embedding_model"]
    done = {"state": "done", "attempts": 1, "error": None, "model": model}
    assert [one["embedding"] for one in seen] == [done] * 7


def test_summaries_come_page_by_page_oldest_first(api: httpx.Client, user: str) -> None:
    say(api, user, "s", *(f"Thing {number} is on the shelf" for number in range(45)))
    path = f"/v1/admin/users/{user}/sessions/s/summaries"
    eventually(lambda: len(api.get(path).json()["items"]) == 2)
    mine = api.get("/v1/sessions/s", params={"user_id": user}).json()["summaries"]
    assert every(api, path, 1) == every(api, path, 50) == mine


def test_a_search_for_an_admin_finds_what_it_does_for_the_user(api: httpx.Client, user: str, other: str) -> None:
    say(api, user, "s", "The heron nests by the mill")
    say(api, other, "s", "The heron of somebody else")
    body = {"query": "Where does the heron nest?", "top_k": 5}
    seen = api.post(f"/v1/admin/users/{user}/search", json=body).json()
    mine = api.post("/v1/search", json={**body, "user_id": user}).json()
    assert [hit["content"] for hit in seen["items"]] == ["The heron nests by the mill"]
    assert seen["items"] == mine["items"]
    assert seen["items"][0]["explain"]["dense"] > 0
    body = {"query": "heron", "user_id": other}
    problem(api.post(f"/v1/admin/users/{user}/search", json=body), 422)


def test_a_receipt_for_an_admin_has_the_texts(api: httpx.Client, user: str, other: str) -> None:
    [identifier] = say(api, user, "s", "The heron nests by the mill")
    body = {"query": "Where does the heron nest?", "user_id": user, "session_id": "t"}
    turn = api.post("/query", json=body).json()["turn_id"]
    mine = api.get(f"/v1/receipts/{turn}", params={"user_id": user}).json()
    seen = api.get(f"/v1/admin/users/{user}/receipts/{turn}").json()
    texts = seen.pop("texts")
    assert seen == mine
    assert texts[identifier] == "The heron nests by the mill"
    assert texts[f"{turn}.prompt"] == body["query"]
    why = api.get(f"/v1/admin/users/{user}/receipts/{turn}/why-not", params={"id": identifier}).json()
    assert why["used"] is True
    say(api, other, "s", "Hello")
    problem(api.get(f"/v1/admin/users/{other}/receipts/{turn}"), 404)


@pytest.mark.parametrize("rest", ["", "/sessions", "/sessions/s/messages", "/memories", "/facts", "/receipts/t"])
def test_a_user_nobody_knows_is_not_found(api: httpx.Client, user: str, rest: str) -> None:
    assert problem(api.get(f"/v1/admin/users/{user}{rest}"), 404)["detail"] == "No such user"
    say(api, user, "s", "Hello")
    assert api.get(f"/v1/admin/users/{user}{rest}").status_code in (200, 404)
    assert api.get(f"/v1/admin/users/{user}").status_code == 200


def test_looking_leaves_no_trace_of_a_user_who_was_deleted(
    api: httpx.Client, user: str, counts: Callable[[], dict[str, int]]
) -> None:
    say(api, user, "s", "The heron nests by the mill")
    headers = {"Idempotency-Key": "again"}
    for _ in range(2):
        found = api.post(f"/v1/admin/users/{user}/search", json={"query": "heron"}, headers=headers)
        assert "idempotency-replayed" not in found.headers
    api.delete(f"/v1/users/{user}")
    before = counts()
    problem(api.post(f"/v1/admin/users/{user}/search", json={"query": "heron"}, headers=headers), 404)
    assert counts() == before


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("users?limit=0", 422),
        ("users?limit=201", 422),
        ("users?cursor=!", 400),
        ("users?user_id=ann", 422),
        ("users?other=1", 422),
        ("overview?x=1", 422),
        ("jobs?state=done", 422),
        ("jobs?kind=nonsense", 422),
        ("jobs?cursor=eyJ9", 400),
        ("jobs?cursor=WzEsICJub25zZW5zZS94Il0", 400),  # of a kind that there is not
        ("jobs?kind=facts&cursor=WzEsICJlbWJlZC94Il0", 400),  # of a list of all kinds
        ("nonsense", 404),
    ],
)
def test_input_that_is_not_understood_is_refused(api: httpx.Client, path: str, status: int) -> None:
    problem(api.get(f"/v1/admin/{path}"), status)


def test_input_about_one_user_is_checked_as_the_users_own(api: httpx.Client, user: str) -> None:
    say(api, user, "s", "Hello")
    for path in ("sessions?user_id=x", "sessions?limit=no", "facts?as_of=no", "sessions/s/messages?cursor=x"):
        problem(api.get(f"/v1/admin/users/{user}/{path}"), 400, 422)
    for body in ({}, {"query": ""}, {"query": "x", "top_k": 51}, {"query": "x", "other": 1}, [], None):
        problem(api.post(f"/v1/admin/users/{user}/search", json=body), 422)
    problem(api.get(f"/v1/admin/users/{user}/sessions/nothing/messages"), 404)
    problem(api.get(f"/v1/admin/users/{user}/sessions/nothing/summaries"), 404)
    for method in ("DELETE", "PUT", "PATCH"):
        for path in ("", "/sessions/s", "/facts/x"):
            if (method, path) != ("DELETE", ""):
                problem(api.request(method, f"/v1/admin/users/{user}{path}"), 404, 405)
    assert api.delete(f"/v1/admin/users/{user}").json()["deleted"]["vectors"] == 1  # what would go
    assert api.get(f"/v1/admin/users/{user}").json()["messages"] == 1
