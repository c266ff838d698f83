"""Records of key/value facts, out and in."""

from collections.abc import AsyncIterator, Sequence

from memory.ids import derived_id
from memory.product import Landed, Record
from memory.store import Changes, Collections, by_key, picked
from utils.mongo import Collection, Document, insert_new
from utils.text import count_tokens

MEMORY = ("key", "value", "created_at", "updated_at", "version", "epoch", "source")
FORMER = ("value", "updated_at", "version", "source")


async def keyvalue_records(memories: Collection, owner: str) -> AsyncIterator[Record]:
    async for memory in by_key(memories, owner, "key"):
        history = [picked(former, FORMER) for former in memory["history"]]
        yield Record("memory", picked(memory, MEMORY) | {"sources": memory.get("sources", []), "history": history})


class KeyValueTaker:
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

    def check_end(self) -> None: ...

    async def close(self) -> None: ...

    def _document(self, fields: Document) -> Document:
        history = [{"source": None, "tokenCount": count_tokens(one["value"])} | one for one in fields["history"]]
        made: Document = {"_id": derived_id(self._owner, fields["key"]), "user_id": self._owner, "source": None}
        return made | fields | {"tokenCount": count_tokens(fields["value"]), "history": history}
