"""An assistant reads by MCP what its tools gave before, part by part, and only what is its user's."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.api.tool_requests import PATH
from tests.mcp_clients import call, client, refusal
from tests.tool_calls import call as tool_call
from tests.tool_calls import calling, result, user

ROWS = "\n".join(f"row {number}: nothing of note" for number in range(2_000))
WHOLE = ROWS.replace("row 1200: nothing", "row 1200: the zeppelin HAT136, nothing")
KEYS = {name: {"x-api-key": f"key-of-{name}"} for name in ("ann", "bob")}


@pytest.fixture
def address(serve: Callable[..., str]) -> str:
    return serve(api_keys="ann:key-of-ann, bob:key-of-bob")


async def kept(address: str, output: Any = WHOLE) -> str:
    """The trace_id of a result of Ann's."""
    steps = [calling(tool_call("c1", "read_log", {"path": "today"})), result("c1", output)]
    body = {"task_id": "t", "messages": [user("Where is it?"), *steps]}
    async with httpx.AsyncClient(base_url=address, headers=KEYS["ann"]) as plain:
        found = (await plain.post(f"{PATH}/compress", json=body)).json()
    return str(found["trace_ids"][0])


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_record_is_read_part_by_part_or_by_its_words(address: str, mode: str) -> None:
    trace = await kept(address)
    async with client(address, mode, **KEYS["ann"]) as ann:
        read = await call(ann, "tool_record", trace_id=trace)
        assert (read["tool"], read["arguments"]) == ("read_log", '{"path": "today"}')
        assert read["more"] == f"characters 0 to 8000 of {len(WHOLE)}; offset 8000 reads on"
        parts = [read["result"]]
        while sum(map(len, parts)) < len(WHOLE):
            read = await call(ann, "tool_record", trace_id=f"{trace} (before x):", offset=sum(map(len, parts)))
            parts.append(read["result"])
        assert "".join(parts) == WHOLE and read["more"].endswith("the last ones")
        found = await call(ann, "tool_record", trace_id=trace, query="zeppelin", limit=100)
        assert "zeppelin HAT136" in found["result"] and len(found["result"]) == 100


async def test_a_short_record_is_read_whole(address: str) -> None:
    trace = await kept(address, "It is in Rome.")
    async with client(address, **KEYS["ann"]) as ann:
        read = await call(ann, "tool_record", trace_id=trace)
    assert (read["result"], read["more"]) == ("It is in Rome.", None)


async def test_what_cannot_be_read_is_told_to_the_model(address: str) -> None:
    trace = await kept(address)
    async with client(address, **KEYS["ann"]) as ann, client(address, **KEYS["bob"]) as bob:
        assert await refusal(bob, "tool_record", trace_id=trace) == "No such record"
        assert await refusal(ann, "tool_record", trace_id="nothing") == "No such record"
        assert "none of these words" in await refusal(ann, "tool_record", trace_id=trace, query="glacier")
        wrong: list[dict[str, Any]] = [{}, {"trace_id": 5}, {"trace_id": ""}, {"trace_id": trace, "owner": "ann"}]
        wrong += [{"trace_id": trace, "limit": 99}, {"trace_id": trace, "offset": -1}, {"trace_id": "a\0b"}]
        for arguments in wrong:
            assert await refusal(ann, "tool_record", **arguments)
        [offered] = [one for one in (await ann.list_tools()).tools if one.name == "tool_record"]
    assert set(offered.input_schema["properties"]) == {"trace_id", "query", "offset", "limit"}
    assert offered.input_schema["required"] == ["trace_id"]
    assert offered.annotations is not None and offered.annotations.read_only_hint
