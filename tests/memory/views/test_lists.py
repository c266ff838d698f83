"""Items of a long list: which stay, and what is said of those that do not."""

import pytest

from memory.views.blocks import left_out
from memory.views.lists import worth_of
from memory.views.relevance import talk_of
from tests.tool_calls import blocks_of, record

TALK = talk_of(["The orders API is slow. Find the cause."])
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
