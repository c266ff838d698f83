"""Sections of banks, to be recalled: those of what a bank holds now are gists, which come and go with it; and so is
what it does not say any more since it was condensed, which goes when the bank does."""

import asyncio
import logging
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from weakref import WeakValueDictionary

from memory.banks.ids import bank_key, condensed_key
from memory.banks.markdown import all_sections, items, parse, time_of
from memory.banks.omissions import omitted_between
from memory.banks.store import BankStore
from memory.banks.types import BankType
from memory.domain import SECTION
from memory.gists import GistEraser, JustSaid, new_gist
from memory.ids import derived_id
from memory.store import Collections, NamedLeases, claim
from utils.errors import NotFound
from utils.mongo import Document, insert_new

PIECE = 1_200  # characters of a section that one embedding stands for, at most
MOST = 400  # pieces of a bank that can be recalled; one that has more is about to be condensed
MOST_CONDENSED = 2_000  # pieces that can be recalled of what went when a bank was condensed once
BATCH = 8  # banks that a worker takes at a time

log = logging.getLogger(__name__)


class BankSections:
    """Gists of kind `section`. Their `bank` is the `_id` of the bank, or its `condensed_key` for what went when it was
    condensed; their `session_id` is `type/id`, which no session is called; an id is made of what a gist says, so that
    what did not change keeps its embedding. A bank's `condensed_to` is the version up to which what went can be
    recalled."""

    def __init__(self, collections: Collections, store: BankStore, eraser: GistEraser, just_said: JustSaid) -> None:
        self._store = store
        self._banks = collections.banks
        self._vectors = collections.vectors
        self._leases = NamedLeases(collections)
        self._eraser = eraser
        self._just_said = just_said
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def work(self) -> int:
        """Brings the sections of banks up to them whose writer did not; returns how many banks those were."""
        total = 0
        while (claimed := await claim(self._banks, "sections", BATCH, without="files")).documents:
            for bank in claimed.documents:
                await self.follow(bank["user_id"], bank["type"], bank["id"])
            total += len(claimed.documents)
        return total

    async def follow(self, owner: str, kind: BankType, identifier: str, *, anew: bool = False) -> bool:
        """Lets the gists be what the bank says now, or none where there is no such bank; nothing is done where another
        did so since the bank changed, unless it is to be done `anew`. False where another process has been at it for
        long, and what is to do stays to be done."""
        key = bank_key(owner, kind, identifier)
        lock = self._locks.setdefault(
            key, asyncio.Lock()
        )  # of this process, which need not wait for a lease of its own
        async with lock, self._leases.held("indexing", owner, key) as held:
            while held:
                own = {"_id": key, "user_id": owner, "deleted_at": None}
                bank: Document | None = await self._banks.find_one(own)
                if bank is not None and bank["sections"]["state"] == "done" and not anew:
                    return True
                wanted = await asyncio.to_thread(_gists, bank) if bank is not None else []
                await self._keep_condensed(owner, key, bank)
                await self._write(owner, key, wanted)
                if bank is None or await self._is_done(bank):
                    return True
            return False

    async def forget(self, owner: str, key: str | None = None) -> int:
        """Deletes the gists of a bank, or of all of the owner's; returns how many."""
        bank = {"$exists": True} if key is None else {"$in": [key, condensed_key(key)]}
        return await self._eraser.erase(owner, {"user_id": owner, "bank": bank})

    async def _is_done(self, bank: Document) -> bool:
        """Notes that the gists are what a bank says, unless it says something else by now."""
        same = {name: bank[name] for name in ("_id", "user_id", "epoch", "version")}
        done = {"sections.state": "done", "condensed_to": bank["version"]}
        unleased = {"sections.lease": "", "sections.lease_until": ""}
        return bool((await self._banks.update_one(same, {"$set": done, "$unset": unleased})).matched_count)

    async def _keep_condensed(self, owner: str, key: str, bank: Document | None) -> None:
        """Lets what went when a bank was condensed be recalled, and nothing of one that stood in its place before."""
        since = bank.get("condensed_to", 0) if bank is not None else 0
        if not since:
            epoch = bank["epoch"] if bank is not None else None
            own = {"user_id": owner, "bank": condensed_key(key), "condensed.epoch": {"$ne": epoch}}
            await self._eraser.erase(owner, own)
        if bank is not None:
            for number in await self._store.condensed_since(bank, since):
                await self._add(owner, await self._condensed(bank, number))

    async def _condensed(self, bank: Document, number: int) -> list[Document]:
        """Gists of what a bank said before it was condensed to a version, and does not say as it did in that."""
        try:
            made, before = await self._store.version(bank, number - 1)
            _, after = await self._store.version(bank, number)
        except NotFound:  # it is deleted meanwhile
            return []
        return await asyncio.to_thread(_gists_of_gone, bank, before, after, number - 1, made["at"])

    async def _write(self, owner: str, key: str, wanted: list[Document]) -> None:
        own = {"user_id": owner, "bank": key}
        there = {gist["_id"] async for gist in self._vectors.find(own, {"_id": 1})}
        await self._add(owner, [gist for gist in wanted if gist["_id"] not in there])
        stale = sorted(there - {gist["_id"] for gist in wanted})
        if stale:
            await self._eraser.erase(owner, own | {"_id": {"$in": stale}})

    async def _add(self, owner: str, fresh: list[Document]) -> None:
        """Adds gists, but for those that are there."""
        if fresh:
            inserted = await insert_new(self._vectors, fresh)
            self._just_said.add(owner, [gist for gist, new in zip(fresh, inserted, strict=True) if new])


def _gists(bank: Document) -> list[Document]:
    made: dict[str, Document] = {}
    for file in bank["files"]:
        for heading, text, moment in _pieces(file["text"], file["updated_at"]):
            content = f"{_title(bank, file['name'], heading)}\n{text}"
            gist = _gist(bank, derived_id(SECTION, bank["_id"], bank["epoch"], content), content, moment)
            made.setdefault(gist["_id"], gist)
    if len(made) > MOST:
        log.warning("of a memory bank with %d pieces, %d can be recalled until it is condensed", len(made), MOST)
    return list(made.values())[:MOST]


def _gists_of_gone(
    bank: Document, before: Mapping[str, str], after: Mapping[str, str], version: int, moment: datetime
) -> list[Document]:
    """Gists of what stands in a version of a bank, made at a moment, and not in the one after it."""
    made: dict[str, Document] = {}
    for gone in omitted_between(before, after):
        for text, since in _in_pieces(gone.entries, moment):
            content = f"{_title(bank, gone.file, gone.title)}\n{text}"
            key = derived_id(SECTION, bank["_id"], bank["epoch"], str(version), content)
            where = {"version": version, "file": gone.file, "epoch": bank["epoch"]}
            own = {"bank": condensed_key(bank["_id"]), "condensed": where}
            made.setdefault(key, _gist(bank, key, content, since) | own)
    if len(made) > MOST_CONDENSED:
        log.warning("of %d condensed pieces of a memory bank, %d can be recalled", len(made), MOST_CONDENSED)
    return list(made.values())[-MOST_CONDENSED:]


def _title(bank: Document, file: str, heading: str) -> str:
    return " › ".join(part for part in (bank["name"] or bank["id"], file, heading) if part)


def _gist(bank: Document, key: str, content: str, moment: datetime) -> Document:
    session_id = f"{bank['type']}/{bank['id']}"
    return new_gist(key, bank["user_id"], session_id, SECTION, content, moment, bank=bank["_id"])


def _pieces(text: str, updated_at: datetime) -> Iterator[tuple[str, str, datetime]]:
    """What a file says, in pieces: under which heading, the text, and since when."""
    for section in all_sections(parse(text)):
        for piece, since in _in_pieces(items(section.body), updated_at):
            yield section.title, piece, since


def _in_pieces(entries: Iterable[str], moment: datetime) -> Iterator[tuple[str, datetime]]:
    """Entries in pieces of at most `PIECE` characters, each with the time of its first entry, or else a moment."""
    piece, since = "", moment
    for item in entries:
        for part in [item[at : at + PIECE] for at in range(0, len(item), PIECE)]:
            if piece and len(piece) + len(part) >= PIECE:
                yield piece, since
                piece = ""
            since = since if piece else time_of(item) or moment
            piece = f"{piece}\n{part}" if piece else part
    if piece.strip():
        yield piece, since
