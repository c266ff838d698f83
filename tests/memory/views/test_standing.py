"""Standing: what still holds of what tools gave."""

from typing import Any

import pytest

from memory.views import standing as standing_module
from memory.views.standing import in_force
from tests.tool_calls import names, record


@pytest.mark.parametrize(
    "failure",
    ["Error: timed out", "Traceback (most recent call last):\n x", "", " ", {"error": "x"}, {"ok": False}, []],
)
def test_a_call_that_fails_later_takes_no_answer_away(failure: Any) -> None:
    good = record("a", "port: 8443")
    assert names(in_force([good, record("b", failure)])) == "ab"
    assert names(in_force([record("b", failure), good])) == "a"


def test_a_failure_is_told_once_where_it_is_the_same_and_beside_another_one() -> None:
    failures = [record(name, "Error: no route to host", "ping") for name in "abc"]
    assert names(in_force(failures)) == "c"
    assert names(in_force([*failures, record("d", "Error: permission denied", "ping")])) == "cd"


@pytest.mark.parametrize(
    "told",
    [
        lambda name: {"customers": [{"name": name}], "more": True},
        lambda name: [{"name": name}],
        lambda name: f"{name} 1\n{name} 2\n{name} 3",
        lambda name: {"from": name, "subject": f"of {name}", "unread": True},
        lambda name: f"Home\nShop\nHelp\nLaptop {name}\n{name}00 EUR\nHome",
        lambda name: {"state": name},
        lambda name: {"transfer_id": name},
    ],
)
def test_what_comes_next_does_not_replace_what_came_before(told: Any) -> None:
    assert names(in_force([record(name, told(name)) for name in "abc"])) == "abc"


def test_an_answer_that_comes_again_is_counted_wherever_it_came() -> None:
    polls = [record(name, text) for name, text in zip("abcd", ("up", "down", "up", "down"), strict=True)]
    assert [(one.trace_id, one.times) for one in in_force(polls)] == [("c", 2), ("d", 2)]


def test_answers_to_one_call_are_not_compared_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []
    monkeypatch.setattr(standing_module, "_stands_for", lambda *records: bool(looks.append(1)))
    polls = [record(f"{at}", f"the queue has {at} jobs") for at in range(500)]
    days = [record(f"d{at}", {"city_id": 7, "degrees": at}, day=at) for at in range(500)]
    assert in_force([*polls, *days]) == [*polls, *days]
    assert 0 < len(looks) <= 1_000 * standing_module.COMPARED


def test_what_is_shown_whole_stands_once() -> None:
    text = record("a", "\n".join(f"value_{at} = {at}" for at in range(20)), "read_file", path="f.py")
    again = record("b", text.raw_output, "read_file", path="f.py")
    assert in_force([text], [again]) == []
    edited = record("b", text.raw_output.replace("value_7 = 7", "value_7 = 8"), "read_file", path="f.py")
    assert in_force([text], [edited]) == []
    assert names(in_force([text], [record("b", "Error: timeout", "read_file", path="f.py")])) == "a"


ORDER = {"order_id": "W1", "to": "Ann", "items": ["lamp"], "state": "open"}
WEATHER = {"city_id": 7, "degrees": 20}


@pytest.mark.parametrize(
    ("former", "later", "left"),
    [
        (record("a", ORDER, id="W1"), record("b", ORDER | {"state": "paid", "sum": 3}, "pay", order="W1"), "b"),
        (record("a", ORDER, id="W1"), record("b", ORDER | {"state": "paid", "items": []}, id="W1"), "b"),
        (record("a", ORDER, id="W1"), record("b", {"order_id": "W1", "state": "paid"}, id="W1"), "ab"),  # says less
        (record("a", ORDER), record("b", ORDER | {"order_id": "W2"}, "pay"), "ab"),
        (record("a", ORDER, id="W1"), record("b", ORDER | {"state": None, "error": "timeout"}, id="W1"), "ab"),
        (record("a", {"id": 1, "name": "Ann", "state": "on"}, "get_user"),
         record("b", {"id": 1, "name": "Apollo", "state": "late", "sum": 9}, "get_project"), "ab"),
        (record("a", WEATHER, day="a"), record("b", WEATHER, day="b"), "ab"),
        (record("a", {"user_id": 7, "order_id": 1}, n=1), record("b", {"user_id": 7, "order_id": 2}, n=2), "ab"),
        (record("a", {"id": None}, n=1), record("b", {"id": {"x": 1}}, n=2), "ab"),
        (record("a", {"sum": 1}, n=1), record("b", {"sum": 2}, n=2), "ab"),
    ],
)  # fmt: skip
def test_a_later_state_of_a_thing_replaces_the_one_before(former: Any, later: Any, left: str) -> None:
    assert names(in_force([former, later])) == left
    assert names(in_force([former], [later])) == left.removesuffix("b")


def test_what_another_tool_or_another_call_gave_stays() -> None:
    first, other = record("a", "the port 8443 is open", n=1, m=2), record("b", "x", n=2)
    assert names(in_force([first, other, record("c", "the port 8443 is open", m=2, n=1)])) == "bc"
    assert names(in_force([first, record("b", "the port 8443 is open", tool="find", n=1, m=2)])) == "ab"


def test_a_file_that_has_changed_a_little_stands_once() -> None:
    lines = [f"line {at}" for at in range(20)]
    assert names(in_force([record("a", "\n".join(lines)), record("b", "\n".join([*lines, "more"]))])) == "b"
