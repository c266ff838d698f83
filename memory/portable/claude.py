"""Claude's export: `conversations.json` in a zip file, which has no field that says which branch was shown.

Anthropic documents no format. Its shape here is that of published readers of real exports, such as Arc's
`claudeArchive` and polylogue (docs/providers/claude-ai.md, 2026): messages in a list, since 2025 each with
`parent_message_uuid`; the branch shown last is the one that the newest message without an answer ends. `text` repeats
`content`, with remarks where a block is neither text nor shown, so that `content` is read where it has text.
"""

from collections.abc import Iterator

from memory.domain import Role
from memory.portable.items import (
    THOUGHTS,
    TOOLS,
    UNREADABLE,
    Document,
    Item,
    Omission,
    Read,
    branch,
    conversation_of,
    list_at,
    message_of,
    moment,
    read_of,
    text_at,
)

SENDERS: dict[str, Role] = {"human": "user", "user": "user", "assistant": "assistant"}


def is_claude(document: Document) -> bool:
    return isinstance(document.get("chat_messages"), list)


def read_claude(document: Document) -> Iterator[Item]:
    listed = enumerate(document["chat_messages"])
    messages = {text_at(message, "uuid") or f"#{place}": message for place, message in listed}
    read = read_of(_shown(document, messages), messages, _read)
    begun, ended = moment(document.get("created_at")), moment(document.get("updated_at"))
    yield from conversation_of(text_at(document, "uuid"), text_at(document, "name"), read, begun, ended)


def _shown(document: Document, messages: dict[str, object]) -> list[str]:
    """The ids of the messages that were shown last, in order: all where they name no parents."""
    parents = {
        identifier: parent if (parent := text_at(message, "parent_message_uuid")) in messages else None
        for identifier, message in messages.items()
    }
    if not any(parents.values()):
        return list(messages)
    leaf = text_at(document, "current_leaf_message_uuid")
    if leaf not in messages:
        followed = set(parents.values())
        ends = [identifier for identifier in messages if identifier not in followed] or list(messages)
        leaf = max(ends, key=lambda end: text_at(messages[end], "created_at"))
    return branch(leaf, parents.__getitem__)


def _read(identifier: str, message: object) -> Iterator[Read]:
    role = SENDERS.get(text_at(message, "sender"))
    if role is None:
        yield Omission(UNREADABLE, identifier)
        return
    texts = []
    for block in list_at(message, "content"):
        match text_at(block, "type"):
            case "text":
                texts.append(text_at(block, "text"))
            case "thinking" | "redacted_thinking":
                yield Omission(THOUGHTS, identifier)
            case "tool_use" | "tool_result":
                yield Omission(TOOLS, identifier)
    if not any(map(str.strip, texts)):
        texts = [text_at(message, "text")] if not list_at(message, "content") else []
    files = [*list_at(message, "attachments"), *list_at(message, "files")]
    attachments = [text_at(file, "file_name") or "pasted text" for file in files]
    yield from message_of(identifier, role, texts, attachments, moment(text_at(message, "created_at")))
