"""The core: everything that remembers, recalls, summarises and forgets, over one database."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from config.recipes import Recipe
from memory.banks import Activations, Banks, BankTidying, Connections
from memory.domain import SECTION, Recall
from memory.facts import FactQueue, Facts, Superseded
from memory.gists import EmbeddingQueue, GistReader, JustSaid, Waiting
from memory.observations import Observations, Observer, Scratchpad
from memory.oversight import Explainer, Forgetter, Jobs, Owners, Saying
from memory.portable import Exporter, Importer
from memory.product import Product
from memory.recall import Recaller, Scope, SearchIndex, WordSearch, merged
from memory.store import Changes, Collections, IdempotencyKeys, StoredKeys, reclaim
from memory.traces import TraceQueue, Traces
from memory.turns import Digests, Drafts, Eviction, KeyValues, Places, Receipts, Sessions, Summaries, Turns
from utils.embeddings import Embedder, LocalEmbedder
from utils.errors import ModelUnavailable

WAIT_STEP = 0.02  # seconds between two looks at what others embed

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Engine:
    """The core over one database. Every method takes the owner first; none works without one, but for those of `owners`
    and `jobs`, which are for whoever runs it.

    `search_index`: MongoDB's, where recall asks it; else None.
    """

    collections: Collections
    embedder: Embedder
    reader: LocalEmbedder
    sessions: Sessions
    places: Places
    turns: Turns
    gists: GistReader
    drafts: Drafts
    facts: Facts
    fact_queue: FactQueue
    superseded: Superseded
    digests: Digests
    eviction: Eviction
    traces: Traces
    trace_queue: TraceQueue
    recaller: Recaller
    word_search: WordSearch
    observations: Observations
    observer: Observer
    scratchpad: Scratchpad
    summaries: Summaries
    keyvalues: KeyValues
    receipts: Receipts
    explainer: Explainer
    forgetter: Forgetter
    saying: Saying
    idempotency: IdempotencyKeys
    embeddings: EmbeddingQueue
    changes: Changes
    just_said: JustSaid
    api_keys: StoredKeys
    banks: Banks
    bank_tidying: BankTidying
    activations: Activations
    connections: Connections
    section_recaller: Recaller
    exporter: Exporter
    importer: Importer
    owners: Owners
    jobs: Jobs
    products: tuple[Product, ...]
    search_index: SearchIndex | None = None

    async def recall(self, owner: str, query: str, recipe: Recipe, scope: Scope) -> Recall:
        """The owner's gists that suit a query best, those among them that no worker has embedded yet. By a recipe of
        BM25, observations are searched, and no embedding is needed. Sections of memory banks are searched where the
        scope names their kind; they take nobody's place in any other search.

        Raises `ModelError` where the query cannot be embedded.
        """
        if recipe.ranking == "bm25":
            return await self.word_search.recall(owner, query, recipe, scope)
        kinds = scope.kinds or ()
        if SECTION not in kinds:
            return await self.recaller.recall(owner, query, recipe, scope)
        others = tuple(kind for kind in kinds if kind != SECTION)
        sections = self.section_recaller.recall(owner, query, recipe, replace(scope, kinds=(SECTION,)))
        if not others:
            return await sections
        messages = self.recaller.recall(owner, query, recipe, replace(scope, kinds=others))
        return merged(await asyncio.gather(messages, sections), recipe)

    async def embed_all(self, owner: str, ids: Sequence[str]) -> None:
        """Returns when none of these messages waits for its embedding any more, by this process's work or another's.

        Raises `ModelUnavailable` where some could not be embedded; they are stored all the same.
        """
        while not await self.turns.embedded(owner, ids):
            if not await self.embeddings.step():
                await asyncio.sleep(WAIT_STEP)
        if await self.turns.unembeddable(owner, ids):
            raise ModelUnavailable("The messages are stored, but could not be embedded; that is tried again later")

    async def ping(self) -> None:
        """Asks the store for a sign of life; raises what the driver raises."""
        await self.collections.owners.database.command("ping")

    async def not_embedded(self, most: int) -> Waiting:
        """How many gists wait to be embedded, for the first time or anew, up to `most`."""
        return await self.embeddings.count_waiting(most)

    async def not_found_yet(self, owner: str, kinds: Sequence[str], most: int) -> Waiting:
        """How many gists of an owner's, of some kinds, a search may not find yet, since they wait to be embedded."""
        return await self.embeddings.count_of(owner, kinds, most)

    async def sweep(self) -> None:
        """Finds the work that a crash or a lost nudge left behind, product by product. A step that fails holds up no
        other: the first error is raised at the end, the others are logged."""
        steps: list[Callable[[], Awaitable[object]]] = [self.changes.sweep]
        steps += [partial(reclaim, queue.collection, queue.field) for one in self.products for queue in one.queues]
        steps += [product.sweep for product in self.products]
        steps += [self.forgetter.finish]
        first: Exception | None = None
        for step in steps:
            try:
                await step()
            except Exception as error:
                if first is not None:
                    log.warning("another step of the sweep failed", exc_info=error)
                first = first or error
        if first is not None:
            raise first

    async def reembed(self, batch: int = 256) -> AsyncIterator[int]:
        """Embeds the gists anew whose vectors are another model's, batch by batch; yields how many each had."""
        after = ""
        while (marked := await self.embeddings.mark_outdated(after, batch)) is not None:
            count, after = marked
            await self.embeddings.work()
            yield count
