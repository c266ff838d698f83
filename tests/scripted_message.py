"""A message of Anthropic's API, as the scripted provider gives it."""

import json
import re
from typing import Any

Body = dict[str, Any]


def message_and_events(asked: Body, text: str, calls: tuple[tuple[str, str], ...]) -> tuple[Body, list[Body]]:
    """A message that thinks, says a text and calls tools, and the events that stream it."""
    head = {"id": "msg_scripted", "type": "message", "role": "assistant", "model": asked["model"], "content": []}
    head |= {"stop_reason": None, "stop_sequence": None, "odd": {"kept": True}}
    usage = {"input_tokens": 7, "cache_read_input_tokens": 3, "output_tokens": 1}
    content: list[Body] = (
        [{"type": "thinking", "thinking": "Hm.", "signature": "signed"}] if "thinking" in asked else []
    )
    content += [{"type": "text", "text": text}] if text or not calls else []
    content += [
        {"type": "tool_use", "id": f"toolu_{at}", "name": name, "input": json.loads(arguments)}
        for at, (name, arguments) in enumerate(calls)
    ]
    events: list[Body] = [{"type": "message_start", "message": head | {"usage": usage}}, {"type": "ping"}]
    for at, block in enumerate(content):
        empty, deltas = block, []
        match block["type"]:
            case "thinking":
                empty = block | {"thinking": "", "signature": ""}
                deltas = [
                    {"type": "thinking_delta", "thinking": block["thinking"]},
                    {"type": "signature_delta", "signature": block["signature"]},
                ]
            case "text":
                empty = block | {"text": ""}
                deltas = [{"type": "text_delta", "text": piece} for piece in re.findall(r"\S+\s*|\s+", block["text"])]
            case "tool_use":
                empty = block | {"input": {}}
                deltas = [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}]
        events.append({"type": "content_block_start", "index": at, "content_block": empty})
        events += [{"type": "content_block_delta", "index": at, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": at})
    ended = {"stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None}
    events.append({"type": "message_delta", "delta": ended, "usage": {"output_tokens": 5}})
    events.append({"type": "message_stop"})
    return head | ended | {"content": content, "usage": usage | {"output_tokens": 5}}, events
