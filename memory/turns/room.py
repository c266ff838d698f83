"""Conversations, opened, and what they, key-values and receipts bring as products."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from memory.gists import GistEraser, Gists
from memory.product import Counts, Product, Queue, SessionEnd, Taker, index
from memory.store import Changes, Collections, Store
from memory.turns.branches import Branches
from memory.turns.digest import Digests
from memory.turns.drafts import Drafts
from memory.turns.eviction import Eviction
from memory.turns.images import Images
from memory.turns.keyvalues import KeyValues, KeyValueTaker, MemoryLine, keyvalue_records
from memory.turns.places import Places
from memory.turns.projects import Projects
from memory.turns.receipts import ReceiptLine, Receipts, ReceiptTaker, receipt_records
from memory.turns.records import CONVERSATION_LINES, ConversationTaker, conversation_records
from memory.turns.sessions import Sessions
from memory.turns.summaries import Summaries, key_of
from memory.turns.titles import Titles
from memory.turns.turns import Turns
from memory.turns.writings import Writings
from utils.chat import ChatModel
from utils.mongo import Document
from utils.tasks import each

CONVERSATIONS = {
    "sessions": [
        index("owner_session", "user_id", "session_id", unique=True),
        index("owner_newest", "user_id", "-updated_at", "-_id"),
        index("owner_project", "user_id", "project", "-updated_at", "-_id", having="project"),
        index("turned", "turned.at", having="turned.at"),
    ],
    "projects": [
        index("owner_name", "user_id", "name", unique=True),
        index("unsettled", "unsettled", having="unsettled"),
    ],
    "summaries": [
        index("owner_session", "user_id", "session_id"),
        index("owner_newest", "user_id", "-updated_at", "-_id"),
    ],
    "images": [
        index("owner_message", "user_id", "message", "n"),
        index("owner_session", "user_id", "session_id"),
        index("owner_newest", "user_id", "-created_at", "-_id"),
    ],
    "drafts": [
        index("owner_session", "user_id", "session_id"),
        index("oldest", "at", "_id"),
    ],
}
KEYVALUES = {
    "memories": [
        index("owner_key", "user_id", "key", unique=True),
        index("owner_newest", "user_id", "-updated_at", "-_id"),
        index("owner_profile", "user_id", "-rank", "-updated_at", "-_id"),
        index("unranked", "rank", partialFilterExpression={"rank": {"$lt": 0}}),
    ],
}
RECEIPTS = {
    "receipts": [
        index("owner_session", "user_id", "session_id"),
    ],
}


@dataclass(frozen=True)
class Conversations:
    projects: Projects
    sessions: Sessions
    places: Places
    turns: Turns
    branches: Branches
    images: Images
    drafts: Drafts
    summaries: Summaries
    titles: Titles
    digests: Digests
    keyvalues: KeyValues
    receipts: Receipts
    eviction: Eviction
    writings: Writings
    products: tuple[Product, ...]
    receipts_product: Product  # comes last, for receipts name what others keep


def open_conversations(
    store: Store, gists: Gists, model: ChatModel | None, *, interval: int, abandoned: timedelta, max_entries: int
) -> Conversations:
    """`model`: writes summaries, digests and titles. `interval`: pairs of a summary. `abandoned`: after which an answer
    that is still to come will not. `max_entries`: messages of a conversation of the proxy at most; 0 for any number.
    """
    collections, changes = store.collections, store.changes
    window = 2 * interval  # a pair is two messages
    sessions, places = Sessions(collections, changes), Places(collections, changes, window, titled=model is not None)
    projects = Projects(collections, changes)
    turns = Turns(collections, sessions, places, changes, gists.reader, gists.just_said)
    drafts = Drafts(collections, turns)
    summaries = Summaries(collections, changes, model, window, abandoned, gists.encoder)
    titles = Titles(collections, sessions, model)
    digests = Digests(collections, changes, model)
    keyvalues = KeyValues(collections, changes)
    gists.caches.notes += [summaries.cache, digests.cache, keyvalues.cache, projects.documents, projects.sessions]
    eviction = Eviction(collections, gists.eraser, sessions, max_entries)
    branches = Branches(collections, places, changes, gists.caches, summaries.rewrite)
    images = Images(collections)
    conversations = _conversations_product(store, gists.eraser, sessions, places, turns, drafts, branches, images)
    return Conversations(
        projects=projects,
        sessions=sessions,
        places=places,
        turns=turns,
        branches=branches,
        images=images,
        drafts=drafts,
        summaries=summaries,
        titles=titles,
        digests=digests,
        keyvalues=keyvalues,
        receipts=Receipts(collections),
        eviction=eviction,
        writings=Writings(collections, places, titles, summaries, digests, eviction),
        products=(conversations, _keyvalues_product(collections, changes)),
        receipts_product=_receipts_product(collections),
    )


def _conversations_product(
    store: Store,
    eraser: GistEraser,
    sessions: Sessions,
    places: Places,
    turns: Turns,
    drafts: Drafts,
    branches: Branches,
    images: Images,
) -> Product:
    collections, changes = store.collections, store.changes

    async def sweep() -> None:
        await each([drafts.recover, branches.sweep])

    async def forget_session(owner: str, session: SessionEnd) -> Counts:
        own = {"user_id": owner, "session_id": session.session_id}
        if session.successor is None:
            old: Document = {"created_at": {"$lte": session.begun}}
            others: Document = {}
        else:
            old = {"message_index": {"$lt": session.places}}
            others = {"_id": {"$ne": key_of(owner, session.session_id, session.successor)}}
        counts = {"vectors": await eraser.erase(owner, own | old), "summaries": 0}
        await images.drop_unsaid(owner, session.session_id)
        if await collections.summaries.find_one(own | others, {"_id": 1}) is not None:
            async with changes.noted(owner):
                counts["summaries"] = (await collections.summaries.delete_many(own | others)).deleted_count
        await collections.drafts.delete_many(own)
        return counts

    async def forget_user(owner: str, moment: datetime) -> Counts:
        own = {"user_id": owner}
        erased = await eraser.erase(owner, own | {"created_at": {"$lte": moment}})
        async with changes.noted(owner):
            gone = await collections.summaries.delete_many(own | {"updated_at": {"$lte": moment}})
        async with changes.noted(owner, "places"):
            await collections.projects.delete_many(own | {"created_at": {"$lte": moment}})
        await collections.images.delete_many(own | {"created_at": {"$lte": moment}})
        await collections.drafts.delete_many(own)
        return {"vectors": erased, "summaries": gone.deleted_count}

    def takers(owner: str) -> dict[str, Taker]:
        taker = ConversationTaker(owner, collections, changes, sessions, places, turns, images, eraser)
        return dict.fromkeys(CONVERSATION_LINES, taker)

    return Product(
        indexes=CONVERSATIONS,
        activity={"sessions": "updated_at"},
        queues=(
            Queue("summarise", collections.sessions, "summary", "session_id", "title", everywhere=True),
            Queue("title", collections.sessions, "naming", "session_id", "title"),
        ),
        sweep=sweep,
        forget_user=forget_user,
        forget_session=forget_session,
        lines=CONVERSATION_LINES,
        records=lambda owner: conversation_records(collections, owner),
        takers=takers,
    )


def _keyvalues_product(collections: Collections, changes: Changes) -> Product:
    async def forget_user(owner: str, moment: datetime) -> Counts:
        async with changes.noted(owner, "facts"):
            gone = await collections.memories.delete_many({"user_id": owner, "updated_at": {"$lte": moment}})
        return {"memories": gone.deleted_count}

    return Product(
        indexes=KEYVALUES,
        activity={"memories": "updated_at"},
        forget_user=forget_user,
        lines={"memory": MemoryLine},
        records=lambda owner: keyvalue_records(collections.memories, owner),
        takers=lambda owner: {"memory": KeyValueTaker(owner, collections, changes)},
    )


def _receipts_product(collections: Collections) -> Product:
    async def forget_user(owner: str, moment: datetime) -> Counts:
        gone = await collections.receipts.delete_many({"user_id": owner, "at": {"$lte": moment}})
        return {"receipts": gone.deleted_count}

    async def forget_session(owner: str, session: SessionEnd) -> Counts:
        # Of an answer that landed before the session ended, whoever kept the receipt saw no deletion.
        old = {"user_id": owner, "session_id": session.session_id, "at": {"$lte": session.over}}
        return {"receipts": (await collections.receipts.delete_many(old)).deleted_count}

    return Product(
        indexes=RECEIPTS,
        forget_user=forget_user,
        forget_session=forget_session,
        lines={"receipt": ReceiptLine},
        records=lambda owner: receipt_records(collections, owner),
        takers=lambda owner: {"receipt": ReceiptTaker(owner, collections)},
    )
