"""Exports as lines of a file, out and in: a JSON object a line, of a `kind`; a header first, and an end that counts.
Files of other products come in by the same import."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from errno import EDQUOT, ENOSPC
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO, Literal

import orjson
from pydantic import ValidationError

from agents.memory import Memory
from api.wire.reasons import wrong
from api.wire.strict import AT_ONCE, read_json
from memory.lines import Count, LinePart
from memory.portable import (
    AUTO,
    FORMAT,
    VERSION,
    FileBroken,
    FileRefused,
    Import,
    Lines,
    Omission,
    SourceFile,
    Taken,
    Wanted,
    is_foreign,
    records_of,
)
from memory.product import Record
from utils.clock import now
from utils.errors import BodyTooLarge, DiskFull, InvalidInput
from utils.fields import Identifier, Moment
from utils.mongo import StoreError, foreseen
from utils.tasks import begun

MEDIA_TYPE = "application/x-ndjson"
LONGEST_LINE = 32 * 1024 * 1024  # bytes; a document of the store has 16 MB, and JSON may write a character as several
CHUNK = 64 * 1024  # bytes that are sent at once
LARGEST_FILE = 2 * 1024**3  # bytes of another product's file that is sent here
WRITTEN = 1024 * 1024  # bytes of it that are written, or read, at once
LOOK, TELL = 0.05, 0.25  # seconds until it is looked whether a file can be read, and between words of how far it is
NOT_ALONE = "Messages, one a line, come in by `loci import`, and by POST /v1/messages"
FIRST_IDS = 3  # of what was left out for a reason that are told
CUT = "The file is cut: it ends after line {}, without the last line of an export. What came is kept"


class Header(LinePart):
    """The first line."""

    kind: Literal["export"] = "export"
    format: Literal["loci"] = FORMAT
    version: Literal[1] = VERSION
    user_id: Identifier
    at: Moment


class End(LinePart):
    """The last line. `counts`: of the lines of each kind before it."""

    kind: Literal["end"] = "end"
    counts: dict[str, Count]


class LineRefused(InvalidInput):
    """A line that is JSON, and no line of an export. `number`: of the line, from 1; `error`: what is wrong with it."""

    status = 422
    title = "Validation error"

    def __init__(self, number: int, error: ValidationError) -> None:
        super().__init__(f"Line {number}: {wrong(error)}")
        self.number = number
        self.error = error


async def exported(memory: Memory, owner: str) -> AsyncGenerator[bytes, None]:
    """All that a user has, as the lines of a file, many at once. One that breaks off has no last line."""
    counts = Counter(dict.fromkeys(memory.engine.importer.lines, 0))
    chunk = bytearray(_line(Header(user_id=owner, at=now()).model_dump()))
    async for record in memory.engine.records(owner):
        counts[record.kind] += 1
        chunk += _line({"kind": record.kind} | record.fields)
        if len(chunk) >= CHUNK:
            yield bytes(chunk)
            chunk.clear()
    yield bytes(chunk + _line(End(counts=dict(counts)).model_dump()))


def _line(fields: dict[str, Any]) -> bytes:
    return orjson.dumps(fields, option=orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE)


async def bring_in(memory: Memory, owner: str, stream: AsyncIterator[bytes], report: "Report | None" = None) -> Taken:
    """Imports an export into a user's memory; returns what came of it once all of it is committed. `report`: has it
    as it comes.

    Raises `InvalidInput`, or `LineRefused`, which name the line; `BodyTooLarge` for a line that is too long; `Conflict`
    where another import goes on, or something of the user was deleted meanwhile. What stands before a line that is
    refused is kept, and the whole file brings in the rest.
    """
    async with memory.importing(owner) as importing:
        if report is not None:
            report.taken = importing.taken
        try:
            async for number, record in _records(stream, memory.engine.importer.lines):
                await _take(importing, number, record)
        except (InvalidInput, BodyTooLarge):
            await importing.commit()
            raise
        return await importing.finish()


@dataclass
class Omitted:
    """What an import left out for one reason: how many things, and the ids of the first."""

    count: int = 0
    ids: list[str] = field(default_factory=list)


@dataclass
class Report:
    """What became of a file so far. `source`: the product that it is of. `read`: bytes that were; `size`: that are to
    be, None where that is not known. `omitted`: by reason."""

    taken: Taken | None = None
    source: str | None = None
    read: int = 0
    size: int | None = None
    omitted: dict[str, Omitted] = field(default_factory=dict)

    def add(self, omission: Omission) -> None:
        omitted = self.omitted.setdefault(omission.reason, Omitted())
        omitted.count += 1
        if len(omitted.ids) < FIRST_IDS:
            omitted.ids.append(omission.id)


async def bring_in_source(
    memory: Memory, owner: str, file: SourceFile, report: Report, progressed: Callable[[], object]
) -> None:
    """Imports a file of another product into a user's memory, and reports of it; all of it is committed then.
    `progressed`: is called behind each of its items.

    Raises `InvalidInput` where it cannot be read to its end: what could is committed, and in the report. `Conflict` as
    `bring_in`.
    """
    items = file.items()

    def read() -> list[Record | Omission] | None:
        """The records of the next item."""
        item = next(items, None)
        return None if item is None else list(records_of(file.name or "", item, memory.engine.importer.lines))

    async with memory.importing(owner) as importing:
        report.taken = importing.taken
        try:
            while (records := await asyncio.to_thread(read)) is not None:
                for record in records:
                    if isinstance(record, Omission):
                        report.add(record)
                    else:
                        await importing.take(record)
                progressed()
        except InvalidInput:
            await importing.commit()
            raise
        await importing.finish()


def is_export(first: bytes) -> bool:
    """Whether a file with this first line is what Loci exported, and no list of messages."""
    with suppress(orjson.JSONDecodeError):
        fields = orjson.loads(first)
        return isinstance(fields, dict) and fields.get("kind") == "export" and fields.get("format") == FORMAT
    return False


async def as_file(stream: AsyncIterator[bytes], folder: Path) -> BinaryIO:
    """What is sent as a file that is gone once it is closed. Raises `BodyTooLarge`, and `DiskFull`."""
    file = await asyncio.to_thread(_nameless, folder)
    try:
        size, waiting = 0, bytearray()
        async for chunk in stream:
            size += len(chunk)
            if size > LARGEST_FILE:
                raise BodyTooLarge(f"A file may have {LARGEST_FILE // 1024**3} GB")
            waiting += chunk
            if len(waiting) >= WRITTEN:
                await asyncio.to_thread(file.write, bytes(waiting))
                waiting.clear()
        await asyncio.to_thread(file.write, bytes(waiting))
        file.seek(0)
    except BaseException as error:
        file.close()
        if isinstance(error, OSError) and error.errno in (ENOSPC, EDQUOT):
            raise DiskFull("The disk is full: there is no room for the file") from None
        raise
    return file


def _nameless(folder: Path) -> BinaryIO:
    file: BinaryIO = TemporaryFile(dir=folder if folder.is_dir() else None)  # noqa: SIM115  the caller closes it
    return file


async def bring_in_file(memory: Memory, owner: str, file: BinaryIO, wanted: Wanted) -> AsyncGenerator[Report, None]:
    """Imports a file of another product, or with `wanted` "auto" an export of Loci's, too; gives the report again and
    again, the last time once all of it is committed. Closes the file, and ends where nobody listens any more.

    Raises as `bring_in` and `bring_in_source`; before the first report where nothing of the file can be read.
    """
    report = Report(size=file.seek(0, 2))
    file.seek(0)
    async with begun(_bring_in_file(memory, owner, file, wanted, report)) as bringing:
        while report.source is None and not bringing.done():
            await asyncio.wait([bringing], timeout=LOOK)
        while not bringing.done():
            yield report
            await asyncio.wait([bringing], timeout=TELL)
        try:
            await bringing
        except InvalidInput:
            if report.source is not None:
                yield report
            raise
        yield report


async def _bring_in_file(memory: Memory, owner: str, file: BinaryIO, wanted: Wanted, report: Report) -> None:
    with file:
        head = await asyncio.to_thread(file.read, CHUNK)
        file.seek(0)
        if wanted == AUTO and not is_foreign(head):
            if not is_export(head.partition(b"\n")[0]):
                raise InvalidInput(NOT_ALONE)
            await bring_in(memory, owner, _chunks(file, report), report)
            return
        source = SourceFile(file, wanted, size=report.size)

        def progressed() -> None:
            report.source, report.read, report.size = source.name, source.read, source.size

        try:
            await bring_in_source(memory, owner, source, report, progressed)
        except FileRefused as refused:
            raise InvalidInput(f"The file cannot be read: {refused.detail}") from None
        except FileBroken as broken:
            raise InvalidInput(f"The file cannot be read to its end: {broken.detail}") from None


async def _chunks(file: BinaryIO, report: Report) -> AsyncIterator[bytes]:
    while chunk := await asyncio.to_thread(file.read, WRITTEN):
        yield chunk
        report.source = FORMAT  # what stands before a line that is refused is kept
        report.read += len(chunk)


async def _take(importing: Import, number: int, record: Record | None) -> None:
    """Takes the record of a line; after the last line, and the first, looks whether one is missing."""
    try:
        if record is None:
            importing.check_end()
        else:
            await importing.take(record)
    except (InvalidInput, StoreError) as error:
        known = foreseen(error)
        if not isinstance(known, InvalidInput):
            raise
        raise InvalidInput(f"Line {number}: {known.detail}") from None


async def _records(stream: AsyncIterator[bytes], lines: Lines) -> AsyncIterator[tuple[int, Record | None]]:
    """The records of an export, each with the number of its line; None for the first line and the last. Raises as
    `bring_in`."""
    counts: Counter[str] = Counter()
    number, begun, ended = 0, False, False
    async for number, raw, whole in _lines(stream):
        fields = await _fields(number, raw, whole=whole)
        if ended:
            raise InvalidInput(f"Line {number}: something behind the last line of an export")
        kind = fields.pop("kind", None)
        try:
            if not begun:
                _check_header(number, kind, fields)
                begun = True
                yield number, None
            elif isinstance(kind, str) and kind in lines:
                line = lines[kind].model_validate(fields)
                counts[kind] += 1
                yield number, Record(kind, line.model_dump(exclude_none=True), len(raw))
            elif kind == "end":
                if +Counter(End.model_validate(fields).counts) != +counts:
                    missing = "the counts are not those of the lines before it; some are missing"
                    raise InvalidInput(f"Line {number}: {missing}")
                ended = True
                yield number, None
            else:
                raise InvalidInput(f"Line {number}: kind: must be one of {', '.join(lines)} or end")
        except ValidationError as error:
            raise LineRefused(number, error) from None
    if not ended:
        raise InvalidInput(CUT.format(number))


async def _fields(number: int, raw: bytes, *, whole: bool) -> dict[str, Any]:
    """What a line says. `whole`: a line break follows; else it may be cut. Raises `InvalidInput`."""
    try:
        if len(raw) > AT_ONCE:
            fields = await asyncio.to_thread(read_json, raw, control_characters=True)
        else:
            fields = read_json(raw, control_characters=True)
    except InvalidInput as error:
        raise InvalidInput(f"Line {number}: {error.detail}" if whole else CUT.format(number - 1)) from None
    if not isinstance(fields, dict):
        raise InvalidInput(f"Line {number}: not a JSON object")
    return fields


def _check_header(number: int, kind: object, fields: dict[str, Any]) -> None:
    """Raises `InvalidInput`, and `ValidationError` where a field of it is wrong."""
    if kind != "export" or fields.get("format") != FORMAT:
        raise InvalidInput(f"Line {number}: not the first line of an export of Loci")
    version = fields.get("version")
    if isinstance(version, int) and version > VERSION:
        raise InvalidInput(
            f"Line {number}: a newer Loci made this export: its format is not {VERSION}, as it is read here"
        )
    Header.model_validate(fields)


async def _lines(stream: AsyncIterator[bytes]) -> AsyncIterator[tuple[int, bytes, bool]]:
    """Lines with their numbers, and whether a line break ends them; blank ones are left out. Raises `BodyTooLarge`."""
    left = bytearray()
    number = 0
    async for chunk in stream:
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            number += 1
            _bound(number, len(left) + end - start)
            line = bytes(left) + chunk[start:end]
            left.clear()
            start = end + 1
            if line.strip():
                yield number, line, True
        _bound(number + 1, len(left) + len(chunk) - start)
        left += memoryview(chunk)[start:]
    if left.strip():
        yield number + 1, bytes(left), False


def _bound(number: int, size: int) -> None:
    if size > LONGEST_LINE:
        raise BodyTooLarge(f"Line {number} has more than {LONGEST_LINE // 1024 // 1024} MB")
