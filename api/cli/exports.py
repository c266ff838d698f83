"""`loci export`, and `loci import` of what it made."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

import orjson
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from agents.memory import Memory
from api.cli.terminal import err, fail, out
from api.portable import bring_in, exported
from memory.portable import FORMAT
from utils.errors import BodyTooLarge, InvalidInput

CHUNK = 1024 * 1024  # bytes that are read at once


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


def is_export(first: bytes) -> bool:
    """Whether a file with this first line is what `loci export` made, and no list of messages."""
    with suppress(orjson.JSONDecodeError):
        fields = orjson.loads(first)
        return isinstance(fields, dict) and fields.get("kind") == "export" and fields.get("format") == FORMAT
    return False


async def import_export(memory: Memory, user: str, first: bytes, file: BinaryIO) -> None:
    """Brings in a file, of which the first line is read already, and has all that waits done that came of it."""
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    try:
        with Progress(*columns, console=err, disable=not err.is_terminal) as progress:
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
    with err.status("embedding what came"):
        while await memory.engine.gists.queue.step():
            pass
        await memory.engine.knowledge.queue.work()
        await memory.engine.chats.summaries.work()
        await memory.engine.gists.queue.work()
    out.print(f"{taken.imported.total()} imported, {taken.there.total()} already there")
