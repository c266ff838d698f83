"""Work that outlives its request, and what becomes of its errors."""

import asyncio
import gc

import pytest
from pymongo.errors import BulkWriteError

from agents.chat.keeping import Keeping


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
