"""A provider's response, of the Responses API, read as it goes by, whole or in events."""

from collections.abc import AsyncGenerator, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from agents.openai_chat import memory_hits, object_of, written
from agents.openai_responses import WHOLE, asks_client, model_of, output_of, text_of_item
from agents.proxy.answer import HeldAnswer
from memory.domain import Hit
from utils.errors import ModelUnavailable

TEXTS = ("response.output_text.delta", "response.refusal.delta")
FAILURES = ("response.failed", "error")


@dataclass
class ProxiedResponse(HeldAnswer):
    """A response of OpenAI's API, read as it goes by."""

    _number: int = 0  # of the last event
    _begun: Mapping[str, Any] | None = None  # the response as the last event told it

    def read_whole(self, answer: Mapping[str, Any]) -> str | None:
        if not isinstance(answer.get("output"), list):
            return None if answer.get("error") else "The model's answer is not a response"
        self._read(answer)
        return None

    def _read(self, response: Mapping[str, Any]) -> None:
        self.said = ["\n".join(filter(None, map(text_of_item, output_of(response))))]
        self.calls, self.model = asks_client(response), model_of(response)
        self.whole = response.get("status") != "failed"
        usage = response.get("usage")
        if isinstance(usage, dict):
            counts = [usage.get(name) for name in ("input_tokens", "output_tokens")]
            self.prompt_tokens, self.completion_tokens = (n if isinstance(n, int) and n > 0 else 0 for n in counts)

    async def passed_on(self, events: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
        async for event in events:
            if (told := object_of(event)) is None:
                yield event
                continue
            number = told.get("sequence_number")
            self._number = number if isinstance(number, int) else self._number + 1
            if told.get("type") in FAILURES:
                yield event
                return
            response = told.get("response")
            if isinstance(response, dict):
                self._begun = response
                if told.get("type") in WHOLE:
                    self._read(response)
                    self.last = told
                    return
            if told.get("type") in TEXTS:
                self.said.append(str(told.get("delta") or ""))
            yield event
        raise ModelUnavailable("The model's stream ended before its answer did")

    def last_events(self, hits: Iterable[Hit]) -> list[bytes]:
        if self.last is None:
            return []
        return [event_of(self.last | {"response": self.last["response"] | {"memory_hits": memory_hits(hits)}})]

    def error_event(self, error: Mapping[str, Any]) -> bytes:
        number = self._number + 1
        if self._begun is None:
            return event_of(failure(error, number))
        told = {"code": "server_error", "message": str(error.get("message") or "")}
        response = {**self._begun, "status": "failed", "error": told}
        return event_of({"type": "response.failed", "response": response, "sequence_number": number})


def event_of(told: Mapping[str, Any]) -> bytes:
    """A server-sent event of the Responses API, which bears its type as its name."""
    return b"event: " + str(told.get("type")).encode() + b"\ndata: " + written(told) + b"\n\n"


def failure(error: Mapping[str, Any], number: int) -> dict[str, Any]:
    """The event of an error, under the number that it has in its stream."""
    told = {name: error.get(name) for name in ("code", "message", "param")}
    return {"type": "error", **told, "sequence_number": number}
