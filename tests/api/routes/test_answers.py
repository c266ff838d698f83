"""Answers that go on whoever listens: followed from their beginning, and stopped."""

from collections.abc import Iterator
from threading import Event as Signal
from typing import Any

import httpx
import pytest

from tests.api.queries import Event, events_of, messages_of, stream
from tests.checks import eventually
from tests.scripted_model import Behaviour, ScriptedModel

WORDS = ("One ", "two ", "three ", "four.")


@pytest.fixture
def going_on(model: ScriptedModel) -> Iterator[Signal]:
    """The model says two words, and the others once this is set."""
    signal = Signal()
    model.script(Behaviour(text="".join(WORDS), pieces=WORDS, hang_after=3, go_on=signal), about="Count to four")
    yield signal
    signal.set()


@pytest.fixture(params=["chat", "second"])
def elsewhere(request: pytest.FixtureRequest) -> httpx.Client:
    """The API that answers, or another one over the same store."""
    client: httpx.Client = request.getfixturevalue(request.param)
    return client


def begun(api: httpx.Client, user: str) -> str:
    """Begins an answer and leaves once its first words came; returns its `turn_id`."""
    with stream(api, user, "Count to four", session_id="counting", detached=True) as events:
        turn_id: str = next(events)[1]["turn_id"]
        assert next(events)[0] == "delta"
    return turn_id


def followed(api: httpx.Client, user: str, turn_id: str) -> Iterator[Event]:
    with events_of(api.stream("GET", f"/v1/answers/{turn_id}", params={"user_id": user})) as events:
        yield from events


def said(events: list[Event]) -> str:
    return "".join(data["text"] for name, data in events if name == "delta")


def under_way(api: httpx.Client, user: str) -> list[str]:
    session: dict[str, Any] = api.get("/v1/sessions/counting", params={"user_id": user}).json()
    found: list[str] = session["answering"]
    return found


def test_an_answer_goes_on_when_its_client_leaves_and_is_followed_from_its_beginning(
    chat: httpx.Client, elsewhere: httpx.Client, user: str, going_on: Signal
) -> None:
    turn_id = begun(chat, user)
    assert eventually(lambda: under_way(elsewhere, user)) == [turn_id]
    events = followed(elsewhere, user, turn_id)
    first = [next(events)]
    while not said(first):
        first.append(next(events))
    going_on.set()
    assert "".join(WORDS).startswith(said([*first, *events]))  # the end, elsewhere, is in the message alone
    kept = eventually(lambda: messages_of(elsewhere, user, "counting")[1:])[0]
    assert (kept["content"], kept["interrupted"]) == ("".join(WORDS), False)
    eventually(lambda: under_way(elsewhere, user) == [])


def test_whoever_comes_just_after_the_end_gets_all_of_it(chat: httpx.Client, user: str, going_on: Signal) -> None:
    going_on.set()
    turn_id = begun(chat, user)
    eventually(lambda: messages_of(chat, user, "counting")[1:])
    events = list(followed(chat, user, turn_id))
    assert [events[0][0], events[-1][0]] == ["meta", "done"]
    assert said(events) == events[-1][1]["response"] == "".join(WORDS)


def test_a_stopped_answer_is_kept_as_far_as_it_came(
    chat: httpx.Client, elsewhere: httpx.Client, user: str, going_on: Signal
) -> None:
    with stream(chat, user, "Count to four", session_id="counting", detached=True) as events:
        turn_id = next(events)[1]["turn_id"]
        eventually(lambda: under_way(elsewhere, user))
        assert elsewhere.post(f"/v1/answers/{turn_id}/stop", json={"user_id": user}).json() == {"turn_id": turn_id}
        name, data = list(events)[-1]
    assert (name, data["title"]) == ("error", "The answer was stopped; what came so far is kept")
    kept = eventually(lambda: messages_of(chat, user, "counting")[1:])[0]
    assert (kept["content"].strip(), kept["interrupted"]) == ("One two", True)
    stopped_again = lambda: chat.post(f"/v1/answers/{turn_id}/stop", json={"user_id": user})  # noqa: E731
    eventually(lambda: stopped_again().status_code == 404)  # once its draft is gone


def test_an_answer_of_which_nothing_has_come_is_known_and_stopped_everywhere(
    chat: httpx.Client, elsewhere: httpx.Client, model: ScriptedModel, user: str
) -> None:
    model.script(Behaviour(hang_after=0), about="Count to four")
    with stream(chat, user, "Count to four", session_id="counting", detached=True) as events:
        turn_id = next(events)[1]["turn_id"]
        assert eventually(lambda: under_way(elsewhere, user)) == [turn_id]
        elsewhere.post(f"/v1/answers/{turn_id}/stop", json={"user_id": user}).raise_for_status()
        assert [name for name, _ in events] == ["error"]
    assert [one["role"] for one in messages_of(chat, user, "counting")] == ["user"]
    eventually(lambda: under_way(elsewhere, user) == [])


def test_of_another_users_answer_nothing_is_told(chat: httpx.Client, user: str, going_on: Signal) -> None:
    turn_id = begun(chat, user)
    other = {"user_id": f"{user}-other"}
    assert chat.get(f"/v1/answers/{turn_id}", params=other).status_code == 404
    assert chat.post(f"/v1/answers/{turn_id}/stop", json=other).status_code == 404
    assert under_way(chat, user) == [turn_id]


def test_a_detached_answer_is_streamed(api: httpx.Client, user: str) -> None:
    refused = api.post("/query", json={"query": "Hello", "user_id": user, "detached": True})
    assert (refused.status_code, "stream" in refused.text) == (422, True)
