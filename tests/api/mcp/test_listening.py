"""What clients hear that listen for changes, by the official client over HTTP."""

import asyncio
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from api.mcp import server
from tests.conversations import until
from tests.mcp_clients import Heard, call, client


async def test_a_client_that_listens_is_told_of_its_own_banks_alone(serve: Callable[..., str]) -> None:
    address = serve(api_keys="ann:key-of-ann, bob:key-of-bob")
    uri = "loci://banks/project/loci/active.md"
    as_ann, as_bob = {"x-api-key": "key-of-ann"}, {"x-api-key": "key-of-bob"}
    async with client(address, **as_ann) as ann, client(address, **as_bob) as bob:
        for connected in (ann, bob):
            await call(connected, "activate", conversation_type="project", project_name="loci")
        async with ann.listen(resource_subscriptions=[uri]) as told:
            await call(bob, "update", content="The sky was blue.")
            await call(ann, "update", content="file2.md:\nThe sky was blue.")
            await call(ann, "update", content="The sky was blue.")
            async for event in told:
                assert getattr(event, "uri", None) == uri
                break


async def test_who_listens_for_the_list_of_resources_hears_of_a_new_file(address: str) -> None:
    async with client(address) as connected:
        await call(connected, "activate", conversation_type="project", project_name="listed")
        async with connected.listen(resources_list_changed=True) as told:
            await call(connected, "update", content="ideas.md:\nWe could sell hats.")
            async with asyncio.timeout(10):
                async for event in told:
                    assert type(event).__name__ == "ResourcesListChanged"
                    break


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
async def test_a_client_of_a_protocol_with_sessions_may_subscribe(address: str) -> None:
    uri, other = "loci://banks/project/loci/active.md", "loci://banks/project/loci/decisions.md"
    told = Heard()
    async with client(address, "legacy", hears=told) as connected:
        await call(connected, "activate", conversation_type="project", project_name="loci")
        with pytest.raises(MCPError):
            await connected.subscribe_resource("loci://banks/project/loci/none.md")
        await connected.subscribe_resource(uri)
        await call(connected, "update", content="decisions.md:\nThe sky was blue.")
        async with asyncio.timeout(30):
            for number in count():
                if not told.empty():  # the client has opened the stream on which it is told
                    break
                await call(connected, "update", content=f"The sky was blue on day {number}.")
        assert await told.get() == uri
        await connected.unsubscribe_resource(uri)
        await connected.subscribe_resource(other)
        await call(connected, "update", content="decisions.md:\nThe sky was grey.")
        async with asyncio.timeout(30):
            while await told.get() != other:  # what was on its way has arrived
                pass
            await call(connected, "update", content="The sky was blue.\n\ndecisions.md:\nThe sea was calm.")
            assert await told.get() == other


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
async def test_a_session_that_ends_is_told_no_more(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    real = server.Subscriptions

    def remembered(*arguments: Any) -> Any:
        made.append(real(*arguments))
        return made[-1]

    monkeypatch.setattr(server, "Subscriptions", remembered)
    async with client(address, "legacy") as connected:
        await call(connected, "activate", conversation_type="project", project_name="loci")
        await connected.subscribe_resource("loci://banks/project/loci/active.md")
        assert [list(one._owners) for one in made] == [["default"]]

    async def forgotten() -> bool:
        return not made[0]._owners

    await until(forgotten)
