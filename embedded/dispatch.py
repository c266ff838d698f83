"""Dispatch: each command runs on the event loop, in a reading thread or on the writer.

A read begins on the event loop; after two milliseconds, or where its stream says so, it goes on in a thread, at the
next breath.
"""

import asyncio
import logging
import math
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count

from embedded.activity import Activity
from embedded.codec import encode_error
from embedded.commands import COMMANDS
from embedded.commands.call import Call, Now, Portions, Read, Reply, Steps, Write
from embedded.commands.checks import check
from embedded.cursors import Leave
from embedded.errors import StoreError, storage_error
from embedded.ledger import Ledger
from embedded.store import Store
from embedded.wire import Request
from embedded.writer import Job

logger = logging.getLogger(__name__)
_logged = logging.getLogger("embedded")

LOOP_SECONDS = 0.002
READING_THREADS = 4


class Dispatcher:
    """Takes requests on the event loop's thread and answers each exactly once, there too."""

    def __init__(self, store: Store, loop: asyncio.AbstractEventLoop) -> None:
        self._store = store
        self._loop = loop
        self._unacknowledged: set[int] = set()  # writes whose clients wait for no reply
        self._behind: list[tuple[set[int], Callable[[], None]]] = []  # reads, each behind those that came before it
        self._numbers = count(1)
        self._threads = ThreadPoolExecutor(READING_THREADS, thread_name_prefix="reader")
        _logged.addHandler(store.activity.log)

    @property
    def activity(self) -> Activity:
        return self._store.activity

    def close(self) -> None:
        """Interrupt the reads that are under way and wait for them to end."""
        self._store.closing = True
        self._threads.shutdown(wait=True, cancel_futures=True)
        _logged.removeHandler(self.activity.log)

    def handle(self, request: Request, connection: int, done: Callable[[Reply], None]) -> Reply | None:
        """The reply, or None: then `done` is called with it later."""
        name = next(iter(request.body), "")
        operation = self.activity.began(name, request.body, request.sequences, connection)
        call = Call(name, request.body, request.sequences, self._store, connection, operation)

        number = None
        if not request.wants_reply and isinstance(COMMANDS.get(name), Write):
            self._unacknowledged.add(number := next(self._numbers))

        def over(reply: Reply) -> None:
            self._over(call)
            self._written(number)
            done(reply)

        reply = self._begin(call, over)
        if reply is not None:
            self._over(call)
            self._written(number)
        return reply

    def abandon(self, request: Request) -> None:
        """Ends the cursor of a client that is gone."""
        self._store.cursors.kill([request.body["getMore"]])

    def _written(self, number: int | None) -> None:
        """Lets reads begin that came behind an unacknowledged write: nothing else tells their clients of it."""
        if number is None:
            return
        self._unacknowledged.discard(number)
        for before, _ in self._behind:
            before.discard(number)
        ready = [begin for before, begin in self._behind if not before]
        self._behind = [(before, begin) for before, begin in self._behind if before]
        for begin in ready:
            begin()

    def _over(self, call: Call) -> None:
        operation = call.operation
        self.activity.ended(operation, self._store.catalog.get(operation.database, operation.target))

    def _begin(self, call: Call, done: Callable[[Reply], None]) -> Reply | None:
        command = COMMANDS.get(call.name)
        try:
            if command is None:
                raise StoreError(59, f"no such command: '{call.name}'")
            check(call, command.fields)
            if isinstance(command, Now):
                return command.run(call)
            if isinstance(command, Read):
                if self._unacknowledged:
                    self._behind.append((set(self._unacknowledged), partial(self._read_behind, call, command, done)))
                    return None
                return self._read(call, command.run(call), done)
        except Exception as error:
            return error_reply(error, call.name)
        call.operation.writes = call.operation.waiting = True
        self._store.writer.put(
            Job(
                turns(call, command),
                lambda outcome: done(outcome if isinstance(outcome, bytes) else error_reply(outcome, call.name)),
            )
        )
        return None

    def _read_behind(self, call: Call, command: Read, done: Callable[[Reply], None]) -> None:
        try:
            reply = self._read(call, command.run(call), done)
        except Exception as error:
            reply = error_reply(error, call.name)
        if reply is not None:
            done(reply)

    def _read(self, call: Call, steps: Steps, done: Callable[[Reply], None]) -> Reply | None:
        until = time.perf_counter() + LOOP_SECONDS
        for reply in steps:
            if isinstance(reply, bytes):
                return reply
            call.breathe()
            if reply is Leave.NEVER:
                until = math.inf
            elif reply is Leave.LOOP or time.perf_counter() > until:
                call.operation.waiting = True
                self._threads.submit(self._read_on, call, steps, done)
                return None
        raise RuntimeError(f"{call.name} gave no reply")

    def _read_on(self, call: Call, steps: Steps, done: Callable[[Reply], None]) -> None:
        call.operation.waiting = False
        try:
            reply = _drained(call, steps)
        except Exception as error:
            reply = error_reply(error, call.name)
        self._loop.call_soon_threadsafe(done, reply)


def _drained(call: Call, steps: Steps) -> Reply:
    """The reply of a command that need not pause, though it may be ended at each breath."""
    call.breathe()
    for reply in steps:
        if isinstance(reply, bytes):
            return reply
        call.breathe()
    raise RuntimeError(f"{call.name} gave no reply")


def turns(call: Call, command: Write) -> Callable[[Ledger], Reply | None]:
    """What the writer runs: a write at once, or one that takes long a portion at a time. Either may be ended before."""
    steps: Portions | None = None

    def turn(ledger: Ledger) -> Reply | None:
        nonlocal steps
        call.breathe()
        if steps is None:
            call.operation.waiting = False
            outcome = command.run(call, ledger)
            if isinstance(outcome, bytes):
                return outcome
            steps = outcome
        return next(steps)

    return turn


def deliver(jobs: list[Job]) -> None:
    """Hand the outcomes of a COMMIT to who asked; on the event loop's thread."""
    for job in jobs:
        if job.outcome is not None:
            try:
                job.done(job.outcome)
            except Exception:  # the others of the COMMIT are answered whatever becomes of one
                logger.exception("the outcome of a write could not be handed over")


def error_reply(error: Exception, command: str) -> Reply:
    """The reply that tells of an error; one that is not the client's doing is logged."""
    if isinstance(error, RecursionError):
        error = StoreError(15, f"{command} met values that are nested too deeply")
    if not isinstance(error, StoreError):
        logger.error("%s failed", command, exc_info=error)
        if isinstance(error, sqlite3.Error):
            error = storage_error(error)
        else:
            error = StoreError(8, f"internal error: {type(error).__name__}: {error}")
    fields = {"errmsg": error.message, "code": error.code, "codeName": error.name}
    try:
        return encode_error({**fields, **error.extra})
    except Exception:  # whatever happens, the client is answered
        logger.exception("the details of an error could not be told")
        return encode_error(fields)
