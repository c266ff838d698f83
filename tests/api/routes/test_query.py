"""`/query`, whole and streamed, and the receipts of answers."""

import base64
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import httpx
import pytest

from tests.checks import eventually, problem
from tests.scripted_model import DIMENSIONS, Behaviour, Body, ScriptedModel, answer, cut, stalled, status

PIXEL = base64.b64encode(bytes.fromhex("89504e470d0a1a0a")).decode()
Event = tuple[str, Any]


def ask(api: httpx.Client, user: str, query: str, **more: Any) -> dict[str, Any]:
    found = api.post("/query", json={"query": query, "user_id": user, **more})
    assert found.status_code == 200, found.text
    body: dict[str, Any] = found.json()
    return body


@contextmanager
def stream(api: httpx.Client, user: str, query: str, **more: Any) -> Iterator[Iterator[Event]]:
    """The events of an answer as they come."""
    body = {"query": query, "user_id": user, "stream": True, **more}
    with api.stream("POST", "/query", json=body) as found:
        assert found.status_code == 200
        assert found.headers["content-type"].startswith("text/event-stream")

        def events() -> Iterator[Event]:
            lines = found.iter_lines()
            for line in lines:
                assert line.startswith("event: "), line
                data = next(lines)
                assert data.startswith("data: "), data
                assert next(lines) == ""
                yield line.removeprefix("event: "), json.loads(data.removeprefix("data: "))

        yield events()


def embedded(api: httpx.Client, user: str, *contents: str, session: str = "before") -> list[str]:
    """Imports what the user said; returns the ids once all have their embeddings."""
    messages = [{"role": "user", "content": content} for content in contents]
    body = {"user_id": user, "session_id": session, "messages": messages, "wait": True}
    ids: list[str] = api.post("/v1/messages", json=body).json()["ids"]
    return ids


def messages_of(api: httpx.Client, user: str, session: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = api.get(f"/v1/sessions/{session}/messages", params={"user_id": user}).json()["items"]
    return items


def is_time(text: str) -> bool:
    return datetime.fromisoformat(text).utcoffset() is not None and text.endswith("Z")


def check_shape(body: dict[str, Any]) -> None:
    """Every field that the contract names, by its type, and no other."""
    context = body["memory_context"]
    assert {name: type(value) for name, value in body.items() if name != "memory_context"} == {
        "response": str,
        "citations": list,
        "intent": str,
        "agents_used": list,
        "need_memory": bool,
        "memory_reason": str,
        "session_id": str,
        "turn_id": str,
        "model": str,
        "usage": dict,
    }
    assert body["usage"].keys() == {"prompt_tokens", "completion_tokens", "total_tokens"}
    assert body["usage"]["total_tokens"] == body["usage"]["prompt_tokens"] + body["usage"]["completion_tokens"]
    for citation in body["citations"]:
        assert citation.keys() == {"n", "id", "kind", "session_id", "role", "content", "timestamp", "score"}
        assert is_time(citation["timestamp"])
    if context is None:
        return
    assert {name: type(value) for name, value in context.items()} == {
        "context": list,
        "recent_messages": list,
        "summaries": list,
        "memories": list,
        "query_embedding_dim": int,
    }
    for item in context["context"]:
        assert item.keys() == {"id", "role", "content", "similarity", "timestamp", "session_id"}
        assert 0 <= item["similarity"] <= 1
        assert is_time(item["timestamp"])
    for item in context["recent_messages"]:
        assert item.keys() == {"role", "content", "timestamp"}
    for item in context["summaries"]:
        assert item.keys() == {"session_id", "summary", "message_count", "model", "timestamp"}
    for item in context["memories"]:
        assert item.keys() == {"key", "value", "updated_at", "tokenCount"}
        assert is_time(item["updated_at"])


def test_an_answer_has_every_field_of_the_contract(api: httpx.Client, user: str) -> None:
    said = "Remember that my cat is called Ada"
    first = ask(api, user, said)
    check_shape(first)
    assert first["intent"] == "remember"
    assert first["need_memory"] is False
    second = ask(api, user, "What did I tell you about my cat?", session_id=first["session_id"])
    check_shape(second)
    assert second["session_id"] == first["session_id"]
    assert second["turn_id"] != first["turn_id"]
    assert second["agents_used"] == ["memory_agent", "writer_agent"]
    assert second["model"] == "rule_based"
    assert second["need_memory"] is True
    assert second["memory_context"]["query_embedding_dim"] == 384
    assert next(item["content"] for item in second["memory_context"]["recent_messages"]) == said
    assert {item["key"]: item["value"] for item in second["memory_context"]["memories"]} == {"cat": "Ada"}


def test_what_was_said_in_one_session_is_recalled_and_cited_in_another(api: httpx.Client, user: str) -> None:
    ids = embedded(api, user, "My sister Mara studies marine biology in Lisbon.", "I like plain rice.")
    body = ask(api, user, "What does my sister Mara study in Lisbon?")
    assert "marine biology" in body["response"]
    assert next(item["id"] for item in body["memory_context"]["context"]) == ids[0]
    assert body["memory_context"]["context"][0]["session_id"] == "before"
    cited = body["citations"][0]
    assert (cited["n"], cited["id"], cited["kind"], cited["role"]) == (1, ids[0], "turn", "user")
    assert cited["session_id"] == "before"


def test_a_model_is_sent_what_was_said_and_its_answer_is_given(
    chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    embedded(chat, user, "My sister Mara studies marine biology.")
    model.script(answer("She studies marine biology [1]."))
    body = ask(chat, user, "What does my sister Mara study?", model="gpt-test")
    check_shape(body)
    assert body["response"] == "She studies marine biology [1]."
    assert body["model"] == "gpt-test"
    assert body["memory_context"]["query_embedding_dim"] == DIMENSIONS
    assert [citation["n"] for citation in body["citations"]] == [1]
    sent = model.asked("chat")[-1]
    assert sent["model"] == "gpt-test"
    assert "marine biology" in sent["messages"][-1]["content"]


def test_a_streamed_answer_comes_as_meta_deltas_and_done(chat: httpx.Client, model: ScriptedModel, user: str) -> None:
    model.script(answer("One two three."))
    with stream(chat, user, "Count to three", session_id="counting") as events:
        found = list(events)
    names = [name for name, _ in found]
    assert names[0] == "meta"
    assert names[-1] == "done"
    assert set(names[1:-1]) == {"delta"}
    meta, done = found[0][1], found[-1][1]
    assert meta.keys() == {"session_id", "turn_id", "intent", "memory_context"}
    assert all(data.keys() == {"text"} for _, data in found[1:-1])
    check_shape(done)
    assert "".join(data["text"] for _, data in found[1:-1]) == done["response"] == "One two three."
    assert {name: done[name] for name in meta} == meta
    assert [message["content"] for message in messages_of(chat, user, "counting")] == [
        "Count to three",
        "One two three.",
    ]


def test_a_streamed_answer_by_rules_has_the_same_events(api: httpx.Client, user: str) -> None:
    with stream(api, user, "hello") as events:
        found = list(events)
    assert [name for name, _ in found] == ["meta", "delta", "done"]
    assert found[1][1]["text"] == found[2][1]["response"]
    assert found[0][1]["memory_context"] is None


def test_deltas_arrive_while_the_model_still_speaks(chat: httpx.Client, model: ScriptedModel, user: str) -> None:
    """The model says each word only after the client has read the one before."""
    words = tuple(f"word{number} " for number in range(40))
    read = threading.Semaphore(1)

    def after_the_last(chunk: Body) -> Body:
        if chunk["choices"] and (chunk["choices"][0]["delta"].get("content") or "").startswith("word"):
            assert read.acquire(timeout=10), "the client was not given the word before"
        return chunk

    model.script(Behaviour(pieces=words, text="".join(words), edit=after_the_last))
    with stream(chat, user, "Say forty words") as events:
        deltas = 0
        for name, _ in events:
            if name == "delta":
                deltas += 1
                read.release()
    assert deltas == 40


def test_a_model_that_breaks_off_ends_the_stream_with_an_error_and_keeps_the_part(
    chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    model.script(Behaviour(text="This will not be whole", cut_after=3))
    with stream(chat, user, "Go on", session_id="cut") as events:
        found = list(events)
    assert next(name for name, _ in found) == "meta"
    assert found[-1][0] == "error"
    error = found[-1][1]
    assert error["status"] in (502, 503)
    assert error.keys() == {"type", "title", "status", "detail", "request_id"}
    said = "".join(data["text"] for name, data in found if name == "delta")
    assert said == "This will "
    kept = messages_of(chat, user, "cut")[-1]
    assert (kept["role"], kept["content"], kept["interrupted"]) == ("assistant", said, True)
    assert chat.get(f"/v1/receipts/{found[0][1]['turn_id']}", params={"user_id": user}).json()["interrupted"] is True


def test_a_client_that_leaves_finds_the_part_it_heard_marked_interrupted(
    chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    hang_ups = model.hang_ups
    model.script(Behaviour(text="I was about to say", hang_after=3))
    with stream(chat, user, "Tell me", session_id="left") as events:
        said = ""
        for name, data in events:
            if name == "delta":
                said += data["text"]
            if said == "I was ":
                break
    kept = eventually(lambda: messages_of(chat, user, "left")[1:])[0]
    assert (kept["role"], kept["content"], kept["interrupted"]) == ("assistant", "I was ", True)
    eventually(lambda: model.hang_ups == hang_ups + 1)


def test_a_client_that_leaves_before_the_first_word_loses_nothing_it_said(
    chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    model.script(stalled(0))
    with stream(chat, user, "Are you there?", session_id="early") as events:
        assert next(events)[0] == "meta"
    assert [message["content"] for message in messages_of(chat, user, "early")] == ["Are you there?"]
    assert ask(chat, user, "And now?", session_id="early")["response"]


@pytest.mark.parametrize("streamed", [False, True])
def test_a_model_that_is_down_is_answered_for_by_rules(
    chat: httpx.Client, model: ScriptedModel, user: str, streamed: bool
) -> None:
    embedded(chat, user, "My locker code is 4711.")
    model.always(status(400))
    if streamed:
        with stream(chat, user, "What is my locker code?") as events:
            name, body = list(events)[-1]
        assert name == "done"
    else:
        body = ask(chat, user, "What is my locker code?")
    check_shape(body)
    assert body["model"] == "rule_based"
    assert "4711" in body["response"]


def test_an_embedding_model_that_is_down_costs_the_similar_messages_alone(
    chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    model.always(status(400), on="embeddings")
    body = ask(chat, user, "What do you know about narwhals and their tusks?")
    assert body["memory_context"]["query_embedding_dim"] == 0
    assert body["memory_context"]["context"] == []
    problem(chat.post("/v1/search", json={"user_id": user, "query": "narwhals, whose tusks are long"}), 502)


def test_an_image_is_described_to_the_model(chat: httpx.Client, model: ScriptedModel, user: str) -> None:
    model.script(answer("A red square."), answer("You sent a red square."))
    body = ask(chat, user, "What is this?", images=[f"data:image/png;base64,{PIXEL}", "https://example.org/a.png"])
    assert body["intent"] == "image"
    assert "vision_agent" in body["agents_used"]
    assert "A red square." in json.dumps(model.asked("chat")[-1])


def test_history_and_location_stand_in_the_prompt_and_are_not_kept(
    chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    history = [{"role": "user", "content": "We spoke of quinces"}, {"role": "assistant", "content": "Indeed"}]
    body = ask(chat, user, "Go on about them", history=history, location="Tromsø, Norway")
    prompt = model.asked("chat")[-1]["messages"][-1]["content"]
    assert "We spoke of quinces" in prompt
    assert "Tromsø, Norway" in prompt
    kept = messages_of(chat, user, body["session_id"])
    assert [message["role"] for message in kept] == ["user", "assistant"]


def test_a_temporary_chat_reads_nothing_and_keeps_nothing(
    api: httpx.Client, user: str, counts: Callable[[], dict[str, int]]
) -> None:
    embedded(api, user, "My locker code is 4711.")
    before = counts()
    body = ask(api, user, "What is my locker code?", temporary=True)
    check_shape(body)
    assert "4711" not in body["response"]
    assert body["memory_context"] is None
    assert counts() == before
    problem(api.get(f"/v1/receipts/{body['turn_id']}", params={"user_id": user}), 404)


def test_without_use_memory_nothing_is_looked_up_but_the_turn_is_kept(api: httpx.Client, user: str) -> None:
    embedded(api, user, "My locker code is 4711.")
    body = ask(api, user, "What is my locker code?", use_memory=False)
    assert (body["need_memory"], body["memory_context"]) == (False, None)
    assert "4711" not in body["response"]
    assert len(messages_of(api, user, body["session_id"])) == 2


def test_top_k_bounds_the_similar_messages(api: httpx.Client, user: str) -> None:
    embedded(api, user, *(f"The red fox number {number} sleeps in the barn." for number in range(12)))
    body = ask(api, user, "Where does the red fox number 3 sleep?", top_k=2)
    assert len(body["memory_context"]["context"]) == 2


def test_a_query_without_a_user_belongs_to_the_default_one(api: httpx.Client) -> None:
    body = api.post("/query", json={"query": "hello"}).json()
    assert api.get(f"/v1/sessions/{body['session_id']}").json()["message_count"] == 2


def test_two_users_may_have_sessions_and_messages_of_the_same_id(api: httpx.Client, user: str, other: str) -> None:
    for owner, secret in ((user, "amber"), (other, "cobalt")):
        body = {
            "user_id": owner,
            "session_id": "shared",
            "messages": [{"id": f"same-{user}", "role": "user", "content": f"My favourite colour is {secret}."}],
            "wait": True,
        }
        assert api.post("/v1/messages", json=body).json()["accepted"] == 1
    found = ask(api, other, "What is my favourite colour?")
    assert "cobalt" in found["response"]
    assert "amber" not in json.dumps(found)
    receipt = api.get(f"/v1/receipts/{found['turn_id']}", params={"user_id": other}).json()
    assert [one["id"] for one in receipt["considered"] if one["used"]] == [f"same-{user}"]


def test_a_receipt_tells_what_was_considered_used_and_spent(
    chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    facts = [f"The harbour crane number {number} is painted blue." for number in range(7)]
    ids = embedded(chat, user, *facts, "Bread.", facts[0])
    body = ask(chat, user, "Which harbour crane is painted blue?")
    receipt = chat.get(f"/v1/receipts/{body['turn_id']}", params={"user_id": user}).json()
    assert receipt["turn_id"] == body["turn_id"]
    assert receipt["session_id"] == body["session_id"]
    assert receipt["usage"] == body["usage"]
    assert receipt["query"] == "Which harbour crane is painted blue?"
    assert receipt["agents_used"] == body["agents_used"]
    assert sum(entry["tokens"] for entry in receipt["ledger"]) == body["usage"]["prompt_tokens"]
    sent = "".join(message["content"] for message in model.asked("chat")[-1]["messages"])
    assert sum(entry["characters"] for entry in receipt["ledger"]) == len(sent)
    used = [one["id"] for one in receipt["considered"] if one["used"]]
    assert used
    assert set(used) == {one["id"] for one in receipt["used"] if one["section"] == "similar"}
    dropped = {one["id"]: one["dropped"] for one in receipt["considered"] if not one["used"]}
    assert set(used) | set(dropped) == set(ids)
    assert set(dropped.values()) == {"below_floor", "duplicate", "budget"}
    assert dropped[ids[7]] == "below_floor"
    assert len(receipt["messages"]) == 2
    assert {message["id"] for message in messages_of(chat, user, body["session_id"])} == set(receipt["messages"])


def test_a_receipt_tells_why_one_message_was_not_used(api: httpx.Client, user: str, other: str) -> None:
    ids = embedded(
        api, user, *(f"The harbour crane number {number} is painted blue." for number in range(12)), "Bread."
    )
    theirs = embedded(api, other, "The harbour crane of the other user is painted blue.")
    body = ask(api, user, "Which harbour crane is painted blue?", top_k=2)
    later = embedded(api, user, "The harbour crane number 99 is painted blue.")

    def why(identifier: str) -> dict[str, Any]:
        path = f"/v1/receipts/{body['turn_id']}/why-not"
        answer = api.get(path, params={"user_id": user, "id": identifier})
        assert answer.status_code == 200, answer.text
        assert answer.json()["detail"].endswith(".")
        return answer.json()  # type: ignore[no-any-return]

    used = body["citations"][0]["id"]
    assert (why(used)["used"], why(used)["reason"], why(used)["recorded"]) == (True, "used", True)
    reasons = {why(identifier)["reason"] for identifier in ids[:12]}
    assert "top_k" in reasons and reasons <= {"used", "not_quoted", "top_k"}
    assert all(why(identifier)["place"] is not None for identifier in ids[:12])
    assert why(ids[12])["reason"] in ("below_floor", "top_k")
    assert why(later[0])["reason"] == "later"
    assert why(theirs[0]) == why("never there") | {"id": theirs[0]}
    assert why("never there")["reason"] == "owner"
    assert why(f"{body['turn_id']}.prompt")["reason"] == "own"
    problem(api.get("/v1/receipts/nothing/why-not", params={"user_id": user, "id": ids[0]}), 404)


def test_a_message_that_no_memory_was_asked_for_says_so(api: httpx.Client, user: str) -> None:
    [told] = embedded(api, user, "My locker code is 4711.")
    body = ask(api, user, "What is my locker code?", use_memory=False)
    answer = api.get(f"/v1/receipts/{body['turn_id']}/why-not", params={"user_id": user, "id": told}).json()
    assert (answer["reason"], answer["used"]) == ("memory_not_asked", False)


def test_the_receipt_of_an_answer_by_rules_adds_up_too(api: httpx.Client, user: str) -> None:
    body = ask(api, user, "What is the capital of my heart?")
    receipt = api.get(f"/v1/receipts/{body['turn_id']}", params={"user_id": user}).json()
    assert receipt["model"] == "rule_based"
    assert sum(entry["tokens"] for entry in receipt["ledger"]) == body["usage"]["prompt_tokens"]


def test_a_receipt_is_its_owners_alone(api: httpx.Client, user: str, other: str) -> None:
    turn = ask(api, user, "hello")["turn_id"]
    assert api.get(f"/v1/receipts/{turn}", params={"user_id": user}).status_code == 200
    problem(api.get(f"/v1/receipts/{turn}", params={"user_id": other}), 404)
    problem(api.get("/v1/receipts/nothing", params={"user_id": user}), 404)


def test_many_requests_in_one_session_at_once_each_get_their_place(api: httpx.Client, user: str) -> None:
    answers: list[int] = []

    def one(number: int) -> None:
        found = api.post("/query", json={"query": f"Note {number}", "user_id": user, "session_id": "busy"})
        answers.append(found.status_code)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [200] * 16
    found = messages_of(api, user, "busy")
    assert [message["message_index"] for message in found] == list(range(32))
    assert [message["role"] for message in found] == ["user", "assistant"] * 16
    session = api.get("/v1/sessions/busy", params={"user_id": user}).json()
    assert (session["message_count"], session["pair_count"]) == (32, 16)


def test_a_cut_before_the_first_word_is_tried_again(chat: httpx.Client, model: ScriptedModel, user: str) -> None:
    model.script(cut(0), answer("Here I am."))
    with stream(chat, user, "Are you there?") as events:
        assert list(events)[-1][1]["response"] == "Here I am."
