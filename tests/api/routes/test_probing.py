"""What an admin tries for a user: the probe, the prompt's preview, the map, deletion with its dry run, export."""

from typing import Any

import httpx
import numpy as np
import pytest
from pymongo.database import Database

from memory.oversight.map import projected
from tests.api.said import every, say
from tests.checks import eventually, problem

ASKED = "Where does the heron nest?"


def test_the_probe_has_every_part_of_the_score_and_each_reason(api: httpx.Client, user: str) -> None:
    say(
        api, user, "s", "The heron nests by the mill", "The heron nests by the mill", *(f"Sheep {n}" for n in range(20))
    )
    path = f"/v1/admin/users/{user}/probe"
    for recipe, parts in {"query": {"dense", "bm25", "fused"}, "query-cosine": {"dense"}, "proxy": {"mmr"}}.items():
        found = api.post(path, json={"query": ASKED, "recipe": recipe}).json()
        first, *others = found["candidates"]
        assert (found["recipe"], first["content"], first["dropped"]) == (recipe, "The heron nests by the mill", None)
        assert parts <= {name for name, value in first["explain"].items() if value is not None}
        left_out = [one for one in others if one["dropped"]]
        assert left_out
        assert all(one["reason"] for one in left_out)
        assert first["document"]
    found = api.post(path, json={"query": ASKED, "recipe": "search", "top_k": 1}).json()
    assert [one["dropped"] for one in found["candidates"]].count(None) == 1
    problem(api.post(path, json={"query": ASKED, "recipe": "none"}), 422)
    problem(api.post("/v1/admin/users/nobody-here/probe", json={"query": ASKED}), 404)


def test_the_probe_tells_what_holds_no_longer(api: httpx.Client, user: str) -> None:
    def facts() -> list[str]:
        return [one["text"] for one in api.get("/v1/facts", params={"user_id": user}).json()["items"]]

    for text, fact in (
        ("I live in Porto.", "The user lives in Porto."),
        ("I moved to Lisbon.", "The user moved to Lisbon and lives in Lisbon."),
    ):
        api.post("/query", json={"query": text, "user_id": user}).raise_for_status()
        eventually(lambda fact=fact: facts() == [fact])  # type: ignore[misc]

    def probed() -> dict[str, Any]:
        asked = {"query": "Where do I live?", "recipe": "query"}
        found = api.post(f"/v1/admin/users/{user}/probe", json=asked).json()["candidates"]
        return {one["content"]: (one["holds"], one["replaced_by"]) for one in found}

    eventually(lambda: probed()["I live in Porto."] == (False, ["The user moved to Lisbon and lives in Lisbon."]))
    assert probed()["I moved to Lisbon."] == (True, [])


def test_a_prompt_is_previewed_and_nothing_is_kept(
    api: httpx.Client, user: str, database: Database[dict[str, Any]]
) -> None:
    say(api, user, "s", "The heron nests by the mill")
    before = api.get(f"/v1/admin/users/{user}").json()["counts"]
    path = f"/v1/admin/users/{user}/prompt"
    found = api.post(path, json={"query": ASKED}).json()
    texts = [section["text"] for message in found["messages"] for section in message["sections"]]
    assert any("The heron nests by the mill" in text for text in texts)
    assert found["messages"][0]["role"] == "system"
    assert ASKED in found["messages"][-1]["sections"][-1]["text"]
    assert found["tokens"] > 50
    for said in ("Remember that my locker is number 12", "Forget everything about the heron"):
        assert api.post(path, json={"query": said}).status_code == 200
    assert api.get(f"/v1/admin/users/{user}").json()["counts"] == before
    assert database["vectors"].count_documents({"user_id": user, "content": {"$regex": "locker"}}) == 0


def test_the_map_is_the_same_each_time_and_near_is_alike(api: httpx.Client, user: str) -> None:
    herons = ["The heron nests by the mill", "A heron has its nest near the mill", "Herons build nests at mills"]
    taxes = ["My tax return is due in May", "The tax office wants my return", "I owe taxes for May"]
    say(api, user, "s", *herons, *taxes)
    path = f"/v1/admin/users/{user}/map"
    found = api.get(path).json()
    assert found == api.get(path).json()
    spots = {one["text"]: np.array([one["x"], one["y"]]) for one in found["spots"] if one["kind"] == "turn"}
    assert set(herons + taxes) == spots.keys()
    assert all(np.abs(spot).max() <= 1 for spot in spots.values())
    centres = [np.mean([spots[text] for text in texts], axis=0) for texts in (herons, taxes)]
    for own, texts in enumerate((herons, taxes)):
        for text in texts:
            near, far = (np.linalg.norm(spots[text] - centres[each]) for each in (own, 1 - own))
            assert near < far
    assert 0 < found["share"] <= 1


@pytest.mark.parametrize("shape", [(2, 3), (3, 1), (4, 4)])
def test_any_vectors_have_a_place(shape: tuple[int, int]) -> None:
    for matrix in (np.zeros(shape, np.float32), np.eye(*shape, dtype=np.float32)):
        placed, share = projected(matrix)
        assert placed.shape == (shape[0], 2)
        assert np.isfinite(placed).all()
        assert 0 <= share <= 1


def test_a_dry_run_deletes_nothing_and_the_deletion_all(own: httpx.Client) -> None:
    say(own, "ann", "s", "The heron nests by the mill", "It is grey")
    say(own, "bob", "s", "Hello")
    own.put("/v1/memories/locker", json={"value": "12", "user_id": "ann"})
    would = own.delete("/v1/admin/users/ann").json()["deleted"]
    assert (would["vectors"], would["memories"], would["sessions"]) == (2, 1, 1)
    assert own.get("/v1/admin/users/ann").json()["messages"] == 2
    deleted = own.delete("/v1/admin/users/ann", params={"dry_run": False}).json()["deleted"]
    assert (deleted["memories"], deleted["sessions"]) == (1, 1)
    problem(own.get("/v1/admin/users/ann"), 404)
    assert own.get("/v1/admin/users/bob").json()["messages"] == 1
    kept = every(
        own,
        "/v1/admin/audit",
        50,
    )
    assert [(one["user_id"], one["detail"]) for one in kept if one["action"].startswith("DELETE")] == [
        ("ann", "dry_run false"),
        ("ann", None),
    ]


def test_an_export_for_an_admin_is_the_users_own(api: httpx.Client, user: str) -> None:
    say(api, user, "s", "The heron nests by the mill")
    seen = api.get(f"/v1/admin/users/{user}/export")
    mine = api.get(f"/v1/users/{user}/export")
    assert seen.headers["content-type"] == mine.headers["content-type"]
    assert seen.text.splitlines()[1:] == mine.text.splitlines()[1:]


def test_growth_is_counted_by_day(own: httpx.Client) -> None:
    days = eventually(lambda: own.get("/v1/admin/growth").json()["days"])
    assert len(days) == 1
    assert days[0]["counts"].keys() == {one["name"] for one in own.get("/v1/admin/collections").json()["items"]}
