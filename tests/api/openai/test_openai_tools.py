"""The proxy passes an agent's history on with the results of its tools packed."""

import json
import logging
from typing import Any

import httpx
import openai
import pytest
from openai import OpenAI

from tests.openai_chat import PARROT, ask, last_chat, said, stored
from tests.scripted_model import ScriptedModel, answer, status
from tests.tool_calls import BOOK, Message, context, result, step, steps, user

HISTORY: list[Message] = [{"role": "system", "content": "Be brief."}, user(BOOK), *steps(4)]
DULL = "lorem ipsum dolor sit amet " * 40
TOOL = {"type": "function", "function": {"name": "find", "parameters": {"type": "object", "properties": {}}}}


def go_on(client: OpenAI, memory: str, messages: list[Any], **more: Any) -> Any:
    fields = {"memory_id": memory, "memory_strategy": "tool_memory", **more.pop("fields", {})}
    return client.chat.completions.create(model="gpt-test", messages=messages, extra_body=fields, **more)


def passed_on(model: ScriptedModel) -> list[Message]:
    messages: list[Message] = last_chat(model).body["messages"]
    return messages


def traces(chat: httpx.Client, task: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = chat.get("/v1/tool-memory/records", params={"task_id": task}).json()["items"]
    return items


def test_the_history_is_passed_on_with_results_packed(
    client: OpenAI, chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    model.script(answer("Booked."))
    found = go_on(client, user, HISTORY)
    assert found.choices[0].message.content == "Booked."
    sent = passed_on(model)
    assert [one["role"] for one in sent] == ["system", "user", "system", "assistant", "tool"]
    assert sent[:2] == HISTORY[:2] and sent[3:] == HISTORY[-2:]
    assert all(f"HAT{at:03}" in context(sent) for at in range(3))
    assert {one["tool_call_id"] for one in traces(chat, user)} == {"c0", "c1", "c2", "c3"}


def test_a_stream_is_passed_on_so_too(client: OpenAI, model: ScriptedModel, user: str) -> None:
    model.script(answer("All is booked."))
    pieces = [
        chunk.choices[0].delta.content or "" for chunk in go_on(client, user, HISTORY, stream=True) if chunk.choices
    ]
    assert "".join(pieces) == "All is booked." and len(pieces) > 2
    assert last_chat(model).body["stream"] is True
    assert "HAT001" in context(passed_on(model))


def test_other_fields_of_the_request_are_untouched(client: OpenAI, model: ScriptedModel, user: str) -> None:
    more = {"temperature": 0.3, "seed": 7, "tools": [TOOL], "tool_choice": "auto", "parallel_tool_calls": False}
    go_on(client, user, HISTORY, fields={"odd": {"a": [1]}}, **more)
    body = last_chat(model).body
    assert body | {"messages": None} == {"model": "gpt-test", "messages": None, "odd": {"a": [1]}, **more}
    assert [key for key in body if key.startswith("memory")] == []


def test_each_step_keeps_its_results_once(client: OpenAI, chat: httpx.Client, model: ScriptedModel, user: str) -> None:
    for count in range(5):
        go_on(client, user, HISTORY[: 2 + 2 * count])
        assert len(traces(chat, user)) == count
    assert [one["step_id"] for one in traces(chat, user)] == [5, 4, 3, 2]
    assert stored(chat, user)[0] == ("user", BOOK)


def test_records_go_with_the_conversation_and_an_agents_own_task_stays(
    client: OpenAI, chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    model.script(answer("Booked."), answer("Booked."))
    go_on(client, user, HISTORY)
    own = f"{user}-own"
    kept = chat.post("/v1/tool-memory/records", json={"task_id": own, "tool_name": "find", "raw_output": "x"})
    assert kept.status_code == 201 and len(traces(chat, user)) == 4
    stored(chat, user)
    assert chat.delete(f"/v1/sessions/{user}").json()["deleted"]["traces"] == 4
    assert traces(chat, user) == []
    chat.delete(f"/v1/sessions/{own}")
    assert len(traces(chat, own)) == 1


def test_a_request_without_results_goes_on_as_it_came(client: OpenAI, model: ScriptedModel, user: str) -> None:
    go_on(client, user, HISTORY)
    go_on(client, user, said(BOOK))  # what is known of other requests is not told, nor is what was said
    assert passed_on(model) == said(BOOK)


@pytest.mark.parametrize(
    "fields", [{"memory_top_k": 0}, {"memory_strategy": "none"}, {"memory_strategy": "none", "memory_top_k": 5}]
)
def test_a_request_that_wants_no_memory_goes_on_as_it_came(
    client: OpenAI, chat: httpx.Client, model: ScriptedModel, user: str, fields: dict[str, Any]
) -> None:
    go_on(client, user, HISTORY, fields=fields)
    assert passed_on(model) == HISTORY
    assert traces(chat, user) == []


def test_top_k_says_how_many_records_are_retrieved(client: OpenAI, model: ScriptedModel, user: str) -> None:
    messages = [
        HISTORY[1],
        *(one for at in range(6) for one in step(at, {f"field{at}": "HAT136", f"note{at}": 3 * DULL})),
        *step(9),
    ]
    for fields, count in (({}, 3), ({"memory_top_k": 1}, 1), ({"memory_top_k": 9}, 6)):
        go_on(client, user, messages, fields=fields)
        assert context(passed_on(model)).count("[RETRIEVED RECORD") == count


def test_nothing_of_what_was_said_is_recalled(client: OpenAI, model: ScriptedModel, user: str) -> None:
    ask(client, user, PARROT)
    found = go_on(client, user, [HISTORY[0], *said("What is the name of my parrot?"), *steps(2)])
    assert "Archimedes" not in str(passed_on(model))
    assert found.model_extra.get("memory_hits", []) == []


def test_what_a_provider_refuses_is_kept_still(
    client: OpenAI, chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    model.script(status(500))
    with pytest.raises(openai.InternalServerError):
        go_on(client, user, HISTORY)
    assert len(traces(chat, user)) == 4


def test_what_no_store_could_keep_is_passed_on(
    client: OpenAI, chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    output = '\x1b[31m\x00 {"a": NaN} 😀 {"b": 123456789012345678901234567890}'
    raw = json.dumps(
        {
            "model": "gpt-test",
            "memory_id": user,
            "memory_strategy": "tool_memory",
            "messages": [HISTORY[1], *step(1, f"half \ud800 {output}"), *step(2, f"half \ud800 {output}")],
        }
    )
    found = chat.post("/v1/chat/completions", content=raw, headers={"content-type": "application/json"})
    assert found.status_code == 200, found.text
    assert passed_on(model)[-1] == result("c2", f"half \ud800 {output}")
    trace = traces(chat, user)[0]
    kept = chat.get(f"/v1/tool-memory/records/{trace['trace_id']}").json()
    assert kept["raw_output"] == {"_raw": f"half \ufffd {output}"}


def test_another_strategy_is_refused(client: OpenAI, user: str) -> None:
    with pytest.raises(openai.BadRequestError):
        go_on(client, user, HISTORY, fields={"memory_strategy": "magic"})


def test_records_of_other_conversations_stay_out(client: OpenAI, model: ScriptedModel, user: str, other: str) -> None:
    go_on(client, user, HISTORY)
    go_on(client, other, [HISTORY[1], *step(8, {"code": "HAT008", "note": DULL}), *step(9)])
    assert "HAT008" in context(passed_on(model)) and "HAT001" not in str(passed_on(model))


def test_what_the_agent_said_before_does_not_matter(
    client: OpenAI, model: ScriptedModel, user: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        go_on(client, user, [*HISTORY, {"role": "assistant", "content": "Done."}, *said("Thanks! And back?")])
    assert passed_on(model)[-2:] == [{"role": "assistant", "content": "Done."}, *said("Thanks! And back?")]
    assert caplog.records == []
