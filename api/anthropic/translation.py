"""A request for a message as one for a chat completion. What has no counterpart there is refused in words, or left out
where the answer is the same without it."""

from collections.abc import Iterator, Mapping
from typing import Any

from agents.anthropic_messages import blocks_of, messages_in, messages_of
from api.openai.wire import InvalidField, Json

ROLES = ("user", "assistant", "system")
SAME = ("model", "max_tokens", "temperature", "top_p", "stream")
REFUSED = ("container", "mcp_servers")
CHOICES = {"auto": "auto", "any": "required", "none": "none"}
NO_THREADS = "thread: memory goes by whole conversations; send all messages, and no thread"
ONLY_THERE = "{}: without ANTHROPIC_BASE_URL there is nobody who has {}"


def check_messages(body: Json) -> None:
    """Refuses what no provider takes, and threads, of which memory would see the newest message alone. Raises
    `InvalidField`."""
    if body.get("thread") is not None:
        raise InvalidField(
            NO_THREADS, "thread", "thread_unsupported_request"
        )  # upon which the SDK's tool runner sends all
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise InvalidField("messages: must be a list of at least one message", "messages")
    for at, message in enumerate(messages):
        if not isinstance(message, dict):
            raise InvalidField(f"messages.{at}: must be an object", "messages")
        if message.get("role") not in ROLES:
            raise InvalidField(f"messages.{at}.role: must be one of {', '.join(ROLES)}", "messages")
        if not isinstance(message.get("content"), str | list):
            raise InvalidField(f"messages.{at}.content: must be a text, or a list of blocks", "messages")


def chat_body(body: Json, model: str | None, *, calls: bool) -> Json:
    """The body of a chat completion. `model`: that is asked; `calls`: whether whoever answers may call tools. Raises
    `InvalidField`."""
    for name in REFUSED:
        if body.get(name):
            raise InvalidField(ONLY_THERE.format(name, "such"), name)
    _check_blocks(body)
    chat = {name: body[name] for name in SAME if body.get(name) is not None}
    chat |= {"messages": messages_of(body)} | ({} if model is None else {"model": model})
    if body.get("stop_sequences"):
        chat["stop"] = body["stop_sequences"]
    shape = _object(body, "output_config").get("format") or body.get("output_format")
    if isinstance(shape, dict) and shape.get("type") == "json_schema":
        named = {"name": "answer", "schema": shape.get("schema"), "strict": True}
        chat["response_format"] = {"type": "json_schema", "json_schema": named}
    if calls and body.get("tools"):
        chat |= _tools(body)
    if body.get("stream") is True:
        chat["stream_options"] = {"include_usage": True}
    return chat


def _object(body: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = body.get(name)
    return found if isinstance(found, dict) else {}


def _check_blocks(body: Json) -> None:
    """Files that stand at a provider, and documents at an address, have no name in a chat completion."""
    for message in messages_in(body):
        for block in _all_blocks(message.get("content")):
            kind, source = block.get("type"), _object(block, "source").get("type")
            if kind in ("image", "document") and source == "file":
                raise InvalidField(ONLY_THERE.format(f"messages: {kind}", "files by their file_id"), "messages")
            if kind == "document" and source == "url":
                raise InvalidField(ONLY_THERE.format("messages: document", "documents by their address"), "messages")


def _all_blocks(content: object) -> Iterator[Mapping[str, Any]]:
    """Blocks, and those that the result of a tool has."""
    for block in blocks_of(content):
        yield block
        yield from blocks_of(block.get("content"))


def _tools(body: Json) -> Json:
    given, choice = body["tools"], _object(body, "tool_choice")
    made: Json = {"tools": [_tool(tool, at) for at, tool in enumerate(given if isinstance(given, list) else [given])]}
    if choice.get("type") == "tool":
        made["tool_choice"] = {"type": "function", "function": {"name": choice.get("name")}}
    elif choice.get("type") in CHOICES:
        made["tool_choice"] = CHOICES[choice["type"]]
    if choice.get("disable_parallel_tool_use") is True:
        made["parallel_tool_calls"] = False
    return made


def _tool(tool: object, at: int) -> Json:
    known = tool if isinstance(tool, dict) else {}
    if not isinstance(known.get("input_schema"), dict):
        kind = known.get("type") or "it"
        raise InvalidField(
            f"tools.{at}: {kind} is a tool that Anthropic defines; without ANTHROPIC_BASE_URL a model that knows chat "
            "completions alone is asked, whose tools have an input_schema",
            f"tools.{at}",
        )
    function = {"name": known.get("name"), "parameters": known["input_schema"]}
    function |= {name: known[name] for name in ("description", "strict") if known.get(name) is not None}
    return {"type": "function", "function": function}
