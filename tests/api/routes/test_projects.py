"""Projects: what is said in one is found in it, and elsewhere unless it is isolated."""

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.api.queries import ask, embedded, stream
from tests.checks import eventually, problem
from tests.exports import exported, imported
from tests.openai_chat import said

SECRET = "quokka"
LISTS = [f"/v1/{name}" for name in ("facts", "profile", "memories", "observations", "banks", "scratchpad", "sessions")]
Door = Callable[[httpx.Client, str, dict[str, Any]], object]


def put(api: httpx.Client, user: str, name: str, **fields: Any) -> dict[str, Any]:
    answer = api.put(f"/v1/projects/{name}", json={"user_id": user, **fields})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def search(api: httpx.Client, user: str, query: str, **more: Any) -> list[dict[str, Any]]:
    """What is found, by now or once it is embedded."""
    answer = api.post("/v1/search", json={"user_id": user, "query": query, **more})
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


def complete(
    api: httpx.Client, user: str, messages: list[Any], headers: dict[str, str] | None = None
) -> tuple[str, list[Any]]:
    """The conversation of a chat completion, and the transcript with its answer."""
    body = {"model": "m", "user_id": user, "messages": messages}
    answer = api.post("/v1/chat/completions", json=body, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.headers["X-Loci-Session"], [*messages, answer.json()["choices"][0]["message"]]


def tell(api: httpx.Client, user: str, project: str, session: str) -> None:
    """Says a secret in a project by every door by which something is remembered."""
    own = {"user_id": user, "project": project}
    ask(api, user, "I live in Quokkaville.", session_id=session, project=project)
    ask(api, user, "Remember that my locker is quokka 12.", session_id=session, project=project)
    said = [{"role": "user", "content": "My boat is called Quokka Queen."}]
    for path, body in (
        ("/v1/messages", {"session_id": f"{session}-2", "messages": said, "wait": True}),
        ("/v1/facts", {"text": "I work at the Quokka Museum."}),
        ("/v1/observations", {"findings": ["The quokka server listens on port 7."], "source": "GOAL:quokka"}),
        ("/v1/banks", {"conversation_type": "project", "project_name": "quokka farm"}),
        ("/v1/banks/project/quokka-farm/update", {"content": "We feed a quokka."}),
        ("/v1/chat/completions", {"model": "m", "messages": [{"role": "user", "content": "My quokka is called Bo."}]}),
        (
            "/v1/tool-memory/records",
            {"task_id": f"{session}-3", "tool_name": "t", "raw_input": "{}", "raw_output": "quokka 9"},
        ),
    ):
        answer = api.post(path, json=own | body)
        assert answer.status_code < 300, (path, answer.text)
    for path, body in (("/v1/memories/pet", {"value": "a quokka"}), ("/v1/scratchpad/pet", {"value": "a quokka"})):
        assert api.put(path, json=own | body).status_code < 300


DOORS: dict[str, Door] = {
    "query": lambda api, user, own: ask(api, user, "Where do I live?", **own),
    "kept": lambda api, user, own: ask(api, user, "What is my locker?", **own),
    "all": lambda api, user, own: ask(api, user, "What did I ask you to remember?", **own),
    "stream": lambda api, user, own: _streamed(api, user, own),
    "proxy": lambda api, user, own: api.post(
        "/v1/chat/completions",
        json={"model": "m", "user_id": user, "messages": [{"role": "user", "content": "Where do I live?"}], **own},
    ).json(),
    "search": lambda api, user, own: search(api, user, "the animals, towns and boats of Australia", **own),
    "words": lambda api, user, own: search(api, user, SECRET, **own),
    "insights": lambda api, user, own: search(api, user, SECRET, kinds=["insight", "finding", "section"], **own),
    "recall": lambda api, user, own: api.post(
        "/v1/observations/recall", json={"user_id": user, "query": "quokka server", **own}
    ).json(),
    "tools": lambda api, user, own: api.post(
        "/v1/observations/recall-fil", json={"user_id": user, "query": "quokka server", **own}
    ).json(),
} | {path: lambda api, user, own, path=path: api.get(path, params={"user_id": user, **own}).json() for path in LISTS}
ASKED = (*DOORS,)


def _streamed(api: httpx.Client, user: str, own: dict[str, Any]) -> object:
    with stream(api, user, "Where do I live?", **own) as events:
        return list(events)


def finds(api: httpx.Client, user: str, **own: Any) -> list[str]:
    """The doors by which the secret is found; the question itself tells nothing."""
    return [name for name in ASKED if SECRET in json.dumps(DOORS[name](api, user, own)).lower()]


def test_what_is_said_in_an_isolated_project_is_found_in_it_alone(api: httpx.Client, user: str, other: str) -> None:
    put(api, user, "zoo", isolated=True)
    embedded(api, user, "I like tea.", session=f"{user}-main")
    tell(api, user, "zoo", f"{user}-zoo")
    learnt(api, user, "zoo")
    assert finds(api, user, project="zoo") == list(ASKED)
    assert finds(api, user) == []
    assert finds(api, user, project="garden") == []
    assert finds(api, other) == []
    assert finds(api, other, project="zoo") == []
    assert "I like tea." in json.dumps(search(api, user, "tea"))
    assert "I like tea." not in json.dumps(search(api, user, "tea", project="zoo"))  # nor is anything else in it


def learnt(api: httpx.Client, user: str, project: str | None = None) -> None:
    own = {"user_id": user} | ({"project": project} if project else {})
    eventually(lambda: "Quokkaville" in json.dumps(api.get("/v1/facts", params=own).json()))


def test_what_is_said_in_an_open_project_is_found_everywhere(api: httpx.Client, user: str) -> None:
    put(api, user, "zoo")
    tell(api, user, "zoo", f"{user}-zoo")
    learnt(api, user)
    assert finds(api, user) == finds(api, user, project="zoo") == list(ASKED)
    assert finds(api, user, project="garden") == list(ASKED[:-1])  # whose sessions are others


def test_a_project_that_is_isolated_later_takes_what_was_said_in_it_out_of_all_else(
    api: httpx.Client, user: str
) -> None:
    embedded(api, user, "I like tea.", session=f"{user}-main")
    ask(api, user, "I live in Quokkaville.", session_id=user, project="zoo")
    ask(api, user, "Remember that my locker is quokka 12.", session_id=user)
    learnt(api, user)
    doors = {"query", "kept", "words", "/v1/facts", "/v1/profile", "/v1/memories"}
    before = api.get(f"/v1/sessions/{user}", params={"user_id": user}).json()
    assert doors <= set(finds(api, user))

    assert put(api, user, "zoo", isolated=True)["isolated"] is True
    assert finds(api, user) == []
    assert doors <= set(finds(api, user, project="zoo"))
    assert search(api, user, "tea")
    there = api.get(f"/v1/sessions/{user}", params={"user_id": user}).json()
    same = ("title", "message_count", "pair_count", "project", "created_at")
    assert {name: there[name] for name in same} == {name: before[name] for name in same}

    put(api, user, "zoo", isolated=False)
    assert doors <= set(finds(api, user))
    assert api.get(f"/v1/sessions/{user}", params={"user_id": user}).json()["message_count"] == before["message_count"]


def move(api: httpx.Client, user: str, session: str, project: str | None) -> dict[str, Any]:
    answer = api.patch(f"/v1/sessions/{session}", json={"user_id": user, "project": project})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_a_session_that_is_moved_takes_what_was_said_in_it_along(api: httpx.Client, user: str) -> None:
    put(api, user, "zoo", isolated=True)
    put(api, user, "attic", isolated=True)
    ask(api, user, "I live in Quokkaville.", session_id=user)
    turn = ask(api, user, "I like tea.", session_id=user)["turn_id"]
    learnt(api, user)
    for project in ("zoo", "attic", None, "open", "zoo", None):
        assert move(api, user, user, project)["project"] == project
        isolated = project in ("zoo", "attic")
        for asked in ("zoo", "attic", None):
            own = {"project": asked} if asked else {}
            found = {"query", "words", "/v1/facts", "/v1/profile"} <= set(finds(api, user, **own))
            assert found is (asked == project if isolated else asked is None), (project, asked)
        assert api.get(f"/v1/receipts/{turn}", params={"user_id": user}).status_code == 200
        messages = api.get(f"/v1/sessions/{user}/messages", params={"user_id": user}).json()["items"]
        assert [message["content"] for message in messages if message["role"] == "user"][:2] == [
            "I live in Quokkaville.",
            "I like tea.",
        ]


def test_a_session_goes_on_in_its_project_whoever_names_it(api: httpx.Client, user: str) -> None:
    put(api, user, "zoo", isolated=True)
    ask(api, user, "I live in Quokkaville.", session_id=user, project="zoo")
    assert SECRET in ask(api, user, "Where do I live?", session_id=user)["response"].lower()
    for project in ("garden", "attic"):
        answer = api.post("/query", json={"query": "Hi.", "user_id": user, "session_id": user, "project": project})
        assert problem(answer, 409)["detail"].startswith("The session is in the project 'zoo'")
    assert finds(api, user) == []


def test_the_header_names_a_project_too(api: httpx.Client, user: str) -> None:
    put(api, user, "Küche", isolated=True)
    headers = {"X-Loci-Project": "Küche".encode()}
    body = {"query": "I live in Quokkaville.", "user_id": user, "session_id": user}
    api.post("/query", json=body, headers=headers).raise_for_status()
    assert api.get("/v1/sessions", params={"user_id": user}, headers=headers).json()["items"][0]["id"] == user
    assert api.get("/v1/sessions", params={"user_id": user}).json()["items"] == []
    for wrong in (b"a/b", b"\xff"):
        assert problem(api.get("/v1/facts", headers={"X-Loci-Project": wrong}), 422)
    named = {"params": {"user_id": user, "project": "a"}, "json": {"project": "b"}}
    assert "different projects" in problem(api.request("GET", "/v1/facts", **named), 422)["detail"]


def test_a_request_that_names_different_projects_is_refused_and_makes_none(api: httpx.Client, user: str) -> None:
    bodies: dict[str, dict[str, Any]] = {
        "/query": {"query": "Hi."},
        "/v1/messages": {"session_id": user, "messages": said("I live in Rome.")},
        "/v1/facts": {"text": "I live in Rome."},
    }
    for path, body in bodies.items():
        own = body | {"user_id": user, "project": "a"}
        answer = api.post(path, json=own, headers={"X-Loci-Project": "b"})
        assert "different projects" in problem(answer, 422)["detail"], path
    assert api.get("/v1/projects", params={"user_id": user}).json()["items"] == []


def test_what_an_open_project_is_told_outside_of_sessions_stays_the_users(api: httpx.Client, user: str) -> None:
    own = {"user_id": user, "project": "zoo"}
    ask(api, user, "I like tea.", session_id=user, project="zoo")
    api.post("/v1/facts", json=own | {"text": "I live in Quokkaville."}).raise_for_status()
    api.put("/v1/memories/pet", json=own | {"value": "a quokka"}).raise_for_status()
    put(api, user, "zoo", isolated=True)
    assert "Quokkaville" in api.get("/v1/facts", params={"user_id": user}).text
    assert api.get("/v1/memories", params=own).json()["items"] == []
    api.delete("/v1/projects/zoo", params={"user_id": user}).raise_for_status()
    assert "quokka" in api.get("/v1/memories", params={"user_id": user}).text


def test_openai_clients_are_told_in_their_shape(api: httpx.Client, user: str) -> None:
    body = {"model": "m", "user_id": user, "messages": [{"role": "user", "content": "Hello."}]}

    def refused(status: int, headers: dict[str, bytes] | None = None, **more: str) -> dict[str, Any]:
        answer = api.post("/v1/chat/completions", json=body | more, headers=headers)
        assert answer.status_code == status, answer.text
        told: dict[str, Any] = answer.json()["error"]
        return told

    assert refused(400, project="a/b")["param"] == "project"
    assert "X-Loci-Project" in refused(400, {"X-Loci-Project": b"a/b"})["message"]
    for project in ("zoo", "garden"):  # each has a conversation of its own
        api.post("/v1/chat/completions", json=body | {"project": project}).raise_for_status()
    ask(api, user, "Hello.", session_id=user, project="zoo")
    assert "is in the project 'zoo'" in refused(409, project="garden", memory_id=user)["message"]
    moved = [*body["messages"], {"role": "assistant", "content": "Hello."}, {"role": "user", "content": "And now?"}]
    for project in ("zoo", "garden"):  # the newest that began so is the garden's
        api.post("/v1/chat/completions", json=body | {"project": project, "messages": moved}).raise_for_status()
    listed = api.get("/v1/sessions", params={"user_id": user}).json()["items"]
    assert [one["project"] for one in listed] == ["garden", "zoo", "zoo", "garden", "zoo"][-len(listed) :]


def test_a_transcript_goes_on_in_its_isolated_project_though_nothing_names_it(api: httpx.Client, user: str) -> None:
    put(api, user, "zoo", isolated=True)
    session, transcript = complete(api, user, said("My quokka eats figs."), {"X-Loci-Project": "zoo"})
    assert complete(api, user, [*transcript, *said("It has quokka hair.")])[0] == session
    assert search(api, user, SECRET) == []
    assert len(api.get(f"/v1/sessions/{session}/messages", params={"user_id": user}).json()["items"]) == 4
    assert complete(api, user, said("I like tea."))[0] != session
    assert "I like tea." in json.dumps(search(api, user, "tea"))


def test_a_transcript_goes_on_where_its_conversation_was_moved_or_imported(
    api: httpx.Client, user: str, other: str
) -> None:
    put(api, user, "zoo", isolated=True)
    session, transcript = complete(api, user, said("My quokka eats figs."))
    move(api, user, session, "zoo")
    assert complete(api, user, [*transcript, *said("And leaves.")])[0] == session
    move(api, user, session, None)
    imported(api, other, exported(api, user))
    for name in (user, other):
        assert complete(api, name, [*transcript, *said("And grass.")])[0] == session


def test_sessions_are_listed_by_project(api: httpx.Client, user: str) -> None:
    put(api, user, "zoo", isolated=True)
    for project in ("zoo", "garden", None):
        more = {"project": project} if project else {}
        ask(api, user, f"Hello, {project}.", session_id=f"{user}-{project}", **more)

    def listed(**own: str) -> list[tuple[str, str | None]]:
        items = api.get("/v1/sessions", params={"user_id": user, **own}).json()["items"]
        return [(item["id"], item["project"]) for item in items]

    assert listed() == [(f"{user}-None", None), (f"{user}-garden", "garden")]
    assert listed(project="garden") == [(f"{user}-garden", "garden")]
    assert listed(project="zoo") == [(f"{user}-zoo", "zoo")]
    names = [item["name"] for item in api.get("/v1/projects", params={"user_id": user}).json()["items"]]
    assert names == ["garden", "zoo"]


@pytest.mark.parametrize("isolated", [True, False])
def test_a_deleted_project_goes_with_all_that_was_said_in_it(api: httpx.Client, user: str, isolated: bool) -> None:
    put(api, user, "zoo", isolated=isolated)
    embedded(api, user, "I like tea.", session=f"{user}-main")
    ask(api, user, "I live in Quokkaville.", session_id=user, project="zoo")
    learnt(api, user, "zoo")
    assert api.request("DELETE", "/v1/projects/zoo", params={"user_id": user}).json()["deleted"]["sessions"] == 1
    assert problem(api.get("/v1/projects/zoo", params={"user_id": user}), 404)
    assert finds(api, user) == finds(api, user, project="zoo") == []
    assert search(api, user, "tea")


def test_a_user_goes_with_isolated_projects(api: httpx.Client, user: str, counts: Callable[[], dict[str, int]]) -> None:
    before = counts()
    put(api, user, "zoo", isolated=True)
    tell(api, user, "zoo", user)
    learnt(api, user, "zoo")
    api.request("DELETE", f"/v1/users/{user}")
    assert finds(api, user, project="zoo") == []
    assert api.request("DELETE", f"/v1/users/{user}").status_code == 200
    left = {name: count for name, count in counts().items() if count > before.get(name, 0)}
    assert left.keys() <= {"tombstones", "idempotency"}


def test_an_export_has_projects_and_comes_in_with_them(api: httpx.Client, user: str, other: str) -> None:
    put(api, user, "zoo", isolated=True, instructions="Speak of animals.")
    api.patch("/v1/profile", json={"user_id": user, "instructions": "Be brief.", "locale": "de-DE"})
    tell(api, user, "zoo", user)
    learnt(api, user, "zoo")
    api.patch(f"/v1/sessions/{user}", json={"user_id": user, "instructions": "In rhymes."})
    lines = exported(api, user)
    imported(api, other, lines)
    assert finds(api, other) == []
    assert {"query", "words", "/v1/facts", "/v1/memories"} <= set(finds(api, other, project="zoo"))
    assert api.get("/v1/projects/zoo", params={"user_id": other}).json()["instructions"] == "Speak of animals."
    assert api.get(f"/v1/sessions/{user}", params={"user_id": other}).json()["instructions"] == "In rhymes."
    assert api.get("/v1/profile", params={"user_id": other}).json()["locale"] == "de-DE"


@pytest.mark.parametrize("there", [True, False])
def test_what_comes_into_a_project_goes_by_what_that_is_here(
    api: httpx.Client, user: str, other: str, there: bool
) -> None:
    put(api, user, "zoo", isolated=not there)
    put(api, other, "zoo", isolated=there)
    ask(api, user, "I live in Quokkaville.", session_id=user, project="zoo")
    learnt(api, user, "zoo")
    imported(api, other, exported(api, user))
    assert {"query", "words", "/v1/facts"} <= set(finds(api, other, project="zoo"))
    assert (finds(api, other) == []) is there


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("PUT", "/v1/projects/a", {"isolated": "yes"}, 422),
        ("PUT", "/v1/projects/a", {"instructions": "x" * 8_001}, 422),
        ("PUT", "/v1/projects/a", {"name": "b"}, 422),
        ("PATCH", "/v1/projects/a", {"isolated": True}, 404),
        ("DELETE", "/v1/projects/a", None, 404),
        ("PATCH", "/v1/sessions/none", {"project": "a"}, 404),
        ("PATCH", "/v1/sessions/none", {}, 422),
        ("PATCH", "/v1/sessions/none", {"title": None}, 422),
        ("POST", "/query", {"query": "Hi.", "project": "a/b"}, 422),
        ("POST", "/query", {"query": "Hi.", "project": ""}, 422),
        ("POST", "/query", {"query": "Hi.", "locale": "de_DE"}, 422),
        ("PATCH", "/v1/profile", {"timezone": "Mars/Base"}, 422),
        ("PATCH", "/v1/profile", {"instructions": " "}, 422),
        ("PATCH", "/v1/profile", {}, 422),
    ],
)
def test_what_is_wrong_is_refused_and_changes_nothing(
    api: httpx.Client, user: str, method: str, path: str, body: dict[str, Any] | None, status: int
) -> None:
    params = {"user_id": user}
    answer = api.request(method, path, params=params, json=None if body is None else {"user_id": user, **body})
    assert problem(answer, status)
    assert api.get("/v1/projects", params=params).json()["items"] == []


def test_admins_see_one_user_with_isolated_projects(api: httpx.Client, user: str) -> None:
    put(api, user, "zoo", isolated=True)
    ask(api, user, "I live in Quokkaville.", session_id=user, project="zoo")
    named = [one["id"] for one in api.get("/v1/admin/users", params={"q": user}).json()["items"]]
    assert named.count(user) == 1 and not any("zoo" in one for one in named)
    seen = api.get(f"/v1/admin/users/{user}").json()
    assert (seen["id"], seen["sessions"], seen["messages"]) == (user, 1, 2)
    sessions = api.get(f"/v1/admin/users/{user}/sessions", params={"project": "zoo"}).json()["items"]
    assert [one["id"] for one in sessions] == [user]
    assert api.get(f"/v1/admin/users/{user}/sessions/{user}/messages").status_code == 200
    assert problem(api.get(f"/v1/admin/users/{user}%1Fzoo"), 404, 422)
