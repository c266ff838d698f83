"""Upkeep of the mirror in Markdown: one task of one process, which looks at files and at the memory in turns."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from time import monotonic

from watchfiles import Change, watch

from agents.upkeep.background import Nudge
from agents.upkeep.rounds import FileRounds
from memory.engine import Engine
from memory.mirror import ENTRIES, Mirror, MirrorEdits, is_hidden
from utils.errors import ConfigurationError
from utils.mongo import StoreError

PAUSE = 0.25  # seconds between two looks at what changed in the memory, at least
SHARE = 9  # a pause is so many times as long as the look before it took, where there are very many users
AGAIN = 1.0  # seconds until something is tried again that failed
GONE = 1.0  # seconds that a file must be gone to count as deleted: some editors delete it before they write it
STOPPING = 5.0  # seconds to end what is under way
SETTLE, GATHER = 100, 1_000  # milliseconds without a change that end a save, and in which those of one go together

log = logging.getLogger(__name__)
logging.getLogger("watchfiles").setLevel(logging.WARNING)  # it tells of every change


@asynccontextmanager
async def mirroring(engine: Engine, nudge: Nudge, path: Path) -> AsyncIterator[None]:
    """Mirrors the memory of all users under a folder for the while; where another process does, once that one ends.

    Raises `ConfigurationError` where there can be no such folder, or it has the files of another database.
    """
    try:
        await asyncio.to_thread(path.mkdir, mode=0o700, parents=True, exist_ok=True)
        mirror = Mirror(engine.store.collections, engine.store.changes, path)
        await mirror.claim()
        rounds = await asyncio.to_thread(FileRounds, f"the mirror at {mirror.root}", mirror.root / ".lock")
    except OSError as error:
        raise ConfigurationError(f"MIRROR_PATH={path} cannot be written: {error.strerror}") from error
    following = _Mirroring(mirror, MirrorEdits(engine, mirror, partial(nudge, "embed", "learn", "summarise")), rounds)
    async with rounds.going(following.run, STOPPING):
        yield


class _Mirroring:
    """The task. `due`: by user, paths at which something happened; `gone`: since when files are gone."""

    def __init__(self, mirror: Mirror, edits: MirrorEdits, rounds: FileRounds) -> None:
        self._mirror = mirror
        self._edits = edits
        self._rounds = rounds
        self._due: dict[str, set[str]] = {}
        self._gone: dict[tuple[str, str], float] = {}
        self._happened: set[str] = set()
        self._watched = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    async def run(self) -> None:
        """Until it is stopped."""
        rounds, stopped = self._rounds, self._rounds.stopped
        watching, ready = asyncio.create_task(asyncio.to_thread(self._watch)), False
        await self._watched.wait()
        while not stopped.is_set():
            if not ready and (ready := await rounds.tried(self._begin)):
                log.info("the mirror at %s is followed", self._mirror.root)
            began = monotonic()
            done = ready and await rounds.tried(self._look_at_files)
            done = ready and await rounds.tried(self._mirror.follow) and done
            await rounds.pause(max(PAUSE, SHARE * (monotonic() - began)) if done else AGAIN)
        if ready:
            await rounds.tried(self._mirror.save)
        await watching

    async def _begin(self) -> None:
        await self._mirror.open()
        await self._edits.catch_up()

    def _watch(self) -> None:
        """Takes note of what happens to files; in a thread."""
        polling: bool | None = None
        while not self._rounds.stopped.is_set():
            try:
                for changes in watch(
                    self._mirror.root,
                    watch_filter=self._is_seen,
                    debounce=GATHER,
                    step=SETTLE,
                    stop_event=self._rounds.stopped,
                    rust_timeout=200,
                    yield_on_timeout=True,
                    raise_interrupt=False,
                    force_polling=polling,
                    poll_delay_ms=1_000,
                    ignore_permission_denied=True,
                ):
                    self._loop.call_soon_threadsafe(self._note, {path for _, path in changes})
            except (OSError, RuntimeError) as error:  # such as a system that watches no more folders
                self._loop.call_soon_threadsafe(self._note, set())
                if polling is None:
                    log.warning("the files of the mirror are looked at every second, not watched: %s", error)
                polling = True
                self._rounds.stopped.wait(AGAIN)

    def _is_seen(self, _: Change, path: str) -> bool:
        with suppress(ValueError):
            parts = Path(path).relative_to(self._mirror.root).parts
            return parts[1:2] in ((), (ENTRIES,)) and not any(map(is_hidden, parts))
        return False

    def _note(self, paths: set[str]) -> None:
        self._watched.set()
        self._happened |= paths
        if paths:
            self._rounds.wake()

    async def _look_at_files(self) -> None:
        happened, self._happened = self._happened, set()
        for path in happened:
            await self._expand(Path(path).relative_to(self._mirror.root))
        while self._due:
            owner, paths = next(iter(self._due.items()))
            try:
                missing = await self._edits.look(owner, paths)
            except StoreError:
                raise  # they are looked at again
            except Exception:
                del self._due[owner]
                raise
            del self._due[owner]
            self._gone |= {(owner, path): self._gone.get((owner, path), monotonic()) for path in missing}
        gone = [one for one, since in self._gone.items() if monotonic() - since > GONE]
        for owner, path in gone:
            since = self._gone.pop((owner, path))
            try:
                await self._edits.delete(owner, [path])
            except StoreError:
                self._gone[owner, path] = since
                raise

    async def _expand(self, path: Path) -> None:
        """Notes the files at a path or below it; what happens in a folder that was just made, nobody may tell."""
        if (
            not path.parts
            or (owner := await asyncio.to_thread(self._mirror.owner_of, self._mirror.root / path.parts[0])) is None
        ):
            return
        folder = self._mirror.folder(owner)
        paths = await asyncio.to_thread(folder.paths, "/".join(path.parts[1:]) or ENTRIES)
        if paths:
            self._due.setdefault(owner, set()).update(paths)
