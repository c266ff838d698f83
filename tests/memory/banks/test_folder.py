"""A bank's files are whole, in order, and gone when they are to be."""

from pathlib import Path

import pytest

from memory.banks.folder import DUMP, STATE, BankFolder, WrittenBank
from utils import files

BANK = WrittenBank("ann", "project", "loci", "e1", 2)


@pytest.fixture
def folder(tmp_path: Path) -> BankFolder:
    return BankFolder(tmp_path / "banks")


def test_files_are_written_and_those_that_the_bank_has_not_any_more_removed(folder: BankFolder) -> None:
    assert folder.write(BANK, {"a.md": "one", "b.md": "two"})
    assert folder.write(WrittenBank("ann", "project", "loci", "e1", 3), {"a.md": "ONE 🦊"})
    there = folder.of("ann", "project", "loci")
    assert there == folder.root / "ann" / "project" / "loci"
    assert sorted(path.name for path in there.iterdir()) == [STATE, "a.md"]
    assert (there / "a.md").read_text() == "ONE 🦊"
    assert folder.read(there) == WrittenBank("ann", "project", "loci", "e1", 3)


def test_an_older_version_never_takes_the_place_of_a_newer_one(folder: BankFolder) -> None:
    folder.write(WrittenBank("ann", "project", "loci", "e1", 5), {"a.md": "new"})
    assert not folder.write(BANK, {"a.md": "old"})
    assert (folder.of("ann", "project", "loci") / "a.md").read_text() == "new"
    assert folder.write(WrittenBank("ann", "project", "loci", "e2", 1), {"a.md": "made again"})


def test_a_writer_that_dies_leaves_whole_files_and_the_next_one_ends_its_work(
    folder: BankFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.write(BANK, {"a.md": "one", "b.md": "two"})
    newer = WrittenBank("ann", "project", "loci", "e1", 3)
    real = files.write_whole

    def dying(path: Path, data: bytes) -> None:
        if path.name == "b.md":
            (path.parent / f".{'0' * 32}.tmp").write_bytes(data[:1])
            raise KeyboardInterrupt
        real(path, data)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr("memory.banks.folder.write_whole", dying)
        folder.write(newer, {"a.md": "ONE", "b.md": "TWO"})
    there = folder.of("ann", "project", "loci")
    assert folder.read(there) == BANK
    assert ((there / "a.md").read_text(), (there / "b.md").read_text()) == ("ONE", "two")
    folder.write(newer, {"a.md": "ONE", "b.md": "TWO"})
    assert sorted(path.name for path in there.iterdir()) == [STATE, "a.md", "b.md"]


def test_owners_of_all_names_have_folders_of_their_own(folder: BankFolder) -> None:
    owners = ["ann", "Ann", "../up", ".", DUMP, ".lock", "a/b", "🦊", "x" * 200, "con"]
    for owner in owners:
        folder.write(WrittenBank(owner, "project", "loci", "e", 1), {"a.md": owner})
    assert sorted(one.owner for one in folder.every()) == sorted(owners)
    assert all(folder.root in folder.of(owner, "project", "loci").parents for owner in owners)
    folder.dump({"x": 1})
    assert (folder.root / DUMP).is_file()


def test_a_bank_that_is_removed_leaves_no_folder(folder: BankFolder) -> None:
    folder.write(BANK, {"a.md": "one"})
    folder.write(WrittenBank("bob", "project", "loci", "e", 1), {"a.md": "one"})
    folder.remove("ann", "project", "loci")
    folder.remove("ann", "project", "never-was")
    assert [path.name for path in folder.root.iterdir()] == ["bob"]


def test_a_bank_that_is_removed_takes_no_files_of_the_one_that_took_its_place(folder: BankFolder) -> None:
    folder.write(WrittenBank("ann", "project", "loci", "e2", 1), {"a.md": "made again"})
    folder.remove("ann", "project", "loci", "e1")
    assert (folder.of("ann", "project", "loci") / "a.md").read_text() == "made again"
    folder.remove("ann", "project", "loci", "e2")
    assert list(folder.root.iterdir()) == []


def test_files_that_cannot_be_told_are_written_anew(folder: BankFolder) -> None:
    folder.write(BANK, {"a.md": "one"})
    there = folder.of("ann", "project", "loci")
    (there / STATE).write_text("{")
    assert folder.read(there) is None
    assert list(folder.every()) == []
    assert folder.write(BANK, {"a.md": "one"})
