"""ChatGPT's export: `conversations.json`, or `conversations-000.json` and so on since early 2026, in a zip file.

OpenAI documents no format. Its shape here is that of published readers of real exports: convoviz 2026 (pull request 49
for numbered files and titles that are null) and chatgpt-export-parser (docs/chatgpt-data-export-format.md, 2026).
Messages are nodes of a tree, `mapping`; what was shown last leads from `current_node` up by `parent`.
"""

from collections.abc import Iterator

from memory.portable.items import (
    EMPTY,
    HIDDEN,
    ROLES,
    THOUGHTS,
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


def is_chatgpt(document: Document) -> bool:
    return isinstance(document.get("mapping"), dict)


def read_chatgpt(document: Document) -> Iterator[Item]:
    """The branch of a conversation that was shown."""
    nodes: dict[str, object] = document["mapping"]
    leaf = text_at(document, "current_node")
    if leaf not in nodes:
        leaf = max(nodes, key=lambda node: _order(nodes[node]), default="")

    def parent_of(node: str) -> str | None:
        parent = text_at(nodes[node], "parent")
        return parent if parent in nodes else None

    read = read_of(branch(leaf or None, parent_of), nodes, _read)
    identifier = text_at(document, "conversation_id") or text_at(document, "id") or leaf
    begun, ended = moment(document.get("create_time")), moment(document.get("update_time"))
    yield from conversation_of(identifier, text_at(document, "title"), read, begun, ended)


def _order(node: object) -> float:
    time = moment(value_at(node, "message", "create_time"))
    return time.timestamp() if time else 0.0


def _read(node: str, found: object) -> Iterator[Read]:
    message = value_at(found, "message")
    if message is None:
        return
    role = ROLES.get(text_at(message, "author", "role"))
    kind = text_at(message, "content", "content_type")
    if value_at(message, "metadata", "is_visually_hidden_from_conversation") or kind.endswith("_editable_context"):
        yield Omission(HIDDEN, node)
    elif kind in ("thoughts", "reasoning_recap"):
        yield Omission(THOUGHTS, node)
    elif role is None:
        yield Omission(UNREADABLE, node)
    else:
        name = text_at(message, "author", "name") if role == "tool" else ""
        model = text_at(message, "metadata", "model_slug") if role == "assistant" else ""
        texts, attachments = _parts(message, kind)
        time = moment(value_at(message, "create_time"))
        for one in message_of(node, role, texts, attachments, time, name=name, model=model):
            if role != "system" or one != Omission(EMPTY, node):  # as each conversation begins with
                yield one


def _parts(message: object, kind: str) -> tuple[list[str], list[str]]:
    """The texts of a message, and the names of its attachments."""
    content = value_at(message, "content")
    named = list_at(message, "metadata", "attachments")
    attachments = [text_at(file, "name") or "file" for file in named]
    texts = []
    for part in list_at(content, "parts"):
        pointer = text_at(part, "asset_pointer") or text_at(part, "audio_asset_pointer", "asset_pointer")
        if isinstance(part, str):
            texts.append(part)
        elif text := text_at(part, "text"):  # of what was spoken
            texts.append(text)
        elif pointer and not any((own := text_at(file, "id")) and own in pointer for file in named):
            attachments.append(text_at(part, "content_type").partition("_")[0] or "file")
    said = text_at(content, "text") or text_at(content, "result")
    if kind == "code" and said.strip():
        language = text_at(content, "language")
        said = f"```{'' if language == 'unknown' else language}\n{said}\n```"
    return [*texts, said], attachments
