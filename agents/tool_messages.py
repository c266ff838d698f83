"""What do an agent's messages say? OpenAI's chat format, calls of tools included, as far as it can be read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.openai_chat import text_of

Message = Mapping[str, Any]  # as the client sent it: passed on, never changed

HEADING = "## Retrieved Context from Previous Steps"  # of the message that holds records (seed 0)


@dataclass(frozen=True)
class ToolResult:
    """What came back from one call. `at`: the place of its message."""

    at: int
    call_id: str
    tool_name: str
    arguments: str
    content: str


@dataclass(frozen=True)
class Interaction:
    """A message that calls tools, at `start`, and the results that follow it, up to `end`."""

    start: int
    end: int
    results: tuple[ToolResult, ...]


def interactions(messages: Sequence[Message]) -> list[Interaction]:
    """The calls of tools, in their order. A result that answers none of the calls before it is of a tool that has no
    other name."""
    found: list[Interaction] = []
    at = 0
    while at < len(messages):
        if not calls_of(messages[at]):
            at += 1
            continue
        end = at + 1
        while end < len(messages) and messages[end].get("role") == "tool":
            end += 1
        calls = {str(call.get("id")): _function(call) for call in calls_of(messages[at])}
        results = tuple(_result(place, messages[place], calls) for place in range(at + 1, end))
        found.append(Interaction(at, end, results))
        at = end
    return found


def calls_of(message: Message) -> list[Mapping[str, Any]]:
    """The calls that a message of the assistant's makes."""
    calls = message.get("tool_calls") if message.get("role") == "assistant" else None
    return [call for call in calls if isinstance(call, Mapping)] if isinstance(calls, list) else []


def said_in(message: Message) -> str:
    """The text of a message, and the arguments of the calls that it makes."""
    calls = [_text(_function(call).get("arguments")) for call in calls_of(message)]
    return "\n".join([text_of(message.get("content")), *calls])


def is_retrieved(message: Message) -> bool:
    """Whether it is the message in which records stood before."""
    return message.get("role") == "system" and text_of(message.get("content")).startswith(HEADING)


def _result(at: int, message: Message, calls: Mapping[str, Mapping[str, Any]]) -> ToolResult:
    call_id = str(message.get("tool_call_id") or "")
    function = calls.get(call_id, {})
    name = _text(function.get("name")) or _text(message.get("name")) or "tool"
    return ToolResult(at, call_id, name, _text(function.get("arguments")), text_of(message.get("content")))


def _function(call: Mapping[str, Any]) -> Mapping[str, Any]:
    function = call.get("function")
    return function if isinstance(function, Mapping) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
