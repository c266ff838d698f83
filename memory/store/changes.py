"""Change counters: a cache learns what changed, without missing a write that lands late.

Each user has a document in `owners`, and in it counters: `gists` for what the recall index holds, `notes` for
summaries, `facts` for facts, key-values and whether there are observations, `places` for what holds in projects and
sessions. A counter has `change`, the last number handed out; `open`, the numbers whose writes may not have landed yet;
`deleted`, the last number that was a deletion. One that is not there stands at 0. `epoch` changes when a user is
deleted and comes back.

A writer takes a number, writes (gists carry it), and closes the number. A reader that reads the owner's document first
may trust everything up to the lowest open number, and reads the rest again next time. A number left open by a crash is
closed by the sweep. A writer so slow that its number was closed before its write landed is told so by `close`, and
takes another.
"""

from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from pymongo import UpdateOne

from memory.ids import new_id
from memory.store.collections import Collections
from utils.clock import now
from utils.coalesce import Coalescer
from utils.mongo import Document, insert_new

OPEN_AT_MOST = timedelta(minutes=10)

Counter = Literal["gists", "notes", "facts", "places"]
COUNTERS: tuple[Counter, ...] = ("gists", "notes", "facts", "places")
NONE_YET: Document = {"change": 0, "deleted": 0, "open": []}


@dataclass(frozen=True)
class Standing:
    """What a reader may trust. `settled`: every change up to it has landed. `change`: the last number handed out."""

    epoch: str
    change: int
    deleted: int
    settled: int


@dataclass
class _Look:
    """What a request has read of `owners`, for as long as it is `open`. `writes`: how often it has taken numbers, after
    which what it was reading is old."""

    standings: dict[tuple["Changes", str], dict[Counter, Standing]] = field(default_factory=dict)
    writes: int = 0
    open: bool = True


_LOOK: ContextVar[_Look | None] = ContextVar("look", default=None)


def _look() -> _Look | None:
    """That of the request, also where it has a task of its own do something."""
    look = _LOOK.get()
    return look if look is not None and look.open else None


class Changes:
    def __init__(self, collections: Collections) -> None:
        self._owners = collections.owners
        self._tombstones = collections.tombstones
        self._holding = (
            collections.sessions,
            collections.vectors,
            collections.memories,
            collections.banks,
            collections.projects,
            collections.facts,
        )
        self._reads: Coalescer[str, Document | None] = Coalescer(self._read)

    @contextmanager
    def looked_at_once(self) -> Iterator[None]:
        """Within it, a user's state is read once: a request may see all as it stood when it began to look, but for what
        it changes itself."""
        if _look() is not None:
            yield
            return
        look = _Look()
        token = _LOOK.set(look)
        try:
            yield
        finally:
            look.open = False
            _LOOK.reset(token)

    def look_anew(self) -> None:
        """Ends the look of a request that has what it began with: what comes is to be seen."""
        if (look := _look()) is not None:
            look.open = False

    async def standing(self, owner: str, counter: Counter = "gists") -> Standing | None:
        """The user's state, one and the same as long as a request looks once; None where nothing of the user was ever
        changed, or all of it is deleted."""
        look = _look()
        if look is None:
            return _standings(await self._reads.get(owner)).get(counter)
        while (self, owner) not in look.standings:
            writes, document = look.writes, await self._reads.get(owner)
            if look.writes == writes:
                look.standings.setdefault((self, owner), _standings(document))
        return look.standings[self, owner].get(counter)

    async def every(self) -> dict[str, dict[Counter, Standing]]:
        """The state of every user of whom something was changed."""
        documents = await self._owners.find({}).to_list(None)
        return {document["_id"]: _standings(document) for document in documents}

    async def _read(self, owners: Sequence[str]) -> list[Document | None]:
        documents = await self._owners.find({"_id": {"$in": list(set(owners))}}).to_list(None)
        by_owner = {document["_id"]: document for document in documents}
        return [by_owner.get(owner) for owner in owners]

    async def take(self, owner: str, counter: Counter = "gists", *, deletion: bool = False) -> int:
        """A number for a change that is about to be written. Close it after the write."""
        return (await self.take_all([owner], counter, deletion=deletion))[owner]

    async def take_all(
        self, owners: Iterable[str], counter: Counter = "gists", *, deletion: bool = False
    ) -> dict[str, int]:
        """A number for each owner, in a few calls for all of them."""
        missing, token, taken = set(owners), new_id(), dict[str, int]()
        while missing:
            found = await self._owners.find({"_id": {"$in": list(missing)}}, {counter: 1}).to_list(None)
            last = {document["_id"]: document.get(counter, NONE_YET)["change"] for document in found}
            await self._create([owner for owner in missing if owner not in last])
            wanted = []
            for owner, change in last.items():
                fields = {f"{counter}.change": change + 1} | ({f"{counter}.deleted": change + 1} if deletion else {})
                opened = {"n": change + 1, "at": now(), "by": token}
                wanted.append(
                    UpdateOne(
                        {"_id": owner, f"{counter}.change": change or {"$in": [0, None]}},
                        {"$set": fields, "$push": {f"{counter}.open": opened}},
                    )
                )
            if not wanted:
                continue
            written = await self._owners.bulk_write(wanted, ordered=False)
            got = last
            if written.modified_count < len(wanted):  # others took numbers meanwhile: who got theirs?
                mine = {"_id": {"$in": list(last)}, f"{counter}.open.by": token}
                got = {document["_id"]: 0 for document in await self._owners.find(mine, {"_id": 1}).to_list(None)}
            taken |= {owner: last[owner] + 1 for owner in got if owner in missing}
            missing -= set(taken)
        if (look := _look()) is not None:
            look.writes += 1  # who writes sees it
            for owner in taken:
                look.standings.pop((self, owner), None)
        return taken

    async def _create(self, owners: Sequence[str]) -> None:
        if not owners:
            return
        fresh = [{"_id": owner, "epoch": new_id(), **dict.fromkeys(COUNTERS, NONE_YET)} for owner in owners]
        await insert_new(self._owners, fresh)

    async def close(self, owner: str, number: int, counter: Counter = "gists") -> bool:
        """Says that the writes under a number have landed. False: too late, readers may have passed it; write again
        under a new number."""
        return await self.close_all({owner: number}, counter)

    async def close_all(self, numbers: Mapping[str, int], counter: Counter = "gists") -> bool:
        """`close` for many owners; False where it is too late for one of them."""
        closing = [
            UpdateOne({"_id": owner, f"{counter}.open.n": number}, {"$pull": {f"{counter}.open": {"n": number}}})
            for owner, number in numbers.items()
        ]
        return (await self._owners.bulk_write(closing, ordered=False)).modified_count == len(closing)

    def noted(self, owner: str, counter: Counter = "notes") -> AbstractAsyncContextManager[None]:
        """Around a write of what is kept as notes, by the counter that it stands under."""
        return self._numbered(owner, counter, deletion=False)

    def overwriting(self, owner: str) -> AbstractAsyncContextManager[None]:
        """Around a write that changes the text of a gist."""
        return self._numbered(owner, "gists", deletion=True)

    @asynccontextmanager
    async def _numbered(self, owner: str, counter: Counter, *, deletion: bool) -> AsyncIterator[None]:
        number, failed = await self.take(owner, counter, deletion=deletion), True
        try:
            yield
            failed = False
        finally:
            while not await self.close(owner, number, counter):  # swept meanwhile: caches may have passed it
                gone = await self._owners.find_one({"_id": owner}, {"_id": 1}) is None
                if gone and not await self.is_used(owner):
                    break  # the user was deleted
                number = await self.take(owner, counter, deletion=deletion)
            if failed and not await self.is_used(owner):
                await self.forget(owner)  # of whom nothing was written

    async def is_used(self, owner: str) -> bool:
        """Whether there is anything of a user that caches hold."""
        for holding in self._holding:
            if await holding.find_one({"user_id": owner}, {"_id": 1}) is not None:
                return True
        return False

    async def forget(self, owner: str) -> None:
        """Drops a user's counters; every cache of the user is built anew."""
        await self._owners.delete_one({"_id": owner})

    async def deleted_since(self, owner: str, number: int) -> dict[str, datetime]:
        """The `_id`s of gists deleted under a higher number, and when that was."""
        marks = self._tombstones.find({"user_id": owner, "change": {"$gt": number}}, {"ids": 1, "at": 1})
        return {identifier: mark["at"] for mark in await marks.to_list(None) for identifier in mark["ids"]}

    async def mark_deleted(self, owner: str, number: int, ids: list[str], prints: Sequence[str] = ()) -> None:
        """Leaves the mark by which every recall index drops these gists. `prints`: fingerprints of what their user said
        in them, by which it is known where a client sends it again."""
        mark = {"_id": new_id(), "user_id": owner, "change": number, "ids": ids, "at": now()}
        await self._tombstones.insert_one(mark | ({"prints": list(prints)} if prints else {}))

    async def deleted_prints(self, owner: str, prints: Collection[str]) -> set[str]:
        """Those of some fingerprints that messages had which were deleted in the last day."""
        if not prints:
            return set()
        marks = self._tombstones.find({"user_id": owner, "prints": {"$in": list(prints)}}, {"prints": 1})
        return {one for mark in await marks.to_list(None) for one in mark["prints"]}.intersection(prints)

    async def sweep(self) -> None:
        """Closes the numbers that crashed writers left open."""
        old = now() - OPEN_AT_MOST
        for counter in COUNTERS:
            await self._owners.update_many(
                {f"{counter}.open.at": {"$lt": old}}, {"$pull": {f"{counter}.open": {"at": {"$lt": old}}}}
            )


def _standings(document: Document | None) -> dict[Counter, Standing]:
    return {} if document is None else {counter: _standing(document, counter) for counter in COUNTERS}


def _standing(document: Document, counter: Counter) -> Standing:
    state = NONE_YET | document.get(counter, {})
    numbers = [entry["n"] for entry in state["open"]]
    return Standing(document["epoch"], state["change"], state["deleted"], min([state["change"] + 1, *numbers]) - 1)
