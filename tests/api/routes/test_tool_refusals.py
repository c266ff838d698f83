"""Requests of the tool memory: what is none, and what of odd content is one."""

from typing import Any

import httpx
import pytest

from tests.api.tool_requests import HISTORY, PATH, add, compress, listed
from tests.checks import problem
from tests.tool_calls import Message, result, step


def called_with(arguments: Any) -> Message:
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


@pytest.mark.parametrize(
    "changed",
    [
        {"task_id": None},
        {"task_id": ""},
        {"task_id": "a/b"},
        {"task_id": "a\x00b"},
        {"messages": "x"},
        {"messages": [{"content": "x"}]},
        {"messages": [{"role": 5}]},
        {"messages": ["x"]},
        {"top_k": 0},
        {"top_k": "3"},
        {"top_k": 51},
        {"max_chars_per_record": 99},
        {"budget_tokens": 0},
        {"budget_tokens": 1.5},
        {"query": " "},
        {"unknown": 1},
    ],
)
def test_what_is_no_request_is_refused(api: httpx.Client, user: str, changed: dict[str, Any]) -> None:
    body = {"user_id": user, "task_id": "t", "messages": HISTORY} | changed
    problem(api.post(f"{PATH}/compress", json=body), 422)
    assert listed(api, user) == []


@pytest.mark.parametrize(
    ("message", "place"),
    [
        ({"role": "zzz", "content": "x"}, "role"),
        ({"role": "user"}, "content"),
        ({"role": "user", "content": None}, "content"),
        ({"role": "user", "content": 5}, "content"),
        ({"role": "user", "content": {"text": "x"}}, "content"),
        ({"role": "user", "content": ["x"]}, "content: its part 0"),
        ({"role": "assistant", "content": None}, "content"),
        ({"role": "assistant", "content": None, "tool_calls": "x"}, "tool_calls"),
        ({"role": "assistant", "content": None, "tool_calls": [5]}, "tool_calls.0"),
        ({"role": "assistant", "content": None, "tool_calls": [{"id": "a", "function": "f"}]}, "tool_calls.0.function"),
        ({"role": "assistant", "content": None, "tool_calls": []}, "content"),
        ({"role": "assistant", "content": None, "tool_calls": [{}]}, "tool_calls.0: must name"),
        ({"role": "assistant", "content": "", "tool_calls": [{"function": {"name": None}}]}, "tool_calls.0: must name"),
        ({"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f"}}]}, "tool_calls.0.id"),
        (called_with(None), "tool_calls.0.function.arguments"),
        (called_with({"q": 1}), "tool_calls.0.function.arguments"),
        ({"role": "tool", "content": "x"}, "tool_call_id"),
        ({"role": "tool", "tool_call_id": 5, "content": "x"}, "tool_call_id"),
        ({"role": "tool", "tool_call_id": "c1", "content": {"a": 1}}, "content"),
        ({"role": "tool", "tool_call_id": "c1", "content": None}, "content"),
        (
            {"role": "tool", "tool_call_id": "c1", "content": [{"order_id": "O1"}]},
            "content: its part 0 must have a type",
        ),
    ],
)
def test_a_message_that_no_provider_takes_is_refused_by_its_place(
    api: httpx.Client, user: str, message: Message, place: str
) -> None:
    body = {"user_id": user, "task_id": "t", "messages": [HISTORY[0], message]}
    [error] = problem(api.post(f"{PATH}/compress", json=body), 422)["errors"]
    assert error["loc"] == ["body", "messages", 1] and error["msg"].startswith(place), error


@pytest.mark.parametrize(("results", "place"), [(["b"], 2), (["a", "a"], 3), (["a", "a", "a"], 3)])
def test_a_result_that_answers_no_call_is_refused_by_its_place(
    api: httpx.Client, user: str, results: list[str], place: int
) -> None:
    messages = [HISTORY[0], called_with("{}"), *(result(one, f"{at}") for at, one in enumerate(results))]
    [error] = problem(api.post(f"{PATH}/compress", json={"user_id": user, "task_id": "t", "messages": messages}), 422)[
        "errors"
    ]
    assert error["loc"] == ["body", "messages"] and error["msg"].startswith(f"{place}.tool_call_id: ")


@pytest.mark.parametrize(
    "message",
    [
        {"role": "developer", "content": "x", "x_own": {"a": [None]}},
        {"role": "user", "content": []},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,x"}}]},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "a", "type": "custom", "custom": {"name": "f"}}]},
        {"role": "assistant", "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f"}}]},
        {"role": "assistant", "content": "x", "tool_calls": None},
        {"role": "assistant", "content": None, "refusal": "no"},
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
    ],
)
def test_a_message_that_a_provider_may_take_passes(api: httpx.Client, user: str, message: Message) -> None:
    assert compress(api, user, [HISTORY[0], message])["messages"] == [HISTORY[0], message]


def test_the_result_of_a_former_function_may_be_nothing(api: httpx.Client, user: str) -> None:
    called = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}
    messages = [HISTORY[0], called, {"role": "function", "name": "f", "content": None}]
    assert compress(api, user, messages)["messages"] == messages


@pytest.mark.parametrize(
    "changed", [{"tool_name": ""}, {"tool_name": None}, {"raw_output": 2**63}, {"tool_call_id": ""}]
)
def test_what_is_no_record_is_refused(api: httpx.Client, user: str, changed: dict[str, Any]) -> None:
    body = {"user_id": user, "task_id": "t", "tool_name": "find", "raw_output": "x"}
    problem(api.post(f"{PATH}/records", json=body | changed), 400, 422)
    del body["raw_output"]
    problem(api.post(f"{PATH}/records", json=body), 422)
    assert listed(api, user) == []


@pytest.mark.parametrize(
    "raw",
    [b'{"messages": [{"role": "user", "content": NaN}]}', b'{"messages": "\\ud800"}', b"[" * 100, b'{"a": "\xff"}'],
)
def test_what_is_no_json_is_refused_here_as_elsewhere(api: httpx.Client, raw: bytes) -> None:
    headers = {"Content-Type": "application/json"}
    problem(api.post(f"{PATH}/compress", content=raw, headers=headers), 400, 422)


def test_control_characters_are_taken_of_tools_and_nowhere_else(api: httpx.Client, user: str) -> None:
    text = "\x1b[31mred\x00\x9b"
    found = compress(api, user, [*HISTORY[:1], *step(1, text), *step(2, text)])
    assert found["messages"][-1] == result("c2", text)
    assert add(api, user, text, tool_name=text, tool_call_id=text, user_query=text)["tool_name"] == text
    body: dict[str, Any]
    for path, body in (
        ("/query", {"query": text}),
        ("/v1/facts", {"text": text}),
        (f"{PATH}/compress", {"task_id": "t", "messages": HISTORY, "query": text}),
        (f"{PATH}/search", {"task_id": "t", "query": text}),
    ):
        problem(api.post(path, json={"user_id": user, **body}), 400)
    compress(api, user, HISTORY, query="of two\n\tlines")
