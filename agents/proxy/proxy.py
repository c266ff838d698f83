"""The proxy: a request to another model gains memory on its way, and what is said is remembered.

The user's message is committed before the model is asked, and what memory knows of it is put before it, as quoted data;
all else goes through as it came. The answer is remembered as it comes.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from agents.chat import (
    SAID_ANEW,
    SEARCHED_BY,
    Drafting,
    KeeperAgent,
    Keeping,
    PromptSection,
    dated,
    days_of,
    ledger_of,
    newest_first_of_each_subject,
    quoted,
    said_anew,
    settled,
)
from agents.openai_chat import (
    DONE,
    choices_of,
    event_of,
    memory_hits,
    newest_user,
    parsed,
    storable,
    text_of,
    with_text_before,
    written,
)
from agents.proxy.answer import ProxiedAnswer
from agents.proxy.request import Proxied, ProxyRequest
from agents.proxy.transcript import News, keep_earlier, news_of
from agents.tools import Compressing, ToolMemory, ViewOptions
from agents.upkeep import Nudge
from config.prompts import prompt
from config.recipes import PROXY
from memory.domain import Candidate, Hit, Recall, Turn
from memory.engine import Engine
from memory.facts import statement_to_remember
from memory.ids import prompt_id, response_id, scoped
from memory.recall import Scope
from memory.turns import Place, Receipt, Used, left_out_of, numbers_of
from utils.clock import at_home, now
from utils.errors import LociError, ModelError, ModelGarbage, ModelUnavailable, ProviderError
from utils.fields import CONTENT_CHARACTERS
from utils.mongo import StoreError, as_loci_error
from utils.text import count_tokens, on_one_line
from utils.thoughts import without_thoughts
from utils.upstream import Passed, Upstream

SENT_ALONG = 50  # newest messages of a request that need not be told again
MEDIA_TYPE = "application/json"
QUOTED = 1_000  # characters of a memory that is told
NAME = 60  # of who said it
SUMMARY = 2_000  # of the conversation's summary

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Opened:
    """The user's message as it is kept. `place`: None where an answer alone is remembered, or nothing. `resumed`: an
    earlier request began it."""

    turn_id: str
    query: str = ""
    place: Place | None = None
    resumed: bool = False


@dataclass(frozen=True)
class _Known:
    """What memory knows of it. `fresh`: what was recalled that the request does not bring along; `given`: the best of
    it, which stand in the prompt, as `injected`."""

    recall: Recall = field(default_factory=Recall)
    fresh: tuple[Hit, ...] = ()
    given: tuple[Hit, ...] = ()
    injected: str = ""


@dataclass(frozen=True)
class _Exchange:
    """A request that is under way. `answer`: reads what the provider says as it goes by."""

    request: ProxyRequest
    opened: _Opened
    known: _Known
    answer: ProxiedAnswer = field(default_factory=ProxiedAnswer)

    def turn(self) -> Turn:
        """The answer as far as it has come."""
        return Turn(
            response_id(self.opened.turn_id),
            "assistant",
            without_thoughts(storable(self.answer.text)),
            now(),
            turn_id=self.opened.turn_id,
            model=self.answer.model or None,
            interrupted=not self.answer.whole,
            proxied=True,
            timezone=self.request.options.timezone,
        )


class Proxy:
    """Chat completions of the provider behind it, with memory."""

    def __init__(self, engine: Engine, keeping: Keeping, upstream: Upstream, nudge: Nudge, tools: ToolMemory) -> None:
        """`upstream`: closed by whoever made it, once all that was begun is kept."""
        self.upstream = upstream
        self._keeper = KeeperAgent(engine)
        self._keeping = keeping
        self._tools = tools
        self._engine = engine
        self._nudge = nudge

    async def complete(self, request: ProxyRequest) -> Proxied:
        """Passes a request on, and the answer back.

        The user's message is committed before the model is asked, a whole answer before it is returned, a streamed one
        before its last event is. Raises `ModelUnavailable` where the provider cannot be reached, `ModelSilent` where
        it does not begin to answer, and `ModelGarbage` where it answers something else; an error that it answers with
        is returned as it came.
        """
        exchange = await self._prepare(request)
        body = await self._body(exchange)
        passed = await self.upstream.send(
            "POST",
            "/chat/completions",
            body=body,
            headers=request.headers,
            query=request.query,
            bearer=request.bearer,
        )
        if passed.is_stream:
            await passed.begin()
            stream = self._streamed(exchange, passed)
            return Proxied(passed.status, passed.headers, passed.media_type, stream, exchange.opened.turn_id)
        content = await self._whole(exchange, passed)
        return Proxied(passed.status, passed.headers, MEDIA_TYPE, content, exchange.opened.turn_id)

    async def _body(self, exchange: _Exchange) -> bytes:
        """What the provider gets: the request as it came, with what memory knows, or with its history compressed."""
        request = exchange.request
        if request.options.compresses:
            view = await self._tools.compress(_compressing(request, self._tools.options))
            return written(request.body | {"messages": view.messages})
        if exchange.known.injected:
            return written(_with_memory(request.body, exchange.known.injected))
        return request.raw if request.raw is not None else written(request.body)

    async def _prepare(self, request: ProxyRequest) -> _Exchange:
        """Commits the user's message, and meanwhile finds what memory knows of it."""
        messages, turn_id = request.body["messages"], request.once or request.turn_id
        at = newest_user(messages)
        if at is None:
            return _Exchange(request, _Opened(turn_id), _Known())
        content = messages[at].get("content")
        asked = storable(text_of(content))[:SEARCHED_BY]
        self._engine.gists.encoder.read_ahead(asked)
        await asyncio.sleep(0)  # the encoder takes longest, and has begun by now
        reading = asyncio.create_task(self._remembered(request, turn_id, asked))
        opening = self._keeping.start(self._open(request, turn_id))
        await asyncio.shield(asyncio.wait([opening, reading]))
        return _Exchange(request, opening.result(), reading.result())

    async def _open(self, request: ProxyRequest, turn_id: str) -> _Opened:
        """Commits what the user says that is new, and finds the place of the exchange: that of an earlier one, where
        the model goes on with it."""
        turns, owner, session = self._engine.chats.turns, request.owner, request.options.memory_id
        messages = request.body["messages"]
        news = News() if request.options.temporary else await news_of(self._engine, owner, session, messages)
        at = newest_user(messages)
        if news.is_new and at is not None and len(text_of(messages[at].get("content"))) > CONTENT_CHARACTERS:
            log.warning("of a message of the user's, the first %s characters are remembered", f"{CONTENT_CHARACTERS:,}")
        opened = _Opened(turn_id, news.newest)
        if news.newest and (request.retried or not news.is_new):
            earlier = await turns.last_exchange(owner, session, news.newest, answered=request.retried)
            if earlier is not None:
                turn_id, place = earlier
                return _Opened(turn_id, news.newest, place, resumed=True)
        await keep_earlier(self._engine, owner, request.options, turn_id, news)
        if not news.newest or not news.is_new:
            return opened
        said = request.options.said(prompt_id(turn_id), news.newest, turn_id)
        place = await turns.open_exchange(owner, session, said, retried=request.once is not None)
        if (statement := statement_to_remember(news.newest)) is not None:
            await self._keeper.keep(owner, statement, said.id)
        return replace(opened, place=place)

    async def _remembered(self, request: ProxyRequest, turn_id: str, text: str) -> _Known:
        """What memory knows; nothing where the query cannot be embedded, which the log tells."""
        owner, options, engine = request.owner, request.options, self._engine
        if not options.reads or not text.strip():
            return _Known()
        own = prompt_id(turn_id), response_id(turn_id)
        keys = frozenset((*own, *(scoped(identifier, owner) for identifier in own)))
        messages = request.body["messages"]
        sent = {on_one_line(text_of(message.get("content"))) for message in messages[-SENT_ALONG:]}
        recipe = options.recipe
        wider = replace(recipe, top_k=recipe.top_k + len(sent))
        scope = Scope(options.memory_id, exclude=keys, timezone=options.timezone)
        try:
            recall, digest = await asyncio.gather(
                engine.search.recall(owner, text, wider, scope),
                engine.chats.digests.dated(owner, options.memory_id),
            )
        except ModelError as error:
            log.warning("no memory for a proxied request: %s", error.detail)
            return _Known()
        fresh = tuple(hit for hit in recall.hits if on_one_line(hit.gist.content) not in sent)
        given = fresh[: recipe.top_k]
        changed = await engine.knowledge.superseded.by_messages(owner, [hit.gist.id for hit in given])
        return _Known(recall, fresh, given, _memory_block(given, digest, changed, options.timezone))

    async def _whole(self, exchange: _Exchange, passed: Passed) -> bytes:
        """The body of an answer that was not streamed, in OpenAI's shape, be it an error."""
        raw = await passed.read()
        answer = parsed(raw)
        if passed.status >= 300 or not isinstance(answer, dict):
            if isinstance(answer, dict) and passed.status >= 400:
                return raw
            if passed.status >= 300:
                raise ProviderError(passed.status)
            raise ModelGarbage("The model's answer is not a chat completion")
        if not choices_of(answer) and not answer.get("error"):
            raise ModelGarbage("The model's answer has no choices")
        exchange.answer.read(answer)
        exchange.answer.finish()
        await self._keeping.finish(self._keep(exchange))
        return written(answer | {"memory_hits": memory_hits(exchange.known.given)})

    async def _streamed(self, exchange: _Exchange, passed: Passed) -> AsyncGenerator[bytes, None]:
        """The events as they come; the last one only when the answer is kept."""
        answer, place = exchange.answer, exchange.opened.place
        drafting = Drafting(self._engine.chats.drafts, place, exchange.turn) if place is not None else None
        keeping: asyncio.Task[None] | None = None
        try:
            async with aclosing(passed.events()) as events, aclosing(answer.passed_on(events)) as stream:
                async for event in stream:
                    yield event
        except ModelUnavailable as error:
            yield event_of(_error(error))
        finally:
            await passed.close()
            keeping = self._keeping.start(self._keep(exchange, drafting))
        if not answer.ended:
            return
        try:
            await asyncio.shield(keeping)
        except (LociError, StoreError) as error:
            yield event_of(_error(error))
            return
        yield event_of(answer.last | {"memory_hits": memory_hits(exchange.known.given)})
        yield b"data: " + DONE + b"\n\n"

    async def _keep(self, exchange: _Exchange, drafting: Drafting | None = None) -> None:
        """Commits an answer, lets go of the draft of it, has its receipt follow, and asks for what is due after it."""
        turn, opened, owner = exchange.turn(), exchange.opened, exchange.request.owner
        async with settled(drafting) as drafted:
            place = await self._commit(exchange, turn, drafted=drafted)
        if place is None:
            return
        self._engine.gists.encoder.read_ahead(turn.content)
        receipts = self._engine.chats.receipts
        committed = [turn.id] if opened.place is None else [prompt_id(opened.turn_id), turn.id]
        writing = self._keeping.start(receipts.keep_after(owner, lambda: _receipt(exchange, turn), committed))
        receipts.expect(owner, opened.turn_id, writing)
        await self._engine.chats.eviction.note_use(owner, [hit.gist.key for hit in exchange.known.given])
        self._nudge("embed", "learn")
        if self._engine.chats.places.is_due(place):
            self._nudge("summarise")
        if self._engine.chats.places.is_titled(place):
            self._nudge("title")

    async def _commit(self, exchange: _Exchange, turn: Turn, *, drafted: bool) -> Place | None:
        """The place of the answer; None where it is not kept. A call of tools is not: the answer that follows it takes
        its place."""
        request, opened, turns = exchange.request, exchange.opened, self._engine.chats.turns
        owner, session = request.owner, request.options.memory_id
        if not opened.query or not turn.content.strip() or exchange.answer.calls:
            return None
        if opened.place is None:
            await turns.remember(owner, session, [replace(turn, turn_id=None)])
            return await self._engine.chats.places.place(owner, session)  # None where it was deleted at once
        again = drafted or opened.resumed or request.once is not None
        kept = await turns.close_exchange(owner, session, opened.place, turn, retried=again)
        return opened.place if kept else None


def _memory_block(
    hits: Sequence[Hit], digest: tuple[str, datetime | None], changed: Mapping[str, Sequence[str]], timezone: str | None
) -> str:
    """The summary, then the memories, most relevant first; nothing where no memory suits the message.

    `changed`: by the ids of messages, the facts that replaced what they state; none where it merely ended.
    """
    if not hits:
        return ""
    text, at = digest
    day = f", {at_home(at, timezone):%Y-%m-%d}" if at else ""
    summary = f"\nSummary of this conversation{day}: {quoted(text, SUMMARY)}\n" if text else ""
    told = {hit.gist.key: at_home(hit.gist.timestamp, hit.gist.timezone or timezone) for hit in hits}
    days = days_of(told.values())
    anew = said_anew(hits)
    lines = [
        _line(hit, dated(told[hit.gist.key], days), changed.get(hit.gist.id), anew=hit.gist.key in anew)
        for hit in newest_first_of_each_subject(hits)
    ]
    memories = "\nMost relevant first, of one subject the newest first:\n" + "".join(lines)
    return prompt("proxy_memory").substitute(summary=summary, memories=memories) + "\n\n"


def _line(hit: Hit, day: str, changed: Sequence[str] | None, *, anew: bool) -> str:
    label = quoted(hit.gist.name or hit.gist.role, NAME)
    later = f" ({SAID_ANEW})" if anew else ""
    if changed is not None:
        later = f" (since then: {quoted(' '.join(changed), QUOTED)})" if changed else " (this holds no longer)"
    return f"[{label}, {day}] {quoted(hit.text, QUOTED)}{later}\n"


def _with_memory(body: Mapping[str, Any], memory: str) -> dict[str, Any]:
    """The request with memory before the user's last message. All before that stays as it was, for the sake of the
    provider's cache of prompts."""
    messages = list(body["messages"])
    at = newest_user(messages)
    if at is None:
        return dict(body)
    messages[at] = {**messages[at], "content": with_text_before(messages[at].get("content"), memory)}
    return {**body, "messages": messages}


def _compressing(request: ProxyRequest, options: ViewOptions) -> Compressing:
    """The conversation is the task, and its history comes whole: what else is known of other tasks stays out of it."""
    top_k = request.options.top_k or options.top_k
    messages = tuple(request.body["messages"])
    chosen = replace(options, top_k=top_k)
    return Compressing(request.owner, request.options.memory_id, messages, chosen, sent_alone=True)


def _error(error: LociError | StoreError) -> dict[str, Any]:
    known = error if isinstance(error, LociError) else as_loci_error(error)
    detail = "The answer could not be stored" if known is None else known.detail
    return {"error": {"message": detail, "type": "server_error", "param": None, "code": None}}


def _considered(known: _Known) -> tuple[Candidate, ...]:
    """What the search looked at. It looked for more than were asked for, as some may have been sent along."""
    given = {hit.gist.key for hit in known.given}
    fresh = {hit.gist.key for hit in known.fresh}

    def judged(candidate: Candidate) -> Candidate:
        if candidate.dropped is not None or candidate.key in given:
            return candidate
        return candidate._replace(dropped="top_k" if candidate.key in fresh else "sent_along")

    return tuple(map(judged, known.recall.considered))


def _receipt(exchange: _Exchange, turn: Turn) -> Receipt:
    request, opened, known, answer = exchange.request, exchange.opened, exchange.known, exchange.answer
    sent = "".join(text_of(message.get("content")) for message in request.body["messages"])
    sections = [PromptSection("memory", known.injected), PromptSection("messages", sent)]
    ledger = ledger_of(sections, answer.prompt_tokens or None)
    return Receipt(
        turn_id=opened.turn_id,
        session_id=request.options.memory_id,
        at=turn.timestamp,
        query=opened.query,
        intent="chat",
        need_memory=request.options.reads,
        memory_reason="asked for by the request" if request.options.reads else "left out by the request",
        agents_used=("proxy",),
        model=answer.model,
        recipe=PROXY.name,
        considered=_considered(known),
        used=tuple(Used(n, hit.gist.id, hit.gist.kind, "memory") for n, hit in enumerate(known.given, 1)),
        ledger=ledger,
        prompt_tokens=sum(entry.tokens for entry in ledger),
        completion_tokens=answer.completion_tokens or count_tokens(turn.content),
        interrupted=turn.interrupted,
        messages=(prompt_id(opened.turn_id), response_id(opened.turn_id)),
        top_k=request.options.recipe.top_k,
        searched=known.recall.respelt(opened.query),
        left_out=left_out_of(answer.model, used=bool(known.given)),
        numbers=numbers_of(request.options.recipe),
    )
