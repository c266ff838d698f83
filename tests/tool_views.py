"""Views of an agent's step, for tests that look at what they hold."""

from typing import Any

from agents.tools.messages import interactions
from agents.tools.view import Step, ViewOptions, view_of
from memory.views.records import ToolRecord
from tests.tool_calls import Message, step

ALL = ViewOptions(top_k=3, max_chars=2_000)
SYSTEM = {"role": "system", "content": "Be brief."}
LONG = "lorem ipsum dolor sit amet " * 40


def known(messages: list[Message], ranked: tuple[str, ...] = (), summary: str = "") -> Step:
    """A step whose records have the ids of their calls, padded."""
    found = interactions(messages)
    records = [
        ToolRecord(each.call_id.ljust(8, "-"), each.tool_name, each.arguments, each.content, summary)
        for one in found
        for each in one.results
    ]
    first = len(records) - len(found[-1].results)
    return Step(tuple(messages), found[-1], tuple(records[first:]), tuple(records[:first]), ranked)


def view(messages: list[Message], options: ViewOptions = ALL, **more: Any) -> list[Message]:
    return [dict(message) for message in view_of(known(messages, **more), options)]


def shapes(count: int) -> list[Message]:
    """Steps whose results have no field in common."""
    return [message for at in range(count) for message in step(at, {f"field{at}": f"HAT{at:03}"})]
