"""Banks in files: a folder for each, which only ever goes on to a later version. Blocking functions."""

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock

import orjson

from memory.banks.types import BankType
from utils.files import file_name, is_half_written, sync_folder, write_whole

STATE = ".bank.json"  # beside a bank's files: whose they are, and of which version
LOCK = ".lock"
DUMP = "cache_memory_dump.json"


@dataclass(frozen=True)
class WrittenBank:
    """What the files of a bank are of."""

    owner: str
    type: BankType
    id: str
    epoch: str
    version: int


class BankFolder:
    """`<root>/<owner>/<type>/<id>/*.md`. The store is the truth: files are written, never read, and those that were
    edited are written anew with the next version. One process at a time writes; any may remove."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._lock = Lock()
        self.wake: Callable[[], None] = _nobody  # tells whoever writes that there is something to be written at once

    def of(self, owner: str, kind: BankType, identifier: str) -> Path:
        return self._of_owner(owner) / kind / file_name(identifier)

    def write(self, bank: WrittenBank, texts: Mapping[str, str]) -> bool:
        """Writes a version of a bank, each file whole, the version's number last; False where a later one stands there.
        Raises `OSError`."""
        folder = self.of(bank.owner, bank.type, bank.id)
        with self._lock:
            former = self.read(folder)
            same = former is not None and former.epoch == bank.epoch
            if former is not None and same and former.version > bank.version:
                return False
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not same:  # from here on, whoever removes those of the bank before leaves them
                write_whole(folder / STATE, orjson.dumps(replace(bank, version=0)))
            _write_texts(folder, texts)
            write_whole(folder / STATE, orjson.dumps(bank))
            sync_folder(folder)
            for parent in (folder.parent, folder.parent.parent, self.root):
                sync_folder(parent)
            return True

    def remove(self, owner: str, kind: BankType, identifier: str, epoch: str | None = None) -> None:
        """Removes a bank's files, and the folders around them that are empty then. `epoch`: not those of a bank that
        took its place."""
        folder = self.of(owner, kind, identifier)
        with self._lock:
            if epoch is not None and (there := self.read(folder)) is not None and there.epoch != epoch:
                return
            shutil.rmtree(folder, ignore_errors=True)
            for parent in (folder.parent, folder.parent.parent):
                with suppress(OSError):
                    parent.rmdir()

    def read(self, folder: Path) -> WrittenBank | None:
        """What the files in a folder are of; None where that cannot be told."""
        try:
            return WrittenBank(**orjson.loads((folder / STATE).read_bytes()))
        except (OSError, ValueError, TypeError):
            return None

    def every(self) -> Iterator[WrittenBank]:
        """What there are files of."""
        for state in sorted(self.root.glob(f"*/*/*/{STATE}")):
            if (found := self.read(state.parent)) is not None:
                yield found

    def dump(self, state: Mapping[str, object]) -> None:
        """Writes what this process has at hand, for whoever looks for a fault; nobody reads it back."""
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(self.root / DUMP, orjson.dumps(state, option=orjson.OPT_INDENT_2))

    def _of_owner(self, owner: str) -> Path:
        name = file_name(owner)
        return self.root / (f"%{ord(name[0]):02x}{name[1:]}" if name == DUMP else name)


def _nobody() -> None:
    """Nobody writes files in this process."""


def _write_texts(folder: Path, texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        data = text.encode()
        if not _has(folder / name, data):
            write_whole(folder / name, data)
    for path in folder.iterdir():
        if is_half_written(path.name) or (path.suffix == ".md" and path.name not in texts):
            path.unlink(missing_ok=True)
    sync_folder(folder)


def _has(path: Path, data: bytes) -> bool:
    try:
        return path.stat().st_size == len(data) and path.read_bytes() == data
    except OSError:
        return False
