"""What an agent's messages say, as far as they can be read."""

from typing import Any

import pytest

from agents.tools.messages import HEADING, calls_of, interactions, is_retrieved, said_in
from tests.tool_calls import Message, call, calling, result, step, user


def found(messages: list[Any]) -> list[tuple[int, int, list[tuple[str, str, str]]]]:
    return [
        (one.start, one.end, [(each.tool_name, each.arguments, each.content) for each in one.results])
        for one in interactions(messages)
    ]


CALLED_OF_OLD = {"role": "assistant", "content": None, "function_call": {"name": "sun", "arguments": "{}"}}
CAME_OF_OLD = {"role": "function", "name": "sun", "content": "22"}
CUSTOM = {"id": "a", "type": "custom", "custom": {"name": "python", "input": "print(1)"}}
BOTH = calling(call("a", "f", {"x": 1}), call("b", "g", {"y": 2}))
NAMED = result("z", "x") | {"name": "lost"}
IMAGE = [{"type": "text", "text": "one"}, {"type": "image_url", "image_url": {"url": "x"}}, {"text": "two"}]


@pytest.mark.parametrize(
    ("messages", "interactions"),
    [
        ([user("x"), *step(1, {"a": 1}), user("y")], [(1, 3, [("find", '{"n": 1}', '{"a": 1}')])]),
        ([BOTH, result("b", "2"), result("a", "1")], [(0, 3, [("g", '{"y": 2}', "2"), ("f", '{"x": 1}', "1")])]),
        ([calling(call("a"), call("b")), result("b", "two")], [(0, 2, [("find", "{}", "two")])]),
        ([calling(call("a"))], [(0, 1, [])]),
        ([calling(call("a")), user("x")], [(0, 1, [])]),
        ([calling(CUSTOM), result("a", "1")], [(0, 2, [("python", "print(1)", "1")])]),
        ([user("x"), CALLED_OF_OLD, CAME_OF_OLD], [(1, 3, [("sun", "{}", "22")])]),
        ([result("y", "v"), NAMED, user("x")], [(0, 2, [("tool", "", "v"), ("lost", "", "x")])]),
        ([calling(call("a")), NAMED], [(0, 2, [("lost", "", "x")])]),
        ([calling(call("a")), result("a", "") | {"content": IMAGE}], [(0, 2, [("find", "{}", "one\n[image]\ntwo")])]),
        ([calling(call("a\ud800", "f\ud800", '"\ud800"')), result("a\ud800", "x\udc00")],
         [(0, 2, [("f\ufffd", '"\ufffd"', "x\ufffd")])]),
    ],
)  # fmt: skip
def test_calls_and_their_results_are_read(messages: list[Message], interactions: list[Any]) -> None:
    assert found(messages) == interactions


@pytest.mark.parametrize("name", ["a", "", None])
def test_calls_with_one_id_get_their_results_in_order(name: str | None) -> None:
    calls = [call(name, "f", {"x": 1}), call(name, "g", {"y": 2})]
    results = [result(name, text) for text in ("one", "two", "three")]
    assert found([calling(*calls), *results]) == [
        (0, 4, [("f", '{"x": 1}', "one"), ("g", '{"y": 2}', "two"), ("g", '{"y": 2}', "three")])
    ]


LOOK = call("b", "look")
THREE = calling(call("a", "pay", {"sum": 9}), LOOK, call("b", "look", {"n": 2}))


@pytest.mark.parametrize(
    ("messages", "unanswered"),
    [
        ([THREE, result("b", "x"), user("did it work?")], (("pay", '{"sum": 9}'), ("look", '{"n": 2}'))),
        ([THREE, result("a", ""), result("b", ""), result("b", "")], ()),
        ([calling(LOOK, LOOK), result("b", "x")], (("look", "{}"),)),  # a call that stands twice is answered twice
        ([calling(LOOK, LOOK), result("b", "x"), result("b", "y"), result("b", "z")], ()),
    ],
)
def test_calls_to_which_nothing_came_back_are_told(messages: list[Message], unanswered: tuple[Any, ...]) -> None:
    [one] = interactions(messages)
    assert one.unanswered == unanswered


def test_a_result_has_the_place_and_the_id_of_its_message() -> None:
    [one] = interactions([user("x"), *step(1)])
    assert one.called and (one.results[0].at, one.results[0].call_id) == (2, "c1")
    [one] = interactions([result("y\ud800", "v"), user("x")])
    assert not one.called and one.results[0].call_id == "y\ufffd"


@pytest.mark.parametrize("content", [None, 7, {"a": 1}, [], ["x"], [{"text": 5}]])
def test_content_of_another_kind_says_nothing(content: Any) -> None:
    message = {"role": "tool", "tool_call_id": "a", "content": content}
    assert found([calling(call("a")), message])[0][2] == [("find", "{}", "")]
    assert said_in({"role": "user", "content": content}) == ""


@pytest.mark.parametrize("calls", [None, "x", 7, {}, [], [1, None, "x"]])
def test_calls_of_another_kind_are_none(calls: Any) -> None:
    assert calls_of({"role": "assistant", "tool_calls": calls}) == []
    assert interactions([{"role": "assistant", "tool_calls": calls}]) == []


def test_calls_that_say_little_are_calls_still() -> None:
    odd: list[Any] = [{"id": 5, "function": 7}, {"function": {"name": 3, "arguments": {"a": 1}}}, {}]
    message = {"role": "assistant", "tool_calls": odd}
    assert found([message, result(5, "x"), {"role": "tool"}]) == [(0, 3, [("tool", "", "x"), ("tool", "", "")])]
    assert calls_of({"role": "user", "tool_calls": odd}) == []


def test_what_a_message_says_are_its_text_and_its_calls() -> None:
    both = calling(call("a", "f", "{}"), call("b", "g", "[]"), content="Let me see")
    assert said_in(both) == "Let me see\nf {}\ng []"
    assert said_in({"role": "assistant"}) == ""
    assert said_in(calling(CUSTOM)) == "\npython print(1)"


def test_the_message_that_holds_records_is_known_by_its_heading() -> None:
    assert is_retrieved({"role": "system", "content": f"{HEADING}\nx"})
    assert not is_retrieved({"role": "user", "content": HEADING})
    assert not is_retrieved({"role": "system", "content": f"x {HEADING}"})
    assert HEADING == "## Retrieved Context from Previous Steps"
