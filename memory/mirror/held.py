"""What the memory holds that stands in the mirror: messages, facts in force and summaries, as entries of files."""

from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import dataclass

from memory.domain import FACT, SAID, Turn
from memory.gists import TEXT, turn_of
from memory.ids import keys_of, new_id
from memory.mirror.files import SUMMARY, MirrorEntry
from memory.store import Collections
from utils.mongo import Document

BATCH = 250  # documents that are read at a time
NEWEST = 256  # of those that wait for their embedding
SHOWN = {"kind": {"$in": list(SAID)}}  # a filter: the gists that have a file


@dataclass(frozen=True)
class Held:
    """What is remembered under a key, the `_id` of its gist or of its session's summaries. `change`: the last of its
    gist, None where it is not embedded yet; `waits`: it will get one."""

    key: str
    entry: MirrorEntry
    change: int | None = None
    waits: bool = False


class Mirrored:
    """Reads what the mirror shows of users."""

    def __init__(self, collections: Collections) -> None:
        self._vectors = collections.vectors
        self._facts = collections.facts
        self._summaries = collections.summaries
        self._mirrors = collections.mirrors

    async def store_id(self) -> str:
        """Tells this database from every other."""
        own = {"_id": "store"}
        await self._mirrors.update_one(own, {"$setOnInsert": {"id": new_id()}}, upsert=True)
        mark = await self._mirrors.find_one(own)
        return "" if mark is None else str(mark["id"])

    async def get(self, owner: str, key: str) -> Held | None:
        """What the owner has under a key, be it a message or a fact in force."""
        return (await self.of(owner, [key])).get(key)

    async def of(self, owner: str, keys: Collection[str]) -> dict[str, Held]:
        """Messages and facts in force by their keys; those that are gone are left out."""
        said = {"_id": {"$in": list(keys)}, "user_id": owner} | SHOWN
        documents = await self._vectors.find(said, TEXT).to_list(None)
        return {held.key: held for held in await self._held(owner, documents)}

    async def since(self, owner: str, change: int) -> AsyncIterator[list[Held]]:
        """What got its embedding, or another one, after a change; some at a time."""
        batch: list[Document] = []
        changed = {"user_id": owner, "change": {"$gt": change}} | SHOWN
        async for document in self._vectors.find(changed, TEXT).batch_size(BATCH):
            batch.append(document)
            if len(batch) == BATCH:
                yield await self._held(owner, batch)
                batch.clear()
        if batch:
            yield await self._held(owner, batch)

    async def keys(self, owner: str) -> set[str]:
        """The keys of all messages and facts of an owner."""
        return {document["_id"] async for document in self._vectors.find({"user_id": owner} | SHOWN, {"_id": 1})}

    async def waiting(self) -> dict[str, list[str]]:
        """By owner, the keys of the newest gists that no worker has taken up."""
        due = {"embed.state": "pending", "embed.lease_until": {"$exists": True}} | SHOWN
        order = [("embed.lease_until", -1), ("_id", -1)]
        documents = await self._vectors.find(due, {"user_id": 1}).sort(order).limit(NEWEST).to_list(None)
        by_owner: dict[str, list[str]] = {}
        for document in documents:
            by_owner.setdefault(document["user_id"], []).append(document["_id"])
        return by_owner

    async def is_anothers(self, owner: str, identifier: str) -> bool:
        """Whether another user has a message or a fact of this id."""
        others = {"_id": identifier, "user_id": {"$ne": owner}}
        for collection in (self._vectors, self._facts):
            if await collection.find_one(others, {"_id": 1}) is not None:
                return True
        return False

    async def has_ended(self, owner: str, identifier: str) -> bool:
        """Whether the owner had a fact of this id that is in force no longer."""
        own = {"_id": {"$in": keys_of(identifier, owner)}, "user_id": owner, "valid_to": {"$ne": None}}
        return await self._facts.find_one(own, {"_id": 1}) is not None

    async def versions(self, owner: str) -> dict[str, str]:
        """The owner's summaries by key, each with a text that is another one after each change."""
        found = await self._summaries.find({"user_id": owner}, {"updated_at": 1, "digest.at": 1}).to_list(None)
        return {one["_id"]: f"{one['updated_at']} {one.get('digest', {}).get('at')}" for one in found}

    async def summaries(self, owner: str, keys: Sequence[str]) -> list[Held]:
        """Summaries of whole sessions: the digest, or where there is none, those of the windows together."""
        documents = await self._summaries.find({"_id": {"$in": list(keys)}, "user_id": owner}).to_list(None)
        return [Held(document["_id"], entry) for document in documents if (entry := _summary(document)).text]

    async def _held(self, owner: str, documents: Sequence[Document]) -> list[Held]:
        facts = [document["_id"] for document in documents if document["kind"] == FACT]
        by_id: dict[str, Document] = {}
        if facts:
            in_force = {"_id": {"$in": facts}, "user_id": owner, "valid_to": None}
            by_id = {fact["_id"]: fact for fact in await self._facts.find(in_force, {"history": 0}).to_list(None)}
        held: list[Held] = []
        for document in documents:
            if document["kind"] == FACT and document["_id"] not in by_id:
                continue
            fact = by_id.get(document["_id"])
            entry = _message(document["session_id"], turn_of(document)) if fact is None else _fact(fact)
            waits = document["embed"]["state"] in ("pending", "leased")
            held.append(Held(document["_id"], entry, document.get("change"), waits))
        return held


def _message(conversation: str, turn: Turn) -> MirrorEntry:
    return MirrorEntry(turn.id, conversation, turn.role, turn.timestamp, turn.content)


def _fact(fact: Document) -> MirrorEntry:
    return MirrorEntry(
        fact["_id"],
        fact["memory_id"],
        FACT,
        fact["created_at"],
        fact["text"],
        valid_from=fact["valid_from"],
        sources=tuple(fact["sources"]),
        decided_by=fact["decided_by"],
    )


def _summary(document: Document) -> MirrorEntry:
    digest, windows = document.get("digest"), [one["text"] for one in document["summaries"] if one["text"]]
    return MirrorEntry(
        document["_id"],
        document["session_id"],
        SUMMARY,
        digest["at"] if digest else document["updated_at"],
        digest["text"] if digest else "\n\n".join(windows),
        summary_kind="digest" if digest else "windows",
    )
