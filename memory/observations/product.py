"""What observations and the scratchpad bring as a product."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from pymongo import ASCENDING, DESCENDING, IndexModel

from memory.observations.observations import Observations
from memory.observations.records import EntryTaker, ObservationTaker, observation_records
from memory.observations.scratchpad import Scratchpad
from memory.observations.store import ObservationStore
from memory.product import Counts, Message, Product, SessionEnd
from memory.store import Collections

INDEXES = {
    "observations": [
        IndexModel([("user_id", ASCENDING), ("created_at", DESCENDING), ("_id", DESCENDING)], name="owner_newest"),
        IndexModel(
            [("user_id", ASCENDING), ("category", ASCENDING), ("created_at", DESCENDING), ("_id", DESCENDING)],
            name="category_newest",
        ),
        IndexModel(
            [("user_id", ASCENDING), ("source", ASCENDING), ("created_at", DESCENDING), ("_id", DESCENDING)],
            name="source_newest",
        ),
        IndexModel([("user_id", ASCENDING), ("messages", ASCENDING)], name="owner_message"),
        IndexModel(
            [("unindexed_since", ASCENDING), ("_id", ASCENDING)],
            name="unindexed",
            partialFilterExpression={"unindexed_since": {"$exists": True}},
        ),
    ],
    "scratchpad": [
        IndexModel([("user_id", ASCENDING), ("key", ASCENDING)], name="owner_key", unique=True),
        IndexModel([("expires_at", ASCENDING)], name="expiry", expireAfterSeconds=0),
    ],
    "vectors": [
        IndexModel(
            [("user_id", ASCENDING), ("category", ASCENDING), ("change", ASCENDING)],
            name="observations_change",
            partialFilterExpression={"category": {"$exists": True}},
        ),
    ],
}


def observations_product(
    collections: Collections, observations: Observations, store: ObservationStore, scratchpad: Scratchpad
) -> Product:
    async def forget_user(owner: str, moment: datetime) -> Counts:
        counts = Counter(observations=await observations.forget(owner, moment))
        counts["scratchpad"] = await scratchpad.forget(owner, moment)
        return counts

    async def forget_session(owner: str, session: SessionEnd) -> Counts:
        return {"observations": await observations.forget_session(owner, session.session_id, session.over)}

    async def forget_message(owner: str, message: Message) -> None:
        await observations.forget_message(owner, message.id)

    async def texts_of(owner: str, ids: Sequence[str]) -> list[str]:
        found = await collections.observations.find({"user_id": owner, "messages": {"$in": list(ids)}}).to_list(None)
        return [observation["content"] for observation in found if set(observation["messages"]) <= set(ids)]

    return Product(
        "observations",
        indexes=INDEXES,
        sweep=observations.mend,
        forget_user=forget_user,
        forget_session=forget_session,
        forget_message=forget_message,
        texts_of=texts_of,
        records=lambda owner: observation_records(collections, owner),
        takers=lambda owner: {
            "observation": ObservationTaker(owner, store),
            "entry": EntryTaker(owner, collections),
        },
    )
