"""How does a request to another model gain memory on its way, and what of it is remembered?

The user's message is committed before the model is asked, and what memory knows of it is put before it, as quoted data;
all else goes through as it came. The answer is remembered as it comes.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import orjson

from agents.drafting import Drafting
from agents.keeping import Keeping
from agents.nudge import Nudge
from agents.openai_chat import (
    DONE,
    answer_text,
    data_of,
    ends,
    event_of,
    first_choice,
    kept_text,
    memory_hits,
    newest_user,
    parsed,
    text_of,
    with_text_before,
)
from agents.prompt import apportion, quoted
from config.prompts import prompt
from config.recipes import PROXY, Recipe
from memory.domain import Candidate, Hit, Recall, Turn
from memory.engine import Engine
from memory.ids import new_id, prompt_id, response_id, scoped
from memory.place import Place
from memory.ranking import Scope
from memory.recall import with_overrides
from memory.receipts import LedgerEntry, Receipt, Used
from utils.clock import now
from utils.errors import ModelError, ModelUnavailable
from utils.text import CONTROL_CHARACTERS, count_tokens
from utils.upstream import Passed, Upstream

LOOKED_AT = 32_000  # characters of the user's message by which memory is searched
QUOTED = 1_000  # characters of a memory in the prompt
SUMMARY = 2_000  # of the conversation's summary
SENT_ALONG = 50  # newest messages of a request that need not be told again
HEAD = ("id", "object", "created", "model", "system_fingerprint", "service_tier")  # what chunks of a stream share

log = logging.getLogger(__name__)

Strategy = Literal["recall", "tool_memory", "none"]


@dataclass(frozen=True)
class Options:
    """The proxy's own fields of a request; None leaves the recipe's number."""

    memory_id: str = "default"
    top_k: int | None = None
    recency_weight: float | None = None
    floor: float | None = None
    strategy: Strategy = "recall"

    @property
    def recipe(self) -> Recipe:
        return with_overrides(PROXY, top_k=self.top_k, floor=self.floor, recency_weight=self.recency_weight)

    @property
    def reads(self) -> bool:
        """Whether memory is asked; else the request goes on as it came."""
        return self.strategy != "none" and (self.top_k is None or self.top_k > 0)


@dataclass(frozen=True)
class ProxyRequest:
    """A chat completion to pass on. `body`: without the proxy's own fields. `headers`, `query`, `bearer`: as `Upstream`
    takes them. `once`: an id that the same request has when it is made again, or None; `retried`: it is."""

    owner: str
    body: dict[str, Any]
    options: Options
    headers: Mapping[str, str] = field(default_factory=dict)
    query: str = ""
    bearer: str | None = None
    once: str | None = None
    retried: bool = False

    @property
    def streamed(self) -> bool:
        return self.body.get("stream") is True


@dataclass(frozen=True)
class Proxied:
    """What the client gets. `turn_id`: names the exchange and its receipt; None where nothing was said."""

    status: int
    headers: Mapping[str, str]
    media_type: str
    body: bytes | AsyncGenerator[bytes, None]
    turn_id: str | None


@dataclass
class _Exchange:
    """A user's message and the answer to it. `place`: where they stand; None where an answer alone is remembered, or
    nothing. `fresh`: what was recalled that the request does not bring along; `given`: the best of it, which stand
    in the prompt. `said`: the answer so far. `last`: the last chunk, still to be sent where it `is_due`."""

    request: ProxyRequest
    turn_id: str
    query: str
    place: Place | None = None
    recall: Recall = field(default_factory=Recall)
    fresh: tuple[Hit, ...] = ()
    given: tuple[Hit, ...] = ()
    injected: str = ""
    said: list[str] = field(default_factory=list)
    model: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    finished: bool = False
    last: dict[str, Any] = field(default_factory=dict)
    last_is_due: bool = False

    def answer(self) -> Turn:
        """The answer as far as it has come."""
        return Turn(
            response_id(self.turn_id),
            "assistant",
            CONTROL_CHARACTERS.sub("", "".join(self.said)),
            now(),
            turn_id=self.turn_id,
            model=self.model or None,
            interrupted=not self.finished,
        )

    def read(self, answer: Mapping[str, Any]) -> None:
        """Takes up what a whole answer or a chunk says."""
        choice = first_choice(answer)
        if choice is not None:
            self.said.append(answer_text(choice))
            self.finished = self.finished or bool(choice.get("finish_reason"))
        if isinstance(model := answer.get("model"), str):
            self.model = model
        usage = answer.get("usage")
        if isinstance(usage, dict):
            counts = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")]
            self.prompt_tokens, self.completion_tokens = (n if isinstance(n, int) and n > 0 else 0 for n in counts)


class Proxy:
    """Chat completions of the provider behind it, with memory."""

    def __init__(self, engine: Engine, upstream: Upstream, nudge: Nudge) -> None:
        self.upstream = upstream
        self._engine = engine
        self._nudge = nudge
        self._keeping = Keeping()

    async def complete(self, request: ProxyRequest) -> Proxied:
        """Passes a request on, and the answer back.

        The user's message is committed before the model is asked, a whole answer before it is returned, a streamed one
        before its last event is. Raises `ModelUnavailable` where the provider cannot be reached; an error that it
        answers with is returned as it came.
        """
        exchange = await self._prepare(request)
        body = orjson.dumps(request.body if not exchange.injected else _with_memory(request.body, exchange.injected))
        passed = await self.upstream.send(
            "POST",
            "/chat/completions",
            body=body,
            headers=request.headers,
            query=request.query,
            bearer=request.bearer,
        )
        if passed.is_stream:
            content: bytes | AsyncGenerator[bytes, None] = self._streamed(exchange, passed)
        else:
            content = await self._whole(exchange, passed)
        return Proxied(passed.status, passed.headers, passed.media_type, content, exchange.turn_id)

    async def close(self) -> None:
        """Waits until everything that was begun is stored, and ends the connections to the provider."""
        await self._keeping.close()
        await self.upstream.close()

    async def _prepare(self, request: ProxyRequest) -> _Exchange:
        """Commits the user's message, and finds what memory knows of it."""
        messages = request.body["messages"]
        at = newest_user(messages)
        if at is None:
            return _Exchange(request, request.once or new_id(), "")
        exchange = _Exchange(request, request.once or new_id(), kept_text(messages[at].get("content")))
        opening = self._keeping.start(self._open(exchange, new=at == len(messages) - 1))
        reading = asyncio.create_task(self._remembered(exchange, text_of(messages[at].get("content"))))
        await asyncio.shield(asyncio.wait([opening, reading]))
        exchange.turn_id, exchange.place = opening.result()
        reading.result()
        return exchange

    async def _open(self, exchange: _Exchange, *, new: bool) -> tuple[str, Place | None]:
        """The exchange's id and place. `new`: the user's message is the last one; else it was told before, and the
        model goes on with it."""
        request, turns = exchange.request, self._engine.turns
        owner, session = request.owner, request.options.memory_id
        if not exchange.query:
            return exchange.turn_id, None
        if not new or request.retried:
            found = await turns.unanswered(owner, session, exchange.query)
            if found is not None:
                return found
        if not new:
            return exchange.turn_id, None
        prompt = prompt_id(exchange.turn_id)
        said = Turn(prompt, "user", exchange.query, now(), turn_id=exchange.turn_id, stating=True)
        return exchange.turn_id, await turns.open_exchange(owner, session, said, retried=request.once is not None)

    async def _remembered(self, exchange: _Exchange, text: str) -> None:
        """Looks up what memory knows; nothing where the query cannot be embedded, which the log tells."""
        request, engine = exchange.request, self._engine
        owner, options = request.owner, request.options
        if not options.reads or not text.strip():
            return
        own = prompt_id(exchange.turn_id), response_id(exchange.turn_id)
        scope = Scope.of_conversation(
            options.memory_id, exclude=frozenset((*own, *(scoped(one, owner) for one in own)))
        )
        messages = request.body["messages"]
        told = {_flat(text_of(message.get("content"))) for message in messages[-SENT_ALONG:]}
        recipe = options.recipe
        wider = replace(recipe, top_k=recipe.top_k + len(told))
        try:
            exchange.recall, digest = await asyncio.gather(
                engine.recall(owner, text[:LOOKED_AT], wider, scope),
                engine.digests.get(owner, options.memory_id),
            )
        except ModelError as error:
            log.warning("no memory for a proxied request: %s", error.detail)
            return
        exchange.fresh = tuple(hit for hit in exchange.recall.hits if _flat(hit.gist.content) not in told)
        exchange.given = exchange.fresh[: recipe.top_k]
        exchange.injected = _block(exchange.given, digest)

    async def _whole(self, exchange: _Exchange, passed: Passed) -> bytes:
        raw = await passed.read()
        answer = parsed(raw) if passed.status < 300 else None
        if answer is None:
            return raw
        exchange.read(answer)
        exchange.finished = True
        await asyncio.shield(self._keeping.start(self._keep(exchange)))
        return orjson.dumps(answer | {"memory_hits": memory_hits(exchange.given)})

    async def _streamed(self, exchange: _Exchange, passed: Passed) -> AsyncGenerator[bytes, None]:
        """The events as they come; the last one only when the answer is kept."""
        place = exchange.place
        drafting = Drafting(self._engine.drafts, place, exchange.answer) if place is not None else None
        try:
            async with aclosing(passed.events()) as events:
                async for event in _passed_on(exchange, events):
                    yield event
        except ModelUnavailable as error:
            if not exchange.finished:
                yield event_of(_error(error.detail))
        finally:
            await passed.close()
            keeping = self._keeping.start(self._end(exchange, drafting))
            if exchange.finished:
                await asyncio.shield(keeping)
        if exchange.finished:
            yield event_of(exchange.last | {"memory_hits": memory_hits(exchange.given)})
            yield b"data: " + DONE + b"\n\n"

    async def _end(self, exchange: _Exchange, drafting: Drafting | None) -> None:
        """Keeps what was said, and then lets go of the draft of it."""
        drafted = await drafting.stop() if drafting is not None else False
        await self._keep(exchange, drafted=drafted)
        if drafting is not None:
            await drafting.drop()

    async def _keep(self, exchange: _Exchange, *, drafted: bool = False) -> None:
        """Commits an answer with its receipt, and asks for what is due after it. One without text, as a call of tools,
        is not remembered: the answer that follows it takes its place."""
        request, answer = exchange.request, exchange.answer()
        owner, session, place = request.owner, request.options.memory_id, exchange.place
        if not exchange.query or not answer.content.strip():
            return
        turns = self._engine.turns
        if place is None:
            await turns.remember(owner, session, [replace(answer, turn_id=None)])
        else:
            again = drafted or request.once is not None
            if not await turns.close_exchange(owner, session, place, answer, retried=again):
                return
        await self._engine.receipts.keep(owner, _receipt(exchange))
        await self._engine.eviction.note_use(owner, [hit.gist.key for hit in exchange.given])
        self._nudge.embed()
        self._nudge.learn()
        if place is None or self._engine.places.is_due(place):
            self._nudge.summarise()


async def _passed_on(exchange: _Exchange, events: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    """Events up to the end of a stream but for the last, which stays in the exchange to be sent when all is kept.

    Raises `ModelUnavailable` where the stream ends before its answer.
    """
    async for event in events:
        data = data_of(event)
        if data == DONE:
            break
        chunk = parsed(data) if data is not None else None
        if exchange.last_is_due:
            yield event_of(exchange.last)
        exchange.last_is_due = False
        if chunk is not None and "error" in chunk:
            yield event
            return
        if chunk is None:
            yield event
            continue
        exchange.read(chunk)
        if ends(chunk):
            exchange.last, exchange.last_is_due = chunk, True
        else:
            exchange.last = {name: chunk[name] for name in HEAD if name in chunk} | {"choices": []}
            yield event
    if not exchange.finished:
        raise ModelUnavailable("The model's stream ended before its answer did")


def _with_memory(body: Mapping[str, Any], memory: str) -> dict[str, Any]:
    """The request with memory before the user's last message. All before that stays as it was, for the sake of the
    provider's cache of prompts."""
    messages = list(body["messages"])
    at = newest_user(messages)
    if at is None:
        return dict(body)
    messages[at] = {**messages[at], "content": with_text_before(messages[at].get("content"), memory)}
    return {**body, "messages": messages}


def _block(hits: Sequence[Hit], digest: str) -> str:
    """What stands before the user's message; nothing where no memory suits it."""
    if not hits:
        return ""
    summary = f"\nSummary of this conversation: {quoted(digest, SUMMARY)}\n" if digest else ""
    lines = [f"[{hit.gist.name or hit.gist.role}] {quoted(hit.gist.content, QUOTED)}\n" for hit in hits]
    memories = "\nMost relevant first:\n" + "".join(lines)
    return prompt("proxy_memory").substitute(summary=summary, memories=memories) + "\n\n"


def _error(detail: str) -> dict[str, Any]:
    return {"error": {"message": detail, "type": "upstream_error", "param": None, "code": None}}


def _flat(text: str) -> str:
    return " ".join(text.split())


def _considered(exchange: _Exchange) -> tuple[Candidate, ...]:
    """What the search looked at. It looked for more than were asked for, as some may have been sent along."""
    given = {hit.gist.key for hit in exchange.given}
    fresh = {hit.gist.key for hit in exchange.fresh}

    def settled(candidate: Candidate) -> Candidate:
        if candidate.dropped is not None or candidate.key in given:
            return candidate
        return candidate._replace(dropped="top_k" if candidate.key in fresh else "sent_along")

    return tuple(map(settled, exchange.recall.considered))


def _receipt(exchange: _Exchange) -> Receipt:
    request = exchange.request
    sent = [text_of(message.get("content")) for message in request.body["messages"]]
    sections = {"memory": exchange.injected, "messages": "".join(sent)}
    estimates = [count_tokens(text) for text in sections.values()]
    tokens = apportion(estimates, exchange.prompt_tokens) if exchange.prompt_tokens else estimates
    answer = exchange.answer()
    return Receipt(
        turn_id=exchange.turn_id,
        session_id=request.options.memory_id,
        at=now(),
        query=exchange.query,
        intent="chat",
        need_memory=request.options.reads,
        memory_reason="asked for by the request" if request.options.reads else "left out by the request",
        agents_used=("proxy",),
        model=answer.model or "",
        recipe=PROXY.name,
        considered=_considered(exchange),
        used=tuple(Used(n, hit.gist.id, hit.gist.kind, "memory") for n, hit in enumerate(exchange.given, 1)),
        ledger=tuple(
            LedgerEntry(name, len(text), count) for (name, text), count in zip(sections.items(), tokens, strict=True)
        ),
        prompt_tokens=sum(tokens),
        completion_tokens=exchange.completion_tokens or count_tokens(answer.content),
        interrupted=answer.interrupted,
        messages=(prompt_id(exchange.turn_id), response_id(exchange.turn_id)),
        top_k=request.options.recipe.top_k,
    )
