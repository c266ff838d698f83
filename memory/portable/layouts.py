"""How files hold documents: JSON as a stream, plain or in a zip file; a list, lines, or a list within an object."""

import codecs
import io
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, BinaryIO, Protocol

import ijson

from utils.errors import InvalidInput

HEAD = 64 * 1024  # bytes that are looked at to tell how a file holds what it holds
ZIP = (b"PK\x03\x04", b"PK\x05\x06")
# Objects whose list of this name may be long: pages of mem0, the backup of OpenMemory. Each item of it is a document.
LISTS = ("results", "memories")
LONGEST = 64 * 1024 * 1024  # bytes of one document, which is read whole
UNPACKED = 100  # times the size of a zip file, and once more `LONGEST`, that what is in it may have: text has ten
DIRECTORY = 8 * 1024 * 1024  # bytes of the list of what is in a zip file
CONVERSATIONS = re.compile(r"conversations(-\d+)?\.json")


class FileRefused(InvalidInput):
    """A file of which nothing can be read."""


class FileBroken(InvalidInput):
    """A file that cannot be read to its end. What was read before stays."""


class _Readable(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...


class _Rejoined:
    """A file of which the beginning was read already. `advance`: is told how many bytes are taken. `since`: how many
    since the last document; `FileBroken` is raised where these are too many."""

    def __init__(self, head: bytes, file: _Readable, advance: Callable[[int], object]) -> None:
        self._head = head
        self._file = file
        self._advance = advance
        self.since = 0

    def read(self, size: int = -1) -> bytes:
        if self._head:
            taken, self._head = (self._head, b"") if size < 0 else (self._head[:size], self._head[size:])
        else:
            taken = self._file.read(size)
        self._advance(len(taken))
        self.since += len(taken)
        if self.since > LONGEST:
            raise FileBroken(f"a conversation or memory in it has more than {LONGEST // 1024 // 1024} MB")
        return taken


class _Archive(io.BufferedIOBase):
    """A zip file, of whose list of what is in it no more is read than memory holds."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def read(self, size: int | None = -1, /) -> bytes:
        found = self._file.read(DIRECTORY + 1 if size is None or not 0 <= size <= DIRECTORY else size)
        if len(found) > DIRECTORY:
            raise FileRefused("there are too many files in the zip file")
        return found

    def seek(self, place: int, whence: int = 0, /) -> int:
        return self._file.seek(place, whence)

    def tell(self) -> int:
        return self._file.tell()

    def seekable(self) -> bool:
        return True


def fields_of(head: bytes) -> Mapping[str, str]:
    """The fields of the first object of a file, each with the kind of its value (`string`, `start_array` …), as far as
    the beginning of the file has them; none where it begins otherwise."""
    fields: dict[str, str] = {}
    try:
        for place, event, value in ijson.parse(io.BytesIO(head.removeprefix(codecs.BOM_UTF8))):
            if place == "" and event == "map_key":
                fields[value] = ""
            elif place in fields and not fields[place]:
                fields[place] = event
            elif place == "" and event != "start_map":
                break
    except ijson.JSONError:
        pass  # the beginning is no whole document
    return fields


def documents(
    file: BinaryIO, head: bytes, advance: Callable[[int], object], measure: Callable[[int], object]
) -> Iterator[object]:
    """The documents of a file, one after the other. `head`: its beginning, which was read already. `measure`: is told
    how many bytes there are once that is known.

    Raises `FileRefused`, or `FileBroken` behind the last document that could be read.
    """
    if not head.startswith(ZIP):
        yield from _read(_Rejoined(head.removeprefix(codecs.BOM_UTF8), file, advance), head)
        return
    if not file.seekable():
        raise FileRefused("a zip file cannot be read from standard input: name the file")
    try:
        with zipfile.ZipFile(_Archive(file)) as archive:
            members = _members(archive)
            unpacked = sum(member.file_size for member in members)
            if unpacked > UNPACKED * file.seek(0, io.SEEK_END) + LONGEST:
                raise FileRefused("the zip file unpacks to far more than an export does")
            measure(unpacked)
            for member in members:
                with archive.open(member) as opened:
                    beginning = opened.read(HEAD)
                    yield from _read(_Rejoined(beginning.removeprefix(codecs.BOM_UTF8), opened, advance), beginning)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        encrypted = "password" in str(error)
        raise FileBroken("the zip file has a password" if encrypted else "the zip file is damaged or cut") from None


def _members(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """What is read of a zip file: conversations, else whatever is JSON; in the order of their names."""
    files = [member for member in archive.infolist() if not member.is_dir() and "__MACOSX" not in member.filename]
    conversations = [member for member in files if CONVERSATIONS.fullmatch(_name(member))]
    found = conversations or [member for member in files if _name(member).endswith((".json", ".jsonl", ".af"))]
    if not found:
        raise FileRefused("the zip file has no conversations and no other JSON in it")
    return sorted(found, key=lambda member: member.filename)


def _name(member: zipfile.ZipInfo) -> str:
    return member.filename.rpartition("/")[2].lower()


def _read(file: _Rejoined, head: bytes) -> Iterator[object]:
    """The documents of a file of JSON: items of its list, or of a list within its object, or each of its objects."""
    begins = head.removeprefix(codecs.BOM_UTF8).lstrip()[:1]
    if begins not in (b"[", b"{"):
        raise FileRefused("it is empty" if not head.strip() else _NO_JSON if head[:2] not in _UTF_16 else _IN_UTF_16)
    fields = fields_of(head)
    held = next((name for name in LISTS if fields.get(name) == "start_array"), None)
    place = "item" if begins == b"[" else f"{held}.item" if held else ""
    try:
        # Numbers of any size are valid; as floats, ijson would end the file at an integer of more than 64 bits.
        for document in ijson.items(file, place, use_float=False, multiple_values=not place):
            file.since = 0
            yield document
    except ijson.JSONError as error:
        raise FileBroken(_in_words(error)) from None


_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_IN_UTF_16 = "it is text in UTF-16: save it in UTF-8"
_NO_JSON = "it is neither JSON nor a zip file with JSON in it"


def _in_words(error: Exception) -> str:
    reason: Any = error.args[0] if error.args else ""
    told = reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
    if "premature EOF" in told or "Incomplete" in told:
        return "it is cut: it ends in the middle"
    if "UTF8" in told:
        return "from here on it is not UTF-8 text"
    return "from here on it is not valid JSON"
