"""What the gists bring as a product: their indexes, and the queue of what is to be embedded."""

from pymongo import ASCENDING, IndexModel

from memory.domain import RULE_BASED, TURN
from memory.gists.embedding_queue import EmbeddingQueue
from memory.product import Product, Queue
from memory.store import Collections

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


def gists_product(collections: Collections, embeddings: EmbeddingQueue) -> Product:
    async def sweep() -> None:
        await embeddings.work()
        await embeddings.revive_after_outage()

    return Product(
        "gists",
        indexes=INDEXES,
        queues=(Queue("embed", collections.vectors, "embed", "id", "content"),),
        sweep=sweep,
    )
