"""The last lines that the server logged."""

import datetime
import json
import logging
from collections import deque

MAX_LINES = 1024
_SEVERITIES = {logging.DEBUG: "D1", logging.INFO: "I", logging.WARNING: "W", logging.ERROR: "E", logging.CRITICAL: "F"}


class LogLines(logging.Handler):
    """The last 1,024 lines, each a JSON document of the form that mongod logs; `total` counts all there were."""

    def __init__(self) -> None:
        super().__init__()
        self.total = 0
        self.lines: deque[str] = deque(maxlen=MAX_LINES)

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._keep(record)
        except Exception:  # as every handler: what cannot be logged stops nobody
            self.handleError(record)

    def _keep(self, record: logging.LogRecord) -> None:
        moment = datetime.datetime.fromtimestamp(record.created, datetime.UTC)
        line: dict[str, object] = {
            "t": {"$date": moment.isoformat(timespec="milliseconds")},
            "s": _SEVERITIES.get(record.levelno, "I"),
            "c": record.module.upper(),
            "ctx": record.threadName,
            "msg": record.getMessage(),
        }
        if record.exc_info and record.exc_info[1] is not None:
            line["attr"] = {"error": repr(record.exc_info[1])}
        self.total += 1
        self.lines.append(json.dumps(line))
