"""The embedding queue: claims what waits, embeds it, and writes it under the same lease."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from time import monotonic

from pymongo import UpdateOne

from memory.domain import TURN
from memory.gists.gists import MADE_BY, embedded_fields, imprints, text_to_embed, with_pieces
from memory.store import (
    Changes,
    Claim,
    Collections,
    claim,
    count_waiting,
    fail,
    held,
    newest_waiting,
    pending,
    revive,
)
from utils.embeddings import Embedder, LocalEmbedder
from utils.encoder import FAMILY
from utils.errors import ModelError, ModelUnavailable
from utils.mongo import Document
from utils.yielding import Pace

BATCH = 128
NEWEST = 32  # of a batch, while more waits than it holds
LOOKED_AT = 256  # gists that are looked through at a time for what an earlier version embedded
TURN_SECONDS = 2.5  # of embedding, or of embedding anew, after which other work has its turn
COUNTED_AT_ONCE = 2_048  # gists that are looked through at a time to count these
COUNTING = 0.2  # seconds of a call, for who asks how many there are waits
UNAVAILABLE = "model_unavailable"

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Waiting:
    """How many gists wait for an embedding. `at_least`: there may be more, which were not counted."""

    count: int
    at_least: bool = False


class EmbeddingQueue:
    """The gists that wait for an embedding. Any number of workers may run `work` at once."""

    def __init__(self, collections: Collections, changes: Changes, embedder: Embedder, reader: LocalEmbedder) -> None:
        self._vectors = collections.vectors
        self._changes = changes
        self._embedder = embedder
        self._reader = reader
        self._renewed: str | None = ""  # the last `_id` looked at; None once there is no more to do
        self._marked = 0  # of an earlier version's, so far
        self._up_to_date: str | None = ""  # no `_id` up to this one is an earlier version's; None where none is

    async def work(self) -> int:
        """Embeds what is due; returns how many gists got their embedding. Safe to run twice at once.

        What comes due meanwhile may be left for the next nudge, so that it is done in large batches.
        """
        total, more = 0, True
        while more:
            done, more = await self._turn()
            total += done
        return total

    async def newest(self) -> list[Document]:
        """The newest messages that wait, the last one at the end."""
        found = await newest_waiting(self._vectors, "embed", LOOKED_AT, "embedding")
        return [one for one in found if one["kind"] == TURN and not {"forgotten", "branch", "recalled"} & one.keys()]

    async def turn(self) -> bool:
        """`work` for some seconds; returns whether there may be more, for which others have their turn first."""
        return (await self._turn())[1]

    async def _turn(self) -> tuple[int, bool]:
        total, pace, until = 0, Pace(), monotonic() + TURN_SECONDS
        while True:
            await pace.step()
            claimed = await claim(self._vectors, "embed", BATCH, without="embedding", newest=NEWEST)
            total += await self._embed_claimed(claimed)
            if not claimed.more or monotonic() >= until:
                return total, claimed.more

    async def step(self) -> int:
        """`work` of one batch; returns how many gists it had, 0 where there was nothing to do."""
        claimed = await claim(self._vectors, "embed", BATCH, without="embedding", newest=NEWEST)
        await self._embed_claimed(claimed)
        return len(claimed.documents)

    async def _embed_claimed(self, claimed: Claim) -> int:
        if not claimed.documents:
            return 0
        embedded = 0
        async with held(self._vectors, "embed", claimed):
            for each in _batches(sorted(map(with_pieces, claimed.documents), key=len)):
                embedded += await self._embed(claimed.lease, each)
        return embedded

    async def _embed(self, lease: str, each: Sequence[list[Document]]) -> int:
        """`each`: gists, each with its pieces behind it."""
        documents = [own[0] for own in each]
        try:
            parts = [part for own in each for part in own]
            texts = [text_to_embed(part) for part in parts]
            vectors = await self._embedder.embed(texts)
            made = await imprints(self._reader, [part["content"] for part in parts], texts)
        except ModelError as error:
            kind = UNAVAILABLE if isinstance(error, ModelUnavailable) else type(error).__name__
            log.warning("embedding %d gists failed: %s", len(documents), error.detail)
            await fail(self._vectors, "embed", lease, documents, kind)
            return 0
        except Exception as error:
            await fail(self._vectors, "embed", lease, documents, type(error).__name__)
            raise
        read, fields = iter(zip(vectors, made, strict=True)), []
        for own in each:
            (vector, imprint), *pieces = islice(read, len(own))
            fields.append(embedded_fields(vector, self._embedder.model, imprint, pieces))
        return await self._write(lease, documents, fields)

    async def _write(self, lease: str, documents: Sequence[Document], fields: Sequence[Document]) -> int:
        """Writes what gists have once they are embedded, under a change number of each owner; again under others where
        readers may have passed one."""
        owners = {document["user_id"] for document in documents}
        while True:
            numbers = await self._changes.take_all(owners)
            writes = [
                UpdateOne(
                    {"_id": document["_id"], "embed.lease": lease},
                    {
                        "$set": embedded | {"change": numbers[document["user_id"]], "embed.state": "done"},
                        "$unset": {"embed.error": "", "embed.lease_until": ""},
                    },
                )
                for document, embedded in zip(documents, fields, strict=True)
            ]
            matched = (await self._vectors.bulk_write(writes, ordered=False)).matched_count
            if await self._changes.close_all(numbers):
                break
        if matched < len(documents):
            await self._forget_the_deleted(owners)
        return matched

    async def _forget_the_deleted(self, owners: set[str]) -> None:
        """Takes back the counters of users who were deleted while their messages were being embedded."""
        for owner in owners:
            if await self._vectors.find_one({"user_id": owner}, {"_id": 1}) is None:
                await self._changes.forget(owner)

    async def revive_after_outage(self) -> None:
        """Tries one gist again that died because the model was away; the others follow once that one succeeds."""
        died = {"embed.error": UNAVAILABLE}
        if await revive(self._vectors, "embed", died, most=1) and (await self._turn())[0]:
            await revive(self._vectors, "embed", died)

    async def renew(self) -> None:
        """Goes on with what the local encoder of an earlier version embedded, for some seconds: embeds it anew. What a
        provider's model embedded was paid for, and stays until `mark_outdated` asks for it.

        All gists are looked through once in a process's life, some at a time, and none while others wait.
        """
        until = monotonic() + TURN_SECONDS
        while self._renews and self._renewed is not None and monotonic() < until:
            if not await self.step():
                self._renewed = await self._mark_earlier(self._renewed)
                if self._renewed is None and self._marked:
                    log.info("%d messages of an earlier encoder's have been embedded anew", self._marked)

    @property
    def _renews(self) -> bool:
        return isinstance(self._embedder, LocalEmbedder)

    async def _mark_earlier(self, after: str) -> str | None:
        """Asks for new embeddings of those of the next gists, in the order of `_id`, that an earlier version embedded;
        the last `_id` looked at, None where there are no more."""
        last = await self._last_of_page(after, LOOKED_AT)
        if last is None:
            return None
        there = self._earlier(after, last)
        if not self._marked and await self._vectors.find_one(there, {"_id": 1}) is not None:
            every = await self._vectors.count_documents(self._earlier(after))
            log.info("%d messages of an earlier encoder's are being embedded anew", every)
        marked = await self._vectors.update_many(there, {"$set": {"embed": pending()}})
        self._marked += marked.modified_count
        return last

    async def _last_of_page(self, after: str, size: int) -> str | None:
        """The last `_id` of the next so many gists, in the order of `_id`; None where there are none."""
        page = self._vectors.find({"_id": {"$gt": after}}, {"_id": 1}).sort("_id", 1).limit(size)
        found = await page.to_list(None)
        return str(found[-1]["_id"]) if found else None

    def _earlier(self, after: str, last: str | None = None) -> Document:
        """A filter for the gists with an `_id` after one, up to another, that an earlier version's encoder embedded."""
        there = {"$gt": after} if last is None else {"$gt": after, "$lte": last}
        by_encoder = {"embedding_model": {"$regex": f"^{FAMILY}"}}
        return {"$and": [{"_id": there}, by_encoder, outdated_by(self._embedder.model)]}

    async def count_waiting(self, most: int) -> Waiting:
        """How many gists wait for an embedding, up to `most`: a first one, or a new one for an earlier encoder's."""
        waiting = await count_waiting(self._vectors, "embed", most + 1)
        if waiting > most:
            return Waiting(most, at_least=True)
        earlier = await self._count_earlier(most - waiting)
        return Waiting(waiting + earlier.count, earlier.at_least)

    async def count_of(self, owner: str, kinds: Sequence[str], most: int) -> Waiting:
        """How many of an owner's gists of some kinds wait for a first embedding, up to `most`."""
        waiting = {"embed.state": {"$in": ["pending", "leased"]}, "embed.lease_until": {"$exists": True}}
        own = {"user_id": owner, "kind": {"$in": list(kinds)}} | waiting
        count = await self._vectors.count_documents(own, limit=most + 1, hint="owner_embed_work")
        return Waiting(min(count, most), at_least=count > most)

    async def _count_earlier(self, most: int) -> Waiting:
        """How many gists `renew` has still to ask new embeddings for, up to `most`. A large store is looked through in
        several calls; what is up to date at its beginning, once in a process's life."""
        until = monotonic() + COUNTING
        count, after = 0, self._up_to_date
        while self._renews and after is not None:
            if count > most or monotonic() >= until:
                return Waiting(min(count, most), at_least=True)
            last = await self._last_of_page(after, COUNTED_AT_ONCE)
            if last is not None:
                count += await self._vectors.count_documents(self._earlier(after, last), limit=most + 1 - count)
            if not count:
                self._up_to_date = last
            after = last
        return Waiting(min(count, most), at_least=count > most)

    async def mark_outdated(self, after: str, most: int) -> tuple[int, str] | None:
        """Asks for new embeddings of at most `most` gists, in the order of `_id`, whose embedding is another model's.

        Returns how many, and the last `_id`, to go on after; None where there are no more.
        """
        outdated = outdated_by(self._embedder.model)
        beyond = {"_id": {"$gt": after}, **outdated}
        found = await self._vectors.find(beyond, {"_id": 1}).sort("_id", 1).limit(most).to_list(None)
        if not found:
            return None
        ids = [document["_id"] for document in found]
        marked = await self._vectors.update_many({"_id": {"$in": ids}, **outdated}, {"$set": {"embed": pending()}})
        return marked.modified_count, ids[-1]

    async def count_outdated(self) -> int:
        """How many gists carry an embedding of another model."""
        return await self._vectors.count_documents(outdated_by(self._embedder.model))


def _batches(each: Sequence[list[Document]]) -> Iterator[list[list[Document]]]:
    """Gists with their pieces, those with fewest first, so many at a time that a long text lets no other wait."""
    batch: list[list[Document]] = []
    for own in each:
        if batch and sum(map(len, batch)) + len(own) > BATCH:
            yield batch
            batch = []
        batch.append(own)
    yield batch


def outdated_by(model: str) -> Document:
    """A filter for the gists that an embedding model, or the local encoder, of now did not make."""
    return {
        "embed.state": "done",
        "$or": [{"embedding_model": {"$ne": model}}, {"recall.made_by": {"$ne": MADE_BY}}],
    }


async def has_embedded(collections: Collections, model: str) -> bool:
    """Whether a gist has its embedding from a model. Where none has, all are read."""
    return await collections.vectors.find_one({"embedding_model": model}, {"_id": 1}) is not None
