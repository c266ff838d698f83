"""What is put before the user's message when a request is passed on: memories, as quoted data."""

from collections.abc import Mapping, Sequence
from typing import Any

from agents.chat import quoted
from agents.openai_chat import newest_user, with_text_before
from config.prompts import prompt
from memory.domain import Hit

QUOTED = 1_000  # characters of a memory
NAME = 60
SUMMARY = 2_000  # of the conversation's summary


def memory_block(hits: Sequence[Hit], digest: str, changed: Mapping[str, Sequence[str]]) -> str:
    """The summary, then the memories, most relevant first; nothing where no memory suits the message.

    `changed`: by the ids of messages, the facts that replaced what they state; none where it merely ended.
    """
    if not hits:
        return ""
    summary = f"\nSummary of this conversation: {quoted(digest, SUMMARY)}\n" if digest else ""
    memories = "\nMost relevant first:\n" + "".join(_line(hit, changed.get(hit.gist.id)) for hit in hits)
    return prompt("proxy_memory").substitute(summary=summary, memories=memories) + "\n\n"


def _line(hit: Hit, changed: Sequence[str] | None) -> str:
    label = quoted(hit.gist.name or hit.gist.role, NAME)
    later = ""
    if changed is not None:
        later = f" (since then: {quoted(' '.join(changed), QUOTED)})" if changed else " (this holds no longer)"
    return f"[{label}] {quoted(hit.gist.content, QUOTED)}{later}\n"


def with_memory(body: Mapping[str, Any], memory: str) -> dict[str, Any]:
    """The request with memory before the user's last message. All before that stays as it was, for the sake of the
    provider's cache of prompts."""
    messages = list(body["messages"])
    at = newest_user(messages)
    if at is None:
        return dict(body)
    messages[at] = {**messages[at], "content": with_text_before(messages[at].get("content"), memory)}
    return {**body, "messages": messages}
