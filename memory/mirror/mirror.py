"""The mirror: files follow what the memory holds, by each user's change counters.

Messages and facts in force are gists, and every change of a gist that is embedded stands under a number. Those that are
not embedded yet are looked for by themselves, for as long as they wait. Summaries stand under the counter of notes.
"""

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import monotonic

from memory.mirror.files import ENTRIES, is_hidden
from memory.mirror.folder import EndedIds, MirrorFolder, Position, owner_of
from memory.mirror.held import BATCH, Held, Mirrored
from memory.store import TOMBSTONE_SECONDS, Changes, Collections, Counter, Standing
from utils.errors import ConfigurationError

log = logging.getLogger(__name__)


STORE = ".store"  # the file that says of which database the mirror is


class _Followed:
    """A user's folder while this process follows it. `compared`: when all of it was last compared with the memory, or
    complete ever since, as `monotonic` counts; None where it has still to be. `versions`: of the summaries that were
    written. `waiting`: keys to look at again at the next pass."""

    def __init__(self, folder: MirrorFolder) -> None:
        self.folder = folder
        self.compared: float | None = None
        self.versions: dict[str, str] = {}
        self.waiting: set[str] = set()

    @property
    def is_whole(self) -> bool:
        """Whether marks of deletions tell all that has gone since."""
        return self.compared is not None and monotonic() - self.compared < TOMBSTONE_SECONDS / 2


class Mirror:
    """The files of all users under one folder, for one task: nothing here may run twice at once."""

    def __init__(self, collections: Collections, changes: Changes, root: Path) -> None:
        self.mirrored = Mirrored(collections)
        self.root = root.resolve()
        self._ended = EndedIds(self.root)
        self._changes = changes
        self._followed: dict[str, _Followed] = {}
        self._owners: dict[str, str] = {}
        self._told: set[str] = set()

    async def check(self) -> None:
        """Raises `ConfigurationError` where the files are of another database: its users would count as deleted."""
        store = await self.mirrored.store_id()
        marked = await asyncio.to_thread(_mark_of, self.root / STORE)
        if marked is not None and marked != store.encode():
            raise ConfigurationError(f"MIRROR_PATH={self.root} has the files of another database: set another one")

    async def claim(self) -> None:
        """Says whose the files are from now on. Raises as `check`."""
        await self.check()
        mark = self.root / STORE
        await asyncio.to_thread(mark.write_text, f"{await self.mirrored.store_id()}\n")

    async def open(self) -> None:
        """Reads what earlier processes wrote."""
        for folder in await asyncio.to_thread(self._open):
            await asyncio.to_thread(folder.tidy)
            self._take(folder)

    def _open(self) -> list[MirrorFolder]:
        """Those of users who have files; where only an index is left, all files were lost."""
        every = sorted(self.root.iterdir()) if self.root.exists() else []
        found = [path for path in every if path.is_dir() and not path.is_symlink()]
        owners = [owner for path in found if not is_hidden(path.name) and (owner := self.owner_of(path)) is not None]
        return [MirrorFolder(self.root, owner, self._ended) for owner in owners]

    def owner_of(self, folder: Path) -> str | None:
        """Whose folder it is: that of a user who has files, or could have some."""
        owner = self._owners.get(folder.name) or owner_of(folder)
        if owner is None:
            self.tell(str(folder), "no user is called so")
        return owner

    def folder(self, owner: str) -> MirrorFolder:
        return self._follow_user(owner).folder

    @property
    def folders(self) -> list[MirrorFolder]:
        return [followed.folder for followed in self._followed.values()]

    def tell(self, path: str, why: str) -> None:
        """Says once why a file is left alone."""
        said = f"{path!r} is left alone: {why}"
        if said not in self._told:
            self._told.add(said)
            log.warning("%s", said)

    def restore(self, owner: str) -> None:
        """Has all of a user's files written again."""
        followed = self._follow_user(owner)
        followed.folder.begin_anew()
        followed.compared, followed.versions = None, {}
        log.warning("%r is not there: its files are written anew", str(followed.folder.base / ENTRIES))

    async def follow(self) -> None:
        """One pass: when it returns, the files show all that was committed before it began."""
        every = await self._changes.every()
        for owner, followed in list(self._followed.items()):
            if followed.folder.position.epoch and owner not in every:
                await asyncio.to_thread(self._tried, followed.folder.forget, followed.folder)
                del self._followed[owner]
        for owner, standings in every.items():
            await self._bring_up(owner, self._follow_user(owner), standings)
        await self._look_at_waiting()
        for followed in list(self._followed.values()):
            await asyncio.to_thread(self._tried, followed.folder.save, followed.folder)

    async def save(self) -> None:
        """Writes down how far all has come."""
        for folder in self.folders:
            await asyncio.to_thread(self._tried, partial(folder.save, now=True), folder)

    def _tried(self, write: Callable[[], None], folder: MirrorFolder) -> None:
        """One user's folder that cannot be written stops no other's."""
        try:
            write()
        except OSError as error:
            self.tell(str(folder.base), error.strerror or "it cannot be written")

    async def put(self, owner: str, held: Sequence[Held]) -> bool:
        """Has files show this, where no edit stands against it; False where some could not be written."""
        followed = self._follow_user(owner)
        failed = await asyncio.to_thread(self._put, followed.folder, held)
        followed.waiting |= failed | {one.key for one in held if one.waits}
        return not failed

    def _put(self, folder: MirrorFolder, held: Sequence[Held]) -> set[str]:
        return self._failing(folder, {one.key: partial(folder.put, one.key, one.entry) for one in held})

    async def remove(self, owner: str, keys: Collection[str]) -> bool:
        """Takes away the files of what is remembered no longer; False where some could not be."""
        followed = self._follow_user(owner)
        failed = await asyncio.to_thread(self._remove, followed.folder, keys)
        followed.waiting = followed.waiting - set(keys) | failed
        return not failed

    def _remove(self, folder: MirrorFolder, keys: Collection[str]) -> set[str]:
        with suppress(OSError):  # which each of them raises again
            folder.note_ended(keys)
        return self._failing(folder, {key: partial(folder.remove, key) for key in keys})

    def _failing(self, folder: MirrorFolder, changes: Mapping[str, Callable[[], None]]) -> set[str]:
        """Changes files, each by the key of what it is of; returns the keys of those that could not be."""
        failed = set[str]()
        for key, change in changes.items():
            try:
                change()
            except OSError as error:
                self.tell(str(folder.base), f"the file of {key!r} cannot be written or removed: {error.strerror}")
                failed.add(key)
        return failed

    async def look_again(self, owner: str, keys: Sequence[str]) -> bool:
        """Has the files of keys show what is there now: a mark of a deletion stands before the gist goes, and an id
        that was deleted may have been given again."""
        held = await self.mirrored.of(owner, keys)
        removed = await self.remove(owner, [key for key in keys if key not in held])
        return await self.put(owner, list(held.values())) and removed

    def _follow_user(self, owner: str) -> _Followed:
        return self._followed.get(owner) or self._take(MirrorFolder(self.root, owner, self._ended))

    def _take(self, folder: MirrorFolder) -> _Followed:
        self._owners[folder.base.name] = folder.owner
        self._followed[folder.owner] = _Followed(folder)
        return self._followed[folder.owner]

    async def _bring_up(self, owner: str, followed: _Followed, standings: Mapping[Counter, Standing]) -> None:
        gists, notes, folder, began = standings["gists"], standings["notes"], followed.folder, monotonic()
        went_back = (
            gists.change < folder.position.gists or notes.change < folder.position.notes
        )  # a backup was restored
        if folder.position.epoch != gists.epoch or went_back:
            folder.position, followed.compared = Position(gists.epoch), None
        news = gists.change > folder.position.gists, notes.change > folder.position.notes
        if (any(news) or not followed.is_whole) and folder.is_lost:
            self.restore(owner)
        whole = followed.is_whole
        to, shown = gists.settled, notes.settled
        if (not whole or news[0]) and not await self._follow_gists(owner, folder, gists, whole=whole):
            to = folder.position.gists
        if (not whole or news[1]) and not await self._follow_summaries(owner, followed):
            shown = folder.position.notes
        folder.position = Position(gists.epoch, to, shown)
        followed.compared = began

    async def _follow_gists(self, owner: str, folder: MirrorFolder, standing: Standing, *, whole: bool) -> bool:
        """Whether all could be written."""
        since, done = folder.position.gists, True
        if whole and standing.deleted > since:
            marked = [key for key in await self._changes.deleted_since(owner, since) if key in folder.written]
            done &= await self.look_again(owner, marked)
        async for held in self.mirrored.since(owner, since):
            done &= await self.put(owner, held)
        if not whole:
            there = await self.mirrored.keys(owner)
            summaries = await self.mirrored.versions(owner)
            done &= await self.remove(owner, folder.written.keys() - there - summaries.keys())
            missing = sorted(there - folder.written.keys())
            for start in range(0, len(missing), BATCH):
                done &= await self.look_again(owner, missing[start : start + BATCH])
        return done

    async def _follow_summaries(self, owner: str, followed: _Followed) -> bool:
        """Whether all could be written."""
        versions = await self.mirrored.versions(owner)
        every = len(versions)
        await self.remove(owner, [key for key in followed.versions if key not in versions])
        changed = [key for key, version in versions.items() if followed.versions.get(key) != version]
        for start in range(0, len(changed), BATCH):
            some = changed[start : start + BATCH]
            held = await self.mirrored.summaries(owner, some)
            await self.remove(owner, set(some) - {one.key for one in held})
            failed = await asyncio.to_thread(self._put, followed.folder, held)
            for key in failed:
                del versions[key]
        complete = len(versions) == every
        followed.versions = versions
        return complete

    async def _look_at_waiting(self) -> None:
        """Messages that are not embedded yet, and those that were not at the last pass."""
        waiting = await self.mirrored.waiting()
        for owner in waiting.keys() | self._followed.keys():
            followed = self._follow_user(owner)
            keys = followed.waiting | set(waiting.get(owner, ()))
            followed.waiting = set()
            if keys:
                await self.look_again(owner, sorted(keys))


def _mark_of(mark: Path) -> bytes | None:
    try:
        return mark.read_bytes().strip()
    except FileNotFoundError:
        return None
