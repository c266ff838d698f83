"""Whose memory a request is about: on every route, the user whom its query, its body or a header names."""

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from api.http.openapi import EXAMPLES
from tests.checks import problem

ANTHROPIC = "/anthropic/v1/"  # whose errors have its shape
OPENAI = ("/v1/chat/completions", "/v1/completions", "/v1/embeddings", "/v1/models", "/v1/models/{model}")
RESPONSES = ("/v1/responses", "/v1/conversations")  # OpenAI's too, whose errors have its shape
LINES = "/v1/users/{user_id}/import"  # its body is lines, of which none names a user
OF_NOBODY = ("/livez", "/readyz", "/health", "/metrics", LINES, *OPENAI)
OF_ADMINS = "/v1/admin/"  # who have a key of their own, and name a user in the path alone
PLACES = {"type": "project", "id": "nothing", "user_id": "bob"}

Call = Callable[..., httpx.Response]


@pytest.fixture
def bobs(serve: Callable[..., str]) -> Iterator[httpx.Client]:
    """An API with keys, called with bob's."""
    address = serve(api_keys="alice:key-of-alice, bob:key-of-bob")
    with httpx.Client(base_url=address, timeout=30, headers={"X-API-Key": "key-of-bob"}) as client:
        yield client


def calls_of(api: httpx.Client) -> Iterator[tuple[str, str, Call]]:
    """Every route that is about a user, by its method and path, and what calls it with a query and more in the body."""
    for path, item in api.get("/openapi.json").json()["paths"].items():
        for method, operation in (
            item.items() if path not in OF_NOBODY and not path.startswith((OF_ADMINS, ANTHROPIC, *RESPONSES)) else ()
        ):
            own = EXAMPLES.get(f"{method.upper()} {path}", {})
            assert own or not operation.get("requestBody", {}).get("required"), (method, path)
            filled = "/".join(
                PLACES.get(part[1:-1], "nothing") if part[:1] == "{" else part for part in path.split("/")
            )
            why = {"id": "nothing"} if path.endswith("/why-not") else {}

            def call(
                method: str = method,
                filled: str = filled,
                own: dict[str, Any] = own,
                why: dict[str, str] = why,
                query: dict[str, str] | None = None,
                **more: Any,
            ) -> httpx.Response:
                body = own | more
                return api.request(method, filled, params=why | (query or {}), json=body or None)

            yield method, path, call


def test_every_route_takes_its_user_in_the_query_and_in_the_body(bobs: httpx.Client) -> None:
    for method, path, call in calls_of(bobs):
        for answer in (
            call(query={"user_id": "bob"}),
            call(user_id="bob"),
            call(query={"user_id": "bob"}, user_id="bob"),
        ):
            assert answer.status_code in (200, 201, 404), (method, path, answer.text)


def test_a_key_opens_no_other_users_memory_wherever_that_is_named(bobs: httpx.Client) -> None:
    for method, path, call in calls_of(bobs):
        for answer in (call(query={"user_id": "alice"}), call(user_id="alice")):
            assert answer.status_code == (422 if path.startswith("/v1/users/") else 403), (method, path, answer.text)


def test_the_header_names_a_user_as_the_query_does(bobs: httpx.Client) -> None:
    bobs.headers["X-Loci-User"] = "alice"
    for method, path, call in calls_of(bobs):
        assert call().status_code == (422 if path.startswith("/v1/users/") else 403), (method, path)
        assert "different users" in problem(call(query={"user_id": "bob"}), 422)["detail"], (method, path)
    lines = {"content": b"", "headers": {"Content-Type": "application/x-ndjson"}}
    assert "different users" in problem(bobs.post("/v1/users/bob/import", **lines), 422)["detail"]
    bobs.headers["X-Loci-User"] = "a/b"
    assert problem(bobs.get("/v1/sessions"), 422)["errors"][0]["loc"] == ["header", "X-Loci-User"]
    with httpx.Client(base_url=bobs.base_url, headers=[*bobs.headers.items(), ("X-Loci-User", "bob")]) as twice:
        assert "different users" in problem(twice.get("/v1/sessions"), 422)["detail"]


def test_without_a_key_no_route_tells_anything(bobs: httpx.Client) -> None:
    del bobs.headers["X-API-Key"]
    for _, _, call in calls_of(bobs):
        problem(call(user_id="bob"), 401)


def test_two_users_in_one_request_are_refused(bobs: httpx.Client) -> None:
    for method, path, call in calls_of(bobs):
        for named in ("alice", "bob"):
            told = problem(call(query={"user_id": named}, user_id="alice" if named == "bob" else "bob"), 422)
            assert "different users" in told["detail"], (method, path)
    for path in ("/v1/sessions?user_id=alice&user_id=bob", "/v1/facts?user_id=bob&user_id=alice"):
        assert "different users" in problem(bobs.get(path), 422)["detail"]


def test_unknown_fields_are_refused_by_every_route(bobs: httpx.Client) -> None:
    for method, path, call in calls_of(bobs):
        told = problem(call(user_id="bob", nonsense=1), 422)
        assert {"loc": ["body", "nonsense"], "msg": "unknown field"} in told["errors"], (method, path)
        told = problem(call(query={"nonsense": "1"}), 422)
        assert told["errors"] == [{"loc": ["query", "nonsense"], "msg": "unknown field"}], (method, path)


def test_what_is_no_user_is_refused_by_every_route(bobs: httpx.Client) -> None:
    for method, path, call in calls_of(bobs):
        for wrong in (5, None, "", "a/b", ["bob"]):
            assert call(user_id=wrong).status_code in (403, 422), (method, path, wrong)
        for wrong in ("", "a/b"):
            assert call(query={"user_id": wrong}).status_code in (403, 422), (method, path, wrong)


def test_a_route_without_a_body_is_about_the_user_whom_a_body_names(api: httpx.Client, user: str) -> None:
    asked = {"user_id": user, "conversation_type": "project", "project_name": "Kept"}
    assert api.post("/v1/banks", json=asked).status_code == 200
    problem(api.post("/v1/banks/project/kept/optimise"), 404)
    told = api.post("/v1/banks/project/kept/optimise", json={"user_id": user})
    assert told.json()["name"] == "Kept"
    problem(api.post("/v1/banks/project/kept/optimise", json={"user_id": user, "nonsense": 1}), 422)
    assert api.request("DELETE", "/v1/banks/project/kept", json={"user_id": user}).status_code == 200


def test_a_route_with_a_body_is_about_the_user_whom_the_query_names(api: httpx.Client, user: str) -> None:
    said = {"session_id": "s", "messages": [{"role": "user", "content": "The lighthouse keeper is called Ada."}]}
    assert api.post("/v1/messages", params={"user_id": user}, json=said | {"wait": True}).json()["accepted"] == 1
    found = api.post("/v1/search", params={"user_id": user}, json={"query": "lighthouse keeper"}).json()["items"]
    assert [one["session_id"] for one in found] == ["s"]


@pytest.mark.parametrize("empty", [b"", b"{}", b"null"])
def test_an_empty_body_names_nobody(api: httpx.Client, user: str, empty: bytes) -> None:
    headers = {"content-type": "application/json"}
    missing = f"/v1/banks/project/{user}/optimise"
    problem(api.post(missing, content=empty, headers=headers), 404)


def test_a_body_that_is_no_object_is_refused_where_none_is_needed(api: httpx.Client) -> None:
    problem(api.post("/v1/banks/project/nothing/optimise", json=[]), 422)
    problem(api.request("DELETE", "/v1/sessions/nothing", json="default"), 422)
