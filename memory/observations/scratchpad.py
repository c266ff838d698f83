"""The scratchpad: a user's working memory, values under keys, some of which expire."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pymongo import ReturnDocument
from pymongo.errors import DuplicateKeyError

from memory.ids import derived_id, new_epoch
from memory.store import Collections
from memory.turns import NONE
from utils.clock import now
from utils.errors import InvalidInput, NotFound, PreconditionFailed
from utils.mongo import Document
from utils.text import CONTROL_CHARACTERS, folded, is_text

LONGEST_KEY = 500  # characters
LONGEST_VALUE = 65_536
LONGEST_TTL = 366 * 24 * 3600  # seconds


@dataclass(frozen=True)
class Entry:
    """A value under a key. `version`: counts its writes since `created_at`. `expires_at`: None for never. `epoch`:
    random, the same for all these writes; None for an entry of before there were epochs."""

    key: str
    value: str
    created_at: datetime
    updated_at: datetime
    version: int
    expires_at: datetime | None = None
    epoch: str | None = None

    @property
    def tag(self) -> str:
        """Tells this value from every other that the key had or will have, also after a deletion."""
        epoch = self.epoch or f"{int(self.created_at.timestamp() * 1000):x}"
        return f"{self.version}-{epoch}"


class Scratchpad:
    """The scratchpads of users. An entry is gone at the moment it expires; MongoDB deletes it some time later. Its
    document has key and value `folded`, too, where these differ in more than case from how they are written."""

    def __init__(self, collections: Collections) -> None:
        self._entries = collections.scratchpad

    async def get(self, owner: str, key: str) -> Entry:
        """What is in force under a key. Raises `NotFound`."""
        found = await self._entries.find_one({"user_id": owner, "key": key} | _in_force(now()))
        if found is None:
            raise NotFound("There is nothing under this key")
        return _entry(found)

    async def put(
        self, owner: str, key: str, value: str, *, ttl: timedelta | None = None, expected: str | None = None
    ) -> tuple[Entry, bool]:
        """Keeps a value, for `ttl` or until it is replaced; returns it and whether there was none under the key.

        `expected`: the tag of the entry that must be there, `NONE` for none at all; raises `PreconditionFailed`
        otherwise. Raises `InvalidInput` for a key, a value or a time that cannot be kept.
        """
        if (wrong := wrong_with(key)) is not None:
            raise InvalidInput(wrong)
        _check_value(value, ttl)
        while True:
            moment = now()
            found = await self._entries.find_one({"user_id": owner, "key": key})
            there = found if found is not None and _holds(found, moment) else None
            if expected is not None and (_entry(there).tag if there else NONE) != expected:
                raise PreconditionFailed("The entry is not the one that was expected")
            fresh = {
                "value": value,
                "folded": folded_of(key, value),
                "updated_at": moment,
                "expires_at": moment + ttl if ttl is not None else None,
            }
            if there is not None and there["value"] == value and there["expires_at"] is None and ttl is None:
                return _entry(there), False
            written = await self._write(owner, key, found, fresh, anew=there is None)
            if written is not None:
                return written, there is None

    async def _write(
        self, owner: str, key: str, found: Document | None, fresh: Document, *, anew: bool
    ) -> Entry | None:
        """The entry as it is then; None where somebody else was faster."""
        begun = {"created_at": fresh["updated_at"], "version": 1, "epoch": new_epoch()}
        if found is None:
            document = {"_id": derived_id(owner, key), "user_id": owner, "key": key} | fresh | begun
            try:
                await self._entries.insert_one(document)
            except DuplicateKeyError:
                return None
            return _entry(document)
        update: Document = {"$set": fresh | begun} if anew else {"$set": fresh, "$inc": {"version": 1}}
        same = {"_id": found["_id"]} | _same(_entry(found))
        changed = await self._entries.find_one_and_update(same, update, return_document=ReturnDocument.AFTER)
        return None if changed is None else _entry(changed)

    async def delete(self, owner: str, key: str, *, expected: str | None = None) -> None:
        """Raises `NotFound`, or `PreconditionFailed` where the entry is not the expected one."""
        entry = await self.get(owner, key)
        if expected is not None and entry.tag != expected:
            raise PreconditionFailed("The entry is not the one that was expected")
        own: Document = {"user_id": owner, "key": key}
        same = own if expected is None else own | _same(entry)
        if not (await self._entries.delete_one(same)).deleted_count:  # somebody else was faster
            if expected is None:
                raise NotFound("There is nothing under this key")
            await self.get(owner, key)
            raise PreconditionFailed("The entry is not the one that was expected")

    async def page(self, owner: str, *, limit: int, after: str = "", prefix: str = "", text: str = "") -> list[Entry]:
        """Entries in the order of their keys. `after`: key of the last one seen. `prefix`: how keys begin. `text`: what
        key or value has in it, in any case, width or style of letters."""
        keys: dict[str, str] = {"$gt": after} if after > prefix else {"$gte": prefix}
        keys |= {"$regex": f"^{re.escape(prefix)}"} if prefix else {}
        filter: dict[str, Any] = {"user_id": owner, "key": keys} | _in_force(now())
        if text:
            patterns = [
                {"$regex": re.escape(pattern), "$options": "i"} for pattern in dict.fromkeys((text, folded(text)))
            ]
            filter["$or"] = [{name: pattern} for name in ("key", "value", "folded") for pattern in patterns]
        found = await self._entries.find(filter).sort("key", 1).limit(limit).to_list(None)
        return [_entry(entry) for entry in found]

    async def forget(self, owner: str, moment: datetime) -> int:
        """Deletes what a user kept until a moment; returns how many entries were in force."""
        old = {"user_id": owner, "updated_at": {"$lte": moment}}
        await self._entries.delete_many(old | {"expires_at": {"$lte": now()}})
        return (await self._entries.delete_many(old)).deleted_count


def wrong_with(key: str) -> str | None:
    """Why a key cannot be one, None for one that can: what stands in an address must arrive there as it was sent, and
    clients take "." and ".." out of it."""
    if not key.strip() or len(key) > LONGEST_KEY:
        return f"A key has 1 to {LONGEST_KEY} characters, not all of them blank"
    if CONTROL_CHARACTERS.search(key) or not is_text(key) or any(character in key for character in "\t\n\r"):
        return "A key has control characters"
    if any(part in (".", "..") for part in key.split("/")):
        return "A key has . or .. between its slashes"
    return None


def folded_of(key: str, value: str) -> list[str]:
    """Key and value `folded`, as they stand beside these where that is more than their lower case."""
    return [other for text in (key, value) if (other := folded(text)) != text.lower()]


def _check_value(value: str, ttl: timedelta | None) -> None:
    if len(value) > LONGEST_VALUE:
        raise InvalidInput(f"A value has at most {LONGEST_VALUE} characters")
    if CONTROL_CHARACTERS.search(value) or not is_text(value):
        raise InvalidInput("A value has control characters")
    if ttl is not None and not timedelta(0) < ttl <= timedelta(seconds=LONGEST_TTL):
        raise InvalidInput(f"A time to live has 1 to {LONGEST_TTL} seconds")


def _in_force(moment: datetime) -> Document:
    return {"expires_at": {"$not": {"$lte": moment}}}


def _holds(found: Document, moment: datetime) -> bool:
    return found["expires_at"] is None or found["expires_at"] > moment


def _same(entry: Entry) -> Document:
    """What tells the document of an entry from those that its key had or will have."""
    return {"version": entry.version, "created_at": entry.created_at, "epoch": entry.epoch}


def _entry(found: Document) -> Entry:
    return Entry(
        key=found["key"],
        value=found["value"],
        created_at=found["created_at"],
        updated_at=found["updated_at"],
        version=found["version"],
        expires_at=found["expires_at"],
        epoch=found.get("epoch"),
    )
