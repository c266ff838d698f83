"""Work that goes beside its caller's ends with it."""

import asyncio
from contextlib import suppress
from functools import partial

import pytest

from utils.tasks import begun, each


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


async def test_a_step_that_fails_holds_up_no_other_and_is_told_of() -> None:
    taken: list[int] = []

    async def step(number: int) -> None:
        taken.append(number)
        if number % 2:
            raise ValueError(f"step {number}")

    with pytest.raises(ValueError, match="step 1"):
        await each(partial(step, number) for number in range(4))
    assert taken == [0, 1, 2, 3]


async def test_what_is_cancelled_ends_as_it_should_though_its_caller_is_cancelled_again() -> None:
    ended = asyncio.Event()
    ending = asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ending.set()
            await asyncio.sleep(0.05)
            ended.set()

    async def wait() -> None:
        async with begun(work()):
            await asyncio.sleep(60)

    waiting = asyncio.create_task(wait())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    waiting.cancel()
    await ending.wait()
    waiting.cancel()
    with suppress(asyncio.CancelledError):
        await waiting
    await asyncio.wait_for(ended.wait(), 5)
