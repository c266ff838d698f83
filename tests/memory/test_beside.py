"""An opened project's own names beside the user's: nothing takes the place of anything else."""

from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest

from agents.memory import Memory
from memory.banks import BankType, bank_id
from memory.ids import owner_apart
from memory.turns import projects
from tests.conversations import USER, messages, turn
from utils.errors import Conflict

ZOO = owner_apart(USER, "zoo")
BANKS: list[tuple[BankType, str]] = [("global", "global"), ("project", "farm")]


async def entries(memory: Memory, owner: str) -> dict[str, str]:
    return {entry.key: entry.value for entry in await memory.engine.notes.scratchpad.page(owner, limit=10)}


async def banks(memory: Memory, owner: str) -> dict[tuple[str, str], str]:
    """Their texts by type and name."""
    library = memory.engine.library.banks
    found = await library.page(owner, limit=10)
    return {(one.type, one.name): str(await library.get(owner, one.type, one.id)) for one, _ in found}


async def fill(memory: Memory, owner: str, word: str) -> None:
    for key in ("pet", f"pet of {word}", "tree"):
        await memory.engine.notes.scratchpad.put(owner, key, "oak" if key == "tree" else word)
    for kind, name in BANKS:
        await memory.activate(owner, kind, name, None, f"A book of the {word}")
        await memory.update(owner, kind, name, f"The {word} is called Bo.")


@pytest.mark.parametrize("cut_short", [False, True])
async def test_what_an_opened_project_calls_as_the_user_does_stays_beside(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch, cut_short: bool
) -> None:
    await quiet.put_project(USER, "zoo", {"isolated": True})
    await fill(quiet, USER, "heron")
    await fill(quiet, ZOO, "quokka")
    with monkeypatch.context() as patched:

        async def killed(*_: object) -> None:
            raise RuntimeError

        if cut_short:
            patched.setattr(quiet.engine.oversight.forgetter, "user", killed)
        with suppress(RuntimeError):
            await quiet.put_project(USER, "zoo", {"isolated": False})
    monkeypatch.setattr(projects, "LOOKED_AFTER", timedelta(0))
    for _ in range(2):
        await quiet.engine.moving.settle(USER, "zoo")
    assert await entries(quiet, USER) == {
        "pet": "heron",
        "pet (zoo)": "quokka",
        "pet of heron": "heron",
        "pet of quokka": "quokka",
        "tree": "oak",
    }
    texts = await banks(quiet, USER)
    assert {name: "heron" in text for name, text in texts.items()} == {
        ("global", "global"): True,
        ("project", "global (zoo)"): False,
        ("project", "farm"): True,
        ("project", "farm (zoo)"): False,
    }
    assert all(("quokka" in text) != ("heron" in text) for text in texts.values())
    named = await quiet.engine.library.banks.get(USER, "project", bank_id("project", "farm (zoo)", None))
    assert "quokka" in str(named)
    assert (await entries(quiet, ZOO), await banks(quiet, ZOO)) == ({}, {})


async def test_what_lands_while_a_project_is_opened_follows(quiet: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    await quiet.put_project(USER, "zoo", {"isolated": True})
    forgetter, scratchpad = quiet.engine.oversight.forgetter, quiet.engine.notes.scratchpad
    forget = forgetter.user

    async def later(owner: str, *until: Any) -> object:
        await scratchpad.put(ZOO, "late", "on its way")
        return await forget(owner, *until)

    with monkeypatch.context() as patched:
        patched.setattr(forgetter, "user", later)
        await quiet.put_project(USER, "zoo", {"isolated": False})
    monkeypatch.setattr(projects, "LOOKED_AFTER", timedelta(0))
    await quiet.engine.moving.finish()
    assert await entries(quiet, USER) == {"late": "on its way"}
    assert await entries(quiet, ZOO) == {}


async def test_a_session_stays_where_its_messages_would_be_others(quiet: Memory) -> None:
    await quiet.put_project(USER, "zoo", {"isolated": True})
    await quiet.add(USER, "s1", [turn("m1", "I keep a heron."), turn("m2", "It is grey.")])
    await quiet.add(ZOO, "s2", [turn("m1", "I keep a quokka.", project="zoo")])
    doors = (
        lambda: quiet.move(USER, "s1", "zoo"),
        lambda: quiet.move(USER, "s2", None),
        lambda: quiet.put_project(USER, "zoo", {"isolated": False}),
    )
    for door in doors:
        with pytest.raises(Conflict, match="id"):
            await door()
        assert [one["content"] for one in await messages(quiet)] == ["I keep a heron.", "It is grey."]
        assert [one["content"] for one in await messages(quiet, "s2", ZOO)] == ["I keep a quokka."]
        assert (await quiet.engine.chats.sessions.get(USER, "s1")).project is None
        assert (await quiet.engine.chats.projects.get(USER, "zoo")).isolated
