"""What the proxy must know of a protocol: where a request's messages are, where memory goes, how an answer is read."""

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from typing import Any, Protocol

from agents.anthropic_messages import messages_of as messages_of_blocks
from agents.anthropic_messages import with_memory as with_memory_among_blocks
from agents.openai_chat import instructed, newest_user, with_text_before
from agents.openai_completions import instructed as instructed_prompt
from agents.openai_completions import messages_of as messages_of_prompt
from agents.openai_completions import prompt_of
from agents.openai_completions import with_memory as with_memory_in_prompt
from agents.openai_responses import item_with_text_before, items_of, messages_of
from agents.proxy.answer import ProxiedAnswer
from agents.proxy.message import ProxiedMessage
from agents.proxy.response import ProxiedResponse
from memory.domain import Hit

Body = Mapping[str, Any]


class ProviderAnswer(Protocol):
    """A provider's answer, read as it goes by.

    `text`: what it says so far; `whole`: whether it is finished; `calls`: whether it asks for tools, so that the answer
    is still to come; `ended`: whether its stream is.
    """

    model: str
    prompt_tokens: int
    completion_tokens: int
    whole: bool
    calls: bool

    @property
    def text(self) -> str: ...

    @property
    def ended(self) -> bool: ...

    def read_whole(self, answer: Body) -> str | None:
        """Takes up an answer that was not streamed; says what is wrong where it is none."""

    def passed_on(self, events: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
        """The events of a stream up to its end, but for the last. Raises `ModelUnavailable` where the stream ends
        before its answer."""

    def last_events(self, hits: Iterable[Hit]) -> list[bytes]:
        """Those that were held back until all is kept, with what memory knew."""

    def error_event(self, error: Body) -> bytes:
        """The last event of a stream that failed."""


class Dialect(Protocol):
    """A protocol. `path`: of the provider's; `messages`: of a request, as a chat completion has them; `with_memory`:
    the request with a text before the user's last message; `instructed`: with instructions before its own; `answer`:
    reads that to a request."""

    path: str

    def messages(self, body: Body) -> list[dict[str, Any]]: ...

    def with_memory(self, body: Body, memory: str) -> dict[str, Any]: ...

    def instructed(self, body: Body, instructions: Sequence[str]) -> dict[str, Any]: ...

    def answer(self, body: Body) -> ProviderAnswer: ...


class ChatDialect:
    path = "/chat/completions"

    def messages(self, body: Body) -> list[dict[str, Any]]:
        messages: list[dict[str, Any]] = body["messages"]
        return messages

    def with_memory(self, body: Body, memory: str) -> dict[str, Any]:
        """All that is before the message stays as it was, for the sake of the provider's cache of prompts."""
        messages = list(body["messages"])
        at = newest_user(messages)
        if at is not None:
            messages[at] = {**messages[at], "content": with_text_before(messages[at].get("content"), memory)}
        return {**body, "messages": messages}

    def instructed(self, body: Body, instructions: Sequence[str]) -> dict[str, Any]:
        return {**body, "messages": instructed(body["messages"], instructions)}

    def answer(self, body: Body) -> ProviderAnswer:
        return ProxiedAnswer()


class CompletionsDialect:
    path = "/completions"

    def messages(self, body: Body) -> list[dict[str, Any]]:
        return messages_of_prompt(body)

    def with_memory(self, body: Body, memory: str) -> dict[str, Any]:
        return with_memory_in_prompt(body, memory)

    def instructed(self, body: Body, instructions: Sequence[str]) -> dict[str, Any]:
        return instructed_prompt(body, instructions)

    def answer(self, body: Body) -> ProviderAnswer:
        return ProxiedAnswer(echoed=prompt_of(body) if body.get("echo") else "")


class ResponsesDialect:
    path = "/responses"

    def messages(self, body: Body) -> list[dict[str, Any]]:
        return messages_of(items_of(body.get("input")))

    def with_memory(self, body: Body, memory: str) -> dict[str, Any]:
        items: list[Body] = list(items_of(body.get("input")))
        at = newest_user(items)
        if at is not None:
            items[at] = item_with_text_before(items[at], memory)
        return {**body, "input": items}

    def instructed(self, body: Body, instructions: Sequence[str]) -> dict[str, Any]:
        own = body.get("instructions")
        return {**body, "instructions": "\n\n".join([*instructions, *([own] if isinstance(own, str) and own else [])])}

    def answer(self, body: Body) -> ProviderAnswer:
        return ProxiedResponse()


class MessagesDialect:
    path = "/v1/messages"

    def messages(self, body: Body) -> list[dict[str, Any]]:
        return messages_of_blocks(body)

    def with_memory(self, body: Body, memory: str) -> dict[str, Any]:
        return with_memory_among_blocks(body, memory)

    def instructed(self, body: Body, instructions: Sequence[str]) -> dict[str, Any]:
        """They change seldom, so what a client has cached behind them holds."""
        system, text = body.get("system"), "\n\n".join(instructions)
        if isinstance(system, list):
            return {**body, "system": [{"type": "text", "text": text}, *system]}
        return {**body, "system": f"{text}\n\n{system}" if isinstance(system, str) and system else text}

    def answer(self, body: Body) -> ProviderAnswer:
        return ProxiedMessage()


CHAT: Dialect = ChatDialect()
COMPLETIONS: Dialect = CompletionsDialect()
RESPONSES: Dialect = ResponsesDialect()
MESSAGES: Dialect = MessagesDialect()
