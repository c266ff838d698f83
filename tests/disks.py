"""Disks for tests: one that waits for nothing, and one of its own, small enough to be filled."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.checks import eventually

LEFT = 4_096  # bytes, the least that a file grows by


MEMORY = Path("/dev/shm")
ROOM = 2 << 30  # bytes that stores of tests may take


@contextmanager
def quick_folder() -> Iterator[Path]:
    """A folder for a store that need not outlive its tests: in memory, where each commit is there at once."""
    in_memory = os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM
    with tempfile.TemporaryDirectory(
        prefix="loci-", dir=MEMORY if in_memory else None, ignore_cleanup_errors=True
    ) as folder:
        yield Path(folder)


class Disk:
    """A file system in memory that a test may fill, or make read-only."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._filling = path / "filling"

    def fill(self) -> None:
        """Takes all the room that there is."""
        with self._filling.open("ab") as file:
            while free := os.statvfs(self.path).f_bavail * LEFT:
                os.posix_fallocate(file.fileno(), file.tell(), free)
                file.seek(0, os.SEEK_END)

    def free(self) -> None:
        self._filling.unlink()

    @contextmanager
    def read_only(self) -> Iterator[None]:
        eventually(self._is_read_only)  # which it cannot be while a process that ends has a file open
        try:
            yield
        finally:
            _run("mount", "-o", "remount,rw", str(self.path))

    def _is_read_only(self) -> bool:
        command = ["mount", "-o", "remount,ro", str(self.path)]
        return subprocess.run(command, check=False, capture_output=True).returncode == 0


@contextmanager
def small_disk(path: Path, megabytes: int) -> Iterator[Disk]:
    """A disk mounted at a folder for the while; the test is skipped where this user may mount none."""
    path.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", path], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("this user may not mount a disk")
    try:
        yield Disk(path)
    finally:
        _run("umount", "-l", str(path))


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)
