"""What had an answer said when its process died? Answers that are still coming, as far as they have come."""

from dataclasses import asdict, replace
from datetime import timedelta

from memory import metrics
from memory.collections import Collections
from memory.domain import Turn
from memory.ids import scoped
from memory.place import Place
from memory.remember import Turns
from utils.clock import now
from utils.mongo import Document

ABANDONED = timedelta(seconds=10)  # a draft whose process has not written it for so long is nobody's
BATCH = 100


class Drafts:
    """One document for each answer under way that takes longer than a moment. It is gone once the answer is kept."""

    def __init__(self, collections: Collections, turns: Turns) -> None:
        self._drafts = collections.drafts
        self._turns = turns

    async def save(self, place: Place, answer: Turn) -> None:
        """Commits what an answer has said so far. To be called again at least every few seconds while it goes on."""
        document = {
            "user_id": place.owner,
            "session_id": place.session_id,
            "place": asdict(replace(place, newest=())),
            "turn_id": answer.turn_id,
            "id": answer.id,
            "content": answer.content,
            "model": answer.model,
            "timestamp": answer.timestamp,
            "at": now(),
        }
        await self._drafts.replace_one({"_id": _key(place, answer.id)}, document, upsert=True)
        metrics.DRAFTS.inc()

    async def drop(self, place: Place, answer_id: str) -> None:
        """Deletes a draft whose answer is kept."""
        await self._drafts.delete_one({"_id": _key(place, answer_id)})

    async def recover(self) -> int:
        """Keeps what abandoned answers had said, marked as interrupted; returns how many. Safe to run twice at once."""
        cursor = self._drafts.find({"at": {"$lt": now() - ABANDONED}}).sort([("at", 1), ("_id", 1)]).limit(BATCH)
        found = await cursor.to_list(None)
        for document in found:
            place, answer = _read(document)
            if not await self._turns.is_there(place.owner, answer.id):
                await self._turns.close_exchange(place.owner, place.session_id, place, answer, retried=True)
                metrics.RECOVERED.inc()
            await self._drafts.delete_one({"_id": document["_id"], "at": document["at"]})
        return len(found)


def _key(place: Place, answer_id: str) -> str:
    """Two users may choose the same ids."""
    return scoped(answer_id, place.owner)


def _read(document: Document) -> tuple[Place, Turn]:
    answer = Turn(
        document["id"],
        "assistant",
        document["content"],
        document["timestamp"],
        turn_id=document["turn_id"],
        model=document["model"],
        interrupted=True,
    )
    return Place(**document["place"] | {"newest": ()}), answer
