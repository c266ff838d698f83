"""A user's profile: the facts in force and the key-values, those first that matter in whatever conversation."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from heapq import merge
from itertools import islice
from typing import NamedTuple

from memory.domain import UNRANKED
from memory.facts.facts import Facts
from memory.facts.ranks import Ranks, text_of
from memory.facts.store import FactStore, marking
from memory.store import Changes, Collections, NamedLeases, NotesCache
from memory.turns import KeyValues
from utils.errors import Conflict, InvalidInput, NotFound, PreconditionFailed
from utils.mongo import Collection, Document
from utils.text import count_tokens, folded, on_one_line

FIELDS = dict.fromkeys(("text", "key", "value", "pinned", "hidden", "sources", "rank", "updated_at", "valid_from"), 1)
FIRST = 75  # items that a prompt has at most: 300 tokens (`PromptBudget`), in lines of four
CHANGED = "The fact was changed or deleted meanwhile"


class Rank(NamedTuple):
    """Where an item stands in a profile; the greatest is the first."""

    rank: float
    updated_at: datetime
    id: str


@dataclass(frozen=True)
class ProfileItem:
    """A fact in force, or a key-value. `sources`: ids of the messages that say so. `since`: when it was told;
    of a key-value, when it was changed last. `key`: None of a fact."""

    id: str
    text: str
    pinned: bool
    hidden: bool
    sources: tuple[str, ...]
    rank: Rank
    since: datetime
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

    def __init__(
        self,
        collections: Collections,
        changes: Changes,
        store: FactStore,
        leases: NamedLeases,
        facts: Facts,
        keyvalues: KeyValues,
        ranks: Ranks,
    ) -> None:
        self._collections = collections
        self._changes = changes
        self.first = NotesCache(changes, self._first, "facts")
        self._store = store
        self._leases = leases
        self._facts = facts
        self._keyvalues = keyvalues
        self._ranks = ranks

    async def page(
        self,
        owner: str,
        *,
        limit: int,
        after: Rank | None = None,
        hidden: bool = False,
    ) -> list[ProfileItem]:
        """The items of a profile, in its order: what is pinned, then what is needed most, then the newest. `hidden`:
        those that are, too."""
        beyond: Document = {} if hidden else {"hidden": {"$ne": True}}
        if after is not None:
            rank, moment, key = after
            same = {"rank": rank, "updated_at": moment, "_id": {"$lt": key}}
            older = {"rank": rank, "updated_at": {"$lt": moment}}
            beyond |= {"rank": {"$lte": rank}, "$or": [{"rank": {"$lt": rank}}, older, same]}

        async def first(kept: Collection, own: Document) -> list[Document]:
            found = kept.find(own | beyond, FIELDS).sort([("rank", -1), ("updated_at", -1), ("_id", -1)])
            return await found.limit(limit).to_list(None)

        async def read(kept: Collection, own: Document) -> list[ProfileItem]:
            found = await first(kept, own)
            # Those without a rank come last: what is beyond the limit may have one that is higher.
            if len(found) == limit or any(document.get("rank", UNRANKED) < 0 for document in found):
                await self._ranks.renew(kept, owner)
                found = await first(kept, own)
            return [_item(document) for document in found]

        facts, keyvalues = self._kept(owner)
        is_kept = bool(await self._keyvalues.cache.get(owner))
        parts = await asyncio.gather(*(read(*each) for each in ((facts, keyvalues) if is_kept else (facts,))))
        return list(islice(merge(*parts, key=lambda item: item.rank, reverse=True), limit))

    async def within(self, owner: str, tokens: int) -> list[ProfileItem]:
        """The first items of a profile, of `FIRST`, that these many tokens hold. What is too long for the room that is
        left is left out, as is what another item says in the same words."""
        items: dict[str, ProfileItem] = {}
        for item in await self.first.get(owner):
            line = on_one_line(item.text)
            cost = count_tokens(line + "\n")
            if cost <= tokens and folded(line) not in items:
                items[folded(line)] = item
                tokens -= cost
        return list(items.values())

    async def _first(self, owner: str) -> list[ProfileItem]:
        return await self.page(owner, limit=FIRST)

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
                    async with self._leases.linking(owner):
                        await self._store.mark(owner, item.id, change.marks)
                return item.id if worded is None else (await self._facts.change(owner, item.id, worded)).id
            if change.marks:
                own = {"_id": item.id, "user_id": owner}
                async with self._changes.noted(owner, "facts"):
                    await self._collections.memories.update_one(own, marking(change.marks))
            if worded is not None:
                tag = (await self._keyvalues.get(owner, item.key)).tag
                await self._keyvalues.put(owner, item.key, worded, expected=tag)
        except (NotFound, PreconditionFailed):
            raise Conflict(CHANGED) from None
        return item.id

    def _kept(self, owner: str) -> tuple[tuple[Collection, Document], ...]:
        """Where a profile's items are kept, each with the filter of the owner's."""
        in_force = {"user_id": owner, "valid_to": None}
        return (self._collections.facts, in_force), (self._collections.memories, {"user_id": owner})

    async def _items(self, owner: str, ids: Sequence[str]) -> dict[str, ProfileItem]:
        found: list[Document] = []
        for kept, own in self._kept(owner):
            found += await kept.find(own | {"_id": {"$in": list(ids)}}, FIELDS).to_list(None)
        return {document["_id"]: _item(document) for document in found}


def _worded(item: ProfileItem, text: str) -> str:
    """What is kept of an item where its text is to be another one: of a key-value, the value alone."""
    text = text.strip()
    return on_one_line(text) if item.key is None else f"{text} ".removeprefix(f"{item.key}: ").strip()


def _item(document: Document) -> ProfileItem:
    return ProfileItem(
        id=document["_id"],
        text=text_of(document),
        pinned=document.get("pinned", False),
        hidden=document.get("hidden", False),
        sources=tuple(document.get("sources", ())),
        rank=Rank(document.get("rank", 0.0), document["updated_at"], document["_id"]),
        since=document["valid_from" if "valid_from" in document else "updated_at"],
        key=document.get("key"),
    )
