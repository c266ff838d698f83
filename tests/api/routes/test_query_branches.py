"""`/query` that asks again, says something else, or goes on from an earlier message."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.api.queries import ask, messages_of, stream
from tests.checks import eventually, problem
from tests.scripted_model import ScriptedModel, answer


def line_of(chat: httpx.Client, user: str, session: str = "s") -> list[str]:
    return [one["content"] for one in messages_of(chat, user, session) if one["branch"] is None]


def branches_of(chat: httpx.Client, user: str, session: str = "s") -> dict[str, str]:
    return {one["content"]: one["branch"] for one in messages_of(chat, user, session) if one["branch"]}


@pytest.fixture
def say(chat: httpx.Client, model: ScriptedModel, user: str) -> Callable[..., dict[str, Any]]:
    """Says something, and has the model answer so."""

    def say(query: str, text: str, **more: Any) -> dict[str, Any]:
        model.script(answer(text))
        return ask(chat, user, query, session_id="s", **more)

    return say


@pytest.fixture
def turns(say: Callable[..., dict[str, Any]]) -> list[str]:
    """Ids of three exchanges."""
    said = (("Name a tree", "An oak."), ("And a flower", "A rose."), ("And a bird", "A wren."))
    return [say(query, text)["turn_id"] for query, text in said]


def shown(model: ScriptedModel) -> str:
    """The conversation that the model was sent last."""
    return "\n".join(one["content"] for one in model.asked("chat")[-1]["messages"])


def test_an_edited_message_takes_the_place_of_the_first(
    chat: httpx.Client, model: ScriptedModel, user: str, turns: list[str], say: Callable[..., dict[str, Any]]
) -> None:
    edited = say("And a berry", "A sloe.", instead_of=f"{turns[1]}.prompt")
    assert line_of(chat, user) == ["Name a tree", "An oak.", "And a berry", "A sloe."]
    assert branches_of(chat, user) == {
        "And a flower": "replaced",
        "A rose.": "replaced",
        "And a bird": "left",
        "A wren.": "left",
    }
    assert "An oak." in shown(model)
    assert "A rose." not in shown(model)
    assert "A wren." not in shown(model)
    by_id = {one["id"]: one for one in messages_of(chat, user, "s")}
    assert by_id[f"{edited['turn_id']}.prompt"]["follows"] == f"{turns[0]}.response"
    found = chat.post("/v1/search", json={"user_id": user, "query": "A flower, a rose", "top_k": 50}).json()["items"]
    assert not {"And a flower", "A rose."} & {one["content"] for one in found}


def test_the_first_message_is_edited(
    chat: httpx.Client, model: ScriptedModel, user: str, turns: list[str], say: Callable[..., dict[str, Any]]
) -> None:
    edited = say("Name a bush", "A hazel.", instead_of=f"{turns[0]}.prompt")
    assert line_of(chat, user) == ["Name a bush", "A hazel."]
    assert "An oak." not in shown(model)
    first = [one for one in messages_of(chat, user, "s") if one["follows"] is None]
    assert [one["content"] for one in first] == ["Name a tree", "Name a bush"]
    say("And a herb", "Sage.")
    assert line_of(chat, user) == ["Name a bush", "A hazel.", "And a herb", "Sage."]
    say("And a fish", "A pike.", follows=f"{turns[2]}.response")
    assert line_of(chat, user)[-4:] == ["And a bird", "A wren.", "And a fish", "A pike."]
    assert branches_of(chat, user)["Name a bush"] == "replaced"
    exported = chat.get(f"/v1/users/{user}/export").text
    moved = chat.post(f"/v1/users/{user}-2/import", content=exported, headers={"content-type": "application/x-ndjson"})
    assert moved.status_code == 200, moved.text
    assert messages_of(chat, f"{user}-2", "s") == messages_of(chat, user, "s")
    assert edited["session_id"] == "s"


def test_a_message_is_asked_again_and_the_receipt_says_which_answer_is_in_force(
    chat: httpx.Client, model: ScriptedModel, user: str, turns: list[str], say: Callable[..., dict[str, Any]]
) -> None:
    again = say("And a flower", "A lily.", instead_of=f"{turns[1]}.prompt")
    assert line_of(chat, user) == ["Name a tree", "An oak.", "And a flower", "A lily."]
    assert branches_of(chat, user) == {"A rose.": "replaced", "And a bird": "left", "A wren.": "left"}
    assert "A rose." not in shown(model)
    by_id = {one["id"]: one for one in messages_of(chat, user, "s")}
    assert by_id[f"{again['turn_id']}.response"]["follows"] == f"{turns[1]}.prompt"
    receipts = [
        chat.get(f"/v1/receipts/{turn}", params={"user_id": user}).json() for turn in (turns[1], again["turn_id"])
    ]
    assert [one["branch"] for one in receipts] == ["replaced", None]
    assert receipts[1]["messages"] == [f"{turns[1]}.prompt", f"{again['turn_id']}.response"]
    say("And a bird", "A robin.")
    assert line_of(chat, user)[-3:] == ["A lily.", "And a bird", "A robin."]
    assert "A lily." in shown(model)


def test_who_goes_on_with_a_branch_has_it_in_the_line_again(
    chat: httpx.Client, model: ScriptedModel, user: str, turns: list[str], say: Callable[..., dict[str, Any]]
) -> None:
    say("And a berry", "A sloe.", instead_of=f"{turns[1]}.prompt")
    say("And a fish", "A pike.", follows=f"{turns[2]}.response")
    assert line_of(chat, user) == [
        "Name a tree",
        "An oak.",
        "And a flower",
        "A rose.",
        "And a bird",
        "A wren.",
        "And a fish",
        "A pike.",
    ]
    assert "A wren." in shown(model)
    assert "A sloe." not in shown(model)


def test_the_same_request_forks_once(chat: httpx.Client, model: ScriptedModel, user: str, turns: list[str]) -> None:
    for query in ("And a flower", "And a berry"):
        body = {"query": query, "user_id": user, "session_id": "s", "instead_of": f"{turns[1]}.prompt"}
        first, second = (chat.post("/query", json=body, headers={"idempotency-key": query}).json() for _ in range(2))
        assert first == second
    assert [one["content"] for one in messages_of(chat, user, "s")].count("And a berry") == 1


def test_facts_and_counts_follow_the_line(api: httpx.Client, user: str) -> None:
    first = ask(api, user, "I live in Oslo.", session_id="s")
    facts = lambda: [one["text"] for one in api.get("/v1/facts", params={"user_id": user}).json()["items"]]  # noqa: E731
    eventually(lambda: facts() == ["The user lives in Oslo."])
    ask(api, user, "I live in Bergen.", session_id="s", instead_of=f"{first['turn_id']}.prompt")
    eventually(lambda: facts() == ["The user lives in Bergen."])
    ask(api, user, "Thanks!", session_id="s", follows=f"{first['turn_id']}.response")
    eventually(lambda: facts() == ["The user lives in Oslo."])
    assert api.get("/v1/sessions/s", params={"user_id": user}).json()["message_count"] == 6


def test_an_answer_that_comes_late_stays_with_its_branch(
    chat: httpx.Client, model: ScriptedModel, user: str, turns: list[str]
) -> None:
    model.script(answer("A late lark."), about="And an owl")
    with stream(chat, user, "And an owl", session_id="s") as events:
        next(events)
        model.script(answer("A sloe."), about="And a berry")
        ask(chat, user, "And a berry", session_id="s", instead_of=f"{turns[1]}.prompt")
        list(events)
    eventually(lambda: branches_of(chat, user).get("A late lark.") is not None)
    assert line_of(chat, user) == ["Name a tree", "An oak.", "And a berry", "A sloe."]


@pytest.mark.parametrize(
    ("wrong", "status"),
    [
        ({"instead_of": "unknown"}, 404),
        ({"follows": "unknown"}, 404),
        ({"instead_of": "a.prompt", "follows": "a.prompt"}, 422),
        ({"instead_of": "a.prompt", "session_id": None}, 422),
        ({"instead_of": "a.prompt", "temporary": True}, 422),
    ],
)
def test_what_names_no_message_of_the_session_changes_nothing(
    chat: httpx.Client, user: str, turns: list[str], wrong: dict[str, Any], status: int
) -> None:
    before = messages_of(chat, user, "s")
    problem(chat.post("/query", json={"query": "Hm", "user_id": user, "session_id": "s", **wrong}), status)
    assert messages_of(chat, user, "s") == before


def test_no_message_takes_the_place_of_an_answer(chat: httpx.Client, user: str, turns: list[str]) -> None:
    body = {"query": "Hm", "user_id": user, "session_id": "s", "instead_of": f"{turns[0]}.response"}
    assert "a message of the user's" in problem(chat.post("/query", json=body), 400)["detail"]
