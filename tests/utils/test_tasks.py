"""Work that goes beside its caller's ends with it."""

import asyncio

import pytest

from utils.tasks import begun


async def test_what_is_begun_can_be_awaited_more_than_once() -> None:
    async def work() -> int:
        await asyncio.sleep(0)
        return 7

    async with begun(work()) as task:
        assert (await task, await task) == (7, 7)


async def test_what_is_not_done_by_the_end_is_cancelled() -> None:
    async with begun(asyncio.sleep(60)) as task:
        pass
    assert task.cancelled()


async def test_the_callers_error_is_raised_not_that_of_the_work(caplog: pytest.LogCaptureFixture) -> None:
    async def work() -> None:
        raise ValueError("of the work")

    with pytest.raises(KeyError):
        async with begun(work()):
            await asyncio.sleep(0)
            raise KeyError("of the caller")
    assert not caplog.records
