"""A provider's answer, read as it goes by, whole or in chunks."""

from collections.abc import AsyncGenerator, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from agents.openai_chat import (
    DONE,
    answer_text,
    calls_tools,
    choices_of,
    data_of,
    ends,
    event_of,
    memory_hits,
    parsed,
    storable,
    without_its_end,
)
from memory.domain import Hit
from utils.errors import ModelUnavailable

HEAD = ("id", "object", "created", "model", "system_fingerprint", "service_tier")  # what chunks of a stream share


@dataclass
class ProxiedAnswer:
    """The first of its choices is the one that is remembered.

    `said`: its text so far; `whole`: whether it is finished; `calls`: whether it asks for tools, so that the answer is
    still to come. `ended`: whether every choice is finished. `last`: the chunk that is to be sent when all is kept.
    `echoed`: what the provider says again before its own.
    """

    said: list[str] = field(default_factory=list)
    model: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    whole: bool = False
    calls: bool = False
    failed: bool = False
    echoed: str = ""
    last: dict[str, Any] = field(default_factory=dict)
    _held: bool = False  # `last` is a chunk of the provider's that was not sent
    _open: set[object] = field(default_factory=set)  # the choices that are not finished
    _begun: bool = False

    @property
    def text(self) -> str:
        return "".join(self.said).removeprefix(self.echoed)

    @property
    def ended(self) -> bool:
        return self._begun and not self._open and not self.failed

    def read_whole(self, answer: Mapping[str, Any]) -> str | None:
        """Takes up an answer that was not streamed; says what is wrong where it is none."""
        if not choices_of(answer) and not answer.get("error"):
            return "The model's answer has no choices"
        self.read(answer)
        self.finish()
        return None

    def read(self, answer: Mapping[str, Any]) -> None:
        """Takes up what a whole answer or a chunk says."""
        for choice in choices_of(answer):
            number = choice.get("index", 0)
            self._begun = True
            self._open.add(number)
            if choice.get("finish_reason"):
                self._open.discard(number)
            if number == 0:
                self.said.append(answer_text(choice))
                self.calls = self.calls or calls_tools(choice)
                self.whole = self.whole or bool(choice.get("finish_reason"))
        if isinstance(model := answer.get("model"), str):
            self.model = storable(model)
        usage = answer.get("usage")
        if isinstance(usage, dict):
            counts = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")]
            self.prompt_tokens, self.completion_tokens = (n if isinstance(n, int) and n > 0 else 0 for n in counts)

    def finish(self) -> None:
        """The provider says that there is no more."""
        self.whole, self._open = True, set()

    async def passed_on(self, events: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
        """The events of a stream up to its end, but for the last chunk. What a chunk says is sent at once, how it ends
        only when the next one comes.

        Raises `ModelUnavailable` where the stream ends before its answer.
        """
        async for event in events:
            data = data_of(event)
            if data == DONE:
                if self._begun:
                    self.finish()
                break
            chunk = parsed(data) if data is not None else None
            if not isinstance(chunk, dict):
                yield event  # a comment, or nothing of ours
                continue
            if self._held:
                yield event_of(self.last)
                self._held, self.last = False, _head(self.last)
            if chunk.get("error"):
                self.failed = True
                yield event
                return
            self.read(chunk)
            if ends(chunk):
                saying, self.last = without_its_end(chunk)
                self._held = True
                if saying is not None:
                    yield event_of(saying)
            else:
                self.last = _head(chunk)
                yield event
        if not self.ended:
            raise ModelUnavailable("The model's stream ended before its answer did")

    def last_events(self, hits: Iterable[Hit]) -> list[bytes]:
        """The chunk that was held back, with what memory knew, and the end."""
        return [event_of(self.last | {"memory_hits": memory_hits(hits)}), b"data: " + DONE + b"\n\n"]

    def error_event(self, error: Mapping[str, Any]) -> bytes:
        """The last event of a stream that failed."""
        return event_of({"error": error})


def _head(chunk: Mapping[str, Any]) -> dict[str, Any]:
    """A chunk of the same stream that says nothing."""
    return {name: chunk[name] for name in HEAD if name in chunk} | {"choices": []}


@dataclass
class HeldAnswer:
    """As `ProviderAnswer` has it, of a protocol whose last event is held back. `last`: that, once it came."""

    said: list[str] = field(default_factory=list)
    model: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    whole: bool = False
    calls: bool = False
    last: dict[str, Any] | None = None

    @property
    def text(self) -> str:
        return "".join(self.said)

    @property
    def ended(self) -> bool:
        return self.last is not None
