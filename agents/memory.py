"""`Memory`: chat, search and add, a request from start to end. The Python API over core and agents."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from agents.chat import ChatRequest, Context, Emit, Exchanges, KeeperAgent, Keeping, Prompt, Toolbox
from agents.detached import Detached
from agents.events import Delta, Event, Finished, Started, coalesced
from agents.proxy import Proxy
from agents.tools import ToolMemory
from agents.upkeep import Nudge, Work
from config.recipes import OBSERVATIONS, SEARCH, Recipe
from memory.banks import Bank, BankType, BankUpdate, Updated
from memory.domain import Recall, Remembered, Turn
from memory.engine import Engine
from memory.facts import Decided, asks_not_to_keep, statement_to_remember
from memory.ids import user_of
from memory.observations import (
    CATEGORIES,
    FIL,
    Category,
    Consolidated,
    Extracted,
    Observation,
    Recalled,
    Scratchpad,
    SessionMessage,
    observed,
)
from memory.portable import Import
from memory.recall import Scope
from memory.turns import EVERYWHERE, Preferences, Project, Standpoint
from utils.errors import HAS_CONTROL_CHARACTERS, AnswerStopped, Conflict, InvalidInput
from utils.mongo import Document
from utils.text import CONTROL_CHARACTERS

T = TypeVar("T")
MakeToolbox = Callable[["Memory", ChatRequest], Toolbox | None]

# Who works on jobs of a kind; those of other kinds are found every few seconds.
WORKS: dict[str, Work] = {
    "embed": "embed",
    "facts": "learn",
    "summarise": "summarise",
    "title": "title",
    "observe": "observe",
}
PAUSED = 'The user has paused remembering: PATCH /v1/profile with {"paused": false} resumes it'


class Memory:
    """A chat backend that remembers. `engine`: the core beneath it, for everything but answering. `tool_memory`: what
    agents' tools gave. `proxy`: passes requests on to the model provider with memory; None where there is none.
    `anthropic`: the same to a provider that has Anthropic's API. `toolbox`: makes the tools that a model may use that
    answers; None where it has none. `defaults`: whose days are meant, and how dates and numbers are written, where
    neither a request or a message nor its user says so. `detached`: answers that go on whoever listens."""

    def __init__(
        self,
        engine: Engine,
        exchanges: Exchanges,
        keeping: Keeping,
        nudge: Nudge,
        tools: ToolMemory,
        proxy: Proxy | None = None,
        anthropic: Proxy | None = None,
        toolbox: MakeToolbox | None = None,
        defaults: Preferences | None = None,
    ) -> None:
        self.engine = engine
        self.timezone = defaults.timezone if defaults is not None else None
        self.locale = defaults.locale if defaults is not None else None
        self.tool_memory = tools
        self.proxy = proxy
        self.anthropic = anthropic
        self._exchanges = exchanges
        self._keeper = KeeperAgent(engine)
        self._keeping = keeping
        self._nudge = nudge
        self._toolbox = toolbox
        self.detached = Detached(self.stream, engine.chats.drafts)

    async def chat(self, request: ChatRequest) -> Finished:
        """Answers a request. The prompt is committed before a model is asked to answer it, the answer before it is
        returned."""
        context = await self._begun(request)
        return Finished(*await self._exchanges.answer(context))

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Event, None]:
        """Answers a request in events: one `Started`, deltas as the model gives them, one `Finished`.

        Closed early, it keeps what the answer had said so far, marked as interrupted. Raises `ModelError` where the
        model breaks off in the middle; that part is kept too.
        """
        pieces: asyncio.Queue[str | None] = asyncio.Queue()
        context = await self._begun(request, pieces.put)
        yield Started(context)
        task = asyncio.create_task(self._exchanges.answer(context))
        task.add_done_callback(lambda _: pieces.put_nowait(None))
        try:
            async with aclosing(coalesced(pieces)) as deltas:
                async for text in deltas:
                    yield Delta(text)
            yield Finished(*await task)
        except asyncio.CancelledError:
            if task.cancelled() and not (asyncio.current_task() or task).cancelling():
                raise AnswerStopped from None
            raise
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait([task])

    async def preview(self, request: ChatRequest) -> Prompt:
        """What a model would be sent for a request in a new conversation. Nothing of it is kept."""
        return await self._exchanges.preview(await self._placed(replace(request, temporary=True)))

    async def search(self, owner: str, query: str, recipe: Recipe = SEARCH, scope: Scope | None = None) -> Recall:
        """Recalls without answering."""
        scope = scope or Scope()
        if scope.timezone is None:
            scope = replace(scope, timezone=await self._zone(owner))
        return await self.engine.search.recall(owner, query, recipe, scope)

    async def add(
        self,
        owner: str,
        session_id: str,
        turns: Sequence[Turn],
        *,
        project: str | None = None,
        ids_are_new: bool = False,
        wait: bool = False,
    ) -> Remembered:
        """Remembers turns without answering. `project`: of the user's, that the session is in. `ids_are_new`: as
        `Turns.remember` has it. `wait`: return when all are embedded. Raises `Conflict` where the session is in another
        project, or the user has paused remembering."""
        at = await self.within(owner, project, session_id, making=True)
        if at.paused:
            raise Conflict(PAUSED)
        owner, zone = at.owner, at.timezone or self.timezone
        turns = [replace(turn, timezone=turn.timezone or zone, project=at.project) for turn in turns]
        remembered = await self.engine.chats.turns.remember(owner, session_id, turns, ids_are_new=ids_are_new)
        if wait:
            await self.engine.embed_all(owner, remembered.ids)
        else:
            self._nudge("embed")
        self._nudge("learn", "summarise")
        return remembered

    async def within(
        self, user: str, project: str | None = None, session_id: str | None = None, *, making: bool = False
    ) -> Standpoint:
        """From where a user asks who names a project, a session, both or neither: whose memory that is, and what holds
        there (`memory/turns/projects.py`)."""
        return await self.engine.chats.projects.standpoint(user, project, session_id, making=making)

    async def move(self, user: str, session_id: str, project: str | None) -> str:
        """Moves a session into a project, or out of any, with what was made of it; returns whose memory it is in then.
        Raises `NotFound`, and `Conflict` where an import of the user goes on."""
        target = await self._keeping.finish(self.engine.moving.session(user, session_id, project))
        return await self._moved(user, target)

    async def preferences(self, owner: str, changed: Document | None = None) -> Preferences:
        """What holds for a user in whatever project, after what is `changed` of it."""
        user, projects = user_of(owner), self.engine.chats.projects
        if changed:
            await projects.put(user, EVERYWHERE, changed)
        return await projects.preferences(user)

    async def put_project(self, user: str, name: str, fields: Document) -> Project:
        """Makes or changes a project, as `Moving.project` has it."""
        project = await self._keeping.finish(self.engine.moving.project(user, name, fields))
        return await self._moved(user, project) if "isolated" in fields else project

    async def _moved(self, user: str, done: T) -> T:
        await self.engine.store.idempotency.forget(user)  # answers under a key tell what was said
        self._nudge("embed", "learn", "summarise", "observe")
        return done

    async def learn(
        self, owner: str, text: str, memory_id: str = "default", *, timezone: str | None = None
    ) -> list[Decided]:
        """Makes facts of a text, as if the user had said it in a conversation, and reconciles them with those in
        force; keeps what it asks to remember. Raises `Conflict` where the user has paused remembering."""
        own = await self.preferences(owner)
        if own.paused:
            raise Conflict(PAUSED)
        zone = timezone or own.timezone or self.timezone
        learn = self.engine.knowledge.queue.learn
        decided = await self._then_embed(learn(owner, memory_id, text, zone))
        if not decided and (statement := statement_to_remember(text)) is not None:
            decided = await self._then_embed(learn(owner, memory_id, statement, zone))
        await self._keeper.keep_told(owner, text, [one.old for one in decided if one.old is not None])
        return decided

    async def observe(
        self,
        owner: str,
        source: str,
        *,
        findings: Sequence[str] = (),
        insights: Sequence[str] = (),
        lessons: Sequence[str] = (),
        messages: tuple[str, ...] = (),
    ) -> list[Observation]:
        """Remembers what was found, concluded or learned; in that order. The same of the same source is remembered
        once. `source`: where it comes from, such as "GOAL:deploy"; `messages`: ids of those that say so,
        with all of which it is forgotten. Raises `InvalidInput`, and then nothing is."""
        if any(map(CONTROL_CHARACTERS.search, (source, *findings, *insights, *lessons))):
            raise InvalidInput(HAS_CONTROL_CHARACTERS.format("an observation"))
        every = [replace(one, messages=messages) for one in observed(findings, insights, lessons)]
        kept, _ = await self._then_embed(self.engine.notes.observations.remember(owner, every, source))
        return kept

    async def recall_observations(
        self,
        owner: str,
        query: str,
        category: Category | None = None,
        *,
        limit: int = OBSERVATIONS.top_k,
        min_score: float = 0.0,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> list[Recalled]:
        """Observations whose words suit a query, best first; of one category, or of all. Scores are in 0..1."""
        recipe = replace(OBSERVATIONS, top_k=limit, floor=min_score)
        categories = CATEGORIES if category is None else (category,)
        return await self.engine.notes.observations.recall(
            owner, query, recipe, categories=categories, since=since, until=until
        )

    async def recall_fil(self, owner: str, query: str, limit_per_category: int = 5) -> FIL:
        """The findings, insights and lessons whose words suit a query, each best first."""
        return await self.engine.notes.observations.recall_fil(owner, query, limit_per_category)

    async def extract_observations(self, owner: str, step_name: str, step_type: str, output: str) -> Extracted:
        """Remembers what the output of a step tells, by a model or by rules."""
        return await self._then_embed(self.engine.notes.observer.extract(owner, step_name, step_type, output))

    async def consolidate(
        self, owner: str, session_id: str, messages: Sequence[SessionMessage] | None = None
    ) -> Consolidated:
        """Remembers what a session decided and learned, and what sums it up. `messages`: not given, all that are kept
        of it. Raises `NotFound` where there is no such session then."""
        return await self._then_embed(self.engine.notes.observer.consolidate(owner, session_id, messages))

    @property
    def scratchpad(self) -> Scratchpad:
        """Values that agents keep under keys for a while."""
        return self.engine.notes.scratchpad

    async def activate(
        self,
        owner: str,
        kind: BankType,
        name: str | None = None,
        path: str | None = None,
        description: str | None = None,
    ) -> Bank:
        """The memory bank of a project or a code base, by its name, its path, or both, or the global one; made where
        there is none, also where several others have the name or the path, which it tells."""
        return await self._then_embed(self.engine.library.banks.activate(owner, kind, name, path, description))

    async def update(
        self,
        owner: str,
        kind: BankType,
        bank_id: str,
        content: str,
        *,
        conversation_id: str | None = None,
        update_count: int | None = None,
        request: str | None = None,
    ) -> Updated:
        """Puts new content into a memory bank, where a model or rules say; one that is not there is made. Durable once
        it returns, and carried out, too, where the caller does not wait for it. `request`: names the request, so that
        it is carried out once within a day; so is a `conversation_id` with an `update_count`."""
        told = BankUpdate(kind, bank_id, content, conversation_id, update_count, request)
        return await self._then_embed(self._keeping.finish(self.engine.library.banks.update(owner, told)))

    @asynccontextmanager
    async def importing(self, owner: str) -> AsyncIterator[Import]:
        """Takes in what was exported (`memory/portable`). Once it ends, however it does, workers see to what came.
        Raises `Conflict` where another import of the owner goes on."""
        try:
            async with self.engine.importer.begin(owner) as begun:
                yield begun
            for project in begun.named:  # which may be isolated here, and was open there
                await self.engine.moving.settle(user_of(owner), project)
        finally:
            self._nudge("embed", "learn", "summarise", "observe")

    async def retry(self, kind: str, key: str | None = None) -> int:
        """Has a dead job done again, or all of a kind; returns how many. Raises `NotFound`, and `Conflict` where
        the one job is not dead."""
        if key is None:
            retried = await self.engine.oversight.jobs.retry_all(kind)
        else:
            await self.engine.oversight.jobs.retry(kind, key)
            retried = 1
        if retried and kind in WORKS:
            self._nudge(WORKS[kind])
        return retried

    async def _begun(self, request: ChatRequest, emit: Emit | None = None) -> Context:
        with self.engine.store.changes.looked_at_once():
            request = await self._placed(request)
            return await self._exchanges.begin(request, self._tools_for(request), emit)

    async def _placed(self, request: ChatRequest) -> ChatRequest:
        """With what holds where it is made, but for what it says itself."""
        self.engine.search.recaller.read_ahead(request.owner, request.asked)  # meanwhile
        if asks_not_to_keep(request.query):
            request = replace(request, temporary=True, use_memory=request.reads, goes_on=None, instead_of=None)
        at = await self.within(request.owner, request.project, request.session_id, making=not request.temporary)
        if at.paused:
            request = replace(request, temporary=True, paused=True, use_memory=request.reads)
            request = replace(request, goes_on=None, instead_of=None)
        return replace(
            request,
            owner=at.owner,
            project=at.project,
            standing=at.instructions,
            timezone=request.timezone or at.timezone or self.timezone,
            locale=request.locale or at.locale or self.locale,
        )

    async def _zone(self, owner: str) -> str | None:
        """The time zone of a user where a request names none."""
        return (await self.preferences(owner)).timezone or self.timezone

    async def _then_embed(self, work: Awaitable[T]) -> T:
        """What the work gives; whoever embeds is told that there may be something new."""
        done = await work
        self._nudge("embed")
        return done

    def nudge_embedding(self) -> None:
        """Tells that a gist may be there to be embedded."""
        self._nudge("embed")

    async def close(self) -> None:
        """Waits until everything that was begun is stored."""
        await self.detached.close()
        await self._keeping.close()
        for proxy in filter(None, (self.proxy, self.anthropic)):
            await proxy.upstream.close()

    def _tools_for(self, request: ChatRequest) -> Toolbox | None:
        return self._toolbox(self, request) if self._toolbox is not None else None
