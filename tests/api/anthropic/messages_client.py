"""How tests ask for messages, and what they look at."""

from typing import Any

from anthropic import Anthropic

from tests.scripted_model import Body, ScriptedModel

TOOL: Any = {
    "name": "weather",
    "description": "The weather of a city",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}


def ask(client: Anthropic, content: Any, before: Any = (), **more: Any) -> Any:
    messages = [*before, {"role": "user", "content": content}]
    return client.messages.create(**{"model": "claude-test", "max_tokens": 100, "messages": messages} | more)


def kinds(events: list[Any]) -> list[str]:
    """The types of a stream's events, each run of deltas as one; helpers' own left out."""
    names = [name for event in events if "_" in (name := event.type) and name not in ("input_json",)]
    return [name for at, name in enumerate(names) if at == 0 or name != names[at - 1]]


def last_asked(model: ScriptedModel, on: str = "chat") -> Body:
    """The body of the last request to the provider, among what Loci asks in the background."""
    return [request.body for request in model.requests if request.kind == on][-1]
