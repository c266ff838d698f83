"""Rounds of a model that may use tools: its calls are carried out, and it is asked on, a few times."""

from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, Protocol, cast

import orjson

from utils.chat import ChatModel, ChatOptions, Completion, Message, Tool, ToolCall, Usage
from utils.errors import ModelGarbage

MOST_CALLS = 16  # of one round that are carried out
TOO_MANY = '{"error": "Not carried out: too many calls at once"}'
ROUNDS = 4  # times that a model is asked for one answer; the last time, it may call nothing
APART = "\n\n"  # between what it says before calls and after them


class Toolbox(Protocol):
    """Tools, as OpenAI's API takes them."""

    @property
    def schema(self) -> list[dict[str, object]]: ...

    async def answers(self, calls: Iterable[Any] | None) -> list[dict[str, str]]:
        """The messages that answer the calls of an assistant's message; never raises for what a model wrote."""
        ...


@dataclass(frozen=True)
class Talked:
    """The whole answer. `completion`: what was said and spent in all. `beyond`: characters that were sent beside the
    first messages."""

    completion: Completion
    beyond: int = 0


class Rounds:
    """The rounds in which a model answers one prompt, and calls tools before it does. They are gone through once.
    `tools_used`: the names of the tools that it used so far, each once, also where no answer comes of it."""

    def __init__(
        self, model: ChatModel, messages: Sequence[Message], toolbox: Toolbox | None, options: ChatOptions
    ) -> None:
        """`options`: how it is asked each time, but for tools."""
        self.tools_used: tuple[str, ...] = ()
        self._model = model
        self._toolbox = toolbox
        self._tools = cast(list[Tool], toolbox.schema) if toolbox is not None else []
        self._options: ChatOptions = {**options, "tools": self._tools}
        self._sent = list(messages)

    @property
    def model(self) -> str:
        """The name of the model that is asked."""
        return self._options.get("model") or self._model.model

    async def answer(self, *, streamed: bool) -> AsyncGenerator[str | Talked, None]:
        """The answer's text as it comes, where it is streamed, then one `Talked`.

        Raises `ModelError` as `ChatModel` does, and where the model calls tools and says nothing.
        """
        parts: list[Completion] = []
        beyond = -_characters(self._sent)
        for left in reversed(range(ROUNDS)):
            beyond += _characters(self._sent) + (_characters(self._tools) if self._tools else 0)
            pieces = self._ask(may_call=left > 0, streamed=streamed)
            said = bool(parts and _text(parts))
            async with aclosing(pieces):
                async for piece in pieces:
                    if isinstance(piece, Completion):
                        parts.append(piece)
                        continue
                    if said:
                        yield APART
                        said = False
                    yield piece
            if self._toolbox is None or not parts[-1].calls or not left:
                break
            await self._carry_out(self._toolbox, parts[-1])
        text = _text(parts)
        if not text.strip():
            raise ModelGarbage("The model calls tools and says nothing")
        whole = replace(parts[-1], text=text, usage=_sum([part.usage for part in parts]), calls=())
        yield Talked(whole, beyond)

    async def _carry_out(self, toolbox: Toolbox, said: Completion) -> None:
        calls = said.calls[:MOST_CALLS]
        self.tools_used = tuple(dict.fromkeys([*self.tools_used, *(call.name for call in calls)]))
        written = [_written(call) for call in said.calls]
        self._sent.append(cast(Message, {"role": "assistant", "content": said.text or None, "tool_calls": written}))
        self._sent += cast(list[Message], await toolbox.answers(written[:MOST_CALLS]))
        self._sent += [{"role": "tool", "tool_call_id": one.id, "content": TOO_MANY} for one in said.calls[MOST_CALLS:]]

    async def _ask(self, *, may_call: bool, streamed: bool) -> AsyncGenerator[str | Completion, None]:
        options: ChatOptions = {**self._options, "may_call": may_call}
        if not streamed:
            yield await self._model.complete(self._sent, **options)
            return
        stream = self._model.stream(self._sent, **options)
        async with aclosing(stream):
            async for piece in stream:
                yield piece


def _text(parts: Sequence[Completion]) -> str:
    return APART.join(part.text for part in parts if part.text)


def _sum(usages: Sequence[Usage | None]) -> Usage | None:
    """What all of them took; None where the provider did not count one."""
    counted = [usage for usage in usages if usage is not None]
    if len(counted) < len(usages):
        return None
    return Usage(sum(one.prompt_tokens for one in counted), sum(one.completion_tokens for one in counted))


def _written(call: ToolCall) -> dict[str, object]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def _characters(sent: Sequence[object]) -> int:
    """What messages or tools take; a message's text counts as it is, all else as JSON."""
    return sum(
        len(one["content"]) if isinstance(one, dict) and set(one) == {"role", "content"} else len(orjson.dumps(one))
        for one in sent
    )
