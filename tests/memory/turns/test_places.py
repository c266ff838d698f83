"""Every message gets a place of its own, whoever else writes to the session at the same moment."""

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from agents.memory import Memory
from agents.open import open_memory
from config.settings import Settings
from memory.domain import Turn
from memory.ids import prompt_id, response_id
from tests.conversations import USER, Silent, messages, request, turn
from utils.clock import now


@pytest.fixture
async def others(make_settings: Callable[..., Settings], quiet: Memory) -> AsyncIterator[Memory]:
    """Another process over the database of `quiet`."""
    settings = make_settings(mongodb_db=quiet.engine.store.collections.vectors.database.name)
    async with open_memory(settings, nudge=Silent()) as opened:
        yield opened


async def session_of(memory: Memory, session_id: str = "s1") -> dict[str, Any]:
    found = await memory.engine.store.collections.sessions.find_one({"user_id": USER, "session_id": session_id})
    assert found is not None
    return found


async def whole(memory: Memory, exchanges: int, session_id: str = "s1") -> None:
    """The session counts what it holds, and each message has the next place."""
    session, kept = await session_of(memory, session_id), await messages(memory, session_id)
    assert [one["message_index"] for one in kept] == list(range(2 * exchanges))
    assert (session["message_count"], session["pair_count"]) == (2 * exchanges, exchanges)
    logged = [(event["turn_id"], event["type"]) for event in session["events"]]
    assert sorted(logged) == sorted((one["turn_id"], one["_id"].rpartition(".")[2]) for one in kept)


async def test_two_processes_take_turns_in_a_session(quiet: Memory, others: Memory) -> None:
    for n in range(12):
        await (quiet, quiet, others)[n % 3].chat(request(f"message {n}"))
    await whole(quiet, 12)


async def test_two_processes_write_to_a_session_at_once(quiet: Memory, others: Memory) -> None:
    await quiet.chat(request("first"))
    for _ in range(5):
        await asyncio.gather(*(memory.chat(request("again")) for memory in (quiet, others) * 3))
    await whole(quiet, 31)


async def test_a_session_that_changed_does_not_hold_the_others_of_its_call_up(quiet: Memory, others: Memory) -> None:
    sessions = [f"s{n}" for n in range(6)]
    await asyncio.gather(*(quiet.chat(request("hello", session_id=session)) for session in sessions))
    await others.chat(request("in between", session_id="s3"))
    await asyncio.gather(*(quiet.chat(request("and again", session_id=session)) for session in sessions))
    for session in sessions:
        await whole(quiet, 3 if session == "s3" else 2, session)


async def test_recent_messages_of_another_process_are_seen(quiet: Memory, others: Memory) -> None:
    await quiet.chat(request("one"))
    await others.chat(request("two"))
    finished = await quiet.chat(request("What did I say before?"))
    assert finished.context.bundle is not None
    assert [gist.content for gist in finished.context.bundle.recent if gist.role == "user"] == ["one", "two"]


async def test_a_session_that_was_deleted_begins_anew(quiet: Memory, others: Memory) -> None:
    await quiet.chat(request("before"))
    epoch = (await session_of(quiet))["epoch"]
    await others.engine.oversight.forgetter.session(USER, "s1")
    await quiet.chat(request("after"))
    assert (await session_of(quiet))["epoch"] != epoch
    await whole(quiet, 1)


async def exchange(memory: Memory, n: int) -> bool:
    """One exchange; whether it found a summary due."""
    turn_id = f"t{n}"
    place = await memory.engine.chats.turns.open_exchange(
        USER, "s1", Turn(prompt_id(turn_id), "user", "a", now(), turn_id=turn_id), retried=False
    )
    due = memory.engine.chats.places.is_due(place)
    answer = Turn(response_id(turn_id), "assistant", "b", now(), turn_id=turn_id)
    assert await memory.engine.chats.turns.close_exchange(USER, "s1", place, answer, retried=False) != "gone"
    return due


async def test_a_summary_is_asked_for_until_it_has_come(quiet: Memory) -> None:
    assert [n for n in range(1, 13) if await exchange(quiet, n)] == [10, 11, 12]
    await quiet.engine.chats.summaries.work()
    assert [n for n in range(13, 23) if await exchange(quiet, n)] == [20, 21, 22]


async def test_an_update_that_landed_beside_one_that_did_not_is_known_again(quiet: Memory, others: Memory) -> None:
    for session in ("s1", "s2"):
        await quiet.chat(request("hello", session_id=session))
    await others.chat(request("in between", session_id="s2"))
    said = datetime(2025, 3, 1, 12, 0, 0, 123_456, tzinfo=UTC)  # finer than what the store keeps
    await asyncio.gather(
        *(quiet.add(USER, name, [Turn(f"{name}.a", "user", "imported", said)]) for name in ("s1", "s2"))
    )
    for name, count in (("s1", 3), ("s2", 5)):
        kept = await messages(quiet, name)
        assert [one["message_index"] for one in kept] == list(range(count))
        assert (await session_of(quiet, name))["message_count"] == count


async def test_the_same_import_by_two_processes_is_counted_once(quiet: Memory, others: Memory) -> None:
    for n in range(6):
        await asyncio.gather(quiet.chat(request("one")), others.chat(request("two")))
        same = [turn(f"m{n}.{at}") for at in range(3)]
        await asyncio.gather(*(memory.add(USER, "s1", same) for memory in (quiet, others, quiet)))
    kept, session = await messages(quiet), await session_of(quiet)
    assert session["message_count"] == len(kept) == 6 * 7
    assert len({one["message_index"] for one in kept}) == len(kept)


async def test_a_request_that_is_cancelled_leaves_the_counts_right(quiet: Memory) -> None:
    for steps in range(60):
        asking = asyncio.create_task(quiet.chat(request("a question", session_id=f"s{steps}")))
        for _ in range(steps):
            await asyncio.sleep(0)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        await quiet.close()
        kept = await messages(quiet, f"s{steps}")
        counted = await quiet.engine.store.collections.sessions.find_one({"_id": f"s{steps}"})
        assert (counted["message_count"] if counted else 0) == len(kept)


async def times(memory: Memory, session_id: str = "s1") -> tuple[datetime, datetime]:
    session = await memory.engine.chats.sessions.get(USER, session_id)
    return session.created_at, session.updated_at


async def test_an_imported_session_spans_the_time_of_its_messages(quiet: Memory) -> None:
    began = now()
    await quiet.add(USER, "s1", [turn("m20"), turn("m10"), turn("m30", timestamp=now() + timedelta(days=9))])
    first, last = await times(quiet)
    assert first == turn("m10").timestamp
    assert began <= last <= now()
    await quiet.add(USER, "s2", [turn("n40"), turn("n5"), turn("n41", role="assistant")])
    assert await times(quiet, "s2") == (turn("n5").timestamp, turn("n41").timestamp)
    await quiet.add(USER, "s2", [turn("n7")])
    assert await times(quiet, "s2") == (turn("n5").timestamp, turn("n41").timestamp)
    page = await quiet.engine.chats.sessions.page(USER, limit=9, after=None, title=None)
    assert [session.id for session, _ in page] == ["s1", "s2"]


async def test_a_session_that_goes_on_is_as_new_as_what_was_said_last(quiet: Memory) -> None:
    await quiet.add(USER, "s1", [turn("m1")])
    await quiet.add(USER, "s2", [turn("n2")])
    began = now()
    for _ in range(2):  # the second time, the process knows the session
        await quiet.chat(request("hello"))
        first, last = await times(quiet)
        assert first == turn("m1").timestamp and last >= began
    await quiet.add(USER, "s1", [turn("m0")])
    assert await times(quiet) == (turn("m0").timestamp, last)


async def test_several_who_import_at_once_leave_the_first_and_the_last_time(quiet: Memory, others: Memory) -> None:
    turns = [turn(f"m{n}") for n in range(12)]
    await asyncio.gather(*((quiet, others)[n % 2].add(USER, "s1", [one]) for n, one in enumerate(turns)))
    assert await times(quiet) == (turns[0].timestamp, turns[-1].timestamp)
