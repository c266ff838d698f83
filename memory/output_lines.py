"""Which lines of a step's output can be read? Those of prose, logs, error messages and tables, without what decorates
them; of JSON, its errors; of HTML, its text."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from json import loads

from utils.pages import read_page
from utils.text import uncoloured

ERRORS = ("error", "errors", "exception", "fault", "failure")  # fields under which JSON tells of errors
TELLING = (
    "name",
    "type",
    "code",
    "status",
    "title",
    "reason",
    "message",
    "msg",
    "detail",
    "description",
    "error",
    "hint",
)
LEVELS = ("error", "fatal", "critical")  # of a log's entry
FEWEST_FIELDS, MOST_FIELDS = 3, 12  # of an object whose fields are told
DEEPEST = 4  # objects in each other, in which errors are looked for
NO_PROSE = ("{", "}", "[", "]", "<", "$ ", "at ", 'File "')  # how lines begin of code, JSON and stack traces

_IS_ERROR = re.compile(r'"(?:errors?|exception|fault|failure)"\s*:\s*[\[{"]')
_SAID = re.compile(r'"(?:error|reason|message|msg|detail)"\s*:\s*("(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]){1,300}")')
_STAMP = re.compile(
    r"^\[?(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?\s+"
    r"(?:\[?(?:INFO|DEBUG|NOTICE)\]?:?\s+)?"
)
_RULE = re.compile(r"^[\s=\-_*~#+|:─━═│┃]{3,}$")
_AROUND = re.compile(r"^[=\-_*~#─━═]{3,}\s*|(?<=\s)[=\-_*~#─━═]{3,}$")
_BAR = re.compile(r"[█▓▒░▏▎▍▌▋▊▉━]{2,}|\[=*>? *\] *\d")
_PYTEST = re.compile(r"^E\s{2,}(?=\S)")


@dataclass(frozen=True)
class Line:
    """`is_code`: it stands in a fence of Markdown, or in a stack trace."""

    text: str
    is_code: bool = False


def lines_of(output: str) -> Iterator[Line]:
    """The lines of an output, in order, none of them blank."""
    if (told := _errors_of(output)) is not None:
        yield from map(Line, told or _fields_of(output))
        return
    if output.lstrip().startswith(("{", "[")):
        yield from map(Line, _errors_of_cut(output))
    in_code = in_trace = False
    head: list[str] = []  # the cells of a table's first row
    for raw in read_page(output).splitlines():
        line = uncoloured(raw)
        if line.lstrip().startswith("```"):
            in_code = not in_code
            continue
        bare = line.strip()
        if not bare:
            continue
        in_trace = bare.startswith("Traceback (") or (in_trace and line[:1].isspace())
        if in_trace:
            continue
        if bare.startswith("|"):
            cells = [cell.strip() for cell in bare.strip("|").split("|")]
            if head and not _RULE.match(bare):
                yield Line(
                    "; ".join(f"{name}: {cell}" for name, cell in zip(head, cells, strict=False) if name and cell)
                )
            head = head or cells
            continue
        head = []
        if bare.startswith("{") and (told := _errors_of(bare)):
            yield from map(Line, told)
        if not _RULE.match(bare) and not _BAR.search(bare) and not bare.startswith(NO_PROSE):
            yield Line(_PYTEST.sub("", _STAMP.sub("", _AROUND.sub("", line.rstrip()).rstrip())), in_code)


def _errors_of(text: str) -> list[str] | None:
    """The errors that JSON tells of, each on a line; None for what is no JSON of objects."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        value = loads(text)
    except (ValueError, RecursionError):
        return None
    return list(dict.fromkeys(_errors_in(value, DEEPEST)))


def _fields_of(text: str) -> list[str]:
    """What JSON of one small object says, on a line."""
    value = loads(text)
    if not isinstance(value, Mapping) or not FEWEST_FIELDS <= len(value) <= MOST_FIELDS:
        return []
    if not all(isinstance(item, str | int | float) for item in value.values()):
        return []
    return ["; ".join(f"{name}: {item}" for name, item in value.items())]


def _errors_of_cut(text: str) -> list[str]:
    """The error that JSON tells of whose end is missing."""
    if _IS_ERROR.search(text) is None:
        return []
    said = dict.fromkeys(loads(found) for found in _SAID.findall(text))
    return [f"error: {', '.join(said)}"] if said else []


def _errors_in(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, list):
        for item in value if depth else ():
            yield from _errors_in(item, depth - 1)
    if not isinstance(value, Mapping) or not depth:
        return
    status = value.get("status")
    failed = value.get("success") is False or value.get("ok") is False or value.get("level") in LEVELS
    if failed or (isinstance(status, int) and status >= 400) or any(_is_told(value.get(name)) for name in ERRORS):
        yield from _told_in(value)
        return
    for item in value.values():
        yield from _errors_in(item, depth - 1)


def _is_told(error: object) -> bool:
    return bool(error) and isinstance(error, str | Mapping | list)


def _told_in(value: Mapping[str, object]) -> Iterator[str]:
    """What an object says of its errors."""
    inner = [item for name in ERRORS for item in _listed(value.get(name)) if isinstance(item, Mapping)]
    if inner:
        for one in inner:
            yield from _told_in(one)
        return
    said = [str(value[name]) for name in TELLING if isinstance(value.get(name), str | int) and value[name] is not False]
    texts = [item for name in ERRORS for item in _listed(value.get(name)) if isinstance(item, str)]
    if parts := [part for part in dict.fromkeys([*said, *texts]) if part != "about:blank"]:
        yield f"error: {', '.join(parts)}"


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]
