"""Instructions that stand, time zone and locale; and exchanges that leave nothing."""

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest
from pymongo import MongoClient

from tests.api.queries import ask, embedded, stream
from tests.checks import but_for_others, eventually, problem
from tests.processes import free_port, serving, stored
from tests.scripted_model import Behaviour, ScriptedModel

SECRET = "My locker code is 4711."


def sent(model: ScriptedModel) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = model.asked("chat")[-1]["messages"]
    return messages


@pytest.fixture
def stands(chat: httpx.Client, user: str) -> str:
    """A user with instructions everywhere, in a project, and in a session of it."""
    own = {"user_id": user, "instructions": "Mine."}
    more = {"timezone": "Asia/Tokyo", "locale": "ja-JP"}
    assert chat.patch("/v1/profile", json=own | more).json() == {"items": [], "instructions": "Mine."} | more
    chat.put("/v1/projects/boat", json=own | {"instructions": "Boat's."}).raise_for_status()
    ask(chat, user, "Hello there.", session_id=user, project="boat")
    changed = chat.patch(f"/v1/sessions/{user}", json=own | {"instructions": "Session's."})
    assert changed.json()["instructions"] == "Session's."
    return user


def test_instructions_stand_in_their_order_before_those_of_the_request(
    chat: httpx.Client, model: ScriptedModel, stands: str
) -> None:
    ask(chat, stands, "What next?", session_id=stands, instructions="Request's.", history=[])
    system = sent(model)[0]["content"]
    assert "Mine.\n\nBoat's.\n\nSession's.\n\nRequest's.\n\nToday is " in system
    assert "(Asia/Tokyo). The user's locale is ja-JP." in system
    assert not any("Mine." in message["content"] for message in sent(model)[1:])

    ask(chat, stands, "And elsewhere?", timezone="Europe/Berlin", locale="de-DE")
    assert "Mine.\n\nToday is" in sent(model)[0]["content"]
    assert "(Europe/Berlin). The user's locale is de-DE." in sent(model)[0]["content"]

    ask(chat, stands, "What next?", session_id=stands, instructions="Request's.", prompt="table")
    assert sent(model)[0]["content"].endswith("\n\nMine.\n\nBoat's.\n\nSession's.\n\nRequest's.")

    own = {"user_id": stands, "instructions": None, "timezone": None}
    assert chat.patch("/v1/profile", json=own).json() == {"items": [], "locale": "ja-JP"}
    chat.patch("/v1/projects/boat", json={"user_id": stands, "instructions": None}).raise_for_status()
    chat.patch(f"/v1/sessions/{stands}", json={"user_id": stands, "instructions": None}).raise_for_status()
    ask(chat, stands, "And now?", session_id=stands)
    assert not any(word in sent(model)[0]["content"] for word in ("Mine.", "Boat's.", "Session's.", "Tokyo"))


def test_they_stand_before_the_system_message_of_an_openai_client(
    chat: httpx.Client, model: ScriptedModel, stands: str
) -> None:
    system, said = {"role": "system", "content": "Client's."}, {"role": "user", "content": "Hi."}
    body = {"model": "m", "user_id": stands, "memory_id": stands, "instructions": "Request's."}
    for messages, expected in (
        ([system, said], "Mine.\n\nBoat's.\n\nSession's.\n\nRequest's.\n\nClient's."),
        ([said], "Mine.\n\nBoat's.\n\nSession's.\n\nRequest's."),
    ):
        chat.post("/v1/chat/completions", json=body | {"messages": messages}).raise_for_status()
        assert [message["role"] for message in sent(model)] == ["system", "user"]
        assert sent(model)[0]["content"] == expected
    chat.post("/v1/chat/completions", json=body | {"messages": [said], "memory_strategy": "none"}).raise_for_status()
    assert sent(model) == [said]


def test_the_zone_of_a_user_counts_at_every_door(api: httpx.Client, user: str) -> None:
    api.patch("/v1/profile", json={"user_id": user, "timezone": "Pacific/Kiritimati"}).raise_for_status()
    api.post("/v1/facts", json={"user_id": user, "text": "I moved to Oslo today."}).raise_for_status()
    day = datetime.now(ZoneInfo("Pacific/Kiritimati")).date()
    assert f"{day:%-d %B %Y}" in api.get("/v1/facts", params={"user_id": user}).json()["items"][0]["text"]


def test_instructions_are_no_memory(chat: httpx.Client, stands: str) -> None:
    found = chat.post("/v1/search", json={"user_id": stands, "query": "Boat's. Session's. Mine."}).text
    assert not any(word in found for word in ("Boat's", "Session's", "Mine"))
    assert chat.get("/v1/facts", params={"user_id": stands}).json()["items"] == []


BODIES: dict[str, dict[str, Any]] = {
    "/query": {"query": f"{SECRET} What is the code?"},
    "/v1/chat/completions": {"model": "m", "messages": [{"role": "user", "content": f"{SECRET} What is it?"}]},
}


@pytest.fixture
def own_counts(server: MongoClient[dict[str, Any]], user: str) -> Callable[[], dict[str, int]]:
    """How many documents each collection behind `chat` has but for those of other tests' users."""
    database, own = server["scripted"], but_for_others(user)
    return lambda: {name: database[name].count_documents(own) for name in sorted(database.list_collection_names())}


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("path", list(BODIES))
def test_a_temporary_exchange_leaves_nothing(
    chat: httpx.Client, own_counts: Callable[[], dict[str, int]], user: str, path: str, streamed: bool
) -> None:
    embedded(chat, user, "I like tea.")
    eventually(lambda: not own_counts().get("idempotency"))  # of the test before, which are let go after the answer
    before = own_counts()
    body = {"user_id": user, "temporary": True, "stream": streamed, "project": "new"} | BODIES[path]
    for _ in range(2):
        answer = chat.post(path, json=body, headers={"Idempotency-Key": f"{user}-{path}-{streamed}"})
        assert answer.status_code == 200 and "idempotency-replayed" not in answer.headers
    eventually(lambda: own_counts() == before, 10)
    if path == "/query" and not streamed:
        problem(chat.get(f"/v1/receipts/{answer.json()['turn_id']}", params={"user_id": user}), 404)


def test_a_temporary_exchange_reads_memory_where_it_says_so(
    chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    embedded(chat, user, SECRET)
    question = "What is my locker code?"
    for uses, more in ((False, {}), (False, {"use_memory": False}), (True, {"use_memory": True})):
        ask(chat, user, question, temporary=True, **more)
        assert ("4711" in json.dumps(sent(model))) is uses
    body = {"model": "m", "user_id": user, "temporary": True, "messages": [{"role": "user", "content": question}]}
    for uses, more in ((False, {}), (True, {"memory_strategy": "recall"})):
        chat.post("/v1/chat/completions", json=body | more).raise_for_status()
        assert ("4711" in json.dumps(sent(model))) is uses
    answer = chat.post("/v1/chat/completions", json=body | {"memory_strategy": "tool_memory"})
    assert answer.status_code == 400 and answer.json()["error"]["param"] == "temporary"


def test_a_temporary_exchange_goes_on_from_the_history_it_brings(
    chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    ask(chat, user, "I like tea.", session_id=user)
    history = [{"role": "user", "content": "I like figs."}, {"role": "assistant", "content": "So do I."}]
    with stream(chat, user, "What do I like?", session_id=user, temporary=True, history=history) as events:
        assert [name for name, _ in events][-1] == "done"
    assert [message["content"] for message in sent(model)[1:]] == ["I like figs.", "So do I.", "What do I like?"]


def test_a_temporary_answer_that_is_killed_leaves_nothing(scripted_model: ScriptedModel, tmp_path: Path) -> None:
    scripted_model.script(Behaviour(pieces=("Once ", "upon ", "a time"), hang_after=3))
    port, home = free_port(), tmp_path / "home"
    body = {"query": SECRET, "stream": True, "temporary": True}
    with (
        serving(home, scripted_model.url, port) as process,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as api,
        api.stream("POST", "/query", json=body, headers={"Idempotency-Key": "one"}) as answered,
    ):
        lines = answered.iter_lines()
        while "upon" not in next(lines):
            pass
        process.kill()
    with stored(home) as store:
        assert not any(store[name].count_documents({}) for name in store.list_collection_names())
