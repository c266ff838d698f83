"""Which bank an update over MCP is for: what its conversation id says, else the one that was activated."""

from collections.abc import Callable

import pytest

from tests.mcp_clients import call, client, refusal

NEVER_GIVEN = ["conv_8f3a", "secretproj", "3d0f7c62-58a4-4f0f-9c8e-0f3a1f0f7a11", "", "../x", "project/nope", "x" * 500]


async def test_two_sessions_are_at_work_with_two_banks(address: str) -> None:
    async with client(address, "legacy") as one, client(address, "legacy") as two:
        await call(one, "activate", conversation_type="project", project_name="one")
        await call(two, "activate", conversation_type="project", project_name="two")
        assert (await call(one, "update", content="From one."))["bank_info"]["id"] == "one"
        assert (await call(two, "update", content="From two."))["bank_info"]["id"] == "two"


async def test_a_conversation_id_says_the_bank_where_there_are_no_sessions(address: str) -> None:
    async with client(address) as one, client(address) as two:
        mine = (await call(one, "activate", conversation_type="project", project_name="one"))["conversation_id"]
        await call(two, "activate", conversation_type="project", project_name="two")
        told = await call(one, "update", content="From one.", conversation_id=mine)
        assert told["bank_info"]["id"] == "one"
        told = await call(two, "update", content="From two.", conversation_id="project/two")
        assert told["bank_info"]["id"] == "two"
    async with client(address, name="another program") as three:
        assert "activate" in await refusal(three, "update", content="x")


async def test_without_a_session_and_an_id_an_update_is_refused_where_several_banks_may_be_meant(address: str) -> None:
    async with client(address) as one, client(address) as two:
        await call(one, "activate", conversation_type="project", project_name="one")
        assert (await call(one, "update", content="From one."))["bank_info"]["id"] == "one"
        await call(two, "activate", conversation_type="project", project_name="two")
        before = await call(two, "list_banks")
        for window in (one, two):
            told = await refusal(window, "update", content="Whose is this?")
            assert "call `update` again with the conversation_id" in told
            assert told.endswith("project/two, project/one")
        assert await call(two, "list_banks") == before


@pytest.mark.parametrize("unknown", NEVER_GIVEN)
async def test_an_id_that_was_never_given_is_refused_and_changes_nothing(plain: str, user: str, unknown: str) -> None:
    path = f"/mcp?user_id={user}"
    async with client(plain, path=path) as one, client(plain, path=path) as two:
        await call(one, "activate", conversation_type="project", project_name="one")
        await call(two, "activate", conversation_type="project", project_name="two")
        before = await call(two, "list_banks")
        told = await refusal(one, "update", content="From one.", conversation_id=unknown)
        assert "call `activate` first, and pass the conversation_id that it returns" in told
        assert await call(two, "list_banks") == before


async def test_an_id_that_was_given_holds_in_another_process(address: str, serve: Callable[..., str]) -> None:
    async with client(address) as one:
        given = (await call(one, "activate", conversation_type="project", project_name="one"))["conversation_id"]
    async with client(serve(), name="another program") as two:
        assert (await call(two, "update", content="From two.", conversation_id=given))["bank_info"]["id"] == "one"
