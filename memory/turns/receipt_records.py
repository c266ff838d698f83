"""Records of receipts, out and in. They name what was considered by its `_id`, which may be another one here."""

from collections.abc import AsyncIterator, Sequence

from memory.ids import keys_of, unscoped
from memory.product import Landed, Record
from memory.store import Collections, by_ids, by_key, picked
from utils.mongo import Document, insert_new

CONSIDERED = ("considered", "observed")

RECEIPT = (
    "turn_id", "session_id", "at", "query", "intent", "need_memory", "memory_reason", "agents_used", "model", "recipe",
    "used", "ledger", "prompt_tokens", "completion_tokens", "interrupted", "messages", "top_k", "tools_used",
    "searched",
)  # fmt: skip


async def receipt_records(collections: Collections, owner: str) -> AsyncIterator[Record]:
    """The receipts of each session."""
    async for session in by_key(collections.sessions, owner, "session_id", {"session_id": 1}):
        own = {"user_id": owner, "session_id": session["session_id"]}
        async for receipt in by_ids(collections.receipts, own, [("_id", 1)]):
            considered = {
                name: [candidate | {"key": unscoped(candidate["key"], owner)} for candidate in receipt[name]]
                for name in CONSIDERED
                if name in receipt
            }
            yield Record("receipt", picked(receipt, RECEIPT) | considered)


class ReceiptTaker:
    """Takes in `receipt`."""

    def __init__(self, owner: str, collections: Collections) -> None:
        self._owner = owner
        self._receipts = collections.receipts
        self._vectors = collections.vectors

    def check(self, record: Record) -> None: ...

    async def take(self, records: Sequence[Record]) -> Landed:
        receipts = {record.fields["turn_id"]: record.fields for record in reversed(records)}
        there = {
            "_id": {"$in": [key for name in receipts for key in keys_of(name, self._owner)]},
            "user_id": self._owner,
        }
        known = {one["turn_id"] async for one in self._receipts.find(there, {"turn_id": 1})}
        left = [receipt for name, receipt in receipts.items() if name not in known]
        keys = await self._keys(
            [one["key"] for receipt in left for name in CONSIDERED for one in receipt.get(name, ())]
        )
        new: list[str] = []
        for at in range(2):  # one that another user has gets a `_id` of its own
            documents = [
                self._document(receipt, keys, keys_of(receipt["turn_id"], self._owner)[at]) for receipt in left
            ]
            inserted = await insert_new(self._receipts, documents) if documents else []
            new += [document["_id"] for document, is_new in zip(documents, inserted, strict=True) if is_new]
            left = [receipt for receipt, is_new in zip(left, inserted, strict=True) if not is_new]

        async def take_back() -> None:
            await self._receipts.delete_many({"_id": {"$in": new}, "user_id": self._owner})

        return Landed("receipt", len(new), len(records) - len(new), take_back)

    def check_end(self) -> None: ...

    async def close(self) -> None: ...

    async def _keys(self, ids: Sequence[str]) -> dict[str, str]:
        """The `_id`s here of what was considered; what is not there has its own."""
        names = {key: name for name in ids for key in keys_of(name, self._owner)}
        found = self._vectors.find({"_id": {"$in": list(names)}, "user_id": self._owner}, {"_id": 1})
        return {names[one["_id"]]: one["_id"] async for one in found}

    def _document(self, receipt: Document, keys: dict[str, str], key: str) -> Document:
        considered = {
            name: [one | {"key": keys.get(one["key"], one["key"])} for one in receipt[name]]
            for name in CONSIDERED
            if name in receipt
        }
        return receipt | considered | {"_id": key, "user_id": self._owner}
