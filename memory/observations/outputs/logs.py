"""Which lines of an output are entries of a log, and which of these are progress, which errors?"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

FEWEST = 3  # entries that make a log; and entries that are alike but for their numbers, which makes them progress
HEAD = 60  # characters of an entry behind its time in which its level stands
LONGEST = 400  # characters of an entry that is one message
CLIENT_ERROR, SERVER_ERROR = 400, 500  # the least status of each

Told = Literal["progress", "error"]

_PROGRAM = r"(?:[\w./-]{1,40} +\| +)?"  # which of several writes it
_STAMP = re.compile(
    _PROGRAM + r"[\[(]?(?:(?:time|ts)=\"?)?"  # logfmt
    r"(?:\d{4}[-/]\d\d[-/]\d\d[T ]|[A-Z][a-z]{2} {1,2}\d{1,2} |[IWEF]\d{4} )?\d\d:\d\d:\d\d"
    r"(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?[\])\"]?\s"
)
_LEVELS = {
    "low": "TRACE|DEBUG|DEBU|VERBOSE|INFO|INFORMATION|NOTICE",
    "warning": "WARN|WARNING",
    "error": "ERROR|ERRO|ERR|FATAL|FATA|CRITICAL|CRIT|SEVERE|PANIC|ALERT|EMERG",
}
_LEVEL_FIELDS = ("level", "lvl", "levelname", "log.level")  # of JSON
_ANY = "|".join(_LEVELS.values())
_FIRST = re.compile(rf"{_PROGRAM}\[?\b({_ANY})\b\]?(?=[:\s]|\[\d)")  # of a line without a time
_LEVEL = re.compile(rf"\b({_ANY})\b|\b(?i:level=\"?({_ANY})\b|({_ANY}):\s)")
_NEXT = re.compile(rf"\s*\[?(?i:({_ANY}))\b\]?(?=[:\s])")  # right behind the time
_KLOG = re.compile(r"[IWEF](?=\d{4} )")
_OF_KLOG = {"I": "low", "W": "warning", "E": "error", "F": "error"}
# Fields one behind the other, of which one is the level: "level=info msg=started".
_LOGFMT = re.compile(rf'(?:[\w.]++=(?:"(?:[^"\\]|\\.)*+"|[^\s"]*+) +){{0,9}}?(?i:level|lvl|severity)="?(?i:({_ANY}))\b')
# A request to a web server and the status of its answer, with the protocol or a duration beside them, as servers log
# them: '"GET /a HTTP/1.1" 200', "GET /a 200 in 3 ms", "| 500 | 12ms | 10.0.0.1 | POST "/b"".
_METHOD = r"\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\b"
_REQUEST = re.compile(
    rf"{_METHOD} +\"?(?:/|https?://)\S*+(?: HTTP/[\d.]+)?\"? +(?:-?> *|status[=:] ?|\(|- )?(?P<behind>[1-5]\d\d)"
    r"(?=\)?(?:$|\s+(?:[-\d(\"]|in \d|[A-Z][A-Za-z ]*(?:$|\)))))"
    rf"|\| +(?P<before>[1-5]\d\d) +\|.{{1,100}}?{_METHOD} +\"?/"
)
_DIGITS = re.compile(r"\d+")


def log_in(lines: Sequence[str]) -> dict[int, Told]:
    """The entries of a log among lines, by their places, as far as they tell of progress or of an error: what has a
    level that says so, or the status of a request, and what has neither and is like others but for its numbers. Empty
    where there are too few for a log; warnings, and what somebody said at a time, are neither."""
    levels = {at: level for at, line in enumerate(lines) if (level := _level_of(line)) is not None}
    if len(levels) < FEWEST:
        return {}
    alike = {at: _DIGITS.sub("0", lines[at]) for at, level in levels.items() if level == ""}
    often = Counter(alike.values())
    told: dict[int, Told] = {}
    for at, level in levels.items():
        if level == "low" or (level == "" and often[alike[at]] >= FEWEST):
            told[at] = "progress"
        elif level == "error" and len(lines[at]) <= LONGEST:
            told[at] = "error"
    return told


def is_failed_request(line: str) -> bool:
    """Whether a line of a server's log is of a request that it could not answer."""
    request = _REQUEST.search(line, 0, LONGEST)
    return request is not None and int(request["behind"] or request["before"]) >= SERVER_ERROR


def _level_of(line: str) -> str | None:
    """How much an entry of a log matters: one of `_LEVELS`, or empty where it does not say; None for another line."""
    bare = line.strip()
    if (request := _REQUEST.search(bare, 0, LONGEST)) is not None:
        return _of_status(int(request["behind"] or request["before"]))
    stamp = _STAMP.match(bare)
    if stamp is None:
        first = _FIRST.match(bare) or _LOGFMT.match(bare)
        return _of(first[1]) if first is not None else None
    if (klog := _KLOG.match(bare)) is not None:
        return _OF_KLOG[klog[0]]
    near = _NEXT.match(bare, stamp.end())
    found = near or _LEVEL.search(bare, stamp.end(), stamp.end() + HEAD)
    return _of(next(filter(None, found.groups()))) if found is not None else ""


def level_in(entry: Mapping[str, object]) -> str | None:
    """How much an entry of a log matters that is an object of JSON; None for another object."""
    level = next((entry[field] for field in _LEVEL_FIELDS if field in entry), None)
    if "msg" not in entry and "message" not in entry:
        return None
    if isinstance(level, int) and "time" in entry:  # Pino, Bunyan
        return "error" if level >= 50 else "warning" if level >= 40 else "low"
    return _named(level) if isinstance(level, str) else None


def _of(level: str) -> str:
    return _named(level) or ""


def _named(level: str) -> str | None:
    return next((name for name, words in _LEVELS.items() if level.upper() in words.split("|")), None)


def _of_status(status: int) -> str:
    """How much the answer to a request matters, by its status: what the server could not do is an error."""
    return "error" if status >= SERVER_ERROR else "warning" if status >= CLIENT_ERROR else "low"
