"""Work that outlives its request, what becomes of its errors, and answers that are committed while they come."""

import asyncio
import gc
from typing import Any

import pytest
from pymongo.errors import AutoReconnect, BulkWriteError

from agents.chat import drafting
from agents.chat.drafting import Drafting, Keeping
from agents.memory import Memory
from memory.domain import Turn
from tests.conversations import USER, until
from utils.clock import now


async def fail(error: Exception) -> None:
    await asyncio.sleep(0)
    raise error


@pytest.fixture(autouse=True)
def _nothing_of_before() -> None:
    """What other tests left is not logged here."""
    gc.collect()


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What was logged, once nobody holds a task any more."""
    gc.collect()
    return [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]


async def test_an_error_that_nobody_waits_for_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    keeping = Keeping()
    keeping.start(fail(ValueError("no such place")))
    await keeping.close()
    assert logged(caplog) == ["work after a request failed: ValueError: no such place"]


async def test_an_error_is_logged_where_whoever_waited_has_left(caplog: pytest.LogCaptureFixture) -> None:
    keeping, ready = Keeping(), asyncio.Event()

    async def work() -> None:
        await ready.wait()
        raise ValueError("no such place")

    async def wait() -> None:
        await asyncio.shield(keeping.start(work()))

    waiting = asyncio.create_task(wait())
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait([waiting])
    ready.set()
    await keeping.close()
    assert logged(caplog) == ["work after a request failed: ValueError: no such place"]


async def test_an_error_that_is_told_to_somebody_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    keeping = Keeping()
    with pytest.raises(ValueError, match="one"):
        await keeping.start(fail(ValueError("one")))
    with pytest.raises(ValueError, match="two"):
        await asyncio.shield(keeping.start(fail(ValueError("two"))))
    later = keeping.start(fail(ValueError("three")))
    await asyncio.wait([later])
    with pytest.raises(ValueError, match="three"):
        later.result()
    del later
    assert logged(caplog) == []


async def test_what_was_said_does_not_come_into_the_log(caplog: pytest.LogCaptureFixture) -> None:
    keeping = Keeping()
    keeping.start(fail(BulkWriteError({"writeErrors": [{"op": {"content": "My PIN is 4711."}}]})))
    await keeping.close()
    assert logged(caplog) == ["work after a request failed: BulkWriteError"]
    assert "4711" not in caplog.text


async def test_work_that_is_cancelled_is_no_error(caplog: pytest.LogCaptureFixture) -> None:
    keeping = Keeping()
    keeping.start(asyncio.sleep(60)).cancel()
    await keeping.close()
    assert logged(caplog) == []


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

    monkeypatch.setattr(drafting, "DRAFT_SECONDS", 0.01)
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
