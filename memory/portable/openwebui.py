"""Open WebUI's export of chats: `chat-export-….json`, a list of chats as its API gives them.

Read of its source, version 0.12: `ChatResponse` in backend/open_webui/models/chats.py, and `exportChats` in
src/lib/components/chat/Settings/DataControls.svelte; old ones are the inner object alone. Messages are a tree,
`history.messages`; the branch shown leads from `history.currentId` up by `parentId`. Thoughts and calls of tools stand
in the text, in `<details type="…">`. An admin's export of all chats has those of all users.
"""

import re
from collections.abc import Iterator

from memory.portable.items import (
    FAILED,
    ROLES,
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
    value_at,
)
from utils.text import without_elements

_DETAILS = re.compile(r'<details\s+type="(reasoning|tool_calls|code_interpreter)"[^<>]*>')
_DETAILS_END = re.compile(r"(</details>\s*)")


def is_openwebui(document: Document) -> bool:
    chat = document.get("chat", document)
    return isinstance(value_at(chat, "history", "messages"), dict) or (
        "chat" in document and isinstance(value_at(chat, "messages"), list)
    )


def read_openwebui(document: Document) -> Iterator[Item]:
    chat = document.get("chat", document)
    tree = value_at(chat, "history", "messages")
    if isinstance(tree, dict) and tree:
        messages = tree
        path = branch(_leaf(document, messages), lambda one: _known(text_at(messages[one], "parentId"), messages))
    else:
        listed = list_at(chat, "messages")
        messages = {text_at(message, "id") or f"#{place}": message for place, message in enumerate(listed)}
        path = list(messages)
    read = read_of(path, messages, _read)
    begun = moment(document.get("created_at")) or moment(value_at(chat, "timestamp"))
    identifier = text_at(document, "id") or text_at(chat, "id") or (path[0] if path else "")
    title = text_at(document, "title") or text_at(chat, "title")
    yield from conversation_of(identifier, title, read, begun, moment(document.get("updated_at")))


def _known(identifier: str, messages: dict[str, object]) -> str | None:
    return identifier if identifier in messages else None


def _leaf(document: Document, messages: dict[str, object]) -> str | None:
    chat = document.get("chat", document)
    for named in (value_at(chat, "history"), chat):
        if leaf := _known(text_at(named, "currentId"), messages):
            return leaf
    leaf = _known(text_at(document, "current_message_id"), messages)
    return leaf or max(messages, key=lambda one: _seconds(messages[one]), default=None)


def _seconds(message: object) -> float:
    time = moment(value_at(message, "timestamp"))
    return time.timestamp() if time else 0.0


def _read(identifier: str, message: object) -> Iterator[Read]:
    role = ROLES.get(text_at(message, "role"))
    if role is None:
        yield Omission(UNREADABLE, identifier)
        return
    content = value_at(message, "content")
    texts, attachments = [], []
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            texts.append(part)
        elif text_at(part, "type") == "text":
            texts.append(text_at(part, "text"))
        elif part is not None:
            attachments.append(text_at(part, "type").partition("_")[0])
    if not any(map(str.strip, texts)):  # of an answer that came by the Responses API
        answered = [one for one in list_at(message, "output") if text_at(one, "type") == "message"]
        texts = [text_at(part, "text") for one in answered for part in list_at(one, "content")]
    if role == "assistant":
        for place, text in enumerate(texts):
            texts[place], left_out = without_elements(text, _DETAILS, _DETAILS_END)
            for details in left_out:
                yield Omission(THOUGHTS if details[1] == "reasoning" else TOOLS, identifier)
    if value_at(message, "error") and not any(map(str.strip, texts)):
        yield Omission(FAILED, identifier)
        return
    files = list_at(message, "files")
    attachments += [
        text_at(file, "name") or text_at(file, "file", "filename") or text_at(file, "type") for file in files
    ]
    model = text_at(message, "model") if role == "assistant" else ""
    yield from message_of(identifier, role, texts, attachments, moment(value_at(message, "timestamp")), model=model)
