"""Writing of memory banks to their Markdown files: one task of one process a folder, what is due first going first."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from time import monotonic

from agents.upkeep.rounds import FileRounds
from memory import metrics
from memory.banks import LOCK, BankFolder, BankInfo, Banks, WrittenBank
from memory.engine import Engine
from utils.clock import now
from utils.errors import ConfigurationError, NotFound

LOOK = 1.0  # seconds between two looks at what changed, at most
AGAIN = 5.0  # seconds until something is tried again that failed
OVERLAP = timedelta(minutes=1)  # clocks of writers may differ by so much, and writes land so late
WHOLE = 600.0  # seconds between two comparisons of all banks with all files
PAGE = 200  # banks that are read at a time
STOPPING = 10.0  # seconds to write what is due at the end
BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)

log = logging.getLogger(__name__)


@asynccontextmanager
async def bank_files(engine: Engine, seconds: float, *, dump: bool = False) -> AsyncIterator[None]:
    """Keeps the files of all banks for the while; where another process does, once that one ends. A bank is written
    `seconds` after it changed, or at once after a large update, and at the end. `dump`: what is at hand is written,
    too.

    Raises `ConfigurationError` where there can be no such files.
    """
    folder = engine.library.banks.folder
    if folder is None:
        yield
        return
    try:
        await asyncio.to_thread(folder.root.mkdir, mode=0o700, parents=True, exist_ok=True)
        rounds = await asyncio.to_thread(FileRounds, "the files of memory banks", folder.root / LOCK)
    except OSError as error:
        raise ConfigurationError(f"{folder.root}, under LOCI_HOME, cannot be written: {error.strerror}") from error
    keeping = _Keeping(engine.library.banks, folder, rounds, timedelta(seconds=seconds), dump=dump)
    async with rounds.going(keeping.run, STOPPING):
        yield


@dataclass
class _Due:
    """A bank that is to be written. `at`: monotonic time; `failing`: its last try failed."""

    info: BankInfo
    at: float
    failing: bool = False


class _Keeping:
    def __init__(
        self, banks: Banks, folder: BankFolder, rounds: FileRounds, interval: timedelta, *, dump: bool
    ) -> None:
        self._banks = banks
        self._folder = folder
        self._rounds = rounds
        self._interval = interval.total_seconds()
        self._dump = dump
        self._due: dict[str, _Due] = {}
        self._seen = BEGINNING
        self._compared = -WHOLE
        self._dumped = ""
        folder.wake = rounds.wake

    async def run(self) -> None:
        """Until it is stopped; then what is due is written whether its time has come or not."""
        while True:
            stopped = self._rounds.stopped.is_set()
            done = await self._rounds.tried(partial(self._round, hurry=stopped))
            if stopped:
                return
            await self._rounds.pause(min(LOOK, self._interval) if done else AGAIN)

    async def _round(self, *, hurry: bool) -> None:
        if monotonic() - self._compared > WHOLE:
            await self._look(BEGINNING)
            await self._remove_strays()
            self._compared = monotonic()
        else:
            await self._look(self._seen - OVERLAP)
        await self._flush(hurry=hurry)
        if self._dump:
            await self._write_dump()

    async def _look(self, since: datetime) -> None:
        """Notes what changed since a time and does not stand in its files."""
        after = ""
        while True:
            page = await self._banks.changed_since(since, after, PAGE)
            for info in page:
                self._seen = max(self._seen, min(info.updated_at, now()))
                due = self._due.get(info.key)
                if due is not None and (due.info.epoch, due.info.version) == (info.epoch, info.version):
                    continue
                if due is None and await asyncio.to_thread(self._is_written, info):
                    continue
                wait = 0.0 if info.urgent else self._interval
                at = min(monotonic() + wait, due.at if due is not None else monotonic() + wait)
                self._due[info.key] = _Due(info, at, due.failing if due is not None else False)
            if len(page) < PAGE:
                return
            since, after = page[-1].updated_at, page[-1].key

    def _is_written(self, info: BankInfo) -> bool:
        there = self._folder.read(self._folder.of(info.owner, info.type, info.id))
        return there is not None and (there.epoch, there.version) == (info.epoch, info.version)

    async def _flush(self, *, hurry: bool) -> None:
        """Writes what is due, what is due first before the others."""
        for key, due in sorted(self._due.items(), key=lambda one: one[1].at):
            if due.at > monotonic() and not hurry:
                return
            try:
                await self._write(due.info)
            except OSError as error:
                log.warning("a memory bank is not written: %s", error.strerror)
                if not due.failing:
                    await self._banks.note_error(due.info, f"The files could not be written: {error.strerror}", "error")
                self._due[key] = _Due(due.info, monotonic() + AGAIN, failing=True)
            else:
                self._due.pop(key, None)

    async def _write(self, info: BankInfo) -> None:
        """Writes a bank as it is by now. One that was deleted has no files, also where it is deleted meanwhile."""
        try:
            bank = await self._banks.get(info.owner, info.type, info.id)
            written = WrittenBank(info.owner, info.type, info.id, bank.info.epoch, bank.info.version)
            if await asyncio.to_thread(self._folder.write, written, bank.content):
                metrics.BANK_FILES.inc()
                log.info(
                    "memory bank %s, version %d, about %d tokens, is in its files",
                    info.id,
                    bank.info.version,
                    bank.info.tokens,
                )
            await self._banks.info(info.owner, info.type, info.id)
        except NotFound:
            await asyncio.to_thread(self._folder.remove, info.owner, info.type, info.id)

    async def _remove_strays(self) -> None:
        """Removes the files of banks that are gone, and lets go of what is at hand of them: another process may have
        deleted them."""
        for written in await asyncio.to_thread(lambda: list(self._folder.every())):
            try:
                await self._banks.info(written.owner, written.type, written.id)
            except NotFound:
                await asyncio.to_thread(self._folder.remove, written.owner, written.type, written.id)
        for kept in self._banks.cache.every():
            with suppress(NotFound):
                await self._banks.info(kept.bank["user_id"], kept.bank["type"], kept.bank["id"])

    async def _write_dump(self) -> None:
        every = self._banks.cache.every()
        versions = " ".join(f"{one.bank['_id']}:{one.bank['version']}" for one in every)
        if versions == self._dumped:
            return
        tokens = sum(one.bank["tokens"] for one in every)
        state: dict[str, object] = {
            "at": now(),
            "tokens": tokens,
            "banks": {
                f"{one.bank['user_id']}:{one.bank['type']}:{one.bank['id']}": {
                    "version": one.bank["version"],
                    "tokens": one.bank["tokens"],
                    "since": one.since,
                    "files": {file["name"]: file["text"] for file in one.bank["files"]},
                }
                for one in every
            },
        }
        await asyncio.to_thread(self._folder.dump, state)
        self._dumped = versions
        log.info("memory banks at hand: %d, about %d tokens", len(every), tokens)
