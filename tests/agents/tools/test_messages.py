"""What an agent's messages say, as far as they can be read."""

from typing import Any

import pytest

from agents.tools.messages import HEADING, calls_of, interactions, is_retrieved, said_in
from tests.tool_calls import call, calling, result, step, user


def found(messages: list[Any]) -> list[tuple[int, int, list[tuple[str, str, str]]]]:
    return [
        (one.start, one.end, [(each.tool_name, each.arguments, each.content) for each in one.results])
        for one in interactions(messages)
    ]


def test_a_call_and_its_result() -> None:
    [one] = interactions([user("x"), *step(1, {"a": 1}), user("y")])
    assert (one.start, one.end, one.called) == (1, 3, True)
    [each] = one.results
    assert (each.at, each.call_id, each.tool_name, each.arguments) == (2, "c1", "find", '{"n": 1}')
    assert each.content == '{"a": 1}'


def test_parallel_calls_are_matched_by_id_whatever_their_order() -> None:
    messages = [calling(call("a", "f", {"x": 1}), call("b", "g", {"y": 2})), result("b", "two"), result("a", "one")]
    assert found(messages) == [(0, 3, [("g", '{"y": 2}', "two"), ("f", '{"x": 1}', "one")])]


def test_calls_with_one_id_get_their_results_in_order() -> None:
    for name in ("a", "", None):
        calls = [call(name, "f", {"x": 1}), call(name, "g", {"y": 2})]
        results = [result(name, text) for text in ("one", "two", "three")]
        assert found([calling(*calls), *results]) == [
            (0, 4, [("f", '{"x": 1}', "one"), ("g", '{"y": 2}', "two"), ("g", '{"y": 2}', "three")])
        ]


def test_a_call_without_a_result() -> None:
    assert found([calling(call("a"), call("b")), result("b", "two")]) == [(0, 2, [("find", "{}", "two")])]
    assert found([calling(call("a"))]) == [(0, 1, [])]
    assert found([calling(call("a")), user("x")]) == [(0, 1, [])]


def test_calls_to_which_nothing_came_back_are_told() -> None:
    calls = [call("a", "pay", {"sum": 9}), call("b", "look"), call("b", "look", {"n": 2})]
    [one] = interactions([calling(*calls), result("b", "x"), user("did it work?")])
    assert one.unanswered == (("pay", '{"sum": 9}'), ("look", '{"n": 2}'))
    [one] = interactions([calling(*calls), result("a", ""), result("b", ""), result("b", "")])
    assert one.unanswered == ()


def test_a_call_that_stands_twice_is_answered_twice() -> None:
    once = call("a", "look")
    [one] = interactions([calling(once, once), result("a", "x")])
    assert one.unanswered == (("look", "{}"),)
    [one] = interactions([calling(once, once), result("a", "x"), result("a", "y"), result("a", "z")])
    assert one.unanswered == () and [each.tool_name for each in one.results] == ["look"] * 3


def test_the_input_of_a_custom_tool_stands_for_arguments() -> None:
    custom = {"id": "a", "type": "custom", "custom": {"name": "python", "input": "print(1)"}}
    assert found([calling(custom), result("a", "1")])[0][2] == [("python", "print(1)", "1")]
    assert said_in(calling(custom)) == "\npython print(1)"


def test_openais_former_functions_are_calls_too() -> None:
    called = {"role": "assistant", "content": None, "function_call": {"name": "weather", "arguments": "{}"}}
    came = {"role": "function", "name": "weather", "content": "22 degrees"}
    assert found([user("x"), called, came]) == [(1, 3, [("weather", "{}", "22 degrees")])]


def test_results_without_their_calls_are_read_still() -> None:
    named = result("z", "x") | {"name": "lost"}
    [one] = interactions([result("y", "v"), named, user("x")])
    assert (one.start, one.end, one.called) == (0, 2, False)
    assert [each.tool_name for each in one.results] == ["tool", "lost"]
    assert found([calling(call("a")), named]) == [(0, 2, [("lost", "", "x")])]


def test_content_in_parts_is_read_as_text_and_other_parts_by_their_type() -> None:
    parts = [
        {"type": "text", "text": "one"},
        {"type": "image_url", "image_url": {"url": "x"}},
        {"type": "text", "text": "two"},
    ]
    message = {"role": "tool", "tool_call_id": "a", "content": parts}
    assert found([calling(call("a")), message])[0][2] == [("find", "{}", "one\n[image]\ntwo")]


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


def test_halves_of_characters_are_replaced() -> None:
    messages = [calling(call("a\ud800", "f\ud800", '"\ud800"')), result("a\ud800", "x\udc00")]
    assert found(messages) == [(0, 2, [("f\ufffd", '"\ufffd"', "x\ufffd")])]
    assert interactions(messages)[0].results[0].call_id == "a\ufffd"


def test_what_a_message_says_are_its_text_and_its_calls() -> None:
    both = calling(call("a", "f", "{}"), call("b", "g", "[]"), content="Let me see")
    assert said_in(both) == "Let me see\nf {}\ng []"
    assert said_in({"role": "assistant"}) == ""


def test_the_message_that_holds_records_is_known_by_its_heading() -> None:
    assert is_retrieved({"role": "system", "content": f"{HEADING}\nx"})
    assert not is_retrieved({"role": "user", "content": HEADING})
    assert not is_retrieved({"role": "system", "content": f"x {HEADING}"})
    assert HEADING == "## Retrieved Context from Previous Steps"
