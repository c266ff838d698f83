"""Memories of mem0 and of OpenMemory, its server that ended in July 2026.

mem0: what `get_all` gives, of the package (mem0ai 2.2.1, `Memory.get_all`, run here) or of its platform (the same, in
pages), whole or its `results` alone. OpenMemory: `memories.json` of the zip file of `POST /api/v1/backup/export`
(openmemory/api/app/routers/backup.py, mem0's repository before commit ea2ee0758), or lines of its `memories.jsonl`.
"""

from collections.abc import Iterator

from memory.portable.items import INACTIVE, Document, Item, Omission, SourceMemory, moment, text_at


def is_mem0(document: Document) -> bool:
    return isinstance(document.get("memory"), str)


def read_mem0(document: Document) -> Iterator[Item]:
    text = text_at(document, "memory")
    time = moment(document.get("updated_at")) or moment(document.get("created_at"))
    yield SourceMemory(text_at(document, "id") or text, text, time)


def is_openmemory(document: Document) -> bool:
    return "content" in document and isinstance(document.get("state"), str)


def read_openmemory(document: Document) -> Iterator[Item]:
    text = text_at(document, "content")
    identifier = text_at(document, "id") or text
    if document["state"] != "active":
        yield Omission(INACTIVE, identifier)
        return
    time = moment(document.get("updated_at")) or moment(document.get("created_at"))
    yield SourceMemory(identifier, text, time)
