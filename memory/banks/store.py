"""Banks in the store, such that nothing of them is lost and two writers at once both get their way.

A bank is one document in `banks` that says what it holds now, and one in `bank_versions` for each change, which holds
the files that the change made. A change is made by adding the document of the next version, which only one writer can:
from that moment it holds. Then the bank's document is brought up to it, by whoever comes first: who reads a bank does
that for a writer that died in between.
"""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Literal

from pymongo import ReturnDocument
from pymongo.errors import DuplicateKeyError

from memory.banks.decisions import Applied
from memory.banks.ids import NamedBank, bank_key
from memory.banks.markdown import tokens_of
from memory.banks.types import BankType
from memory.ids import derived_id, new_id
from memory.store import Collections, leased, pending
from utils.clock import now
from utils.errors import NotFound
from utils.mongo import Document
from utils.text import count_tokens

MOST_BYTES = 32 * 1024 * 1024  # of texts that a process keeps at hand, the least recently used going first
MOST_ERRORS = 10  # of a bank that are kept, the newest
REPEATED_WITHIN = timedelta(hours=24)  # in which a request that comes again is the same one
HEAD = {"files.text": 0}  # a projection: a bank without its texts

Reason = Literal["created", "update", "optimise"]
Severity = Literal["info", "warning", "error"]


@dataclass(frozen=True)
class Change:
    """What becomes of a bank. `files`: all of them, as they are to be. `said`: what an update was given, as it came.
    `request`: names what asked for it; the same one again within a day changes nothing. `urgent`: the files on disk
    follow at once."""

    files: Mapping[str, str]
    reason: Reason
    by: str
    done: Sequence[Applied] = ()
    said: str | None = None
    conversation_id: str | None = None
    update_count: int | None = None
    request: str | None = None
    urgent: bool = False


@dataclass(frozen=True)
class Committed:
    """A change that holds. `version`: the one that it made; `bank`: as it stands now, in that one or in a later one."""

    version: int
    bank: Document


class BankStore:
    """Banks as documents. `due_after`: when a bank that was changed is looked at for what may be condensed; `most`:
    tokens above which that is at once."""

    def __init__(self, collections: Collections, most: int, due_after: timedelta) -> None:
        self._banks = collections.banks
        self._versions = collections.bank_versions
        self._most = most
        self._due_after = due_after

    async def find(self, owner: str, kind: BankType, identifier: str, fields: Document | None = None) -> Document:
        """A bank, brought up to its last version. Raises `NotFound`."""
        own = {"_id": bank_key(owner, kind, identifier), "user_id": owner, "deleted_at": None}
        while (found := await self._banks.find_one(own, fields)) is not None:
            after = {"_id": _key(found, found["version"] + 1), "user_id": owner}
            version: Document | None = await self._versions.find_one(after)
            if version is None:
                return found
            same = own | {"epoch": found["epoch"], "version": found["version"]}
            if (whole := await self._banks.find_one(same)) is not None:
                await self._advance(whole, version)
        raise NotFound("No such memory bank")

    async def begin(self, owner: str, kind: BankType, identifier: str, name: str, path: str | None) -> None:
        """Makes sure that there is a bank, of version 0 and without files where it is new. One that is being deleted is
        deleted first."""
        moment = now()
        fresh: Document = {
            "_id": bank_key(owner, kind, identifier),
            "user_id": owner,
            "type": kind,
            "id": identifier,
            "epoch": new_id(),
            "name": name,
            "path": path,
            "version": 0,
            "files": [],
            "tokens": 0,
            "errors": [],
            "created_at": moment,
            "updated_at": moment,
            "deleted_at": None,
            "urgent": False,
            "sections": pending(),
            "tidying": {"state": "done"},
        }
        while True:
            try:
                await self._banks.insert_one(fresh)
                return
            except DuplicateKeyError:
                found = await self._banks.find_one({"_id": fresh["_id"]}, HEAD)
            if found is not None and found["deleted_at"] is None:
                return
            if found is not None:
                await self.finish_deletion(found)

    async def commit(self, seen: Document, change: Change) -> Committed | None:
        """Makes the next version of a bank as it was seen. None where another was faster: look again. Raises `NotFound`
        where the bank was deleted meanwhile."""
        version = _version(seen, change)
        try:
            await self._versions.insert_one(version)
        except DuplicateKeyError:
            return None
        advanced = await self._advance(seen, version)
        bank = advanced if advanced is not None else await self._advanced_by_another(seen, version)
        return Committed(version["version"], bank)

    async def was_made(self, bank: Document, request: str) -> Document | None:
        """The version of a bank that a request made of late, if it did."""
        late = {"request": request, "at": {"$gt": now() - REPEATED_WITHIN}}
        found: Document | None = await self._versions.find_one(versions_of(bank) | late)
        return found

    async def note_activation(self, owner: str, key: str, epoch: str, path: str | None = None) -> str | None:
        """Notes that somebody began to work with a bank, at a path where it had none before; returns the one that it
        has then."""
        same = {"_id": key, "user_id": owner, "epoch": epoch}
        if path:
            await self._banks.update_one(same | {"path": None}, {"$set": {"path": path}})
        noted: Document | None = await self._banks.find_one_and_update(
            same, {"$set": {"activated_at": now()}}, projection={"path": 1}, return_document=ReturnDocument.AFTER
        )
        return noted["path"] if noted is not None else None

    async def named(self, owner: str, kind: BankType) -> list[NamedBank]:
        """What the banks of a type are called, the first made first. O(n) in these."""
        own = {"user_id": owner, "type": kind, "deleted_at": None}
        fields = {"type": 1, "id": 1, "name": 1, "path": 1, "updated_at": 1, "created_at": 1}
        found = await self._banks.find(own, fields).to_list(None)
        found.sort(key=lambda bank: (bank["created_at"], bank["_id"]))
        return [NamedBank(bank["type"], bank["id"], bank["name"], bank["path"], bank["updated_at"]) for bank in found]

    async def version(self, bank: Document, number: int) -> tuple[Document, dict[str, str]]:
        """A version of a bank, and its files. Raises `NotFound`."""
        own = versions_of(bank)
        found: Document | None = await self._versions.find_one(own | {"_id": _key(bank, number)})
        if found is None:
            raise NotFound("The memory bank has no such version")
        wanted = own | {"_id": {"$in": sorted({_key(bank, file["version"]) for file in found["files"]})}}
        made = await self._versions.find(wanted, {"texts": 1, "version": 1}).to_list(None)
        texts = {(version["version"], file["name"]): file["text"] for version in made for file in version["texts"]}
        return found, {file["name"]: texts[file["version"], file["name"]] for file in found["files"]}

    async def condensed_since(self, bank: Document, number: int) -> list[int]:
        """The versions of a bank behind one, as far as it goes, that condensing made, in order."""
        behind = {"version": {"$gt": number, "$lte": bank["version"]}, "reason": "optimise"}
        made = self._versions.find(versions_of(bank) | behind, {"version": 1})
        return sorted([version["version"] async for version in made])

    async def note_error(self, bank: Document, description: str, severity: Severity) -> None:
        """Adds to a bank's errors, of which the newest are kept."""
        error = {"timestamp": now(), "description": description, "severity": severity}
        newest = {"$each": [error], "$slice": -MOST_ERRORS}
        await self._banks.update_one(_same(bank), {"$push": {"errors": newest}})

    async def mark_deleted(self, owner: str, kind: BankType, identifier: str) -> Document | None:
        """Marks a bank as going, so that nobody finds or changes it; returns it. None where there is none."""
        own = {"_id": bank_key(owner, kind, identifier), "user_id": owner}
        marked: Document | None = await self._banks.find_one_and_update(
            own | {"deleted_at": None},
            {"$set": {"deleted_at": now()}},
            projection=HEAD,
            return_document=ReturnDocument.AFTER,
        )
        if marked is not None:
            return marked
        before: Document | None = await self._banks.find_one(own | {"deleted_at": {"$ne": None}}, HEAD)
        return before

    async def finish_deletion(self, bank: Document) -> tuple[int, int]:
        """Deletes a marked bank with its versions; returns how many banks and how many versions. Its sections are
        another's to delete: whoever marked it, the sweep, or who makes the bank anew, whose sections take their
        place."""
        versions = (await self._versions.delete_many(versions_of(bank))).deleted_count
        return (await self._banks.delete_one(_same(bank))).deleted_count, versions

    async def forget_strays(self, owner: str, moment: datetime) -> int:
        """Deletes the versions of a user's banks that are gone, which a writer may have left that died; returns how
        many."""
        there = [bank["epoch"] async for bank in self._banks.find({"user_id": owner}, {"epoch": 1})]
        stray = {"user_id": owner, "epoch": {"$nin": there}, "at": {"$lte": moment}}
        return (await self._versions.delete_many(stray)).deleted_count

    async def _advance(self, seen: Document, version: Document) -> Document | None:
        """Brings a bank as it was seen up to the version that follows; None where another did, or it is deleted."""
        texts = {file["name"]: file["text"] for file in (*seen["files"], *version["texts"])}
        due = seen["tidying"]
        if version["reason"] == "optimise":
            due = {"state": "done"}
        elif version["tokens"] > self._most:
            due = pending()
        elif due["state"] != "pending":
            due = pending() | {"lease_until": now() + self._due_after}
        before = {file["name"]: file for file in seen["files"]}
        changed = {file["name"] for file in version["texts"]}
        made = {
            "version": version["version"],
            "files": [
                {
                    "name": file["name"],
                    "version": file["version"],
                    "tokens": count_tokens(texts[file["name"]]),
                    "updated_at": version["at"] if file["name"] in changed else before[file["name"]]["updated_at"],
                    "text": texts[file["name"]],
                }
                for file in version["files"]
            ],
            "tokens": version["tokens"],
            "updated_at": version["at"],
            "urgent": version["urgent"],
            "sections": leased(),  # by whoever made the version, for as long as a lease runs
            "tidying": due,
        }
        as_before = _same(seen) | {"version": version["version"] - 1, "deleted_at": None}
        done = await self._banks.update_one(as_before, {"$set": made})
        return seen | made if done.matched_count else None

    async def _advanced_by_another(self, seen: Document, version: Document) -> Document:
        """The bank, which others brought up to this version or beyond. Where it was deleted, the version goes, too."""
        found: Document | None = await self._banks.find_one(_same(seen) | {"deleted_at": None})
        if found is None:
            await self._versions.delete_one({"_id": version["_id"], "user_id": seen["user_id"]})
            raise NotFound("The memory bank was deleted meanwhile")
        return found


def version_key(epoch: str, number: int) -> str:
    """The `_id` of a version of a bank."""
    return derived_id(epoch, str(number))


def _key(bank: Document, number: int) -> str:
    return version_key(bank["epoch"], number)


def _same(bank: Document) -> Document:
    """The filter of a bank, and of none that was made anew in its place."""
    return {name: bank[name] for name in ("_id", "user_id", "epoch")}


def versions_of(bank: Document) -> Document:
    """The filter of a bank's versions."""
    return {"user_id": bank["user_id"], "bank": bank["_id"], "epoch": bank["epoch"]}


def _version(seen: Document, change: Change) -> Document:
    number = seen["version"] + 1
    before = {file["name"]: file for file in seen["files"]}
    changed = [name for name, text in change.files.items() if name not in before or before[name]["text"] != text]
    document: Document = {
        "_id": _key(seen, number),
        "user_id": seen["user_id"],
        "bank": seen["_id"],
        "epoch": seen["epoch"],
        "version": number,
        "at": now(),
        "by": change.by,
        "reason": change.reason,
        "changes": [asdict(applied) for applied in change.done],
        "files": [
            {"name": name, "version": number if name in changed else before[name]["version"]} for name in change.files
        ],
        "texts": [{"name": name, "text": change.files[name]} for name in changed],
        "tokens": tokens_of(change.files),
        "urgent": change.urgent,
    }
    optional = {
        "said": change.said,
        "conversation_id": change.conversation_id,
        "update_count": change.update_count,
        "request": change.request,
    }
    return document | {name: value for name, value in optional.items() if value is not None}


@dataclass(frozen=True)
class CachedBank:
    """A bank as it stood in the store at `since`. `size`: of its texts, in bytes of UTF-8."""

    bank: Document
    since: datetime
    size: int


class BankCache:
    """Texts of banks, by the `_id` of the bank, each with the version that it is of."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, CachedBank] = OrderedDict()
        self._size = 0

    def get(self, head: Document) -> CachedBank | None:
        """A bank, where it is kept in the version that its head says."""
        kept = self._kept.get(head["_id"])
        if kept is None or (kept.bank["epoch"], kept.bank["version"]) != (head["epoch"], head["version"]):
            return None
        self._kept.move_to_end(head["_id"])
        return kept

    def put(self, bank: Document) -> CachedBank:
        """Keeps a bank; not in the place of a later version."""
        made = CachedBank(bank, now(), sum(len(file["text"].encode()) for file in bank["files"]))
        former = self._kept.get(bank["_id"])
        if former is not None and former.bank["epoch"] == bank["epoch"] and former.bank["version"] > bank["version"]:
            return made
        self.drop(bank["_id"])
        self._kept[bank["_id"]] = made
        self._size += made.size
        while self._size > MOST_BYTES and len(self._kept) > 1:
            self.drop(next(iter(self._kept)))
        return made

    def drop(self, key: str) -> None:
        kept = self._kept.pop(key, None)
        self._size -= kept.size if kept is not None else 0

    def let_go(self, owner: str) -> None:
        """Lets go of what is kept of an owner."""
        for key in [key for key, kept in self._kept.items() if kept.bank["user_id"] == owner]:
            self.drop(key)

    def every(self) -> list[CachedBank]:
        """All that is kept, for whoever looks for a fault."""
        return list(self._kept.values())
