"""The profile of a user over HTTP."""

from typing import Any

import httpx
import pytest

from tests.checks import problem
from tests.exports import exported, imported

TOLD = ("I love figs.", "I work as a carpenter.", "I'm allergic to shellfish.")
NEEDED = ["The user is allergic to shellfish.", "The user works as a carpenter.", "The user loves figs."]


def tell(api: httpx.Client, user: str, *texts: str, memory_id: str = "default") -> None:
    for text in texts:
        body = {"user_id": user, "text": text, "memory_id": memory_id}
        assert api.post("/v1/facts", json=body).json()["decisions"], text


def profile(api: httpx.Client, user: str, **query: Any) -> list[dict[str, Any]]:
    found = api.get("/v1/profile", params={"user_id": user, **query})
    assert found.status_code == 200, found.text
    items: list[dict[str, Any]] = found.json()["items"]
    return items


def texts(api: httpx.Client, user: str, **query: Any) -> list[str]:
    return [item["text"] for item in profile(api, user, **query)]


def id_of(api: httpx.Client, user: str, text: str) -> str:
    [identifier] = [item["id"] for item in profile(api, user, hidden=True) if item["text"] == text]
    return str(identifier)


def patch(api: httpx.Client, user: str, *items: dict[str, Any]) -> httpx.Response:
    return api.patch("/v1/profile", json={"user_id": user, "items": list(items)})


def changed(api: httpx.Client, user: str, *items: dict[str, Any]) -> list[dict[str, Any]]:
    answer = patch(api, user, *items)
    assert answer.status_code == 200, answer.text
    assert answer.json().keys() == {"items"}
    now: list[dict[str, Any]] = answer.json()["items"]
    return now


@pytest.fixture
def told(api: httpx.Client, user: str) -> str:
    """A user who told something in two conversations, and had something kept."""
    tell(api, user, *TOLD[:2])
    tell(api, user, TOLD[2], memory_id=f"{user}-2")
    return user


def test_a_profile_has_what_is_needed_most_first_of_all_conversations(api: httpx.Client, told: str) -> None:
    items = profile(api, told)
    assert [item["text"] for item in items] == NEEDED
    assert all(item.keys() == {"id", "text", "pinned", "hidden", "sources"} for item in items)
    assert not any(item["pinned"] or item["hidden"] for item in items)


def test_a_user_of_whom_nothing_is_known_has_an_empty_profile(api: httpx.Client, user: str) -> None:
    assert api.get("/v1/profile", params={"user_id": user}).json() == {
        "items": [],
        "next_cursor": None,
        "user_id": user,
    }


def test_key_values_stand_among_facts(api: httpx.Client, told: str) -> None:
    for key, value in (("blood thinner", "warfarin, every evening"), ("shelf", "the third")):
        api.put(f"/v1/memories/{key}", json={"user_id": told, "value": value})
    ranked = texts(api, told)
    assert ranked.index("blood thinner: warfarin, every evening") < ranked.index("The user works as a carpenter.")
    assert ranked.index("shelf: the third") > ranked.index("The user works as a carpenter.")


def test_sources_are_the_messages_that_say_so(api: httpx.Client, user: str) -> None:
    message = {"role": "user", "content": "I'm allergic to shellfish.", "id": "m1"}
    api.post("/v1/messages", json={"user_id": user, "session_id": f"{user}-s", "messages": [message], "wait": True})
    body = {"user_id": user, "session_id": f"{user}-s", "query": "Remember that my wife is called Elin"}
    prompt = api.post("/query", json=body).json()["turn_id"]
    [item] = profile(api, user)
    assert item["text"] == "wife: Elin" and item["sources"] == [f"{prompt}.prompt"]


def test_what_is_pinned_comes_first_and_what_is_hidden_not_at_all(api: httpx.Client, told: str) -> None:
    figs, work = id_of(api, told, NEEDED[2]), id_of(api, told, NEEDED[1])
    pinned, hidden = changed(api, told, {"id": figs, "pinned": True}, {"id": work, "hidden": True})
    assert (pinned["id"], pinned["pinned"], pinned["hidden"]) == (figs, True, False)
    assert (hidden["id"], hidden["pinned"], hidden["hidden"]) == (work, False, True)
    assert texts(api, told) == [NEEDED[2], NEEDED[0]]
    assert texts(api, told, hidden=True) == [NEEDED[2], NEEDED[0], NEEDED[1]]
    changed(api, told, {"id": figs, "pinned": False}, {"id": work, "hidden": False})
    assert texts(api, told) == NEEDED


def test_a_key_value_is_pinned_hidden_and_worded_anew(api: httpx.Client, told: str) -> None:
    api.put("/v1/memories/shelf", json={"user_id": told, "value": "the third"})
    shelf = id_of(api, told, "shelf: the third")
    [item] = changed(api, told, {"id": shelf, "pinned": True, "text": "shelf: the fourth"})
    assert (item["id"], item["text"], item["pinned"]) == (shelf, "shelf: the fourth", True)
    assert texts(api, told)[0] == "shelf: the fourth"
    assert api.get("/v1/memories/shelf", params={"user_id": told}).json()["value"] == "the fourth"
    [item] = changed(api, told, {"id": shelf, "hidden": True, "text": "the fifth"})
    assert item["text"] == "shelf: the fifth" and texts(api, told) == NEEDED
    api.put("/v1/memories/shelf", json={"user_id": told, "value": "the sixth"})
    assert texts(api, told) == NEEDED  # another value leaves it hidden
    problem(
        patch(api, told, {"id": shelf, "text": "shelf: "}, {"id": id_of(api, told, NEEDED[0]), "hidden": True}), 400
    )
    assert texts(api, told) == NEEDED


def test_a_new_text_keeps_its_marks_and_can_be_undone(api: httpx.Client, told: str) -> None:
    work = id_of(api, told, NEEDED[1])
    [item] = changed(api, told, {"id": work, "pinned": True, "text": "The user works  as a joiner."})
    assert (item["text"], item["pinned"]) == ("The user works as a joiner.", True) and item["id"] != work
    assert texts(api, told) == ["The user works as a joiner.", NEEDED[0], NEEDED[2]]
    problem(patch(api, told, {"id": work, "hidden": True}), 404)  # it is in force no more
    history = api.get(f"/v1/facts/{work}/history", params={"user_id": told}).json()["items"]
    assert [(event["event"], event["by"]) for event in history] == [("ADD", "rule_based"), ("UPDATE", "user")]
    assert api.post(f"/v1/facts/{item['id']}/undo", params={"user_id": told}).status_code == 200
    [first, *_] = profile(api, told)
    assert (first["id"], first["text"], first["pinned"]) == (work, NEEDED[1], True)


def test_what_a_message_puts_in_the_place_of_a_fact_keeps_its_marks(api: httpx.Client, user: str) -> None:
    tell(api, user, "I live in Madrid.", "I love figs.")
    changed(api, user, {"id": id_of(api, user, "The user lives in Madrid."), "hidden": True})
    tell(api, user, "I moved to Berlin.")
    assert texts(api, user) == ["The user loves figs."]
    assert set(texts(api, user, hidden=True)) == {
        "The user loves figs.",
        "The user moved to Berlin and lives in Berlin.",
    }


def test_an_unknown_id_is_refused_and_nothing_changes(api: httpx.Client, told: str, other: str) -> None:
    tell(api, other, "I live in Madrid.")
    own, others = id_of(api, told, NEEDED[2]), id_of(api, other, "The user lives in Madrid.")
    for unknown in ("nothing", "a/b", others):
        problem(patch(api, told, {"id": own, "pinned": True, "text": "Other"}, {"id": unknown, "hidden": True}), 404)
    assert texts(api, told) == NEEDED
    assert not any(item["pinned"] for item in profile(api, told))
    assert texts(api, other) == ["The user lives in Madrid."]


@pytest.mark.parametrize(
    "items",
    [
        None,
        [],
        {},
        [{}],
        [{"id": ""}],
        [{"id": " "}],
        [{"id": "a\nb"}],
        [{"id": 1}],
        ["a"],
        [{"id": "a"}, {"id": "a", "pinned": True}],
        [{"id": "a", "pinned": "yes"}],
        [{"id": "a", "pinned": 1}],
        [{"id": "a", "text": ""}],
        [{"id": "a", "text": " \n "}],
        [{"id": "a", "text": "x" * 601}],
        [{"id": "a", "text": ["x"]}],
        [{"id": "a", "sources": []}],
        [{"id": str(number), "pinned": True} for number in range(201)],
    ],
)
def test_odd_changes_are_refused(api: httpx.Client, user: str, items: Any) -> None:
    body = {"user_id": user} | ({} if items is None else {"items": items})
    problem(api.patch("/v1/profile", json=body), 422)


def test_an_id_with_control_characters_is_refused(api: httpx.Client, user: str) -> None:
    body = {"user_id": user, "items": [{"id": "a\x00", "pinned": True}]}
    problem(api.patch("/v1/profile", json=body), 400)


@pytest.mark.parametrize(
    "query", [{"hidden": "maybe"}, {"limit": 0}, {"limit": 201}, {"cursor": "x"}, {"cursor": "WzEsMl0"}, {"who": 1}]
)
def test_odd_queries_are_refused(api: httpx.Client, user: str, query: dict[str, Any]) -> None:
    problem(api.get("/v1/profile", params={"user_id": user, **query}), 400, 422)


@pytest.mark.parametrize("text", ["😀 " * 100, "x" * 600, "<b>&amp;", "نص \u202e עברית", "a\tb\u2028c", "$where", "0"])
def test_a_fact_may_have_any_text(api: httpx.Client, user: str, text: str) -> None:
    tell(api, user, "I love figs.")
    [item] = changed(api, user, {"id": id_of(api, user, "The user loves figs."), "text": text})
    assert item["text"] == " ".join(text.split()) and texts(api, user) == [item["text"]]


def test_a_profile_comes_in_pages(api: httpx.Client, told: str) -> None:
    for number in range(4):
        api.put(f"/v1/memories/key {number}", json={"user_id": told, "value": "the same"})
    changed(api, told, {"id": id_of(api, told, "key 2: the same"), "pinned": True})
    seen: list[str] = []
    cursor = None
    while len(seen) < 20:
        query = {"user_id": told, "limit": 2} | ({"cursor": cursor} if cursor else {})
        page = api.get("/v1/profile", params=query).json()
        seen += [item["text"] for item in page["items"]]
        if (cursor := page["next_cursor"]) is None:
            break
    assert seen == texts(api, told) and len(seen) == 7 and seen[0] == "key 2: the same"


def test_two_users_never_meet(api: httpx.Client, user: str, other: str) -> None:
    for owner in (user, other):
        tell(api, owner, "I love figs.")
        api.put("/v1/memories/shelf", json={"user_id": owner, "value": "the third"})
    changed(api, user, *({"id": item["id"], "hidden": True} for item in profile(api, user)))
    assert texts(api, user) == []
    assert len(texts(api, other)) == 2
    assert not {item["id"] for item in profile(api, user, hidden=True)} & {item["id"] for item in profile(api, other)}


def test_marks_go_out_and_come_in(api: httpx.Client, told: str, other: str) -> None:
    api.put("/v1/memories/shelf", json={"user_id": told, "value": "the third"})
    shelf, figs = id_of(api, told, "shelf: the third"), id_of(api, told, NEEDED[2])
    changed(api, told, {"id": shelf, "hidden": True}, {"id": figs, "pinned": True})
    new, _ = imported(api, other, exported(api, told))
    assert (new["fact"], new["memory"]) == (3, 1)
    shown = [{name: item[name] for name in item if name != "id"} for item in profile(api, other, hidden=True)]
    assert shown == [{name: item[name] for name in item if name != "id"} for item in profile(api, told, hidden=True)]
    assert texts(api, other) == [NEEDED[2], NEEDED[0], NEEDED[1]]


def test_what_is_deleted_is_gone_from_the_profile(api: httpx.Client, told: str) -> None:
    changed(api, told, *({"id": item["id"], "pinned": True} for item in profile(api, told)))
    assert api.delete(f"/v1/sessions/{told}-2", params={"user_id": told}).status_code == 200
    assert texts(api, told, hidden=True) == NEEDED[1:]
    assert api.delete(f"/v1/users/{told}").status_code == 200
    assert texts(api, told, hidden=True) == []
    tell(api, told, "I love figs.")
    assert not profile(api, told)[0]["pinned"]
