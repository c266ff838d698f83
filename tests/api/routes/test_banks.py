"""Memory banks over HTTP."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from api.wire.banks import MOST_OTHERS
from tests.checks import problem


def activate(api: httpx.Client, user: str, **changes: Any) -> dict[str, Any]:
    asked = {"user_id": user, "conversation_type": "project", "project_name": "Loci"} | changes
    found = api.post("/v1/banks", json=asked)
    assert found.status_code == 200, found.text
    told: dict[str, Any] = found.json()
    return told


def update(api: httpx.Client, user: str, content: str, bank: str = "project/loci", **more: Any) -> httpx.Response:
    headers = more.pop("headers", {})
    return api.post(f"/v1/banks/{bank}/update", json={"user_id": user, "content": content, **more}, headers=headers)


def read(api: httpx.Client, user: str, bank: str = "project/loci", **params: Any) -> httpx.Response:
    return api.get(f"/v1/banks/{bank}", params={"user_id": user, **params})


def test_a_bank_is_activated_updated_and_read(api: httpx.Client, user: str) -> None:
    begun = activate(api, user, project_description="A chat backend")
    assert begun["status"] == "success"
    assert begun["bank_info"].keys() == {"type", "id", "files", "last_updated"}
    assert begun["bank_info"]["files"] == list(begun["content"])
    assert "A chat backend" in begun["content"]["context.md"]
    assert "update" in begun["custom_instructions"]
    assert begun["cache"]["version"] == 1
    done = update(api, user, "Decided: we use SQLite. [critical]").json()
    assert (done["status"], done["previous_errors"], done["version"]) == ("success", [], 2)
    assert done["changes"][0] == {
        "target_file": "decisions.md",
        "operation_type": "append",
        "metadata": {
            "section": "Decisions",
            "category": "decision",
            "tags": ["critical"],
            "dates": [],
            "references": [],
        },
    }
    now = read(api, user).json()
    assert "Decided: we use SQLite." in now["content"]["decisions.md"]
    assert "SQLite" not in read(api, user, version=1).json()["content"]["decisions.md"]
    assert now["version"]["said"] == "Decided: we use SQLite. [critical]"
    [listed] = api.get("/v1/banks", params={"user_id": user}).json()["items"]
    assert (listed["type"], listed["id"], listed["name"], listed["version"]) == ("project", "loci", "Loci", 2)


def test_what_a_terminal_coloured_is_put_in_plain(api: httpx.Client, user: str) -> None:
    activate(api, user)
    assert update(api, user, "\x1b[32mThe tests passed\x1b[0m\x07 today.").status_code == 200
    assert "The tests passed today." in "".join(read(api, user).json()["content"].values())


def test_an_update_makes_the_bank_that_it_is_for(api: httpx.Client, user: str) -> None:
    told = update(api, user, "The sky is blue.", "code/new-one").json()
    assert (told["version"], told["created"]) == (2, True)
    made = read(api, user, "code/new-one").json()
    assert made["bank"]["name"] == "new-one"
    assert made["content"]["architecture.md"].startswith("# Architecture: new-one")


def test_banks_of_the_same_name_are_told_of(api: httpx.Client, user: str) -> None:
    first = activate(api, user, project_name="webapp", current_path="/a/webapp")
    again = activate(api, user, project_name="webapp")
    assert (again["bank_info"]["id"], again["others"]) == (first["bank_info"]["id"], [])
    assert again["custom_instructions"] == first["custom_instructions"]
    apart = activate(api, user, project_name="webapp", current_path="/b/webapp")
    [other] = apart["others"]
    assert (other["conversation_id"], other["path"]) == (first["conversation_id"], "/a/webapp")
    assert apart["custom_instructions"].startswith(first["custom_instructions"])
    assert "`others`" in apart["custom_instructions"]


def test_of_many_banks_of_the_same_name_some_are_told_and_how_many_more_there_are(api: httpx.Client, user: str) -> None:
    for number in range(MOST_OTHERS + 3):
        told = activate(api, user, project_name="webapp", current_path=f"/{number}/webapp")
    assert len(told["others"]) == MOST_OTHERS
    assert "2 more banks" in told["left_out"] and "list_banks" in told["left_out"]


def test_versions_are_listed_page_by_page(api: httpx.Client, user: str) -> None:
    activate(api, user)
    for number in range(4):
        update(api, user, f"Number {number}.")
    found: list[int] = []
    cursor: str | None = None
    while True:
        params = {"user_id": user, "limit": 2} | ({"cursor": cursor} if cursor else {})
        page = api.get("/v1/banks/project/loci/versions", params=params).json()
        found += [one["version"] for one in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert found == [5, 4, 3, 2, 1]


def test_no_user_sees_anothers_bank(api: httpx.Client, user: str, other: str) -> None:
    activate(api, user)
    update(api, user, "A secret.")
    problem(read(api, other), 404)
    problem(api.delete("/v1/banks/project/loci", params={"user_id": other}), 404)
    problem(api.get("/v1/banks/project/loci/versions", params={"user_id": other}), 404)
    assert api.get("/v1/banks", params={"user_id": other}).json()["items"] == []
    assert "secret" not in str(activate(api, other))


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "project/loci"),
        ({"content": ""}, "project/loci"),
        ({"content": " \n"}, "project/loci"),
        ({"content": 5}, "project/loci"),
        ({"content": "x" * 1_000_001}, "project/loci"),
        ({"content": "x", "update_count": -1}, "project/loci"),
        ({"content": "x", "update_count": "1"}, "project/loci"),
        ({"content": "x", "conversation_id": ""}, "project/loci"),
        ({"content": "x", "conversation_id": "../x"}, "project/loci"),
        ({"content": "x", "conversation_id": ".."}, "project/loci"),
        ({"content": "x", "conversation_id": "project/Loci"}, "project/loci"),
        ({"content": "x", "unknown": 1}, "project/loci"),
        ({"content": "x"}, "projekt/loci"),
        ({"content": "x"}, "project/Loci"),
        ({"content": "x"}, "project/lo%20ci"),
        ({"content": "x"}, "project/" + "x" * 200),
    ],
)
def test_what_is_not_an_update_is_refused_and_changes_nothing(
    api: httpx.Client, user: str, counts: Callable[[], dict[str, int]], body: dict[str, Any], path: str
) -> None:
    activate(api, user)
    before = counts()
    problem(api.post(f"/v1/banks/{path}/update", json={"user_id": user, **body}), 422)
    assert counts() == before


def test_an_update_of_a_conversation_with_another_bank_is_refused_and_changes_nothing(
    api: httpx.Client, user: str, counts: Callable[[], dict[str, int]]
) -> None:
    before = counts()
    told = problem(update(api, user, "x", "project/real", conversation_id="project/other"), 400)
    assert "another memory bank" in told["detail"]
    assert counts() == before
    assert update(api, user, "x", "project/real", conversation_id="project/real").status_code == 200


def test_what_is_wrong_with_a_conversation_id_is_told_in_words(api: httpx.Client, user: str) -> None:
    told = problem(update(api, user, "x", conversation_id="../x"), 422)
    assert told["detail"] == (
        "body.conversation_id: must be the one that `activate` gave, or the client's own, without a slash"
    )


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"conversation_type": "projekt", "project_name": "x"}, 422),
        ({"conversation_type": "project"}, 400),
        ({"conversation_type": "project", "project_name": "  "}, 400),
        ({"conversation_type": "project", "project_name": 5}, 422),
        ({"conversation_type": "project", "project_name": "x" * 201}, 422),
        ({"conversation_type": "project", "project_name": "x", "current_path": "."}, 400),
        ({"project_name": "x"}, 422),
    ],
)
def test_what_names_no_bank_is_refused(api: httpx.Client, user: str, asked: dict[str, Any], status: int) -> None:
    problem(api.post("/v1/banks", json={"user_id": user, **asked}), status)


def test_a_version_that_is_not_there_is_not_found(api: httpx.Client, user: str) -> None:
    activate(api, user)
    problem(read(api, user, version=9), 404)
    problem(read(api, user, version=0), 422)
    problem(read(api, user, version="x"), 422)


def test_the_same_key_updates_once(api: httpx.Client, user: str) -> None:
    activate(api, user)
    first = update(api, user, "Once.", headers={"Idempotency-Key": "k1"})
    again = update(api, user, "Once.", headers={"Idempotency-Key": "k1"})
    assert again.headers["idempotency-replayed"] == "true"
    assert again.json() == first.json()
    problem(update(api, user, "Other.", headers={"Idempotency-Key": "k1"}), 422)
    assert read(api, user).json()["bank"]["version"] == 2


def test_sections_are_searched_by_those_who_ask_for_them(api: httpx.Client, user: str) -> None:
    activate(api, user)
    update(api, user, "The lighthouse keeper is called Ada.")
    asked = {"user_id": user, "query": "lighthouse keeper"}
    assert api.post("/v1/search", json=asked).json()["items"] == []
    found = api.post("/v1/search", json=asked | {"kinds": ["section"]}).json()["items"]
    assert (found[0]["kind"], found[0]["session_id"]) == ("section", "project/loci")
    told = api.post("/query", json={"user_id": user, "query": "What is the lighthouse keeper called?"}).json()
    assert told["memory_context"]["context"] == []


def test_a_deleted_bank_is_gone(api: httpx.Client, user: str) -> None:
    activate(api, user)
    update(api, user, "The lighthouse keeper is called Ada.")
    deleted = api.delete("/v1/banks/project/loci", params={"user_id": user}).json()["deleted"]
    assert deleted == {"banks": 1, "bank_versions": 2, "vectors": 1}
    problem(read(api, user), 404)
    problem(api.delete("/v1/banks/project/loci", params={"user_id": user}), 404)
    assert "Ada" not in str(activate(api, user))


def test_a_user_who_is_deleted_has_no_banks(api: httpx.Client, user: str) -> None:
    activate(api, user)
    deleted = api.delete(f"/v1/users/{user}").json()["deleted"]
    assert (deleted["banks"], deleted["bank_versions"]) == (1, 1)
    assert api.get("/v1/banks", params={"user_id": user}).json()["items"] == []


def test_a_bank_that_is_small_is_not_condensed(api: httpx.Client, user: str) -> None:
    activate(api, user)
    told = api.post("/v1/banks/project/loci/optimise", params={"user_id": user})
    assert told.json()["version"] == 1
    problem(api.post("/v1/banks/project/none/optimise", params={"user_id": user}), 404)
