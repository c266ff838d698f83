"""Does a call change anything?"""

from typing import Any

import pytest

from memory.views.effects import only_reads
from memory.views.order import overtaken
from tests.tool_calls import record


@pytest.mark.parametrize(
    ("tool", "arguments", "output", "is_reading"),
    [
        ("http", {"method": "GET", "url": "https://x.org/a"}, "text", True),
        ("fetch", {"method": "post", "url": "https://x.org/a"}, "text", False),
        ("http", {"method": "POST", "url": "https://x.org/users/search"}, "text", True),
        ("pay", {"method": "check"}, "text", False),
        ("files", {"action": "list"}, "text", True),
        ("door", {"action": "open"}, "text", False),
        ("editor", {"command": "view", "path": "a.py"}, "text", True),
        ("editor", {"command": "str_replace", "path": "a.py"}, "text", False),
        ("run_query", {"sql": "select 1 from t"}, "text", True),
        ("get_rows", {"sql": "delete from t"}, "text", False),
        ("bash", {"command": "ls"}, "text", True),
        ("bash", {"command": "make"}, "text", False),
        ("bash", {"command": "curl -s https://x.org/a"}, "text", True),
        ("bash", {"command": "curl -o /dev/null https://x.org/a"}, "text", True),
        ("bash", {"command": "curl -XDELETE https://x.org/a"}, "text", False),
        ("bash", {"command": "curl --request=DELETE https://x.org/a"}, "text", False),
        ("bash", {"command": "curl -sXDELETE https://x.org/a"}, "text", False),
        ("bash", {"command": "curl -sd a=b https://x.org/a"}, "text", False),
        ("bash", {"command": "curl -o f https://x.org/a"}, "text", False),
        ("bash", {"command": "sort in.txt"}, "text", True),
        ("bash", {"command": "sort -o out.txt in.txt"}, "text", False),
        ("run_query", {"sql": "SELECT * INTO t2 FROM t"}, "text", False),
        ("python", {"code": "print(1)"}, "1", False),
        ("suppliers", {"sku": "A-00412"}, {"supplier": "s1"}, True),
        ("weather", {"city": "Rome"}, "sunny", True),
        ("free_busy", {"room": "R-304"}, {"busy": []}, True),
        ("light", {"room": "kitchen", "on": True}, {"ok": True}, False),
        ("thermostat", {"room": "kitchen", "to": 21}, "Done.", False),
        ("light", {"room": "kitchen"}, {"on": True}, True),
        ("book", {"room": 7}, {"room": 7}, False),
        ("expedite_order", {"order_id": 7}, {"order_id": 7}, False),
        ("", {}, "text", False),
    ],
)
def test_a_call_reads_by_its_method_its_command_or_its_name(
    tool: str, arguments: dict[str, Any], output: object, is_reading: bool
) -> None:
    assert only_reads(record("a", output, tool, **arguments)) is is_reading


USER = {"id": 5, "name": "Ann"}


@pytest.mark.parametrize(
    ("method", "url", "output", "is_older"),
    [
        ("PATCH", "https://x.org/users/5", {"status": 204}, True),
        ("DELETE", "https://x.org/users/5/", "", True),
        ("PATCH", "https://x.org/users/5", {"error": "no rights"}, False),
        ("PATCH", "https://x.org/users/6", {"status": 204}, False),
        ("GET", "https://x.org/users/5?full=1", USER, False),
        ("PATCH", "https://x.org/orders/5", {"status": 204}, False),
    ],
)
def test_what_an_address_gave_is_older_than_what_was_sent_there(
    method: str, url: str, output: object, is_older: bool
) -> None:
    changed = record("b", output, "http", method=method, url=url)
    for asked, given in (("users/5", USER), ("users?page=1", [USER]), ("v2/users", {"data": [USER]})):
        first = record("a", given, "http", method="GET", url=f"https://x.org/{asked}")
        assert overtaken([first, changed]) == ({"a": "b"} if is_older else {})


def test_reading_calls_mark_nothing() -> None:
    found = record("a", {"results": [{"id": "acc_9", "name": "Mueller KG"}]}, "crm_search", q="Mueller")
    assert overtaken([found, record("b", {"deals": [{"id": "d0"}]}, "crm_list_deals", account="acc_9")]) == {}
    assert overtaken([found, record("b", {"id": "acc_9"}, "crm_update_account", account="acc_9")]) == {"a": "b"}
    stock = record("a", "sku,stock\nA-00412,7\n", "read_csv", path="l.csv")
    assert overtaken([stock, record("b", {"supplier": "s1"}, "suppliers", sku="A-00412")]) == {}
    assert overtaken([stock, record("b", {"order": 1}, "order", sku="A-00412")]) == {"a": "b"}


def test_one_tool_may_read_and_change() -> None:
    seen = record("a", "import x", "editor", command="view", path="/a/b.py")
    assert overtaken([seen, record("b", "edited", "editor", command="str_replace", path="/a/b.py")]) == {"a": "b"}
    assert overtaken([seen, record("b", "import", "editor", command="view", path="/a/b.py", lines="1-2")]) == {}
    dim = record("a", {"room": "kitchen", "on": False}, "light", room="kitchen")
    assert overtaken([dim, record("b", {"ok": True}, "light", room="kitchen", on=True)]) == {"a": "b"}
