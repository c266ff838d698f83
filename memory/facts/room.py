"""Facts, opened, and what they bring as a product."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.domain import FACT
from memory.facts.facts import Facts
from memory.facts.profile import Profile
from memory.facts.queue import FactQueue
from memory.facts.ranks import Ranks
from memory.facts.records import FactLine, FactTaker, fact_records
from memory.facts.store import FactStore
from memory.facts.superseded import Superseded
from memory.gists import Gists
from memory.product import Counts, Product, Queue, SessionEnd, index
from memory.store import NamedLeases, Store
from memory.turns import Conversations
from utils.chat import ChatModel
from utils.tasks import each

INDEXES = {
    "facts": [
        index("owner_newest", "user_id", "-updated_at", "-_id"),
        index("conversation_newest", "user_id", "memory_id", "-updated_at", "-_id"),
        index("owner_profile", "user_id", "-rank", "-updated_at", "-_id"),
        index("unranked", "rank", partialFilterExpression={"rank": {"$lt": 0}}),
        index("owner_source", "user_id", "sources"),
        index("owner_history", "user_id", "history.source"),
        index("owner_decided_in", "user_id", "history.memory_id"),
    ],
    "vectors": [
        index(
            "facts_of_conversation", "user_id", "session_id", "facts.state", "message_index", having="facts.lease_until"
        ),
    ],
}


@dataclass(frozen=True)
class Knowledge:
    """What is known of users. `queue`: of messages that facts are still to be made of."""

    facts: Facts
    profile: Profile
    queue: FactQueue
    superseded: Superseded
    product: Product


def open_knowledge(store: Store, gists: Gists, conversations: Conversations, model: ChatModel | None) -> Knowledge:
    """`model`: makes facts; else rules do."""
    collections = store.collections
    leases = NamedLeases(collections)
    fact_store = FactStore(collections, store.changes, gists.eraser, gists.just_said)
    facts = Facts(collections, fact_store, leases)
    queue = FactQueue(collections, leases, facts, gists.encoder, model, conversations.writings)
    ranks = Ranks(collections, store.changes, gists.encoder)
    profile = Profile(collections, store.changes, fact_store, leases, facts, conversations.keyvalues, ranks)

    async def sweep() -> None:
        await each([queue.step, conversations.writings.work, ranks.sweep])  # with facts goes what is due beside them

    async def forget_user(owner: str, moment: datetime) -> Counts:
        return {"facts": await facts.forget(owner, moment)}

    async def forget_session(owner: str, session: SessionEnd) -> Counts:
        return {"facts": await facts.forget(owner, session.over, session.session_id)}

    async def texts_of(owner: str, ids: Sequence[str]) -> list[str]:
        found = await collections.facts.find({"user_id": owner, "sources": {"$in": list(ids)}}).to_list(None)
        return [fact["text"] for fact in found if set(fact["sources"]) <= set(ids)]

    product = Product(
        indexes=INDEXES,
        activity={"facts": "updated_at"},
        gists=(FACT,),
        queues=(Queue("facts", collections.vectors, "facts", "id", "content"),),
        sweep=sweep,
        forget_user=forget_user,
        forget_session=forget_session,
        forget_message=lambda *message: facts.forget_source(*message),
        texts_of=texts_of,
        lines={"fact": FactLine},
        records=lambda owner: fact_records(collections.facts, owner),
        takers=lambda owner: {"fact": FactTaker(owner, fact_store)},
    )
    superseded = Superseded(collections, store.changes, gists.reader)
    gists.caches.notes += [profile.first, superseded.stating]
    return Knowledge(facts, profile, queue, superseded, product)
