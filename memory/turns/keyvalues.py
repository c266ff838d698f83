"""Key-values: facts that a user asked to keep under a key; and their records, out and in."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from collections.abc import Collection as Ids
from datetime import datetime
from functools import lru_cache, partial
from typing import Annotated, Any

from pydantic import Field
from pymongo import ReturnDocument
from pymongo.errors import DuplicateKeyError

from memory.domain import UNRANKED, KeyValue
from memory.ids import derived_id, new_epoch
from memory.lines import Epoch, Kept, LinePart, Passed, Version
from memory.product import Inserting, Record
from memory.store import Changes, Collections, NotesCache, by_key
from utils.clock import now
from utils.errors import NotFound, PreconditionFailed
from utils.fields import MessageId
from utils.mongo import Collection, Document, insert_new
from utils.text import content_stems, count_tokens

STEMMED = 300  # characters of a value that a query is compared with
HISTORY = 50  # former values kept
NONE = ""  # the tag that no value has
AT_ONCE = 2_000  # characters of a query that are compared in the event loop
LOOKED_AT = 500  # newest facts among which those that suit a query are chosen


class FormerValue(LinePart):
    value: str
    updated_at: Passed
    version: Version
    source: MessageId | None = None


class MemoryLine(Kept):
    key: MessageId
    value: str
    version: Version
    epoch: Epoch | None = None
    source: MessageId | None = None
    sources: list[MessageId]
    pinned: bool | None = None
    hidden: bool | None = None
    history: Annotated[list[FormerValue], Field(max_length=HISTORY)]


class KeyValues:
    """A user's key/value facts. Every write counts the version up and keeps the former value."""

    def __init__(self, collections: Collections, changes: Changes) -> None:
        self._memories = collections.memories
        self._changes = changes
        self.cache = NotesCache(changes, self._read_newest, "facts")

    async def get(self, owner: str, key: str) -> KeyValue:
        return _keyvalue(await self._find(owner, key))

    async def under(self, owner: str, keys: Sequence[str]) -> dict[str, KeyValue]:
        """By their keys, those of the facts that there are."""
        kept = {"user_id": owner, "key": {"$in": list(keys)}}
        documents = await self._memories.find(kept, {"history": 0}).to_list(None)
        return {document["key"]: _keyvalue(document) for document in documents}

    async def history(self, owner: str, key: str) -> list[KeyValue]:
        """All values that the key had, newest first, the present one among them."""
        document = await self._find(owner, key)
        former = [_keyvalue(document | entry) for entry in reversed(document["history"])]
        return [_keyvalue(document), *former]

    async def put(
        self, owner: str, key: str, value: str, *, source: str | None = None, expected: str | None = None
    ) -> tuple[KeyValue, bool]:
        """Keeps a value; returns it and whether the key is new. The same value again changes nothing.

        `expected`: the tag of the value that must be in force, `NONE` for none at all; raises `PreconditionFailed`
        otherwise.
        """
        async with self._changes.noted(owner, "facts"):
            return await self._put(owner, key, value, source, expected)

    async def _put(
        self, owner: str, key: str, value: str, source: str | None, expected: str | None
    ) -> tuple[KeyValue, bool]:
        while True:
            document = await self._memories.find_one({"user_id": owner, "key": key})
            if expected is not None and (_keyvalue(document).tag if document else NONE) != expected:
                raise PreconditionFailed("The memory is not the one that was expected")
            if document is None:
                made = await self._create(owner, key, value, source)
                if made is not None:
                    return made, True
            elif document["value"] == value:
                if source is not None:
                    told = {"$addToSet": {"sources": source}, "$unset": {"rank": ""}}
                    await self._memories.update_one(_same(document), told)
                return _keyvalue(document), False
            else:
                changed = await self._replace(document, value, source)
                if changed is not None:
                    return changed, False

    async def _create(self, owner: str, key: str, value: str, source: str | None) -> KeyValue | None:
        moment = now()
        document: Document = {
            "_id": derived_id(owner, key),
            "user_id": owner,
            "key": key,
            "value": value,
            "tokenCount": count_tokens(value),
            "created_at": moment,
            "updated_at": moment,
            "version": 1,
            "epoch": new_epoch(),
            "source": source,
            "sources": [source] if source is not None else [],
            "history": [],
            "rank": UNRANKED,
        }
        try:
            await self._memories.insert_one(document)
        except DuplicateKeyError:
            return None
        return _keyvalue(document)

    async def _replace(self, before: Document, value: str, source: str | None) -> KeyValue | None:
        former = {name: before[name] for name in ("tokenCount", *FormerValue.model_fields)}
        fresh = {"value": value, "tokenCount": count_tokens(value), "updated_at": now(), "source": source}
        changed = await self._memories.find_one_and_update(
            _same(before),
            {
                "$set": fresh,
                "$unset": {"rank": ""},  # that of the profile, made of the value
                "$inc": {"version": 1},
                "$push": {"history": {"$each": [former], "$slice": -HISTORY}},
                **({"$addToSet": {"sources": source}} if source is not None else {}),
            },
            return_document=ReturnDocument.AFTER,
        )
        return None if changed is None else _keyvalue(changed)

    async def delete(self, owner: str, key: str, *, expected: str | None = None) -> KeyValue:
        """Deletes a fact with its history; returns what it was."""
        document = await self._find(owner, key)
        if expected is None:
            filter: dict[str, Any] = {"_id": document["_id"]}
        elif _keyvalue(document).tag == expected:
            filter = _same(document)
        else:
            raise PreconditionFailed("The memory is not the one that was expected")
        async with self._changes.noted(owner, "facts"):
            deleted = await self._memories.find_one_and_delete(filter)
        if deleted is None:  # somebody else was faster
            await self._find(owner, key)
            raise PreconditionFailed("The memory is not the one that was expected")
        return _keyvalue(deleted)

    async def move(self, source: str, target: str, said: Ids[str] | None) -> None:
        """Moves to another owner the values that messages stated, former ones, too; None: all of them. Under a key that
        the other has already, the newest value is in force. Called again after a crash, it moves what was left."""
        stated: Document = {"user_id": source}
        if said is not None:
            stated["$or"] = [{name: {"$in": list(said)}} for name in ("sources", "source")]
        while (document := await self._memories.find_one(stated)) is not None:
            async with self._changes.noted(target, "facts"), self._changes.noted(source, "facts"):
                there = await self._memories.find_one({"user_id": target, "key": document["key"]})
                going = [one for one in _versions(document) if said is None or one["source"] in said]
                staying = [one for one in _versions(document) if one not in going]
                known = _versions(there) if there is not None else []
                fresh = [one for one in going if one not in known]
                sources = [one for one in document.get("sources", ()) if said is None or one in said]
                left = [one for one in document.get("sources", ()) if one not in sources]
                sources += there.get("sources", ()) if there is not None else ()
                if not fresh or await self._rewrite(target, there, document, [*known, *fresh], sources):
                    await self._rewrite(source, document, document, staying, left)

    async def _rewrite(
        self, owner: str, there: Document | None, like: Document, versions: Sequence[Document], sources: Sequence[str]
    ) -> bool:
        """Has a key have these values, and no other; False where others changed it meanwhile. `like`: what it has
        beside."""
        identity = {"_id": derived_id(owner, like["key"])}
        if not versions and there is not None:
            return (await self._memories.delete_one(_same(there))).deleted_count == 1
        *former, present = sorted(versions, key=lambda one: one["updated_at"])[-HISTORY - 1 :]
        made = {
            "user_id": owner,
            "created_at": min(one["updated_at"] for one in versions),
            "version": len(former) + 1,
            "epoch": new_epoch(),
            "sources": list(dict.fromkeys([*sources, *(one["source"] for one in versions if one["source"])])),
            "history": [one | {"version": number} for number, one in enumerate(former, 1)],
            "rank": UNRANKED,
        }
        fresh = (there or like) | identity | present | made
        if there is None:
            return (await insert_new(self._memories, [fresh]))[0]
        return (await self._memories.replace_one(_same(there), fresh)).matched_count == 1

    async def page(self, owner: str, *, limit: int, after: tuple[datetime, str] | None) -> list[tuple[KeyValue, str]]:
        """Facts, newest first, each with its `_id`. `after`: `updated_at` and `_id` of the last one seen."""
        filter: dict[str, Any] = {"user_id": owner}
        if after is not None:
            moment, key = after
            filter["$or"] = [{"updated_at": {"$lt": moment}}, {"updated_at": moment, "_id": {"$lt": key}}]
        cursor = self._memories.find(filter, {"history": 0}).sort([("updated_at", -1), ("_id", -1)]).limit(limit)
        return [(_keyvalue(document), document["_id"]) for document in await cursor.to_list(None)]

    async def suited(self, owner: str, query: str, most: int) -> list[KeyValue]:
        """The facts that share most words with a query, then the newest."""
        facts = await self.cache.get(owner)
        if len(query) <= AT_ONCE:
            return best_matching(facts, query)[:most]
        return (await asyncio.to_thread(best_matching, facts, query))[:most]

    async def _read_newest(self, owner: str) -> list[KeyValue]:
        cursor = self._memories.find({"user_id": owner}, {"history": 0}).sort([("updated_at", -1), ("_id", -1)])
        return [_keyvalue(document) for document in await cursor.limit(LOOKED_AT).to_list(None)]

    async def _find(self, owner: str, key: str) -> Document:
        document = await self._memories.find_one({"user_id": owner, "key": key})
        if document is None:
            raise NotFound("No such memory")
        return document


def _versions(document: Document) -> list[Document]:
    """All values that a key had, oldest first, as a history has them, but for their numbers."""
    named = ("value", "updated_at", "tokenCount")
    return [
        {name: one[name] for name in named} | {"source": one.get("source")} for one in (*document["history"], document)
    ]


def best_matching(facts: Sequence[KeyValue], query: str) -> list[KeyValue]:
    """Facts by the number of content stems that they share with a query, in their order where equal."""
    asked = set(content_stems(query))
    return sorted(facts, key=lambda fact: -len(asked & _stems(fact.key, fact.value[:STEMMED])))


@lru_cache(maxsize=10_000)
def _stems(key: str, value: str) -> frozenset[str]:
    return frozenset(content_stems(f"{key} {value}"))


def _same(document: Document) -> dict[str, Any]:
    """The filter of a fact as it was found."""
    same = {name: document[name] for name in ("_id", "version", "created_at")}
    return same | {"epoch": document.get("epoch")}  # null is for none, too


def _keyvalue(document: Document) -> KeyValue:
    return KeyValue(
        key=document["key"],
        value=document["value"],
        created_at=document["created_at"],
        updated_at=document["updated_at"],
        token_count=document["tokenCount"],
        version=document["version"],
        source=document.get("source"),
        sources=tuple(document.get("sources", ())),
        epoch=document.get("epoch"),
    )


async def keyvalue_records(memories: Collection, owner: str) -> AsyncIterator[Record]:
    """A `memory` for each of an owner's key-values."""
    async for memory in by_key(memories, owner, "key"):
        history = [FormerValue.picked(former) for former in memory["history"]]
        yield Record("memory", MemoryLine.picked({"sources": []} | memory | {"history": history}))


class KeyValueTaker(Inserting):
    """Takes in `memory`."""

    def __init__(self, owner: str, collections: Collections, changes: Changes) -> None:
        super().__init__(collections.memories, owner, partial(_document, owner), partial(changes.noted, owner, "facts"))


def _document(owner: str, fields: Document) -> Document:
    history = [{"source": None, "tokenCount": count_tokens(former["value"])} | former for former in fields["history"]]
    made: Document = {"_id": derived_id(owner, fields["key"]), "source": None, "rank": UNRANKED}
    return made | fields | {"tokenCount": count_tokens(fields["value"]), "history": history}
