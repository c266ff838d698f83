"""What is stored, as an admin browses it: documents of every collection, and the audit log of having looked."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from pymongo.database import Database

from memory.oversight import browsing
from tests.api.said import every, say
from tests.checks import bearer, eventually, problem

ADMIN = "key-of-the-admin-1"


def listed(api: httpx.Client, collection: str, limit: int = 50, **filters: str) -> list[dict[str, Any]]:
    return every(api, f"/v1/admin/collections/{collection}", limit, **filters)


def test_every_collection_is_listed_with_its_size_and_indexes(own: httpx.Client) -> None:
    say(own, "ann", "s", "The heron nests by the mill", "It is grey")
    found = {one["name"]: one for one in own.get("/v1/admin/collections").json()["items"]}
    expected = {"sessions", "vectors", "summaries", "memories", "facts", "receipts", "traces", "banks"}
    assert expected <= found.keys()
    assert not {"api_keys", "idempotency"} & found.keys()
    vectors = found["vectors"]
    assert vectors["documents"] == 2
    assert vectors["bytes"] > 2 * 4 * 384
    assert {"user_id", "session_id", "message_index"} == {
        field for index in vectors["indexes"] if index["name"] == "place" for field, _ in index["keys"]
    }
    assert set(vectors["filters"]) == {"session", "kind", "moment", "text"}
    for name in found:
        assert own.get(f"/v1/admin/collections/{name}").status_code == 200


@pytest.mark.parametrize("limit", [1, 2, 50])
def test_documents_are_filtered_and_paged(own: httpx.Client, limit: int) -> None:
    say(own, "ann", "s", "The heron nests by the mill", "It is grey", "50% of (herons) eat.*")
    say(own, "ann", "t", "Another heron")
    say(own, "bob", "s", "The HERON of bob")
    own.post("/v1/facts", json={"text": "I live in Madrid.", "user_id": "ann"})

    def texts(**filters: str) -> list[str]:
        return [one["text"] for one in listed(own, "vectors", limit, **filters)]

    assert len(texts()) == 6
    assert texts(user_id="bob") == ["The HERON of bob"]
    assert sorted(texts(q="heron", session_id="s")) == [
        "50% of (herons) eat.*",
        "The HERON of bob",
        "The heron nests by the mill",
    ]
    assert texts(q="(herons) eat.*") == ["50% of (herons) eat.*"]
    assert texts(user_id="ann", kind="fact") == ["The user lives in Madrid."]
    assert len(texts(user_id="ann", kind="turn")) == 4
    assert texts(user_id="ann", session_id="t") == ["Another heron"]
    assert texts(user_id="ann", until="2020-01-01") == []
    assert len(texts(user_id="ann", since="2020-01-01")) == 5
    assert texts(kind="$ne") == texts(session_id='{"$ne": 1}') == []
    moments = [one["at"] for one in listed(own, "vectors", limit, user_id="ann")]
    assert moments == sorted(moments, reverse=True)


def test_a_page_reads_only_so_many_documents_and_says_that_there_are_more(
    own: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browsing, "LOOKED_THROUGH", 4)
    said = [
        {"role": "user", "content": f"Thing {number}", "timestamp": f"2026-01-01T10:0{number}:00Z"}
        for number in range(10)
    ]
    body = {"user_id": "ann", "session_id": "s", "messages": said, "wait": True}
    assert own.post("/v1/messages", json=body).status_code == 200
    first = own.get("/v1/admin/collections/vectors", params={"user_id": "ann", "q": "Thing 0"}).json()
    assert (first["items"], first["next_cursor"] is not None) == ([], True)
    for user in ({"user_id": "ann"}, {}):
        found, cursor, pages = list[str](), None, 0
        while cursor or not pages:
            params = {"q": "Thing 3", **user, **({"cursor": cursor} if cursor else {})}
            page = own.get("/v1/admin/collections/vectors", params=params).json()
            found, cursor, pages = [*found, *(one["text"] for one in page["items"])], page["next_cursor"], pages + 1
        assert (found, pages) == (["Thing 3"], 3)


def test_a_document_has_bson_types_and_a_vector_its_length(own: httpx.Client) -> None:
    say(own, "ann", "s", "The heron nests by the mill")
    [found] = listed(own, "vectors")
    document = own.get(f"/v1/admin/collections/vectors/{found['id']}").json()
    fields = {one["name"]: one for one in document["fields"]}
    assert fields["content"]["type"] == "string"
    assert fields["content"]["value"] == "The heron nests by the mill"
    assert (fields["timestamp"]["type"], fields["message_index"]["type"]) == ("date", "int")
    state = {one["name"]: one["value"] for one in fields["embed"]["children"]}
    assert state["state"] == "done"
    vector = fields["embedding"]["vector"]
    assert fields["embedding"]["type"] == "vector"
    assert vector["dimensions"] == len(vector["values"]) == 384
    assert vector["norm"] == pytest.approx(1, abs=1e-3)
    assert document["bytes"] > 4 * 384


def test_what_is_not_there_is_404_and_a_foreign_cursor_400(api: httpx.Client) -> None:
    for path in ("nothing", "api_keys", "idempotency", "audit", "$cmd", "vectors/bm90aGluZw", "vectors/%2A"):
        problem(api.get(f"/v1/admin/collections/{path}"), 404)
    problem(api.get("/v1/admin/collections/vectors", params={"user_id": "ann", "cursor": "bm90aGluZw"}), 400)
    problem(api.get("/v1/admin/collections/vectors", params={"since": "x"}), 422)
    problem(api.get("/v1/admin/collections/vectors", params={"user_id[$ne]": "x"}), 422)


def test_what_admins_do_and_of_whom_they_look_at_something_is_kept(
    serve: Callable[..., str], own_database: Database[dict[str, Any]]
) -> None:
    with httpx.Client(base_url=serve(admin_key=ADMIN), headers=bearer(ADMIN), timeout=30) as own:
        say(own, "ann", "s", "The heron nests by the mill")
        problem(own.get("/v1/admin/users/ann", headers=bearer("wrong")), 401)
        own.get("/v1/admin/overview")
        own.get("/v1/admin/users/ann/sessions/s/messages")
        own.post("/v1/admin/jobs/retry", params={"kind": "embed"})
        page = own.get("/v1/admin/collections/vectors", params={"user_id": "ann", "limit": 1}).json()
        own.get("/v1/admin/collections/vectors", params={"user_id": "ann", "cursor": page["next_cursor"] or "e30"})
        own.get(f"/v1/admin/collections/vectors/{page['items'][0]['id']}")
        kept = every(own, "/v1/admin/audit", 2)
    assert [(one["action"], one["user_id"]) for one in kept] == [
        ("GET /v1/admin/collections/{collection}/{document_id}", None),
        ("GET /v1/admin/collections/{collection}", "ann"),
        ("POST /v1/admin/jobs/retry", None),
        ("GET /v1/admin/users/{user_id}/sessions/{session_id}/messages", "ann"),
    ]
    assert all(one["who"] == "admin key, 127.0.0.1" for one in kept)
    assert "kind embed" in kept[2]["detail"]
    assert "heron" not in str(list(own_database["audit"].find()))
    assert eventually(lambda: {"newest", "expiry"} <= own_database["audit"].index_information().keys())
