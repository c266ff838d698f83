"""A chat completion as a response, whole or in the events of a stream."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from time import time
from typing import Any

from agents.openai_chat import choices_of, message_in, text_of
from agents.openai_responses import MESSAGE, flat_name
from api.openai.responses.request import ResponseRequest
from api.openai.wire import Json

INCOMPLETE = {"length": "max_output_tokens", "content_filter": "content_filter"}
ECHOED: Json = {  # what a response says of its request, and what it says where that named nothing
    "background": False,
    "instructions": None,
    "max_output_tokens": None,
    "max_tool_calls": None,
    "metadata": {},
    "parallel_tool_calls": True,
    "previous_response_id": None,
    "prompt_cache_key": None,
    "reasoning": {"effort": None, "summary": None},
    "safety_identifier": None,
    "service_tier": "default",
    "temperature": 1.0,
    "tool_choice": "auto",
    "tools": [],
    "top_logprobs": 0,
    "top_p": 1.0,
    "truncation": "disabled",
    "user": None,
}
# How the parts of an answer are named: of their events, and of the text in them.
TEXTS = {"output_text": "text", "refusal": "refusal", "reasoning_text": "text"}
CALLS = {
    "function_call": ("function_call_arguments", "arguments"),
    "custom_tool_call": ("custom_tool_call_input", "input"),
}
THOUGHTS = ("reasoning_content", "reasoning")  # by which names servers send what a model thinks


@dataclass
class _Open:
    """An item that is under way, at its place in the output."""

    at: int
    item: Json
    kind: str = ""  # of the part of it that is under way
    text: list[str] = field(default_factory=list)


@dataclass
class ResponseWriter:
    """Writes one response. `identifier`: its id, without `resp_`; `events` number themselves in the order in which they
    are taken."""

    identifier: str
    request: ResponseRequest
    model: str
    created: int = field(default_factory=lambda: int(time()))
    output: list[Json] = field(default_factory=list)
    usage: Json | None = None
    more: Json = field(default_factory=dict)
    _number: int = 0
    _reason: str | None = None
    _text: _Open | None = None  # the text or the thoughts that are under way
    _calls: dict[object, _Open] = field(default_factory=dict)

    def event(self, kind: str, **fields: Any) -> Json:
        """The next event."""
        event = {"type": kind, "sequence_number": self._number, **fields}
        self._number += 1
        return event

    def begin(self) -> Iterator[Json]:
        yield self.event("response.created", response=self.response("in_progress"))
        yield self.event("response.in_progress", response=self.response("in_progress"))

    def read(self, chunk: Mapping[str, Any]) -> Iterator[Json]:
        """Events of a chunk, or of a whole completion."""
        if isinstance(model := chunk.get("model"), str) and model:
            self.model = model
        if isinstance(usage := chunk.get("usage"), dict):
            self.usage = usage_of(usage)
        if "memory_hits" in chunk:
            self.more["memory_hits"] = chunk["memory_hits"]
        for choice in choices_of(chunk):
            if choice.get("index", 0) == 0:
                said = message_in(choice)
                thoughts = next((text for name in THOUGHTS if isinstance(text := said.get(name), str)), "")
                yield from self._say("reasoning_text", thoughts)
                yield from self._say("output_text", text_of(said.get("content")))
                yield from self._say("refusal", text_of(said.get("refusal")))
                for at, call in enumerate(said.get("tool_calls") or ()):
                    if isinstance(call, dict):
                        yield from self._call(call, call.get("index", at))
                self._reason = choice.get("finish_reason") or self._reason

    def end(self) -> Iterator[Json]:
        """Events that finish what is under way, but for the last of all."""
        yield from self._finish_text()
        for call in self._calls.values():
            yield from self._finish_call(call)
        self._calls.clear()

    @property
    def status(self) -> str:
        return "incomplete" if self._reason in INCOMPLETE else "completed"

    def last(self) -> Json:
        """The last event of a whole stream."""
        return self.event(f"response.{self.status}", response=self.response(self.status))

    def failed(self, error: Mapping[str, Any]) -> Json:
        """The last event of one that broke off."""
        told = {"code": "server_error", "message": str(error.get("message") or "The model broke off")}
        return self.event("response.failed", response=self.response("failed") | {"error": told})

    def response(self, status: str) -> Json:
        """The response as it is so far."""
        ended = status in ("completed", "incomplete")
        reason = {"reason": INCOMPLETE[self._reason]} if status == "incomplete" and self._reason else None
        body, conversation = self.request.body, self.request.conversation
        return {
            "id": f"resp_{self.identifier}",
            "object": "response",
            "created_at": self.created,
            "status": status,
            "completed_at": int(time()) if ended else None,
            "error": None,
            "incomplete_details": reason,
            "model": self.model,
            "output": [*self.output] if ended else [],
            "usage": self.usage if ended else None,
            "store": self.request.stored,
            "conversation": None if conversation is None else {"id": conversation},
            **{name: default if body.get(name) is None else body[name] for name, default in ECHOED.items()},
            "text": {"format": {"type": "text"}} | (body.get("text") or {}),
            **(self.more if ended else {}),
        }

    def _begin(self, item: Json, prefix: str) -> tuple[_Open, Json]:
        at = len(self.output)
        item = {"id": f"{prefix}_{self.identifier}o{at}", **item}
        self.output.append(item)
        return _Open(at, item), self.event("response.output_item.added", output_index=at, item=item.copy())

    def _end(self, under_way: _Open, **whole: Any) -> Json:
        item = under_way.item | whole
        self.output[under_way.at] = item
        return self.event("response.output_item.done", output_index=under_way.at, item=item)

    def _say(self, kind: str, text: str) -> Iterator[Json]:
        """More of a text: of what is under way, if that is of this kind."""
        if not text:
            return
        if self._text is None or self._text.kind != kind:
            yield from self._open_text(kind)
        assert self._text is not None  # noqa: S101
        self._text.text.append(text)
        yield self.event(f"response.{kind}.delta", **self._place(self._text), delta=text, **_logprobs(kind))

    def _open_text(self, kind: str) -> Iterator[Json]:
        message, under_way = kind != "reasoning_text", self._text
        if under_way is not None and message and under_way.item["type"] == MESSAGE:  # a refusal after a text
            yield from self._finish_part(under_way)
        else:
            yield from self._finish_text()
            made: Json = {"type": "reasoning", "summary": [], "content": []}
            if message:
                made = {"type": MESSAGE, "status": "in_progress", "role": "assistant", "content": []}
            self._text, added = self._begin(made, "msg" if message else "rs")
            yield added
            under_way = self._text
        under_way.kind = kind
        yield self.event("response.content_part.added", **self._place(under_way), part=_part(kind, ""))

    def _place(self, under_way: _Open) -> Json:
        content = len(under_way.item["content"])
        return {"item_id": under_way.item["id"], "output_index": under_way.at, "content_index": content}

    def _finish_part(self, under_way: _Open) -> Iterator[Json]:
        kind, text = under_way.kind, "".join(under_way.text)
        place, part = self._place(under_way), _part(kind, text)
        yield self.event(f"response.{kind}.done", **place, **{TEXTS[kind]: text}, **_logprobs(kind))
        yield self.event("response.content_part.done", **place, part=part)
        under_way.item["content"] = [*under_way.item["content"], part]
        under_way.text.clear()

    def _finish_text(self) -> Iterator[Json]:
        if (under_way := self._text) is None:
            return
        self._text = None
        yield from self._finish_part(under_way)
        ended = {"status": self.status} if under_way.item["type"] == MESSAGE else {}
        yield self._end(under_way, **ended)

    def _call(self, call: Mapping[str, Any], number: object) -> Iterator[Json]:
        """A call of a tool, or more of its arguments."""
        identifier = call.get("id")
        if identifier and number in self._calls and self._calls[number].item["call_id"] != identifier:
            number = identifier  # servers that number all their calls 0
        kind = "custom_tool_call" if isinstance(call.get("custom"), dict) else "function_call"
        event, name = CALLS[kind]
        told = call.get("custom" if kind == "custom_tool_call" else "function")
        told = told if isinstance(told, dict) else {}
        if number not in self._calls:
            yield from self._finish_text()
            made = {"type": kind, "status": "in_progress", "call_id": identifier or f"call_{self.identifier}{number}"}
            made |= self._named(str(told.get("name") or "")) | {name: ""}
            self._calls[number], added = self._begin(made, "fc" if kind == "function_call" else "ctc")
            yield added
        under_way = self._calls[number]
        if text := told.get(name):
            under_way.text.append(str(text))
            place = {"item_id": under_way.item["id"], "output_index": under_way.at}
            yield self.event(f"response.{event}.delta", **place, delta=str(text))

    def _named(self, name: str) -> Json:
        """A tool's name, and its namespace where it has one."""
        tools = (tool for tool in self.request.tools if tool.get("namespace") and flat_name(tool) == name)
        return next(({"name": tool.get("name"), "namespace": tool["namespace"]} for tool in tools), {"name": name})

    def _finish_call(self, under_way: _Open) -> Iterator[Json]:
        event, name = CALLS[under_way.item["type"]]
        whole = {name: "".join(under_way.text)}
        place = {"item_id": under_way.item["id"], "output_index": under_way.at}
        yield self.event(f"response.{event}.done", **place, **whole)
        yield self._end(under_way, status=self.status, **whole)


def _part(kind: str, text: str) -> Json:
    if kind == "output_text":
        return {"type": kind, "annotations": [], "logprobs": [], "text": text}
    return {"type": kind, TEXTS[kind]: text}


def _logprobs(kind: str) -> Json:
    return {"logprobs": []} if kind == "output_text" else {}


def usage_of(usage: Mapping[str, Any]) -> Json:
    """What a chat completion says of its tokens, as a response does."""
    given, made = (usage.get(name) or 0 for name in ("prompt_tokens", "completion_tokens"))
    of_given, of_made = (usage.get(f"{name}_tokens_details") or {} for name in ("prompt", "completion"))
    return {
        "input_tokens": given,
        "input_tokens_details": {"cached_tokens": of_given.get("cached_tokens") or 0, "cache_write_tokens": 0},
        "output_tokens": made,
        "output_tokens_details": {"reasoning_tokens": of_made.get("reasoning_tokens") or 0},
        "total_tokens": usage.get("total_tokens") or given + made,
    }
