"""Which of what tools gave is older than what another tool did to the same thing since?"""

from dataclasses import replace
from json import dumps

import pytest

from memory.views.blocks import blocks_of
from memory.views.order import overtaken
from memory.views.records import Record
from memory.views.relevance import talk_of
from tests.tool_calls import record

READ = record("a", "def f():\n    return 1", "read_file", path="src/f.py")
WRITTEN = record("b", "ok", "edit_file", file_path="src/f.py", text="def f():\n    return 2")
RUN = record("c", "1 passed", "run", command="pytest")


def test_what_was_read_before_it_was_written_says_so() -> None:
    assert overtaken([READ, WRITTEN, RUN]) == {"a": "b"}
    assert overtaken([WRITTEN, READ, RUN]) == {}
    [read, _, run] = blocks_of([READ, WRITTEN, RUN], talk_of(["Mend f"]), 2_000, overtaken={"a": "b"})
    assert read.body.startswith("a (before b): def f():")
    assert run.body == "c: 1 passed"


def test_the_next_call_that_changed_it_or_of_another_tool_is_named_or_the_next_answer_to_the_same_call() -> None:
    again = record("d", "def f():\n    return 2", "read_file", path="src/f.py")
    assert overtaken([READ, WRITTEN, again, record("e", "ok", "delete_file", path="src/f.py")]) == {
        "a": "b",
        "b": "e",
        "d": "e",
    }
    assert overtaken([READ, again]) == {"a": "d"}
    assert overtaken([READ, record("d", "def g(): ...", "read_file", path="src/f.py", offset=100)]) == {}


def test_of_later_calls_the_one_that_changed_the_thing_is_named() -> None:
    log = record("l", "9f3c2ab faster", "run", cmd="python src/f.py")
    assert overtaken([READ, log]) == {"a": "l"}
    assert overtaken([READ, log, WRITTEN])["a"] == "b"
    assert overtaken([READ, log, replace(READ, trace_id="d"), WRITTEN])["a"] == "b"
    failed = record("x", "Error: find string occurs 2 times", "edit_file", file_path="src/f.py")
    assert overtaken([READ, failed, log, WRITTEN])["a"] == "b"


def test_a_list_of_things_is_older_than_what_changed_one_of_them() -> None:
    listed = record(
        "a", {"invoices": [{"id": "INV-1", "state": "unpaid"}, {"id": "INV-2", "state": "paid"}]}, "list_invoices"
    )
    read, cancelled = (
        record(name, "ok", tool, invoice_id="INV-1") for name, tool in (("b", "get_invoice"), ("c", "cancel_invoice"))
    )
    assert overtaken([listed, read]) == {}
    assert overtaken([listed, read, cancelled]) == {"a": "c", "b": "c"}
    assert overtaken([listed, record("c", {"error": "no"}, "cancel_invoice", invoice_id="INV-1")]) == {}
    assert overtaken([listed, record("c", "ok", "cancel_invoice", invoice_id="INV-3")]) == {}
    bare = record("a", [{"invoice_id": "INV-1", "state": "unpaid"}], "list_invoices")
    assert overtaken([bare, cancelled]) == {"a": "c"}


@pytest.mark.parametrize(
    ("told", "changing", "named"),
    [
        ({"ticket": "INC-55", "state": "open"}, "close_ticket", {"key": "INC-55"}),
        ({"order": {"order_id": "W23"}}, "cancel_order", {"order_id": "W23"}),
        ("see https://x.org:8443/a", "publish", {"url": "https://x.org:8443/a"}),
        ({"status": "held", "hold_id": "HLD-88213"}, "cancel_hold", {"hold_id": "HLD-88213"}),
        ({"orders": [{"order_id": "W23", "status": "pending"}]}, "cancel_order", {"order_id": "W23"}),
        ({"orders": [{"order_id": "W23", "status": "pending"}]}, "cancel_orders", {"order_ids": ["W22", "W23"]}),
        ({"seats": [{"seat_id": 7, "state": "free"}]}, "hold_seats", {"seat_ids": [6, 7]}),
        ("src/f.py:90:    return float(x)\nsrc/g.py:7: pass", "edit_file", {"path": "src/f.py", "line": 90}),
        ("NAME   STATUS\nweb-1  CrashLoop\n", "restart_pod", {"pod": "web-1"}),
    ],
)
def test_a_result_that_names_a_thing_is_older_than_what_changed_it(
    told: object, changing: str, named: dict[str, object]
) -> None:
    first = record("a", told, "find", q="x")
    assert overtaken([first, record("b", {"ok": True}, changing, **named)]) == {"a": "b"}
    assert overtaken([first, record("b", {"ok": False, "error": "gone"}, changing, **named)]) == {}
    for reading in ("get_it", "grep", "run_tests", "web_search", "track_order", "send_email"):
        assert overtaken([first, record("b", "x", reading, **named)]) == {}


def test_what_a_list_or_a_command_in_a_call_names_was_not_changed_by_it() -> None:
    first = record("a", {"flight": "HAT-028"}, "find", q="x")
    assert overtaken([first, record("b", "ok", "book", flights=[{"flight": "HAT-028"}])]) == {}
    assert overtaken([first, record("b", "ok", "shell", command="HAT-028")]) == {}


@pytest.mark.parametrize(
    ("name", "is_thing"),
    [
        ("README.md", True),
        ("/etc", True),
        ("docs/", True),
        ("app\\main.py", True),
        ("app/[id]/page", True),
        ("https://x.org/a", True),
        ("ord_123", True),
        ("main", False),
        ("12.50", False),
        ("-3.5", False),
        ("3.5kg", False),
        ("2024-05-01", False),
        ("10:30", False),
        ("Hello. World", False),
        ("...", False),
    ],
)
def test_things_are_files_addresses_and_ids(name: str, is_thing: bool) -> None:
    assert bool(overtaken([record("a", "text", "get", of=name), record("b", "text", "set", of=name)])) is is_thing


@pytest.mark.parametrize("output", ["", "Error: no such file", {"error": "gone"}])
def test_of_failures_nothing_is_said(output: object) -> None:
    assert overtaken([record("a", output, "get", path="a.py"), WRITTEN, record("d", "ok", "set", path="a.py")]) == {}


def test_the_state_of_a_thing_is_older_than_what_was_done_to_it() -> None:
    got = record("a", {"order_id": "W2378156", "address": "Paris"}, "get_order", order_id="W2378156")
    done = record("b", "done", "modify_order", order_id="W2378156", address="Berlin")
    assert overtaken([got, done]) == {"a": "b"}
    few = record("a", {"order_id": 42}, "get_order", order_id=42)
    assert overtaken([few, record("b", "ok", "cancel_order", order_id=42)]) == {"a": "b"}
    assert overtaken([few, record("b", "ok", "cancel_order", order_id=43)]) == {}
    assert overtaken([few, record("b", "ok", "cancel_user", user_id=42)]) == {}


def test_commands_name_what_they_are_about() -> None:
    read = record("a", "port=80", "read_file", path="/etc/app/app.ini")
    for command in ("sed -i s/80/8080/ /etc/app/app.ini", "echo x>/etc/app/app.ini;ls", 'rm "/etc/app/app.ini"'):
        assert overtaken([read, record("b", "", "bash", command=command)]) == {"a": "b"}
    assert overtaken([read, record("b", "", "bash", argv=["rm", "/etc/app/app.ini"])]) == {"a": "b"}
    assert overtaken([read, record("b", "", "note", text="look at /etc/app/app.ini")]) == {}


@pytest.mark.timeout(20)
def test_many_tools_and_long_arguments_take_no_longer() -> None:
    many = [Record(f"r{at}", f"edit{at}", '{"path": "a.py"}', f"text {at}") for at in range(20_000)]
    assert overtaken(many) == {f"r{at}": f"r{at + 1}" for at in range(19_999)}
    minified = record("a", "ok", "write_file", content="a." * 400_000 + "\n", command="x/" * 400_000 + "\n")
    assert overtaken([minified, replace(minified, trace_id="b", raw_output="done")]) == {"a": "b"}


def test_many_calls_about_one_thing_take_one_look_at_each() -> None:
    many = [Record(f"r{at}", "read" if at % 2 else "write", '{"path": "a.py"}', f"text {at}") for at in range(20_000)]
    found = overtaken(many)
    assert found == {f"r{at}": f"r{at + (1 if at % 2 else 2)}" for at in range(19_998)}


@pytest.mark.parametrize(
    ("reading", "changing", "named"),
    [
        ("get_issue", "update_issue", {"number": 1042}),
        ("get_issue", "close_issue", {"owner": "acme", "repo": "api", "issue_number": 7}),
        ("get_price", "set_price", {"sku": "42"}),
        ("get_price", "set_price", {"sku": "lamp"}),
        ("getPrice", "updateProductPrice", {"sku": "A"}),
        ("get_price", "set_price", {"article": "Tisch Oslo"}),
        ("get_config", "set_config_value", {"key": "feature_x"}),
        ("get_thermostat", "set_thermostat", {"room": "kitchen"}),
        ("home_get_thermostat", "home_thermostat_set", {"room": "kitchen"}),
        ("get_settings", "update_settings", {}),
    ],
)
def test_what_was_asked_by_a_plain_word_or_a_number_is_older_than_what_changed_it(
    reading: str, changing: str, named: dict[str, object]
) -> None:
    first = record("a", {**named, "state": "open"}, reading, **named)
    assert overtaken([first, record("b", {"ok": True}, changing, **named, to="closed")]) == {"a": "b"}
    assert overtaken([first, record("b", {"error": "no"}, changing, **named, to="closed")]) == {}
    assert overtaken([record("b", {"ok": True}, changing, **named, to="closed"), first]) == {}
    assert overtaken([first, record("b", {"ok": True}, "archive_report", **named)]) == {}
    other = dict.fromkeys(named, "other") or {"n": 1}
    if named:
        assert overtaken([first, record("b", {"ok": True}, changing, **other, to="closed")]) == {}


def test_a_row_with_a_number_is_older_than_what_changed_that() -> None:
    listed = record("a", [{"number": 6, "state": "open"}, {"number": 7, "state": "open"}], "list_issues", state="open")
    assert overtaken([listed, record("b", "ok", "update_issue", number=7, state="closed")]) == {"a": "b"}
    assert overtaken([listed, record("b", "ok", "update_issue", number=8, state="open")]) == {}
    assert overtaken([listed, record("b", "ok", "book_seat", number=7)]) == {}


@pytest.mark.parametrize(
    "reading",
    ["get_contact", "crm_get_contact", "calendar_list", "find_contact", "search", "mail.search", "check_card"],
)
def test_what_only_reads_changed_nothing(reading: str) -> None:
    listed = record("a", {"deals": [{"deal_id": "D-19", "contact_id": "c_101"}]}, "list_deals", contact_id="c_101")
    assert overtaken([listed, record("b", {"id": "c_101"}, reading, id="c_101", contact_id="c_101")]) == {}


@pytest.mark.parametrize("changing", ["check_in", "checkout", "create_list", "mark_as_read", "checkIn_guest"])
def test_what_is_called_as_a_change_changes(changing: str) -> None:
    got = record("a", {"booking_id": "BK-17", "status": "confirmed"}, "get_booking", booking_id="BK-17")
    assert overtaken([got, record("b", "ok", changing, booking_id="BK-17")]) == {"a": "b"}


def test_a_thing_is_not_changed_by_what_was_done_to_another_that_it_shares_something_with() -> None:
    booked = record("a", {"booking_id": "BK-1", "status": "confirmed"}, "book_room", quote_id="Q-11", card_id="pm_91")
    moved = record("b", {"booking_id": "BK-2"}, "modify_booking", booking_id="BK-2", card_id="pm_91", quote_id="Q-12")
    assert overtaken([booked, moved]) == {}
    again = record("c", {"booking_id": "BK-1"}, "modify_booking", booking_id="BK-1", card_id="pm_91")
    assert overtaken([booked, moved, again]) == {"a": "c"}
    card = record("d", {"id": "pm_91", "balance": 75}, "get_card", card_id="pm_91")
    charged = record("e", {"charge_id": "CH-12"}, "charge", card_id="pm_91")
    assert overtaken([booked, card, moved, charged]) == {"d": "e"}
    deals = record("f", {"deals": [{"deal_id": "D-19", "contact_id": "c_101"}]}, "list_deals")
    assert overtaken([deals, record("g", {"id": "c_101"}, "update_contact", id="c_101")]) == {}


def test_a_list_of_what_somebody_has_is_older_than_what_was_made_for_them() -> None:
    listed = record("a", {"bookings": [{"booking_id": "BK-1"}]}, "list_bookings", customer_id="cust_71")
    assert overtaken([listed, record("b", {"booking_id": "BK-2"}, "book_room", customer_id="cust_71")]) == {"a": "b"}


@pytest.mark.parametrize(
    ("tool", "first", "then", "is_marked"),
    [
        ("move_event", {"event_id": "ev12", "start": "9:00"}, {"event_id": "ev12", "start": "10:00"}, True),
        ("edit_file", {"path": "a.py", "old": "x y"}, {"path": "./a.py", "old": "z"}, True),
        ("move_event", {"event_id": "ev12", "start": "9:00"}, {"event_id": "ev13", "start": "9:00"}, False),
        ("book_room", {"quote_id": "Q-19", "card_id": "pm_1"}, {"quote_id": "Q-19", "card_id": "pm_2"}, False),
        ("book", {"user_id": 7, "flights": [{"no": "HAT1"}]}, {"user_id": 7, "flights": [{"no": "HAT2"}]}, False),
        ("tag", {"name": "A"}, {"name": "B"}, False),
        ("get_event", {"event_id": "ev12", "day": 1}, {"event_id": "ev12", "day": 2}, False),
    ],
)
def test_a_failure_is_older_than_what_the_same_tool_did_to_the_same_things(
    tool: str, first: dict[str, object], then: dict[str, object], is_marked: bool
) -> None:
    failed = record("a", "Error: not so", tool, **first) if "name" not in first else _tagged("a", "Error: no", first)
    done = record("b", "ok", tool, **then) if "name" not in then else _tagged("b", "ok", then)
    assert overtaken([failed, done]) == ({"a": "b"} if is_marked else {})
    assert overtaken([failed, replace(done, raw_output="Error: still not")]) == {}


def _tagged(trace_id: str, output: str, arguments: dict[str, object]) -> Record:
    return Record(trace_id, "tag", dumps(arguments), output)
