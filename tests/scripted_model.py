"""A provider that says whatever a test tells it to.

A real HTTP server on 127.0.0.1 that speaks OpenAI's `/v1/chat/completions`, `/v1/responses`, `/v1/embeddings` and
`/v1/models`, Anthropic's `/v1/messages`, and where it `completes`, OpenAI's `/v1/completions`. Without a
script it answers sensibly: chat repeats what the user said, and texts that share words get vectors that are alike.
`python -m tests.scripted_model --port 9999` runs it alone.
"""

import argparse
import asyncio
import base64
import contextlib
import json
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.scripted_completion import completion_and_chunks
from tests.scripted_message import message_and_events

DIMENSIONS = 1536
BACKGROUND = {  # how prompts begin
    "Give a title to": "title",
    "You extract lasting facts": "facts",
    "You keep a list of facts": "facts",
    "You keep the summary": "digest",
    "You keep the memory": "together",
    "You read the output of one step": "observations",
    "You watch an agent": "observer",
}
PARTS = {"facts": "facts", "title": "title", "summary": "chat", "digest": "digest"}  # which may be asked for together
SERVED = ("chat", "completions", "responses", "messages", "count_tokens", "embeddings", "models")
Body = dict[str, Any]
Edit = Callable[[Body], Any]


@dataclass(frozen=True)
class Behaviour:
    """How one request is answered; the defaults make a sound answer."""

    status: int = 200
    raw: bytes | None = None  # a body sent as it is
    headers: tuple[tuple[str, str], ...] = ()
    text: str | None = None  # the chat answer, instead of the default one
    calls: tuple[tuple[str, str], ...] = ()  # names and arguments of tools that it calls
    pieces: tuple[str, ...] | None = None  # the deltas of a stream, instead of its words
    edit: Edit | None = None  # changes the JSON body, or every chunk of a stream
    delay: float = 0.0  # seconds before anything is sent
    hang: bool = False  # nothing is ever sent
    hang_after: int | None = None  # chunks after which a stream goes silent
    go_on: threading.Event | None = None  # ... until this is set
    cut_after: int | None = None  # chunks after which the connection breaks
    done: bool = True  # whether a stream ends in [DONE]
    finish_reason: str | None = "stop"


@dataclass(frozen=True)
class Request:
    path: str
    headers: dict[str, str]
    body: Body

    @property
    def kind(self) -> str:
        """chat, embeddings, models, ...; for what Loci itself asks, title, facts, digest, observations or observer;
        together for several in one call."""
        if not self.path.split("?")[0].endswith("/chat/completions"):
            return self.path.split("?")[0].rsplit("/", 1)[-1]
        first = (self.body.get("messages") or [{}])[0]
        text = str(first.get("content"))
        return next((kind for begin, kind in BACKGROUND.items() if text.startswith(begin)), "chat")

    @property
    def parts(self) -> dict[str, Body]:
        """Of several things that are asked for in one call, each as if it were asked for by itself."""
        system, told = (message["content"] for message in self.body["messages"])
        prompts = {part.partition("\n")[0]: part.partition("\n")[2].strip() for part in system.split("\n# ")[1:]}
        return {
            name: self.body
            | {
                "messages": [
                    {"role": "system", "content": prompts[name]},
                    {"role": "user", "content": data if isinstance(data, str) else json.dumps(data)},
                ]
            }
            for name, data in json.loads(told).items()
        }


def status(
    code: int, *, retry_after: float | str | None = None, param: str | None = None, message: str | None = None
) -> Behaviour:
    """An error in OpenAI's shape."""
    error = {"message": message or f"scripted failure {code}", "type": "error", "param": param, "code": None}
    headers = (("retry-after", str(retry_after)),) if retry_after is not None else ()
    return Behaviour(code, json.dumps({"error": error}).encode(), headers)


def models(*names: str) -> Behaviour:
    """The list of a provider's models."""
    listed = [{"id": name, "object": "model", "created": 0, "owned_by": "test"} for name in names]
    return Behaviour(raw=json.dumps({"object": "list", "data": listed}).encode())


def key_echo(key: str) -> Behaviour:
    """A 401 that repeats the key, as OpenAI's does in part."""
    return Behaviour(401, json.dumps({"error": {"message": f"Incorrect API key provided: {key}"}}).encode())


def html() -> Behaviour:
    """A captive portal: HTML with status 200."""
    return Behaviour(raw=b"<html><body>Please log in</body></html>", headers=(("content-type", "text/html"),))


def garbage(raw: bytes = b'{"choices": [{"mess') -> Behaviour:
    return Behaviour(raw=raw)


def answer(text: str) -> Behaviour:
    return Behaviour(text=text)


def calling(name: str, text: str = "", **arguments: Any) -> Behaviour:
    """A call of a tool, after a text."""
    return Behaviour(text=text, calls=((name, json.dumps(arguments)),), finish_reason="tool_calls")


def edited(edit: Edit) -> Behaviour:
    return Behaviour(edit=edit)


def no_choices() -> Behaviour:
    return edited(lambda body: {**body, "choices": []})


def null_content(refusal: str | None = None) -> Behaviour:
    message = {"role": "assistant", "content": None, "refusal": refusal}
    return edited(lambda body: {**body, "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})


def no_finish_reason() -> Behaviour:
    return Behaviour(finish_reason=None)


def slow(seconds: float) -> Behaviour:
    return Behaviour(delay=seconds)


def hang() -> Behaviour:
    return Behaviour(hang=True)


def cut(after: int = 2) -> Behaviour:
    """A stream whose connection breaks after some chunks; 0: before the first."""
    return Behaviour(cut_after=after)


def stalled(after: int = 2) -> Behaviour:
    return Behaviour(hang_after=after)


def no_done() -> Behaviour:
    return Behaviour(done=False)


def vectors(change: Callable[[list[list[float]]], list[Any]]) -> Behaviour:
    """Embeddings, as lists of numbers, after `change`."""

    def edit(body: Body) -> Body:
        rows = change([as_list(item["embedding"]) for item in body["data"]])
        return {**body, "data": [{"object": "embedding", "index": i, "embedding": row} for i, row in enumerate(rows)]}

    return edited(edit)


def nan_vectors() -> Behaviour:
    return vectors(lambda rows: [[float("nan"), *row[1:]] for row in rows])


def wrong_dimension(dimensions: int = 7) -> Behaviour:
    return vectors(lambda rows: [row[:dimensions] for row in rows])


def wrong_count() -> Behaviour:
    return vectors(lambda rows: rows[:-1])


class ScriptedModel:
    """The server, on its own thread; use it as a context manager."""

    def __init__(self, port: int = 0) -> None:
        self.port = port
        self.requests: list[Request] = []
        self.completes = False
        self.hang_ups = 0  # connections that the client closed before it had its answer
        self.reply: Callable[[Body], str] = echo  # from a chat request's body to the text of the answer
        self.find_facts: Callable[[Body], str] = no_facts  # where facts are asked for
        self._script: dict[str, list[tuple[str, Behaviour]]] = {
            kind: []
            for kind in (
                "chat",
                "completions",
                "responses",
                "messages",
                "count_tokens",
                "embeddings",
                "models",
                *BACKGROUND.values(),
            )
        }
        self._always: dict[str, Behaviour] = {}
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="scripted-model", daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def script(self, *behaviours: Behaviour, on: str = "chat", about: str = "") -> None:
        """The next requests to `on` (a kind) that hold `about` are answered so, in this order, then by default again.

        What is asked in the background of another test's messages may come at any time: `about` tells it apart.
        """
        self._script[on].extend((about, behaviour) for behaviour in behaviours)

    def forget_script(self) -> None:
        """No request is answered by a script that none has come for."""
        for behaviours in self._script.values():
            behaviours.clear()

    def always(self, behaviour: Behaviour | None, *, on: str = "chat") -> None:
        """Every request to `on` without a script is answered so; None: by default again."""
        if behaviour is None:
            self._always.pop(on, None)
        else:
            self._always[on] = behaviour

    def asked(self, on: str) -> list[Body]:
        """The bodies of the requests to `on`, oldest first; those that went along with others as if by themselves."""
        asked: list[Body] = []
        for request in self.requests:
            if request.kind == on:
                asked.append(request.body)
            elif request.kind == "together":
                asked += [body for name, body in request.parts.items() if PARTS[name] == on]
        return asked

    def __enter__(self) -> "ScriptedModel":
        self._thread.start()
        assert self._ready.wait(10), "the scripted model did not start"
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", self.port))
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        self._loop.run_forever()
        server.close()
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self._loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (request := await _read_request(reader)) is not None:
                self.requests.append(request)
                try:
                    await self._respond(request, reader, writer)
                except ConnectionError:
                    raise _ClientLeft from None
        except _ClientLeft:
            self.hang_ups += 1
        except (_Cut, ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.transport.abort()

    async def _respond(self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        kind = request.kind
        if kind not in self._script or (kind == "completions" and not self.completes):
            return await _send(writer, 404, json.dumps({"error": {"message": "no such path"}}).encode())
        behaviour = self._next(request)
        if kind == "models" and behaviour == Behaviour():
            behaviour = models("scripted")
        await _pause(reader, behaviour.delay)
        if behaviour.hang:
            await _pause(reader, 3600)
        if behaviour.raw is not None:
            return await _send(writer, behaviour.status, behaviour.raw, behaviour.headers)
        if kind == "together" and behaviour.text is None:
            behaviour = replace(behaviour, text=await self._together(request, reader))
        if kind == "chat" and request.body.get("stream"):
            return await self._stream(request.body, behaviour, reader, writer)
        if kind == "completions":
            return await self._completion(request.body, behaviour, writer)
        if kind == "responses":
            return await self._response(request.body, behaviour, reader, writer)
        if kind == "messages":
            return await self._message(request.body, behaviour, reader, writer)
        if kind == "count_tokens":
            return await _send(writer, 200, b'{"input_tokens": 42}')
        embedding = kind == "embeddings"
        body = embeddings_body(request.body) if embedding else self._chat_body(request.body, behaviour, kind)
        edited_body = behaviour.edit(body) if behaviour.edit else body
        if behaviour.cut_after is not None:
            raise _Cut
        return await _send(writer, behaviour.status, json.dumps(edited_body).encode(), behaviour.headers)

    def _next(self, request: Request, *, keeping: bool = False) -> Behaviour:
        """`keeping`: a script that refuses stays."""
        script, asked = self._script[request.kind], json.dumps(request.body, ensure_ascii=False)
        for at, (about, behaviour) in enumerate(script):
            if about in asked:
                return behaviour if keeping and behaviour.status != 200 else script.pop(at)[1]
        return self._always.get(request.kind, Behaviour())

    def _chat_body(self, asked: Body, behaviour: Behaviour, kind: str = "chat") -> Body:
        reply = {"facts": self.find_facts, "observations": no_observations, "title": first_words}.get(kind, self.reply)
        text = behaviour.text if behaviour.text is not None else reply(asked)
        message: Body = {"role": "assistant", "content": text, "refusal": None}
        if behaviour.calls:
            calls = [tool_call(at, call) for at, call in enumerate(behaviour.calls)]
            message |= {"content": text or None, "tool_calls": calls}
        choice = {"index": 0, "message": message, "finish_reason": behaviour.finish_reason}
        return {
            "id": "chatcmpl-scripted",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": asked["model"],
            "choices": [choice],
            "usage": usage(asked, text),
        }

    async def _together(self, request: Request, reader: asyncio.StreamReader) -> str:
        """What it would say to each part by itself, in one answer; without those that it refuses."""
        whole: Body = {}
        for name, body in request.parts.items():
            behaviour = self._next(Request(request.path, request.headers, body), keeping=True)
            if behaviour.status != 200:
                continue
            await _pause(reader, behaviour.delay)
            text = self._chat_body(body, behaviour, PARTS[name])["choices"][0]["message"]["content"]
            try:
                whole |= json.loads(text)
            except ValueError:
                whole[name] = text
        return json.dumps(whole)

    async def _completion(self, asked: Body, behaviour: Behaviour, writer: asyncio.StreamWriter) -> None:
        """A completion, whole or in chunks."""
        asked_as = {"messages": [{"role": "user", "content": str(asked["prompt"])}]}
        text = behaviour.text if behaviour.text is not None else self.reply(asked_as)
        whole, chunks = completion_and_chunks(asked, text)
        if not asked.get("stream"):
            return await _send(writer, behaviour.status, json.dumps(whole).encode(), behaviour.headers)
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        for sent, chunk in enumerate(chunks):
            if sent == behaviour.cut_after:
                raise _Cut
            await _send_chunk(writer, f"data: {json.dumps(chunk)}\n\n".encode())
        await _send_chunk(writer, b"data: [DONE]\n\n")
        return await _send_chunk(writer, b"")

    async def _response(
        self, asked: Body, behaviour: Behaviour, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """An answer of the Responses API, whole or in events."""
        text = behaviour.text if behaviour.text is not None else self.reply({"messages": input_messages(asked)})
        events = response_events(asked, text, behaviour.calls)
        if not asked.get("stream"):
            whole = events[-1]["response"]
            edited_body = behaviour.edit(whole) if behaviour.edit else whole
            return await _send(writer, behaviour.status, json.dumps(edited_body).encode(), behaviour.headers)
        return await self._send_events(events, behaviour, reader, writer)

    async def _message(
        self, asked: Body, behaviour: Behaviour, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """An answer of Anthropic's API, whole or in events."""
        text = behaviour.text if behaviour.text is not None else self.reply(asked)
        whole, events = message_and_events(asked, text, behaviour.calls)
        headers = (*behaviour.headers, ("request-id", "req_scripted"))
        if not asked.get("stream"):
            edited_body = behaviour.edit(whole) if behaviour.edit else whole
            return await _send(writer, behaviour.status, json.dumps(edited_body).encode(), headers)
        return await self._send_events(events, behaviour, reader, writer)

    async def _send_events(
        self, events: list[Body], behaviour: Behaviour, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        for sent, event in enumerate(events):
            if sent == behaviour.cut_after:
                raise _Cut
            if sent == behaviour.hang_after:
                await _silence(reader, behaviour.go_on)
            data = json.dumps(behaviour.edit(event) if behaviour.edit else event)
            await _send_chunk(writer, f"event: {event['type']}\ndata: {data}\n\n".encode())
        return await _send_chunk(writer, b"")

    async def _stream(
        self, asked: Body, behaviour: Behaviour, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        whole = self._chat_body(asked, behaviour)
        text = whole["choices"][0]["message"]["content"] or ""
        pieces = behaviour.pieces if behaviour.pieces is not None else re.findall(r"\S+\s*|\s+", text)
        head = {key: whole[key] for key in ("id", "created", "model")} | {"object": "chat.completion.chunk"}

        def chunk(delta: Body, reason: str | None = None) -> Body:
            return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

        chunks = [chunk({"role": "assistant", "content": ""}), *(chunk({"content": piece}) for piece in pieces)]
        for at, called in enumerate(behaviour.calls):
            whole_call = tool_call(at, called)
            named, written = dict(whole_call["function"], arguments=""), whole_call["function"]["arguments"]
            chunks.append(chunk({"tool_calls": [whole_call | {"index": at, "function": named}]}))
            parts = (written[: len(written) // 2], written[len(written) // 2 :])
            chunks += [chunk({"tool_calls": [{"index": at, "function": {"arguments": part}}]}) for part in parts]
        if behaviour.finish_reason is not None:
            chunks.append(chunk({}, behaviour.finish_reason))
        if (asked.get("stream_options") or {}).get("include_usage"):
            chunks.append({**head, "choices": [], "usage": whole["usage"]})
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        for sent, body in enumerate(chunks):
            if sent == behaviour.cut_after:
                raise _Cut
            if sent == behaviour.hang_after:
                await _silence(reader, behaviour.go_on)
            data = json.dumps(behaviour.edit(body) if behaviour.edit else body)
            await _send_chunk(writer, f"data: {data}\n\n".encode())
        if behaviour.done:
            await _send_chunk(writer, b"data: [DONE]\n\n")
        await _send_chunk(writer, b"")


class _ClientLeft(Exception):
    """The client closed the connection while it was owed an answer."""


class _Cut(Exception):
    """The connection is to break."""


async def _pause(reader: asyncio.StreamReader, seconds: float) -> None:
    """Wait, or notice that the client has left."""
    if seconds:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await reader.read(1)
            raise _ClientLeft


async def _silence(reader: asyncio.StreamReader, until: threading.Event | None) -> None:
    while until is None or not until.is_set():
        await _pause(reader, 3600 if until is None else 0.02)


async def _read_request(reader: asyncio.StreamReader) -> Request | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    except asyncio.IncompleteReadError:
        return None
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
    raw = await reader.readexactly(int(headers.get("content-length", 0)))
    return Request(head[0].split()[1], headers, json.loads(raw) if raw else {})


async def _send(
    writer: asyncio.StreamWriter, code: int, body: bytes, headers: tuple[tuple[str, str], ...] = ()
) -> None:
    fields = {"content-type": "application/json", "content-length": str(len(body)), **dict(headers)}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    writer.write(f"HTTP/1.1 {code} Scripted\r\n{head}\r\n".encode() + body)
    await writer.drain()


async def _send_chunk(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(b"%x\r\n%s\r\n" % (len(data), data))
    await writer.drain()


def echo(asked: Body) -> str:
    """The default answer: what the user said last."""
    said = [content_text(message["content"]) for message in asked["messages"] if message["role"] == "user"]
    return f"You said: {said[-1]}" if said else "You said nothing."


def input_messages(asked: Body) -> list[Body]:
    """The messages in the input of a request for a response."""
    given = asked["input"]
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    return [item for item in items if "role" in item]


def response_events(asked: Body, text: str, calls: tuple[tuple[str, str], ...]) -> list[Body]:
    """The events of a response that says a text and calls functions. The last one has it whole."""
    head = {"id": "resp_scripted", "object": "response", "created_at": int(time.time()), "model": asked["model"]}
    head |= {"status": "in_progress", "output": [], "parallel_tool_calls": True, "tools": asked.get("tools") or []}
    head |= {"tool_choice": "auto", "store": asked.get("store"), "odd": {"kept": True}}
    events: list[Body] = [{"type": f"response.{kind}", "response": head} for kind in ("created", "in_progress")]
    output: list[Body] = []
    if text or not calls:
        item = {"id": "msg_scripted", "type": "message", "role": "assistant", "status": "in_progress", "content": []}
        place = {"item_id": item["id"], "output_index": 0, "content_index": 0}
        part = {"type": "output_text", "text": text, "annotations": []}
        output.append(item | {"status": "completed", "content": [part]})
        events.append({"type": "response.output_item.added", "output_index": 0, "item": item})
        events.append({"type": "response.content_part.added", "part": part | {"text": ""}} | place)
        pieces = re.findall(r"\S+\s*|\s+", text)
        events += [{"type": "response.output_text.delta", "delta": one, "logprobs": []} | place for one in pieces]
        events.append({"type": "response.output_text.done", "text": text, "logprobs": []} | place)
        events.append({"type": "response.content_part.done", "part": part} | place)
        events.append({"type": "response.output_item.done", "output_index": 0, "item": output[0]})
    for name, arguments in calls:
        at = len(output)
        call = {"id": f"fc_{at}", "type": "function_call", "call_id": f"call-{at}", "name": name, "status": "completed"}
        output.append(call | {"arguments": arguments})
        place = {"item_id": call["id"], "output_index": at}
        events.append({"type": "response.output_item.added", "output_index": at, "item": call | {"arguments": ""}})
        events.append({"type": "response.function_call_arguments.delta", "delta": arguments} | place)
        events.append({"type": "response.function_call_arguments.done", "arguments": arguments} | place)
        events.append({"type": "response.output_item.done", "output_index": at, "item": output[-1]})
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    tokens = {"input_tokens": 7, "output_tokens": 5, "total_tokens": 12} | details
    whole = head | {"status": "completed", "output": output, "usage": tokens}
    events.append({"type": "response.completed", "response": whole})
    return [event | {"sequence_number": number} for number, event in enumerate(events)]


def first_words(asked: Body) -> str:
    """The title that rules would make of one sentence."""
    return content_text(asked["messages"][-1]["content"])


def no_facts(asked: Body) -> str:
    """Neither facts nor decisions on them."""
    del asked
    return '{"facts": [], "decisions": []}'


def no_observations(asked: Body) -> str:
    """Nothing to note."""
    del asked
    return '{"findings": [], "insights": [], "lessons": []}'


def content_text(content: Any) -> str:
    """A message's text, with images as a word."""
    if isinstance(content, str):
        return content
    return " ".join(
        part["text"] if part["type"] in ("text", "input_text", "output_text") else "(image)" for part in content or ()
    )


def tool_call(at: int, called: tuple[str, str]) -> Body:
    """The `at`-th call of an answer."""
    return {"id": f"call-{at}", "type": "function", "function": {"name": called[0], "arguments": called[1]}}


def usage(asked: Body, text: str) -> Body:
    """A token for every four characters."""
    prompt = sum(len(content_text(message.get("content") or "")) for message in asked["messages"]) // 4 + 1
    completion = len(text) // 4 + 1
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def embeddings_body(asked: Body) -> Body:
    """OpenAI's answer for the texts in `input`, in the encoding that was asked for."""
    texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
    rows = [text_vector(text, asked.get("dimensions") or DIMENSIONS) for text in texts]
    in_base64 = asked.get("encoding_format") == "base64"
    data = [
        {
            "object": "embedding",
            "index": number,
            "embedding": base64.b64encode(row.tobytes()).decode() if in_base64 else row.tolist(),
        }
        for number, row in enumerate(rows)
    ]
    tokens = sum(len(text) // 4 + 1 for text in texts)
    count = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": data, "model": asked["model"], "usage": count}


def as_list(embedding: str | list[float]) -> list[float]:
    """An embedding as numbers, whichever encoding it has."""
    if isinstance(embedding, str):
        numbers: list[float] = np.frombuffer(base64.b64decode(embedding), dtype="<f4").tolist()
        return numbers
    return embedding


def text_vector(text: str, dimensions: int = DIMENSIONS) -> NDArray[np.float32]:
    """The sum of its words' directions, shape (dimensions,), length 1: the more words two texts share, the closer."""
    words = re.findall(r"\w+", text.lower()) or [""]
    total = np.sum([_word_vector(word, dimensions) for word in words], axis=0)
    vector: NDArray[np.float32] = (total / np.linalg.norm(total)).astype(np.float32)
    return vector


@lru_cache(10_000)
def _word_vector(word: str, dimensions: int) -> NDArray[np.float64]:
    seed = int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "little")
    return np.random.default_rng(seed).standard_normal(dimensions)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=9999)
    with ScriptedModel(parser.parse_args().port) as model:
        print(f"OPENAI_BASE_URL={model.url}", flush=True)  # noqa: T201
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    main()
