"""Edits of the mirror: what becomes of a file that somebody edited, deleted or made.

A file that was edited while the memory held what it held when the file was written changes the memory. Where the memory
has changed too, it wins (`MirrorFolder.put` sets the file aside). Whose memory it is, the user's folder says alone;
what front matter says is checked against where the file stands, and believed in nothing else.
"""

import asyncio
import re
from collections.abc import Callable, Collection, Iterable
from datetime import datetime
from pathlib import PurePosixPath

from memory.domain import Turn
from memory.engine import Engine
from memory.facts import BY_HAND, Add, Origin
from memory.ids import derived_id, keys_of, unscoped
from memory.mirror.files import (
    FACT,
    SUMMARY,
    MirrorEntry,
    Unreadable,
    Where,
    digest,
    digest_of_text,
    is_written_by_loci,
    parse,
    plain,
    where,
)
from memory.mirror.folder import MirrorFolder
from memory.mirror.held import Held
from memory.mirror.mirror import Mirror
from utils.clock import now
from utils.errors import Conflict, LociError
from utils.fields import CONTENT_CHARACTERS
from utils.files import file_name

LONGEST_FACT = 600  # characters, as over HTTP
LONGEST_MESSAGE = CONTENT_CHARACTERS

NOTHING = "it says nothing: delete it, if that is what you mean"
ENDED = "what had its id ended or was deleted: without one it is something new"
ANOTHERS = "it is of another conversation, of another user, or its name is taken"

_ID_LINE = re.compile(r"^id: .", re.MULTILINE)
_END_OF_MATTER = re.compile(r"^---\s*$", re.MULTILINE)
ADDED = (FACT, "user", "assistant")  # roles of which a file can add something


def unfit(owner: str, entry: MirrorEntry, place: Where, key: str | None) -> str | None:
    """Why a file cannot be what it says it is; None where it can."""
    if entry.conversation_id is not None and file_name(entry.conversation_id) != place.folder:
        return "it names another conversation than its folder"
    if place.conversation is None and entry.conversation_id is None and key is None:
        return "its folder's name is cut, and it does not name its conversation"
    if entry.role is not None and entry.role != place.role:
        return "it names another role than its folder"
    if key is not None and entry.id is not None and key not in keys_of(entry.id, owner):
        return "it names another id than it was written with"
    if key is not None and not entry.text:
        return NOTHING
    named = _ID_LINE.search(entry.text) if key is not None and entry.id is None else None
    if named is not None and _END_OF_MATTER.search(entry.text, named.end()):
        return "its front matter has no beginning"
    if len(entry.text) > (LONGEST_FACT if place.role == FACT else LONGEST_MESSAGE):
        return "its text is too long"
    if key is None and place.role not in ADDED:
        return "only facts, and messages of the user and the assistant, can be added"
    return None


class MirrorEdits:
    """Carries edits out. `nudge` is called when there may be something to embed, to summarise, or to learn from."""

    def __init__(self, engine: Engine, mirror: Mirror, nudge: Callable[[], None]) -> None:
        self._engine = engine
        self._mirror = mirror
        self._mirrored = mirror.mirrored
        self._nudge = nudge

    async def catch_up(self) -> None:
        """Takes over what was done to files while nobody looked."""
        for folder in self._mirror.folders:
            if folder.is_lost:
                self._mirror.restore(folder.owner)
                continue
            paths = await asyncio.to_thread(folder.paths)
            await self._remove_deleted(folder, [path for path in paths if folder.key_at(path) is None])
            missing = await self.look(folder.owner, {*paths, *(one.path for one in folder.written.values())})
            await self.delete(folder.owner, missing, since=folder.position.gists)

    async def look(self, owner: str, paths: Iterable[str]) -> list[str]:
        """Takes over what changed in files of a user. Returns those that were written and are gone, which may be an
        editor's way to write them: `delete` is to be told of those that stay away."""
        missing: list[str] = []
        for path in sorted(paths, key=_as_said):
            folder = self._mirror.folder(owner)
            if (place := where(path)) is None:
                continue
            there = await asyncio.to_thread(folder.read, path)
            key = folder.key_at(path)
            if there is None:
                missing += [path] if key is not None else []
            elif key is not None and isinstance(there, bytes) and digest(there) == folder.written[key].hash:
                continue
            else:
                try:
                    await self._take_over(folder, path, place, there)
                except (LociError, OSError) as error:
                    self._leave(folder, path, str(error))
        return missing

    async def delete(self, owner: str, paths: Collection[str], *, since: int | None = None) -> None:
        """Ends the facts and deletes the messages whose files are gone. `since`: what changed after this change was
        not known to whoever deleted its file, and is written anew."""
        folder = self._mirror.folder(owner)
        if paths and folder.is_lost:
            self._mirror.restore(owner)
        for path in paths:
            key, place = folder.key_at(path), where(path)
            if key is None or place is None or await asyncio.to_thread(folder.read, path) is not None:
                continue
            if place.role == SUMMARY:
                await self._write_summary(folder, key)
                continue
            held = await self._mirrored.get(owner, key)
            if held is None:
                await self._mirror.remove(owner, [key])
            elif self._is_newer(folder, held) or (since is not None and (held.change is None or held.change > since)):
                folder.drop(key)
                await self._mirror.put(owner, [held])
            elif held.entry.role == FACT:
                await self._engine.knowledge.facts.end(owner, key)
                await self._mirror.remove(owner, [key])
            else:
                await self._engine.oversight.forgetter.message(owner, unscoped(key, owner))
                await self._mirror.remove(owner, [key])

    async def _take_over(self, folder: MirrorFolder, path: str, place: Where, there: bytes | Unreadable) -> None:
        entry = parse(there) if isinstance(there, bytes) else there
        key = folder.key_at(path)
        if key is not None and place.role == SUMMARY:
            await self._write_summary(folder, key)
            return
        why = entry.why if isinstance(entry, Unreadable) else unfit(folder.owner, entry, place, key)
        if why is not None or not isinstance(there, bytes) or not isinstance(entry, MirrorEntry):
            self._leave(folder, path, why or "it cannot be read")
        elif key is not None:
            await self._edited(folder, path, key, entry, there)
        elif path in folder.moved and not entry.text:
            self._leave(folder, path, NOTHING)
        elif path in folder.moved:
            await self._saved_again(folder, path, folder.moved[path], entry, there)
        elif entry.text:
            await self._made(folder, path, place, entry, there)

    async def _remove_deleted(self, folder: MirrorFolder, paths: Collection[str]) -> None:
        """Takes away what was written just before a crash, so that the index does not know it, and is deleted by now:
        it would be taken for something new."""
        if not folder.position.epoch:
            return
        standing = await self._engine.store.changes.standing(folder.owner)
        same = standing is not None and standing.epoch == folder.position.epoch
        gone = await self._engine.store.changes.deleted_since(folder.owner, folder.position.gists)
        for path in paths:
            there = await asyncio.to_thread(folder.read, path)
            entry = parse(there) if isinstance(there, bytes) else None
            if not isinstance(entry, MirrorEntry) or entry.id is None or not is_written_by_loci(entry, path):
                continue
            keys = keys_of(entry.id, folder.owner)
            if (not same or not gone.keys().isdisjoint(keys)) and not await self._mirrored.of(folder.owner, keys):
                await asyncio.to_thread(folder.unlink, path)

    async def _edited(self, folder: MirrorFolder, path: str, key: str, entry: MirrorEntry, data: bytes) -> None:
        held = await self._mirrored.get(folder.owner, key)
        if held is None:
            return  # gone: the mirror's next pass sets the file aside
        if entry.text == plain(held.entry.text):
            folder.note(key, path, data, held.entry.text)
        elif self._is_newer(folder, held):
            await self._mirror.put(folder.owner, [held])
        else:
            await self._change(folder, held, entry.text, data)

    async def _saved_again(self, folder: MirrorFolder, path: str, key: str, entry: MirrorEntry, data: bytes) -> None:
        """A file that stands elsewhere by now was saved where it stood: its editor knows it there."""
        held = await self._mirrored.get(folder.owner, key)
        if held is None or key not in folder.written or self._is_newer(folder, held):
            await asyncio.to_thread(folder.set_aside, path)
            return
        if entry.text != plain(held.entry.text):
            await self._change(folder, held, entry.text)
        await asyncio.to_thread(folder.unlink, path, data)

    async def _change(self, folder: MirrorFolder, held: Held, text: str, data: bytes | None = None) -> None:
        """Puts a text in the place of what is held. `data`: the file that says so, where it stands in its place."""
        owner, key = folder.owner, held.key
        if held.entry.role == FACT:
            try:
                fact = await self._engine.knowledge.facts.change(owner, key, " ".join(text.split()))
            except Conflict:
                return  # it was replaced just now
            new = fact.id
        else:
            await self._engine.oversight.forgetter.reword(owner, unscoped(key, owner), text)
            new = key
        if data is not None:
            folder.note(key, folder.written[key].path, data, text)
        await self._mirror.look_again(owner, [new])
        if new != key:
            await asyncio.to_thread(folder.give_way, key, new)
        self._nudge()

    async def _made(self, folder: MirrorFolder, path: str, place: Where, entry: MirrorEntry, data: bytes) -> None:
        owner, named = folder.owner, entry.id
        conversation = place.conversation or entry.conversation_id or ""
        if named is not None:
            for held in (await self._mirrored.of(owner, keys_of(named, owner))).values():
                await self._known(folder, path, place, held, entry, data)
                return
            if await self._mirrored.is_anothers(owner, named):
                self._leave(folder, path, ANOTHERS)
                return
            if await asyncio.to_thread(folder.has_ended, named) or await self._mirrored.has_ended(owner, named):
                self._leave(folder, path, ENDED)
                return
        if place.role == FACT:
            added = await add_fact(self._engine, owner, conversation, entry)
        else:
            added = await add_message(self._engine, owner, conversation, place.role, path, entry)
        for key, held in (await self._mirrored.of(owner, keys_of(added, owner))).items():
            if key in folder.written:
                self._leave(folder, path, f"{folder.written[key].path!r} says so already")
                return
            folder.note(key, path, data, held.entry.text)
            await self._mirror.put(owner, [held])
        self._nudge()

    async def _known(
        self, folder: MirrorFolder, path: str, place: Where, held: Held, entry: MirrorEntry, data: bytes
    ) -> None:
        """A file that is not known, of something that is: it was written just before a crash, renamed, or copied."""
        if file_name(held.entry.conversation_id or "") != place.folder or held.entry.role != place.role:
            self._leave(folder, path, ANOTHERS)
            return
        before = folder.written.get(held.key)
        if before is None:
            await self._mirror.put(folder.owner, [held])
        elif await asyncio.to_thread(folder.read, before.path) is None:
            folder.rename(held.key, path)
            await self._edited(folder, path, held.key, entry, data)
            await self._mirror.look_again(folder.owner, [held.key])
        if folder.key_at(path) is None and await asyncio.to_thread(folder.read, path) is not None:
            self._leave(folder, path, "another file has its id: without one it is something new")

    async def _write_summary(self, folder: MirrorFolder, key: str) -> None:
        held = await self._mirrored.summaries(folder.owner, [key])
        await self._mirror.put(folder.owner, held)

    def _leave(self, folder: MirrorFolder, path: str, why: str) -> None:
        """Leaves a file alone, and says why."""
        self._mirror.tell(str(folder.base / path), why)

    def _is_newer(self, folder: MirrorFolder, held: Held) -> bool:
        """Whether the memory holds another text than when the file was written."""
        return folder.written[held.key].text != digest_of_text(held.entry.text)


def _as_said(path: str) -> tuple[list[str], str]:
    """Sorts files by their conversation, and in it by their time, which begins their names."""
    return path.split("/")[1:2], PurePosixPath(path).name


async def add_fact(engine: Engine, owner: str, conversation: str, entry: MirrorEntry) -> str:
    """Adds a fact as it stands; returns its id. Extracting and reconciling would make another text of it, or several,
    or none, and could end facts whose files nobody touched. What is in force already is not added again."""
    text = " ".join(entry.text.split())
    for fact in await engine.knowledge.facts.in_force(owner, conversation):
        if fact.text == text:
            return fact.id
    for at in (_past(entry.valid_from), now()):
        [decided] = await engine.knowledge.facts.apply(Origin(owner, conversation, BY_HAND, at), [Add(text)])
        if (await engine.knowledge.facts.get(owner, decided.id)).valid_to is None:
            break  # else it was said of the same moment before, and has ended
    return decided.id


async def add_message(engine: Engine, owner: str, conversation: str, role: str, path: str, entry: MirrorEntry) -> str:
    """Adds a message to the end of a conversation; returns its id, the same where a crash has it added again.

    Raises `Conflict` where the conversation is being deleted.
    """
    identifier = entry.id or derived_id(owner, conversation, path, entry.text)
    turn = Turn(identifier, "assistant" if role == "assistant" else "user", entry.text, _past(entry.created_at))
    await engine.chats.turns.remember(owner, conversation, [turn])
    return identifier


def _past(moment: datetime | None) -> datetime:
    """A moment that somebody wrote down, cut to what the store keeps; now where there is none, or none yet."""
    current = now()
    if moment is None or moment > current:
        return current
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)
