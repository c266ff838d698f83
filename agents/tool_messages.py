"""What do an agent's messages say? OpenAI's chat format, calls of tools included, as far as it can be read."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.openai_chat import text_of
from utils.answers import repair

Message = Mapping[str, Any]  # as the client sent it: passed on, never changed

Calls = defaultdict[str, list[Mapping[str, Any]]]  # functions that are called, by the ids of the calls

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
    """A message that calls tools, at `start`, and the results that follow it, up to `end`. Without `called`: results
    alone, whose calls are not there any more."""

    start: int
    end: int
    results: tuple[ToolResult, ...]
    called: bool = True


def interactions(messages: Sequence[Message]) -> list[Interaction]:
    """The calls of tools, in their order, and results without calls. A result that answers none of the calls before it
    is of a tool that has no other name; of calls with one id, the results come in the calls' order."""
    found: list[Interaction] = []
    at = 0
    while at < len(messages):
        made = calls_of(messages[at])
        first = at + 1 if made else at
        end = first
        while end < len(messages) and messages[end].get("role") == "tool":
            end += 1
        if made or end > first:
            calls: Calls = defaultdict(list)
            for call in made:
                calls[_id(call.get("id"))].append(_function(call))
            results = tuple(_result(place, messages[place], calls) for place in range(first, end))
            found.append(Interaction(at, end, results, bool(made)))
        at = max(end, at + 1)
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


def _result(at: int, message: Message, calls: Calls) -> ToolResult:
    """Takes the call that a result answers, if others wait for a result under the same id."""
    call_id = _id(message.get("tool_call_id"))
    waiting = calls[call_id]
    function = (waiting.pop(0) if len(waiting) > 1 else waiting[0]) if waiting else {}
    name = _text(function.get("name")) or _text(message.get("name")) or "tool"
    content = repair(text_of(message.get("content")))
    return ToolResult(at, call_id, name, _text(function.get("arguments")), content)


def _function(call: Mapping[str, Any]) -> Mapping[str, Any]:
    function = call.get("function")
    return function if isinstance(function, Mapping) else {}


def _id(value: object) -> str:
    return "" if value is None else repair(str(value))


def _text(value: object) -> str:
    return repair(value) if isinstance(value, str) else ""
