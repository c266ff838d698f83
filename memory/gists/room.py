"""The gists of a store, opened, and what they bring as a product."""

from dataclasses import dataclass

from memory.domain import RULE_BASED, TURN
from memory.gists.caches import Caches, GistEraser
from memory.gists.embedding_queue import EmbeddingQueue
from memory.gists.reader import GistReader, JustSaid
from memory.product import Product, Queue, index
from memory.store import Store
from utils.embeddings import Embedder, LocalEmbedder
from utils.tasks import each

INDEXES = {
    "vectors": [
        index("place", "user_id", "session_id", "message_index", unique=True, having="message_index"),
        index("owner_change", "user_id", "change"),
        index("owner_embed_work", "user_id", "kind", having="embed.lease_until"),  # for the backlog may be others'
        index("owner_fingerprint", "user_id", "fingerprint", "-timestamp", having="fingerprint"),
        index("forgotten_since", "forgotten.at", having="forgotten.at"),
        index("answers_by_rules", "user_id", "model", partialFilterExpression={"model": RULE_BASED}),
        index(  # by which gists are counted: messages, which are most, are what is left
            "other_kinds", "kind", "user_id", partialFilterExpression={"kind": {"$lt": TURN}}
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
        await each([queue.turn, queue.revive_after_outage])

    product = Product(
        indexes=INDEXES,
        queues=(Queue("embed", collections.vectors, "embed", "id", "content"),),
        sweep=sweep,
    )
    eraser = GistEraser(collections, changes, caches)
    return Gists(embedder, encoder, reader, eraser, queue, just_said, caches, product)
