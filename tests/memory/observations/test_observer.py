"""Reading outputs and sessions, beside those that change them."""

import asyncio
import json
import logging
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from agents.memory import Memory
from memory.observations.notes import observe_by_rules, output_for_model
from tests.conversations import USER, turn
from tests.meanwhile import meanwhile
from tests.scripted_model import ScriptedModel, answer
from utils.errors import Conflict, NotFound
from utils.text import off_a_terminal

DECIDED = "We decided to use OAuth2 for item number {}."


async def say(memory: Memory, count: int = 3, session: str = "s1") -> None:
    turns = [turn(f"{session}-{number}", DECIDED.format(number)) for number in range(count)]
    await memory.add(USER, session, turns)


async def listed(memory: Memory) -> list[str]:
    return sorted(one.content for one, _ in await memory.engine.notes.observations.page(USER, limit=1_000))


def before_it_is_kept(memory: Memory, patch: pytest.MonkeyPatch, happens: Callable[[], Awaitable[object]]) -> None:
    """Has something happen when the observations of a session are made, and not yet kept."""
    meanwhile(patch, memory.engine.notes.observations, "remember", happens)


async def test_all_messages_of_a_session_are_read(quiet: Memory) -> None:
    await say(quiet, 600)
    done = await quiet.consolidate(USER, "s1")
    assert done.added == len(done.observations) == 600 and done.summary is None
    assert (await quiet.consolidate(USER, "s1")).added == 0


async def test_what_is_labelled_is_remembered_once_as_what_its_label_says(quiet: Memory) -> None:
    said = "Finding: db-1 is full.\nLessons:\n- never log to it\n\nInsight: caches win. Note that we agreed on Redis."
    await quiet.add(USER, "s1", [turn("m1", said)])
    done = await quiet.consolidate(USER, "s1")
    assert sorted((one.category, one.content) for one in done.observations) == [
        ("finding", "db-1 is full."),
        ("insight", "Note that we agreed on Redis."),
        ("insight", "caches win."),
        ("lesson", "never log to it"),
    ]
    again = await quiet.consolidate(USER, "s1")
    assert again.added == 0 and sorted(one.id for one in again.observations) == sorted(
        one.id for one in done.observations
    )


async def test_a_session_that_is_not_there_is_not_found(quiet: Memory) -> None:
    with pytest.raises(NotFound):
        await quiet.consolidate(USER, "s1")


async def test_two_at_once_add_each_once(both: tuple[Memory, Memory]) -> None:
    await say(both[0], 20)
    done = await asyncio.gather(*(memory.consolidate(USER, "s1") for memory in both * 3))
    assert sum(one.added for one in done) == len(await listed(both[0])) == 20


async def test_a_session_deleted_meanwhile_leaves_nothing(quiet: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    await say(quiet)
    before_it_is_kept(quiet, monkeypatch, lambda: quiet.engine.oversight.forgetter.session(USER, "s1"))
    with pytest.raises(Conflict):
        await quiet.consolidate(USER, "s1")
    assert await listed(quiet) == []
    assert await quiet.engine.store.collections.vectors.find_one({"user_id": USER}) is None


async def test_a_message_deleted_meanwhile_tells_nothing(quiet: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    await say(quiet)
    before_it_is_kept(quiet, monkeypatch, lambda: quiet.engine.oversight.forgetter.message(USER, "s1-1"))
    await quiet.consolidate(USER, "s1")
    assert await listed(quiet) == [DECIDED.format(0), DECIDED.format(2)]


async def test_a_message_reworded_meanwhile_tells_nothing_of_what_it_said(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await say(quiet)
    reword = quiet.engine.oversight.forgetter.reword
    before_it_is_kept(quiet, monkeypatch, lambda: reword(USER, "s1-1", "We agreed on Redis."))
    await quiet.consolidate(USER, "s1")
    assert await listed(quiet) == [DECIDED.format(0), DECIDED.format(2)]
    await quiet.consolidate(USER, "s1")
    assert await listed(quiet) == ["We agreed on Redis.", DECIDED.format(0), DECIDED.format(2)]


async def test_a_reworded_message_takes_back_what_it_told(quiet: Memory) -> None:
    await say(quiet)
    await quiet.consolidate(USER, "s1")
    await quiet.engine.oversight.forgetter.reword(USER, "s1-1", "We agreed on Redis.")
    assert await listed(quiet) == [DECIDED.format(0), DECIDED.format(2)]
    await quiet.consolidate(USER, "s1")
    assert await listed(quiet) == ["We agreed on Redis.", DECIDED.format(0), DECIDED.format(2)]


async def test_a_session_of_the_same_id_has_its_own(quiet: Memory) -> None:
    await say(quiet)
    await quiet.consolidate(USER, "s1")
    await quiet.engine.oversight.forgetter.session(USER, "s1")
    await quiet.add(USER, "s1", [turn("again", DECIDED.format(9))])
    await quiet.consolidate(USER, "s1")
    assert await listed(quiet) == [DECIDED.format(9)]


async def test_reading_a_long_output_never_holds_up_the_event_loop(
    quiet: Memory, with_model: Memory, scripted_model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    readers: list[threading.Thread] = []

    def seen(read: Callable[[str], Any]) -> Callable[[str], Any]:
        def reading(output: str) -> Any:
            readers.append(threading.current_thread())
            return read(output)

        return reading

    for name, read in (
        ("off_a_terminal", off_a_terminal),
        ("observe_by_rules", observe_by_rules),
        ("output_for_model", output_for_model),
    ):
        monkeypatch.setattr(f"memory.observations.observer.{name}", seen(read))
    scripted_model.always(answer('{"findings": []}'), on="observations")
    for memory in (quiet, with_model):
        await memory.extract_observations(USER, "a", "RUN", "x" * 2_000_000)
    assert len(readers) == 4 and threading.main_thread() not in readers


async def test_of_a_long_output_a_model_is_shown_its_json_its_failures_and_its_end(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    scripted_model.always(answer('{"findings": []}'), on="observations")
    lines = [f"worker {at} processed {at * 7} batches" for at in range(2_000)]
    lines[1_100] = "ERROR worker 7: disk full"
    rows = json.dumps({"host": "db-1", "ids": list(range(2_000)), "disk_pct": 97})
    output = "\n".join([*lines[:9], rows, *lines[9:], "Total: 1999 batches"])
    await with_model.extract_observations(USER, "a", "RUN", output)
    shown = json.loads(scripted_model.asked("observations")[-1]["messages"][-1]["content"])["output"]
    assert len(shown) <= 4_000
    assert shown.startswith("host: db-1; ids: 0, 1, 2,") and "disk_pct: 97" in shown.splitlines()[0]
    assert lines[1_100] in shown and shown.endswith("Total: 1999 batches")


async def test_a_coloured_output_is_read_to_its_end(quiet: Memory) -> None:
    output = "".join(f"\x1b[38;2;255;255;255m{at} x\x1b[0m\n" for at in range(9_000)) + "ERROR disk full on db-1\n"
    read = await quiet.extract_observations(USER, "a", "RUN", output)
    assert [one.content for one in read.observations] == ["ERROR disk full on db-1"]


async def test_why_a_models_answer_is_lost_is_logged(
    with_model: Memory, scripted_model: ScriptedModel, caplog: pytest.LogCaptureFixture
) -> None:
    scripted_model.always(answer('{"found": []}'), on="observations")
    with caplog.at_level(logging.WARNING, "memory.observations.observer"):
        read = await with_model.extract_observations(USER, "a", "RUN", "The limit is 100 a minute. " * 3)
    assert read.outcome == "failed"
    assert "there are no findings, insights or lessons in them" in caplog.text
