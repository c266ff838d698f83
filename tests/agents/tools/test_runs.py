"""Views of whole runs of agents hold what each next call needs, whatever the agents are for."""

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

from agents.tools.messages import calls_of, interactions, said_in
from memory.views.json_values import Json, scalars
from memory.views.records import read_json
from tests.tool_calls import Message, call, calling, context, result, user
from tests.tool_views import view

SHORTEST = 4  # characters of a value that is looked for


def said(text: str) -> Message:
    return {"role": "assistant", "content": text}


class Run:
    """An agent's run, which grows."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self._number = count()

    def talk(self, *messages: Message) -> "Run":
        self.messages += messages
        return self

    def calls(self, name: str, output: Any, **arguments: Any) -> "Run":
        call_id = f"c{next(self._number)}"
        self.messages += [calling(call(call_id, name, arguments)), result(call_id, output)]
        return self


def order(at: int) -> dict[str, Json]:
    names = ("Desk lamp", "Office chair", "Water bottle", "Backpack")
    items: list[Json] = [
        {
            "name": name,
            "product_id": f"{6_600_000 + 7 * place}",
            "item_id": f"{4_100_000_000 + 1000 * at + place}",
            "price": 20.5 + 3 * place + at,
            "options": {"color": ("black", "white", "blue")[(at + place) % 3], "material": "steel"},
        }
        for place, name in enumerate(names[: 2 + at % 3])
    ]
    paid: list[Json] = [
        {"transaction_type": "payment", "amount": 61.5 + at, "payment_method_id": f"card_{770_010 + at % 2}"}
    ]
    return {
        "order_id": f"#W45{at}0017",
        "user_id": "noor_haddad_5512",
        "address": {"address1": f"{10 + at} Mill Road", "city": "Leeds", "country": "UK", "zip": f"LS{at}4"},
        "items": items,
        "fulfillments": [{"tracking_id": [f"9{at}3381500"], "item_ids": [item["item_id"] for item in items]}],  # type: ignore[index, call-overload]
        "status": "delivered" if at % 2 else "pending",
        "payment_history": paid,
    }


def shop() -> Run:
    profile = {
        "name": {"first_name": "Noor", "last_name": "Haddad"},
        "email": "noor.haddad12@example.org",
        "payment_methods": {
            one: {"source": one.rpartition("_")[0], "id": one, "last_four": one[-4:]}
            for one in ("card_770010", "card_770011", "gift_card_31908")
        },
        "family": [{"first_name": "Sami", "last_name": "Haddad", "birthday": "2011-04-02"}],
        "orders": [order(at)["order_id"] for at in range(4)],
    }
    variants = {
        f"{5_200_000_300 + at}": {
            "item_id": f"{5_200_000_300 + at}",
            "options": {"color": ("black", "white", "blue")[at % 3], "material": "oak"},
            "available": at != 2,
            "price": 30.25 + at,
        }
        for at in range(6)
    }
    run = Run().talk(user("Hi! I am noor_haddad_5512, and I want to exchange the chair that came last week."))
    run.calls("get_user_details", profile, user_id="noor_haddad_5512")
    for at in range(4):
        run.calls("get_order_details", order(at), order_id=order(at)["order_id"])
    run.talk(said("Your order #W4510017 has an office chair. Which one would you like instead?"))
    run.talk(user("A blue one, please, and I pay with the gift card."))
    run.calls("get_product_details", {"name": "Office chair", "product_id": "6600007", "variants": variants})
    run.talk(said("The blue one, 5200000305, costs 35.25. Shall I exchange it?"), user("Yes, please."))
    run.calls("think", "", thought="The chair is of the delivered order, so that it can be exchanged.")
    run.calls(
        "exchange_delivered_order_items",
        order(1) | {"status": "exchange requested"},
        order_id="#W4510017",
        item_ids=["4100001001"],
        new_item_ids=["5200000305"],
        payment_method_id="gift_card_31908",
    )
    run.talk(said("Done."), user("Thanks! And cancel the pending one with the backpack, I no longer need it."))
    run.calls(
        "cancel_pending_order", order(2) | {"status": "cancelled"}, order_id="#W4520017", reason="no longer needed"
    )
    run.talk(said("It is cancelled."), user("Where is the parcel of the other delivered order?"))
    return run.calls("track_parcel", {"state": "in transit"}, tracking_id="933381500")


def code() -> Run:
    hits = [
        {
            "path": f"src/{folder}/{name}.py",
            "line": 12 + 31 * at,
            "text": f"    total = net_total(order_{at})  # see billing",
        }
        for at, (folder, name) in enumerate(
            (
                ("billing", "invoice"),
                ("billing", "refund"),
                ("report", "monthly"),
                ("api", "checkout"),
                ("jobs", "dunning"),
            )
        )
    ]
    body = "".join(f"def part_{at}(order):\n    return order.lines[{at}].price\n\n\n" for at in range(25))
    text = f"{body}def net_total(order):\n    return sum(line.price for line in order.lines)\n"
    failed = "....F..\nE   AssertionError: net_total with a voucher: 90 != 100\ntests/billing/test_vouchers.py:41\n"
    run = Run().talk(user("The totals of orders with a voucher are wrong since release 4.2.1. Mend net_total."))
    run.calls("grep", {"matches": hits, "took_ms": 41, "engine": "ripgrep"}, pattern="net_total")
    run.calls("read_file", text, path="src/billing/invoice.py")
    issues = [
        {"key": f"BILL-{230 + at}", "title": f"Voucher {at} is lost", "reporter": {"login": f"dev{at}"}, "votes": at}
        for at in range(4)
    ]
    run.calls("list_issues", {"issues": issues})
    run.calls("run_tests", failed, target="tests/billing")
    run.calls("read_file", "class Voucher:\n    amount: int\n", path="tests/billing/test_vouchers.py")
    run.calls("edit_file", "written", path="src/billing/invoice.py", symbol="net_total")
    run.calls("read_file", text, path="src/report/monthly.py")
    run.calls("edit_file", "written", path="src/report/monthly.py", symbol="net_total")
    run.calls("edit_file", "written", path="src/jobs/dunning.py", symbol="net_total")
    run.calls("run_tests", "7 passed\n", target="tests/billing")
    return run.calls("comment_issue", {"ok": True}, key="BILL-232", body="Mended.")


RUNS = {"shop": shop, "code": code}


def steps_of(run: Run) -> Iterator[tuple[list[Message], list[str]]]:
    """The history before each call of a run, and the values that the call has of it."""
    for at, message in enumerate(run.messages):
        history = run.messages[:at]
        if calls_of(message) and interactions(history):
            arguments = [read_json(one["function"]["arguments"]) for one in calls_of(message)]
            values = [str(value) for one in arguments for _, value in scalars(one)]
            known = "\n".join(map(said_in, history))
            yield history, [value for value in values if len(value) >= SHORTEST and value in known]


@pytest.mark.parametrize("name", RUNS)
def test_what_the_next_call_needs_stands_in_the_view(name: str) -> None:
    needed = 0
    for history, values in steps_of(RUNS[name]()):
        shown = "\n".join(map(said_in, view(history)))
        assert [value for value in values if value not in shown] == []
        needed += len(values)
    assert needed > 8


@pytest.mark.parametrize(("name", "most"), [("shop", 0.5), ("code", 0.85)])
def test_a_view_is_much_shorter_than_the_run(name: str, most: float) -> None:
    whole = shown = 0
    for history, _ in steps_of(RUNS[name]()):
        whole += sum(len(said_in(one)) for one in history)
        shown += sum(len(said_in(one)) for one in view(history))
    assert shown < most * whole


@pytest.mark.parametrize("name", RUNS)
def test_all_that_the_user_named_stays(name: str) -> None:
    *_, (history, _) = steps_of(RUNS[name]())
    shown = [one for one in view(history) if one["role"] == "user"]
    assert shown == [one for one in history if one["role"] == "user"]


def test_records_name_their_tool_and_the_keys_of_what_they_show() -> None:
    *_, (history, _) = steps_of(shop())
    shown = context(view(history))
    [part] = [one for one in shown.split("[RETRIEVED RECORD") if "4100001001" in one]
    assert "get_order_details" in part or "exchange_delivered_order_items" in part
    assert "item_id" in part and "payment_method_id" in part
