"""Facts over HTTP."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.checks import problem


def learn(api: httpx.Client, user: str, text: str, **more: Any) -> list[dict[str, Any]]:
    found = api.post("/v1/facts", json={"user_id": user, "text": text, **more})
    assert found.status_code == 200, found.text
    decisions: list[dict[str, Any]] = found.json()["decisions"]
    return decisions


def listed(api: httpx.Client, user: str, **query: Any) -> list[str]:
    found = api.get("/v1/facts", params={"user_id": user, **query})
    assert found.status_code == 200, found.text
    return [item["text"] for item in found.json()["items"]]


def test_a_text_is_extracted_and_reconciled(api: httpx.Client, user: str) -> None:
    [added] = learn(api, user, "I live in Madrid.")
    assert (added["event"], added["text"], added["old"]) == ("ADD", "The user lives in Madrid.", None)
    [updated] = learn(api, user, "I moved to Berlin.")
    assert (updated["event"], updated["old"]) == ("UPDATE", "The user lives in Madrid.")
    [same] = learn(api, user, "I moved to Berlin!")
    assert (same["event"], same["id"]) == ("NONE", updated["id"])
    assert listed(api, user) == ["The user moved to Berlin and lives in Berlin."]


def test_what_no_rule_understands_is_a_fact_as_it_stands(api: httpx.Client, user: str) -> None:
    assert [one["text"] for one in learn(api, user, "Gate code: 4711")] == ["Gate code: 4711"]
    for text in ("What is the gate code?", "Yes.", "Forget my password.", "If I lived in Rome I would be happy."):
        assert learn(api, user, text) == []
    assert listed(api, user) == ["Gate code: 4711"]


def test_what_may_replace_a_fact_names_it(api: httpx.Client, user: str) -> None:
    [ford] = learn(api, user, "I have a Ford.")
    [beside] = learn(api, user, "I have a new bike.")
    assert (beside["event"], ford["text"] in listed(api, user)) == ("ADD", True)
    path = f"/v1/facts/{beside['id']}"
    assert api.get(path, params={"user_id": user}).json()["may_replace"] == ford["id"]
    [added] = api.get(f"{path}/history", params={"user_id": user}).json()["items"]
    assert (added["event"], added["other"]) == ("ADD", ford["id"])


def test_an_ended_fact_is_not_changed(api: httpx.Client, user: str) -> None:
    own = {"user_id": user}
    [first] = learn(api, user, "My dog is called Biscuit.")
    second = api.patch(f"/v1/facts/{first['id']}", params=own, json={"text": "The user's dog is called Rex."}).json()
    problem(api.patch(f"/v1/facts/{first['id']}", params=own, json={"text": "The user's dog is called Max."}), 409)
    assert api.post(f"/v1/facts/{first['id']}/undo", params=own).json()["valid_to"] is None
    problem(api.patch(f"/v1/facts/{second['id']}", params=own, json={"text": "The user's dog is called Max."}), 409)
    api.delete(f"/v1/facts/{first['id']}", params=own)
    problem(api.patch(f"/v1/facts/{first['id']}", params=own, json={"text": "The user's dog is called Max."}), 409)
    assert listed(api, user) == []


def test_of_changes_at_once_one_is_made(api: httpx.Client, user: str) -> None:
    [old] = learn(api, user, "My dog is called Biscuit.")

    def change(name: str) -> int:
        body = {"text": f"The user's dog is called {name}."}
        return api.patch(f"/v1/facts/{old['id']}", params={"user_id": user}, json=body).status_code

    with ThreadPoolExecutor(4) as at_once:
        assert sorted(at_once.map(change, ["Rex", "Max", "Bo", "Ida"])) == [200, 409, 409, 409]
    assert len(listed(api, user)) == 1


def test_the_same_said_often_at_once_is_one_fact(api: httpx.Client, user: str) -> None:
    with ThreadPoolExecutor(8) as at_once:
        decided = list(at_once.map(lambda _: learn(api, user, "I live in Madrid."), range(8)))
    assert sorted(one["event"] for [one] in decided) == ["ADD", *["NONE"] * 7]
    assert listed(api, user, ended=True) == ["The user lives in Madrid."]


def test_the_history_of_a_fact_and_what_was_true_then(api: httpx.Client, user: str) -> None:
    [madrid] = learn(api, user, "I live in Madrid.")
    before = api.get(f"/v1/facts/{madrid['id']}", params={"user_id": user}).json()
    [berlin] = learn(api, user, "I moved to Berlin.")
    after = api.get(f"/v1/facts/{madrid['id']}", params={"user_id": user}).json()
    assert (before["valid_to"], after["superseded_by"]) == (None, berlin["id"])
    assert listed(api, user, as_of=before["valid_from"]) == ["The user lives in Madrid."]
    assert listed(api, user, as_of=after["valid_to"]) == ["The user moved to Berlin and lives in Berlin."]
    assert listed(api, user, as_of="1999-01-01T00:00:00Z") == []
    assert listed(api, user, as_of="1999-01-01") == []  # as in every other time: a date is its midnight in UTC
    assert sorted(listed(api, user, ended=True)) == [
        "The user lives in Madrid.",
        "The user moved to Berlin and lives in Berlin.",
    ]
    history = api.get(f"/v1/facts/{madrid['id']}/history", params={"user_id": user}).json()["items"]
    assert [(event["event"], event["by"]) for event in history] == [("ADD", "rule_based"), ("UPDATE", "rule_based")]


def test_facts_that_hold_no_more_are_listed_alone(api: httpx.Client, user: str) -> None:
    for text in ("I live in Madrid.", "I have a car.", "I moved to Berlin."):
        learn(api, user, text)
    assert listed(api, user, past=True) == ["The user lives in Madrid."]
    assert listed(api, user, past=True, limit=1) == ["The user lives in Madrid."]
    assert len(listed(api, user, ended=True)) == 3


def test_a_fact_is_changed_ended_and_restored(api: httpx.Client, user: str) -> None:
    [old] = learn(api, user, "My dog is called Biscuit.")
    own = {"user_id": user}
    new = api.patch(f"/v1/facts/{old['id']}", params=own, json={"text": "The user's dog is called Rex."}).json()
    assert (new["decided_by"], listed(api, user)) == ("user", ["The user's dog is called Rex."])
    ended = api.delete(f"/v1/facts/{new['id']}", params=own)
    assert ended.json()["valid_to"] is not None and listed(api, user) == []
    assert api.post(f"/v1/facts/{new['id']}/undo", params=own).json()["valid_to"] is None
    assert listed(api, user) == ["The user's dog is called Rex."]
    api.post(f"/v1/facts/{new['id']}/undo", params=own)
    assert listed(api, user) == ["The user's dog is called Biscuit."]


def test_facts_come_in_pages(api: httpx.Client, user: str) -> None:
    for text in ("I speak Danish.", "I play the oboe.", "I have a dog.", "I love figs.", "Gate code: 4711"):
        learn(api, user, text)
    seen, cursor = [], None
    while True:
        query = {"user_id": user, "limit": 2} | ({"cursor": cursor} if cursor else {})
        page = api.get("/v1/facts", params=query).json()
        seen += [item["text"] for item in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert len(seen) == len(set(seen)) == 5


def test_a_conversations_facts_go_with_it(api: httpx.Client, user: str) -> None:
    learn(api, user, "I live in Madrid.", memory_id=f"{user}-a")
    learn(api, user, "I live in Rome.", memory_id=f"{user}-b")
    assert api.delete(f"/v1/sessions/{user}-a", params={"user_id": user}).json()["deleted"]["facts"] == 1
    assert listed(api, user) == ["The user lives in Rome."]
    assert api.delete(f"/v1/users/{user}").json()["deleted"]["facts"] == 1
    assert listed(api, user, ended=True) == []


def test_users_do_not_see_each_others_facts(api: httpx.Client, user: str, other: str) -> None:
    [fact] = learn(api, user, "I live in Madrid.")
    assert listed(api, other) == []
    for call in (
        api.get(f"/v1/facts/{fact['id']}", params={"user_id": other}),
        api.get(f"/v1/facts/{fact['id']}/history", params={"user_id": other}),
        api.patch(f"/v1/facts/{fact['id']}", params={"user_id": other}, json={"text": "x"}),
        api.delete(f"/v1/facts/{fact['id']}", params={"user_id": other}),
        api.post(f"/v1/facts/{fact['id']}/undo", params={"user_id": other}),
    ):
        problem(call, 404)
    assert listed(api, user) == ["The user lives in Madrid."]


@pytest.mark.parametrize("body", [{}, {"text": ""}, {"text": " "}, {"text": "x" * 20_001}, {"text": "x", "id": 1}])
def test_bad_texts_are_refused(api: httpx.Client, user: str, body: dict[str, Any]) -> None:
    problem(api.post("/v1/facts", json={"user_id": user, **body}), 422)
    assert listed(api, user) == []


@pytest.mark.parametrize(
    "query", [{"as_of": "yesterday"}, {"limit": 0}, {"cursor": "x"}, {"ended": "maybe"}, {"who": 1}]
)
def test_bad_queries_are_refused(api: httpx.Client, user: str, query: dict[str, Any]) -> None:
    problem(api.get("/v1/facts", params={"user_id": user, **query}), 400, 422)
