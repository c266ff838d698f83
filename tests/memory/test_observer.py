"""Reading outputs and sessions, beside those that change them."""

import asyncio
import logging
from typing import Any

import pytest

from agents.memory import Memory
from memory.observer import COLOURED, Observer
from tests.conversations import USER, turn
from tests.scripted_model import ScriptedModel, answer
from utils.errors import Conflict, NotFound
from utils.text import uncoloured

DECIDED = "We decided to use OAuth2 for item number {}."


async def say(memory: Memory, count: int = 3, session: str = "s1") -> None:
    turns = [turn(f"{session}-{number}", DECIDED.format(number)) for number in range(count)]
    await memory.add(USER, session, turns)


async def listed(memory: Memory) -> list[str]:
    return sorted(one.content for one, _ in await memory.engine.observations.page(USER, limit=1_000))


async def test_all_messages_of_a_session_are_read(quiet: Memory) -> None:
    await say(quiet, 600)
    done = await quiet.consolidate(USER, "s1")
    assert done.added == len(done.observations) == 600 and done.summary is None
    assert (await quiet.consolidate(USER, "s1")).added == 0


async def test_a_session_that_is_not_there_is_not_found(quiet: Memory) -> None:
    with pytest.raises(NotFound):
        await quiet.consolidate(USER, "s1")


async def test_two_at_once_add_each_once(both: tuple[Memory, Memory]) -> None:
    await say(both[0], 20)
    done = await asyncio.gather(*(memory.consolidate(USER, "s1") for memory in both * 3))
    assert sum(one.added for one in done) == len(await listed(both[0])) == 20


async def test_a_session_deleted_meanwhile_leaves_nothing(quiet: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    await say(quiet)
    remember = quiet.engine.observations.remember

    async def deleted_first(*given: Any, **more: Any) -> Any:
        await quiet.engine.forgetter.session(USER, "s1")
        return await remember(*given, **more)

    monkeypatch.setattr(quiet.engine.observations, "remember", deleted_first)
    with pytest.raises(Conflict):
        await quiet.consolidate(USER, "s1")
    assert await listed(quiet) == []
    assert await quiet.engine.collections.vectors.find_one({"user_id": USER}) is None


async def test_a_message_deleted_meanwhile_tells_nothing(quiet: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    await say(quiet)
    remember = quiet.engine.observations.remember

    async def deleted_first(*given: Any, **more: Any) -> Any:
        await quiet.engine.forgetter.message(USER, "s1-1")
        return await remember(*given, **more)

    monkeypatch.setattr(quiet.engine.observations, "remember", deleted_first)
    await quiet.consolidate(USER, "s1")
    assert await listed(quiet) == [DECIDED.format(0), DECIDED.format(2)]


async def test_a_message_reworded_meanwhile_tells_nothing_of_what_it_said(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await say(quiet)
    remember = quiet.engine.observations.remember

    async def reworded_first(*given: Any, **more: Any) -> Any:
        await quiet.engine.forgetter.reword(USER, "s1-1", "We agreed on Redis.")
        return await remember(*given, **more)

    with monkeypatch.context() as patch:
        patch.setattr(quiet.engine.observations, "remember", reworded_first)
        await quiet.consolidate(USER, "s1")
    assert await listed(quiet) == [DECIDED.format(0), DECIDED.format(2)]
    await quiet.consolidate(USER, "s1")
    assert await listed(quiet) == ["We agreed on Redis.", DECIDED.format(0), DECIDED.format(2)]


async def test_a_reworded_message_takes_back_what_it_told(quiet: Memory) -> None:
    await say(quiet)
    await quiet.consolidate(USER, "s1")
    await quiet.engine.forgetter.reword(USER, "s1-1", "We agreed on Redis.")
    assert await listed(quiet) == [DECIDED.format(0), DECIDED.format(2)]
    await quiet.consolidate(USER, "s1")
    assert await listed(quiet) == ["We agreed on Redis.", DECIDED.format(0), DECIDED.format(2)]


async def test_a_session_of_the_same_id_has_its_own(quiet: Memory) -> None:
    await say(quiet)
    await quiet.consolidate(USER, "s1")
    await quiet.engine.forgetter.session(USER, "s1")
    await quiet.add(USER, "s1", [turn("again", DECIDED.format(9))])
    await quiet.consolidate(USER, "s1")
    assert await listed(quiet) == [DECIDED.format(9)]


async def test_rules_never_hold_up_the_event_loop_for_long(quiet: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The longest output that is read is cut before it is."""
    seen: list[int] = []

    async def read(self: Observer, name: str, kind: str, output: str) -> Any:
        seen.append(len(output))
        return (), "rule_based"

    def shown(text: str) -> str:
        seen.append(len(text))
        return uncoloured(text)

    monkeypatch.setattr(Observer, "_read", read)
    monkeypatch.setattr("memory.observer.uncoloured", shown)
    await quiet.extract_observations(USER, "a", "RUN", "x" * 2_000_000)
    assert seen == [COLOURED, 4_000]
    await quiet.extract_observations(USER, "a", "RUN", "\x1b[38;2;255;255;255mx" * 100_000)
    assert seen[2:] == [COLOURED, 4_000]


async def test_why_a_models_answer_is_lost_is_logged(
    with_model: Memory, scripted_model: ScriptedModel, caplog: pytest.LogCaptureFixture
) -> None:
    scripted_model.always(answer('{"found": []}'), on="observations")
    with caplog.at_level(logging.WARNING, "memory.observer"):
        read = await with_model.extract_observations(USER, "a", "RUN", "The limit is 100 a minute. " * 3)
    assert read.outcome == "failed"
    assert "there are no findings, insights or lessons in them" in caplog.text
