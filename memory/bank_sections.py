"""How are banks recalled? The sections of what a bank holds now are gists, which come and go with it."""

import asyncio
import logging
from dataclasses import dataclass, field
from datetime import datetime

from memory.bank_ids import bank_key
from memory.bank_markdown import Section, items, joined, lead_of, parse, time_of
from memory.bank_types import BankType
from memory.collections import Collections
from memory.domain import SECTION
from memory.gist_eraser import GistEraser
from memory.ids import derived_id
from memory.just_said import JustSaid
from memory.leases import claim, pending
from memory.named_leases import NamedLeases
from utils.clock import now
from utils.mongo import Document, insert_new

PIECE = 1_200  # characters of a section that one embedding stands for, at most
MOST = 400  # pieces of a bank that can be recalled; one that has more is about to be condensed
BATCH = 8  # banks that a worker takes at a time
DONE = {"$set": {"sections.state": "done"}, "$unset": {"sections.lease": "", "sections.lease_until": ""}}

log = logging.getLogger(__name__)


@dataclass
class _Line:
    """Those of this process who want a bank's gists brought up to it: one does that for all who asked before it looked.
    `asked`: how many did; `done`: for how many of them it is done; `users`: who are still here."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    asked: int = 0
    done: int = 0
    users: int = 0


class BankSections:
    """Gists of kind `section`. Their `bank` is the `_id` of the bank, their `session_id` is `type/id`, which no session
    is called; an id is made of what a gist says, so that what did not change keeps its embedding."""

    def __init__(self, collections: Collections, eraser: GistEraser, just_said: JustSaid) -> None:
        self._banks = collections.banks
        self._vectors = collections.vectors
        self._leases = NamedLeases(collections)
        self._eraser = eraser
        self._just_said = just_said
        self._lines: dict[str, _Line] = {}

    async def work(self) -> int:
        """Brings the sections of banks up to them whose writer did not; returns how many banks those were."""
        total = 0
        while (claimed := await claim(self._banks, "sections", BATCH, without="files")).documents:
            for bank in claimed.documents:
                await self.follow(bank["user_id"], bank["type"], bank["id"])
            total += len(claimed.documents)
        return total

    async def follow(self, owner: str, kind: BankType, identifier: str) -> bool:
        """Lets the gists be what the bank says now, or none where there is no such bank. False where another process
        has been at it for long, and what is to do stays to be done."""
        key = bank_key(owner, kind, identifier)
        line = self._lines.setdefault(key, _Line())
        line.asked += 1
        mine = line.asked
        line.users += 1
        try:
            async with line.lock:
                return line.done >= mine or await self._follow(owner, key, line)
        finally:
            line.users -= 1
            if not line.users:
                del self._lines[key]

    async def _follow(self, owner: str, key: str, line: _Line) -> bool:
        async with self._leases.held("indexing", owner, key) as held:
            if not held:
                return False
            while True:
                asked = line.asked
                bank: Document | None = await self._banks.find_one({"_id": key, "user_id": owner, "deleted_at": None})
                wanted = await asyncio.to_thread(_gists, bank) if bank is not None else []
                await self._write(owner, key, wanted)
                same = {"_id": key, "user_id": owner, "version": bank["version"]} if bank is not None else {}
                if bank is None or (await self._banks.update_one(same, DONE)).matched_count:
                    line.done = asked
                    return True

    async def forget(self, owner: str, key: str | None = None) -> int:
        """Deletes the gists of a bank, or of all of the owner's; returns how many."""
        bank = {"$exists": True} if key is None else key
        return await self._eraser.erase(owner, {"user_id": owner, "bank": bank})

    async def _write(self, owner: str, key: str, wanted: list[Document]) -> None:
        own = {"user_id": owner, "bank": key}
        there = {one["_id"] async for one in self._vectors.find(own, {"_id": 1})}
        fresh = [gist for gist in wanted if gist["_id"] not in there]
        if fresh:
            inserted = await insert_new(self._vectors, fresh)
            self._just_said.add(owner, [gist for gist, new in zip(fresh, inserted, strict=True) if new])
        stale = sorted(there - {gist["_id"] for gist in wanted})
        if stale:
            await self._eraser.erase(owner, own | {"_id": {"$in": stale}})


def _gists(bank: Document) -> list[Document]:
    made: dict[str, Document] = {}
    for file in bank["files"]:
        for heading, text, moment in _pieces(file["text"], file["updated_at"]):
            title = " › ".join(part for part in (bank["name"] or bank["id"], file["name"], heading) if part)
            gist = _gist(bank, f"{title}\n{text}", moment)
            made.setdefault(gist["_id"], gist)
    if len(made) > MOST:
        log.warning("of a memory bank with %d pieces, %d can be recalled until it is condensed", len(made), MOST)
    return list(made.values())[:MOST]


def _gist(bank: Document, content: str, moment: datetime) -> Document:
    key = derived_id(SECTION, bank["_id"], bank["epoch"], content)
    return {
        "_id": key,
        "id": key,
        "user_id": bank["user_id"],
        "bank": bank["_id"],
        "session_id": f"{bank['type']}/{bank['id']}",
        "kind": SECTION,
        "role": SECTION,
        "content": content,
        "timestamp": moment,
        "created_at": now(),
        "embed": pending(),
    }


def _pieces(text: str, updated_at: datetime) -> list[tuple[str, str, datetime]]:
    """What a file says, in pieces of at most `PIECE` characters: under which heading, the text, and since when."""
    found: list[tuple[str, str, datetime]] = []
    page = parse(text)
    _, lead = lead_of(page)
    for section in (Section("", joined(lead)), *page.sections):
        piece, since = "", updated_at
        for item in items(section.body):
            for part in [item[at : at + PIECE] for at in range(0, len(item), PIECE)]:
                if piece and len(piece) + len(part) >= PIECE:
                    found.append((section.title, piece, since))
                    piece = ""
                since = since if piece else time_of(item) or updated_at
                piece = f"{piece}\n{part}" if piece else part
        if piece.strip():
            found.append((section.title, piece, since))
    return found
