"""Histories that no provider takes are refused by the place of what is wrong."""

from typing import Any

import pytest

from agents.memory import Memory
from agents.tools.history import check_history
from agents.tools.memory import Compressing
from tests.tool_calls import BOOK, Message, call, calling, result, step, user
from utils.errors import InvalidInput

NO_ID = {"type": "function", "function": {"name": "f", "arguments": "{}"}}
SHELL = {"id": "a", "type": "custom", "custom": {"name": "sh", "input": "ls"}}
OF_OLD = {"role": "assistant", "function_call": {"name": "f", "arguments": {}}}
NO_INPUT = {"id": "a", "custom": {"name": "f", "input": {"q": 1}}}
ASKED = [user(BOOK), *step(1)]


def odd(**function: Any) -> Message:
    return calling({"id": "a", "type": "function", "function": {"name": "f", **function}})


@pytest.mark.parametrize(
    ("messages", "place"),
    [
        ("x", "messages: "),
        (None, "messages: "),
        (["x"], "messages.0: "),
        ([{"role": "robot", "content": "x"}], "messages.0.role: "),
        ([{"role": "user"}], "messages.0.content: "),
        ([{"role": "user", "content": None}], "messages.0.content: "),
        ([*ASKED, calling(call("a")), result("b", "x")], "messages.4.tool_call_id: none of the calls"),
        ([*ASKED, calling(call("a")), result("c1", "x")], "messages.4.tool_call_id: none of the calls"),
        ([*ASKED, calling(call("a")), result("a", "x"), result("a", "y")], "messages.5.tool_call_id: the call"),
        ([*ASKED, calling(NO_ID)], "messages.3.tool_calls.0.id"),
        ([*ASKED, odd(arguments={"q": 1})], "messages.3.tool_calls.0.function.arguments: "),
        ([*ASKED, odd(arguments=None)], "messages.3.tool_calls.0.function.arguments: "),
        ([OF_OLD], "messages.0.function_call.arguments: "),
        ([{"role": "assistant", "tool_calls": [NO_INPUT]}], "messages.0.tool_calls.0.custom"),
    ],
)  # fmt: skip
async def test_what_no_provider_takes_is_refused_by_its_place(quiet: Memory, messages: Any, place: str) -> None:
    asked = Compressing("ann", "t", messages, quiet.tool_memory.options)
    with pytest.raises(InvalidInput, match=place.replace(".", r"\.")):
        await quiet.tool_memory.compress(asked)
    assert await quiet.engine.tools.traces.page("ann", limit=9, after=None, task_id="t") == []


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [result("z", "lost"), user(BOOK), *step(1)],
        [*ASKED, user("x"), result("z", "lost")],
        [user(BOOK), calling(call("a"), call("a")), result("a", "one"), result("a", "two")],
        [user(BOOK), calling(call("a"), call("b")), result("b", "two"), user("Go on"), calling(call("a"))],
        [user(BOOK), calling(SHELL), result("a", "x")],
        [
            {"role": "assistant", "content": "hi", "tool_calls": None},
            {"role": "function", "name": "f", "content": None},
        ],
    ],
)
def test_what_providers_take_or_what_views_mend_passes(messages: list[Message]) -> None:
    check_history(messages)
    check_history(tuple(messages))
