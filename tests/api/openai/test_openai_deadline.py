"""A provider that takes a request and goes silent: before its answer, in a stream, or not for good."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from http.client import HTTPConnection
from time import monotonic
from typing import Any

import httpx
import pytest

from config.settings import Settings
from tests.checks import eventually
from tests.openai_chat import chunk, said, stored
from tests.scripted_model import Behaviour, Body, ScriptedModel, hang, slow, stalled
from utils.upstream import LONGEST_SILENCE, open_upstream

DEADLINE = 0.5  # seconds


@pytest.fixture
def hasty(serve: Callable[..., str], scripted_model: ScriptedModel) -> Iterator[httpx.Client]:
    """An API whose provider may be silent for half a second."""
    address = serve(
        openai_base_url=scripted_model.url, openai_api_key="sk", embedding_model="local", model_deadline=DEADLINE
    )
    with httpx.Client(base_url=address, timeout=30) as client:
        yield client


def asked(user: str, **more: Any) -> Body:
    return {"model": "m", "messages": said("Are you there?"), "memory_id": user, **more}


@pytest.mark.parametrize(
    ("behaviour", "streamed"),
    [(hang(), False), (hang(), True), (stalled(after=0), True)],
    ids=["plain", "a stream without a head", "a stream without an event"],
)
def test_a_provider_that_does_not_begin_is_given_up(
    hasty: httpx.Client, scripted_model: ScriptedModel, user: str, behaviour: Behaviour, streamed: bool
) -> None:
    scripted_model.script(behaviour)
    began = monotonic()
    found = hasty.post("/v1/chat/completions", json=asked(user, stream=streamed))
    assert DEADLINE <= monotonic() - began < 10 * DEADLINE
    assert found.status_code == 504
    assert found.json()["error"] == {
        "message": "The model did not answer in time",
        "type": "server_error",
        "param": None,
        "code": None,
    }
    eventually(lambda: scripted_model.hang_ups == 1)
    assert stored(hasty, user) == [("user", "Are you there?")]


def test_a_stream_that_goes_silent_ends_in_an_error_and_is_kept_as_interrupted(
    hasty: httpx.Client, scripted_model: ScriptedModel, user: str
) -> None:
    scripted_model.script(Behaviour(pieces=("Here ", "I am"), hang_after=3))
    with hasty.stream("POST", "/v1/chat/completions", json=asked(user, stream=True)) as answered:
        assert answered.status_code == 200
        *_, last = [line for line in answered.iter_lines() if line]
    assert "The model did not answer in time" in last and '"error"' in last
    eventually(lambda: len(stored(hasty, user)) == 2)
    items = hasty.get(f"/v1/sessions/{user}/messages").json()["items"]
    assert items[1]["content"] == "Here I am" and items[1]["interrupted"] is True
    eventually(lambda: scripted_model.hang_ups == 1)


def test_an_answer_may_take_longer_than_the_longest_silence(
    hasty: httpx.Client, scripted_model: ScriptedModel, user: str
) -> None:
    pause = 0.6 * DEADLINE

    def dragging(body: Body) -> Body:
        began = monotonic()
        while monotonic() - began < pause:  # the server's own loop: it has no other request
            pass
        return body

    scripted_model.script(Behaviour(pieces=("one ", "two ", "three"), edit=dragging))
    began = monotonic()
    with hasty.stream("POST", "/v1/chat/completions", json=asked(user, stream=True)) as answered:
        lines = [line for line in answered.iter_lines() if line]
    assert monotonic() - began > 2 * DEADLINE
    assert lines[-1] == "data: [DONE]" and stored(hasty, user)[-1] == ("assistant", "one two three")


def test_a_sign_of_life_counts_as_a_beginning(hasty: httpx.Client, scripted_model: ScriptedModel, user: str) -> None:
    raw = (": thinking\n\n" + chunk("Yes.", "stop")).encode()
    scripted_model.script(Behaviour(raw=raw, headers=(("content-type", "text/event-stream"),)))
    with hasty.stream("POST", "/v1/chat/completions", json=asked(user, stream=True)) as answered:
        lines = [line for line in answered.iter_lines() if line]
    assert (lines[0], lines[-1]) == (": thinking", "data: [DONE]")


def test_models_and_embeddings_have_the_same_deadline(hasty: httpx.Client, scripted_model: ScriptedModel) -> None:
    scripted_model.script(slow(60), on="embeddings")
    found = hasty.post("/v1/embeddings", json={"model": "m", "input": "x"})
    assert (found.status_code, found.json()["error"]["type"]) == (504, "server_error")


def test_a_client_that_leaves_before_a_stream_begins_ends_the_call(
    chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    before = model.hang_ups
    model.script(stalled(after=0))
    with closing(HTTPConnection(chat.base_url.host, chat.base_url.port)) as leaving:
        body = json.dumps(asked(user, stream=True, user_id=user))
        leaving.request("POST", "/v1/chat/completions", body, {"content-type": "application/json"})
        eventually(lambda: model.asked("chat"))
    eventually(lambda: model.hang_ups == before + 1, seconds=3)
    assert stored(chat, user) == [("user", "Are you there?")]


async def test_without_a_deadline_in_the_settings_models_may_think_for_minutes() -> None:
    for settings, silence in (
        (Settings(_env_file=None, openai_api_key="sk"), LONGEST_SILENCE),
        (Settings(_env_file=None, openai_api_key="sk", model_deadline=4), 4),
    ):
        upstream = open_upstream(settings)
        timeout = upstream._http.timeout
        assert (timeout.read, timeout.write, timeout.connect) == (silence, silence, min(10, silence))
        await upstream.close()
