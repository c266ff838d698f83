"""Eviction: of a conversation with too many messages, those go that were said first and recalled least."""

import logging
from collections.abc import Sequence
from typing import Any

from memory import metrics
from memory.gists import GistEraser
from memory.store import Collections
from memory.turns.sessions import Sessions

LEARNED = {"facts.state": {"$nin": ["pending", "leased"]}}  # from which nothing is to be learned any more

log = logging.getLogger(__name__)


class Eviction:
    """Keeps conversations to `most` messages; 0 for any number. The newer half of them is never dropped, nor are facts
    in force, which stand for themselves. Nor is a message whose facts are still to be made: while nobody makes them, a
    conversation grows."""

    def __init__(self, collections: Collections, eraser: GistEraser, sessions: Sessions, most: int) -> None:
        self._vectors = collections.vectors
        self._eraser = eraser
        self._sessions = sessions
        self._most = most

    async def note_use(self, owner: str, keys: Sequence[str]) -> None:
        """Counts that gists, by their `_id`s, were recalled."""
        if self._most and keys:
            used = {"_id": {"$in": list(keys)}, "user_id": owner}
            await self._vectors.update_many(used, {"$inc": {"used": 1}})

    async def run(self, owner: str, session_id: str) -> int:
        """Drops what a conversation has too much; returns how many messages."""
        if not self._most:
            return 0
        total = 0
        try:
            while (dropped := await self._drop_some(owner, session_id)) is not None:
                total += dropped
        finally:
            if total:
                metrics.DROPPED.inc(total)
                await self._sessions.recount(owner, session_id)
        return total

    async def _drop_some(self, owner: str, session_id: str) -> int | None:
        """Drops what there is too much, but for what others may be dropping; returns how many messages, None where
        none may go."""
        own: dict[str, Any] = {"user_id": owner, "session_id": session_id, "message_index": {"$gte": 0}}
        over = await self._over(own)
        if over <= 0:
            return None
        newer = self._vectors.find(own, {"message_index": 1}).sort("message_index", -1)
        newest_old = await newer.skip(self._most // 2).limit(1).to_list(None)
        if not newest_old:  # a deletion came between
            return None
        old = own | LEARNED | {"message_index": {"$gte": 0, "$lte": newest_old[0]["message_index"]}}
        order = [("used", 1), ("message_index", 1)]
        candidates = await self._vectors.find(old, {"_id": 1}).sort(order).limit(over).to_list(None)
        if not candidates:
            return None
        # Others drop in the same order: what they took meanwhile is among the first of these, or fewer are over by now.
        ids = [document["_id"] for document in candidates[: max(0, await self._over(own))]]
        dropped = await self._eraser.erase(owner, {"_id": {"$in": ids}, "user_id": owner, **LEARNED}) if ids else 0
        if dropped:
            log.info("dropped %d messages of a conversation over its %d: %s", dropped, self._most, ", ".join(ids))
        return dropped

    async def _over(self, own: dict[str, Any]) -> int:
        """How many messages a conversation has too much; none where that is below 1."""
        return int(await self._vectors.count_documents(own)) - self._most
