"""Which of a task's records suit a query?"""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from time import monotonic

from config.recipes import TOOL_MEMORY, Recipe
from memory.domain import Recall
from memory.engine import WAIT_STEP, Engine
from memory.recall import Scope
from memory.traces import INSIGHT, Called, Task, Trace, place_of, shares, words_of_each, words_sought
from utils.errors import ModelError

LOOKED_AT = 20_000_000  # characters of the newest records in which words of a query are looked for
WAITED = 3.0  # seconds for the embeddings of records that another process kept
MOST_GIVEN_UP = 10_000  # of these, that are not waited for again

log = logging.getLogger("MemoryBankStrategy")
retrieval = logging.getLogger("Retrieval")
stored = logging.getLogger("InsightStore")


@dataclass(frozen=True)
class FoundRecord:
    """A record that a search found. `score`: 0..1."""

    trace_id: str
    summary: str
    score: float
    timestamp: datetime


class TaskSearch:
    """Searches of what tools gave in a task, by an engine's recall."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._traces = engine.tools.traces
        self._told = False  # which model embeds
        self._given_up: frozenset[str] = frozenset()  # keys of what was waited for in vain

    def tell_model(self) -> None:
        """Logs which model embeds, when it is first used."""
        if not self._told:
            log.info("Loading embedding model: %s", self._engine.gists.embedder.model)
        self._told = True

    async def insights(
        self,
        owner: str,
        task_id: str,
        query: str,
        recipe: Recipe = TOOL_MEMORY,
        among: frozenset[str] | None = None,
    ) -> Recall:
        """The insights of a task that suit a query best; `among`: of these alone, by their keys.

        Raises `ModelError` where the query cannot be embedded.
        """
        self.tell_model()
        scope = Scope(place_of(task_id), only_session=True, kinds=(INSIGHT,), among=among)
        found = await self._engine.search.recall(owner, query, recipe, scope)
        stored.debug("Found %d insights", len(found.hits))
        return found

    async def records(self, owner: str, task_id: str, query: str, top_k: int) -> list[FoundRecord]:
        """The records of a task that suit a query best, best first: by what is noted of them, or by the words of the
        query that they have, of which those weigh more that few records have. Of what came back, `LOOKED_AT`
        characters of the newest records are looked at.

        Raises `ModelError` where the query cannot be embedded.
        """
        recalled = await self.insights(owner, task_id, query, replace(TOOL_MEMORY, top_k=top_k))
        found = {
            hit.gist.id: FoundRecord(hit.gist.id, hit.gist.content, hit.score, hit.gist.timestamp)
            for hit in recalled.hits
        }
        words = words_sought(query)
        told: dict[str, frozenset[str]] = {}
        traces: dict[str, FoundRecord] = {}
        async for batch in self._traces.with_truth(owner, task_id, LOOKED_AT):
            told |= await asyncio.to_thread(words_of_each, batch, words)
            traces |= {one.id: FoundRecord(one.id, one.summary, 0.0, one.timestamp) for one in batch}
        for trace_id, share in shares(told, words).items():
            known = found.get(trace_id, traces[trace_id])
            found[trace_id] = replace(known, score=max(known.score, share))
        return sorted(found.values(), key=lambda one: -one.score)[:top_k]

    async def ranked(
        self, task: Task, query: str, known: Mapping[str, Trace], calls: Sequence[Called]
    ) -> tuple[str, ...]:
        """The ids of the `known` records of a task and of those of `calls`, the most relevant first; none, with a
        warning, where the query cannot be embedded."""
        await self._embed(task, known, calls)
        among = self._traces.insights_of(task, known.values(), calls)
        every = replace(TOOL_MEMORY, top_k=len(among))
        try:
            found = await self.insights(task.owner, task.id, query, every, among)
        except ModelError as error:
            retrieval.warning("records are not ranked: %s", error.detail)
            return ()
        retrieval.debug("Ranked %d records", len(found.hits))
        return tuple(hit.gist.id for hit in found.hits)

    async def _embed(self, task: Task, known: Mapping[str, Trace], calls: Sequence[Called]) -> None:
        """Returns when what is to be ranked is embedded, by this process or another, so that each ranks the same.
        What takes longer than `WAITED` seconds is not waited for again: who was to embed it may have died."""
        end = monotonic() + WAITED
        while waiting := await self._traces.not_embedded(task, known.values(), calls) - self._given_up:
            if monotonic() >= end:
                self._given_up = frozenset(waiting if len(self._given_up) > MOST_GIVEN_UP else self._given_up | waiting)
            elif not await self._engine.gists.queue.step():
                await asyncio.sleep(WAIT_STEP)
