"""`loci export`, and `loci import` of what it made, of other products' files, or of messages, one a line."""

import asyncio
import codecs
import os
import sys
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import aclosing, contextmanager
from pathlib import Path
from typing import BinaryIO

from pydantic import ValidationError
from rich.progress import BarColumn, DownloadColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from agents.memory import Memory
from agents.upkeep import Work
from api.cli.terminal import IDENTIFIER, PROJECT, err, fail, out
from api.portable import Report, bring_in, bring_in_source, exported
from api.wire.reasons import wrong
from api.wire.sessions import MessageIn, MessageRefused, message_or_refusal
from api.wire.strict import read_json
from memory.domain import Turn
from memory.ids import derived_id
from memory.portable import SourceFile, Wanted
from utils.clock import now
from utils.errors import BodyTooLarge, InvalidInput
from utils.text import shown, with_blanks

CHUNK = 1024 * 1024  # bytes that are read at once
BATCH = 200  # messages that are committed at a time
MOST_WAITING = 1_000_000  # messages that are counted
COLUMNS = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())


async def export_to(memory: Memory, user: str, target: Path | None) -> None:
    """Writes all that a user has to a file that is not there yet, or to standard output. A file appears whole."""
    if target is None:
        await _write(memory, user, sys.stdout.buffer)
        return
    try:
        with _appearing(target) as file:
            await _write(memory, user, file)
    except FileExistsError:
        fail(f"{target} is there already")
    except OSError as error:
        fail(f"{target}: {error.strerror}")


@contextmanager
def _appearing(target: Path) -> Iterator[BinaryIO]:
    """A file that has its name once all of it is on the disk, and is gone where that does not come to pass."""
    if target.exists():
        raise FileExistsError
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        with part.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.rename(target)
    finally:
        part.unlink(missing_ok=True)


async def _write(memory: Memory, user: str, file: BinaryIO) -> None:
    async with aclosing(exported(memory, user)) as lines:
        async for chunk in lines:
            await asyncio.to_thread(file.write, chunk)


async def import_export(memory: Memory, user: str, first: bytes, file: BinaryIO) -> None:
    """Brings in a file, of which the first line is read already, and has all that waits done that came of it."""
    try:
        with Progress(*COLUMNS, console=err, disable=not err.is_terminal) as progress:
            read = progress.add_task("read", total=os.fstat(file.fileno()).st_size or None)

            async def chunks() -> AsyncIterator[bytes]:
                chunk = first
                while chunk:
                    yield chunk
                    progress.advance(read, len(chunk))
                    chunk = await asyncio.to_thread(file.read, CHUNK)

            taken = await bring_in(memory, user, chunks())
    except (InvalidInput, BodyTooLarge) as error:
        fail(f"{file.name}: {error.detail}")
    await _see_to(memory)
    out.print(f"{taken.imported.total()} imported, {taken.there.total()} already there")


async def import_source(memory: Memory, user: str, file: BinaryIO, wanted: Wanted) -> str:
    """Brings in a file of another product, tells what came of it, and has all that waits done. `wanted`: which product,
    or `auto`. Returns why it cannot be read to its end; empty where it was."""
    size = os.fstat(file.fileno()).st_size if file.seekable() else None
    source, report, broken = SourceFile(file, wanted, size=size), Report(), ""
    with Progress(*COLUMNS, console=err, disable=not err.is_terminal) as progress:
        read = progress.add_task("read", total=source.size)
        try:
            await bring_in_source(
                memory, user, source, report, lambda: progress.update(read, completed=source.read, total=source.size)
            )
        except InvalidInput as error:
            broken = f"{file.name}: {error.detail}"
    if broken and source.name is None:
        return broken
    _tell(report)
    await _see_to(memory)
    return f"{broken}. What was imported stays; import the complete file for the rest" if broken else ""


def _tell(report: Report) -> None:
    """Prints what came of a file, and what was left out of it and why."""
    assert report.taken is not None  # noqa: S101  an import was begun
    imported, there = report.taken.imported, report.taken.there
    kinds = [kind for kind in ("session", "message", "fact") if imported[kind] or there[kind]]
    came = [f"{imported[kind]} {kind}{'' if imported[kind] == 1 else 's'}" for kind in kinds]
    out.print(f"{', '.join(came) or 'nothing'} imported, {there.total()} already there", highlight=False)
    for reason, omitted in report.omitted.items():
        more = ", …" if omitted.count > len(omitted.ids) else ""
        line = f"left out: {omitted.count} {reason} ({', '.join(map(shown, omitted.ids))}{more})"
        out.print(line, highlight=False, markup=False, soft_wrap=True)


def unhurried(*_: Work) -> None:
    """A nudge of nobody: what waits is done here, at the end, and may be stopped; workers do the rest."""


async def _see_to(memory: Memory) -> None:
    """Embeds what came, and makes the facts and summaries of it that wait."""
    queue = memory.engine.gists.queue
    waiting = await queue.count_waiting(MOST_WAITING)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, disable=not err.is_terminal) as progress:
        embedded = progress.add_task("embedded", total=waiting.count)
        while step := await queue.step():
            progress.advance(embedded, step)
    with err.status("making facts and summaries"):
        await memory.engine.knowledge.queue.work()
        await memory.engine.chats.summaries.work()
        await queue.work()


def turns_of(name: str, lines: Iterable[bytes], session: str, project: str | None = None) -> Iterator[tuple[str, Turn]]:
    """Each line's session and turn. `project`: of lines that name none. The whole file is checked before anything is
    stored."""
    so_far = Path(name).name
    for number, line in enumerate(lines, 1):
        line = line.removeprefix(codecs.BOM_UTF8)
        if not line.strip():
            continue
        try:
            session_id, named, message = _line(line, session, project)
        except ValidationError as error:
            fail(f"{name}, line {number}: {wrong(error, '')}")
        except InvalidInput as error:
            fail(f"{name}, line {number}: {error.detail}")
        so_far = derived_id(so_far, session_id, message.role, message.content)  # a file that grew keeps its ids
        identifier = message.id or so_far
        moment = message.timestamp or now()
        yield session_id, Turn(identifier, message.role, message.content, moment, message.name, project=named)


def _line(line: bytes, session: str, project: str | None) -> tuple[str, str | None, MessageIn]:
    fields = read_json(line, control_characters=True)
    if not isinstance(fields, dict):
        raise InvalidInput("not a JSON object")
    session_id = IDENTIFIER.validate_python(fields.pop("session_id", session), strict=True)
    if (named := fields.pop("project", None)) is not None:
        project = PROJECT.validate_python(named, strict=True)
    if isinstance(fields.get("content"), str):
        fields["content"] = with_blanks(fields["content"])
    message = message_or_refusal(fields)
    if isinstance(message, MessageRefused):
        raise InvalidInput(message.reason)
    return session_id, project, message


def batches_of(lines: list[tuple[str, Turn]]) -> Iterator[tuple[str, list[Turn]]]:
    """Consecutive lines of one session and project, at most `BATCH` at a time."""
    batch: list[Turn] = []
    current = ""
    for session_id, turn in lines:
        if batch and (session_id != current or turn.project != batch[-1].project or len(batch) == BATCH):
            yield current, batch
            batch = []
        current = session_id
        batch.append(turn)
    if batch:
        yield current, batch
