"""A request for a response as one for a chat completion. What has no counterpart there is refused in words."""

from collections.abc import Mapping, Sequence
from typing import Any

from agents.openai_responses import flat_name, messages_of
from api.openai.responses.request import ResponseRequest
from api.openai.wire import InvalidField, Json

# Fields of the Responses API that are called otherwise in a chat completion, that it has no room for, and that it needs
# none for. By `max_tokens` more servers know the limit than by `max_completion_tokens`.
RENAMED = {"max_output_tokens": "max_tokens"}
REFUSED = ("prompt", "moderation")
DROPPED = frozenset(
    {
        "access_programs",
        "background",
        "client_metadata",
        "context_management",
        "conversation",
        "image",
        "include",
        "input",
        "instructions",
        "max_tool_calls",
        "metadata",
        "previous_response_id",
        "prompt_cache_options",
        "prompt_cache_retention",
        "reasoning",
        "store",
        "stream_options",
        "text",
        "tool_choice",
        "tools",
        "truncation",
    }
)
ONLY_THERE = "{}: this provider answers chat completions alone, which have no {}"


def chat_body(request: ResponseRequest, items: Sequence[Mapping[str, Any]], model: str | None, *, calls: bool) -> Json:
    """The body of a chat completion. `items`: all that the model is to see; `model`: that is asked; `calls`: whether
    whoever answers may call tools. Raises `InvalidField`."""
    body = request.body
    for name in REFUSED:
        if body.get(name) is not None:
            raise InvalidField(ONLY_THERE.format(name, "such field"), name, "unsupported_parameter")
    _check_parts(items)
    instructions = request.fields.instructions
    system = [{"role": "system", "content": instructions}] if instructions else []
    said = [message for message in messages_of(items) if message["role"] != "assistant" or _says(message)]
    chat: Json = {} if model is None else {"model": model}
    chat["messages"] = [*system, *said]
    chat |= {RENAMED.get(name, name): value for name, value in body.items() if name not in DROPPED and name != "model"}
    chat |= _format(request.fields.text or {})
    tools = request.tools if calls else []
    if tools:
        chat |= _tools(tools, request.fields.tool_choice)
    else:
        chat.pop("parallel_tool_calls", None)
        if request.fields.tool_choice not in (None, "auto"):
            chat["tool_choice"] = request.fields.tool_choice
    reasoning = body.get("reasoning")
    if isinstance(reasoning, dict) and reasoning.get("effort"):
        chat["reasoning_effort"] = reasoning["effort"]
    if body.get("top_logprobs"):
        chat["logprobs"] = True
    if request.streamed:
        chat["stream_options"] = {"include_usage": True}
    return {name: value for name, value in chat.items() if value is not None}


def _says(message: Mapping[str, Any]) -> bool:
    return message["content"] is not None or "tool_calls" in message


def _check_parts(items: Sequence[Mapping[str, Any]]) -> None:
    """Images and files that stand at a provider, and files at an address, have no name in a chat completion."""
    for item in items:
        content = item.get("content") or item.get("output")
        for part in content if isinstance(content, list) else []:
            kind = part.get("type") if isinstance(part, dict) else None
            if kind == "input_image" and not part.get("image_url"):
                raise InvalidField(ONLY_THERE.format("input_image", "file_id for images"), "input")
            if kind == "input_file" and part.get("file_url"):
                raise InvalidField(ONLY_THERE.format("input_file", "file_url"), "input")


def _format(text: Mapping[str, Any]) -> Json:
    """What an answer is to look like."""
    made: Json = {} if text.get("verbosity") is None else {"verbosity": text["verbosity"]}
    wanted = given if isinstance(given := text.get("format"), dict) else {}
    match wanted.get("type"):
        case None | "text":
            return made
        case "json_schema":
            schema = {name: value for name, value in wanted.items() if name != "type" and value is not None}
            return made | {"response_format": {"type": "json_schema", "json_schema": schema}}
        case _:
            return made | {"response_format": wanted}


def _tools(tools: Sequence[Mapping[str, Any]], choice: object) -> Json:
    if isinstance(choice, dict) and choice.get("type") == "allowed_tools":
        named = [one.get("name") for one in choice.get("tools") or () if isinstance(one, dict)]
        tools, choice = [tool for tool in tools if tool.get("name") in named], choice.get("mode")
    made: Json = {"tools": [_tool(tool, at) for at, tool in enumerate(tools)]}
    if isinstance(choice, dict):
        kind = choice.get("type")
        if kind not in ("function", "custom"):
            raise InvalidField(ONLY_THERE.format("tool_choice", f"{kind} to choose"), "tool_choice")
        choice = {"type": kind, kind: {"name": choice.get("name")}}
    return made if choice is None else made | {"tool_choice": choice}


def _tool(tool: Mapping[str, Any], at: int) -> Json:
    kind = tool.get("type")
    if kind not in ("function", "custom"):
        raise InvalidField(
            f"tools[{at}]: {kind} is a tool that a provider of the Responses API runs; this one answers chat "
            "completions alone, whose tools are functions that the client runs",
            f"tools[{at}]",
            "unsupported_parameter",
        )
    names = ("description", "parameters", "strict", "format")
    named = {"name": flat_name(tool)} | {name: tool[name] for name in names if tool.get(name) is not None}
    return {"type": kind, kind: named}
