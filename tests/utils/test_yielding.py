"""Background work leaves way to those who are answered, and gets on all the same."""

import asyncio

import pytest

from utils import yielding
from utils.yielding import Answering, Pace


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> Answering:
    """Nobody is being answered, and work looks for it all the time, for as long as need be."""
    for name, value in {"PATIENCE": 60.0, "QUIET": 0.0, "LOOK": 0.0}.items():
        monkeypatch.setattr(yielding, name, value)
    return Answering()


async def some_looks() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def test_nobody_waits_where_nobody_is_answered(answering: Answering) -> None:
    await asyncio.wait_for(Pace(answering).step(), 1)


async def test_work_waits_until_every_answer_has_begun(answering: Answering) -> None:
    ends = [answering.begin(), answering.begin()]
    work = asyncio.create_task(Pace(answering).step())
    for end in ends:
        await some_looks()
        assert not work.done()
        end()
    await asyncio.wait_for(work, 10)


def test_it_is_quiet_a_while_after_the_last_request(answering: Answering, monkeypatch: pytest.MonkeyPatch) -> None:
    moment = 100.0
    monkeypatch.setattr(yielding, "QUIET", 0.03)
    monkeypatch.setattr(yielding, "monotonic", lambda: moment)
    answering.begin()()
    moment += 0.02
    assert not answering.is_quiet
    moment += 0.02
    assert answering.is_quiet


def test_an_end_that_is_told_twice_ends_no_other_request(answering: Answering) -> None:
    first, second = answering.begin(), answering.begin()
    first()
    first()
    assert not answering.is_quiet
    second()
    assert answering.is_quiet


def test_a_request_that_waits_for_a_provider_is_not_being_answered(answering: Answering) -> None:
    end = answering.begin()
    with answering.elsewhere():
        assert answering.is_quiet
    assert not answering.is_quiet
    with answering.elsewhere():
        end()
    assert answering.is_quiet


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


async def test_work_gets_on_beside_any_load(answering: Answering) -> None:
    answering.begin()
    await asyncio.wait_for(answering.wait(0.01), 10)
