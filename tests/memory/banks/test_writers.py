"""A bank keeps all that it is told, whoever else writes and whatever dies in between."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

from agents.memory import Memory
from memory.banks.bank import texts_of
from memory.banks.decisions import Decision, merge
from memory.banks.markdown import parse
from memory.banks.store import Change
from tests.banks import begun, content, found, update
from tests.conversations import USER, until
from tests.meanwhile import Killed, kill, meanwhile
from tests.scripted_model import Behaviour, ScriptedModel, answer, slow
from utils.clock import now


async def test_two_clients_at_once_both_get_their_way(quiet: Memory) -> None:
    await asyncio.gather(*(begun(quiet) for _ in range(5)))
    await asyncio.gather(*(update(quiet, f"The sky was blue on day {number}.") for number in range(20)))
    text = await content(quiet)
    assert [text.count(f"on day {number}.") for number in range(20)] == [1] * 20
    versions = await quiet.engine.library.banks.versions(USER, "project", "loci", limit=50)
    assert [one.version for one in versions] == list(range(21, 0, -1))


async def test_an_update_is_told_its_own_version_whoever_wrote_after_it(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begun(quiet)
    banks = quiet.engine.store.collections.banks

    async def another() -> None:
        await update(quiet, "Said last.")

    with monkeypatch.context() as patched:
        meanwhile(patched, banks, "update_one", another)
        first = await update(quiet, "Said first.", request="r1")
    again = await update(quiet, "Said first.", request="r1")
    made = {
        one.said: one.version for one in await quiet.engine.library.banks.versions(USER, "project", "loci", limit=2)
    }
    assert (
        (first.version, again.version, first.bank.version) == (made["Said first."], made["Said first."], 3) == (2, 2, 3)
    )


async def test_who_makes_a_bank_is_given_it_as_it_is_whoever_wrote_after_that(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def another() -> None:
        await update(quiet, "The sky was blue.")

    with monkeypatch.context() as patched:
        meanwhile(patched, quiet.engine.store.collections.banks, "update_one", another)
        bank = await begun(quiet)
    assert (bank.info.version, "The sky was blue." in str(bank.content)) == (2, True)


async def test_a_writer_that_dies_before_the_bank_follows_leaves_its_version(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begun(quiet)
    with monkeypatch.context() as patched, pytest.raises(Killed):
        meanwhile(patched, quiet.engine.store.collections.bank_versions, "insert_one", kill, after=True)
        await update(quiet, "Said before the power went.", request="r1")
    again = await update(quiet, "Said before the power went.", request="r1")
    assert (again.repeated, again.bank.version) == (True, 2)
    await update(quiet, "Said after it came back.")
    text = await content(quiet)
    assert text.count("before the power") == text.count("after it came") == 1


@pytest.mark.parametrize("read", ["info", "get", "versions", "begun"])
async def test_what_a_dead_writer_left_is_seen_by_the_next_who_reads(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch, read: str
) -> None:
    await begun(quiet)
    with monkeypatch.context() as patched, pytest.raises(Killed):
        meanwhile(patched, quiet.engine.store.collections.bank_versions, "insert_one", kill, after=True)
        await update(quiet, "Said before the power went.")
    banks = quiet.engine.library.banks
    match read:
        case "info":
            assert (await banks.info(USER, "project", "loci")).version == 2
        case "get":
            assert "before the power" in await content(quiet)
        case "versions":
            assert [one.version for one in await banks.versions(USER, "project", "loci", limit=5)] == [2, 1]
        case _:
            assert "before the power" in "".join((await begun(quiet)).content.values())
    await quiet.engine.store.collections.banks.update_many({}, {"$set": {"sections.lease_until": now()}})
    await quiet.engine.sweep()
    assert any("power" in one for one in await found(quiet, "power went"))


async def test_sections_follow_a_version_that_was_made_while_they_were_written(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begun(quiet)

    async def another() -> None:  # one that dies before it makes sections
        seen = await quiet.engine.library.banks._store.find(USER, "project", "loci")
        files, _ = merge(
            texts_of(seen), [Decision("append", "active.md", "The lighthouse keeper is called Ada.")], now()
        )
        await quiet.engine.library.banks._store.commit(seen, Change(files, "update", "rule_based"))

    with monkeypatch.context() as patched:
        meanwhile(patched, quiet.engine.store.collections.banks, "update_one", another, call=2)
        await update(quiet, "The sky was blue.")
    assert any("Ada" in one for one in await found(quiet, "lighthouse keeper"))


async def test_a_bank_whose_maker_died_gets_its_files_with_the_first_update(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched, pytest.raises(Killed):
        meanwhile(patched, quiet.engine.store.collections.bank_versions, "insert_one", kill)
        await begun(quiet)
    await update(quiet, "We decided to use SQLite.")
    assert "## Decisions" in await content(quiet)
    assert (await begun(quiet)).info.version == 2


async def test_a_bank_that_another_makes_meanwhile_is_not_made_again(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched, pytest.raises(Killed):
        meanwhile(patched, quiet.engine.store.collections.bank_versions, "insert_one", kill)
        await begun(quiet)

    async def another() -> None:
        await update(quiet, "The sky was blue.")

    with monkeypatch.context() as patched:
        meanwhile(
            patched, quiet.engine.store.collections.banks, "find_one", another, call=2
        )  # after the look whether it is
        assert "The sky was blue." in "".join((await begun(quiet)).content.values())
    assert (await quiet.engine.library.banks.info(USER, "project", "loci")).version == 2


async def test_an_update_whose_client_leaves_is_carried_out(with_model: Memory, scripted_model: ScriptedModel) -> None:
    await begun(with_model)
    scripted_model.script(slow(0.3))
    waiting = asyncio.create_task(update(with_model, "The sky was blue."))

    async def asked() -> bool:
        return bool(scripted_model.asked("chat"))

    await until(asked)
    waiting.cancel()

    async def kept() -> bool:
        return "The sky was blue." in await content(with_model)

    await until(kept)


async def test_a_writer_whom_another_overtook_does_not_take_the_bank_back(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begun(quiet)

    async def another() -> None:
        await update(quiet, "Said by a faster one.")

    with monkeypatch.context() as patched:
        meanwhile(patched, quiet.engine.store.collections.bank_versions, "insert_one", another, after=True)
        done = await update(quiet, "Said by a slow one.")
    assert done.bank.version == 3
    text = await content(quiet)
    assert text.count("a faster one") == text.count("a slow one") == 1


async def test_sections_that_a_dead_writer_did_not_make_are_made_by_the_sweep(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begun(quiet)
    with monkeypatch.context() as patched, pytest.raises(Killed):
        meanwhile(patched, quiet.engine.store.collections.vectors, "insert_many", kill)
        await update(quiet, "The lighthouse keeper is called Ada.")
    assert not any("Ada" in one for one in await found(quiet, "lighthouse keeper"))
    over = {"$set": {"sections.lease_until": (await begun(quiet)).info.created_at}}
    await quiet.engine.store.collections.banks.update_many({}, over)
    await quiet.engine.sweep()
    assert any("Ada" in one for one in await found(quiet, "lighthouse keeper"))


NEXT = ("progress.md", "Next")


def placed(operation: str, text: str) -> Behaviour:
    """A model's answer: content goes into the section of what comes next."""
    file, section = NEXT
    metadata = {"section": section, "category": "next"}
    decision = {"target_file": file, "operation_type": operation, "content": text, "metadata": metadata}
    return answer(json.dumps({"decisions": [decision]}))


async def coming_next(memory: Memory) -> str:
    file, title = NEXT
    section = parse((await memory.engine.library.banks.get(USER, "project", "loci")).content[file]).find(title)
    return section.body if section is not None else ""


def overtaken(patched: pytest.MonkeyPatch, slow_one: Memory, fast_one: Memory, said: Sequence[str]) -> None:
    """Has another client say one thing each time before the versions of a slow one are committed."""
    left = list(said)
    versions = slow_one.engine.store.collections.bank_versions
    commit = versions.insert_one

    async def later(*arguments: Any, **named: Any) -> Any:
        if left:
            await update(fast_one, left.pop(0))
        return await commit(*arguments, **named)

    patched.setattr(versions, "insert_one", later)


async def test_a_model_replaces_no_text_that_it_has_not_seen(
    two: tuple[Memory, Memory], scripted_model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = two
    await begun(one)
    said = [f"Ship part {number} on Friday." for number in range(3)]
    scripted_model.script(placed("replace", "Only the tests are left."), *(placed("append", text) for text in said))
    overtaken(monkeypatch, one, other, said)
    done = await update(one, "Only the tests are left.")
    body = await coming_next(one)
    assert all(body.count(text) == 1 for text in (*said, "Only the tests are left."))
    assert (done.by, done.changes[0].operation_type) == ("gpt-4o-mini", "append")
    assert len(scripted_model.asked("chat")) == 1 + len(said)


async def test_a_model_replaces_what_it_was_shown_where_others_wrote_elsewhere(
    two: tuple[Memory, Memory], scripted_model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = two
    await begun(one)
    elsewhere = {"target_file": "active.md", "operation_type": "append", "content": "The sky was blue."}
    scripted_model.script(placed("replace", "Only the tests are left."), answer(json.dumps({"decisions": [elsewhere]})))
    overtaken(monkeypatch, one, other, ["The sky was blue."])
    await update(one, "Only the tests are left.")
    assert await coming_next(one) == "Only the tests are left."
    assert "The sky was blue." in await content(one)
    assert len(scripted_model.asked("chat")) == 2


async def test_what_says_itself_that_it_replaces_does_so_whoever_was_faster(
    both: tuple[Memory, Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = both
    await begun(one)
    overtaken(monkeypatch, one, other, ["[file: progress.md > Next]\nShip the parser."])
    await update(one, "[file: progress.md > Next] (replace)\nOnly the tests are left.")
    assert await coming_next(one) == "Only the tests are left."
