"""Who is an admin: the key, where it is needed, and where it is nobody's."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from pydantic import ValidationError
from pymongo import MongoClient

from api import guesses
from api.app import create_app
from config.settings import Settings
from memory.store.api_keys import hashed
from tests.checks import bearer, problem
from tests.scripted_model import ScriptedModel
from utils.errors import ConfigurationError

ADMIN = "key-of-the-admin-1"
KEYS = "alice:key-of-alice"
AS_ADMIN = {"X-API-Key": ADMIN}


def routes(address: str) -> list[tuple[str, str]]:
    """Every admin route, its path filled with something."""
    paths = httpx.get(f"{address}/openapi.json").json()["paths"]
    filled = [
        (
            method,
            "/".join({"{user_id}": "alice", "{kind}": "embed"}.get(part, part.strip("{}")) for part in path.split("/")),
        )
        for path, methods in paths.items()
        for method in methods
        if path.startswith("/v1/admin/")
    ]
    assert len(filled) >= 15
    return filled


@pytest.fixture
def guarded(serve: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> httpx.Client:
    """An API with keys of users and of an admin, and something that is Alice's. No wrong key is waited for."""

    async def at_once(seconds: float) -> None: ...

    monkeypatch.setattr(guesses, "sleep", at_once)
    client = httpx.Client(base_url=serve(api_keys=KEYS, admin_key=ADMIN), timeout=30)
    assert client.post("/query", json={"query": "hello"}, headers=bearer("key-of-alice")).status_code == 200
    return client


def test_the_admin_key_alone_opens_each_admin_route(guarded: httpx.Client) -> None:
    refused = [({}, 401), (bearer("nobodys"), 401), (bearer(ADMIN[:-1]), 401), ({"X-API-Key": "key-of-alice"}, 403)]
    for method, path in routes(str(guarded.base_url).rstrip("/")):
        for headers, status in refused:
            answer = guarded.request(method, path, headers=headers)
            problem(answer, status)
            assert ("www-authenticate" in answer.headers) == (status == 401)
        for headers in (AS_ADMIN, bearer(ADMIN)):
            assert guarded.request(method, path, headers=headers).status_code in (200, 404, 422), path


def test_nothing_of_a_request_is_told_about_before_the_key(guarded: httpx.Client) -> None:
    problem(guarded.get("/v1/admin/users?limit=nonsense&other=1"), 401)
    problem(guarded.post("/v1/admin/users/alice/search", content=b"{"), 401)
    problem(guarded.get("/v1/admin/users/nobody", headers=bearer("key-of-alice")), 403)


def test_user_routes_do_not_know_the_admin_key(guarded: httpx.Client) -> None:
    for headers in (AS_ADMIN, bearer(ADMIN)):
        for method, path, body in (
            ("GET", "/v1/sessions", None),
            ("GET", "/v1/sessions?user_id=alice", None),
            ("POST", "/query", {"query": "hello", "user_id": "alice"}),
            ("DELETE", "/v1/users/alice", None),
            ("GET", "/v1/users/alice/export", None),
        ):
            problem(guarded.request(method, path, json=body, headers=headers), 401)
        assert guarded.post("/mcp", json={}, headers=headers).status_code == 401


def test_without_an_admin_key_admin_routes_are_closed_where_users_have_keys(
    serve: Callable[..., str], make_settings: Callable[..., Settings], server: MongoClient[dict[str, Any]]
) -> None:
    address = serve(api_keys=KEYS)
    for headers in ({}, bearer("key-of-alice"), bearer("nobodys")):
        assert "ADMIN_KEY" in problem(httpx.get(f"{address}/v1/admin/overview", headers=headers), 403)["detail"]
    keys = server[make_settings().mongodb_db]["api_keys"]
    keys.delete_many({})
    keys.insert_one({"_id": hashed("made"), "user_id": "carol"})  # as `loci serve --make-key` stores one
    stored = serve()
    problem(httpx.get(f"{stored}/v1/admin/users", headers=bearer("made")), 403)


def test_without_any_key_admin_routes_are_open_to_this_machine_alone(serve: Callable[..., str]) -> None:
    address = serve()
    assert httpx.get(f"{address}/v1/admin/overview").status_code == 200
    problem(httpx.get(f"{address}/v1/admin/overview", headers={"host": "evil.example"}), 403)


def test_an_admin_key_alone_leaves_user_routes_as_they_are(serve: Callable[..., str]) -> None:
    address = serve(admin_key=ADMIN)
    problem(httpx.get(f"{address}/v1/admin/overview"), 401)
    assert httpx.get(f"{address}/v1/admin/overview", headers=AS_ADMIN).status_code == 200
    assert httpx.get(f"{address}/v1/sessions").status_code == 200
    problem(httpx.get(f"{address}/v1/admin/overview", headers={**AS_ADMIN, "host": "evil.example"}), 403)


@pytest.mark.parametrize("origin", ["https://evil.example", "http://127.0.0.1:1", "null"])
def test_pages_of_other_origins_may_not_call(serve: Callable[..., str], origin: str) -> None:
    address = serve(cors_origins="https://app.example")
    for method, path in (("POST", "/v1/admin/jobs/retry"), ("GET", "/v1/admin/users")):
        problem(httpx.request(method, f"{address}{path}", headers={"origin": origin}), 403)
        for allowed in (address, "https://app.example"):
            assert httpx.request(method, f"{address}{path}", headers={"origin": allowed}).status_code == 200


def test_no_model_provider_gets_the_admin_key(serve: Callable[..., str], scripted_model: ScriptedModel) -> None:
    asked = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
    for keys in ({}, {"api_keys": KEYS}):
        address = serve(admin_key=ADMIN, openai_base_url=scripted_model.url, embedding_model="local", **keys)
        headers = {**bearer(ADMIN), "X-API-Key": "key-of-alice"}
        assert httpx.post(f"{address}/v1/chat/completions", json=asked, headers=headers).status_code == 401
        headers = {**bearer("sk-other"), "X-API-Key": "key-of-alice"}
        assert httpx.post(f"{address}/v1/chat/completions", json=asked, headers=headers).status_code == 200
    sent = [str(request.headers) for request in scripted_model.requests]
    assert any("sk-other" in headers for headers in sent)
    assert not any(ADMIN in headers for headers in sent)


@pytest.mark.parametrize("stored", [False, True])
async def test_an_admin_key_that_is_a_users_is_refused_at_start(
    make_settings: Callable[..., Settings], server: MongoClient[dict[str, Any]], stored: bool
) -> None:
    settings = make_settings(admin_key="one-key", **({} if stored else {"api_keys": "alice:one-key"}))
    if stored:
        server[settings.mongodb_db]["api_keys"].insert_one({"_id": hashed("one-key"), "user_id": "carol"})
    app = create_app(settings)
    with pytest.raises(ConfigurationError, match="ADMIN_KEY"):
        async with app.router.lifespan_context(app):
            pass


def test_an_admin_key_is_not_blank_and_has_no_spaces_around_it() -> None:
    with pytest.raises(ValueError, match="blank"):
        Settings(admin_key="  ")
    key = Settings(admin_key=" key ").admin_key
    assert key is not None and key.get_secret_value() == "key"


@pytest.mark.parametrize("key", ["Schlüssel-1234567890", "ключ", "key…", "key\tkey", "key\x7f", "a\u00a0b"])
def test_an_admin_key_that_no_header_carries_alike_everywhere_is_refused(key: str) -> None:
    with pytest.raises(ValidationError, match="printable ASCII") as refused:
        Settings(admin_key=key)
    [error] = refused.value.errors()
    assert error["loc"] == ("admin_key",) and key not in error["msg"]


@pytest.mark.parametrize("key", ["a b", "~!@#$%^&*()_+`-=[]{}|;:'\"<>,./?\\", "0123456789abcdef"])
def test_an_admin_key_of_any_printable_ascii_is_taken_and_lets_in(serve: Callable[..., str], key: str) -> None:
    address = serve(admin_key=key)
    assert httpx.get(f"{address}/v1/admin/overview", headers={"X-API-Key": key}).status_code == 200
