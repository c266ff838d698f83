"""What structured parts of an output tell: JSON, the XML of reports, and tables, an object or a row a line.

XML and tables become the objects that they would be in JSON, so that one reader tells them all: which object fails,
which counts outcomes, which differs from the others. What is empty is left out, and so is what is nested too deep.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from heapq import nlargest
from typing import Any
from xml.parsers.expat import ExpatError, ParserCreate

from memory.observations.salience import LONGEST, Line, Rank, rank_of
from memory.views import json_in, rows_of
from utils.text import GAP, cut_at_word, repair

DEEPEST = 10  # objects and lists within each other that are read
BRIEFLY = 4  # of these, that are told on one line
LONGEST_BRIEF = 160  # characters of what stands within another value
MOST_FIELDS, MOST_ITEMS = 12, 8  # told of an object, and of a list of values
MOST_LISTED = 5  # objects of a list that are told; of a longer one those first that fail or differ
MOST_REPORTS = 20
MOST_COLUMNS = 64
RARE = 10  # a value is rare that one in so many has
OUTLIER = 2  # times the next largest number
OUTCOMES = frozenset({"passed", "failed", "failures", "errors", "skipped", "total", "tests", "warnings", "ok",
                      "succeeded", "passing", "failing", "pending", "success"})  # fmt: skip
SUMS = frozenset({"total", "totals", "sum", "all files", "overall"})  # what a row is called that sums up
FAULTS = frozenset({"error", "errors", "exception", "fault", "failure", "failures", "error_message"})
LOW = frozenset({"info", "debug", "trace", "notice", "verbose"})

_FAILED = re.compile(
    r"(?:error|fail|failed|failure|fatal|critical|severe|crashed|time[d_ -]*out|unhealthy|down|offline|dead|not ?ready"
    r"|denied|exited \([1-9].*|.*backoff|oomkilled|evicted)"
    r"(?=$|\s*[:(,;]|\s(?:after|at|because|by|due|in|on|with|[-–—])\s?)",
    re.I,
)  # fmt: skip
_NONE = frozenset({"", "none", "null", "no", "n/a", "-", "false", "0"})
_REPORT = re.compile(r"^[ \t]*(?=<\?xml\b|<(?:testsuites?|checkstyle)\b)", re.MULTILINE)
_TABLE_RULE = re.compile(r"(?=.*(?:--|──|==))[\s|+:=\-│┼─├┤┌┬┐└┴┘]+")
_WIDE = re.compile(r" {2,}|\t")
_BAR = re.compile(r"[|│]")
_RULED_BAR = re.compile(r"[+|]")
_MARK = re.compile(r"[●○×✖✔•](?= )")  # before a row, under no name
_NAME = re.compile(r"(?=.*[^\W\d]|[#%])[^.!?;=:]{1,40}")  # of a column


def take_values(text: str) -> tuple[list[Line], str]:
    """What the JSON and the reports in a text tell, and the text without them."""
    lines: list[Line] = []
    values: list[object] = []
    parts: list[str] = []
    at = 0
    for found in json_in(text):
        if not found.whole:
            break
        line = text.rfind("\n", 0, found.begin) + 1
        around = text[max(line, found.begin - LONGEST) : found.begin].strip()
        if around and rank_of(around) is Rank.ERROR:
            continue
        values.append(found.value)
        parts += [text[at : found.begin], GAP if around else ""]
        at = found.end
    lines += told_of(values[0] if len(values) == 1 else values)
    rest = "".join([*parts, text[at:]])
    reports, rest = _take_reports(rest)
    return [*lines, *reports], rest


def told_of(value: object) -> list[Line]:
    return [Line(cut_at_word(repair(text), LONGEST), rank, whole=True) for text, rank in _told(value, "", DEEPEST)]


def _told(value: object, path: str, depth: int) -> Iterator[tuple[str, Rank]]:
    """What a value tells, a line for each object that has values of its own."""
    if isinstance(value, list) and depth:
        for item in _salient([item for item in value if isinstance(item, dict | list)]):
            yield from _told(item, path, depth - 1)
    elif isinstance(value, dict) and depth:
        briefs = {str(name): _brief(item, BRIEFLY) for name, item in value.items()}
        near = {name: text for name, text in briefs.items() if text}
        if near and not _is_low(value):
            yield _line(near, path), _rank({name: value[name] for name in value if str(name) in near})
        called = f"[{name}]" if path and (name := _called(value)) else _called(value)
        for name, item in value.items():
            if briefs[str(name)] is None:
                yield from _told(item, ".".join(filter(None, (path + called, str(name)))), depth - 1)


def _line(said: Mapping[str, str], path: str) -> str:
    between, behind = (" ", ", ") if path else (": ", "; ")
    fields = [f"{name}{between}{text}" for name, text in list(said.items())[:MOST_FIELDS]]
    more = [f"… {len(said) - MOST_FIELDS} more"] if len(said) > MOST_FIELDS else []
    return f"{path}: {behind.join([*fields, *more])}" if path else behind.join([*fields, *more])


def _brief(value: object, depth: int) -> str | None:
    """A value in a few words, empty for an empty one; None where it is to be told by itself."""
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case dict():
            parts = {name: _brief(item, depth - 1) for name, item in value.items()} if depth else {"": None}
            text = ", ".join(f"{name} {part}" for name, part in parts.items() if part)
            return None if None in parts.values() or len(text) > LONGEST_BRIEF else f"({text})" if text else ""
        case list():
            if not depth:
                return None
            items = [_brief(item, depth - 1) for item in value[: MOST_ITEMS + 1]]
            if None in items or (len(value) > 1 and any(isinstance(item, dict) and len(item) > 1 for item in value)):
                return None
            more = [f"… {len(value) - MOST_ITEMS} more"] if len(value) > MOST_ITEMS else []
            return cut_at_word(", ".join([*filter(None, items[:MOST_ITEMS]), *more]), LONGEST_BRIEF)
        case _:
            return cut_at_word(str(value)[: 2 * LONGEST], LONGEST_BRIEF)


def _salient(items: Sequence[Any]) -> list[Any]:
    """The items of a list that are told: of a long one those that fail or count outcomes, then those that have a rare
    value or a number far from the others, and else the first."""
    if len(items) <= MOST_LISTED:
        return list(items)
    ranks = [_rank(item) for item in items]
    odd = _odd(items)
    order = sorted(range(len(items)), key=lambda at: (ranks[at], -odd[at], at))
    telling = [at for at in order if ranks[at] < Rank.VALUE]
    return [items[at] for at in (telling[:MOST_LISTED] or order[:MOST_LISTED])]


def _odd(items: Sequence[Any]) -> list[int]:
    """In how many fields each item differs from nearly all others."""
    odd = [0] * len(items)
    columns: dict[str, dict[int, object]] = {}
    for at, item in enumerate(items):
        for name, value in item.items() if isinstance(item, dict) else ():
            if isinstance(value, str | int | float | None):
                columns.setdefault(str(name), {})[at] = value
    for column in columns.values():
        numbers = {at: float(text) for at, text in column.items() if _is_number(text) and isinstance(text, int | float)}
        if len(numbers) == len(items):
            first, second = nlargest(2, numbers, key=numbers.__getitem__)
            odd[first] += numbers[first] > OUTLIER * max(numbers[second], 0)
            continue
        often = Counter(map(str, column.values()))
        if len(column) * RARE <= len(items):
            often.clear()  # a field that few have
        for at, said in column.items():
            odd[at] += often[str(said)] * RARE <= len(items) and len(often) * 2 <= len(items)
    return odd


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300


def _rank(value: object, depth: int = BRIEFLY) -> Rank:
    """How much an object matters: whether it, or what is told with it, counts outcomes or fails."""
    if isinstance(value, list) and depth:
        return min((_rank(item, depth - 1) for item in value[:MOST_ITEMS]), default=Rank.VALUE)
    if not isinstance(value, dict) or not depth:
        return Rank.VALUE
    counted = [name for name, item in value.items() if str(name).lower() in OUTCOMES and str(item).isdigit()]
    if len(counted) > 1 or any(str(item).strip().lower() in SUMS for item in value.values()):
        return Rank.TOTAL
    if any(_fails(str(name).lower(), item) for name, item in value.items()):
        return Rank.ERROR
    return min((_rank(item, depth - 1) for item in value.values()), default=Rank.VALUE)


def _fails(name: str, value: object) -> bool:
    """Whether a field says that something failed."""
    if name in ("success", "ok", "passed") and value is False:
        return True
    if name in ("status", "statuscode", "status_code", "code") and isinstance(value, int):
        return 400 <= value < 600
    if name in FAULTS:
        return bool(value) and str(value)[:10].strip().lower() not in _NONE and not isinstance(value, int | float)
    return (
        isinstance(value, str) and name not in ("name", "title") and _FAILED.match(value.strip()[:LONGEST]) is not None
    )


def _is_low(value: Mapping[str, Any]) -> bool:
    """Whether an object is an entry of a log that says that something goes on."""
    level = next((value[name] for name in ("level", "lvl", "levelname", "severity") if name in value), None)
    return ("msg" in value or "message" in value) and isinstance(level, str) and level.lower() in LOW


def _called(item: object) -> str:
    """What an object is called."""
    names = [item.get(name) for name in ("name", "title", "id", "key")] if isinstance(item, dict) else []
    return next((str(name) for name in names if isinstance(name, str | int) and 0 < len(str(name)) <= 60), "")


def _take_reports(text: str) -> tuple[list[Line], str]:
    """What reports in XML tell of totals and failures, and the text without those that tell any."""
    lines: list[Line] = []
    parts: list[str] = []
    at = 0
    for _ in range(MOST_REPORTS):
        found = _REPORT.search(text, at)
        if found is None:
            break
        value, end = _xml(text, found.end())
        told = [line for line in told_of(value) if line.rank < Rank.VALUE]
        if told:
            lines += told
            parts += [text[at : found.start()], GAP]
        else:
            parts.append(text[at:end])
        at = end
    return lines, "".join([*parts, text[at:]])


def _xml(text: str, begin: int) -> tuple[dict[str, Any], int]:
    """The elements of a document as objects, by their names, as far as it can be read, and where it ends. Entities of
    its own are refused: it ends there."""
    root: dict[str, Any] = {}
    stack = [root]
    read = 0  # where what was read last begins, in bytes

    def start(name: str, values: dict[str, str]) -> None:
        nonlocal read
        read = parser.CurrentByteIndex
        element: dict[str, Any] = dict(values)
        stack[-1].setdefault(f"{name}s" if name in values else name, []).append(element)
        stack.append(element)

    def end(_: str) -> None:
        nonlocal read
        read = parser.CurrentByteIndex
        stack.pop()

    def characters(said: str) -> None:
        if len(before := stack[-1].get("text", "")) < LONGEST and (before or said.strip()):
            stack[-1]["text"] = before + said[:LONGEST]

    def refuse(*_: object) -> None:
        raise ExpatError("entities are not read")

    parser = ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, characters
    parser.EntityDeclHandler = refuse
    data = text[begin:].encode("utf-8", "replace")
    try:
        parser.Parse(data, True)
    except ExpatError:
        line = text.find("\n", begin + len(data[:read].decode("utf-8", "ignore")))
        return root, line if line >= 0 else len(text)
    return root, len(text)


def tables_in(lines: Sequence[str]) -> tuple[list[Line], list[str]]:
    """What the rows of tables among lines tell, each with the names of its columns, and the other lines."""
    told: list[Line] = []
    rest: list[str] = []
    at = 0
    while at < len(lines):
        end, rows = _table(lines, at)
        if rows:
            told += told_of(rows)
        else:
            rest += lines[at:end]
        at = end
    return told, rest


def _table(lines: Sequence[str], at: int) -> tuple[int, list[dict[str, Any]]]:
    """Where a table ends that begins here, and its rows; where there is none, which lines need no second look."""
    head, end = lines[at].strip(), at + 1
    if not head or len(head) > 10 * LONGEST:
        return end, []
    is_barred = head[0] in "|│" or (end < len(lines) and _RULED_BAR.search(lines[end]) and _is_rule(lines[end]))
    is_ruled = end < len(lines) and _is_rule(lines[end])
    names = _cells(head) if is_barred else _WIDE.split(head)
    if (2 if is_ruled else 3) <= len(names) <= MOST_COLUMNS and all(map(_NAME.fullmatch, filter(None, names))):
        between = _BAR if is_barred else _WIDE
        while end < len(lines) and lines[end].strip() and (_is_rule(lines[end]) or between.search(lines[end].strip())):
            end += 1
        block = [_MARK.sub(" ", line.expandtabs(), count=1) for line in lines[at:end] if not _is_rule(line)]
        cells = [_cells(line) for line in block] if is_barred else _columns(block)
        return end, [_row(cells[0], row) for row in cells[1:]]
    if (at == 0 or not lines[at - 1].strip()) and ("," in head or ";" in head):
        while end < len(lines) and lines[end].strip():
            end += 1
        rows = rows_of(lines[at:end]) or []
        if any(_is_number(value) for row in rows for value in row.values()):
            return end, [dict(row) for row in rows]
    return at + 1, []


def _is_rule(line: str) -> bool:
    return _TABLE_RULE.fullmatch(line[:LONGEST]) is not None


def _cells(line: str) -> list[str]:
    bare = line.strip().replace("│", "|")
    return [cell.strip() for cell in bare.removeprefix("|").removesuffix("|").split("|")]


def _row(names: Sequence[str], cells: Sequence[str]) -> dict[str, Any]:
    return {name or "row": cell.rstrip(":") for name, cell in zip(names, cells, strict=False) if cell}


def _columns(block: Sequence[str]) -> list[list[str]]:
    """The cells of lines that stand below each other: columns are apart where no line has anything."""
    filled = bytearray(max(map(len, block)) + 1)  # 1: in the names, 2: below them, 3: in both
    for at, line in enumerate(block):
        mark = 2 if at else 1
        for word in re.finditer(r"\S+", line):
            for place in range(*word.span()):
                filled[place] |= mark
    spans: list[tuple[int, int]] = []
    for part in re.finditer(rb"[\x01-\x03]+", bytes(filled)):
        begin, until = part.span()
        if spans and 3 not in part[0] and len({*part[0]}) < 2:  # no name, or nothing below one
            spans[-1] = (spans[-1][0], until)
        else:
            spans.append((begin, until))
    head = [block[0][begin:until].strip() for begin, until in spans]
    if any(_WIDE.search(name) for name in head):
        wide = [_WIDE.split(line.strip()) for line in block]
        names = block[0].split()
        return (
            wide
            if len({len(cells) for cells in wide}) == 1
            else [names, *(line.split(None, len(names) - 1) for line in block[1:])]
        )
    return [[line[begin:until].strip() for begin, until in spans] for line in block]
