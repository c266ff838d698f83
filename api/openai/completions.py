"""Completions of a prompt, OpenAI's oldest API, with memory. Who answers is a provider that has this API, one of chat
completions, or rules."""

import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request, Response

from agents.memory import Memory
from agents.openai_chat import DONE, answer_text, choices_of, data_of, event_of, parsed, written
from agents.openai_completions import messages_of
from agents.proxy import CHAT, COMPLETIONS, Proxied, ProxyRequest
from api.auth import PassingOn
from api.http.problems import error_of
from api.http.state import TheMemory
from api.openai.route import LEFT, OpenAIRoute, answered, options_of, passed_on, read_object, returned
from api.openai.wire import InvalidField, Json
from memory.ids import derived_id
from utils.errors import ProviderError

MOST_PROMPTS = 128  # of one request
WITHOUT = (404, 405)  # how a provider says that it has not this API, or not for this model
MOST_MODELS = 1_000  # of which is known that they only chat
# What a chat completion has no name for.
ONLY_HERE: Json = {"suffix": "", "echo": False, "logprobs": None, "best_of": 1}  # each as it says nothing
NOT_TOLD = "{}: a provider of completions has it, and here a chat completion is asked for, or rules answer"
TOKENS = "prompt: without a provider that reads tokens, send it as text"

router = APIRouter(route_class=OpenAIRoute, tags=["openai"])

log = logging.getLogger(__name__)


@router.post("/v1/completions", response_model=None)
async def completions(request: Request, memory: TheMemory, passing: PassingOn) -> Response:
    """Complete a prompt as OpenAI's API does, with what was said before."""
    body = await read_object(request)
    options, owner, own = options_of(request, body, passing)
    if options.compresses:
        raise InvalidField("memory_strategy: tool_memory goes by chat completions", "memory_strategy")
    prompts = _prompts(own)
    if own.get("suffix") is not None:  # an editor's, which has what is between two texts filled in
        options = replace(options, temporary=True, strategy="none")
    if own.get("echo"):  # else what is known would be echoed
        options = replace(options, strategy="none")
    asked = []
    for number, prompt in enumerate(prompts):
        raw = await request.body() if len(prompts) == 1 and len(own) == len(body) else None
        one = passed_on(request, passing, owner, options, own | {"prompt": prompt}, raw=raw, dialect=COMPLETIONS)
        if number:
            turn_id = derived_id(one.turn_id, str(number))
            one = replace(one, turn_id=turn_id, once=turn_id if one.once is not None else None)
        asked.append(one)
    proxied = await _all(request, memory, asked)
    if proxied is None:
        return Response(status_code=LEFT)
    return returned(proxied, request, lambda error: event_of(error_of(error, request.scope["request_id"])[1]))


def _prompts(body: Json) -> list[Any]:
    """The prompts of a request, each a text or tokens."""
    prompt = body.get("prompt")
    prompts = prompt if isinstance(prompt, list) else [prompt]
    if prompts and all(type(one) is int for one in prompts):
        return [prompts]
    if not prompts or not all((isinstance(one, str) and one) or _is_tokens(one) for one in prompts):
        raise InvalidField("prompt: must be a text, or a list of at least one", "prompt")
    if len(prompts) > MOST_PROMPTS:
        raise InvalidField(f"prompt: at most {MOST_PROMPTS} at once", "prompt")
    return prompts


def _is_tokens(prompt: object) -> bool:
    return isinstance(prompt, list) and bool(prompt) and all(type(one) is int for one in prompt)


async def _all(request: Request, memory: Memory, asked: Sequence[ProxyRequest]) -> Proxied | None:
    """The completions of all prompts as one; None where the client left before they began."""
    first = await _completed(request, memory, asked[0])
    if first is None or len(asked) == 1 or first.status >= 300:
        return first
    if not isinstance(first.body, bytes):
        return replace(first, body=_one_after_the_other(request, memory, asked, first.body))
    told, memories = [parsed(first.body)], list(first.memories)
    for one in asked[1:]:
        proxied = await _completed(request, memory, one)
        if proxied is None or proxied.status >= 300 or not isinstance(proxied.body, bytes):
            return proxied
        told.append(parsed(proxied.body))
        memories += proxied.memories
    return replace(first, body=written(_joined(told)), memories=tuple(dict.fromkeys(memories)))


def _joined(told: Sequence[Json]) -> Json:
    """Whole answers as one, whose choices are numbered on."""
    choices = [choice for one in told for choice in choices_of(one)]
    usage: Json = {}
    for one in told:
        for name, count in (one.get("usage") or {}).items():
            usage[name] = usage.get(name, 0) + count if isinstance(count, int) else count
    hits = [hit for one in told for hit in one.get("memory_hits") or ()]
    numbered = [{**choice, "index": number} for number, choice in enumerate(choices)]
    return {**told[0], "choices": numbered, "usage": usage or None, "memory_hits": hits}


async def _one_after_the_other(
    request: Request, memory: Memory, asked: Sequence[ProxyRequest], first: AsyncGenerator[bytes, None]
) -> AsyncGenerator[bytes, None]:
    """The streams of several prompts as one, whose choices are numbered on."""
    number = asked[0].body.get("n")
    each = number if isinstance(number, int) and number > 0 else 1
    for at in range(len(asked)):
        events = first
        if at:
            proxied = await _completed(request, memory, asked[at])
            if proxied is None:
                return
            if isinstance(proxied.body, bytes):  # an error
                told = parsed(proxied.body)
                yield event_of(told if isinstance(told, dict) else {"error": {"message": "The model failed"}})
                return
            events = proxied.body
        async with aclosing(events):
            async for event in events:
                data = data_of(event)
                if data == DONE:
                    break
                told = parsed(data) if data is not None else None
                if not isinstance(told, dict):
                    yield event
                    continue
                if told.get("error"):
                    yield event
                    return
                choices = [{**one, "index": one.get("index", 0) + at * each} for one in choices_of(told)]
                yield event_of(told | {"choices": choices})
    yield b"data: " + DONE + b"\n\n"


async def _completed(request: Request, memory: Memory, asked: ProxyRequest) -> Proxied | None:
    """The completion of one prompt: the provider's, or made of a chat completion where none has this API."""
    proxy, model = memory.proxy, str(asked.body.get("model"))
    if proxy is None or model in proxy.chatting:
        return await _of_chat(request, memory, asked)
    try:
        proxied = await answered(request, memory, asked)
    except ProviderError as error:
        if error.status not in WITHOUT:
            raise
    else:
        if proxied is None or proxied.status not in WITHOUT or not isinstance(asked.body.get("prompt"), str):
            return proxied
    proxied = await _of_chat(request, memory, replace(asked, retried=True))  # what it asks of memory was done by now
    if proxied is not None and proxied.status < 300 and len(proxy.chatting) < MOST_MODELS:
        log.info("the provider completes no prompts by %s, which is asked for chat completions", model)
        proxy.chatting.add(model)
    return proxied


async def _of_chat(request: Request, memory: Memory, asked: ProxyRequest) -> Proxied | None:
    """A completion that is made of a chat completion."""
    proxied = await answered(request, memory, replace(asked, body=_chat_body(asked.body), raw=None, dialect=CHAT))
    if proxied is None or proxied.status >= 300:
        return proxied
    if isinstance(proxied.body, bytes):
        return replace(proxied, body=written(_as_text(parsed(proxied.body))))
    return replace(proxied, body=_texts(proxied.body))


def _chat_body(body: Json) -> Json:
    """The chat completion that says the same as a completion. Raises `InvalidField` for what has no name there."""
    if not isinstance(body.get("prompt"), str):
        raise InvalidField(TOKENS, "prompt")
    for name, usual in ONLY_HERE.items():
        if body.get(name) not in (None, usual):
            raise InvalidField(NOT_TOLD.format(name), name)
    chat = {name: value for name, value in body.items() if name not in ("prompt", *ONLY_HERE)}
    return chat | {"messages": messages_of(body)}


def _as_text(answer: Json) -> Json:
    """A chat completion, or a chunk of one, as a completion; an error with status 200 as it came."""
    if not isinstance(answer.get("choices"), list):
        return answer
    choices = [
        {
            "index": choice.get("index", 0),
            "text": answer_text(choice),
            "logprobs": None,
            "finish_reason": choice.get("finish_reason"),
        }
        for choice in choices_of(answer)
    ]
    identifier = str(answer.get("id") or "").replace("chatcmpl-", "cmpl-")
    return answer | {"id": identifier, "object": "text_completion", "choices": choices}


async def _texts(chunks: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    """The chunks of a chat completion as those of a completion; what says nothing is left out."""
    async with aclosing(chunks):
        async for event in chunks:
            data = data_of(event)
            told = parsed(data) if data is not None and data != DONE else None
            if not isinstance(told, dict) or told.get("error"):
                yield event
                continue
            chunk = _as_text(told)
            says = any(one["text"] or one["finish_reason"] for one in chunk["choices"])
            if says or chunk.get("usage") or "memory_hits" in chunk:
                yield event_of(chunk)
