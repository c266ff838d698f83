"""Who calls: API keys, and what is open without them."""

import asyncio
import hashlib
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from pymongo import MongoClient

from api import guesses
from api.guesses import Guesses
from config.settings import Settings
from memory.store.api_keys import hashed
from tests.checks import bearer, eventually, problem
from utils.errors import TooManyRequests

KEYS = "alice:key-of-alice, bob:key-of-bob"


@pytest.fixture
def guarded(serve: Callable[..., str]) -> httpx.Client:
    return httpx.Client(base_url=serve(api_keys=KEYS), timeout=30)


def test_keys_open_their_users_data_and_no_other(
    guarded: httpx.Client, make_settings: Callable[..., Settings], server: MongoClient[dict[str, Any]]
) -> None:
    for headers in ({}, bearer("nobodys"), {"X-API-Key": "key-of-alic"}, {"Authorization": "Basic key-of-alice"}):
        for method, path in (("POST", "/query"), ("GET", "/v1/sessions"), ("DELETE", "/v1/users/alice")):
            body = {"query": "hello"} if method == "POST" else None
            refused = guarded.request(method, path, json=body, headers=headers)
            problem(refused, 401)
            assert refused.headers["www-authenticate"] == "Bearer"
    for headers in ({"X-API-Key": "key-of-alice"}, bearer("key-of-alice"), {"authorization": "bearer key-of-alice"}):
        answer = guarded.post("/query", json={"query": "hello", "session_id": "s"}, headers=headers)
        assert answer.status_code == 200
    mine = guarded.get("/v1/sessions", headers=bearer("key-of-alice")).json()["items"]
    assert [item["id"] for item in mine] == ["s"]
    assert guarded.get("/v1/sessions", headers=bearer("key-of-bob")).json()["items"] == []
    assert guarded.get("/v1/sessions", params={"user_id": "bob"}, headers=bearer("key-of-bob")).status_code == 200
    for call in (
        guarded.post("/query", json={"query": "hello", "user_id": "alice"}, headers=bearer("key-of-bob")),
        guarded.get("/v1/sessions", params={"user_id": "alice"}, headers=bearer("key-of-bob")),
        guarded.delete("/v1/users/alice", headers=bearer("key-of-bob")),
        guarded.post("/v1/search", json={"query": "hello", "user_id": "default"}, headers=bearer("key-of-bob")),
    ):
        problem(call, 403)
    problem(guarded.get("/v1/sessions/s", headers=bearer("key-of-bob")), 404)
    for path in ("/livez", "/readyz", "/health", "/openapi.json", "/"):
        assert guarded.get(path).status_code == 200, path
    problem(guarded.get("/metrics"), 401)
    assert guarded.get("/metrics", headers=bearer("key-of-bob")).status_code == 200
    name = make_settings().mongodb_db
    stored = list(server[name]["api_keys"].find())
    assert {document["_id"]: document["user_id"] for document in stored} == {
        hashlib.sha256(b"key-of-alice").hexdigest(): "alice",
        hashlib.sha256(b"key-of-bob").hexdigest(): "bob",
    }
    for collection in server[name].list_collection_names():
        assert "key-of-" not in str(list(server[name][collection].find()))


def test_a_key_taken_out_of_the_settings_opens_nothing_any_more(serve: Callable[..., str]) -> None:
    first = serve(api_keys=KEYS)
    assert httpx.get(f"{first}/v1/sessions", headers=bearer("key-of-bob")).status_code == 200
    second = serve(api_keys="alice:key-of-alice")
    assert httpx.get(f"{second}/v1/sessions", headers=bearer("key-of-alice")).status_code == 200
    problem(httpx.get(f"{second}/v1/sessions", headers=bearer("key-of-bob")), 401)
    third = serve()
    assert httpx.get(f"{third}/v1/sessions").status_code == 200


def test_a_key_in_the_store_opens_its_users_data(
    serve: Callable[..., str], make_settings: Callable[..., Settings], server: MongoClient[dict[str, Any]]
) -> None:
    server[make_settings().mongodb_db]["api_keys"].insert_one({"_id": hashed("made"), "user_id": "carol"})
    address = serve()
    problem(httpx.get(f"{address}/v1/sessions"), 401)
    assert httpx.get(f"{address}/v1/sessions", headers=bearer("made")).status_code == 200
    problem(httpx.get(f"{address}/v1/sessions?user_id=dave", headers=bearer("made")), 403)
    elsewhere = {**bearer("made"), "host": "loci.example"}
    assert httpx.get(f"{address}/v1/sessions", headers=elsewhere).status_code == 200


def test_a_key_that_acts_for_users_opens_whomever_a_request_names(
    serve: Callable[..., str], make_settings: Callable[..., Settings], server: MongoClient[dict[str, Any]]
) -> None:
    keys = server[make_settings().mongodb_db]["api_keys"]
    keys.insert_many([{"_id": hashed("service"), "acts_for_users": True}, {"_id": hashed("anns"), "user_id": "ann"}])
    service = httpx.Client(base_url=serve(), headers=bearer("service"), timeout=30)
    for user in ("ann", "bob"):
        told = {"query": f"I am {user}.", "session_id": "s", "user_id": user}
        assert service.post("/query", json=told).status_code == 200
        mine = service.get("/v1/sessions/s/messages", headers={"X-Loci-User": user}).json()["items"]
        assert mine[0]["content"] == f"I am {user}."
    assert service.get("/v1/users/bob/export").status_code == 200
    for method, path, body in (
        ("GET", "/v1/sessions", None),
        ("POST", "/query", {"query": "hello"}),
        ("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"}),
    ):
        refused = service.request(method, path, json=body)
        problem(refused, 400)
        assert "X-Loci-User" in refused.json()["detail"]
    problem(service.get("/v1/sessions", params={"user_id": "bob"}, headers={"X-Loci-User": "ann"}), 422)
    problem(httpx.get(f"{service.base_url}/v1/sessions?user_id=bob", headers=bearer("anns")), 403)
    problem(service.get("/v1/admin/overview"), 403)
    keys.insert_one({"_id": hashed("damaged"), "name": "of nobody"})
    problem(httpx.get(f"{service.base_url}/v1/sessions?user_id=bob", headers=bearer("damaged")), 401)
    assert keys.find_one({"_id": hashed("service")})["used_at"] is not None  # type: ignore[index]


@pytest.fixture
def waited(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long keys had to wait, which nobody does here."""
    seconds: list[float] = []

    async def sleep(delay: float) -> None:
        seconds.append(delay)

    monkeypatch.setattr(guesses, "sleep", sleep)
    return seconds


def test_who_sent_wrong_keys_waits_with_each_new_one(
    serve: Callable[..., str], make_settings: Callable[..., Settings], server: MongoClient[Any], waited: list[float]
) -> None:
    made = f"loci_{'x' * 43}"
    server[make_settings().mongodb_db]["api_keys"].insert_one({"_id": hashed(made), "user_id": "carol"})
    client = httpx.Client(base_url=serve(api_keys=KEYS, admin_key="key-of-admin"), timeout=30)

    def status(path: str, key: str) -> int:
        return client.get(path, headers=bearer(key)).status_code

    assert status("/v1/sessions", "key-of-alice") == 200
    assert [status("/v1/sessions", f"guess-{n}") for n in range(4)] == [401] * 4
    assert status("/v1/admin/overview", "guess") == 401 and waited == []
    for path, key in (("/v1/sessions", "a"), ("/metrics", "b"), ("/anthropic/v1/models", "c"), ("/v1/models", "d")):
        assert status(path, key) == 401
    assert waited == [0.5, 1.0, 2.0, 4.0]
    for key in ("key-of-alice", made):  # one was looked at before, and nobody guesses the other
        assert status("/v1/sessions", key) == 200 and len(waited) == 4
    assert status("/v1/sessions", "a") == 401 and len(waited) == 4  # which is no new guess
    assert status("/metrics", "key-of-admin") == 200 and len(waited) == 5
    for number in range(1_200):
        guess = client.get("/v1/sessions", headers=bearer(f"more-{number}"))
    problem(guess, 401)
    assert max(waited) == 16.0


async def test_no_more_than_some_wait_for_their_wrong_key(monkeypatch: pytest.MonkeyPatch) -> None:
    known, released = Guesses(), asyncio.Event()

    async def sleep(seconds: float) -> None:
        await released.wait()

    async def look(address: str, digest: str) -> None:
        async with known.looking(address, digest):
            pass

    monkeypatch.setattr(guesses, "sleep", sleep)
    for _ in range(5):
        known.wrong("2001:db8::1")
    waiting = [asyncio.create_task(look("2001:db8::2", str(number))) for number in range(8)]
    await asyncio.sleep(0)
    with pytest.raises(TooManyRequests):
        await look("2001:db8::3", "one more")
    await look("2001:db9::1", "from elsewhere")
    released.set()
    await asyncio.gather(*waiting)


@pytest.mark.parametrize("keys", ["alice", "alice:", ":key", "alice:key,bob:key", "alice:one,,bob"])
def test_keys_that_are_no_pairs_are_refused(keys: str) -> None:
    with pytest.raises(ValueError, match="API_KEYS must be"):
        Settings(api_keys=keys)


def test_short_keys_are_warned_of_once_where_others_reach_the_server(
    serve: Callable[..., str], caplog: pytest.LogCaptureFixture
) -> None:
    def warnings() -> list[str]:
        return [message for message in caplog.messages if "_KEY" in message]

    long, short = "0123456789abcdef", "ann:short,bob:0123456789abcdef,cid:brief"
    serve(api_keys=KEYS, admin_key="short")
    serve(host="0.0.0.0", api_keys=f"ann:{long}", admin_key=long[::-1])  # served here at 127.0.0.1 all the same
    assert warnings() == []
    address = serve(host="0.0.0.0", api_keys=short, admin_key="tiny")
    for _ in range(2):
        assert httpx.get(f"{address}/v1/sessions", headers=bearer("short")).status_code == 200
    users, admin = warnings()
    assert "API_KEYS: the keys of ann, cid" in users and "16" in users and "short" not in users
    assert "ADMIN_KEY" in admin and "16" in admin and "tiny" not in admin


def test_the_first_key_that_another_process_makes_closes_this_one(
    serve: Callable[..., str], make_settings: Callable[..., Settings], server: MongoClient[dict[str, Any]]
) -> None:
    client = httpx.Client(base_url=serve(), timeout=30)
    assert client.get("/v1/sessions").status_code == 200
    stored = {"_id": hashed("k"), "user_id": "carol", "source": "command"}
    server[make_settings().mongodb_db].api_keys.insert_one(stored)
    assert eventually(lambda: client.get("/v1/sessions").status_code == 401)
    assert client.get("/v1/sessions", headers=bearer("k")).status_code == 200
