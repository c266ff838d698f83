"""The folder of one user on the disk, and who changed its files last.

Everything here blocks, and is called in a thread. `memory_index.json` tells of each file what Loci wrote: a file whose
hash is another by now was edited. Files are written before the index is, so after a crash there may be files that it
does not know; one that says what the memory says is taken for its own.
"""

import errno
import logging
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from time import monotonic

import orjson
from pydantic import TypeAdapter, ValidationError

from memory.ids import APART, derived_id, keys_of, unscoped
from memory.mirror.files import (
    ENTRIES,
    LARGEST,
    SUMMARY,
    MirrorEntry,
    Unreadable,
    digest,
    digest_of_text,
    is_entry,
    is_folder_name,
    is_hidden,
    path_of,
    render,
    says,
    where,
)
from utils.files import file_name, is_half_written, name_of, sync_folder, write_whole

SAVING_SHARE = 20  # the index is written so seldom that it takes a twentieth of the time at most
SAVING_SECONDS = 1.0  # at least between two times

INDEX = "memory_index.json"
ENDED = ".ended"  # beside the users' folders, for a user's own goes with the user

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class WrittenFile:
    """A file as it was written or taken over. `hash`: of its bytes; `text`: of the text that the memory held."""

    path: str
    hash: str
    text: str


@dataclass(frozen=True)
class Position:
    """How far the mirror has come: the user's `epoch`, and the change of each counter up to which it is complete."""

    epoch: str = ""
    gists: int = 0
    notes: int = 0


@dataclass(frozen=True)
class Index:
    user: str
    position: Position
    entries: dict[str, WrittenFile] = field(default_factory=dict)


_index = TypeAdapter(Index)


def owner_of(folder: Path) -> str | None:
    """Whose folder it is: by its name, or where that was cut, by its index; None where no user can be called so."""
    name = name_of(folder.name)
    if name is None and (index := read_index(folder)) is not None and file_name(index.user) == folder.name:
        name = index.user
    return name if name is not None and all(map(is_folder_name, name.split(APART, 1))) else None


def read_index(folder: Path) -> Index | None:
    """The index of a user's folder; None where there is none that can be read."""
    try:
        return _index.validate_json((folder / INDEX).read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError):
        log.warning("%r cannot be read: the files are compared with the memory", str(folder / INDEX))
        return None


class EndedIds:
    """The ids of messages and facts that had a file, ended or were deleted: digests of them, which tell nothing. Of all
    users together, for a folder may be copied, too. Those that came back are here still: who asks looks for them in the
    memory first."""

    def __init__(self, root: Path) -> None:
        self._path = root / ENDED
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


class MirrorFolder:
    """A user's files. `written`: by `_id` of what they are of. `moved`: where a file stood that stands elsewhere by
    now, in case that its editor saves it again."""

    def __init__(self, root: Path, owner: str, ended: EndedIds) -> None:
        self.owner = owner
        self._ended = ended
        self.base = root / file_name(owner)
        self.written: dict[str, WrittenFile] = {}
        self.position = Position()
        self.moved: dict[str, str] = {}
        self._keys: dict[str, str] = {}
        self._unsynced: set[Path] = set()
        self._saved: tuple[Position, int] = (self.position, 0)
        self._noted = 0
        self._save_after = 0.0
        self._load()

    def key_at(self, path: str) -> str | None:
        """Of what the file at a path is."""
        return self._keys.get(path)

    @property
    def is_lost(self) -> bool:
        """Whether all files are gone at once, which nobody means as an edit: a disk that is not there."""
        return bool(self.written) and not (self.base / ENTRIES).is_dir()

    def begin_anew(self) -> None:
        """Forgets what was written: it is all written again."""
        self.written, self._keys, self.position = {}, {}, Position()
        self._noted += 1

    def read(self, path: str) -> bytes | Unreadable | None:
        """A file's bytes; None where there is none."""
        try:
            opened = os.open(self._inside(path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            return Unreadable("it is a link" if error.errno == errno.ELOOP else error.strerror or "it cannot be read")
        with os.fdopen(opened, "rb") as file:
            if not stat.S_ISREG(os.fstat(opened).st_mode):
                return Unreadable("it is not a file")
            data = file.read(LARGEST + 1)
        return data if len(data) <= LARGEST else Unreadable("it is too large")

    def is_untouched(self, path: str) -> bool:
        """Whether a file is as Loci wrote it, or as it took it over."""
        key, there = self.key_at(path), self.read(path)
        return key is not None and isinstance(there, bytes) and digest(there) == self.written[key].hash

    def put(self, key: str, entry: MirrorEntry) -> None:
        """Writes what the memory holds, where no file says so yet.

        A file that was edited stays as it is while the memory holds what it held when the file was written; where both
        have changed, the memory wins, and the edited file is set aside.
        """
        path, data, text = path_of(entry), render(entry), digest_of_text(entry.text)
        before = self.written.get(key)
        at = before.path if before else path
        there = self.read(at)
        same = isinstance(there, bytes) and (there == data or says(there, entry))
        untouched = same or (self.is_untouched(at) if before else there is None)
        if same and at == path:
            self.note(key, path, there if isinstance(there, bytes) else data, entry.text)
            return
        if before and not untouched and before.text == text and entry.role != SUMMARY:
            return
        if there is not None and not untouched:
            if entry.role == SUMMARY:
                log.warning("%r is written by Loci alone, and written again", str(self.base / at))
            else:
                self.set_aside(at)
        if at != path and self.key_at(path) is None and self.read(path) is not None:
            self.set_aside(path)
        self._write(path, data)
        self.note(key, path, data, entry.text)
        if at != path:
            self.moved[at] = key
            self.unlink(at, there if isinstance(there, bytes) else None)

    def remove(self, key: str) -> None:
        """Takes away the file of something that the memory holds no longer; one that was edited is set aside."""
        before = self.written.get(key)
        if before is None:
            return
        self.note_ended([key])
        place, there = where(before.path), self.read(before.path)
        if there is not None and not self.is_untouched(before.path) and place and place.role != SUMMARY:
            self.set_aside(before.path)
        else:
            self.unlink(before.path)
        self.drop(key)

    def note_ended(self, keys: Iterable[str]) -> None:
        """Notes that the memory holds no longer what had files. The summary of a session is made anew as it grows."""
        paths = {key: self.written[key].path for key in keys if key in self.written}
        places = {key: where(path) for key, path in paths.items()}
        self._ended.add(unscoped(key, self.owner) for key, at in places.items() if at and at.role != SUMMARY)

    def has_ended(self, identifier: str) -> bool:
        """Whether something of this id, which the memory does not hold, had a file once."""
        written = not self.written.keys().isdisjoint(keys_of(identifier, self.owner))
        return written or self._ended.has(identifier)

    def note(self, key: str, path: str, data: bytes, text: str) -> None:
        """Takes a file of these bytes for a text that the memory holds."""
        self._note(key, WrittenFile(path, digest(data), digest_of_text(text)))

    def rename(self, key: str, path: str) -> None:
        """Notes that a file stands elsewhere."""
        self._note(key, replace(self.written[key], path=path))

    def _note(self, key: str, written: WrittenFile) -> None:
        self.drop(key)
        self.written[key] = written
        self._keys[written.path] = key

    def drop(self, key: str) -> None:
        """Lets go of a file without touching it."""
        before = self.written.pop(key, None)
        if before is not None and self._keys.get(before.path) == key:
            del self._keys[before.path]
        self._noted += 1

    def give_way(self, old: str, new: str) -> None:
        """Takes away the file of what was replaced. Where it is saved again, or was meanwhile, the new one is meant."""
        self.moved = {path: new if key == old else key for path, key in self.moved.items()}
        if old not in self.written:
            return
        self.note_ended([old])
        path = self.written[old].path
        self.moved[path] = new
        if self.is_untouched(path):
            self.unlink(path)
        self.drop(old)

    def set_aside(self, path: str) -> None:
        """Keeps a file beside its place, under a name that is not read."""
        stem, number = path.removesuffix(".md"), 1
        while os.path.lexists(self.base / (aside := f"{stem}.conflict{f'.{number}' if number > 1 else ''}.md")):
            number += 1
        self._inside(path).rename(self.base / aside)
        log.warning("%r was edited while the memory changed too: kept as %r", str(self.base / path), aside)

    def unlink(self, path: str, data: bytes | None = None) -> None:
        """Deletes a file, and the folders that are empty then. `data`: only where it says this."""
        if data is not None and self.read(path) != data:
            return
        target = self._inside(path)
        target.unlink(missing_ok=True)
        with suppress(OSError):
            while (target := target.parent) != self.base:
                target.rmdir()

    def forget(self) -> None:
        """Takes away all files of a user who was deleted, but those that somebody edited or set aside."""
        self.note_ended(self.written)
        for key in list(self.written):
            self.remove(key)
        self.position = Position()
        (self.base / INDEX).unlink(missing_ok=True)
        for below, _, _ in os.walk(self.base, topdown=False):
            with suppress(OSError):  # it is not empty
                Path(below).rmdir()
        if self.base.exists():
            log.warning("%r has files that Loci did not write; the user was deleted", str(self.base))

    def tidy(self) -> None:
        """Deletes what a process that was killed had half written."""
        for folder, _, files in os.walk(self.base):
            for name in filter(is_half_written, files):
                (Path(folder) / name).unlink(missing_ok=True)

    def paths(self, below: str = ENTRIES) -> set[str]:
        """The files that are read at a path, itself or those below it, and those that were written there."""
        top = self.base / below
        if below in self._keys or (is_entry(top.name) and top.is_file()):
            return {below}
        found = {known for known in self._keys if known.startswith(f"{below}/")}
        for folder, folders, files in os.walk(top):
            folders[:] = [name for name in folders if not is_hidden(name)]
            found |= {(Path(folder) / name).relative_to(self.base).as_posix() for name in files if is_entry(name)}
        return found

    def save(self, *, now: bool = False) -> None:
        """Writes the index, where it is time: after the files that it tells of are on the disk for good."""
        state = (self.position, self._noted)
        if state == self._saved or (monotonic() < self._save_after and not now) or not self.base.is_dir():
            return
        began = monotonic()
        for folder in self._unsynced:
            sync_folder(folder)
        self._unsynced.clear()
        index = Index(self.owner, self.position, self.written)
        self._write(INDEX, orjson.dumps(index, option=orjson.OPT_INDENT_2))
        self._saved = state
        self._save_after = monotonic() + max(SAVING_SECONDS, SAVING_SHARE * (monotonic() - began))

    def _load(self) -> None:
        index = read_index(self.base)
        if index is None or index.user != self.owner:
            return
        self.position = index.position
        for key, written in index.entries.items():
            if where(written.path) is not None:
                self._note(key, written)
        self._saved = (self.position, self._noted)

    def _inside(self, path: str) -> Path:
        """The file at a path; raises `OSError` where a link leads elsewhere."""
        folder = self.base / PurePosixPath(path).parent
        if folder.resolve() != folder:
            raise OSError(errno.ELOOP, "a link stands in its way")
        return folder / PurePosixPath(path).name

    def _write(self, path: str, data: bytes) -> None:
        target = self._inside(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target, data)
        self._unsynced.update(folder for folder in target.parents if folder.is_relative_to(self.base))
