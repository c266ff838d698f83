"""Answers that are committed while they are still coming."""

from typing import Any

import pytest
from pymongo.errors import AutoReconnect

from agents.chat import keeping as drafting
from agents.chat.keeping import Drafting
from agents.memory import Memory
from memory.domain import Turn
from tests.conversations import USER, until
from utils.clock import now


async def test_a_store_that_is_away_for_a_moment_costs_no_more_than_that(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    prompt = Turn("t.prompt", "user", "Tell me a story.", now(), turn_id="t")
    place = await quiet.engine.chats.turns.open_exchange(USER, "s1", prompt, retried=False)
    save, failures = quiet.engine.chats.drafts.save, [AutoReconnect("the store went away")] * 3

    async def saving(*args: Any) -> None:
        if failures:
            raise failures.pop()
        await save(*args)

    monkeypatch.setattr(drafting, "EVERY", 0.01)
    monkeypatch.setattr(quiet.engine.chats.drafts, "save", saving)
    answer = Turn("t.response", "assistant", "Once upon a time.", now(), turn_id="t")
    under_way = Drafting(quiet.engine.chats.drafts, place, lambda: answer)

    async def drafted() -> bool:
        return await quiet.engine.store.collections.drafts.count_documents({"content": answer.content}) == 1

    await until(drafted)
    assert await under_way.stop()
    [said] = [record.message for record in caplog.records if "drafted" in record.message]
    assert "t.response" in said and "AutoReconnect" in said
    assert "Once" not in caplog.text
