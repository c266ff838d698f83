"""`/query`, where the model provider refuses: whoever asks is told what to do, and what they said is kept."""

import httpx
import pytest

from tests.api.queries import ask, messages_of, stream
from tests.checks import problem
from tests.scripted_model import Behaviour, ScriptedModel, answer, html, models, status

NO_MODEL = "The model `gpt-9` does not exist"


def refused(chat: httpx.Client, user: str, *, streamed: bool, **more: str) -> dict[str, object]:
    """The problem that a question comes to, which is kept without an answer."""
    asked = {"query": "What is my locker code?", "user_id": user, "session_id": "refused", **more}
    if streamed:
        with stream(chat, user, asked["query"], session_id="refused", **more) as events:
            (first, _), (last, told) = list(events)
        assert (first, last, told["status"]) == ("meta", "error", 502)
    else:
        told = problem(chat.post("/query", json=asked), 502)
    assert [message["content"] for message in messages_of(chat, user, "refused")] == ["What is my locker code?"]
    return told


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    ("refusal", "title", "detail"),
    [
        (
            status(401),
            "Model provider refused the key",
            "The model provider refused the key (401): check OPENAI_API_KEY",
        ),
        (status(403), "Model provider refused the key", "check what OPENAI_API_KEY may use"),
        (
            status(404),
            "Model unknown to the provider",
            "no model 'gpt-4o-mini' (404): set CHAT_MODEL to another; it has: s",
        ),
        (status(400), "Model refused the request", "refused the request (400): it may be too long"),
        (status(400, param="messages"), "Model refused the request", "(400): it does not take messages"),
        (status(402), "Model refused the request", "its account has no credit"),
    ],
)
def test_a_refusal_is_told(
    chat: httpx.Client, model: ScriptedModel, user: str, streamed: bool, refusal: Behaviour, title: str, detail: str
) -> None:
    model.always(refusal)
    told = refused(chat, user, streamed=streamed)
    assert told["title"] == title
    assert detail in str(told["detail"])
    assert "scripted failure" not in str(told)
    model.always(None)
    assert ask(chat, user, "And now?", session_id="refused")["fallback"] is None


@pytest.mark.parametrize(
    ("refusal", "listing", "detail"),
    [
        (status(400, message=NO_MODEL), models("gpt-8"), "'gpt-9' (400): ask for another; it has: gpt-8"),
        (status(400, param="model"), html(), "The provider knows no model 'gpt-9' (400): ask for another"),
        (status(400, message=NO_MODEL), html(), "refused the request (400)"),
        (status(400, message="gpt-9 takes no such role", param="messages"), models("gpt-8"), "does not take messages"),
        (status(400, message="gpt-9o has no such role"), models("gpt-8"), "refused the request (400)"),
        (status(404), models("gpt-9", "gpt-8"), "or is not at OPENAI_BASE_URL (404)"),
        (status(404), status(404), "No model provider answers at OPENAI_BASE_URL (404)"),
        (status(404), models(*(f"m{n}" for n in range(20)), "gpt-9o"), "it has: gpt-9o, m9,"),
        (status(404), models("evil\n", "gpt-8"), "it has: gpt-8"),
    ],
)
def test_a_model_that_the_provider_does_not_know_is_told_with_those_it_knows(
    chat: httpx.Client, model: ScriptedModel, user: str, refusal: Behaviour, listing: Behaviour, detail: str
) -> None:
    model.script(refusal)
    model.script(listing, on="models")
    told = str(refused(chat, user, streamed=False, model="gpt-9")["detail"])
    model.forget_script()
    assert detail in told
    assert "evil" not in told and ("m9," not in told or told.endswith("and 13 more"))


def test_what_was_done_is_told_though_the_provider_refuses(chat: httpx.Client, model: ScriptedModel, user: str) -> None:
    model.always(status(401))
    body = ask(chat, user, "Remember that my locker is 12")
    assert (body["model"], body["fallback"]) == (
        "rule_based",
        "The model provider refused the key (401): check OPENAI_API_KEY",
    )
    assert "12" in body["response"]


def test_a_request_that_was_refused_is_answered_when_it_is_made_again(
    chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    body = {"query": "Are you there?", "user_id": user, "session_id": "again"}
    model.script(status(401), answer("Yes."))
    key = {"Idempotency-Key": f"{user}-again"}
    problem(chat.post("/query", json=body, headers=key), 502)
    assert chat.post("/query", json=body, headers=key).json()["response"] == "Yes."
    assert [message["content"] for message in messages_of(chat, user, "again")] == ["Are you there?", "Yes."]
