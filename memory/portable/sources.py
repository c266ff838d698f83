"""Files of other products: which one a file is of, and its items as a stream."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Literal

from memory.portable.chatgpt import is_chatgpt, read_chatgpt
from memory.portable.claude import is_claude, read_claude
from memory.portable.items import UNREADABLE, Document, Item, Omission, text_at
from memory.portable.layouts import HEAD, ZIP, FileBroken, FileRefused, documents, fields_of
from memory.portable.letta import is_letta, read_letta
from memory.portable.librechat import is_librechat, read_librechat
from memory.portable.memories import is_mem0, is_openmemory, read_mem0, read_openmemory
from memory.portable.openwebui import is_openwebui, read_openwebui
from memory.portable.sharegpt import is_sharegpt, read_sharegpt

__all__ = ["AUTO", "SOURCES", "FileBroken", "FileRefused", "SourceFile", "Wanted", "is_foreign"]

SourceName = Literal["chatgpt", "claude", "openwebui", "librechat", "mem0", "openmemory", "letta", "sharegpt"]
Wanted = Literal["auto", SourceName]

AUTO: Literal["auto"] = "auto"
LOOKED_AT = 100  # documents of no known shape at the beginning of a file, after which nobody looks on
OURS = {"role", "content", "kind"}  # fields of a message, and of a line of an export
THEIRS = {"memory", "state"}  # of memories that have a role or a content, too
OTHER_USER = "of other users than the first of the file"


@dataclass(frozen=True)
class Source:
    """Another product. `recognises`: whether a document is one of its."""

    name: SourceName
    recognises: Callable[[Document], bool]
    read: Callable[[Document], Iterator[Item]]


# In the order in which they are tried: those with the plainest marks first.
SOURCES = {
    source.name: source
    for source in (
        Source("chatgpt", is_chatgpt, read_chatgpt),
        Source("claude", is_claude, read_claude),
        Source("openwebui", is_openwebui, read_openwebui),
        Source("librechat", is_librechat, read_librechat),
        Source("mem0", is_mem0, read_mem0),
        Source("openmemory", is_openmemory, read_openmemory),
        Source("letta", is_letta, read_letta),
        Source("sharegpt", is_sharegpt, read_sharegpt),
    )
}
NAMES = ", ".join(SOURCES)


def is_foreign(head: bytes) -> bool:
    """Whether a file that begins so may be one of another product: it is none of messages as Loci takes them, one a
    line."""
    if head.startswith(ZIP) or head.lstrip()[:1] != b"{":
        return True
    fields = fields_of(head).keys()
    return bool(fields) and (not fields & OURS or bool(fields & THEIRS))


class SourceFile:
    """A file of another product. `name`: its source, once the first item was read. `size`: bytes that are to be read,
    None where that is not known; `read`: those that were."""

    def __init__(self, file: BinaryIO, wanted: Wanted = AUTO, *, size: int | None = None) -> None:
        """`wanted`: the source that it is said to be of."""
        self.name: SourceName | None = None
        self.size = size
        self.read = 0
        self._file = file
        self._wanted = wanted
        self._user = ""

    def items(self) -> Iterator[Item]:
        """All that can be read of it, in order. Raises `FileRefused` before the first item, or `FileBroken` behind the
        last one that can be read."""
        head = self._file.read(HEAD)
        for place, document in enumerate(documents(self._file, head, self._advance, self._measure)):
            source = source_of(document)
            if source is None or not isinstance(document, dict):
                if self.name is None and place >= LOOKED_AT:
                    break
                yield Omission(UNREADABLE, f"#{place}")
            elif self._wanted not in (AUTO, source.name):
                raise self._refused(source)
            elif self._is_of_another(document):
                yield Omission(OTHER_USER, text_at(document, "user_id"))
            else:
                self.name = source.name
                yield from source.read(document)
        if self.name is None:
            if self._wanted != AUTO:
                raise FileRefused(f"it is not an export of {self._wanted}")
            raise FileRefused(f"it has no messages of Loci's form, and no conversations or memories of {NAMES}")

    def _refused(self, source: Source) -> FileRefused | FileBroken:
        looks = f"it is not an export of {self._wanted}, but looks like one of {source.name}: use --from {source.name}"
        return FileRefused(looks) if self.name is None else FileBroken(looks)

    def _is_of_another(self, document: Document) -> bool:
        """Whether a document is of another user than the first one. All of one import is of one user's memory."""
        user = text_at(document, "user_id")
        self._user = self._user or user
        return bool(user) and user != self._user

    def _advance(self, read: int) -> None:
        self.read += read

    def _measure(self, size: int) -> None:
        self.size = size


def source_of(document: object) -> Source | None:
    """Whose a document is; None where it is of no known shape."""
    if not isinstance(document, dict):
        return None
    return next((source for source in SOURCES.values() if source.recognises(document)), None)
