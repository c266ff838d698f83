"""Observations and scratchpads, opened, and what they bring as a product."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.gists import Gists
from memory.observations.observation import CATEGORIES
from memory.observations.observations import Observations
from memory.observations.observer import Observer
from memory.observations.records import EntryLine, EntryTaker, ObservationLine, ObservationTaker, observation_records
from memory.observations.scratchpad import Scratchpad
from memory.product import Counts, Product, SessionEnd, index
from memory.recall import Search
from memory.store import Store
from memory.turns import Conversations
from utils.chat import ChatModel

INDEXES = {
    "observations": [
        index("owner_newest", "user_id", "-created_at", "-_id"),
        index("category_newest", "user_id", "category", "-created_at", "-_id"),
        index("source_newest", "user_id", "source", "-created_at", "-_id"),
        index("owner_message", "user_id", "messages"),
        index("unindexed", "unindexed_since", "_id", having="unindexed_since"),
    ],
    "scratchpad": [
        index("owner_key", "user_id", "key", unique=True),
        index("expiry", "expires_at", expireAfterSeconds=0),
    ],
    "vectors": [
        index("observations_change", "user_id", "category", "change", having="category"),
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
    gists.caches.notes.append(observations.cache)
    scratchpad = Scratchpad(collections)
    observer = Observer(collections, observations, conversations.turns, conversations.places, model)

    async def forget_user(owner: str, moment: datetime) -> Counts:
        counts = Counter(observations=await observations.forget(owner, moment))
        counts["scratchpad"] = await scratchpad.forget(owner, moment)
        return counts

    async def forget_session(owner: str, session: SessionEnd) -> Counts:
        return {"observations": await observations.forget_session(owner, session.session_id, session.over)}

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
        forget_message=lambda owner, _, message_id: observations.forget_message(owner, message_id),
        texts_of=texts_of,
        lines={"observation": ObservationLine, "entry": EntryLine},
        records=lambda owner: observation_records(collections, owner),
        takers=lambda owner: {
            "observation": ObservationTaker(owner, observations),
            "entry": EntryTaker(owner, collections),
        },
    )
    return AgentNotes(observations, observer, scratchpad, product)
