"""A user's sessions and their messages."""

import json
from typing import Any

import httpx
import pytest
from pymongo.database import Database

from tests.api.queries import ask
from tests.api.said import pages, say
from tests.checks import eventually, problem
from tests.scripted_model import ScriptedModel, answer


def add(api: httpx.Client, user: str, session: str, *contents: str) -> None:
    say(api, user, session, *contents, wait=False, two=True)


def test_sessions_are_listed_newest_first_with_their_counts(api: httpx.Client, user: str) -> None:
    add(api, user, "one", "First of all", "Yes?")
    add(api, user, "two", "Second")
    add(api, user, "one", "More")
    (items,) = pages(api, "/v1/sessions", user_id=user)
    assert [item["id"] for item in items] == ["one", "two"]
    shown = {"id", "title", "created_at", "updated_at", "message_count", "pair_count", "project", "instructions"}
    assert items[0].keys() == shown
    assert (items[0]["title"], items[0]["message_count"], items[0]["pair_count"]) == ("First of all", 3, 1)


def test_a_model_gives_a_session_its_title_in_the_background(
    chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    model.script(answer('"Pruning old apple trees"'), on="title", about="apple tree")
    session = ask(chat, user, "Hello! How do I prune an old apple tree?")["session_id"]
    titles = ["Pruning old apple trees"]
    eventually(lambda: [one["title"] for (one,) in pages(chat, "/v1/sessions", user_id=user)] == titles)
    chat.patch(f"/v1/sessions/{session}", params={"user_id": user}, json={"title": "Trees"}).raise_for_status()
    ask(chat, user, "And a pear tree?", session_id=session)
    assert chat.get(f"/v1/sessions/{session}", params={"user_id": user}).json()["title"] == "Trees"
    assert len([body for body in model.asked("title") if "apple tree" in str(body)]) == 1


def test_a_user_without_sessions_has_an_empty_list(api: httpx.Client, user: str) -> None:
    assert pages(api, "/v1/sessions", user_id=user) == [[]]


def test_q_finds_a_part_of_the_title_as_it_stands(api: httpx.Client, user: str) -> None:
    for session, title in (("a", "Trip to Tromsø (2024)"), ("b", "100% cotton"), ("c", "Tax")):
        add(api, user, session, title)

    def found(q: str) -> list[str]:
        (items,) = pages(api, "/v1/sessions", user_id=user, q=q)
        return [item["id"] for item in items]

    assert found("tromsø") == ["a"]
    assert found("(2024)") == ["a"]
    assert found("100%") == ["b"]
    assert found("T") == ["c", "b", "a"]
    assert found(".*") == []


def test_more_sessions_than_a_page_holds_are_all_listed_once(api: httpx.Client, user: str) -> None:
    for number in range(210):
        add(api, user, f"session {number}", f"Title {number}")
    found = pages(api, "/v1/sessions", user_id=user, limit=200)
    assert [len(page) for page in found] == [200, 10]
    ids = [item["id"] for page in found for item in page]
    assert ids == [f"session {number}" for number in reversed(range(210))]
    assert [len(page) for page in pages(api, "/v1/sessions", user_id=user)] == [50, 50, 50, 50, 10]
    api.delete(f"/v1/users/{user}")


def test_messages_are_paged_in_order(api: httpx.Client, user: str) -> None:
    add(api, user, "long", *(f"Message {number}" for number in range(450)))
    found = pages(api, "/v1/sessions/long/messages", user_id=user, limit=200)
    assert [len(page) for page in found] == [200, 200, 50]
    assert [item["content"] for page in found for item in page] == [f"Message {number}" for number in range(450)]
    assert found[0][0].keys() == {
        "id",
        "role",
        "content",
        "name",
        "timestamp",
        "message_index",
        "turn_id",
        "model",
        "interrupted",
        "follows",
        "branch",
        "images",
        "cites",
        "recalled",
    }


def test_a_session_shows_its_summaries(api: httpx.Client, user: str) -> None:
    add(api, user, "long", *(f"The heron number {number} nests by the mill." for number in range(20)))

    def summaries() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = api.get("/v1/sessions/long", params={"user_id": user}).json()["summaries"]
        return found

    (summary,) = eventually(summaries)
    assert summary.keys() == {"session_id", "summary", "message_count", "model", "timestamp"}
    assert (summary["session_id"], summary["message_count"], summary["model"]) == ("long", 20, "rule_based")
    assert "heron" in summary["summary"]


def test_a_session_can_be_renamed(api: httpx.Client, user: str) -> None:
    add(api, user, "one", "First of all")
    found = api.patch("/v1/sessions/one", params={"user_id": user}, json={"title": "Ünïcode 🐦"})
    assert found.json()["title"] == "Ünïcode 🐦"
    assert api.get("/v1/sessions/one", params={"user_id": user}).json()["title"] == "Ünïcode 🐦"
    for title in ("", " ", "x" * 201, None, 5):
        problem(api.patch("/v1/sessions/one", params={"user_id": user}, json={"title": title}), 422)


def test_a_message_is_recalled_no_more_and_again(api: httpx.Client, user: str, other: str) -> None:
    said = [{"id": f"{user}/{n}", "role": "user", "content": text} for n, text in enumerate(("A heron.", "A robin."))]
    api.post("/v1/messages", json={"user_id": user, "session_id": "birds", "messages": said, "wait": True})
    path = f"/v1/sessions/birds/messages/{user}/0"

    def found() -> list[str]:
        items = api.post("/v1/search", json={"user_id": user, "query": "heron"}).json()["items"]
        return [item["content"] for item in items]

    for body in ({}, {"recalled": "no"}, {"recalled": None}, {"recalled": False, "content": "A crow."}, []):
        problem(api.patch(path, params={"user_id": user}, json=body), 422)
    for address, whose in ((path, other), (path.replace("birds", "fish"), user), (f"{path[:-1]}9", user)):
        problem(api.patch(address, params={"user_id": whose}, json={"recalled": False}), 404)
    assert "A heron." in found()
    changed = api.patch(path, params={"user_id": user}, json={"recalled": False}).json()
    assert changed == api.get(path, params={"user_id": user}).json()
    assert (changed["content"], changed["recalled"]) == ("A heron.", False)
    assert "A heron." not in found()
    assert api.patch(path, params={"user_id": user}, json={"recalled": True}).json() == changed | {"recalled": True}
    assert "A heron." in found()


def test_a_deleted_message_takes_along_what_was_made_of_it(api: httpx.Client, user: str, other: str) -> None:
    said = [{"id": f"{user}/{n}", "role": "user", "content": text} for n, text in enumerate(("A heron.", "A robin."))]
    api.post("/v1/messages", json={"user_id": user, "session_id": "birds", "messages": said, "wait": True})
    path = f"/v1/sessions/birds/messages/{user}/0"
    for refused in (
        api.delete(path, params={"user_id": other}),
        api.delete(f"/v1/sessions/fish/messages/{user}/0", params={"user_id": user}),
        api.delete(f"/v1/sessions/birds/messages/{user}/9", params={"user_id": user}),
    ):
        problem(refused, 404)
    assert api.delete(path, params={"user_id": user}).json() == {"deleted": {"vectors": 1}}
    left = api.get("/v1/sessions/birds/messages", params={"user_id": user}).json()["items"]
    assert [item["content"] for item in left] == ["A robin."]
    found = api.post("/v1/search", json={"user_id": user, "query": "heron"}).json()["items"]
    assert "A heron." not in [item["content"] for item in found]
    assert api.get("/v1/sessions/birds", params={"user_id": user}).json()["message_count"] == 1
    problem(api.delete(path, params={"user_id": user}), 404)


def test_a_deleted_session_takes_everything_derived_with_it(
    api: httpx.Client, user: str, database: Database[dict[str, Any]]
) -> None:
    add(api, user, "gone", *(f"The heron number {number} nests by the mill." for number in range(20)))
    add(api, user, "stays", "Bread and butter.")
    turn = api.post("/query", json={"query": "Where?", "user_id": user, "session_id": "gone"}).json()["turn_id"]
    own = {"user_id": user, "session_id": "gone"}
    eventually(lambda: database["sessions"].count_documents({**own, "summary.to": 19}))  # the worker has let go
    found = api.delete("/v1/sessions/gone", params={"user_id": user})
    assert found.json() == {
        "deleted": {
            "sessions": 1,
            "vectors": 22,
            "summaries": 1,
            "facts": 0,
            "observations": 0,
            "traces": 0,
            "conversations": 0,
            "responses": 0,
            "response_items": 0,
            "receipts": 1,
        }
    }
    for name in ("sessions", "vectors", "summaries", "receipts"):
        assert database[name].count_documents(own) == 0, name
    problem(api.get("/v1/sessions/gone", params={"user_id": user}), 404)
    problem(api.get("/v1/sessions/gone/messages", params={"user_id": user}), 404)
    problem(api.get(f"/v1/receipts/{turn}", params={"user_id": user}), 404)
    problem(api.delete("/v1/sessions/gone", params={"user_id": user}), 404)
    assert [item["id"] for item in pages(api, "/v1/sessions", user_id=user)[0]] == ["stays"]
    assert api.post("/v1/search", json={"user_id": user, "query": "heron", "min_score": 0.4}).json()["items"] == []


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/v1/sessions/mine", None),
        ("GET", "/v1/sessions/mine/messages", None),
        ("PATCH", "/v1/sessions/mine", {"title": "Stolen"}),
        ("DELETE", "/v1/sessions/mine", None),
    ],
)
def test_another_users_session_is_not_there(
    api: httpx.Client, user: str, other: str, method: str, path: str, body: object
) -> None:
    add(api, user, "mine", "First of all")
    problem(api.request(method, path, params={"user_id": other}, json=body), 404)
    assert api.get("/v1/sessions/mine", params={"user_id": user}).json()["title"] == "First of all"


def test_odd_session_ids_work_in_paths(api: httpx.Client, user: str) -> None:
    for session in ("a b", "ünï", "50%", "%2e", "a?b#c", "$where", "~", "x" * 200, "日本", "a.b", "..."):
        add(api, user, session, "Hello")
        path = "/v1/sessions/" + "".join(f"%{byte:02X}" for byte in session.encode())
        assert api.get(path, params={"user_id": user}).json()["id"] == session
        assert api.delete(path, params={"user_id": user}).status_code == 200


def test_a_deleted_message_stands_in_no_answer_that_summed_it_up(api: httpx.Client, user: str) -> None:
    def ask(query: str) -> Any:
        return api.post("/query", json={"user_id": user, "session_id": "s", "query": query}).json()

    for text in ("My boss is called Fatima.", "My passport number is C01X00T47.", "I have a nut allergy."):
        ask(text)
    assert "- My passport number is C01X00T47." in ask("Summarise our conversation")["response"]
    (said,) = pages(api, "/v1/sessions/s/messages", user_id=user)
    api.delete(f"/v1/sessions/s/messages/{said[2]['id']}", params={"user_id": user})
    (left,) = pages(api, "/v1/sessions/s/messages", user_id=user)
    assert [one["content"] for one in left][-1] == "- My boss is called Fatima.\n- …\n- I have a nut allergy."
    assert "C01X00T47" not in json.dumps([left, ask("Summarise our conversation"), ask("Who is my boss?")])


def test_the_images_of_a_message_are_its_user_s_alone(api: httpx.Client, user: str) -> None:
    sent = ["data:image/png;base64,iVBORw0KGgo=", "https://pictures.test/bike.png"]
    body = {"query": "This is my bike.", "user_id": user, "session_id": "s1", "images": sent}
    turn_id = api.post("/query", json=body).raise_for_status().json()["turn_id"]

    def images(message: str, session: str = "s1", owner: str = user) -> httpx.Response:
        return api.get(f"/v1/sessions/{session}/images/{message}", params={"user_id": owner})

    assert images(f"{turn_id}.prompt").json() == {"images": sent}
    assert images(f"{turn_id}.response").json() == {"images": []}
    for refused in (
        images("nothing"),
        images(f"{turn_id}.prompt", session="s2"),
        images(f"{turn_id}.prompt", owner=f"{user}2"),
    ):
        problem(refused, 404)
