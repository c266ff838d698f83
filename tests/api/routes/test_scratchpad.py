"""The scratchpad over HTTP."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from pymongo.database import Database

from tests.checks import problem


def path(key: str) -> str:
    return f"/v1/scratchpad/{quote(key, safe='')}"


def put(api: httpx.Client, user: str, key: str, value: str, **more: Any) -> httpx.Response:
    return api.put(path(key), params={"user_id": user}, json={"value": value, **more})


def get(api: httpx.Client, user: str, key: str) -> httpx.Response:
    return api.get(path(key), params={"user_id": user})


def keys(api: httpx.Client, user: str, **query: Any) -> list[str]:
    found = api.get("/v1/scratchpad", params={"user_id": user, **query})
    assert found.status_code == 200, found.text
    return [item["key"] for item in found.json()["items"]]


def test_a_value_is_kept_read_replaced_and_deleted(api: httpx.Client, user: str) -> None:
    assert put(api, user, "current_task", "implement-api").status_code == 201
    assert get(api, user, "current_task").json()["value"] == "implement-api"
    changed = put(api, user, "current_task", "")
    assert (changed.status_code, changed.json()["value"], changed.json()["expires_at"]) == (200, "", None)
    deleted = api.delete(path("current_task"), params={"user_id": user})
    assert deleted.json() == {"deleted": {"scratchpad": 1}}
    problem(get(api, user, "current_task"), 404)
    problem(api.delete(path("current_task"), params={"user_id": user}), 404)


@pytest.mark.parametrize(
    "key",
    [
        "api.endpoint",
        "a/b/c",
        "/leading",
        "trailing/",
        "a//b",
        "with space",
        " padded ",
        "100%",
        "%2F",
        "a?b=c#d",
        "a+b&c",
        "ключ/日本/😀",
        "...",
        "a.../b",
        "$set",
        "x" * 500,
        "\u202eturned",
    ],
)
def test_a_key_arrives_as_it_was_sent(api: httpx.Client, user: str, key: str) -> None:
    assert put(api, user, key, "here").json()["key"] == key
    assert get(api, user, key).json() == {**get(api, user, key).json(), "key": key, "value": "here"}
    assert keys(api, user) == keys(api, user, prefix=key) == [key]
    assert api.delete(path(key), params={"user_id": user}).status_code == 200


def test_slashes_need_no_encoding(api: httpx.Client, user: str) -> None:
    put(api, user, "plans/today/first", "swim")
    assert api.get("/v1/scratchpad/plans/today/first", params={"user_id": user}).json()["value"] == "swim"


@pytest.mark.parametrize(
    "key", [".", "..", "a/../b", "./a", "a/.", " ", "\t", "a\nb", "a\n", "\na", "a\x00b", "x" * 501]
)
def test_keys_that_cannot_arrive_are_refused(api: httpx.Client, user: str, key: str) -> None:
    encoded = "".join(f"%{byte:02X}" for byte in key.encode())
    problem(api.put(f"/v1/scratchpad/{encoded}", params={"user_id": user}, json={"value": "x"}), 422)
    assert keys(api, user) == []


def test_an_empty_key_is_refused(api: httpx.Client, user: str) -> None:
    problem(api.put("/v1/scratchpad/", params={"user_id": user}, json={"value": "x"}), 404, 405, 422)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"value": None},
        {"value": 1},
        {"value": "x" * 65_537},
        {"value": "x", "ttl_seconds": 0},
        {"value": "x", "ttl_seconds": 1.5},
        {"value": "x", "ttl_seconds": True},
        {"value": "x", "ttl_seconds": 10**9},
        {"value": "x", "ttl": 5},
    ],
)
def test_bad_values_are_refused(api: httpx.Client, user: str, body: dict[str, Any]) -> None:
    problem(api.put(path("k"), params={"user_id": user}, json=body), 422)
    assert keys(api, user) == []


def test_keys_are_listed_by_prefix_in_order_and_in_pages(api: httpx.Client, user: str) -> None:
    for key in ("api.b", "api.a", "apiary", "api/", "b", "Ä", "api.\U0010ffff", "\U0010ffff\U0010ffff"):
        put(api, user, key, "x")
    assert keys(api, user, prefix="api.") == ["api.a", "api.b", "api.\U0010ffff"]
    assert keys(api, user, prefix="\U0010ffff") == ["\U0010ffff\U0010ffff"]
    assert keys(api, user, prefix=".*") == []
    every = keys(api, user)
    assert every == sorted(every) and len(every) == 8
    seen, cursor = [], None
    while True:
        query = {"user_id": user, "limit": 3, "prefix": "a"} | ({"cursor": cursor} if cursor else {})
        page = api.get("/v1/scratchpad", params=query).json()
        seen += [item["key"] for item in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == [key for key in every if key.startswith("a")]


def test_keys_and_values_are_searched_in_any_case(api: httpx.Client, user: str) -> None:
    put(api, user, "api.endpoint", "https://api.Example.com/?a=(b")
    put(api, user, "note", "nothing")
    put(api, user, "zürich", "ÄRGER")
    assert keys(api, user, q="example.com") == keys(api, user, q="?A=(B") == ["api.endpoint"]
    assert keys(api, user, q="NOTE") == ["note"]
    assert keys(api, user, q="ärger") == keys(api, user, q="ZÜR") == ["zürich"]
    assert keys(api, user, q="exampleXcom") == []
    assert keys(api, user, q="o", prefix="n") == ["note"]


def test_an_entry_is_gone_when_its_time_is_over(
    api: httpx.Client, user: str, database: Database[dict[str, Any]]
) -> None:
    made = put(api, user, "k", "v", ttl_seconds=3_600).json()
    lives = datetime.fromisoformat(made["expires_at"]) - datetime.fromisoformat(made["updated_at"])
    assert lives == timedelta(hours=1)
    assert get(api, user, "k").json() == made
    past = datetime.now(UTC) - timedelta(seconds=1)  # the sweeper of a store looks once a minute
    database["scratchpad"].update_one({"user_id": user}, {"$set": {"expires_at": past}})
    problem(get(api, user, "k"), 404)
    problem(api.delete(path("k"), params={"user_id": user}), 404)
    assert keys(api, user) == keys(api, user, q="v") == []
    headers = {"If-Match": "*"}
    problem(api.put(path("k"), params={"user_id": user}, json={"value": "w"}, headers=headers), 412)
    again = put(api, user, "k", "w")
    assert (again.status_code, again.json()["expires_at"]) == (201, None)
    assert again.json()["created_at"] > made["created_at"]


def test_putting_again_sets_the_time_anew(api: httpx.Client, user: str) -> None:
    first = put(api, user, "k", "v", ttl_seconds=10)
    longer = put(api, user, "k", "v", ttl_seconds=1_000)
    assert longer.status_code == 200 and longer.json()["expires_at"] > first.json()["expires_at"]
    assert longer.headers["etag"] != first.headers["etag"]
    for_ever = put(api, user, "k", "v")
    assert for_ever.json()["expires_at"] is None
    assert put(api, user, "k", "v").headers["etag"] == for_ever.headers["etag"]


def test_etags_keep_writers_from_each_other(api: httpx.Client, user: str) -> None:
    own = {"user_id": user}
    fresh = api.put(path("k"), params=own, json={"value": "a"}, headers={"If-None-Match": "*"})
    assert fresh.status_code == 201
    problem(api.put(path("k"), params=own, json={"value": "b"}, headers={"If-None-Match": "*"}), 412)
    tag = {"If-Match": fresh.headers["etag"]}

    def change(value: str) -> int:
        return api.put(path("k"), params=own, json={"value": value}, headers=tag).status_code

    with ThreadPoolExecutor(4) as at_once:
        assert sorted(at_once.map(change, "bcde")) == [200, 412, 412, 412]
    problem(api.delete(path("k"), params=own, headers=tag), 412)
    problem(api.delete(path("k"), params=own, headers={"If-Match": "abc"}), 400)
    current = {"If-Match": get(api, user, "k").headers["etag"]}
    assert api.delete(path("k"), params=own, headers=current).status_code == 200


def test_writers_at_once_leave_one_entry(api: httpx.Client, user: str) -> None:
    with ThreadPoolExecutor(8) as at_once:
        codes = list(at_once.map(lambda n: put(api, user, "k", f"v{n}").status_code, range(16)))
    assert sorted(codes) == [200] * 15 + [201]
    assert keys(api, user) == ["k"]


def test_users_do_not_see_each_others_entries(api: httpx.Client, user: str, other: str) -> None:
    put(api, user, "k", "mine")
    problem(get(api, other, "k"), 404)
    problem(api.delete(path("k"), params={"user_id": other}), 404)
    assert put(api, other, "k", "theirs").status_code == 201
    assert get(api, user, "k").json()["value"] == "mine"
    assert keys(api, other, q="mine") == []


def test_a_deleted_users_entries_go(api: httpx.Client, user: str, database: Database[dict[str, Any]]) -> None:
    put(api, user, "k", "v")
    put(api, user, "l", "v", ttl_seconds=100)
    api.post("/v1/observations", json={"user_id": user, "source": "s", "findings": ["x y z"], "lessons": ["x"]})
    counts = api.delete(f"/v1/users/{user}").json()["deleted"]
    assert (counts["scratchpad"], counts["observations"]) == (2, 2)
    for name in database.list_collection_names():
        assert database[name].count_documents({"user_id": user}) == 0, name
    assert keys(api, user) == []


@pytest.mark.parametrize("query", [{"limit": 0}, {"cursor": "!"}, {"prefix": "a\x00"}, {"key": "x"}])
def test_bad_listings_are_refused(api: httpx.Client, user: str, query: dict[str, Any]) -> None:
    problem(api.get("/v1/scratchpad", params={"user_id": user, **query}), 400, 422)
