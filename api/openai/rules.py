"""Chat completions by rules, where there is no provider."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from time import time
from typing import Any

import orjson
from pydantic import ValidationError

from agents.chat import ChatRequest, HistoryItem
from agents.events import Delta, Event, Finished, Started
from agents.memory import Memory
from agents.openai_chat import DONE, event_of, kept_text, memory_hits, newest_user
from agents.proxy import Proxied, ProxyRequest, keep_earlier, news_of
from api.http import sse
from api.http.problems import error_of
from api.openai import wire
from api.openai.wire import InvalidField, Json, RulesFields, invalid
from memory.ids import fingerprint, user_of

ROLES = ("system", "developer", "user", "assistant", "tool", "function")


def _check_roles(messages: Sequence[Json]) -> None:
    """Where no provider checks them."""
    wrong = next((place for place, one in enumerate(messages) if one.get("role") not in ROLES), None)
    if wrong is not None:
        raise InvalidField(f"messages[{wrong}].role: must be one of {', '.join(ROLES)}", "messages")


def _history(messages: Sequence[Mapping[str, Any]]) -> tuple[HistoryItem, ...]:
    """What was said before, as the request brings it."""
    said = ((message.get("role", ""), kept_text(message.get("content"))) for message in messages)
    return tuple(HistoryItem(role, text) for role, text in said if text and role in ("user", "assistant"))


async def complete_by_rules(memory: Memory, asked: ProxyRequest) -> Proxied:
    """The rules' answer to the user's last message, in OpenAI's shapes."""
    messages = asked.body["messages"]
    at = newest_user(messages)
    _check_rules_can(asked.body)
    _check_roles(messages)
    query = kept_text(messages[at].get("content")) if at is not None else ""
    if not query:
        raise InvalidField("messages: without a language model, one message must be the user's text", "messages")
    turn_id, options = asked.turn_id, asked.options
    chat = ChatRequest(
        query=query,
        owner=user_of(asked.owner),
        project=options.project,
        session_id=options.memory_id,
        turn_id=turn_id,
        use_memory=options.reads,
        top_k=max(1, options.recipe.top_k),
        history=_history(messages[:at]),
        proxied=True,
        recipe=options.recipe,
        timezone=options.timezone,
        temporary=options.temporary,
        retried=asked.once is not None,
    )
    gone = await memory.engine.store.changes.deleted_prints(
        asked.owner, [fingerprint(one.content) for one in chat.history]
    )
    chat = replace(chat, history=tuple(one for one in chat.history if fingerprint(one.content) not in gone))
    if asked.is_chore:
        chat = replace(chat, temporary=True, use_memory=False, history=())
    async with memory.engine.chats.branches.opening(asked.owner, options.memory_id):
        if not options.temporary and not asked.is_chore:
            chat = await _placed(memory, asked, chat)
        return await _answered(memory, asked, chat)


async def _placed(memory: Memory, asked: ProxyRequest, chat: ChatRequest) -> ChatRequest:
    """A request where its transcript stands in the conversation. What rules answered they answer in its place."""
    chats, owner, options = memory.engine.chats, asked.owner, asked.options
    news = await news_of(memory.engine, owner, options.memory_id, asked.body["messages"])
    prompt, end = news.asked, news.found.after
    if prompt is not None:
        end = await chats.branches.answer_to(owner, options.memory_id, prompt) or prompt
    tells = news.found.known is not None and end is not None
    if tells and await chats.branches.go_on(owner, options.memory_id, end, edited=prompt is None):
        await chats.branches.catch_up(owner, options.memory_id)
    if prompt is not None and prompt.own_turn is not None:
        return replace(chat, turn_id=prompt.own_turn, retried=True)
    follows = await keep_earlier(memory.engine, owner, options, chat.turn_id, news)
    return replace(chat, follows=follows, speaker=news.speaker, user_name=news.own)


async def _answered(memory: Memory, asked: ProxyRequest, chat: ChatRequest) -> Proxied:
    turn_id = chat.turn_id
    identifier, created, named = f"chatcmpl-{turn_id}", int(time()), (turn_id, asked.options.memory_id)
    if not asked.streamed:
        finished = await memory.chat(chat)
        body = wire.completion(identifier, created, finished.answer, _hits(finished))
        return Proxied(200, {}, "application/json", orjson.dumps(body), *named, _memories(finished))
    stream = memory.stream(chat)
    started = await anext(stream)  # an error before the first event still has its own status
    assert isinstance(started, Started)  # noqa: S101
    wanted = asked.body.get("stream_options")
    with_usage = isinstance(wanted, dict) and wanted.get("include_usage") is True
    chunks = _chunks(stream, identifier, created, with_usage=with_usage)
    return Proxied(200, {}, sse.MEDIA_TYPE, chunks, *named, _memories(started))


def _check_rules_can(body: Json) -> None:
    """Rules say so where they cannot do what is asked, rather than do something else."""
    try:
        RulesFields.model_validate({k: v for k, v in body.items() if k in RulesFields.model_fields})
    except ValidationError as error:
        raise invalid(error) from None
    shape = body.get("response_format")
    if isinstance(shape, dict) and shape.get("type") not in (None, "text"):
        raise InvalidField("response_format: without a language model, answers are plain text", "response_format")
    if body.get("tool_choice") not in (None, "none", "auto"):
        raise InvalidField("tool_choice: without a language model, no tool is called", "tool_choice")
    if body.get("n") not in (None, 1):
        raise InvalidField("n: without a language model, there is one answer", "n")


async def _chunks(
    stream: AsyncGenerator[Event, None], identifier: str, created: int, *, with_usage: bool
) -> AsyncGenerator[bytes, None]:
    """The rules' answer in chunks: the role first, then text, why it ended, the tokens where they were asked for."""
    async with aclosing(stream):
        yield event_of(wire.chunk(identifier, created, {"role": "assistant", "content": ""}))
        try:
            async for event in stream:
                match event:
                    case Delta():
                        yield event_of(wire.chunk(identifier, created, {"content": event.text}))
                    case Finished():
                        last = wire.chunk(identifier, created, {}, "stop")
                        if with_usage:
                            yield event_of(last)
                            last = wire.chunk(identifier, created, None) | {"usage": wire.usage(event.answer)}
                        yield event_of(last | {"memory_hits": _hits(event)})
        except Exception as error:
            yield event_of(error_of(error, identifier)[1])
            return
    yield b"data: " + DONE + b"\n\n"


def _hits(finished: Finished) -> list[Json]:
    bundle = finished.context.bundle
    return memory_hits(bundle.recall.hits) if bundle is not None else []


def _memories(event: Started | Finished) -> tuple[str, ...]:
    bundle = event.context.bundle
    return tuple(hit.gist.id for hit in bundle.recall.hits) if bundle is not None else ()
