"""Writings: what is written of a conversation beside its facts: a title, summaries, a digest."""

from collections.abc import Sequence
from functools import partial
from typing import Literal

from memory.store import Collections
from memory.turns.digest import Digests
from memory.turns.eviction import Eviction
from memory.turns.places import Place, Places
from memory.turns.summaries import Summaries
from memory.turns.titles import Titles
from utils.mongo import Document
from utils.one_call import Work
from utils.tasks import each


class Writings:
    """Each has a job of its own; those of a conversation may go along with its facts."""

    def __init__(
        self,
        collections: Collections,
        places: Places,
        titles: Titles,
        summaries: Summaries,
        digests: Digests,
        eviction: Eviction,
    ) -> None:
        self._sessions = collections.sessions
        self._places = places
        self._titles = titles
        self._summaries = summaries
        self._digests = digests
        self._eviction = eviction

    async def due(self, message: Document) -> Sequence[Work[object]]:
        """What is due in the conversation of a message."""
        owner, session_id = message["user_id"], message["session_id"]
        jobs = {"naming.state": 1, "summary.state": 1}
        session = await self._sessions.find_one({"user_id": owner, "session_id": session_id}, jobs) or {}
        works: list[Work[object]] = []
        for field, work in (("naming", self._titles.work), ("summary", self._summaries.work)):
            if session.get(field, {}).get("state") == "pending":
                works.append(partial(work, key=session["_id"]))
        if message.get("proxied"):
            works.append(partial(self._digests.extend, owner, session_id))
        return works

    def by_themselves(self, place: Place) -> Sequence[Literal["summarise"]]:
        """What is to be written after the answer to a prompt at a place that nothing else comes with: by rules, a
        summary; what a model writes goes along with facts."""
        return ("summarise",) if self._places.is_due(place) and not self._summaries.by_model else ()

    async def follow(self, owner: str, session_id: str) -> None:
        """What follows once messages of a conversation of the proxy are settled."""
        await self._digests.extend(owner, session_id)
        await self._eviction.run(owner, session_id)

    async def work(self) -> None:
        """Writes what is due and did not go along with facts."""
        await each([self._summaries.work, self._titles.work])
