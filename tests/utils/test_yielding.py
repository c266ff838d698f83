"""Does background work leave way to those who are answered, and get on all the same?"""

import asyncio
from time import monotonic

import pytest

from utils import yielding
from utils.yielding import Answering


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> Answering:
    monkeypatch.setattr(yielding, "PATIENCE", 60.0)
    return Answering()


async def test_nobody_waits_where_nobody_is_answered(answering: Answering) -> None:
    await asyncio.wait_for(answering.over(), 1)


async def test_work_waits_until_every_answer_has_begun_and_no_other_request_comes(answering: Answering) -> None:
    ends = [answering.begin(), answering.begin()]
    work = asyncio.create_task(answering.over())
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


async def test_work_gets_on_beside_any_load(answering: Answering, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yielding, "PATIENCE", 0.05)
    answering.begin()
    await asyncio.wait_for(answering.over(), 10)
