"""The task that writes banks to files: when, in which order, and what it makes up for."""

import asyncio
import errno
import json
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from agents.memory import Memory
from agents.open import open_memory
from agents.upkeep import files as module
from agents.upkeep import rounds
from agents.upkeep.files import bank_files
from config.settings import Settings
from memory.banks.folder import BankFolder, WrittenBank
from tests.conversations import USER, Silent, until
from tests.meanwhile import meanwhile
from utils.clock import now
from utils.errors import ConfigurationError


@pytest.fixture
async def opened(make_settings: Callable[..., Settings], tmp_path: Path, store_uri: str) -> Any:
    async with open_memory(make_settings(loci_home=tmp_path), nudge=Silent()) as memory:
        yield memory


def file(tmp_path: Path, name: str = "active.md", bank: str = "loci", owner: str = USER) -> Path:
    return tmp_path / "banks" / owner / "project" / bank / name


def says(path: Path, text: str) -> Callable[[], Any]:
    def holds() -> bool:
        return path.is_file() and text in path.read_text()

    async def look() -> bool:
        return holds()

    return look


def gone(path: Path) -> Callable[[], Any]:
    def holds() -> bool:
        return not path.exists()

    async def look() -> bool:
        return holds()

    return look


async def test_a_bank_stands_in_files_after_a_while_and_a_large_update_at_once(opened: Memory, tmp_path: Path) -> None:
    await opened.activate(USER, "project", "loci")
    async with bank_files(opened.engine, 3600):
        await opened.update(USER, "project", "loci", "The sky was blue.")
        assert not file(tmp_path).exists()
        await opened.update(USER, "project", "loci", "The sea was calm. " * 1_000)
        await until(says(file(tmp_path), "The sea was calm."))
        assert "The sky was blue." in file(tmp_path).read_text()
    async with bank_files(opened.engine, 0.05):
        await opened.update(USER, "project", "loci", "The air was clear.")
        await until(says(file(tmp_path), "The air was clear."))


async def test_a_change_that_lands_late_is_written_though_later_ones_were_seen(
    opened: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        await opened.activate(USER, "project", name)
    async with bank_files(opened.engine, 0.05):
        for name in ("one", "two"):
            await until(says(file(tmp_path, bank=name), "# Active work"))
        with monkeypatch.context() as patched:
            patched.setattr("memory.banks.store.now", lambda: now() - timedelta(seconds=30))
            await opened.update(USER, "project", "two", "The sky was blue.")
        await until(says(file(tmp_path, bank="two"), "The sky was blue."))


async def test_what_is_due_is_written_at_the_end(opened: Memory, tmp_path: Path) -> None:
    async with bank_files(opened.engine, 3600):
        await opened.activate(USER, "project", "loci")
        await opened.update(USER, "project", "loci", "The sky was blue.")
    assert "The sky was blue." in file(tmp_path).read_text()


async def test_what_was_not_written_before_a_crash_is_written_at_the_next_start(opened: Memory, tmp_path: Path) -> None:
    await opened.activate(USER, "project", "loci")
    await opened.activate("bob", "project", "loci")
    await opened.update(USER, "project", "loci", "The sky was blue before.")
    async with bank_files(opened.engine, 0.05):
        await until(says(file(tmp_path), "The sky was blue before."))
        await until(says(file(tmp_path, owner="bob"), "# Active work"))


async def test_files_of_what_was_deleted_go(opened: Memory, tmp_path: Path) -> None:
    for name in ("one", "two", "three"):
        await opened.activate(USER, "project", name)
    async with bank_files(opened.engine, 0.05):
        for name in ("one", "two", "three"):
            await until(says(file(tmp_path, bank=name), "# Active work"))
        await opened.engine.library.banks.delete(USER, "project", "one")
        assert not file(tmp_path, bank="one").parent.exists()
        await opened.engine.oversight.forgetter.user(USER)
        assert not (tmp_path / "banks" / USER).exists()


async def test_files_of_what_another_process_deleted_go_at_the_next_start(opened: Memory, tmp_path: Path) -> None:
    await opened.activate(USER, "project", "loci")
    async with bank_files(opened.engine, 0.05):
        await until(says(file(tmp_path), "# Active work"))
    opened.engine.library.banks.folder = BankFolder(tmp_path / "elsewhere")
    await opened.engine.library.banks.delete(USER, "project", "loci")
    opened.engine.library.banks.folder = BankFolder(tmp_path / "banks")
    assert file(tmp_path).exists()
    async with bank_files(opened.engine, 3600):
        await until(gone(tmp_path / "banks" / USER))


async def test_a_folder_that_cannot_be_written_is_told_of_once_and_tried_again(
    opened: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "AGAIN", 0.02)
    await opened.activate(USER, "project", "loci")
    (tmp_path / "banks").mkdir()
    (tmp_path / "banks" / USER).write_text("in the way")
    tries: list[WrittenBank] = []
    write = BankFolder.write

    def counted(self: BankFolder, bank: WrittenBank, texts: Mapping[str, str]) -> bool:
        tries.append(bank)
        return write(self, bank, texts)

    monkeypatch.setattr(BankFolder, "write", counted)
    async with bank_files(opened.engine, 0.01):

        async def tried_again() -> bool:
            return len(tries) > 3

        await until(tried_again)
        (tmp_path / "banks" / USER).unlink()
        await until(says(file(tmp_path), "# Active work"))
    [error] = (await opened.update(USER, "project", "loci", "x")).previous_errors
    assert (error.severity, "could not be written" in error.description) == ("error", True)


async def test_of_two_keepers_one_writes_and_the_other_takes_over(opened: Memory, tmp_path: Path) -> None:
    await opened.activate(USER, "project", "loci")
    async with bank_files(opened.engine, 0.05):
        async with bank_files(opened.engine, 0.05):
            await until(says(file(tmp_path), "# Active work"))
        await opened.update(USER, "project", "loci", "After the other one left.")
        await until(says(file(tmp_path), "After the other one left."))


async def test_the_dump_says_what_is_at_hand(opened: Memory, tmp_path: Path) -> None:
    dump = tmp_path / "banks" / "cache_memory_dump.json"
    async with bank_files(opened.engine, 0.05, dump=True):
        await opened.activate(USER, "project", "loci")
        await until(says(dump, "ann:project:loci"))
    told = json.loads(dump.read_text())
    assert told["tokens"] == told["banks"]["ann:project:loci"]["tokens"] > 0
    assert "active.md" in told["banks"]["ann:project:loci"]["files"]


async def test_the_dump_lets_go_of_what_another_process_deleted(
    opened: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "WHOLE", 0.0)
    dump = tmp_path / "banks" / "cache_memory_dump.json"
    async with bank_files(opened.engine, 0.05, dump=True):
        await opened.activate(USER, "project", "loci")
        await until(says(dump, "ann:project:loci"))
        await opened.engine.store.collections.banks.delete_many({})
        await until(says(dump, '"banks": {}'))


async def test_a_bank_that_is_deleted_while_it_is_written_has_no_files(
    opened: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await opened.activate(USER, "project", "loci")
    banks, written = opened.engine.library.banks, BankFolder.write
    get, was_written = banks.get, asyncio.Event()

    async def late(*arguments: Any) -> Any:
        bank = await get(*arguments)
        await banks.delete(USER, "project", "loci")
        return bank

    def write(*arguments: Any) -> bool:
        done = written(*arguments)
        loop.call_soon_threadsafe(was_written.set)
        return done

    loop = asyncio.get_running_loop()
    monkeypatch.setattr(banks, "get", late)
    monkeypatch.setattr(BankFolder, "write", write)
    async with bank_files(opened.engine, 0.05):
        await asyncio.wait_for(was_written.wait(), 30)
        await until(gone(tmp_path / "banks" / USER))


async def test_a_bank_that_is_made_anew_while_it_is_deleted_keeps_its_files(
    opened: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def again() -> None:
        await opened.activate(USER, "project", "loci", None, "The next one")
        await until(says(file(tmp_path, "context.md"), "The next one"))

    await opened.activate(USER, "project", "loci")
    async with bank_files(opened.engine, 0.05):
        await until(says(file(tmp_path), "# Active work"))
        meanwhile(monkeypatch, opened.engine.store.collections.bank_activations, "delete_many", again)
        await opened.engine.library.banks.delete(USER, "project", "loci")
        assert file(tmp_path).exists()


@pytest.mark.parametrize("refused", ["mkdir", "lock"])
async def test_a_folder_in_which_nothing_can_be_written_is_told_of_at_the_start(
    opened: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: str
) -> None:
    if refused == "mkdir":
        (tmp_path / "banks").write_text("in the way")
    else:

        def no_locks(*_: Any) -> None:
            raise OSError(errno.ENOLCK, "No locks available")

        monkeypatch.setattr(rounds.fcntl, "flock", no_locks)
    with pytest.raises(ConfigurationError, match="banks, under LOCI_HOME, cannot be written"):
        async with bank_files(opened.engine, 0.05):
            pass
