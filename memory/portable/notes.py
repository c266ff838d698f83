"""How do things come in that stand alone: values under keys, and observations?"""

from collections.abc import Sequence

from memory.ids import derived_id
from memory.observations import Observation, ObservationStore, Observed, document_of, folded_of, observation_id
from memory.portable.landing import Landed
from memory.portable.record import Record
from memory.store import Changes, Collections
from utils.mongo import Document, insert_new
from utils.text import count_tokens


class MemoryTaker:
    """Takes in `memory`: key/value facts."""

    def __init__(self, owner: str, collections: Collections, changes: Changes) -> None:
        self._owner = owner
        self._memories = collections.memories
        self._changes = changes

    def check(self, record: Record) -> None: ...

    async def take(self, records: Sequence[Record]) -> Landed:
        documents = [self._document(record.fields) for record in records]
        async with self._changes.noted(self._owner):
            inserted = await insert_new(self._memories, documents)
        new = [document["_id"] for document, is_new in zip(documents, inserted, strict=True) if is_new]

        async def take_back() -> None:
            async with self._changes.noted(self._owner):
                await self._memories.delete_many({"_id": {"$in": new}, "user_id": self._owner})

        return Landed("memory", len(new), len(documents) - len(new), take_back)

    async def close(self) -> None: ...

    def _document(self, fields: Document) -> Document:
        history = [{"source": None, "tokenCount": count_tokens(one["value"])} | one for one in fields["history"]]
        made: Document = {"_id": derived_id(self._owner, fields["key"]), "user_id": self._owner, "source": None}
        return made | fields | {"tokenCount": count_tokens(fields["value"]), "history": history}


class EntryTaker:
    """Takes in `entry`: what stands in the scratchpad."""

    def __init__(self, owner: str, collections: Collections) -> None:
        self._owner = owner
        self._entries = collections.scratchpad

    def check(self, record: Record) -> None: ...

    async def take(self, records: Sequence[Record]) -> Landed:
        documents = [self._document(record.fields) for record in records]
        inserted = await insert_new(self._entries, documents)
        new = [document["_id"] for document, is_new in zip(documents, inserted, strict=True) if is_new]

        async def take_back() -> None:
            await self._entries.delete_many({"_id": {"$in": new}, "user_id": self._owner})

        return Landed("entry", len(new), len(documents) - len(new), take_back)

    async def close(self) -> None: ...

    def _document(self, fields: Document) -> Document:
        key, value = fields["key"], fields["value"]
        made = {"_id": derived_id(self._owner, key), "user_id": self._owner, "expires_at": None}
        return made | fields | {"folded": folded_of(key, value)}


class ObservationTaker:
    """Takes in `observation`. Its id is made of what it says and of whose it is."""

    def __init__(self, owner: str, store: ObservationStore) -> None:
        self._owner = owner
        self._store = store

    def check(self, record: Record) -> None: ...

    async def take(self, records: Sequence[Record]) -> Landed:
        made = [self._document(record.fields) for record in records]
        documents = {document["_id"]: document for document in reversed(made)}
        new = await self._store.insert(self._owner, list(documents.values()))

        async def take_back() -> None:
            await self._store.delete(self._owner, {"_id": {"$in": list(new)}})

        return Landed("observation", len(new), len(made) - len(new), take_back)

    async def close(self) -> None: ...

    def _document(self, fields: Document) -> Document:
        category, content, source = fields["category"], fields["content"], fields["source"]
        identifier = observation_id(self._owner, Observed(category, content), source)
        one = Observation(identifier, category, content, source, fields["created_at"], fields.get("model"))
        return document_of(self._owner, one, fields.get("messages", []))
