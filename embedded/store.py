"""All that a server holds open: the file, what is defined in it, the writer, the readers and what they do."""

import logging
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

from embedded.activity import Activity
from embedded.catalog import Catalog, load
from embedded.cursors import Cursors
from embedded.schema import open_file, open_reader
from embedded.writer import Job, Writer

logger = logging.getLogger(__name__)


class Store:
    """One open data file. `deliver` gets the jobs of each COMMIT, on the writer's thread.

    Raises FileRefused for a file that is corrupt, foreign or newer.
    """

    def __init__(self, path: Path, *, deliver: Callable[[list[Job]], None]) -> None:
        self.path = path
        self.connection = open_file(path)
        self.catalog: Catalog = load(self.connection)
        self.cursors = Cursors()
        self.activity = Activity()
        self.closing = False
        self.writer = Writer(self.connection, self.catalog, publish=self._publish, deliver=deliver)
        self._readers = threading.local()
        self._opened: list[sqlite3.Connection] = []
        self.writer.start()

    def source(self) -> sqlite3.Connection:
        """The calling thread's connection for reading."""
        connection: sqlite3.Connection | None = getattr(self._readers, "connection", None)
        if connection is None:
            connection = self._readers.connection = open_reader(self.path)
            self._opened.append(connection)
        return connection

    def close(self) -> None:
        """Finish the queued writes and fold the log into the file. No thread may be reading."""
        self.writer.stop()
        for connection in self._opened:
            connection.close()
        try:
            self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.Error as error:  # a full disk: the next start does it
            logger.warning("the log was not folded into the file: %s", error)
        self.connection.close()

    def _publish(self, catalog: Catalog) -> None:
        self.catalog = catalog
