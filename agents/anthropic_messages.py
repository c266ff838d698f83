"""Requests and answers of Anthropic's Messages, read from JSON that may hold anything.

Its blocks say the same as the messages of a chat completion: here they are read as these, and memory is put among them.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from agents.openai_chat import ASIDE, JsonObject, said_in, text_of

TOOL_RESULT = "tool_result"
CACHED = "cache_control"
BILLING = "x-anthropic-billing-header:"  # with which Claude Code begins; another each time, it would spoil caches


def blocks_of(content: object) -> list[JsonObject]:
    """The blocks of a content, which may be a text."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def messages_in(body: JsonObject) -> list[JsonObject]:
    given = body.get("messages")
    return [message for message in given if isinstance(message, dict)] if isinstance(given, list) else []


def messages_of(body: JsonObject) -> list[dict[str, Any]]:
    """The messages of a chat completion that say the same. What the system says amid a conversation is an aside to the
    user's message: few models take it elsewhere than in front."""
    messages: list[dict[str, Any]] = []
    systems = [str(block.get("text") or "") for block in blocks_of(body.get("system"))]
    if system := "\n".join(text for text in systems if not text.startswith(BILLING)):
        messages.append({"role": "system", "content": system})
    for message in messages_in(body):
        blocks = blocks_of(message.get("content"))
        match message.get("role"):
            case "assistant":
                messages.append(_assistants(blocks))
            case "system":
                _add(messages, [{"type": "text", "text": ASIDE.format(text_of(message.get("content")))}], joins=True)
            case role:
                messages += [_result(block) for block in blocks if block.get("type") == TOOL_RESULT]
                _add(messages, [*_parts(block for block in blocks if block.get("type") != TOOL_RESULT)], str(role))
    return messages


def _add(messages: list[dict[str, Any]], parts: list[JsonObject], role: str = "user", *, joins: bool = False) -> None:
    """Adds a user's message, or more of the last one."""
    if joins and messages and messages[-1]["role"] == "user":
        messages[-1]["content"] = [*blocks_of(messages[-1]["content"]), *parts]
    elif parts:
        alone = len(parts) == 1 and parts[0].get("type") == "text"
        messages.append({"role": role, "content": parts[0]["text"] if alone else parts})


def _assistants(blocks: list[JsonObject]) -> dict[str, Any]:
    """What an assistant said and called. Of its thoughts those that a provider has signed are for that one alone."""
    texts = [str(block.get("text") or "") for block in blocks if block.get("type") == "text"]
    thoughts = [block for block in blocks if block.get("type") == "thinking" and not block.get("signature")]
    calls = [
        {
            "id": block.get("id"),
            "type": "function",
            "function": {"name": block.get("name"), "arguments": json.dumps(block.get("input"))},
        }
        for block in blocks
        if block.get("type") == "tool_use"
    ]
    message: dict[str, Any] = {"role": "assistant", "content": "\n".join(texts) if texts or not calls else None}
    if thoughts:
        message["reasoning_content"] = "\n".join(str(block.get("thinking") or "") for block in thoughts)
    return message | ({"tool_calls": calls} if calls else {})


def _result(block: JsonObject) -> dict[str, Any]:
    parts = [*_parts(blocks_of(block.get("content")))]
    texts = [part["text"] for part in parts if part.get("type") == "text"]
    content = "\n".join(texts) if len(texts) == len(parts) else parts
    return {"role": "tool", "tool_call_id": block.get("tool_use_id"), "content": content}


def _parts(blocks: Iterable[JsonObject]) -> Iterable[JsonObject]:
    """Blocks as parts of a message; what has no counterpart is left out."""
    for block in blocks:
        source = block.get("source")
        source = source if isinstance(source, dict) else {}
        match block.get("type"):
            case "text":
                yield {"type": "text", "text": str(block.get("text") or "")}
            case "image":
                yield {"type": "image_url", "image_url": {"url": _address(source)}}
            case "document" if source.get("type") in ("text", "content"):
                inner = source.get("data") if source["type"] == "text" else source.get("content")
                for part in _parts(part for part in blocks_of(inner) if part.get("type") != "document"):
                    yield _of_file(block.get("title"), part["text"]) if part["type"] == "text" else part
            case "document":
                name = block.get("title") or "document.pdf"
                yield {"type": "file", "file": {"filename": name, "file_data": _address(source)}}
            case "search_result":
                yield _of_file(block.get("title"), f"{block.get('source')}\n{text_of(block.get('content'))}")


def _of_file(title: object, text: str) -> JsonObject:
    """The text of a document as an aside: it is not the user's."""
    name = re.sub(r'[<>"]', "'", str(title or "document"))
    inner = text.replace("</file_content", "&lt;/file_content")
    return {"type": "text", "text": f'<file_content path="{name}">\n{inner}\n</file_content>'}


def _address(source: Mapping[str, Any]) -> object:
    if source.get("type") == "base64":
        return f"data:{source.get('media_type')};base64,{source.get('data')}"
    return source.get("url")


def with_memory(body: JsonObject, memory: str) -> dict[str, Any]:
    """A request with a text before the user's last message, or behind what its client has cached, where that reaches
    further: what stands before a breakpoint must be the same the next time."""
    messages = [{**message} for message in messages_in(body)]
    asked = next((at for at in reversed(range(len(messages))) if _says(messages[at])), None)
    if asked is None:
        return dict(body)
    made = {**body, "messages": messages}
    if isinstance(mark := made.pop(CACHED, None), dict):  # the provider would set it behind the memory
        _mark(messages[-1], mark)
    blocks = blocks_of(messages[asked].get("content"))
    at, number = asked, next(number for number, block in enumerate(blocks) if _is_said(block))
    last = max(_breakpoints(messages), default=(-1, -1))
    if last > (at, number):
        at, number = _behind(messages, last)
        blocks = blocks_of(messages[at].get("content"))
    elif last == (at, number):
        number += 1
    known: JsonObject = {"type": "text", "text": memory}
    messages[at]["content"] = [*blocks[:number], known, *blocks[number:]]
    return made


def _behind(messages: list[dict[str, Any]], last: tuple[int, int]) -> tuple[int, int]:
    """The next place in a message of the user's behind the last breakpoint. Where there is none, as behind a message of
    the system's, the breakpoint moves to the end of the user's."""
    users = [at for at, message in enumerate(messages) if message.get("role") == "user"]
    for at in users:
        if at >= last[0]:
            blocks = blocks_of(messages[at].get("content"))
            results = [n + 1 for n, block in enumerate(blocks) if block.get("type") == TOOL_RESULT]  # they come first
            return at, max([0, *results] if at > last[0] else [last[1] + 1, *results])
    moved: list[object] = []
    for message in messages[users[-1] + 1 :]:
        blocks = blocks_of(message.get("content"))
        moved += [block[CACHED] for block in blocks if block.get(CACHED)]
        if any(CACHED in block for block in blocks):
            message["content"] = [{k: v for k, v in block.items() if k != CACHED} for block in blocks]
    _mark(messages[users[-1]], moved[-1])
    return users[-1], len(blocks_of(messages[users[-1]].get("content")))


def _mark(message: dict[str, Any], mark: object) -> None:
    """Sets a breakpoint at the end of a message."""
    *blocks, last = blocks_of(message.get("content")) or [{}]
    if last:
        message["content"] = [*blocks, {CACHED: mark, **last}]


def _breakpoints(messages: list[dict[str, Any]]) -> Iterator[tuple[int, int]]:
    for at, message in enumerate(messages):
        for number, block in enumerate(blocks_of(message.get("content"))):
            if _is_breakpoint(block):
                yield at, number


def _says(message: JsonObject) -> bool:
    return message.get("role") == "user" and any(map(_is_said, blocks_of(message.get("content"))))


def _is_said(block: JsonObject) -> bool:
    return block.get("type") != TOOL_RESULT and (block.get("type") != "text" or bool(said_in(block.get("text"))))


def _is_breakpoint(block: JsonObject) -> bool:
    """Whether one is set behind a block, or behind one that the result of a tool has."""
    return any(one.get(CACHED) for one in (block, *blocks_of(block.get("content"))))
