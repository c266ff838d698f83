"""What facts bring as a product."""

from collections.abc import Sequence
from datetime import datetime

from pymongo import ASCENDING, DESCENDING, IndexModel

from memory.facts.facts import Facts
from memory.facts.queue import FactQueue
from memory.facts.records import FactTaker, fact_records
from memory.facts.store import FactStore
from memory.product import Counts, Message, Product, Queue, SessionEnd
from memory.store import Collections

INDEXES = {
    "facts": [
        IndexModel([("user_id", ASCENDING), ("updated_at", DESCENDING), ("_id", DESCENDING)], name="owner_newest"),
        IndexModel(
            [("user_id", ASCENDING), ("memory_id", ASCENDING), ("updated_at", DESCENDING), ("_id", DESCENDING)],
            name="conversation_newest",
        ),
        IndexModel([("user_id", ASCENDING), ("sources", ASCENDING)], name="owner_source"),
        IndexModel([("user_id", ASCENDING), ("history.source", ASCENDING)], name="owner_history"),
    ],
    "vectors": [
        IndexModel(
            [("facts.state", ASCENDING), ("facts.lease_until", ASCENDING), ("_id", ASCENDING)],
            name="facts_work",
            partialFilterExpression={"facts.lease_until": {"$exists": True}},
        ),
        IndexModel(
            [
                ("user_id", ASCENDING),
                ("session_id", ASCENDING),
                ("facts.state", ASCENDING),
                ("message_index", ASCENDING),
            ],
            name="facts_of_conversation",
            partialFilterExpression={"facts.lease_until": {"$exists": True}},
        ),
    ],
}


def facts_product(collections: Collections, facts: Facts, queue: FactQueue, store: FactStore) -> Product:
    async def forget_user(owner: str, moment: datetime) -> Counts:
        return {"facts": await facts.forget(owner, moment)}

    async def forget_session(owner: str, session: SessionEnd) -> Counts:
        return {"facts": await facts.forget(owner, session.over, session.session_id)}

    async def forget_message(owner: str, message: Message) -> None:
        await facts.forget_source(owner, message.session_id, message.id)

    async def texts_of(owner: str, ids: Sequence[str]) -> list[str]:
        found = await collections.facts.find({"user_id": owner, "sources": {"$in": list(ids)}}).to_list(None)
        return [fact["text"] for fact in found if set(fact["sources"]) <= set(ids)]

    return Product(
        "facts",
        indexes=INDEXES,
        queues=(Queue("facts", collections.vectors, "facts", "id", "content"),),
        sweep=queue.work,
        forget_user=forget_user,
        forget_session=forget_session,
        forget_message=forget_message,
        texts_of=texts_of,
        records=lambda owner: fact_records(collections.facts, owner),
        takers=lambda owner: {"fact": FactTaker(owner, store)},
    )
