"""Group commit: many writes share one transaction and one full sync.

One thread owns the writing connection. It runs whatever is queued in one transaction, commits with a full sync, and
only then hands the replies over. If SQLite fails (a full disk), everything of that transaction is undone and refused.
"""

import logging
import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue

from embedded.catalog import Catalog
from embedded.errors import NO_ROOM, StoreError, storage_error
from embedded.ledger import Ledger

logger = logging.getLogger(__name__)

MAX_BATCH = 512
MAX_SECONDS = 0.02


@dataclass(slots=True)
class Job:
    """A write, and what became of it: the reply, or the error that is the reply.

    A `run` that returns None is not done: it is called again after the COMMIT, behind the writes that wait.
    """

    run: Callable[[Ledger], bytes | None]
    done: Callable[[bytes | Exception], None]
    outcome: bytes | Exception | None = None


class Writer:
    """The writing thread. `publish` is called with every new catalog, `deliver` with the jobs of each COMMIT."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        catalog: Catalog,
        *,
        publish: Callable[[Catalog], None],
        deliver: Callable[[list[Job]], None],
    ) -> None:
        self._connection = connection
        self._published = catalog
        self._publish = publish
        self._deliver = deliver
        self._ledger = Ledger(connection, catalog)
        self._full = False  # the disk, when it was last written to
        self._queue: SimpleQueue[Job | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="writer", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def put(self, job: Job) -> None:
        """Queue a write; from any thread."""
        self._queue.put(job)

    def stop(self) -> None:
        """Finish what is queued, then end the thread."""
        self._queue.put(None)
        self._thread.join()

    def _work(self) -> None:
        going = True
        while going or not self._queue.empty():  # what paused goes on behind the end mark
            job = self._queue.get()
            going = (job is not None and self._work_batch(job)) and going

    def _work_batch(self, first: Job) -> bool:
        """Run queued jobs in one transaction; False when the end of the queue was among them."""
        jobs: list[Job] = []
        job: Job | None = first
        until = time.monotonic() + MAX_SECONDS
        changes = self._connection.total_changes
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            while job is not None:
                jobs.append(job)
                self._run(job)
                if len(jobs) >= MAX_BATCH or self._queue.empty() or time.monotonic() > until:
                    break
                job = self._queue.get()
            self._ledger.before_commit()
            self._connection.execute("COMMIT")
        except Exception as error:  # whatever it is, those who wait are answered and the next ones get their turn
            self._undo(jobs or [first], error)
        else:
            if self._full and self._connection.total_changes != changes:  # others need no room
                logger.info("there is room on the disk again")
                self._full = False
            self._ledger.committed()
            if self._ledger.catalog is not self._published:
                self._published = self._ledger.catalog
                self._publish(self._published)
        self._deliver([each for each in jobs or [first] if each.outcome is not None])
        self._ledger.run_between()
        for each in jobs:
            if each.outcome is None:
                self._queue.put(each)
        return job is not None

    def _run(self, job: Job) -> None:
        try:
            job.outcome = job.run(self._ledger)
        except StoreError as error:
            job.outcome = error
        except sqlite3.Error:
            raise
        except Exception as error:
            logger.exception("a write failed")
            job.outcome = error

    def _undo(self, jobs: list[Job], error: Exception) -> None:
        outcome = storage_error(error) if isinstance(error, sqlite3.Error) else error
        full = isinstance(outcome, StoreError) and outcome.code == NO_ROOM
        if not (full and self._full):  # told once: each line takes of what little room there is
            known = None if outcome is not error else error
            logger.error("the transaction of %d writes failed: %s", len(jobs), error, exc_info=known)
        self._full = full
        if self._connection.in_transaction:
            try:
                self._connection.execute("ROLLBACK")
            except sqlite3.Error:
                logger.exception("ROLLBACK failed")
        self._ledger.rolled_back(self._published)
        for job in jobs:
            job.outcome = outcome
