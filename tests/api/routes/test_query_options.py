"""`/query`: how the caller wants the model to be asked."""

from typing import Any

import httpx
import pytest

from tests.api.queries import ask, stream
from tests.checks import problem
from tests.scripted_model import ScriptedModel, status

OPTIONS = {"temperature", "max_tokens", "max_completion_tokens", "reasoning_effort"}
ALL = {"temperature": 0.5, "max_tokens": 7, "reasoning_effort": "low"}


def sent(model: ScriptedModel) -> dict[str, Any]:
    return {name: value for name, value in model.asked("chat")[-1].items() if name in OPTIONS}


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    "options", [{}, ALL, {"temperature": 0}, {"temperature": 2}, {"max_tokens": 1}, {"reasoning_effort": "none"}]
)
def test_options_go_to_the_provider_as_they_are(
    chat: httpx.Client, model: ScriptedModel, user: str, streamed: bool, options: dict[str, Any]
) -> None:
    if streamed:
        with stream(chat, user, "Hello", model="gpt-5", **options) as events:
            assert list(events)[-1][0] == "done"
    else:
        ask(chat, user, "Hello", model="gpt-5", **options)
    assert sent(model) == options
    assert model.asked("chat")[-1]["model"] == "gpt-5"


def test_a_temperature_that_the_provider_refuses_is_told_every_time(
    chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    for _ in range(2):
        model.script(status(400, param="temperature"))
        body = {"query": "Hello", "user_id": user, "temperature": 1.5, "model": "o9"}
        assert "it does not take temperature" in problem(chat.post("/query", json=body), 502)["detail"]
        assert len(model.asked("chat")) == 1
        model.requests.clear()


def test_a_length_goes_under_the_name_that_the_provider_takes(
    chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    model.script(status(400, param="max_tokens"))
    ask(chat, user, "Hello", max_tokens=70, model="o8")
    assert sent(model) == {"max_completion_tokens": 70}


@pytest.mark.parametrize(
    "wrong",
    [
        {"temperature": -0.1},
        {"temperature": 2.1},
        {"temperature": "1"},
        {"temperature": True},
        {"max_tokens": 0},
        {"max_tokens": 1.5},
        {"max_tokens": True},
        {"reasoning_effort": "much"},
        {"reasoning_effort": ""},
        {"top_p": 1},
    ],
)
def test_what_no_provider_takes_is_refused(
    chat: httpx.Client, model: ScriptedModel, user: str, wrong: dict[str, Any]
) -> None:
    told = problem(chat.post("/query", json={"query": "Hello", "user_id": user, **wrong}), 422)
    assert told["errors"][0]["loc"][:2] == ["body", *wrong]
    assert not model.asked("chat")


def test_what_answers_cost_is_in_the_metrics(chat: httpx.Client, user: str) -> None:
    ask(chat, user, "Hello")
    assert 'loci_model_tokens_total{direction="in",purpose="answer"}' in chat.get("/metrics").text


def test_rules_take_no_notice_of_them(api: httpx.Client, user: str) -> None:
    assert ask(api, user, "Hello", **ALL)["model"] == "rule_based"
