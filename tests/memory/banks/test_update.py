"""An update that comes again is told from another one."""

import asyncio
import json
import threading
from datetime import timedelta
from typing import Any

import pytest

from agents.memory import Memory
from memory.banks.banks import IN_THREAD
from memory.banks.store import REPEATED_WITHIN
from memory.banks.update import LONGEST_UPDATE, BankUpdate
from tests.banks import begun, content, update
from tests.conversations import USER
from tests.scripted_model import ScriptedModel, answer
from utils.clock import now
from utils.errors import InvalidInput
from utils.text import off_a_terminal

MINE = "project/loci"


async def test_a_request_is_of_one_bank_and_one_content(quiet: Memory) -> None:
    await begun(quiet)
    await begun(quiet, "other")
    await update(quiet, "We decided on SQLite.", request="k")
    assert not (await update(quiet, "The deadline is Friday.", "other", request="k")).repeated
    assert not (await update(quiet, "We decided on SQLite.", "other", request="k")).repeated
    assert not (await update(quiet, "The deadline is Monday.", request="k")).repeated
    assert (await update(quiet, "The deadline is Monday.", request="k")).repeated
    assert "Friday" in await content(quiet, "other")
    assert "Monday" in await content(quiet)


@pytest.mark.parametrize("named", [{"request": "k"}, {"conversation_id": "c", "update_count": 1}])
async def test_what_comes_several_times_at_once_is_carried_out_once(
    both: tuple[Memory, Memory], named: dict[str, Any]
) -> None:
    await begun(both[0])
    done = await asyncio.gather(*(update(memory, "The keeper is Ada.", **named) for memory in both * 2))
    assert sorted(one.repeated for one in done) == [False, True, True, True]
    assert {one.version for one in done} == {2}
    assert (await content(both[0])).count("The keeper is Ada.") == 1


async def test_a_request_is_of_one_life_of_its_bank(quiet: Memory) -> None:
    await begun(quiet)
    await update(quiet, "We decided on SQLite.", request="k")
    await quiet.engine.library.banks.delete(USER, "project", "loci")
    await begun(quiet)
    assert not (await update(quiet, "We decided on SQLite.", request="k")).repeated


async def test_an_activation_begins_a_new_count(quiet: Memory) -> None:
    await begun(quiet)
    place = "active.md > Status (replace): "
    for color, count in (("green", 1), ("red", 2), ("red", 2)):
        await update(quiet, place + color, conversation_id=MINE, update_count=count)
    assert (await update(quiet, place + "green", conversation_id=MINE, update_count=1)).repeated
    assert "red" in await content(quiet)
    await begun(quiet)
    assert not (await update(quiet, place + "green", conversation_id=MINE, update_count=1)).repeated
    assert "green" in await content(quiet)
    assert (await update(quiet, place + "green", conversation_id=MINE, update_count=1)).repeated


async def test_a_count_alone_is_of_the_banks_conversation(quiet: Memory) -> None:
    await begun(quiet)
    await update(quiet, "The sky was blue.", update_count=1)
    assert (await update(quiet, "The sky was blue.", update_count=1)).repeated
    assert (await update(quiet, "The sky was blue.", conversation_id=MINE, update_count=1)).repeated
    assert not (await update(quiet, "The sky was blue.", update_count=2)).repeated


async def test_a_clients_own_conversation_goes_on_whoever_activates_the_bank(quiet: Memory) -> None:
    await begun(quiet)
    await update(quiet, "The sky was blue.", conversation_id="c", update_count=1)
    await begun(quiet)
    assert (await update(quiet, "The sky was blue.", conversation_id="c", update_count=1)).repeated


def test_what_a_terminal_coloured_is_kept_as_it_shows_it_line_by_line() -> None:
    said = "\x1b[31mred\x1b[0m\r\n\x07feed\u2028\x1b[1;32mgreen\x1b]0;title\x07\x1b(B\nbo\x08old\rlast\x1b[3"
    checked = BankUpdate("project", "loci", said).checked()
    assert checked.content == "red\nfeed\u2028green\nbold\nlast" and checked.coloured
    assert not BankUpdate("project", "loci", "\tred\r\n").checked().coloured


@pytest.mark.parametrize("said", ["a\0b", "\x0cpage", "next\x85", "\x1b[31mred\x1b[0m \x01", "\x7f"])
def test_an_update_with_other_control_characters_is_refused(said: str) -> None:
    with pytest.raises(InvalidInput, match="content: a string has control characters"):
        BankUpdate("project", "loci", said).checked()


def test_an_update_that_is_too_long_is_refused_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(text: str) -> str:
        raise AssertionError

    monkeypatch.setattr("memory.banks.update.off_a_terminal", never)
    with pytest.raises(InvalidInput, match="may have 1,000,000 characters"):
        BankUpdate("project", "loci", "x" * (LONGEST_UPDATE + 1)).checked()


@pytest.mark.parametrize("size", [100, 100_000])
async def test_a_long_update_is_read_beside_the_loop(quiet: Memory, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    here: set[bool] = set()

    def noting(text: str) -> str:
        here.add(threading.current_thread() is threading.main_thread())
        return off_a_terminal(text)

    monkeypatch.setattr("memory.banks.update.off_a_terminal", noting)
    await update(quiet, "The sky was blue.\n" * (size // 18))
    assert here == {size < IN_THREAD}


async def test_what_is_said_again_the_next_day_is_said_anew(quiet: Memory) -> None:
    await begun(quiet)
    said: list[dict[str, Any]] = [{"request": "k"}, {"conversation_id": "c", "update_count": 1}]
    for more in said:
        await update(quiet, "The sky was blue.", **more)
    yesterday = {"$set": {"at": now() - REPEATED_WITHIN - timedelta(minutes=1)}}
    await quiet.engine.store.collections.bank_versions.update_many({}, yesterday)
    for more in said:
        assert not (await update(quiet, "The sky was blue.", **more)).repeated


async def test_an_update_that_comes_again_is_not_put_to_the_model(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    await begun(with_model)
    decided = {"target_file": "active.md", "operation_type": "append", "content": "The sky was blue."}
    scripted_model.script(answer(json.dumps({"decisions": [decided]})))
    first = await update(with_model, "The sky was blue.", request="k")
    again = await update(with_model, "The sky was blue.", request="k")
    assert (again.repeated, again.by, again.changes) == (True, first.by, first.changes)
    assert len(scripted_model.asked("chat")) == 1


@pytest.mark.parametrize(
    "said",
    [
        "progress.md > Next (replace):",
        "[file: progress.md > Next] (replace)\n\n",
        "The sky was blue.\n\nprogress.md > Next (replace):\n## Next\n",
        "progress.md > Next (replace):\ndecisions.md: We use SQLite.",
    ],
)
async def test_nothing_is_replaced_by_nothing(quiet: Memory, said: str) -> None:
    await begun(quiet)
    await update(quiet, "Next: the tests.")
    with pytest.raises(InvalidInput, match=r"progress\.md > Next is to be replaced, but nothing stands below"):
        await update(quiet, said)
    assert (await quiet.engine.library.banks.info(USER, "project", "loci")).version == 2
    await update(quiet, "progress.md > Next (replace):\n# Only\n## This\nThe docs.\n\n```\ncontext.md (replace):\n```")
    assert "the tests" not in await content(quiet)


async def test_a_line_that_names_a_file_is_no_content(quiet: Memory) -> None:
    with pytest.raises(InvalidInput, match="no content"):
        await update(quiet, "[file: progress.md]\n\ndecisions.md:\n")


async def test_files_for_which_there_is_no_room_are_told_of_at_once_and_later(quiet: Memory) -> None:
    await begun(quiet)
    done = await update(quiet, "\n".join(f"[file: n{number}.md] Thing {number}." for number in range(50)))
    [told] = done.previous_errors
    assert told.description.startswith(
        "A memory bank has at most 40 files, so n35.md, n36.md, n37.md, n38.md, n39.md and"
    )
    assert "n34.md, in a section of its name" in told.description
    bank = (await quiet.engine.library.banks.get(USER, "project", "loci")).content
    assert len(bank) == 40
    assert "## n49\n" in bank["n34.md"]
    assert all(f"Thing {number}." in "".join(bank.values()) for number in range(50))
    later = await update(quiet, "The sky was blue.")
    assert [one.description for one in later.previous_errors] == [told.description]
    assert "n60.md could not be made" in (await update(quiet, "n60.md: x")).previous_errors[-1].description


async def test_a_conversation_with_another_bank_changes_nothing(quiet: Memory) -> None:
    await begun(quiet)
    await begun(quiet, "other")
    with pytest.raises(InvalidInput, match="another memory bank"):
        await update(quiet, "The sky was blue.", conversation_id="project/other")
    assert (await quiet.engine.library.banks.info(USER, "project", "loci")).version == 1


async def test_a_line_that_is_not_understood_is_told_of_at_once_and_later(quiet: Memory) -> None:
    await begun(quiet)
    done = await update(quiet, "The sky was blue.\n[file: evil.exe] The sea was calm.")
    [told] = done.previous_errors
    assert told.severity == "warning" and "line 2" in told.description
    assert "[file: evil.exe] The sea was calm." in await content(quiet)
    [later] = (await update(quiet, "Nothing else.")).previous_errors
    assert later.description == told.description


async def test_what_was_coloured_is_told_in_the_answer(quiet: Memory) -> None:
    await begun(quiet)
    [told] = (await update(quiet, "\x1b[32mThe tests passed\x1b[0m today.")).previous_errors
    assert told.severity == "info" and "codes" in told.description
    assert (await update(quiet, "Nothing else.")).previous_errors == ()
    assert "The tests passed today." in await content(quiet)


async def test_what_is_to_be_replaced_without_saying_where_is_added(quiet: Memory) -> None:
    await begun(quiet)
    await update(quiet, "Done: shipped v1.\n\nNext: write the docs.")
    await update(quiet, "progress.md (replace): Next: only the tests are left.")
    progress = (await quiet.engine.library.banks.get(USER, "project", "loci")).content["progress.md"]
    assert "shipped v1" in progress and "write the docs" not in progress
    [change] = (await update(quiet, "progress.md (replace): The sky was blue.")).changes
    assert change.operation_type == "append"
    assert "shipped v1" in (await quiet.engine.library.banks.get(USER, "project", "loci")).content["progress.md"]


async def test_what_is_ticked_off_is_one_item_and_its_former_text_is_in_the_history(quiet: Memory) -> None:
    await begun(quiet)
    await update(quiet, "Next:\n- [ ] rotate the API keys\n- [ ] write the docs")
    done = await update(quiet, "- [x] rotate the API keys")
    told = [(one.operation_type, one.metadata.section) for one in done.changes]
    assert told == [("settle", "Next"), ("append", "Done")]
    assert (await content(quiet)).count("rotate the API keys") == 1
    _, before = await quiet.engine.library.banks.at(USER, "project", "loci", done.version - 1)
    assert "[ ] rotate the API keys" in before["progress.md"]
    same = await update(quiet, "- [x] rotate the API keys")
    assert [one.operation_type for one in same.changes] == ["unchanged"] and same.version == done.version + 1
