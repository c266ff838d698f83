"""Findings, insights and lessons, remembered once and recalled by their words."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from config.recipes import OBSERVATIONS, Recipe
from memory import metrics
from memory.observations.observation import (
    CATEGORIES,
    FIL,
    Category,
    Observation,
    Observed,
    Recalled,
    check,
    observation_id,
    source_of_session,
)
from memory.observations.store import ObservationStore, document_of
from memory.recall import Scope, WordSearch
from utils.clock import now
from utils.errors import NotFound
from utils.vectors import Floats


class Observations:
    """The observations of users. They never change; the same again is the same one."""

    def __init__(self, store: ObservationStore, search: WordSearch) -> None:
        self._store = store
        self._search = search

    async def remember(
        self, owner: str, observed: Sequence[Observed], source: str, *, model: str | None = None
    ) -> tuple[list[Observation], int]:
        """Commits observations of one source; returns them in their order, and how many are new. What was remembered
        of the same category, content and source before is that one.

        `model`: who found them in a text. Raises `InvalidInput` where one of them cannot be remembered; none is then.
        """
        for one in observed:
            check(one, source)
        moment = now()
        made: dict[str, Observation] = {}
        messages: dict[str, dict[str, None]] = {}
        ids = [observation_id(owner, one, source) for one in observed]
        for identifier, one in zip(ids, observed, strict=True):
            made.setdefault(identifier, Observation(identifier, one.category, one.content, source, moment, model))
            messages.setdefault(identifier, {}).update(dict.fromkeys(one.messages))
        if not made:
            return [], 0
        documents = [document_of(owner, each, list(messages[each.id])) for each in made.values()]
        new = await self._store.insert(owner, documents)
        for identifier in new:
            metrics.OBSERVATIONS.labels(made[identifier].category).inc()
        if len(new) < len(made):
            made |= await self._store.find(owner, [identifier for identifier in made if identifier not in new])
        return [made[identifier] for identifier in ids], len(new)

    async def get(self, owner: str, observation_id: str) -> Observation:
        """Raises `NotFound`."""
        found = await self._store.find(owner, [observation_id])
        if not found:
            raise NotFound("No such observation")
        return found[observation_id]

    async def page(
        self,
        owner: str,
        *,
        limit: int,
        after: tuple[datetime, str] | None = None,
        category: Category | None = None,
        source: str | None = None,
    ) -> list[tuple[Observation, str]]:
        """Observations, newest first, each with its `_id`. `after`: `created_at` and `_id` of the last one seen."""
        filter: dict[str, Any] = {"user_id": owner}
        if category is not None:
            filter["category"] = category
        if source is not None:
            filter["source"] = source
        if after is not None:
            moment, key = after
            filter["$or"] = [{"created_at": {"$lt": moment}}, {"created_at": moment, "_id": {"$lt": key}}]
        return [(one, one.id) for one in await self._store.page(filter, limit)]

    async def has_any(self, owner: str) -> bool:
        """Whether a user has observations: one small read, where a search would keep an index up to date."""
        return await self._store.has_any(owner)

    async def recall(
        self,
        owner: str,
        query: str,
        recipe: Recipe = OBSERVATIONS,
        *,
        categories: Sequence[Category] = CATEGORIES,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> list[Recalled]:
        """The observations of some categories whose words suit a query, best first. A score depends on all that the
        owner has, not on what else is left out, so those of different categories can be compared."""
        scope = Scope(
            kinds=tuple(categories),
            since=since.timestamp() if since else None,
            until=until.timestamp() if until else None,
        )
        hits = (await self._search.recall(owner, query, recipe, scope)).hits
        found = await self._store.find(owner, [hit.gist.id for hit in hits])
        return [Recalled(found[hit.gist.id], hit.score) for hit in hits if hit.gist.id in found]

    async def with_likeness(
        self, owner: str, recalled: Sequence[Recalled], vector: Floats, model: str
    ) -> list[Recalled]:
        """Observations with their likeness to a query, whose embedding by a model is `vector`."""
        known = await self._store.embeddings(owner, [one.observation.id for one in recalled], model)
        alike = {one: float(embedding @ vector) for one, embedding in known.items() if len(embedding) == len(vector)}
        return [replace(one, likeness=alike.get(one.observation.id, 0.0)) for one in recalled]

    async def recall_fil(self, owner: str, query: str, limit: int) -> FIL:
        """The best of each category, at most `limit` of each, no text twice."""
        recipe = replace(OBSERVATIONS, top_k=limit, distinct=True)
        every = (self.recall(owner, query, recipe, categories=(category,)) for category in CATEGORIES)
        return FIL(*map(tuple, await asyncio.gather(*every)))

    async def delete(self, owner: str, observation_id: str) -> None:
        """Raises `NotFound` where there is none."""
        if not await self._store.delete(owner, {"_id": observation_id}):
            raise NotFound("No such observation")

    async def take_back(self, owner: str, ids: Sequence[str]) -> None:
        """Deletes what came too late."""
        await self._store.delete(owner, {"_id": {"$in": list(ids)}})

    async def forget_session(self, owner: str, session_id: str, moment: datetime) -> int:
        """Deletes what came of a session until a moment; returns how many."""
        own = {"source": source_of_session(session_id), "created_at": {"$lte": moment}}
        return await self._store.delete(owner, own)

    async def forget_message(self, owner: str, message_id: str) -> int:
        """Deletes what a message alone says; returns how many."""
        return await self._store.drop_message(owner, message_id)

    async def forget(self, owner: str, moment: datetime) -> int:
        """Deletes all of a user's until a moment; returns how many."""
        return await self._store.delete(owner, {"created_at": {"$lte": moment}})

    async def mend(self) -> None:
        """Ends what a crash cut short."""
        await self._store.mend()
