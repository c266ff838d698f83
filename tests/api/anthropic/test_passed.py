"""Anthropic's Messages where the provider has this API itself."""

from typing import Any

import anthropic
import httpx
import pytest
from anthropic import Anthropic

from tests.api.anthropic.messages_client import TOOL, ask, kinds, last_asked
from tests.checks import eventually
from tests.openai_chat import PARROT, QUESTION, stored
from tests.scripted_model import Behaviour, ScriptedModel, answer, calling, cut, stalled

MESSAGE = {"model": "claude-test", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi there."}]}


def last_request(model: ScriptedModel) -> Any:
    return [request for request in model.requests if request.kind == "messages"][-1]


def test_a_request_goes_through_as_it_came_but_for_memory(passing_client: Anthropic, claude: ScriptedModel) -> None:
    claude.script(answer("Noted."), answer("Archimedes."), on="messages")
    ask(passing_client, PARROT)
    system = [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral", "ttl": "1h"}}]
    more: Any = {
        "system": system,
        "thinking": {"type": "enabled", "budget_tokens": 2000},
        "tools": [TOOL, {"type": "web_search_20260318", "name": "web_search"}],
        "extra_body": {"odd": [1, None]},
        "extra_headers": {"anthropic-beta": "odd-2026", "x-api-key": "sk-ant-mine"},
        "extra_query": {"beta": "true"},
    }
    made = ask(passing_client, QUESTION, **more)
    request = last_request(claude)
    assert request.body["messages"][0]["content"][1] == {"type": "text", "text": QUESTION}
    assert PARROT in request.body["messages"][0]["content"][0]["text"] and len(request.body["messages"]) == 1
    assert request.body["system"] == system and request.body["tools"] == more["tools"]
    assert (request.body["odd"], request.body["thinking"]) == ([1, None], more["thinking"])
    assert request.headers["anthropic-beta"] == "odd-2026" and request.headers["anthropic-version"] > "2023"
    assert request.headers["x-api-key"] == "sk-ant-mine" and "x-loci-user" not in request.headers
    assert request.path == "/v1/messages?beta=true"
    assert [block.type for block in made.content] == ["thinking", "text"] and made.content[0].signature == "signed"
    assert made.odd == {"kept": True} and [hit["content"] for hit in made.memory_hits] == [PARROT]


def test_where_there_is_nothing_to_know_no_byte_changes(passed: httpx.Client, claude: ScriptedModel) -> None:
    claude.script(Behaviour(raw=b'{"type": "message", "content": [ ], "n":1e2}'), on="messages")
    raw = b'{"model":"m", "max_tokens":  9,"messages":[{"content":"Hi","role":"user"}],"big":1e400, "memory": null}'
    found = passed.post("/anthropic/v1/messages", content=raw, headers={"content-type": "application/json"})
    assert found.is_success, found.text
    assert last_asked(claude, "messages")["big"] == float("inf")
    assert int(last_request(claude).headers["content-length"]) == len(raw)
    headers = last_request(claude).headers
    assert headers["x-api-key"] == "sk-ant-test"  # the settings', for it sent none
    assert headers["anthropic-version"] == "2023-06-01"


@pytest.mark.parametrize("name", ["x-api-key", "authorization"])
def test_a_clients_own_key_goes_on_where_it_stood(passed: httpx.Client, claude: ScriptedModel, name: str) -> None:
    key = "sk-ant-mine" if name == "x-api-key" else "Bearer sk-ant-mine"
    assert passed.post("/anthropic/v1/messages", json=MESSAGE, headers={name: key}).is_success
    sent = last_request(claude).headers
    assert sent[name] == key and len({"x-api-key", "authorization"} & sent.keys()) == 1


def test_a_stream_goes_through_and_its_end_waits_until_all_is_kept(
    passing_client: Anthropic, passed: httpx.Client, claude: ScriptedModel
) -> None:
    claude.script(answer("A fine name."), on="messages")
    thinking: Any = {"type": "adaptive"}
    said: Any = [{"role": "user", "content": PARROT}]
    with passing_client.messages.stream(
        model="m", max_tokens=9, messages=said, thinking=thinking, extra_headers={"X-Loci-Session": "kept"}
    ) as stream:
        events = list(stream)
        final: Any = stream.get_final_message()
    block = ["content_block_start", "content_block_delta", "content_block_stop"]
    assert kinds(events) == ["message_start", *block, *block, "message_delta", "message_stop"]
    assert final.content[0].signature == "signed" and final.content[1].text == "A fine name."
    assert stored(passed, "kept") == [("user", PARROT), ("assistant", "A fine name.")]


@pytest.mark.parametrize("streamed", [True, False])
def test_a_tool_loop_is_one_turn(
    passing_client: Anthropic, passed: httpx.Client, claude: ScriptedModel, streamed: bool
) -> None:
    claude.script(calling("weather", "Let me see.", city="Turin"), answer("It rains."), on="messages")
    before: Any = [{"role": "user", "content": "How is the weather in Turin?"}]
    asked: Any = {"model": "m", "max_tokens": 9, "messages": before, "tools": [TOOL]}
    if streamed:
        with passing_client.messages.stream(**asked) as stream:
            first: Any = stream.get_final_message()
    else:
        first = passing_client.messages.create(**asked)
    call = first.content[-1]
    before.append({"role": "assistant", "content": [block.model_dump(exclude_none=True) for block in first.content]})
    result = {"type": "tool_result", "tool_use_id": call.id, "content": "rain"}
    assert ask(passing_client, [result], before, tools=[TOOL]).content[-1].text == "It rains."
    assert last_asked(claude, "messages")["messages"][-1]["content"] == [result]
    [session] = passed.get("/v1/sessions").json()["items"]
    assert stored(passed, session["id"]) == [("user", before[0]["content"]), ("assistant", "It rains.")]


def test_an_error_comes_as_it_came(passing_client: Anthropic, claude: ScriptedModel) -> None:
    raw = b'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}'
    claude.script(Behaviour(529, raw, (("request-id", "req_1"), ("retry-after", "7"))), on="messages")
    with pytest.raises(anthropic.APIStatusError, match="Overloaded") as refused:
        ask(passing_client, PARROT)
    assert refused.value.response.content == raw and refused.value.request_id == "req_1"
    assert refused.value.response.headers["retry-after"] == "7"


def test_a_stream_that_breaks_off_ends_in_an_error(passing_client: Anthropic, claude: ScriptedModel) -> None:
    claude.script(cut(5), on="messages")
    with pytest.raises(anthropic.APIStatusError, match=r"broke off|ended before"):
        _ = [*ask(passing_client, PARROT, stream=True)]


def test_what_a_client_heard_before_it_left_is_kept(
    passing_client: Anthropic, passed: httpx.Client, claude: ScriptedModel
) -> None:
    claude.script(stalled(5), on="messages")
    with ask(passing_client, PARROT, stream=True, extra_headers={"X-Loci-Session": "left"}) as stream:
        for event in stream:
            if event.type == "content_block_delta":
                break
    eventually(lambda: len(stored(passed, "left")) == 2)


def test_the_provider_counts_and_lists(passing_client: Anthropic, claude: ScriptedModel) -> None:
    said: Any = [{"role": "user", "content": PARROT}]
    assert passing_client.messages.count_tokens(model="m", messages=said).input_tokens == 42
    assert [one.id for one in passing_client.models.list()] == ["scripted"]
    assert [request.path for request in claude.requests] == ["/v1/messages/count_tokens", "/v1/models"]


def test_compressing_is_refused_in_words(passed: httpx.Client, claude: ScriptedModel) -> None:
    found = passed.post("/anthropic/v1/messages", json=MESSAGE | {"memory_strategy": "tool_memory"})
    assert found.status_code == 400 and "chat completions" in found.json()["error"]["message"] and not claude.requests
