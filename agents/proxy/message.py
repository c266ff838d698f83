"""A provider's message, of Anthropic's API, read as it goes by, whole or in events."""

from collections.abc import AsyncGenerator, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from agents.anthropic_messages import blocks_of
from agents.openai_chat import memory_hits, object_of, storable, text_of, written
from agents.proxy.answer import HeldAnswer
from memory.domain import Hit
from utils.errors import ModelUnavailable

STOP = "message_stop"
INPUT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


@dataclass
class ProxiedMessage(HeldAnswer):
    """A message of Anthropic's API, read as it goes by."""

    def read_whole(self, answer: Mapping[str, Any]) -> str | None:
        if not isinstance(answer.get("content"), list):
            return None if answer.get("error") else "The model's answer is not a message"
        self._begin(answer)
        self.said = [text_of([block for block in blocks_of(answer["content"]) if block.get("type") == "text"])]
        self.calls = any(block.get("type") == "tool_use" for block in blocks_of(answer["content"]))
        self.whole = True
        return None

    def _begin(self, message: Mapping[str, Any]) -> None:
        if isinstance(model := message.get("model"), str):
            self.model = storable(model)
        self._count(message.get("usage"))

    def _count(self, usage: object) -> None:
        counts = usage if isinstance(usage, dict) else {}
        given = sum(n for name in INPUT if isinstance(n := counts.get(name), int) and n > 0)
        self.prompt_tokens = given or self.prompt_tokens
        made = counts.get("output_tokens")
        self.completion_tokens = made if isinstance(made, int) and made > 0 else self.completion_tokens

    def _read(self, event: Mapping[str, Any]) -> None:
        """Takes up what an event says."""
        held = (event.get(name) for name in ("message", "content_block", "delta"))
        message, block, delta = (part if isinstance(part, dict) else {} for part in held)
        match event.get("type"):
            case "message_start":
                self._begin(message)
            case "content_block_start":
                self.calls = self.calls or block.get("type") == "tool_use"
                self._say(block.get("text") if block.get("type") == "text" else None, begins=True)
            case "content_block_delta":
                self._say(delta.get("text") if delta.get("type") == "text_delta" else None)
            case "message_delta":
                self.whole = self.whole or bool(delta.get("stop_reason"))
                self._count(event.get("usage"))

    def _say(self, text: object, *, begins: bool = False) -> None:
        if isinstance(text, str):
            self.said += ["\n", text] if begins and self.said else [text]

    async def passed_on(self, events: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
        async for event in events:
            if (told := object_of(event)) is None:
                yield event
                continue
            if told.get("type") == STOP:
                self.whole, self.last = True, told
                return
            self._read(told)
            yield event
            if told.get("type") == "error":
                return
        raise ModelUnavailable("The model's stream ended before its answer did")

    def last_events(self, hits: Iterable[Hit]) -> list[bytes]:
        return [] if self.last is None else [message_event(self.last | {"memory_hits": memory_hits(hits)})]

    def error_event(self, error: Mapping[str, Any]) -> bytes:
        return message_event(message_failure(error))


def message_event(event: Mapping[str, Any]) -> bytes:
    """A server-sent event of Anthropic's API, which bears its type as its name."""
    return b"event: " + str(event.get("type")).encode() + b"\ndata: " + written(event) + b"\n\n"


def message_failure(error: Mapping[str, Any]) -> dict[str, Any]:
    """The last event of a stream that failed."""
    return {"type": "error", "error": {"type": "api_error", "message": str(error.get("message") or "")}}
