"""Requests and answers of OpenAI's Responses API, read from JSON that may hold anything.

Its items say the same as the messages of a chat completion: here they are read as these, and memory is put among them.
"""

from collections.abc import Sequence
from typing import Any

from agents.openai_chat import JsonObject, storable, text_of

MESSAGE = "message"
TOLD = ("message", "reasoning")  # items that ask nothing of the client; after all others an answer is still to come
WHOLE = {"response.completed", "response.incomplete"}  # the last event of a stream whose answer is whole, or cut short


def items_of(given: object) -> list[JsonObject]:
    """The items of an `input`, which may be a text."""
    if isinstance(given, str):
        return [{"type": MESSAGE, "role": "user", "content": given}]
    return [item for item in given if isinstance(item, dict)] if isinstance(given, list) else []


def kind_of(item: JsonObject) -> str:
    """The type of an item; a message need not name it."""
    kind = item.get("type")
    return kind if isinstance(kind, str) else MESSAGE if "role" in item else ""


def messages_of(items: Sequence[JsonObject]) -> list[dict[str, Any]]:
    """The messages of a chat completion that say the same. What an assistant says, thinks and calls in a row is one
    message; what a provider's own tools did is said by none."""
    messages: list[dict[str, Any]] = []
    thoughts = ""

    def assistants() -> dict[str, Any]:
        """The assistant's message that is under way."""
        nonlocal thoughts
        if not messages or messages[-1]["role"] != "assistant":
            messages.append({"role": "assistant", "content": None})
        if thoughts:
            messages[-1]["reasoning_content"] = thoughts
            thoughts = ""
        return messages[-1]

    for item in items:
        match kind_of(item):
            case "message" if item.get("role") == "assistant":
                if messages and messages[-1]["role"] == "assistant" and messages[-1]["content"] is not None:
                    messages.append({"role": "assistant", "content": None})
                assistants()["content"] = _said(item.get("content"))
            case "message":
                role = "system" if item.get("role") == "developer" else item.get("role")
                messages.append({"role": role, "content": content_of(item.get("content"))})
            case "function_call":
                called = {"name": flat_name(item), "arguments": item.get("arguments")}
                _call(assistants(), {"id": item.get("call_id"), "type": "function", "function": called})
            case "custom_tool_call":
                called = {"name": flat_name(item), "input": item.get("input")}
                _call(assistants(), {"id": item.get("call_id"), "type": "custom", "custom": called})
            case "function_call_output" | "custom_tool_call_output":
                content = content_of(item.get("output"))
                messages.append({"role": "tool", "tool_call_id": item.get("call_id"), "content": content})
            case "reasoning":
                thoughts += text_of(item.get("content"))
    return messages


def flat_name(item: JsonObject) -> object:
    """The name of a tool, or of one that is called, with the namespace before it that it may have: a chat completion's
    tools have none."""
    return f"{item['namespace']}__{item.get('name')}" if item.get("namespace") else item.get("name")


def _call(message: dict[str, Any], call: JsonObject) -> None:
    message.setdefault("tool_calls", []).append(call)


def _said(content: object) -> object:
    """What an assistant said: as text, since not every server takes its parts."""
    if not isinstance(content, list):
        return content
    parts = [part for part in content if isinstance(part, dict)]
    return "\n".join(str(part.get("text") or part.get("refusal") or "") for part in parts)


def content_of(content: object) -> object:
    """The content of a chat completion's message that is the same as this."""
    if not isinstance(content, list):
        return content
    parts = [_part(part) if isinstance(part, dict) else part for part in content]
    texts = [part["text"] for part in parts if isinstance(part, dict) and part.get("type") == "text"]
    return texts[0] if len(texts) == len(parts) == 1 else parts


def _part(part: JsonObject) -> JsonObject:
    match part.get("type"):
        case "input_text" | "output_text" | "text":
            return {"type": "text", "text": part.get("text")}
        case "input_image":
            detail = {"detail": part["detail"]} if part.get("detail") else {}
            return {"type": "image_url", "image_url": {"url": part.get("image_url")} | detail}
        case "input_file":
            file = {name: part[name] for name in ("filename", "file_data", "file_id") if part.get(name)}
            return {"type": "file", "file": file}
        case _:
            return part


def item_with_text_before(item: JsonObject, text: str) -> dict[str, Any]:
    """A user's item with a text before its own, in the form that it had."""
    content = item.get("content")
    if isinstance(content, list):
        return {**item, "content": [{"type": "input_text", "text": text}, *content]}
    return {**item, "content": text + text_of(content)}


def output_of(response: JsonObject) -> list[JsonObject]:
    """The items that a response gives."""
    return items_of(response.get("output") or [])


def text_of_item(item: JsonObject) -> str:
    """What a message among the items of an output says; a refusal is said, too."""
    return str(_said(item.get("content")) or "") if kind_of(item) == MESSAGE else ""


def asks_client(response: JsonObject) -> bool:
    """Whether a response waits for what the client's tools give, so that its answer is still to come."""
    return any(kind_of(item).endswith(("_call", "_request")) and not _is_done(item) for item in output_of(response))


def _is_done(item: JsonObject) -> bool:
    """Whether a call was carried out by the provider. Those of the client's tools bear its `call_id`."""
    return "call_id" not in item and kind_of(item) != "mcp_approval_request"


def model_of(response: JsonObject) -> str:
    name = response.get("model")
    return storable(name) if isinstance(name, str) else ""
