"""LibreChat's export of a conversation as JSON, in the four forms that its dialog offers.

Read of its source (2026): client/src/hooks/Conversations/useExportConversation.ts and
client/src/hooks/Messages/useBuildMessageTree.ts. "Recursive" nests messages in `messagesTree` by `children`; else
`messages` is flat, each with its `parentMessageId`. With "all branches" all of a tree are there, and nothing says which
was on the screen: LibreChat opens a conversation with the last of each message's answers, which is what is taken.
"""

from collections.abc import Iterator

from memory.portable.items import (
    FAILED,
    THOUGHTS,
    TOOLS,
    Document,
    Item,
    Omission,
    Read,
    conversation_of,
    list_at,
    message_of,
    moment,
    read_of,
    text_at,
    value_at,
)


def is_librechat(document: Document) -> bool:
    return "conversationId" in document and any(
        isinstance(document.get(name), list) for name in ("messages", "messagesTree")
    )


def read_librechat(document: Document) -> Iterator[Item]:
    messages: dict[str, object] = {}
    parents: dict[str, str] = {}
    roots = list_at(document, "messagesTree") or list_at(document, "messages")
    waiting = [(message, text_at(message, "parentMessageId")) for message in reversed(roots)]
    while waiting:
        message, parent = waiting.pop()
        identifier = text_at(message, "messageId") or f"#{len(messages)}"
        if identifier not in messages:
            messages[identifier], parents[identifier] = message, parent
            waiting += [(child, identifier) for child in reversed(list_at(message, "children"))]
    read = read_of(_shown(list(messages), parents), messages, _read)
    yield from conversation_of(text_at(document, "conversationId"), text_at(document, "title"), read)


def _shown(messages: list[str], parents: dict[str, str]) -> list[str]:
    """The ids of the messages that are shown, in order: all where none names another as its parent."""
    children: dict[str | None, list[str]] = {}
    there = set(messages)
    for identifier in messages:
        parent = parents[identifier]
        children.setdefault(parent if parent in there else None, []).append(identifier)
    if children.keys() <= {None}:
        return messages
    path: dict[str, None] = {}
    following = children.get(None) or messages[:1]
    while following and following[-1] not in path:
        path[following[-1]] = None
        following = children.get(following[-1], [])
    return list(path)


def _read(identifier: str, message: object) -> Iterator[Read]:
    if value_at(message, "error"):
        yield Omission(FAILED, identifier)
        return
    texts, attachments = [], []
    for part in list_at(message, "content"):
        match kind := text_at(part, "type"):
            case "text":
                texts.append(text_at(part, "text") or text_at(part, "text", "value"))
            case "think":
                yield Omission(THOUGHTS, identifier)
            case "tool_call":
                yield Omission(TOOLS, identifier)
            case "image_file" | "image_url":
                attachments.append(text_at(part, kind, "filename") or "image")
    if not any(map(str.strip, texts)):
        texts = [text_at(message, "text")]
    files = [*list_at(message, "files"), *list_at(message, "attachments")]
    attachments += [text_at(file, "filename") or "file" for file in files]
    time = moment(value_at(message, "createdAt"))
    if value_at(message, "isCreatedByUser"):
        yield from message_of(identifier, "user", texts, attachments, time)
    else:
        yield from message_of(identifier, "assistant", texts, attachments, time, model=text_at(message, "model"))
