"""Items of a long list: which stay, and what is said of those that do not."""

from collections.abc import Callable

import pytest

from memory.views.blocks import left_out
from memory.views.lists import worth_of
from memory.views.relevance import talk_of
from tests.tool_calls import blocks_of, record

TALK = talk_of(["The orders API is slow. Find the cause."])
BAMBOO = "Swap it for the bamboo one of 34 inch."
LONG = "lorem ipsum dolor sit amet " * 8


def pod(at: int, **state: object) -> dict[str, object]:
    containers = [{"name": "api", "image": "api:2.14.0", "ready": True, "restarts": 0} | state]
    return {"metadata": {"name": f"api-7f{at:04}", "node": f"node-{at}"}, "status": {"containers": containers}}


def test_an_item_that_differs_deep_within_stays() -> None:
    pods = [pod(at) for at in range(60)]
    pods[41], pods[52] = pod(41, ready=False, restarts=31), pod(52, image="api:2.15.0-rc1")
    [block] = blocks_of([record("a", {"items": pods}, "get_pods")], TALK, 900)
    assert "api-7f0041|node-41" in block.body and "31" in block.body and "2.15.0-rc1" in block.body
    assert "image=api:2.14.0" not in block.body  # not all have it
    assert "more" in block.body and "api-7f0059" not in block.body


def test_what_shown_items_share_is_told_of_each_where_one_that_is_left_out_differs() -> None:
    rows = [{"name": f"order {at}", "state": {"phase": "open", "by": {"kind": "person", "at": 7}}} for at in range(40)]
    rows[39]["state"] = {"phase": "open", "by": {"kind": "robot", "at": 7}}
    talk = talk_of(["Which orders, order 0 to 30, are open, by kind?"], ["by kind?"])
    [block] = blocks_of([record("a", {"items": rows}, "list")], talk, 300)
    assert "more" in block.body and "kind=person" not in block.body


def test_a_field_is_told_as_left_out_though_another_table_has_it() -> None:
    bugs = [{"id": f"BUG-{at}", "state": "open", "load": at, "note": LONG} for at in range(6)]
    records = [record("a", {"bugs": bugs}, "list_bugs"), record("b", "done", "assign_bug", id="BUG-1", load=3)]
    assert "load" in left_out(blocks_of(records, TALK, 2_000), TALK)


@pytest.mark.parametrize("down", [(22,), (17, 22, 27, 28)])
def test_those_that_are_as_few_others_are_stay(down: tuple[int, ...]) -> None:
    hosts = [{"host": f"web-{at}", "status": "down" if at in down else "up"} for at in range(30)]
    [block] = blocks_of([record("a", hosts, "list_hosts")], talk_of(*[["What is the status?"]] * 2), 150)
    rows = [part.partition("|") for part in block.body.split("; ") if part.endswith("|down")]
    assert [name for names, _, _ in rows for name in names.split(",")] == [f"web-{at}" for at in down]
    hosts[29]["status"] = "lost"  # the rarest comes first
    [block] = blocks_of([record("a", hosts, "list_hosts")], talk_of(*[["What is the status?"]] * 2), 40)
    assert "web-29|lost" in block.body


def test_of_objects_under_keys_those_stay_that_were_spoken_of_whole_and_the_others_are_counted() -> None:
    kinds = [(a, b, c) for a in ("maple", "bamboo", "oak") for b in ("28 inch", "31 inch", "34 inch") for c in "xyz"]
    options = [dict(zip(("material", "length", "design"), one, strict=True)) for one in kinds]
    variants = {f"70{at:02}": {"item_id": f"70{at:02}", "options": one} for at, one in enumerate(options)}
    product = record("a", {"name": "Skateboard", "variants": variants}, "get_product")
    for characters in (200, 300, 400):
        [block] = blocks_of([product], talk_of([BAMBOO], [BAMBOO]), characters)
        assert "|bamboo|34 inch|z" in block.body and len(block.body) <= characters + 3
        rows, _, more = block.body.partition(")=")[2].rpartition("; … ")
        assert more == f"{27 - len(rows.split('; '))} more"
        assert all(row.count("|") == 3 for row in rows.split("; "))


@pytest.mark.parametrize("asked", ["Close the oldest one.", "Which is the latest?", "And the newest?",
                                   "Show the most recent one."])  # fmt: skip
def test_of_times_the_ends_stay_with_their_times(asked: str) -> None:
    days = [f"2025-{12 - at // 28:02}-{28 - at % 28:02}T09:00:00Z" for at in range(300)]
    issues = [{"number": 1_000 - at, "title": f"Issue {at}", "created_at": day} for at, day in enumerate(days)]
    [block] = blocks_of([record("a", issues, "list_issues")], talk_of(*[[asked]] * 2), 2_000)
    assert "1000|Issue 0|2025-12-28T09:00:00Z" in block.body and "701|Issue 299|2025-02-09T09:00:00Z" in block.body
    [other] = blocks_of([record("a", issues, "list_issues")], talk_of(*[["My last name is Li."]] * 2), 2_000)
    assert "created_at" not in other.body


def test_where_nothing_tells_the_time_the_first_and_the_last_are_those_of_the_list() -> None:
    lines = record("a", [{"key": f"K-{at:03}", "what": f"thing {at}"} for at in range(300)], "list_lines")
    [block] = blocks_of([lines], talk_of(*[["Undo the last change"]] * 2), 300)
    assert "K-000" in block.body and "K-299" in block.body


@pytest.mark.parametrize("form", [lambda at, value: {"t": f"10:{at:02}", "v": value}, lambda _, value: value])
def test_of_numbers_that_have_no_other_beside_them_the_most_stay(form: Callable[[int, int], object]) -> None:
    loads = record("a", {"series": [form(at, 100 + at * 7 % 59) for at in range(59)]}, "load")
    [asked] = blocks_of([loads], talk_of(*[["When was it at its highest?"]] * 2), 120)
    assert all(str(value) in asked.body for value in (156, 157, 158))
    [other] = blocks_of([loads], talk_of(["Go on."], ["Go on."]), 120)
    assert "158" not in other.body


@pytest.mark.parametrize(
    ("asked", "stay"), [("highest", ("O061", "O117", "O140")), ("lowest", ("O003", "O199", "O100"))]
)
def test_those_with_the_most_or_the_least_of_what_is_asked_for_stay(asked: str, stay: tuple[str, ...]) -> None:
    orders = [
        {"order": f"O{at:03}", "total": 300 + at % 90, "buyer": f"B{at}", "due": "2026-03-11"} for at in range(200)
    ]
    for at, total in {61: 990, 117: 981, 140: 980, 3: 11, 199: 12, 100: 13}.items():
        orders[at]["total"] = total
    question = [f"Which order has the {asked} total?"]
    [block] = blocks_of([record("a", orders, "list_orders")], talk_of(question, question), 600)
    assert all(one in block.body for one in stay)
    [block] = blocks_of([record("a", orders, "list_orders")], talk_of(["Go on."], ["Go on."]), 600)
    assert not any(one in block.body for one in stay[1:])


def test_the_cheapest_is_that_of_what_is_asked_for() -> None:
    """And not the cheapest of all, nor one that is like it but for a word."""
    kinds = [("Chair", "black"), ("Chair", "white"), ("Lamp", "black"), ("Desk", "oak")]
    products = [
        {"id": f"P{at:03}", "name": f"{kinds[at % 4][0]} {at}", "color": kinds[at % 4][1], "price": 900 - at}
        for at in range(160)
    ]
    question = "Get me the cheapest black chair instead."
    worth = worth_of(products, talk_of([question], [question]))
    assert products[max(range(160), key=lambda at: worth[at])]["id"] in (
        "P156",
        "P000",
    )  # the last of the black chairs, or the first
    best = sorted(range(160), key=lambda at: -worth[at])[:3]
    assert all((products[at]["name"].split()[0], products[at]["color"]) == ("Chair", "black") for at in best)
    everything = "Get me the cheapest thing."
    worth = worth_of(products, talk_of([everything], [everything]))
    assert products[max(range(160), key=lambda at: worth[at])]["id"] in ("P159", "P000")
