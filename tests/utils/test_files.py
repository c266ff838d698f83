"""Files are there whole or not at all."""

import os
from pathlib import Path

import pytest

from utils.files import is_half_written, sync_folder, write_whole


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
