"""An export's format, and its import into a user's memory: a repeat adds nothing, and a deletion ends it.

Records come in batches; what is there already stays as it is, so an import that was cut short is ended by a repeat. One
import of a user goes on at a time, in whatever process. It is noted among the requests in progress, and whoever deletes
a session of the user, or all, takes the note away first: so the batch that lands next is taken back, and the import is
ended with `Conflict`. What landed before, the deletion finds.
"""

from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Literal

from memory.ids import new_id, user_of
from memory.lines import Line
from memory.product import Product, Record, Taker
from memory.store import NamedLeases, Store
from memory.turns import LINES as PROJECTS
from memory.turns import Projects
from utils.clock import now
from utils.errors import Conflict
from utils.mongo import Collection

FORMAT: Literal["loci"] = "loci"
VERSION: Literal[1] = 1  # another one where an older reader would lose or misread something

BATCH = 200  # records
BATCH_BYTES = 1_000_000  # of the lines that they came in
BUSY = "Another import of the user is under way"
ENDED = "Something of the user was deleted meanwhile, and the import has ended; a repeat brings in what is missing"


Lines = Mapping[str, type[Line]]
TakersOf = Callable[[str], Mapping[str, Taker]]


@dataclass(frozen=True)
class Taken:
    """What an import came to, by kind: how many records are new, and how many were there already."""

    imported: Counter[str]
    there: Counter[str]


class Import:
    """An import under way. `note`: the `_id` of its note. `takers`: of an owner. What comes behind a project that is
    isolated is the project's."""

    def __init__(
        self, owner: str, note: str, requests: Collection, lines: Lines, takers: TakersOf, projects: Projects
    ) -> None:
        self.owners = [owner]
        self.named: list[str] = []  # projects
        self._note = note
        self._requests = requests
        self._lines = lines
        self._takers_of = takers
        self._takers = takers(owner)
        self._projects = projects
        self._batch: list[Record] = []
        self._size = 0
        self.taken = Taken(Counter(dict.fromkeys(lines, 0)), Counter(dict.fromkeys(lines, 0)))

    async def take(self, record: Record) -> None:
        """Takes the next record; it is committed with others, at the latest by `finish`.

        Raises `InvalidInput` where it does not fit to those before it, and `Conflict` where something of the user was
        deleted meanwhile; those that are committed stay.
        """
        if self._batch and self._batch[0].kind != record.kind:
            await self.commit()
        if record.kind in PROJECTS:
            await self._enter(record)
            return
        self._takers[record.kind].check(record)
        self._batch.append(record)
        self._size += record.size
        if self._lines[record.kind].alone or len(self._batch) >= BATCH or self._size >= BATCH_BYTES:
            await self.commit()

    def check_end(self) -> None:
        """Raises `InvalidInput` where something is still to come that belongs to the last record."""
        for taker in dict.fromkeys(self._takers.values()):
            taker.check_end()

    async def finish(self) -> Taken:
        """Commits what is left; returns what it all came to. Raises as `take` does."""
        await self._end_part()
        await self._refuse_ended()
        return self.taken

    async def close(self) -> None:
        """Lets go of what is open, however the import ended."""
        for taker in dict.fromkeys(self._takers.values()):
            await taker.close()

    async def _end_part(self) -> None:
        self.check_end()
        await self.commit()
        await self.close()

    async def _enter(self, record: Record) -> None:
        """Takes a project in; where it is isolated here, what follows is its own."""
        await self._end_part()
        user, name = user_of(self.owners[0]), record.fields.get("name", "")
        new = await self._projects.take(user, record.fields)
        try:
            await self._refuse_ended()
        except Conflict:
            if new:
                await self._projects.delete(user, name)
            raise
        (self.taken.imported if new else self.taken.there)[record.kind] += 1
        self.named += [name] if name else []
        self.owners.append(await self._projects.owner_of(user, name))
        self._takers = self._takers_of(self.owners[-1])

    async def commit(self) -> None:
        """Commits what was taken. Raises as `take` does."""
        if not self._batch:
            return
        batch, self._batch, self._size = self._batch, [], 0
        kind = batch[0].kind
        landed = await self._takers[kind].take(batch)
        try:
            await self._refuse_ended()
        except Conflict:
            await landed.take_back()
            raise
        self.taken.imported[kind] += landed.imported
        self.taken.there[kind] += len(batch) - landed.imported

    async def _refuse_ended(self) -> None:
        if await self._requests.find_one({"_id": self._note}, {"_id": 1}) is None:
            raise Conflict(ENDED)


class Importer:
    """Takes records of all products in. `lines`: the shapes of their lines by kind, in the order of an export."""

    def __init__(self, store: Store, products: Sequence[Product], projects: Projects) -> None:
        self._store = store
        self._requests = store.collections.idempotency
        self._leases = NamedLeases(store.collections)
        self._products = products
        self._projects = projects
        self.lines: Lines = {kind: line for product in products for kind, line in product.lines.items()} | PROJECTS

    @asynccontextmanager
    async def begin(self, owner: str) -> AsyncIterator[Import]:
        """An import into a user's memory. Raises `Conflict` where another one of the user goes on."""
        user = user_of(owner)
        async with self._leases.held("importing", user) as held:
            if not held:
                raise Conflict(BUSY, retry_after=1.0)
            note = new_id()
            await self._requests.insert_one({"_id": note, "user_id": user, "importing": True, "at": now()})
            begun = Import(owner, note, self._requests, self.lines, self._takers, self._projects)
            try:
                yield begun
            finally:
                await begun.close()
                await self._requests.delete_one({"_id": note})
                for one in dict.fromkeys(begun.owners):
                    await self._store.drop_unused(one)  # what was begun for records that were taken back

    def _takers(self, owner: str) -> Mapping[str, Taker]:
        return {kind: taker for product in self._products for kind, taker in product.takers(owner).items()}
