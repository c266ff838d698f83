"""Work is done also where no worker runs."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from operator import attrgetter
from typing import Any

import pytest

from agents.memory import Memory
from agents.upkeep import background
from agents.upkeep.background import BackgroundNudge, Work
from memory.traces.queue import Observed
from tests.conversations import USER, messages, pairs


async def test_nudges_during_the_work_lead_to_one_more_round(quiet: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    rounds, going = 0, asyncio.Event()

    async def work() -> int:
        nonlocal rounds
        rounds += 1
        await going.wait()
        return 0

    monkeypatch.setattr(quiet.engine.gists.queue, "work", work)
    nudge = BackgroundNudge(quiet.engine)
    for _ in range(5):
        nudge("embed")
        await asyncio.sleep(0)
    going.set()
    await nudge.close()
    assert rounds == 2


@pytest.mark.parametrize(
    ("nudged", "queue"),
    [("embed", "gists.queue"), ("summarise", "chats.summaries"), ("learn", "knowledge.queue")],
)
async def test_each_nudge_leads_to_its_own_work(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch, nudged: Work, queue: str
) -> None:
    worked: list[str] = []

    def working(name: str) -> Callable[[], Awaitable[None]]:
        async def work() -> None:
            worked.append(name)

        return work

    for name in ("gists.queue", "chats.summaries", "knowledge.queue"):
        method = "step" if name == "knowledge.queue" else "work"
        monkeypatch.setattr(attrgetter(name)(quiet.engine), method, working(name))
    nudge = BackgroundNudge(quiet.engine)
    nudge(nudged)
    await nudge.close()
    assert worked == [queue]


async def test_facts_are_made_for_a_while_after_closing_and_the_rest_is_left(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[int] = []

    async def step() -> int | None:
        steps.append(16)
        return 16 if len(steps) < 5 else None

    monkeypatch.setattr(quiet.engine.knowledge.queue, "step", step)
    for patience, made in ((10.0, 5), (0.0, 1)):
        monkeypatch.setattr(background, "PATIENCE", patience)
        steps.clear()
        nudge = BackgroundNudge(quiet.engine)
        nudge("learn")
        await nudge.close()
        assert len(steps) == made


async def test_the_observer_goes_on_as_long_as_there_is_more_and_has_insights_embedded(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps, worked = [Observed(8, more=True), Observed(0, more=True), Observed(1)], list[str]()

    async def step() -> Observed:
        worked.append("observe")
        return steps.pop(0)

    async def embed() -> int:
        worked.append("embed")
        return 0

    monkeypatch.setattr(quiet.engine.tools.queue, "step", step)
    monkeypatch.setattr(quiet.engine.gists.queue, "work", embed)
    nudge = BackgroundNudge(quiet.engine)
    nudge("observe")
    await nudge.close()
    assert worked.count("observe") == 3 and 1 <= worked.count("embed") <= 2 and worked[-1] == "embed"


async def test_work_that_fails_is_logged_and_left_to_the_sweep(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    await quiet.add(USER, "s1", pairs(1))
    nudge = BackgroundNudge(quiet.engine)

    async def broken(*_: Any) -> Any:
        raise ZeroDivisionError

    with monkeypatch.context() as patch, caplog.at_level(logging.ERROR):
        patch.setattr(quiet.engine.gists.embedder, "embed", broken)
        nudge("embed")
        await nudge.close()
    assert "the sweep will try again" in caplog.text
    assert {one["embed"]["state"] for one in await messages(quiet)} == {"pending"}
    nudge("embed")
    await nudge.close()
