"""The proxy: a request to another model gains memory on its way, and what is said is remembered.

The user's message is committed before the model is asked, and what memory knows of it is put before it, as quoted data;
all else goes through as it came. The answer is remembered as it comes.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from agents.chat import (
    Answer,
    Block,
    ChatRequest,
    Context,
    Done,
    Drafting,
    KeeperAgent,
    Keeping,
    receipt_of,
    settle_place,
    settled,
    turn_to,
)
from agents.openai_chat import memory_hits, parsed, storable, written
from agents.proxy.dialect import ProviderAnswer
from agents.proxy.knowing import Knowing
from agents.proxy.request import Proxied, ProxyRequest
from agents.proxy.transcript import News, keep_earlier, news_of
from agents.tools import Compressing, ToolMemory, ViewOptions
from agents.upkeep import Nudge
from memory.domain import Turn
from memory.engine import Engine
from memory.facts import says_forget
from memory.ids import fingerprint, prompt_id, response_id
from memory.turns import Place, Receipt, Stored
from utils.chat import Usage
from utils.clock import now
from utils.errors import LociError, ModelGarbage, ModelUnavailable, ProviderError
from utils.fields import CONTENT_CHARACTERS
from utils.mongo import StoreError, as_loci_error
from utils.text import count_tokens
from utils.thoughts import without_thoughts
from utils.upstream import Passed, Upstream

MEDIA_TYPE = "application/json"
FORGOT = 1_000  # messages that asked to forget, of which what was done is known to who asks again

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Opened:
    """The user's message as it is kept. `at`: when it came. `place`: None where an answer alone is remembered, or
    nothing. `resumed`: an earlier request began it. `prompt`: the id of the message, where that is another exchange's,
    which is answered again; `instead`: that of the answer which the new one takes the place of. `done`: what was kept
    or forgotten upon it, with which it may be gone: then its answer is not kept either."""

    turn_id: str
    at: datetime
    query: str = ""
    place: Place | None = None
    resumed: bool = False
    prompt: str = ""
    instead: str = ""
    done: Done | None = None

    @property
    def prompt_id(self) -> str:
        return self.prompt or prompt_id(self.turn_id)


@dataclass(frozen=True)
class _Exchange:
    """A request that is under way. `context`: what memory has to say of it, and `block`: as much of that as stands in
    it. `answer`: reads what the provider says as it goes by. `kept`: as a `Proxied` has it."""

    request: ProxyRequest
    opened: _Opened
    context: Context
    block: Block
    answer: ProviderAnswer
    kept: list[str] = field(default_factory=list)

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
            follows=self.opened.prompt or None,
            unaided=not self.request.options.reads,
        )


class Proxy:
    """Answers of the provider behind it, by each protocol of `dialect`, with memory."""

    def __init__(
        self,
        engine: Engine,
        keeping: Keeping,
        upstream: Upstream,
        nudge: Nudge,
        tools: ToolMemory,
        knowing: Knowing,
    ) -> None:
        """`upstream`: closed by whoever made it, once all that was begun is kept."""
        self.upstream = upstream
        self._keeper = KeeperAgent(engine)
        self._keeping = keeping
        self._tools = tools
        self._knowing = knowing
        self._engine = engine
        self._nudge = nudge
        self.chatting = set[str]()  # models of which doors have found that they complete no prompts
        self._asking = set[str]()  # exchanges whose answer is under way here
        self._forgot: dict[tuple[str, str, str], Done] = {}  # what was done upon messages that went with it, by these

    async def complete(self, request: ProxyRequest) -> Proxied:
        """Passes a request on, and the answer back.

        The user's message is committed before the model is asked, a whole answer before it is returned, a streamed one
        before its last event is. Raises `ModelUnavailable` where the provider cannot be reached, `ModelSilent` where
        it does not begin to answer, and `ModelGarbage` where it answers something else; an error that it answers with
        is returned as it came.
        """
        exchange = await self._prepare(request)
        self._engine.store.changes.look_anew()
        turn_id, is_streamed = exchange.opened.turn_id, False
        try:
            body = await self._body(exchange)
            passed = await self.upstream.send(
                "POST",
                request.dialect.path,
                body=body,
                headers=request.headers,
                query=request.query,
                bearer=request.bearer,
            )
            given = tuple(one.id for one in exchange.block.given)
            named = turn_id, request.options.memory_id, given, exchange.kept
            if passed.is_stream:
                await passed.begin()
                stream, is_streamed = self._streamed(exchange, passed), True
                return Proxied(passed.status, passed.headers, passed.media_type, stream, *named)
            content = await self._whole(exchange, passed)
            return Proxied(passed.status, passed.headers, MEDIA_TYPE, content, *named)
        finally:
            if not is_streamed:
                self._asking.discard(turn_id)

    async def _body(self, exchange: _Exchange) -> bytes:
        """What the provider gets: the request as it came, with what memory knows, or with its history compressed."""
        request = exchange.request
        if request.options.compresses:
            view = await self._tools.compress(_compressing(request, self._tools.options))
            return written(request.body | {"messages": view.messages})
        if exchange.block.sections:
            return written(request.dialect.with_memory(request.body, exchange.block.text))
        return request.raw if request.raw is not None else written(request.body)

    async def _prepare(self, request: ProxyRequest) -> _Exchange:
        """Commits the user's message, and meanwhile finds what memory knows of it."""
        turn_id = request.once or request.turn_id
        opening = self._keeping.start(self._open(request, turn_id))
        gathering = asyncio.create_task(self._knowing.gather(request, turn_id))
        try:
            await asyncio.shield(asyncio.wait([opening, gathering]))
            opened, context = opening.result(), gathering.result()
            if (done := opened.done) is not None:  # what it changed may have been found before
                context = replace(context, bundle=None if done.changed else context.bundle, done=done.said)
            own = frozenset({opened.prompt_id, opened.instead})
            block = await self._knowing.block(context, request, own, opened.at, opened.place)
        except BaseException:
            opening.add_done_callback(self._is_not_asked)
            raise
        return _Exchange(request, opened, context, block, request.dialect.answer(request.body))

    def _is_not_asked(self, opening: asyncio.Task[_Opened]) -> None:
        """No answer comes to a request that was opened."""
        if not opening.cancelled() and opening.exception() is None:
            self._asking.discard(opening.result().turn_id)

    async def _open(self, request: ProxyRequest, turn_id: str) -> _Opened:
        """Commits what the user says that is new, and finds the place of the exchange: that of an earlier one, where
        the model goes on with it, or another answer's, where one is asked again."""
        owner, options = request.owner, request.options
        if options.temporary or request.is_chore:
            return _Opened(turn_id, now())
        async with self._engine.chats.branches.opening(owner, options.memory_id):
            news = await news_of(self._engine, owner, options.memory_id, request.messages)
            again = news.goes_on or request.retried or request.once is not None
            if again and (done := self._forgot.get(_named(request, news))) is not None:
                return _Opened(turn_id, now(), done=done)
            if news.asked is not None:
                opened = await self._taken_up(request, turn_id, news, news.asked)
            else:
                opened = await self._begun(request, turn_id, news)
            self._asking.add(opened.turn_id)
            return opened

    async def _begun(self, request: ProxyRequest, turn_id: str, news: News) -> _Opened:
        """A message of the user's that the conversation has not yet."""
        turns, owner, session = self._engine.chats.turns, request.owner, request.options.memory_id
        if len(request.said) > CONTENT_CHARACTERS:
            log.warning("of a message of the user's, the first %s characters are remembered", f"{CONTENT_CHARACTERS:,}")
        opened = _Opened(turn_id, now(), news.newest)
        if news.found.after is not None and not news.found.ends_line:
            after = news.found.after
            await turn_to(self._engine.chats, self._keeping, owner, session, after, edited=True, answering=self._asking)
        follows = await keep_earlier(self._engine, owner, request.options, turn_id, news)
        if not news.newest:
            return opened
        said = request.options.said(prompt_id(turn_id), news.newest, turn_id, at=opened.at)
        said = replace(said, follows=follows, name=news.speaker)
        place = await turns.open_exchange(owner, session, said, retried=request.once is not None)
        if news.own is not None:
            await self._engine.chats.sessions.note_user_name(owner, session, news.own)
        return await self._done(request, news, replace(opened, place=place))

    async def _done(self, request: ProxyRequest, news: News, opened: _Opened) -> _Opened:
        """An exchange with what its message asks of memory done: something kept, corrected or forgotten."""
        if news.speaker is not None:
            return opened
        chat = ChatRequest(
            news.newest, request.owner, request.options.memory_id, opened.turn_id, asks_again=opened.prompt or None
        )
        done = await self._keeper.done(chat, opened.place)
        if done is None or not done.forgotten:
            return replace(opened, done=done)
        self._forgot[_named(request, news)] = done
        if len(self._forgot) > FORGOT:
            self._forgot.pop(next(iter(self._forgot)))
        return _Opened(opened.turn_id, opened.at, done=done)

    async def _taken_up(self, request: ProxyRequest, turn_id: str, news: News, asked: Stored) -> _Opened:
        """A message that the conversation has: the exchange that is to answer it goes on; where that has answered, or
        is about to, another answers it again."""
        chats, owner, session = self._engine.chats, request.owner, request.options.memory_id
        answer = await chats.branches.answer_to(owner, session, asked)
        under_way = asked.turn_id in self._asking and not news.goes_on
        is_same = request.retried or (request.once is not None and asked.turn_id == turn_id)
        resumed = asked.turn_id is not None and (is_same or (answer is None and not under_way))
        if news.found.known is not None:
            end = answer if resumed and answer is not None else asked
            await turn_to(chats, self._keeping, owner, session, end, edited=False)
        if resumed and asked.turn_id is not None:
            place = await chats.branches.asked_by(owner, session, asked, asked.turn_id)
            prompt = "" if asked.turn_id == asked.own_turn else asked.id
            opened = _Opened(asked.turn_id, asked.timestamp, news.newest, place, resumed=True, prompt=prompt)
            # Whoever began it may have come no further.
            return opened if answer is not None or news.goes_on else await self._done(request, news, opened)
        place = await chats.branches.ask_again(owner, session, asked, turn_id)
        instead = answer.id if answer is not None else ""
        opened = _Opened(turn_id, now(), news.newest, place, prompt=asked.id, instead=instead)
        return await self._done(request, news, opened) if says_forget(news.newest) else opened

    async def _whole(self, exchange: _Exchange, passed: Passed) -> bytes:
        """The body of an answer that was not streamed, in OpenAI's shape, be it an error."""
        raw = await passed.read()
        answer = parsed(raw)
        if passed.status >= 300 or not isinstance(answer, dict):
            if isinstance(answer, dict) and passed.status >= 400:
                return raw
            if passed.status >= 300:
                raise ProviderError(passed.status)
            raise ModelGarbage("The model's answer is not a JSON object")
        if (wrong := exchange.answer.read_whole(answer)) is not None:
            raise ModelGarbage(wrong)
        await self._keeping.finish(self._keep(exchange))
        return written(answer | {"memory_hits": memory_hits(exchange.block.hits)})

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
            yield answer.error_event(_error(error))
        finally:
            await passed.close()
            keeping = self._keeping.start(self._keep(exchange, drafting))
        if not answer.ended:
            return
        try:
            await asyncio.shield(keeping)
        except (LociError, StoreError) as error:
            yield answer.error_event(_error(error))
            return
        for event in answer.last_events(exchange.block.hits):
            yield event

    async def _keep(self, exchange: _Exchange, drafting: Drafting | None = None) -> None:
        """Commits an answer, lets go of the draft of it, has its receipt follow, and asks for what is due after it."""
        turn, opened, owner = exchange.turn(), exchange.opened, exchange.request.owner
        try:
            async with settled(drafting) as drafted:
                place = await self._commit(exchange, turn, drafted=drafted)
        finally:
            self._asking.discard(opened.turn_id)
        if opened.query and opened.place is not None:
            exchange.kept.append(opened.prompt_id)
        if place is None:
            return
        exchange.kept.append(turn.id)
        self._engine.gists.encoder.read_ahead(turn.content)
        receipts = self._engine.chats.receipts
        committed = [turn.id] if opened.place is None else [opened.prompt_id, turn.id]
        writing = self._keeping.start(receipts.keep_after(owner, lambda: self._receipt(exchange, turn), committed))
        receipts.expect(owner, opened.turn_id, writing)
        chats = self._engine.chats
        await chats.eviction.note_use(owner, [hit.gist.key for hit in exchange.block.hits])
        self._nudge("embed", "learn", *chats.writings.by_themselves(place))

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
        counted = await turns.close_exchange(owner, session, opened.place, turn, retried=again)
        if counted == "there":
            await settle_place(self._engine.chats, self._keeping, owner, session, opened.place, opened.turn_id)
        return None if counted == "gone" else opened.place

    def _receipt(self, exchange: _Exchange, turn: Turn) -> Receipt:
        request, opened, block, answer = exchange.request, exchange.opened, exchange.block, exchange.answer
        ledger = self._knowing.ledger(request, block, answer.prompt_tokens)
        tokens = answer.completion_tokens or count_tokens(turn.content)
        chat = replace(exchange.context.request, query=opened.query, turn_id=opened.turn_id)
        told = Answer(
            turn.content,
            answer.model,
            Usage(sum(entry.tokens for entry in ledger), tokens),
            given=tuple(block.given),
            ledger=ledger,
            interrupted=turn.interrupted,
            told=block.told,
        )
        context = replace(exchange.context, request=chat, ran=("proxy",))
        receipt = receipt_of(context, told, request.options.recipe)
        return replace(receipt, at=turn.timestamp, messages=(opened.prompt_id, turn.id))


def _named(request: ProxyRequest, news: News) -> tuple[str, str, str]:
    """The message of a request, in its conversation."""
    return request.owner, request.options.memory_id, fingerprint(news.newest)


def _compressing(request: ProxyRequest, options: ViewOptions) -> Compressing:
    """The conversation is the task, and its history comes whole: what else is known of other tasks stays out of it."""
    top_k = request.options.top_k or options.top_k
    messages = tuple(request.messages)
    chosen = replace(options, top_k=top_k)
    return Compressing(request.owner, request.options.memory_id, messages, chosen, sent_alone=True)


def _error(error: LociError | StoreError) -> dict[str, Any]:
    known = error if isinstance(error, LociError) else as_loci_error(error)
    detail = "The answer could not be stored" if known is None else known.detail
    return {"message": detail, "type": "server_error", "param": None, "code": None}
