"""What is moved between a user's memories: whole, once, and at last also after a crash."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest

from agents.memory import Memory
from api.app import create_app
from config.settings import Settings
from memory.ids import owner_apart
from memory.turns import projects
from tests.conversations import USER, messages, pairs, request, turn, until
from utils.clock import now
from utils.errors import Conflict, NotFound

ZOO = owner_apart(USER, "zoo")
SAID = "I live in Quokkaville."


async def facts(memory: Memory, owner: str) -> list[str]:
    return [fact.text for fact in await memory.engine.knowledge.facts.in_force(owner)]


async def learn(memory: Memory) -> None:
    await memory.engine.gists.queue.work()
    await memory.engine.knowledge.queue.work()


async def everything(memory: Memory, owner: str) -> list[tuple[str, Any]]:
    """All that an owner has, but for what differs by its owner, or by when it was last changed."""
    changing, found = ("updated_at", "id", "epoch", "history", "key", "considered"), list[tuple[str, Any]]()
    async for record in memory.engine.records(owner):
        if record.kind == "project":  # isolated ones follow
            break
        fields = {name: value for name, value in record.fields.items() if name not in changing}
        found.append((record.kind, fields))
    return found


@pytest.fixture
async def told(quiet: Memory) -> Memory:
    """A session in an open project, with all that may be made of one, and another session beside it."""
    await quiet.add(USER, "s1", pairs(12), project="zoo")
    for query in (SAID, "Remember that my locker is 12.", "What is my locker?"):
        await quiet.chat(request(query, images=("https://pictures.test/locker.png",) if query == SAID else ()))
    await quiet.chat(request("I work as a diver.", "s2"))
    await learn(quiet)
    await quiet.engine.chats.summaries.work()
    await quiet.consolidate(USER, "s1")
    return quiet


async def test_what_is_isolated_and_opened_again_is_as_it_was(told: Memory) -> None:
    before = await everything(told, USER)
    await told.put_project(USER, "zoo", {"isolated": True})
    apart, left = await everything(told, ZOO), await everything(told, USER)
    assert {kind for kind, _ in apart} >= {
        "session",
        "summaries",
        "message",
        "image",
        "fact",
        "memory",
        "receipt",
        "observation",
    }
    assert "quokka" not in str(left).lower() and "locker" not in str(left).lower()
    assert [kind for kind, _ in left].count("message") == 2 and await facts(told, USER) == [
        "The user works as a diver."
    ]
    await told.put_project(USER, "zoo", {"isolated": False})
    assert sorted(map(str, await everything(told, USER))) == sorted(map(str, before))
    assert [one async for one in told.engine.records(ZOO)] == []


async def test_a_move_that_was_cut_short_is_ended_by_the_sweep(told: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    moving, forgetter = told.engine.moving, told.engine.oversight.forgetter
    monkeypatch.setattr(projects, "LOOKED_AFTER", timedelta(0))

    async def killed(*_: object) -> None:
        raise RuntimeError

    for step in ("_copy", "_move"):
        with monkeypatch.context() as patched:
            patched.setattr(moving, step, killed)
            with pytest.raises(RuntimeError):
                await moving.project(USER, "zoo", {"isolated": True})
        await moving.finish()
        assert await facts(told, USER) == ["The user works as a diver."]
        with monkeypatch.context() as patched:
            patched.setattr(forgetter, "session", killed)
            with pytest.raises(RuntimeError):
                await moving.project(USER, "zoo", {"isolated": False})
        await moving.finish()
        assert len(await facts(told, USER)) == 3
        assert len(await messages(told)) == 30 and await messages(told, owner=ZOO) == []


async def test_a_move_that_a_kill_cut_short_is_ended_when_the_server_starts(
    told: Memory, make_settings: Callable[..., Settings], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def killed(*_: object) -> None:
        raise RuntimeError

    with monkeypatch.context() as patched:
        patched.setattr(told.engine.moving, "_move", killed)
        with pytest.raises(RuntimeError):
            await told.engine.moving.project(USER, "zoo", {"isolated": True})
    assert len(await facts(told, USER)) == 3
    app = create_app(make_settings())
    async with app.router.lifespan_context(app):

        async def is_moved() -> bool:
            return await facts(told, USER) == ["The user works as a diver."] and len(await facts(told, ZOO)) > 0

        await until(is_moved)
    [marked] = await told.engine.chats.projects.unsettled(now())  # what comes late follows
    assert marked[:2] == (USER, "zoo")


async def test_what_comes_late_follows(told: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projects, "LOOKED_AFTER", timedelta(0))
    await told.put_project(USER, "zoo", {"isolated": True})
    late = turn("late", "A word that was on its way.", project="zoo")
    await told.engine.chats.turns.remember(USER, "s1", [late])  # as by a request that began before
    await told.engine.sweep()
    assert await messages(told) == []
    assert (await messages(told, owner=ZOO))[-1]["content"] == late.content
    assert await told.engine.chats.projects.unsettled() == []


async def test_what_is_said_while_a_session_moves_is_kept(told: Memory) -> None:
    said = [turn(f"late-{number}", f"Late word {number}.") for number in range(20)]

    async def talk() -> None:
        for one in said:
            while True:  # what is refused while the session goes is said again
                with suppress(Conflict):
                    await told.add(USER, "s1", [one])
                    break

    async def move() -> None:
        for isolated in (True, False, True):
            await told.put_project(USER, "zoo", {"isolated": isolated})

    await asyncio.gather(talk(), move())
    await told.engine.moving.settle(USER, "zoo")
    kept = [one["content"] for one in await messages(told, owner=ZOO)]
    assert {one.content for one in said} <= set(kept) and len(kept) == len(set(kept)) == 50
    assert await messages(told) == []


async def test_a_fact_that_another_session_says_too_stays_there(quiet: Memory) -> None:
    for session in ("s1", "s2"):
        await quiet.chat(request(SAID, session))
        await learn(quiet)
    await quiet.put_project(USER, "zoo", {"isolated": True})
    await quiet.move(USER, "s2", "zoo")
    assert await facts(quiet, USER) == await facts(quiet, ZOO) == ["The user lives in Quokkaville."]
    await quiet.move(USER, "s1", "zoo")
    assert await facts(quiet, USER) == []


async def test_a_value_goes_with_the_session_that_stated_it(quiet: Memory) -> None:
    await quiet.put_project(USER, "zoo", {"isolated": True})
    for number, session in enumerate(("s1", "s2", "s1", "s2"), 1):
        await quiet.chat(request(f"Remember that my locker is {number}.", session))

    async def values(owner: str) -> list[str]:
        with suppress(NotFound):
            return [one.value for one in await quiet.engine.chats.keyvalues.history(owner, "locker")]
        return []

    for session, project, here, there in (
        ("s2", "zoo", ["3", "1"], ["4", "2"]),
        ("s1", "zoo", [], ["4", "3", "2", "1"]),
        ("s2", None, ["4", "2"], ["3", "1"]),
        ("s1", None, ["4", "3", "2", "1"], []),
    ):
        await quiet.move(USER, session, project)
        assert (await values(USER), await values(ZOO)) == (here, there), session
    await quiet.engine.chats.keyvalues.put(ZOO, "locker", "5")
    await quiet.put_project(USER, "zoo", {"isolated": False})
    assert (await values(USER), await values(ZOO)) == (["5", "4", "3", "2", "1"], [])


async def test_a_session_of_before_there_were_projects_is_in_none(quiet: Memory) -> None:
    await quiet.chat(request(SAID))
    await quiet.engine.store.collections.sessions.update_many({}, {"$unset": {"project": "", "instructions": ""}})
    session = await quiet.engine.chats.sessions.get(USER, "s1")
    assert (session.project, session.instructions) == (None, None)
    await quiet.put_project(USER, "zoo", {"isolated": True})
    assert await quiet.move(USER, "s1", "zoo") == ZOO
    assert len(await messages(quiet, owner=ZOO)) == 2


async def test_a_deleted_project_leaves_nothing_for_its_next_life(told: Memory) -> None:
    for isolated in (True, False):
        await told.put_project(USER, "zoo", {"isolated": isolated})
    await told.engine.notes.scratchpad.put(ZOO, "late", "on its way")  # as by a request that began before
    await told.engine.moving.delete(USER, "zoo")
    await told.put_project(USER, "zoo", {"isolated": True})
    assert await everything(told, ZOO) == []


async def test_a_project_is_deleted_whoever_deletes_its_sessions_meanwhile(
    told: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    forgetter = told.engine.oversight.forgetter
    forget = forgetter.session

    async def second(owner: str, session_id: str) -> object:
        await forget(owner, session_id)
        return await forget(owner, session_id)

    monkeypatch.setattr(forgetter, "session", second)
    await told.engine.moving.delete(USER, "zoo")
    with pytest.raises(NotFound):
        await told.engine.chats.projects.get(USER, "zoo")


async def test_the_sweep_leaves_the_mark_of_a_newer_move(told: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projects, "LOOKED_AFTER", timedelta(0))
    known, moving = told.engine.chats.projects, told.engine.moving
    settle = moving.settle
    await told.put_project(USER, "zoo", {"isolated": True})

    async def during(user: str, name: str) -> None:
        await settle(user, name)
        await known.put(user, name, {"isolated": False, "unsettled": now()})  # a move that goes no further

    with monkeypatch.context() as patched:
        patched.setattr(moving, "settle", during)
        await moving.finish()
    assert await messages(told, owner=ZOO) != []
    await moving.finish()
    assert await messages(told, owner=ZOO) == [] and await known.unsettled() == []


async def test_a_user_has_so_many_projects_and_no_more(quiet: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projects, "MOST", 2)
    known = quiet.engine.chats.projects
    for name in ("zoo", "", "farm", "zoo"):  # the user's preferences are no project
        await known.put(USER, name, {"instructions": "Be brief."})
    await quiet.chat(request(SAID))
    for door in (
        quiet.put_project(USER, "moon", {"isolated": True}),
        known.standpoint(USER, "moon", making=True),
        known.take(USER, {"name": "moon"}),
        quiet.move(USER, "s1", "moon"),
    ):
        with pytest.raises(Conflict, match="at most 2 projects"):
            await door
    assert [project.name for project in await known.page(USER, limit=5)] == ["farm", "zoo"]
    assert len(await messages(quiet)) == 2
    await known.delete(USER, "farm")
    await known.put(USER, "moon", {})
