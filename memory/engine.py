"""The core: everything that remembers, recalls, summarises and forgets, over one database."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial

from memory.banks import BankLibrary
from memory.facts import Knowledge
from memory.gists import Gists
from memory.ids import owner_apart
from memory.moving import Moving
from memory.observations import AgentNotes
from memory.oversight import Oversight
from memory.portable import Importer
from memory.product import Product, Record
from memory.recall import Search
from memory.responses import StoredResponses
from memory.store import Store, reclaim
from memory.traces import ToolTraces
from memory.turns import Conversations
from utils.errors import ModelUnavailable
from utils.tasks import each

WAIT_STEP = 0.02  # seconds between two looks at what others embed


@dataclass(frozen=True)
class Engine:
    """The rooms of the core over one database, and what concerns several of them. What reads or changes memory takes
    its owner first; without one are sweeps, queues, and what `oversight` has for whoever runs it."""

    store: Store
    gists: Gists
    search: Search
    chats: Conversations
    knowledge: Knowledge
    notes: AgentNotes
    tools: ToolTraces
    library: BankLibrary
    responses: StoredResponses
    oversight: Oversight
    importer: Importer
    moving: Moving
    products: tuple[Product, ...]

    async def embed_all(self, owner: str, ids: Sequence[str]) -> None:
        """Returns when none of these messages waits for its embedding any more, by this process's work or another's.

        Raises `ModelUnavailable` where some could not be embedded; they are stored all the same.
        """
        while not await self.chats.turns.embedded(owner, ids):
            if not await self.gists.queue.step():
                await asyncio.sleep(WAIT_STEP)
        if await self.chats.turns.unembeddable(owner, ids):
            raise ModelUnavailable("The messages are stored, but could not be embedded; that is tried again later")

    async def records(self, owner: str) -> AsyncIterator[Record]:
        """All that the owner has, for an export, in an order that is the same every time: what names another record
        comes after it, but for facts that name each other. Projects come last, each isolated one before what is its
        own. It is no snapshot: each session is as it was when its record was made, and what comes while it goes on may
        be missing."""
        async for record in self._records(owner):
            yield record
        async for project in self.chats.projects.records(owner):
            yield project
            if project.fields.get("isolated"):
                async for record in self._records(owner_apart(owner, project.fields["name"])):
                    yield record

    async def _records(self, owner: str) -> AsyncIterator[Record]:
        for product in self.products:
            async for record in product.records(owner):
                yield record

    async def sweep(self) -> None:
        """Finds the work that a crash or a lost nudge left behind, product by product. A step that fails holds up no
        other: the first error is raised at the end, the others are logged."""
        steps: list[Callable[[], Awaitable[object]]] = [self.store.changes.sweep]
        steps += [partial(reclaim, queue.collection, queue.field) for one in self.products for queue in one.queues]
        steps += [product.sweep for product in self.products]
        steps += [self.oversight.forgetter.finish, self.moving.finish, self.oversight.growth.note]
        await each(steps)

    async def reembed(self, batch: int = 256) -> AsyncIterator[int]:
        """Embeds the gists anew whose vectors are another model's, batch by batch; yields how many each had."""
        after = ""
        while (marked := await self.gists.queue.mark_outdated(after, batch)) is not None:
            count, after = marked
            await self.gists.queue.work()
            yield count
