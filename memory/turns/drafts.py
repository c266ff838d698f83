"""Drafts: answers that are still coming, as far as they have come, and what a process that died had said. One of which
nothing has come yet tells others that it is under way."""

import logging
from dataclasses import fields
from datetime import timedelta

from pymongo.errors import PyMongoError

from memory import metrics
from memory.domain import Turn
from memory.ids import response_id, scoped
from memory.store import Collections
from memory.turns.places import Place
from memory.turns.turns import Turns
from utils.clock import now
from utils.mongo import Document, as_loci_error

ABANDONED = timedelta(seconds=10)  # a draft whose process has not written it for so long is nobody's
BATCH = 100
PLACE = [field.name for field in fields(Place) if field.name != "newest"]
TRIES = 5  # to keep a draft, `ABANDONED` apart; after the last it is dropped

log = logging.getLogger(__name__)


class Drafts:
    """One document for each answer under way that takes longer than a moment. It is gone once the answer is kept."""

    def __init__(self, collections: Collections, turns: Turns) -> None:
        self._drafts = collections.drafts
        self._turns = turns

    async def save(self, place: Place, answer: Turn) -> bool:
        """Commits what an answer has said so far; returns whether somebody wants it to stop. To be called again at
        least every few seconds while it goes on."""
        document = {
            "user_id": place.owner,
            "session_id": place.session_id,
            "place": {name: getattr(place, name) for name in PLACE},
            "turn_id": answer.turn_id,
            "id": answer.id,
            "content": answer.content,
            "model": answer.model,
            "timestamp": answer.timestamp,
            "stating": answer.proxied,
            "timezone": answer.timezone,
            "follows": answer.follows,
            "at": now(),
        }
        found = await self._drafts.find_one_and_update(
            {"_id": _key(place.owner, answer.id)}, {"$set": document}, {"stop": 1}, upsert=True
        )
        metrics.DRAFTS.inc()
        return found is not None and "stop" in found

    async def so_far(self, owner: str, turn_id: str) -> str | None:
        """What an answer under way has said; None where there is no draft of it."""
        draft = await self._drafts.find_one({"_id": _key(owner, response_id(turn_id))}, {"content": 1})
        return None if draft is None else str(draft["content"])

    async def of_session(self, owner: str, session_id: str) -> list[str]:
        """`turn_id` of the answers under way in a session."""
        drafts = self._drafts.find({"user_id": owner, "session_id": session_id}, {"turn_id": 1})
        return [draft["turn_id"] for draft in await drafts.to_list(None)]

    async def stop(self, owner: str, turn_id: str) -> bool:
        """Asks the process that gives an answer to stop it; returns whether there is one."""
        draft = {"_id": _key(owner, response_id(turn_id)), "stating": False}  # a client of the proxy hangs up instead
        return (await self._drafts.update_one(draft, {"$set": {"stop": True}})).matched_count > 0

    async def drop(self, place: Place, answer_id: str) -> None:
        """Deletes a draft whose answer is kept."""
        await self._drafts.delete_one({"_id": _key(place.owner, answer_id)})

    async def recover(self) -> int:
        """Keeps what abandoned answers had said, marked as interrupted; returns how many. Safe to run twice at once.

        One that cannot be kept holds nobody up. Raises what the driver raises where the store is away.
        """
        cursor = self._drafts.find({"at": {"$lt": now() - ABANDONED}}).sort([("at", 1), ("_id", 1)]).limit(BATCH)
        recovered = 0
        for document in await cursor.to_list(None):
            try:
                await self._keep(document)
                recovered += 1
            except Exception as error:
                if isinstance(error, PyMongoError) and as_loci_error(error) is not None:
                    raise
                await self._put_back(document, type(error).__name__)
        return recovered

    async def _keep(self, document: Document) -> None:
        place, answer = _read(document)
        if answer.content and not await self._turns.is_there(place.owner, answer.id):
            await self._turns.close_exchange(place.owner, place.session_id, place, answer, retried=True)
            metrics.RECOVERED.inc()
        await self._drafts.delete_one(_same(document))

    async def _put_back(self, document: Document, error: str) -> None:
        """Leaves a draft that could not be kept for later, or drops it after the last try."""
        tries = document.get("tries", 0) + 1
        whose = tuple(document.get(name) for name in ("user_id", "session_id", "turn_id"))
        if tries < TRIES:
            log.warning("a draft of user %s, session %s, exchange %s was not kept: %s", *whose, error)
            await self._drafts.update_one(_same(document), {"$set": {"tries": tries, "at": now()}})
        else:
            log.error("a draft of user %s, session %s, exchange %s cannot be kept, and is lost: %s", *whose, error)
            await self._drafts.delete_one(_same(document))


def _key(owner: str, answer_id: str) -> str:
    """Two users may choose the same ids."""
    return scoped(answer_id, owner)


def _same(document: Document) -> Document:
    """The filter of a draft that nobody has written since it was read."""
    return {"_id": document["_id"], "at": document["at"]}


def _read(document: Document) -> tuple[Place, Turn]:
    answer = Turn(
        document["id"],
        "assistant",
        document["content"],
        document["timestamp"],
        turn_id=document["turn_id"],
        model=document["model"],
        interrupted=True,
        proxied=document.get("stating", False),
        timezone=document.get("timezone"),
        follows=document.get("follows"),
    )
    kept = document["place"]  # one of an earlier build has others
    place = {name: kept[name] for name in PLACE if name in kept}
    return Place(**place), answer
