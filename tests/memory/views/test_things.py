"""What do calls of tools name, and what do their results tell of?"""

from typing import Any

import pytest

from memory.views.order import overtaken
from memory.views.places import canonical, without_query
from tests.tool_calls import record

TICKET = {"id": 42, "status": "open"}


@pytest.mark.parametrize(
    ("reading", "told", "changing", "named"),
    [
        ("list_tickets", [TICKET], "close_ticket", {"ticket_id": 42}),
        ("list_tickets", [TICKET], "close_ticket", {"id": "42"}),
        ("list_tickets", {"results": [TICKET]}, "close_ticket", {"ticket": 42}),
        ("search", {"tickets": [TICKET]}, "ticket_close", {"ticketId": 42}),
        ("list_tickets", [TICKET], "close_tickets", {"ticket_ids": [41, 42]}),
        ("get_board", {"id": 3, "tickets": [TICKET]}, "move_ticket", {"ticket_id": 42}),
        ("create_ticket", TICKET, "close_ticket", {"ticket_id": 42}),
        ("search_contacts", [{"id": "c1"}], "delete_contact", {"contact_id": "c1"}),
        ("list_issues", [{"number": 42}], "close_issue", {"issue_number": 42}),
        ("list_branches", [{"name": "dev"}], "delete_branch", {"branch": "dev"}),
        ("list_categories", [{"id": 42}], "rename_category", {"category_id": 42}),
        ("show_cart", {"items": [{"id": 42}]}, "remove_item", {"item_id": 42}),
        ("todo_read", [{"id": 42}], "todo_update", {"id": 42}),
    ],
)
def test_a_row_is_older_than_what_changed_it_whatever_it_is_called_by(
    reading: str, told: object, changing: str, named: dict[str, Any]
) -> None:
    first = record("a", told, reading, q="x")
    assert overtaken([first, record("b", {"ok": True}, changing, **named)]) == {"a": "b"}
    assert overtaken([first, record("b", {"error": "no"}, changing, **named)]) == {}
    other = {key: [7] if isinstance(value, list) else 7 for key, value in named.items()}
    assert overtaken([first, record("b", {"ok": True}, changing, **other)]) == {}


@pytest.mark.parametrize(
    ("reading", "told", "changing", "named"),
    [
        ("list_projects", {"projects": [{"id": 42}]}, "close_ticket", {"id": 42}),
        ("get_user", {"id": 42}, "update_project", {"id": 42}),
        ("update_user", {"id": 42}, "update_project", {"id": 42}),
        ("list_orders", [{"id": 42}], "cancel_subscription", {"subscription_id": 42}),
        ("list_tickets", [{"id": 1, "assignee_id": 42}], "update_user", {"user_id": 42}),
        ("crm_list_contacts", [{"id": 42}], "crm_update_deal", {"id": 42}),
        ("list_issues", [{"id": 42, "number": 1}], "close_issue", {"number": 42}),
        ("list_tickets", [TICKET], "set_priority", {"ticket_id": 7, "priority": 42}),
        ("list_flights", [{"number": 42}], "book_seat", {"flight_number": 42}),
    ],
)
def test_a_number_is_that_of_another_thing_where_kinds_differ(
    reading: str, told: object, changing: str, named: dict[str, Any]
) -> None:
    assert overtaken([record("a", told, reading, q="x"), record("b", {"ok": True}, changing, **named)]) == {}


@pytest.mark.parametrize("key", ["id", "user_id"])
def test_what_was_asked_by_a_number_is_older_than_what_changed_that(key: str) -> None:
    got = record("a", {"name": "Ann"}, "get_user", **{key: 5})
    assert overtaken([got, record("b", "ok", "update_user", user_id=5)]) == {"a": "b"}
    assert overtaken([got, record("b", "ok", "deactivate_user", id=5)]) == {"a": "b"}
    assert overtaken([got, record("b", "ok", "update_team", id=5)]) == {}


def test_places_are_written_in_one_way() -> None:
    assert canonical("./conf//app.conf") == canonical("conf/x/../app.conf") == "conf/app.conf"
    assert canonical("docs/") == "docs" and canonical("https://x.org//a/") == "https://x.org//a"
    assert without_query("https://x.org/a?page=2") == "https://x.org/a" and without_query("a?b") == "a?b"
    read = record("a", "port = 8000", "read_file", path="conf/app.conf")
    assert overtaken([read, record("b", "ok", "write_file", path="./conf/app.conf")]) == {"a": "b"}
    assert overtaken([read, record("b", "ok", "write_file", path="../conf/app.conf")]) == {}


def plan(name: str, *steps: tuple[str, str], **more: Any) -> Any:
    listed = [{"step": step, "status": status} for step, status in steps]
    return record(name, "Plan updated", "update_plan", plan=listed, **more)


def test_a_list_that_was_written_is_older_than_its_next_writing() -> None:
    first = plan("a", ("Read", "doing"), ("Write", "open"), explanation="begin with it")
    assert overtaken([first, plan("b", ("Read", "done"), ("Write", "doing"), explanation="go on")]) == {"a": "b"}
    assert overtaken([first, plan("b", ("Test", "new"), ("Ship", "new"))]) == {}
    assert overtaken([plan("a", ("Read", "doing"), of="x"), plan("b", ("Read", "done"), of="y")]) == {}
    added = [record(name, "ok", "add_todos", todos=[{"text": "Read"}]) for name in "ab"]
    assert overtaken([added[0], record("b", "yes", "add_todos", todos=[{"text": "Read"}, {"text": "x"}])]) == {}


@pytest.mark.parametrize(
    ("reading", "told", "changing", "is_older"),
    [
        ("get_cart", {"items": [], "total": 0}, "add_to_cart", True),
        ("get_cart", {"items": [{"sku": "A1"}]}, "remove_item_from_cart", True),
        ("cart_view", {"items": [{"sku": "A1"}]}, "cart_clear", True),
        ("todo_read", [{"text": "Read"}], "todo_write", True),
        ("get_cart", {"items": []}, "add_to_wishlist", False),
        ("get_user", {"name": "Ann"}, "create_note", False),
        ("list_deals", {"deals": [{"deal_id": "D-1"}]}, "update_deal", False),
    ],
)
def test_what_there_is_one_of_is_older_than_what_changed_it(
    reading: str, told: object, changing: str, is_older: bool
) -> None:
    calls = [record("a", told, reading), record("b", {"ok": True}, changing, sku="B2", qty=2)]
    assert overtaken(calls) == ({"a": "b"} if is_older else {})
