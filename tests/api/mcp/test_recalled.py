"""A recall that finds nothing says so only of what can be searched by now."""

from typing import Any

import httpx
import pytest

from agents.memory import Memory
from api.mcp.tools import KINDS
from api.wire.recalled import RecallCall, Recalled
from api.wire.search import SearchResponse
from memory.domain import Recall
from memory.gists.embedding_queue import Waiting
from tests import mcp_clients
from tests.conversations import USER
from tests.mcp_clients import call


@pytest.mark.parametrize(
    ("waiting", "note"),
    [
        (Waiting(0), "Nothing that is remembered has to do with this"),
        (Waiting(766), "wait to be made searchable, 766, and may not be found yet"),
        (Waiting(1_000, at_least=True), "1,000 or more"),
    ],
)
def test_what_cannot_be_found_yet_is_told(waiting: Waiting, note: str) -> None:
    assert note in (Recalled.of(Recall(), RecallCall(query="x"), {}, waiting).note or "")
    told: dict[str, Any] = SearchResponse.of(Recall(), "x", 1.0, waiting).model_dump()
    assert told.get("not_embedded", 0) == waiting.count


async def test_what_waits_is_counted_of_its_owner_and_kinds(quiet: Memory) -> None:
    await quiet.update(USER, "project", "loci", "\n\n".join(f"Fact {n}: {'understanding ' * 100}" for n in range(40)))
    await quiet.update("somebody else", "project", "loci", "The sky was blue.")
    waiting = await quiet.engine.gists.queue.count_of(USER, KINDS, 1_000)
    assert waiting.count > 32 and not waiting.at_least
    assert await quiet.engine.gists.queue.count_of(USER, KINDS, 10) == Waiting(10, at_least=True)
    assert (await quiet.engine.gists.queue.count_of(USER, ("turn",), 10)).count == 0
    await quiet.engine.gists.queue.work()
    assert (await quiet.engine.gists.queue.count_of(USER, KINDS, 1_000)).count == 0


async def test_what_is_remembered_in_an_isolated_project_is_recalled_in_it_alone(plain: str, user: str) -> None:
    async with httpx.AsyncClient(base_url=plain) as api:
        (await api.put("/v1/projects/zoo", json={"user_id": user, "isolated": True})).raise_for_status()
    async with mcp_clients.client(plain, path=f"/mcp?user_id={user}") as connected:
        await call(connected, "remember", text="My tortoise is called Tom.", project="zoo")
        inside = await call(connected, "recall", query="What is my tortoise called?", project="zoo")
        outside = await call(connected, "recall", query="What is my tortoise called?")
    assert "Tom" in inside["items"][0]["text"]
    assert outside["items"] == []
