"""What was exported comes in: all of it, in order, once, for whoever imports it."""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from pymongo.database import Database

from api.http.guard import MAX_BODY
from memory.ids import derived_id
from tests.api.said import every
from tests.checks import eventually, problem
from tests.exports import MESSAGE, SESSION, bring_in, ended, exported, imported, lines_of

Documents = Database[dict[str, Any]]

TALK = [
    ("user", "My dog is called Biscuit."),
    ("assistant", "A fine name."),
    *((("user", "assistant")[at % 2], f"We talk of the weather, part {at}") for at in range(22)),
]


def live(api: httpx.Client, user: str) -> None:
    """Something of every kind."""
    messages = [
        {"role": role, "content": content, "id": f"m{at}", "timestamp": f"2024-05-01T12:{at:02}:00Z", "name": "Ann"}
        for at, (role, content) in enumerate(TALK)
    ]
    sent = {"user_id": user, "session_id": "monday", "messages": messages}
    assert api.post("/v1/messages", json=sent).status_code == 200
    for query in ("Remember that my locker is 4711", "Remember that my locker is 4712", "What is my dog called?"):
        asked = api.post("/query", json={"user_id": user, "session_id": "tuesday", "query": query})
        assert asked.status_code == 200
    for text in ("I live in Madrid.", "I live in Oslo."):
        assert api.post("/v1/facts", json={"user_id": user, "text": text}).status_code == 200
    seen = {"user_id": user, "source": "GOAL:deploy", "findings": ["The bridge is closed."], "lessons": ["Ask first."]}
    assert api.post("/v1/observations", json=seen).status_code == 200
    for key, more in (("plan", {}), ("soon", {"ttl_seconds": 10_000})):
        put = api.put(f"/v1/scratchpad/{key}", json={"user_id": user, "value": "Straße", **more})
        assert put.status_code in (200, 201)
    record = {"user_id": user, "task_id": "deploy", "tool_name": "ls", "raw_output": "\x1b[1ma.txt\x00"}
    assert api.post("/v1/tool-memory/records", json=record).status_code in (200, 201), record
    bank = {"user_id": user, "conversation_type": "project", "project_name": "loci"}
    made = api.post("/v1/banks", json=bank)
    assert made.status_code in (200, 201), made.text
    update = {"user_id": user, "content": "We decided to use SQLite for the store."}
    assert api.post("/v1/banks/project/loci/update", json=update).status_code == 200
    eventually(lambda: kinds(exported(api, user))["summaries"], 60)


def kinds(file: bytes) -> Counter[str]:
    return Counter(line["kind"] for line in lines_of(file))


def told(file: bytes) -> list[dict[str, Any]]:
    """What a file tells, but for what may be another one where it came in."""
    lines = lines_of(file)[1:]
    for line in lines:
        if line["kind"] in ("bank", "bank_version"):
            del line["epoch"]
    seen = sorted((line for line in lines if line["kind"] == "observation"), key=lambda line: str(line["content"]))
    return [line for line in lines if line["kind"] != "observation"] + seen  # their ids, and so their order, are new


def settled(database: Documents, user: str) -> None:
    under_way = {"$in": ["pending", "leased"]}
    work = {"user_id": user, "$or": [{"embed.state": under_way}, {"facts.state": under_way}]}
    eventually(lambda: not database.vectors.count_documents(work), 60)


def test_all_of_a_user_comes_in_for_another_and_goes_out_again_the_same(
    api: httpx.Client, user: str, other: str, database: Documents
) -> None:
    live(api, user)
    settled(database, user)
    file = exported(api, user)
    found = kinds(file)
    assert not {"session", "summaries", "message", "fact", "memory", "observation", "entry", "task"} - found.keys()
    assert not {"trace", "bank_version", "bank", "receipt"} - found.keys()
    assert lines_of(file)[-1]["counts"] == {kind: found[kind] for kind in lines_of(file)[-1]["counts"]}
    assert user.encode() not in file.split(b"\n", 1)[1]
    new, there = imported(api, other, file)
    assert new == {kind: count for kind, count in found.items() if kind not in ("export", "end")}
    assert there == {}
    settled(database, other)
    assert told(exported(api, other)) == told(file)
    assert imported(api, other, file) == ({}, new)
    assert imported(api, user, exported(api, other)) == ({}, new)
    assert told(exported(api, user)) == told(file)


def messages(*ids: str, first: int = 0, **more: Any) -> list[dict[str, Any]]:
    return [
        {**MESSAGE, "id": identifier, "place": first + at, "content": f"{identifier} says so", **more}
        for at, identifier in enumerate(ids)
    ]


def said(api: httpx.Client, user: str, session: str = "s") -> list[str]:
    found = api.get(f"/v1/sessions/{session}/messages", params={"user_id": user, "limit": 200})
    return [item["id"] for item in found.json()["items"]] if found.status_code == 200 else []


def session_of(api: httpx.Client, user: str, session: str = "s") -> dict[str, Any]:
    found: dict[str, Any] = api.get(f"/v1/sessions/{session}", params={"user_id": user}).json()
    return found


def test_what_came_is_found_at_once_and_stands_where_and_when_it_was_said(api: httpx.Client, user: str) -> None:
    told = [MESSAGE, {**MESSAGE, "id": "m2", "place": 4, "role": "assistant", "content": "Noted."}]
    assert imported(api, user, ended([SESSION, *told])) == ({"session": 1, "message": 2}, {})
    found = api.post("/v1/search", json={"user_id": user, "query": "Where does the heron nest?"}).json()["items"]
    assert found[0]["content"] == MESSAGE["content"] and found[0]["timestamp"].startswith("2024-05-01T12:00:00")
    assert said(api, user) == ["m1", "m2"]
    session = session_of(api, user)
    assert (session["title"], session["message_count"], session["pair_count"]) == ("A talk", 2, 1)
    assert session["created_at"].startswith("2024-05-01") and session["updated_at"].startswith("2024-05-02")
    assert [one["id"] for one in api.get("/v1/sessions", params={"user_id": user}).json()["items"]] == ["s"]


def test_a_file_with_a_mark_of_byte_order_comes_in(api: httpx.Client, user: str) -> None:
    assert imported(api, user, b"\xef\xbb\xbf" + ended([SESSION, MESSAGE])) == ({"session": 1, "message": 1}, {})
    assert said(api, user) == ["m1"]


def test_a_session_of_the_users_own_stays_and_what_comes_stands_behind_it(api: httpx.Client, user: str) -> None:
    own = [{"role": "user", "content": f"own {at}", "id": f"own{at}"} for at in range(3)]
    api.post("/v1/messages", json={"user_id": user, "session_id": "s", "messages": own})
    title = session_of(api, user)["title"]
    file = ended([SESSION, *messages("a", "b", "c")])
    assert imported(api, user, file) == ({"message": 3}, {"session": 1})
    assert imported(api, user, file) == ({}, {"session": 1, "message": 3})
    assert said(api, user) == ["own0", "own1", "own2", "a", "b", "c"]
    assert session_of(api, user)["message_count"] == 6
    assert session_of(api, user)["title"] == title
    more = [{"role": "user", "content": "own 3", "id": "own3"}]
    api.post("/v1/messages", json={"user_id": user, "session_id": "s", "messages": more})
    assert said(api, user)[-1] == "own3"


def test_a_later_export_brings_what_was_said_since(api: httpx.Client, user: str, other: str) -> None:
    first = [{"role": "user", "content": f"first {at}"} for at in range(3)]
    api.post("/v1/messages", json={"user_id": user, "session_id": "s", "messages": first})
    imported(api, other, exported(api, user))
    later = [{"role": "assistant", "content": f"later {at}"} for at in range(3)]
    api.post("/v1/messages", json={"user_id": user, "session_id": "s", "messages": later})
    assert imported(api, other, exported(api, user)) == ({"message": 3}, {"session": 1, "message": 3})
    assert said(api, other) == said(api, user)
    assert session_of(api, other)["message_count"] == 6
    assert session_of(api, other)["pair_count"] == 3


def test_sessions_that_went_on_in_both_places_keep_the_order_of_each(api: httpx.Client, user: str, other: str) -> None:
    talk = [{"role": "user", "content": "talk", "id": f"{user}-talk"}]
    api.post("/v1/messages", json={"user_id": user, "session_id": "s", "messages": talk})
    imported(api, other, exported(api, user))
    for owner in (user, other):
        more = [{"role": "user", "content": "more", "id": f"{owner}-{at}"} for at in range(3)]
        api.post("/v1/messages", json={"user_id": owner, "session_id": "s", "messages": more})
    assert imported(api, other, exported(api, user))[0] == {"message": 3}
    own, foreign = ([f"{owner}-{at}" for at in range(3)] for owner in (other, user))
    assert said(api, other) == [f"{user}-talk", *own, *foreign]
    assert imported(api, other, exported(api, user))[0] == {}


def test_ids_that_another_user_has_are_taken_without_a_trace(api: httpx.Client, user: str, other: str) -> None:
    file = ended([SESSION, *messages("same-1", "same-2")])
    for owner in (user, other):
        assert imported(api, owner, file) == ({"session": 1, "message": 2}, {})
    assert said(api, user) == said(api, other) == ["same-1", "same-2"]
    assert api.delete(f"/v1/users/{user}").status_code == 200
    assert (said(api, user), said(api, other)) == ([], ["same-1", "same-2"])
    assert imported(api, other, file)[0] == {}


def test_a_file_cannot_take_the_id_that_anothers_fact_is_to_have(api: httpx.Client, user: str, other: str) -> None:
    text = "My neighbour keeps nine geese behind the mill"
    taken = derived_id(other, "default", "said", "The user's neighbour keeps nine geese behind the mill.", "0")
    fact = {
        "kind": "fact", "id": taken, "memory_id": "default", "text": "mine", "sources": [], "decided_by": "user",
        **dict.fromkeys(("valid_from", "created_at", "updated_at"), "2024-05-01T12:00:00Z"),
        "history": [{"event": "ADD", "at": "2024-05-01T12:00:00Z", "by": "user"}],
    }  # fmt: skip
    assert imported(api, user, ended([fact]))[0] == {"fact": 1}
    decided = api.post("/v1/facts", json={"user_id": other, "text": text}).json()["decisions"]
    assert [(one["event"], one["id"]) for one in decided] == [("ADD", taken)]
    assert [one["text"] for one in api.get("/v1/facts", params={"user_id": user}).json()["items"]] == ["mine"]
    [line] = [line for line in lines_of(exported(api, user)) if line["kind"] == "fact"]
    assert line["id"] == taken
    assert imported(api, user, exported(api, user))[0] == {}


def test_facts_that_were_still_to_be_made_are_made_where_the_message_came(api: httpx.Client, user: str) -> None:
    states = {**MESSAGE, "content": "I live in Madrid.", "facts": "pending"}
    imported(api, user, ended([SESSION, states]))
    facts = eventually(lambda: api.get("/v1/facts", params={"user_id": user}).json()["items"], 60)
    assert "Madrid" in facts[0]["text"]


def test_times_that_lie_ahead_do_not_outlive_a_deletion(api: httpx.Client, user: str, database: Documents) -> None:
    ahead = dict.fromkeys(("created_at", "updated_at"), "2190-01-01T00:00:00Z")
    lines = [
        {**SESSION, **ahead},
        {**MESSAGE, "created_at": "2190-01-01T00:00:00Z"},
        {"kind": "memory", "key": "dog", "value": "Rex", "version": 1, "sources": [], "history": [], **ahead},
        {"kind": "entry", "key": "plan", "value": "later", "version": 1, **ahead},
    ]
    imported(api, user, ended(lines))
    api.delete(f"/v1/users/{user}")
    assert left_of(database, user) == {}


def left_of(database: Documents, user: str) -> dict[str, int]:
    """How many documents of a user each collection has."""
    counts = {name: database[name].count_documents({"user_id": user}) for name in database.list_collection_names()}
    counts["owners"] = database.owners.count_documents({"_id": user})
    return {name: count for name, count in counts.items() if count}


def streamed(*parts: Any) -> Iterator[bytes]:
    """A body in parts; those that are no bytes are done in between."""
    for part in parts:
        if isinstance(part, bytes):
            yield part
        else:
            part()


@pytest.mark.parametrize("what", ["user", "session"])
def test_a_deletion_ends_an_import_and_nothing_of_it_is_left(
    api: httpx.Client, plain: str, user: str, database: Documents, what: str
) -> None:
    lines = ended([{**SESSION, "places": 2_000}, *messages(*(f"m{at}" for at in range(1_000)))]).splitlines(True)

    def delete() -> None:
        eventually(lambda: database.vectors.count_documents({"user_id": user}) >= 400)
        with httpx.Client(base_url=plain, timeout=30) as client:
            path = f"/v1/users/{user}" if what == "user" else f"/v1/sessions/s?user_id={user}"
            assert client.delete(path).status_code == 200

    answer = bring_in(api, user, streamed(b"".join(lines[:500]), delete, b"".join(lines[500:])))
    assert "deleted meanwhile" in problem(answer, 409)["detail"]
    left = left_of(database, user)
    assert left == {} if what == "user" else not {"sessions", "vectors"} & left.keys()
    assert imported(api, user, b"".join(lines))[0] == {"session": 1, "message": 1_000}
    assert session_of(api, user)["message_count"] == 1_000


def test_a_chat_goes_on_in_a_session_that_is_being_imported(api: httpx.Client, plain: str, user: str) -> None:
    lines = ended([{**SESSION, "places": 600}, *messages(*(f"m{at}" for at in range(600)))]).splitlines(True)
    turns: list[str] = []

    def talk() -> None:
        eventually(lambda: said(api, user))
        with httpx.Client(base_url=plain, timeout=30) as client:
            answer = client.post("/query", json={"user_id": user, "session_id": "s", "query": "The kiln is hot."})
            turns.append(answer.json()["turn_id"])

    file = b"".join(lines)
    answer = bring_in(api, user, streamed(b"".join(lines[:300]), talk, b"".join(lines[300:])))
    assert answer.json()["imported"]["message"] == 600
    ids = [item["id"] for item in every(api, "/v1/sessions/s/messages", 200, user_id=user)]
    assert ids == [*(f"m{at}" for at in range(600)), f"{turns[0]}.prompt", f"{turns[0]}.response"]
    assert session_of(api, user)["message_count"] == 602
    assert imported(api, user, file)[0] == {}


def test_two_imports_of_a_user_come_one_after_the_other(api: httpx.Client, plain: str, user: str) -> None:
    lines = ended([{**SESSION, "places": 600}, *messages(*(f"m{at}" for at in range(600)))]).splitlines(True)
    answers: list[Future[httpx.Response]] = []
    with httpx.Client(base_url=plain, timeout=60) as client, ThreadPoolExecutor() as beside:

        def begin_second() -> None:
            answers.append(beside.submit(bring_in, client, user, b"".join(lines)))

        first = bring_in(api, user, streamed(b"".join(lines[:300]), begin_second, b"".join(lines[300:])))
        both = (first, answers[0].result())
    assert {answer.status_code for answer in both} == {200}
    assert sum(answer.json()["imported"]["message"] for answer in both) == 600
    assert session_of(api, user)["message_count"] == 600


def test_a_file_larger_than_any_other_body_comes_in(api: httpx.Client, user: str, other: str) -> None:
    for at in range(6):
        record = {"user_id": user, "task_id": "t", "tool_name": "cat", "raw_output": str(at) + "x" * 5_000_000}
        assert api.post("/v1/tool-memory/records", json=record).status_code in (200, 201)
    file = exported(api, user)
    assert len(file) > 1.5 * MAX_BODY
    assert imported(api, other, file)[0] == {"task": 1, "trace": 6}
    assert told(exported(api, other)) == told(file)
