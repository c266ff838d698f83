"""Requests and answers of OpenAI's completions API, whose prompt is one text.

A client that was not told that its model chats writes a conversation into it, a line or more for each message and the
assistant's name at the end, as LlamaIndex's `OpenAILike` does.
"""

import re
from collections.abc import Sequence
from typing import Any

from agents.openai_chat import JsonObject

ROLES = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
}
_PART = re.compile(rf"^({'|'.join(ROLES)}): ?", re.MULTILINE)
_ASKED = re.compile(r"\nassistant: ?\Z")


def prompt_of(body: JsonObject) -> str:
    """The text that is to be completed; empty where it is given as tokens, or is none."""
    prompt = body.get("prompt")
    if isinstance(prompt, list) and len(prompt) == 1:
        [prompt] = prompt
    return prompt if isinstance(prompt, str) else ""


def messages_of(body: JsonObject) -> list[dict[str, Any]]:
    """The messages of a chat completion that say the same as a prompt."""
    prompt = prompt_of(body)
    return [{"role": role, "content": prompt[start:end].strip()} for role, start, end in _parts(prompt)]


def with_memory(body: JsonObject, memory: str) -> dict[str, Any]:
    """A request with a text before what the user says last."""
    prompt = prompt_of(body)
    at = next((start for role, start, _ in reversed(_parts(prompt)) if role == "user"), 0)
    return {**body, "prompt": f"{prompt[:at]}{memory}{prompt[at:]}"}


def instructed(body: JsonObject, instructions: Sequence[str]) -> dict[str, Any]:
    """A request with instructions before its own, in the form that its prompt has."""
    text = "\n\n".join(instructions)
    prompt = prompt_of(body)
    if not text or not prompt:
        return dict(body)
    before = f"system: {text}\n" if len(_parts(prompt)) > 1 and _PART.match(prompt) else f"{text}\n\n"
    return {**body, "prompt": before + prompt}


def _parts(prompt: str) -> list[tuple[str, int, int]]:
    """The parts of a prompt: a role, and where its text begins and ends. One text of the user's where it is no
    conversation."""
    if not prompt:
        return []
    asked = _ASKED.search(prompt)
    marks = list(_PART.finditer(prompt, 0, asked.start())) if asked is not None else []
    # A client tells one message of the user's after the other as one; such a line is part of what is pasted.
    roles = [ROLES[mark[1]] for mark in marks]
    marks = [mark for at, mark in enumerate(marks) if at == 0 or roles[at] != "user" or roles[at - 1] != "user"]
    if asked is None or not any(ROLES[mark[1]] == "user" for mark in marks):
        return [("user", 0, len(prompt))]
    parts = [("system", 0, marks[0].start())] if marks[0].start() else []
    ends = [*(mark.start() for mark in marks[1:]), asked.start()]
    return parts + [(ROLES[mark[1]], mark.end(), end) for mark, end in zip(marks, ends, strict=True)]
