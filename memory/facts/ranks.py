"""Ranks of facts and key-values in a profile, by how much an assistant needs to know them.

How much a fact is needed the encoder tells once, and the fact's document keeps a `rank` made of it, by which an index
has the order. One that is new is `UNRANKED`, last in the order until the sweep or a look at the profile reads it.
Whoever changes what a rank is made of takes it away, and it is made anew at the next look.
"""

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter

from pymongo import UpdateOne

from memory.domain import UNRANKED
from memory.facts.kinds import Needs
from memory.store import Changes, Collections
from utils.embeddings import LocalEmbedder
from utils.mongo import Collection, Document
from utils.vectors import Floats, from_binary

AT_ONCE = 32  # new facts that are read for whoever asks for a profile, some 0.1 s; the sweep reads the others
BATCH = 500
OFTEN = 0.1  # how much more a fact is needed that was said ever so often
PINNED = 10.0  # in a rank, above all needs
FIELDS = dict.fromkeys(("text", "key", "value", "pinned", "sources", "rank"), 1)


class Ranks:
    """Gives facts, ended ones too, and key-values their ranks."""

    def __init__(self, collections: Collections, changes: Changes, reader: LocalEmbedder) -> None:
        self._collections = collections
        self._changes = changes
        self._reader = reader
        self._needs = Needs(reader)

    async def sweep(self) -> None:
        """Reads what is new, of every user."""
        for kept in (self._collections.facts, self._collections.memories):
            progress = 1
            while progress:
                new = await kept.find({"rank": {"$lt": 0}}, FIELDS | {"user_id": 1}).limit(BATCH).to_list(None)
                by_owner = groupby(sorted(new, key=itemgetter("user_id")), itemgetter("user_id"))
                progress = sum([await self._rank(kept, owner, list(own), BATCH) for owner, own in by_owner])

    async def renew(self, kept: Collection, owner: str) -> None:
        """Gives those a rank that have none, which stand before all others, and reads some of those that are new."""
        lowest = await _lowest(kept, owner, AT_ONCE)
        if len(lowest) == AT_ONCE and "rank" not in lowest[-1]:  # an earlier build made them, or many were changed
            unpinned = {"user_id": owner, "rank": None, "pinned": {"$ne": True}}
            await kept.update_many(unpinned, {"$set": {"rank": UNRANKED}})
            lowest = await _lowest(kept, owner, BATCH)
        if unread := [document for document in lowest if document.get("rank", UNRANKED) < 0]:
            await self._rank(kept, owner, unread, AT_ONCE)

    async def _rank(self, kept: Collection, owner: str, documents: Sequence[Document], most: int) -> int:
        """Gives documents their ranks; those stay unranked that are still to be read, of which only so many are.
        Returns how many changed."""
        vectors = await self._vectors_of(owner, documents, most)
        needs = dict(zip(vectors, await self._needs.of(list(vectors.values())), strict=True))
        writes = []
        for document in documents:
            rank, pinned = UNRANKED, document.get("pinned", False)
            if pinned or document["_id"] in needs:
                often = OFTEN * (1 - 1 / max(1, len(document.get("sources", ()))))
                rank = round(needs.get(document["_id"], 0.0) + often + PINNED * pinned, 3)
            as_read = {name: document.get(name) for name in ("_id", "value", "pinned", "sources", "rank")}
            writes.append(UpdateOne({"user_id": owner} | as_read, {"$set": {"rank": rank}}))
        async with self._changes.noted(owner, "facts"):
            return (await kept.bulk_write(writes, ordered=False)).modified_count

    async def _vectors_of(self, owner: str, documents: Sequence[Document], most: int) -> dict[str, Floats]:
        """The encoder's vectors of texts, by `_id`: of those that are embedded by it, theirs; of some of the others,
        made now."""
        own = {"_id": {"$in": [document["_id"] for document in documents]}, "user_id": owner}
        gists = self._collections.vectors.find(own | {"embedding_model": self._reader.model}, {"embedding": 1})
        vectors = {gist["_id"]: from_binary(gist["embedding"]) for gist in await gists.to_list(None)}
        left = [document for document in documents if document["_id"] not in vectors][:most]
        made = await self._reader.embed([text_of(document) for document in left])
        return vectors | {document["_id"]: vector for document, vector in zip(left, made, strict=True)}


async def _lowest(kept: Collection, owner: str, most: int) -> list[Document]:
    found = kept.find({"user_id": owner}, FIELDS).sort([("rank", 1), ("updated_at", 1), ("_id", 1)])
    return await found.limit(most).to_list(None)


def text_of(document: Document) -> str:
    """What a profile says of a fact or a key-value."""
    text: str = document["text"] if "text" in document else f"{document['key']}: {document['value']}"
    return text
