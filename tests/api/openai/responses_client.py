"""How tests ask for responses, and what they look at."""

from typing import Any

from openai import OpenAI

from tests.scripted_model import Body, ScriptedModel

KNOWN = {  # events of a text, in the order in which they come
    "text": [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
    ],
    "call": [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.function_call_arguments.delta",
        "response.function_call_arguments.done",
        "response.output_item.done",
        "response.completed",
    ],
}
TOOL: Any = {
    "type": "function",
    "name": "weather",
    "description": "The weather of a city",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    "strict": False,
}


def respond(client: OpenAI, text: Any, **more: Any) -> Any:
    return client.responses.create(model="gpt-test", input=text, **more)


def kinds(events: list[Any]) -> list[str]:
    """The types of events, each run of deltas as one; their numbers have no gap."""
    assert [event.sequence_number for event in events] == list(range(len(events)))
    names = [event.type for event in events]
    return [name for at, name in enumerate(names) if at == 0 or name != names[at - 1]]


def last_asked(model: ScriptedModel, on: str = "chat") -> Body:
    """The body of the last request to the provider, among what Loci asks in the background."""
    return [request.body for request in model.requests if request.kind == on][-1]


def output_output(call: Any, output: str) -> Any:
    return {"type": "function_call_output", "call_id": call.call_id, "output": output}
