"""All of a user's data."""

from typing import Any

import httpx
from pymongo.database import Database

from tests.checks import eventually


def test_a_deleted_user_leaves_nothing_in_any_collection(
    api: httpx.Client, user: str, other: str, database: Database[dict[str, Any]]
) -> None:
    for owner in (user, other):
        messages = [{"role": ("user", "assistant")[at % 2], "content": f"{owner} says {at}"} for at in range(24)]
        body = {"user_id": owner, "session_id": "s", "messages": messages}
        assert api.post("/v1/messages", json=body, headers={"Idempotency-Key": "import"}).status_code == 200
        query = {"query": f"Remember that my name is {owner}", "user_id": owner, "session_id": "t"}
        assert api.post("/query", json=query).status_code == 200
        eventually(lambda owner=owner: database["summaries"].count_documents({"user_id": owner}))
    api.delete("/v1/sessions/t", params={"user_id": other})
    found = api.delete(f"/v1/users/{user}")
    counts = found.json()["deleted"]
    assert counts["sessions"] == 2
    assert counts["vectors"] == 26
    assert counts["summaries"] == counts["memories"] == counts["receipts"] == 1
    for name in database.list_collection_names():
        left = [str(document) for document in database[name].find()]
        assert not [document for document in left if f"'{user}'" in document or f"{user} says" in document], name
    assert api.get("/v1/sessions", params={"user_id": user}).json()["items"] == []
    assert api.get("/v1/sessions/s", params={"user_id": other}).json()["message_count"] == 24


def test_a_user_who_was_deleted_may_come_back(api: httpx.Client, user: str) -> None:
    message = {"role": "user", "content": "The heron nests by the mill."}
    body = {"user_id": user, "session_id": "s", "messages": [message], "wait": True}
    for _ in range(2):
        assert api.post("/v1/messages", json=body).json()["accepted"] == 1
        assert len(api.post("/v1/search", json={"user_id": user, "query": "heron"}).json()["items"]) == 1
        assert api.delete(f"/v1/users/{user}").json()["deleted"]["vectors"] == 1
        assert api.post("/v1/search", json={"user_id": user, "query": "heron"}).json()["items"] == []


def test_a_user_nobody_knows_is_deleted_with_counts_of_zero(api: httpx.Client, user: str) -> None:
    assert set(api.delete(f"/v1/users/{user}").json()["deleted"].values()) == {0}
