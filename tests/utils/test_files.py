"""Files are there whole or not at all; names as file names are reversible, distinct everywhere, and never out of their
folder."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utils.files import LONGEST, file_name, is_half_written, name_of, sync_folder, write_whole

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=200)


def test_a_file_is_replaced_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.md"
    write_whole(path, b"one")
    seen: list[tuple[bytes, list[str]]] = []

    def look(_: int) -> None:
        seen.append((path.read_bytes(), [name.name for name in tmp_path.iterdir() if is_half_written(name.name)]))

    monkeypatch.setattr(os, "fsync", look)
    write_whole(path, b"two")
    [(before, half)] = seen
    assert (before, len(half), path.read_bytes()) == (b"one", 1, b"two")
    assert [name.name for name in tmp_path.iterdir()] == ["x.md"]


def test_what_cannot_be_written_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_whole(tmp_path / "x.md", b"one")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_gone_needs_no_syncing(tmp_path: Path) -> None:
    sync_folder(tmp_path)
    sync_folder(tmp_path / "gone")


@given(NAMES)
def test_a_name_can_be_read_from_its_file_name(name: str) -> None:
    file = file_name(name)
    assert name_of(file) == (None if "~" in file else name)


@given(NAMES, NAMES)
def test_two_names_are_two_files_whatever_the_file_system_makes_of_case(one: str, other: str) -> None:
    assert (file_name(one).casefold() == file_name(other).casefold()) == (one == other)


@given(NAMES)
def test_a_file_name_is_one_plain_part_of_a_path(name: str) -> None:
    file = file_name(name)
    assert 0 < len(file.encode()) <= LONGEST
    assert file.isascii() and not set(file) & set('/\\:*?"<>| \0') and file == file.lower()
    assert not file.startswith(".") and not file.endswith(".")


def test_names_look_like_themselves_where_they_can() -> None:
    assert file_name("ann") == "ann"
    assert file_name("trip-2024_05.notes") == "trip-2024_05.notes"
    assert (file_name("Ann"), file_name("ann b"), file_name("..")) == ("%41nn", "ann%20b", "%2e%2e")
    assert (file_name("con"), file_name("nul.txt"), file_name("console")) == ("%63on", "%6eul.txt", "console")
    assert file_name("é") == "%c3%a9" != file_name("e\u0301")


def test_names_that_no_name_is_written_as_are_none() -> None:
    for file in ("Ann", "%41NN", "%2E", "a b", "%ff", "x" * 200, "é", "%", ".."):
        assert name_of(file) is None


def test_long_names_are_cut_and_stay_distinct() -> None:
    names = [f"{'x' * 150}{number}" for number in range(50)]
    assert len({file_name(name) for name in names}) == 50
    assert all(len(file_name(name)) == LONGEST for name in names)
