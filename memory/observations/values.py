"""Values: what the JSON, the reports in XML and the tables of an output tell, a line for each object or row."""

import re
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from json import JSONDecodeError, JSONDecoder
from typing import Any

from memory.observations.salience import LONGEST, Line, Rank, counts_outcomes, rank_of
from memory.views import talk_of, worth_of
from utils.text import GAP, cut_at_word, repair

DEEPEST = 10  # objects and lists within each other that are read
BRIEFLY = 4  # of these, that are told on one line
LONGEST_BRIEF = 160  # characters of what stands within another value
LONGEST_NAME = 60  # characters by which an object is called
MOST_FIELDS, MOST_ITEMS = 12, 8  # told of an object, and of a list of values
MOST_LISTED = 5  # objects of a list that are told; of a longer one those that fail or sum up, or else differ
MOST_REPORTS, MOST_COLUMNS = 20, 64
NAMES = ("name", "title", "id", "key")  # fields that say what an object is called

# An object with a field, or a list of objects, lists or texts.
_BEGIN = re.compile(r'\{\s*(?=")|\[\s*(?=[\[{"])')
MOST, MOST_FAULTS = 20_000, 1_000  # values of a text, and what only begins as one, that are looked at
_decoder = JSONDecoder()

# A field that says that something failed, among the fields of an object.
_FAILED = re.compile(
    r"(?:^|; |[(,] ?)"
    r"(?:(?:error|exception|fault|failure)(?:s|_message)?:? (?!(?:none|null|no|n/a|false|[\d.-]+)(?:$|[;,)]))"
    r"|(?:success|ok|passed):? false\b|(?:status|code|status_?code):? [45]\d\d(?=$|[;,)])"
    r"|(?!name|title)[\w ]{1,40}:? (?:error|fail(?:ed|ure)?|fatal|critical|severe|crashed|timed? ?out|unhealthy|down"
    r"|dead|offline|not ?ready|denied|exited \([1-9]|\w*backoff|oomkilled)"
    r"(?=$|[;,:()]| (?:after|at|because|by|due|in|with)\b))",
    re.IGNORECASE,
)
_REPORT = re.compile(r"^[ \t]*(?:<\?xml\b[^>]*>\s*)?(?=<(testsuites?|checkstyle)\b)", re.MULTILINE)
_TAG = re.compile(r"<(?P<name>[\w.:-]++)(?P<fields>(?:\s+[\w.:-]+=(?:\"[^\"]*\"|'[^']*'))*+)\s*+/?>(?P<text>[^<]*+)")
_FIELD = re.compile(r"([\w.:-]+)=(?:\"([^\"]*)\"|'([^']*)')")
_TABLE_RULE = re.compile(r"(?=.*(?:--|──|==))[\s|+:=\-│┼─├┤┌┬┐└┴┘]+")
_WIDE = re.compile(r" {2,}|\t")
_BAR = re.compile(r"[|│]")
_COLUMN_NAME = re.compile(r"(?=.*[^\W\d]|[#%])[^.!?;=:]{1,40}")


def take_values(text: str) -> tuple[list[Line], str]:
    """What the JSON and the reports in a text tell, and the text without them."""
    values: list[object] = []
    parts: list[str] = []
    at = 0
    for begin, end, value in json_in(text):
        around = text[max(text.rfind("\n", 0, begin) + 1, begin - LONGEST) : begin].strip()
        if around and rank_of(around) is Rank.ERROR:
            continue
        values.append(value)
        parts += [text[at:begin], GAP if around else ""]
        at = end
    lines = told_of(values[0] if len(values) == 1 else values)
    reports, rest = _take_reports("".join([*parts, text[at:]]))
    return [*lines, *reports], rest


def told_of(value: object, path: str = "", depth: int = DEEPEST) -> list[Line]:
    """What a value tells, a line for each object that has values of its own."""
    if isinstance(value, list) and depth:
        items = [item for item in value if isinstance(item, dict | list)]
        return _salient(items, [told_of(item, path, depth - 1) for item in items])
    if not isinstance(value, dict) or not depth:
        return []
    fields = {str(name): _brief(item, BRIEFLY) for name, item in value.items() if not str(name).startswith("$")}
    near = {name: text for name, text in fields.items() if text}
    lines = [_line(near, path)] if near else []
    name = next((str(value[key]) for key in NAMES if isinstance(value.get(key), str | int)), "")[:LONGEST_NAME]
    called = f"[{name}]" if path and name else name
    for key, item in value.items():
        if fields.get(str(key), "") is None:
            lines += told_of(item, ".".join(filter(None, (path + called, str(key)))), depth - 1)
    return lines


def _line(fields: Mapping[str, str], path: str) -> Line:
    told = [*fields.items()][:MOST_FIELDS]
    more = [f"… {len(fields) - MOST_FIELDS} more"] if len(fields) > MOST_FIELDS else []
    text = "; ".join(f"{name}: {value}" for name, value in told)
    rank = Rank.VALUE
    if counts_outcomes(text):
        rank = Rank.TOTAL
    elif _FAILED.search(text):
        rank = Rank.ERROR
    if path:
        said = f"{path}: {', '.join([*(f'{name} {value}' for name, value in told), *more])}"
    else:
        said = "; ".join([text, *more])
    return Line(cut_at_word(repair(said), LONGEST), rank, whole=True)


def _brief(value: object, depth: int) -> str | None:
    """A value in a few words, empty for an empty one; None where it is to be told by itself."""
    if isinstance(value, dict | list) and value and not depth:
        return None
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case dict():
            parts = {name: _brief(item, depth - 1) for name, item in value.items()}
            text = ", ".join(f"{name} {part}" for name, part in parts.items() if part)
            return None if None in parts.values() or len(text) > LONGEST_BRIEF else f"({text})" if text else ""
        case list():
            items = [_brief(item, depth - 1) for item in value[:MOST_ITEMS]]
            if None in items or (len(value) > 1 and any(isinstance(item, dict) and len(item) > 1 for item in value)):
                return None
            more = [f"… {len(value) - MOST_ITEMS} more"] if len(value) > MOST_ITEMS else []
            return cut_at_word(", ".join([*filter(None, items), *more]), LONGEST_BRIEF)
        case _:
            return cut_at_word(str(value)[: 2 * LONGEST], LONGEST_BRIEF)


def _salient(items: Sequence[Any], told: Sequence[list[Line]]) -> list[Line]:
    """What is told of the items of a list: of a long one of those that fail or count outcomes; where none does, of
    those that differ from nearly all others, and else of the first."""
    order = list(range(len(items)))
    if len(items) > MOST_LISTED:
        ranks = [min((line.rank for line in lines), default=Rank.VALUE) for lines in told]
        own = [{name: value for name, value in item.items() if not isinstance(value, dict | list)}
               if isinstance(item, dict) else {} for item in items]  # fmt: skip
        odd = worth_of(own, talk_of([]))
        order.sort(key=lambda at: (ranks[at], -odd[at], at))
        order = [at for at in order if ranks[at] < Rank.VALUE][:MOST_LISTED] or order[:MOST_LISTED]
    return [line for at in order for line in told[at]]


def _take_reports(text: str) -> tuple[list[Line], str]:
    """What reports in XML tell of totals and failures, and the text without them, as far as they can be read. No
    entities of their own are."""
    lines: list[Line] = []
    parts: list[str] = []
    at = 0
    for _ in range(MOST_REPORTS):
        if (found := _REPORT.search(text, at)) is None:
            break
        parts += [text[at : found.start()], GAP]
        close = text.find(f"</{found[1]}>", found.end())
        at = end = found.end()
        around = ""  # what was told of the element before, which a failure is of
        for tag in _TAG.finditer(text, at, close if close >= 0 else len(text)):
            fields = {key: unescape(double or single) for key, double, single in _FIELD.findall(tag["fields"])}
            said = _line(fields, "") if fields else Line("", Rank.VALUE)
            told = "; ".join(filter(None, (said.text, " ".join(unescape(tag["text"][:LONGEST]).split()))))
            if said.rank is Rank.TOTAL:
                lines.append(said)
            elif said.rank is Rank.ERROR or _FAILED.match(f"{tag['name']}: {told}"):
                lines.append(Line(cut_at_word(f"{around}; {tag['name']}: {told}", LONGEST), Rank.ERROR, whole=True))
            else:
                around = said.text
            end = tag.end("fields")
        at = close if close >= 0 else end
    return lines, "".join([*parts, text[at:]])


def tables_in(lines: Sequence[str]) -> tuple[list[Line], list[str]]:
    """What the rows of tables among lines tell, each with the names of its columns, and the other lines."""
    told: list[Line] = []
    rest: list[str] = []
    at = 0
    while at < len(lines):
        end, rows = _table(lines, at)
        told += told_of(rows)
        rest += [] if rows else lines[at:end]
        at = end
    return told, rest


def _table(lines: Sequence[str], at: int) -> tuple[int, list[dict[str, Any]]]:
    """Where a table ends that begins here, and its rows; where there is none, which lines need no second look."""
    head, end = lines[at].strip(), at + 1
    if not head or len(head) > 10 * LONGEST:
        return end, []
    below = lines[end] if end < len(lines) else ""
    is_ruled = _is_rule(below)
    is_barred = head[0] in "|│" or (is_ruled and ("|" in below or "+" in below))
    names = _cells(head) if is_barred else _WIDE.split(head)
    if (2 if is_ruled else 3) <= len(names) <= MOST_COLUMNS and all(map(_COLUMN_NAME.fullmatch, filter(None, names))):
        between = _BAR if is_barred else _WIDE
        while end < len(lines) and lines[end].strip() and (_is_rule(lines[end]) or between.search(lines[end].strip())):
            end += 1
        block = [line.expandtabs() for line in lines[at:end] if not _is_rule(line)]
        cells = [_cells(line) for line in block] if is_barred else _columns(block)
        return end, [_row(cells[0], row) for row in cells[1:]]
    return end, []


def _is_rule(line: str) -> bool:
    return _TABLE_RULE.fullmatch(line[:LONGEST]) is not None


def _cells(line: str) -> list[str]:
    bare = line.strip().replace("│", "|")
    return [cell.strip() for cell in bare.removeprefix("|").removesuffix("|").split("|")]


def _row(names: Sequence[str], cells: Sequence[str]) -> dict[str, Any]:
    return {name or "row": cell.rstrip(":") for name, cell in zip(names, cells, strict=False) if cell}


def _columns(block: Sequence[str]) -> list[list[str]]:
    """The cells of lines that stand below each other: columns are apart where no line has anything, and each has a name
    and something below it."""
    filled = bytearray(max(map(len, block)) + 1)  # 1: in the names, 2: below them, 3: in both
    for at, line in enumerate(block):
        for word in re.finditer(r"\S+", line):
            for place in range(*word.span()):
                filled[place] |= 2 if at else 1
    spans: list[tuple[int, int]] = []
    for part in re.finditer(rb"[\x01-\x03]+", bytes(filled)):
        begin, until = part.span()
        if spans and 3 not in part[0] and len({*part[0]}) < 2:
            spans[-1] = (spans[-1][0], until)
        else:
            spans.append((begin, until))
    return [[line[begin:until].strip() for begin, until in spans] for line in block]


def json_in(text: str) -> Iterator[tuple[int, int, object]]:
    """The objects and lists of JSON in a text, in order, each with where it begins and ends; none from one on that the
    text cuts short. Where something only begins as JSON does, what comes after its first fault is looked at."""
    at = values = faults = 0
    while values < MOST and faults < MOST_FAULTS and (opened := _BEGIN.search(text, at)) is not None:
        begin = opened.start()
        at = begin + 1
        try:
            value, at = _decoder.raw_decode(text, begin)
        except JSONDecodeError as error:
            if error.msg.startswith("Unterminated") or not text[error.pos :].strip():
                return
            at = max(at, error.pos)
            faults += 1
        except ValueError:  # a number of more digits than Python reads
            faults += 1
        except RecursionError:
            return
        else:
            yield begin, at, value
            values += 1
