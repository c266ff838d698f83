"""`/query`: what an answer has, recalls and keeps."""

import base64
import json
import threading
from collections.abc import Callable

import httpx
import pytest

from tests.api.queries import ask, check_shape, embedded, messages_of, stream
from tests.checks import problem
from tests.scripted_model import DIMENSIONS, ScriptedModel, answer, status

PIXEL = base64.b64encode(bytes.fromhex("89504e470d0a1a0a")).decode()


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
    system, known, _, asked = sent["messages"]
    assert asked == {"role": "user", "content": "What does my sister Mara study?"}
    assert "marine biology" in known["content"] and "marine biology" not in system["content"]


@pytest.mark.parametrize("streamed", [False, True])
def test_a_model_that_is_down_is_answered_for_by_rules(
    chat: httpx.Client, model: ScriptedModel, user: str, streamed: bool
) -> None:
    embedded(chat, user, "My locker code is 4711.")
    model.always(status(503))
    if streamed:
        with stream(chat, user, "What is my locker code?") as events:
            name, body = list(events)[-1]
        assert name == "done"
    else:
        body = ask(chat, user, "What is my locker code?")
    check_shape(body)
    assert body["model"] == "rule_based"
    assert body["fallback"] == "The model answered with status 503"
    assert "4711" in body["response"]


def test_an_embedding_model_that_is_down_costs_the_similar_messages_alone(
    chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    model.always(status(400), on="embeddings")
    body = ask(chat, user, "What do you know about narwhals and their tusks?")
    assert body["memory_context"]["query_embedding_dim"] == 0
    assert body["memory_context"]["context"] == []
    problem(chat.post("/v1/search", json={"user_id": user, "query": "narwhals, whose tusks are long"}), 502)


@pytest.mark.parametrize("asked", ["What is my bear's name?", "Did I ever mention a bear?"])
def test_who_could_not_search_does_not_say_that_nothing_was_told(
    chat: httpx.Client, model: ScriptedModel, user: str, asked: str
) -> None:
    model.always(status(400), on="embeddings")
    model.always(status(503))
    assert ask(chat, user, asked)["response"].startswith("I couldn't search what you told me")


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
    _, *said, known, _, asked = model.asked("chat")[-1]["messages"]
    assert [*said, asked] == [*history, {"role": "user", "content": "Go on about them"}]
    assert "Tromsø, Norway" in known["content"]
    kept = messages_of(chat, user, body["session_id"])
    assert [message["role"] for message in kept] == ["user", "assistant"]


def test_instructions_stand_behind_the_servers_and_the_table_can_be_asked_for(
    chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    ask(chat, user, "Good day", session_id="one", instructions="Answer in verse.")
    ask(chat, user, "What  now?\n\nTell me", session_id="one", prompt="table")
    first, second = (body["messages"] for body in model.asked("chat")[-2:])
    assert "Answer in verse.\n\nToday is " in first[0]["content"]
    assert [message["role"] for message in second] == ["system", "user"]
    assert "## Most recent messages" in second[1]["content"]
    wrong = {"user_id": user, "query": "hello", "prompt": "other"}
    problem(chat.post("/query", json=wrong), 422)


def test_what_is_forgotten_stands_in_no_prompt_from_that_turn_on_and_roles_take_turns(
    chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    for said in ("My shelf code is 9911 and I love figs.", "Forget my shelf code.", "What do I love?"):
        model.script(answer("So be it."))
        ask(chat, user, said, session_id=f"{user} codes")
        if said.startswith("My"):
            assert "9911" in json.dumps(model.asked("chat")[-1]["messages"])
            continue
        sent = model.asked("chat")[-1]["messages"]
        assert "9911" not in json.dumps(sent)
        assert [message["role"] for message in sent[1:]] == ["user", "assistant"] * (len(sent) // 2 - 1) + ["user"]


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
