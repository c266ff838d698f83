"""Does background work leave way to those who are answered, and get on all the same?"""

import asyncio
from time import monotonic

import pytest

from utils import yielding
from utils.yielding import Answering, Pace


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> Answering:
    monkeypatch.setattr(yielding, "PATIENCE", 60.0)
    return Answering()


async def test_nobody_waits_where_nobody_is_answered(answering: Answering) -> None:
    await asyncio.wait_for(Pace(answering).step(), 1)


async def test_work_waits_until_every_answer_has_begun_and_no_other_request_comes(answering: Answering) -> None:
    ends = [answering.begin(), answering.begin()]
    work = asyncio.create_task(Pace(answering).step())
    for end in ends:
        await asyncio.sleep(0.05)
        assert not work.done()
        end()
    ended = monotonic()
    await asyncio.wait_for(work, 10)
    assert monotonic() - ended >= yielding.QUIET


async def test_an_end_that_is_told_twice_ends_no_other_request(answering: Answering) -> None:
    first, second = answering.begin(), answering.begin()
    first()
    first()
    await asyncio.sleep(2 * yielding.QUIET)
    assert not answering.is_quiet
    second()


async def test_a_request_that_waits_for_a_provider_is_not_being_answered(answering: Answering) -> None:
    end = answering.begin()
    with answering.elsewhere():
        await asyncio.wait_for(answering.wait(60), 10)
    assert not answering.is_quiet
    with answering.elsewhere():
        end()
    await asyncio.wait_for(answering.wait(60), 10)


async def test_waits_are_in_proportion_to_the_work(answering: Answering, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []

    async def wait(most: float) -> None:
        asked.append(most)

    monkeypatch.setattr(answering, "wait", wait)
    monkeypatch.setattr(yielding, "PATIENCE", 0.25)
    moments = iter([0.0, 0.01, 1.0, 9.0, 10.0])
    monkeypatch.setattr(yielding, "monotonic", lambda: next(moments))
    pace = Pace(answering)
    for _ in range(3):
        await pace.step()
    assert asked == pytest.approx([0.25, 0.09, 0.25])
