"""A chat completion as a message of Anthropic's, whole or in the events of a stream."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from agents.openai_chat import choices_of, message_in, parsed, text_of
from api.openai.wire import RULES, Json
from utils.text import count_tokens

REASONS = {"length": "max_tokens", "tool_calls": "tool_use", "function_call": "tool_use", "content_filter": "refusal"}
THOUGHTS = ("reasoning_content", "reasoning")  # by which names servers send what a model thinks
EMPTY: dict[str, Json] = {  # how blocks begin
    "text": {"type": "text", "text": ""},
    "thinking": {"type": "thinking", "thinking": "", "signature": ""},
}
DELTAS = {"text": ("text_delta", "text"), "thinking": ("thinking_delta", "thinking")}


@dataclass
class _Call:
    """A call of a tool, as far as it has come."""

    identifier: str
    name: str
    pieces: list[str] = field(default_factory=list)

    @property
    def arguments(self) -> Json:
        text = "".join(self.pieces)
        known = parsed(text.encode()) if text.strip() else {}
        return known if isinstance(known, dict) else {"arguments": text}


@dataclass
class MessageWriter:
    """Writes one message. `identifier`: its id, without `msg_`; `asked`: tokens that the request is thought to have,
    until the provider says."""

    identifier: str
    asked: int
    model: str = RULES
    content: list[Json] = field(default_factory=list)
    more: Json = field(default_factory=dict)
    _usage: Mapping[str, Any] | None = None
    _begun: bool = False
    _kind: str = ""  # of the block that is under way
    _texts: list[str] = field(default_factory=list)
    _calls: dict[object, _Call] = field(default_factory=dict)
    _streamed: object = None  # the call that is under way; others wait until all else is said
    _reason: str | None = None
    _sequence: str | None = None

    def read(self, chunk: Mapping[str, Any]) -> Iterator[Json]:
        """Events of a chunk, or of a whole completion."""
        if isinstance(model := chunk.get("model"), str) and model:
            self.model = model
        if isinstance(usage := chunk.get("usage"), dict):
            self._usage = usage
        if "memory_hits" in chunk:
            self.more["memory_hits"] = chunk["memory_hits"]
        if not self._begun:
            yield from self._begin()
        for choice in choices_of(chunk):
            if choice.get("index", 0) != 0:
                continue
            said = message_in(choice)
            yield from self._say("thinking", next((t for n in THOUGHTS if isinstance(t := said.get(n), str)), ""))
            yield from self._say("text", text_of(said.get("content")))
            if refusal := text_of(said.get("refusal")):
                yield from self._say("text", refusal)
                self._reason = "content_filter"
            for at, call in enumerate(said.get("tool_calls") or ()):
                if isinstance(call, dict):
                    yield from self._call(call, call.get("index", at))
            self._reason = self._reason or choice.get("finish_reason")
            if isinstance(matched := choice.get("stop_reason"), str):  # as some servers tell which sequence it was
                self._sequence = matched

    def _begin(self) -> Iterator[Json]:
        self._begun = True
        yield {"type": "message_start", "message": self._head() | {"usage": self.usage}}
        yield {"type": "ping"}

    def _head(self) -> Json:
        head = {"id": f"msg_{self.identifier}", "type": "message", "role": "assistant", "model": self.model}
        return head | {"content": [], "stop_reason": None, "stop_sequence": None}

    @property
    def usage(self) -> Json:
        """What it cost so far."""
        written = sum(map(count_tokens, self._texts)) + sum(len(str(block)) // 4 for block in self.content)
        known = self._usage or {"prompt_tokens": self.asked, "completion_tokens": written}
        details = known.get("prompt_tokens_details")
        cached = (details.get("cached_tokens") if isinstance(details, dict) else 0) or 0
        return {
            "input_tokens": max(0, (known.get("prompt_tokens") or 0) - cached),
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": cached,
            "output_tokens": known.get("completion_tokens") or 0,
        }

    @property
    def reason(self) -> str:
        if any(block["type"] == "tool_use" for block in self.content):
            return "tool_use"
        if self._sequence is not None and self._reason == "stop":
            return "stop_sequence"
        return REASONS.get(self._reason or "", "end_turn")

    def _say(self, kind: str, text: str) -> Iterator[Json]:
        """More of a text: of the block that is under way, if that is of this kind."""
        if not text:
            return
        if self._kind != kind:
            yield from self._finish()
            self._kind = kind
            yield self._event("content_block_start", content_block={**EMPTY[kind]})
        self._texts.append(text)
        delta, name = DELTAS[kind]
        yield self._event("content_block_delta", delta={"type": delta, name: text})

    def _event(self, kind: str, **fields: Any) -> Json:
        """One of the block that is under way."""
        return {"type": kind, "index": len(self.content), **fields}

    def _call(self, call: Mapping[str, Any], number: object) -> Iterator[Json]:
        """A call of a tool, or more of its arguments. Blocks come one after the other: it is sent as it comes if it is
        the first."""
        identifier = call.get("id")
        if identifier and number in self._calls and self._calls[number].identifier != identifier:
            number = identifier  # servers that number all their calls 0
        named = call.get("function")
        named = named if isinstance(named, dict) else {}
        if number not in self._calls:
            known = str(identifier or f"toolu_{self.identifier}{number}")
            self._calls[number] = made = _Call(known, str(named.get("name") or ""))
            if self._streamed is None:
                yield from self._finish()
                self._streamed, self._kind = number, "tool_use"
                yield self._event("content_block_start", content_block=_block(made, {}))
        text = named.get("arguments")
        if text:
            piece = text if isinstance(text, str) else ""
            self._calls[number].pieces.append(piece)
            if number == self._streamed:
                yield self._event("content_block_delta", delta={"type": "input_json_delta", "partial_json": piece})

    def _finish(self) -> Iterator[Json]:
        """Ends the block that is under way, and sends the calls that have waited for that."""
        if not self._kind:
            return
        if self._kind == "tool_use":
            call = self._calls.pop(self._streamed)
            yield self._event("content_block_stop")
            self.content.append(_block(call, call.arguments))
            for other in self._calls.values():
                yield self._event("content_block_start", content_block=_block(other, {}))
                written = {"type": "input_json_delta", "partial_json": "".join(other.pieces) or "{}"}
                yield self._event("content_block_delta", delta=written)
                yield self._event("content_block_stop")
                self.content.append(_block(other, other.arguments))
            self._calls.clear()
            self._streamed = None
        else:
            yield self._event("content_block_stop")
            self.content.append(EMPTY[self._kind] | {DELTAS[self._kind][1]: "".join(self._texts)})
            self._texts.clear()
        self._kind = ""

    def end(self) -> Iterator[Json]:
        """Events that finish the message."""
        if not self._begun:
            yield from self._begin()
        yield from self._finish()
        yield {
            "type": "message_delta",
            "delta": {"stop_reason": self.reason, "stop_sequence": self._matched},
            "usage": self.usage,
        }
        yield {"type": "message_stop", **self.more}

    @property
    def _matched(self) -> str | None:
        return self._sequence if self.reason == "stop_sequence" else None

    def message(self) -> Json:
        """The whole message, once it has ended."""
        ended = {"content": self.content, "stop_reason": self.reason, "stop_sequence": self._matched}
        return self._head() | ended | {"usage": self.usage} | self.more


def _block(call: _Call, given: Json) -> Json:
    return {"type": "tool_use", "id": call.identifier, "name": call.name, "input": given}
