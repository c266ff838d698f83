"""Standing: what still holds of what tools gave."""

from typing import Any

import pytest

from memory.views import standing as standing_module
from memory.views.records import Record
from memory.views.standing import in_force
from tests.tool_calls import names, record


def test_of_calls_that_give_nearly_the_same_the_last_is_in_force() -> None:
    first, other = record("a", "the port 8443 is open", n=1, m=2), record("b", "x", n=2)
    again = Record("c", "get", '{"m":2,"n":1}', "the port 8444 is open")
    assert names(in_force([first, other, again])) == "bc"
    assert [one.times for one in in_force([first, other, again])] == [1, 1]  # it was not so twice
    assert names(in_force([first, record("b", "the port 8443 is open", tool="find", n=1, m=2)])) == "ab"


@pytest.mark.parametrize(
    "failure",
    ["Error: timed out", "Traceback (most recent call last):\n x", "", " ", {"error": "x"}, {"ok": False}, []],
)
def test_a_call_that_fails_later_takes_no_answer_away(failure: Any) -> None:
    good = record("a", "port: 8443")
    assert names(in_force([good, record("b", failure)])) == "ab"
    assert [one.times for one in in_force([good, record("b", failure)])] == [1, 1]
    assert names(in_force([record("b", failure), good])) == "a"


def test_pages_that_are_asked_for_alike_all_stay() -> None:
    pages = [record(name, {"customers": [{"name": name}], "more": True}) for name in "abc"]
    assert names(in_force(pages)) == "abc"
    assert names(in_force([record(name, [{"name": name}]) for name in "abc"])) == "abc"
    assert names(in_force([record(name, f"{name} 1\n{name} 2\n{name} 3") for name in "abc"])) == "abc"


def test_a_file_that_has_changed_a_little_stands_once() -> None:
    lines = [f"line {at}" for at in range(20)]
    assert names(in_force([record("a", "\n".join(lines)), record("b", "\n".join([*lines, "more"]))])) == "b"
    order = {"ref": "W1", "state": "open", "sum": 9, "to": "Ann", "by": "Bob"}
    assert names(in_force([record("a", order), record("b", order | {"state": "paid"})])) == "b"


def test_what_comes_next_does_not_replace_what_came_before() -> None:
    mails = [record(name, {"from": name, "subject": f"of {name}", "unread": True}) for name in "abc"]
    assert names(in_force(mails)) == "abc"
    pages = [record(name, f"Home\nShop\nHelp\nLaptop {name}\n{name}00 EUR\nHome") for name in "abc"]
    assert names(in_force(pages)) == "abc"
    assert names(in_force([record("a", {"state": "up"}), record("b", {"state": "down"})])) == "ab"


def test_an_answer_that_comes_again_is_counted_wherever_it_came() -> None:
    polls = [record(name, text) for name, text in zip("abcd", ("up", "down", "up", "down"), strict=True)]
    assert [(one.trace_id, one.times) for one in in_force(polls)] == [("c", 2), ("d", 2)]


def test_states_of_one_thing_are_not_compared_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []
    monkeypatch.setattr(standing_module, "_is_newer", lambda *records: bool(looks.append(1)))
    in_force([record(f"{at}", {"city_id": 7, "degrees": at}, day=at) for at in range(500)])
    assert 0 < len(looks) <= 500 * standing_module.COMPARED


def test_answers_to_one_call_are_not_compared_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []
    monkeypatch.setattr(standing_module, "_stands_for", lambda *records: bool(looks.append(1)))
    polls = [record(f"{at}", f"the queue has {at} jobs") for at in range(500)]
    assert in_force(polls) == polls
    assert 0 < len(looks) <= 500 * standing_module.COMPARED


def test_equal_calls_that_made_different_things_are_all_in_force() -> None:
    paid = [record(name, {"transfer_id": name}, "pay", to="bob") for name in "ab"]
    assert names(in_force(paid)) == "ab"


def test_a_later_state_of_a_thing_replaces_the_one_before() -> None:
    told = {"order_id": "W1", "to": "Ann", "items": ["lamp"], "state": "open"}
    old, new = record("a", told, id="W1"), record("b", told | {"state": "paid", "sum": 3}, "pay", order="W1")
    assert names(in_force([old, new])) == "b"
    assert names(in_force([new, old])) == "ba"  # the later one says less
    assert names(in_force([old], [new])) == ""
    assert names(in_force([old], [record("c", told | {"order_id": "W2"}, "pay")])) == "a"
    assert names(in_force([old, record("b", {"order_id": "W1", "state": "paid"}, id="W1")])) == "ab"


def test_what_other_tools_tell_of_something_of_that_id_replaces_nothing() -> None:
    user = record("a", {"id": 1, "name": "Ann", "status": "active"}, "get_user", id=1)
    project = record("b", {"id": 1, "name": "Apollo", "status": "late", "budget": 100}, "get_project", id=1)
    assert names(in_force([user, project])) == "ab"
    flight = record("a", {"flight_id": "IB1", "status": "delayed"}, "get_flight")
    paid = record("b", {"flight_id": "IB1", "status": "paid", "amount": 88}, "get_payment")
    assert names(in_force([flight, paid])) == "ab"


def test_things_of_one_owner_do_not_replace_each_other() -> None:
    orders = [record(name, {"user_id": "ann", "order_id": name, "state": "open"}, n=name) for name in "abc"]
    assert names(in_force(orders)) == "abc"
    numbered = [record(name, {"id": number, "x": 1}, n=name) for number, name in enumerate("ab")]
    assert names(in_force(numbered)) == "ab"


def test_answers_of_one_tool_to_different_questions_do_not_replace_each_other() -> None:
    days = [record(name, {"city_id": 7, "degrees": 20}, day=name) for name in "ab"]
    assert names(in_force(days)) == "ab"
    told = [record(name, {"city_id": 7, "day": name}, day=name) for name in "ab"]
    assert names(in_force(told)) == "ab"
    weather = [
        record(name, {"city_id": 7, "day": name, "degrees": degrees, "rain": rain}, day=name)
        for name, degrees, rain in (("a", 20, "no"), ("b", 12, "much"))
    ]
    assert names(in_force(weather)) == "ab"
    pages = [
        record(name, {"user_id": 7, "page": page, "orders": [name]}, user_id=7, page=page)
        for page, name in enumerate("ab")
    ]
    assert names(in_force(pages)) == "ab"


def test_a_change_replaces_the_state_before_though_it_was_asked_with_other_arguments() -> None:
    moved = [
        record(name, {"order_id": 7, "address": place, "status": "open"}, "move", order_id=7, address=place)
        for name, place in (("a", "Paris"), ("b", "Berlin"))
    ]
    assert names(in_force(moved)) == "b"


@pytest.mark.parametrize("shown", [0, 1])
def test_a_failure_takes_no_state_of_a_thing_away(shown: int) -> None:
    got = record("a", {"order_id": "W2", "status": "delivered", "price": 72.5}, "get", order_id="W2")
    failed = record("b", {"order_id": "W2", "status": None, "price": None, "error": "timeout"}, "get", order_id="W2")
    assert names(in_force([got, failed][: 2 - shown], [got, failed][2 - shown :])).startswith("a")


DEPLOYING = record("a", {"state": "running", "progress": 40}, "status", id="d1")
NO_QUOTA = record("b", {"state": "failed", "progress": 40, "error": "quota exceeded in zone b"}, "status", id="d1")


@pytest.mark.parametrize(
    "answer", ["timeout", "504 Gateway Timeout", "Error: connection refused", {"error": "busy"}, ""]
)
def test_a_thing_that_failed_stays_so_until_it_succeeds_and_its_former_state_goes(answer: Any) -> None:
    unanswered = record("c", answer, "status", id="d1")
    assert names(in_force([DEPLOYING, NO_QUOTA])) == "b"
    assert names(in_force([DEPLOYING, NO_QUOTA, unanswered])) == "bc"
    assert names(in_force([DEPLOYING, NO_QUOTA], [unanswered])) == "b"
    done = record("e", {"state": "done", "progress": 40}, "status", id="d1")
    assert names(in_force([NO_QUOTA, unanswered, done])) == "e"


def test_a_thing_that_names_itself_and_failed_is_not_what_it_was() -> None:
    def told(name: str, **more: str) -> Record:
        return record(name, {"id": "d1", "zone": "b", **more}, "status", id="d1")

    running, failed, done = (
        told("a", state="running"),
        told("b", state="failed", error="no quota"),
        told("c", state="ok"),
    )
    assert names(in_force([running, failed])) == "b"
    assert names(in_force([running, failed, record("d", "timeout", "status", id="d1")])) == "bd"
    assert names(in_force([running, failed, done])) == "c"


def test_a_failure_is_told_once_where_it_is_the_same_and_beside_another_one() -> None:
    failures = [record(name, f"Error: no route to host after {at} ms", "ping") for at, name in enumerate("abc")]
    assert names(in_force(failures)) == "c"
    assert names(in_force([*failures, record("d", "Error: permission denied", "ping")])) == "cd"


def test_what_is_shown_whole_stands_once_but_a_receipt_beside_its_like() -> None:
    text = record("a", "\n".join(f"value_{at} = {at}" for at in range(20)), "read_file", path="f.py")
    again = record("b", text.raw_output, "read_file", path="f.py")
    assert in_force([text], [again]) == []
    paid, twice = (record(name, {"payment_id": 7, "status": "ok"}, "pay", to="bob", amount=50) for name in "ab")
    assert names(in_force([paid], [twice])) == "a"
    edited = record("b", text.raw_output.replace("value_7 = 7", "value_7 = 8"), "read_file", path="f.py")
    assert in_force([text], [edited]) == []
    assert names(in_force([text], [record("b", "Error: timeout", "read_file", path="f.py")])) == "a"


def test_results_without_ids_do_not_replace_each_other() -> None:
    assert names(in_force([record("a", {"sum": 1}, n=1), record("b", {"sum": 2}, n=2)])) == "ab"
    assert names(in_force([record("a", {"id": None}, n=1), record("b", {"id": {"x": 1}}, n=2)])) == "ab"
