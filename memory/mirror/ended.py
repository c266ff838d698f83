"""Ids of what the memory holds no longer, so that a copy of its file is never taken for something new."""

import os
from collections.abc import Iterable
from pathlib import Path

from memory.ids import derived_id

FILE = ".ended"  # beside the users' folders, for a user's own goes with the user


class EndedIds:
    """The ids of messages and facts that had a file, ended or were deleted: digests of them, which tell nothing. Of all
    users together, for a folder may be copied, too. Those that came back are here still: who asks looks for them in the
    memory first."""

    def __init__(self, root: Path) -> None:
        self._path = root / FILE
        self._known: set[str] | None = None

    def add(self, ids: Iterable[str]) -> None:
        """Notes ids, on the disk when it returns. Raises `OSError`."""
        known = self._read()
        new = set(map(derived_id, ids)) - known
        if not new:
            return
        with self._path.open("a") as file:
            file.writelines(f"{digest}\n" for digest in sorted(new))
            file.flush()
            os.fsync(file.fileno())
        known |= new

    def has(self, identifier: str) -> bool:
        return derived_id(identifier) in self._read()

    def _read(self) -> set[str]:
        if self._known is None:
            self._known = set(self._path.read_text().split()) if self._path.exists() else set()
        return self._known
