"""A user's profile: the facts in force and the key-values, those first that matter in whatever conversation.

How much a fact is needed the encoder tells once, and the fact's document keeps a `rank` made of it, by which an index
has the order. One that is new is `UNRANKED`, last in the order until the sweep or a look at the profile reads it.
Whoever changes what a rank is made of takes it away, and it is made anew at the next look.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from heapq import merge
from itertools import groupby, islice
from operator import itemgetter
from typing import NamedTuple

from pymongo import UpdateOne

from memory.domain import UNRANKED
from memory.facts.facts import Facts
from memory.facts.kinds import Needs
from memory.facts.store import marking
from memory.store import Collections
from memory.turns import KeyValues
from utils.embeddings import LocalEmbedder
from utils.errors import Conflict, InvalidInput, NotFound, PreconditionFailed
from utils.mongo import Collection, Document
from utils.text import count_tokens, folded, on_one_line
from utils.vectors import Floats, from_binary

AT_ONCE = 32  # new facts that are read for whoever asks for a profile, some 0.1 s; the sweep reads the others
BATCH = 500
OFTEN = 0.1  # how much more a fact is needed that was said ever so often
PINNED = 10.0  # in a rank, above all needs
LINES_AT_ONCE = 64
SHORTEST = 4  # tokens of a line
FIELDS = dict.fromkeys(("text", "key", "value", "pinned", "hidden", "sources", "rank", "updated_at"), 1)
CHANGED = "The fact was changed or deleted meanwhile"


class Rank(NamedTuple):
    """Where an item stands in a profile; the greatest is the first."""

    rank: float
    updated_at: datetime
    id: str


@dataclass(frozen=True)
class ProfileItem:
    """A fact in force, or a key-value. `sources`: ids of the messages that say so. `key`: None of a fact."""

    id: str
    text: str
    pinned: bool
    hidden: bool
    sources: tuple[str, ...]
    rank: Rank
    key: str | None = None


@dataclass(frozen=True)
class ProfileChange:
    """What is to become of an item; None leaves it as it is."""

    id: str
    pinned: bool | None = None
    hidden: bool | None = None
    text: str | None = None

    @property
    def marks(self) -> dict[str, bool]:
        marks = {"pinned": self.pinned, "hidden": self.hidden}
        return {name: mark for name, mark in marks.items() if mark is not None}


class Profile:
    """Profiles of users."""

    def __init__(self, collections: Collections, facts: Facts, keyvalues: KeyValues, reader: LocalEmbedder) -> None:
        self._collections = collections
        self._facts = facts
        self._keyvalues = keyvalues
        self._reader = reader
        self._needs = Needs(reader)

    async def page(
        self,
        owner: str,
        *,
        limit: int,
        after: Rank | None = None,
        hidden: bool = False,
        memory_ids: Sequence[str] | None = None,
    ) -> list[ProfileItem]:
        """The items of a profile, in its order: what is pinned, then what is needed most, then the newest. `hidden`:
        those that are, too. `memory_ids`: the facts of these conversations alone, without key-values."""
        beyond: Document = {} if hidden else {"hidden": {"$ne": True}}
        if memory_ids is not None:
            beyond["memory_id"] = {"$in": list(memory_ids)}
        if after is not None:
            rank, moment, key = after
            same = {"rank": rank, "updated_at": moment, "_id": {"$lt": key}}
            older = {"rank": rank, "updated_at": {"$lt": moment}}
            beyond |= {"rank": {"$lte": rank}, "$or": [{"rank": {"$lt": rank}}, older, same]}
        parts = []
        for kept, own in self._kept(owner)[: None if memory_ids is None else 1]:
            await self._rank_new(kept, own)
            found = kept.find(own | beyond, FIELDS).sort([("rank", -1), ("updated_at", -1), ("_id", -1)])
            parts.append([_item(document) for document in await found.limit(limit).to_list(None)])
        return list(islice(merge(*parts, key=lambda item: item.rank, reverse=True), limit))

    async def lines(self, owner: str, tokens: int, memory_ids: Sequence[str] | None = None) -> list[str]:
        """As much of a profile as these many tokens hold, an item a line, most needed first. What is too long for the
        room that is left is left out, as is what another conversation says in the same words. `memory_ids`: as `page`
        has it."""
        lines: dict[str, str] = {}
        after = None
        while tokens >= SHORTEST:
            items = await self.page(owner, limit=LINES_AT_ONCE, after=after, memory_ids=memory_ids)
            fitting = len(lines)
            for item in items:
                line = on_one_line(item.text)
                cost = count_tokens(line + "\n")
                if cost <= tokens and folded(line) not in lines:
                    lines[folded(line)] = line
                    tokens -= cost
            if len(items) < LINES_AT_ONCE or len(lines) == fitting:
                break
            after = items[-1].rank
        return list(lines.values())

    async def change(self, owner: str, changes: Sequence[ProfileChange]) -> list[ProfileItem]:
        """Changes items, each of another id; returns them as they are then, in this order. Another text of a fact is a
        fact in its place, with another id; of a key-value it is its value, behind its key or alone.

        Raises `NotFound`, and then changes nothing, where one is not in the profile, hidden or not; `InvalidInput`
        where a text has nothing but its key. Raises `Conflict` where somebody else changes one meanwhile; those before
        it are changed.
        """
        items = await self._items(owner, [change.id for change in changes])
        for change in changes:
            if change.id not in items:
                raise NotFound("No such item in the profile")
            if change.text is not None and not _worded(items[change.id], change.text):
                raise InvalidInput("A text must say something behind its key")
        changed = [await self._change(owner, items[change.id], change) for change in changes]
        items = await self._items(owner, changed)
        if not items.keys() >= set(changed):
            raise Conflict(CHANGED)
        return [items[item] for item in changed]

    async def _change(self, owner: str, item: ProfileItem, change: ProfileChange) -> str:
        """The id of an item once it is changed. It is marked first, for what takes its place has its marks."""
        worded = None if change.text is None else _worded(item, change.text)
        try:
            if item.key is None:
                if change.marks:
                    await self._facts.mark(owner, item.id, change.marks)
                return item.id if worded is None else (await self._facts.change(owner, item.id, worded)).id
            if change.marks:
                own = {"_id": item.id, "user_id": owner}
                await self._collections.memories.update_one(own, marking(change.marks))
            if worded is not None:
                tag = (await self._keyvalues.get(owner, item.key)).tag
                await self._keyvalues.put(owner, item.key, worded, expected=tag)
        except (NotFound, PreconditionFailed):
            raise Conflict(CHANGED) from None
        return item.id

    async def sweep(self) -> None:
        """Reads what is new, of every user."""
        for kept in (self._collections.facts, self._collections.memories):
            progress = 1
            while progress:
                new = await kept.find({"rank": {"$lt": 0}}, FIELDS | {"user_id": 1}).limit(BATCH).to_list(None)
                by_owner = groupby(sorted(new, key=itemgetter("user_id")), itemgetter("user_id"))
                progress = sum([await self._rank(kept, owner, list(own), BATCH) for owner, own in by_owner])

    def _kept(self, owner: str) -> tuple[tuple[Collection, Document], ...]:
        """Where a profile's items are kept, each with the filter of the owner's."""
        in_force = {"user_id": owner, "valid_to": None}
        return (self._collections.facts, in_force), (self._collections.memories, {"user_id": owner})

    async def _items(self, owner: str, ids: Sequence[str]) -> dict[str, ProfileItem]:
        found: list[Document] = []
        for kept, own in self._kept(owner):
            found += await kept.find(own | {"_id": {"$in": list(ids)}}, FIELDS).to_list(None)
        return {document["_id"]: _item(document) for document in found}

    async def _rank_new(self, kept: Collection, own: Document) -> None:
        """Gives those a rank that have none, which stand before all others, and reads some of those that are new."""
        lowest = await _lowest(kept, own, AT_ONCE)
        if len(lowest) == AT_ONCE and "rank" not in lowest[-1]:  # an earlier build made them, or many were changed
            unpinned = own | {"rank": None, "pinned": {"$ne": True}}
            await kept.update_many(unpinned, {"$set": {"rank": UNRANKED}})
            lowest = await _lowest(kept, own, BATCH)
        if unread := [document for document in lowest if document.get("rank", UNRANKED) < 0]:
            await self._rank(kept, own["user_id"], unread, AT_ONCE)

    async def _rank(self, kept: Collection, owner: str, documents: Sequence[Document], most: int) -> int:
        """Gives documents their ranks; those stay unranked that are still to be read, of which only so many are.
        Returns how many changed."""
        vectors = await self._vectors_of(owner, documents, most)
        needs = dict(zip(vectors, await self._needs.of(list(vectors.values())), strict=True))
        writes = []
        for document in documents:
            rank, pinned = UNRANKED, document.get("pinned", False)
            if pinned or document["_id"] in needs:
                often = OFTEN * (1 - 1 / max(1, len(document.get("sources", ()))))
                rank = round(needs.get(document["_id"], 0.0) + often + PINNED * pinned, 3)
            as_read = {name: document.get(name) for name in ("_id", "value", "pinned", "sources", "rank")}
            writes.append(UpdateOne({"user_id": owner} | as_read, {"$set": {"rank": rank}}))
        return (await kept.bulk_write(writes, ordered=False)).modified_count

    async def _vectors_of(self, owner: str, documents: Sequence[Document], most: int) -> dict[str, Floats]:
        """The encoder's vectors of texts, by `_id`: of those that are embedded by it, theirs; of some of the others,
        made now."""
        own = {"_id": {"$in": [document["_id"] for document in documents]}, "user_id": owner}
        gists = self._collections.vectors.find(own | {"embedding_model": self._reader.model}, {"embedding": 1})
        vectors = {gist["_id"]: from_binary(gist["embedding"]) for gist in await gists.to_list(None)}
        left = [document for document in documents if document["_id"] not in vectors][:most]
        made = await self._reader.embed([_text(document) for document in left])
        return vectors | {document["_id"]: vector for document, vector in zip(left, made, strict=True)}


async def _lowest(kept: Collection, own: Document, most: int) -> list[Document]:
    found = kept.find(own, FIELDS).sort([("rank", 1), ("updated_at", 1), ("_id", 1)])
    return await found.limit(most).to_list(None)


def _text(document: Document) -> str:
    text: str = document["text"] if "text" in document else f"{document['key']}: {document['value']}"
    return text


def _worded(item: ProfileItem, text: str) -> str:
    """What is kept of an item where its text is to be another one: of a key-value, the value alone."""
    text = text.strip()
    return on_one_line(text) if item.key is None else f"{text} ".removeprefix(f"{item.key}: ").strip()


def _item(document: Document) -> ProfileItem:
    return ProfileItem(
        id=document["_id"],
        text=_text(document),
        pinned=document.get("pinned", False),
        hidden=document.get("hidden", False),
        sources=tuple(document.get("sources", ())),
        rank=Rank(document.get("rank", 0.0), document["updated_at"], document["_id"]),
        key=document.get("key"),
    )
