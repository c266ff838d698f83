"""The benchmark of compressed histories counts what it says."""

import json

import pytest

from bench.tool_memory import Message, by_window, measure

ORDER = {"role": "tool", "tool_call_id": "c1", "content": json.dumps({"order": {"item_id": "A1512", "size": "large"}})}
STOCK = {"role": "tool", "tool_call_id": "c2", "content": "[]"}


def calling(call_id: str, name: str, **arguments: str) -> Message:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": call_id, "function": function}]}


RUN: list[Message] = [
    {"role": "system", "content": "You sell keyboards, of which B7788 is one."},
    {"role": "user", "content": "Exchange W2378, please."},
    calling("c1", "get_order", order_id="W2378"),
    ORDER,
    calling("c2", "get_stock", kind="keyboards"),
    STOCK,
    calling("c3", "exchange", order_id="W2378", item_id="A1512", other="B7788", size="XL"),
]


async def test_a_whole_history_keeps_all_but_does_not_name_the_tool_of_a_result() -> None:
    async def whole(task: str, history: list[Message]) -> list[Message]:
        return list(history)

    found = await measure([RUN], whole)
    # W2378 before the first call, which the user says, and with A1512 before the third, which stands far back there.
    assert (found.needed, found.kept) == (3, 3)
    assert (found.deep, found.deep_kept, found.attributed) == (1, 1, 0)
    assert found.whole == found.compressed
    assert len(found.took) == 3


async def test_a_value_that_is_lost_is_not_kept_and_one_in_a_named_record_is_attributed() -> None:
    async def newest(task: str, history: list[Message]) -> list[Message]:
        return list(history[-2:])

    async def told(task: str, history: list[Message]) -> list[Message]:
        record = "[RETRIEVED RECORD 1]\nSummary: get_order\nRaw Data: item_id=A1512"
        return [*history[:2], {"role": "system", "content": record}, *history[-2:]]

    assert await by_window(2)("t", RUN) == [RUN[0], *RUN[-2:]]
    lost = await measure([RUN], newest)
    assert (lost.deep, lost.deep_kept, lost.attributed) == (1, 0, 0)
    found = await measure([RUN], told)
    assert (found.deep, found.deep_kept, found.attributed) == (1, 1, 1)
    assert found.compressed < found.whole + 4 * len("[RETRIEVED RECORD 1]\nSummary: get_order\nRaw Data: item_id=A1512")


@pytest.mark.parametrize("value", ["B7788", "XL"])
async def test_what_the_system_prompt_alone_says_and_short_values_do_not_count(value: str) -> None:
    async def nothing(task: str, history: list[Message]) -> list[Message]:
        return [{"role": "user", "content": value}]

    assert (await measure([RUN], nothing)).kept == 0
