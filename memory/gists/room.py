"""The gists of a store, opened, and what they bring as a product."""

from dataclasses import dataclass

from pymongo import ASCENDING, IndexModel

from memory.domain import RULE_BASED, TURN
from memory.gists.caches import Caches, GistEraser
from memory.gists.embedding_queue import EmbeddingQueue
from memory.gists.reader import GistReader, JustSaid
from memory.product import Product, Queue
from memory.store import Store
from utils.embeddings import Embedder, LocalEmbedder

INDEXES = {
    "vectors": [
        IndexModel(
            [("user_id", ASCENDING), ("session_id", ASCENDING), ("message_index", ASCENDING)],
            name="place",
            unique=True,
            partialFilterExpression={"message_index": {"$exists": True}},
        ),
        IndexModel([("user_id", ASCENDING), ("change", ASCENDING)], name="owner_change"),
        IndexModel(
            [("embed.state", ASCENDING), ("embed.lease_until", ASCENDING), ("_id", ASCENDING)],
            name="embed_work",
            partialFilterExpression={"embed.lease_until": {"$exists": True}},
        ),
        IndexModel(  # of an owner's alone, for the backlog may be others'
            [("user_id", ASCENDING), ("kind", ASCENDING)],
            name="owner_embed_work",
            partialFilterExpression={"embed.lease_until": {"$exists": True}},
        ),
        IndexModel(
            [("forgotten.at", ASCENDING)],
            name="forgotten_since",
            partialFilterExpression={"forgotten.at": {"$exists": True}},
        ),
        IndexModel(
            [("user_id", ASCENDING), ("model", ASCENDING)],
            name="answers_by_rules",
            partialFilterExpression={"model": RULE_BASED},
        ),
        IndexModel(  # by which gists are counted: messages, which are most, are what is left
            [("kind", ASCENDING), ("user_id", ASCENDING)],
            name="other_kinds",
            partialFilterExpression={"kind": {"$lt": TURN}},
        ),
    ],
}


@dataclass(frozen=True)
class Gists:
    """`queue`: of what is to be embedded. `just_said`: messages and facts that no index has yet. `embedder` makes the
    embeddings, `encoder`, the local one, vectors of tokens."""

    embedder: Embedder
    encoder: LocalEmbedder
    reader: GistReader
    eraser: GistEraser
    queue: EmbeddingQueue
    just_said: JustSaid
    caches: Caches
    product: Product


def open_gists(store: Store, embedder: Embedder, encoder: LocalEmbedder) -> Gists:
    collections, changes = store.collections, store.changes
    queue = EmbeddingQueue(collections, changes, embedder, encoder)
    reader, just_said, caches = GistReader(collections, changes), JustSaid(), Caches()
    caches.kept += [reader, just_said]

    async def sweep() -> None:
        await queue.work()
        await queue.revive_after_outage()

    product = Product(
        indexes=INDEXES,
        queues=(Queue("embed", collections.vectors, "embed", "id", "content"),),
        sweep=sweep,
    )
    eraser = GistEraser(collections, changes, caches)
    return Gists(embedder, encoder, reader, eraser, queue, just_said, caches, product)
