"""`/query`, streamed: its events, and what is kept of an answer that ends early."""

import threading

import httpx

from tests.api.queries import ask, check_shape, messages_of, stream
from tests.checks import eventually
from tests.scripted_model import Behaviour, Body, ScriptedModel, answer, cut, stalled


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


def test_a_cut_before_the_first_word_is_tried_again(chat: httpx.Client, model: ScriptedModel, user: str) -> None:
    model.script(cut(0), answer("Here I am."))
    with stream(chat, user, "Are you there?") as events:
        assert list(events)[-1][1]["response"] == "Here I am."
