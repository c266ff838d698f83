"""Observations and scratchpads, opened, and what they bring as a product."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pymongo import ASCENDING, DESCENDING, IndexModel

from memory.gists import Gists
from memory.observations.observation import CATEGORIES
from memory.observations.observations import Observations
from memory.observations.observer import Observer
from memory.observations.records import EntryLine, EntryTaker, ObservationLine, ObservationTaker, observation_records
from memory.observations.scratchpad import Scratchpad
from memory.product import Counts, Message, Product, SessionEnd
from memory.recall import Search
from memory.store import Store
from memory.turns import Conversations
from utils.chat import ChatModel

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


@dataclass(frozen=True)
class AgentNotes:
    observations: Observations
    observer: Observer
    scratchpad: Scratchpad
    product: Product


def open_notes(
    store: Store, gists: Gists, search: Search, conversations: Conversations, model: ChatModel | None
) -> AgentNotes:
    """`model`: notes what is worth keeping; else rules do."""
    collections = store.collections
    observations = Observations(collections, store.changes, gists.eraser, search.words)
    scratchpad = Scratchpad(collections)
    observer = Observer(collections, observations, conversations.turns, conversations.places, model)

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

    product = Product(
        indexes=INDEXES,
        activity={"observations": "created_at", "scratchpad": None},
        gists=CATEGORIES,
        sweep=observations.mend,
        forget_user=forget_user,
        forget_session=forget_session,
        forget_message=forget_message,
        texts_of=texts_of,
        lines={"observation": ObservationLine, "entry": EntryLine},
        records=lambda owner: observation_records(collections, owner),
        takers=lambda owner: {
            "observation": ObservationTaker(owner, observations),
            "entry": EntryTaker(owner, collections),
        },
    )
    return AgentNotes(observations, observer, scratchpad, product)
