"""Which lines of a step's output can be read? What its JSON and its tables tell, and the lines of prose, logs and error
messages, without what decorates them; of HTML, its text. Of a long output, the lines that matter most."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from memory.observations.outputs.changes import changes_in, is_loss
from memory.observations.outputs.json import take_json
from memory.observations.outputs.logs import Told, is_failed_request, log_in
from memory.observations.outputs.nesting import nested
from memory.observations.outputs.note_labels import heading_of, item_of, labelled_note, plain
from memory.observations.outputs.places import placed_in, places_below
from memory.observations.outputs.records import rated_in, take_commits
from memory.observations.outputs.runs import LONGEST, is_error, sums_up, unstamped
from memory.observations.outputs.tables import tables_in
from memory.observations.outputs.xml import take_reports
from memory.views import READ, Talk, excerpt, read_page
from utils.text import GAP, uncoloured

MOST = 4_000  # characters that are read, beside JSON
LAST_LINES = 3  # that are read of a longer output
MOST_MARKED = 20  # of its lines that are read because they sum up, or say what they are
NO_PROSE = ("{", "}", "<", "$ ", "at ", 'File "')  # how lines begin of code, JSON and stack traces

_NOBODY = Talk("")
# BuildKit's steps; what curl received; the frame that Terraform draws around errors.
_STEP = re.compile(
    r"^#\d+ (?:\d+\.\d+ )?(?=\S)|^\s*(?:=> )+(?=ERROR\b)|^\d+\.\d+ (?=npm |E: |(?i:error|fatal|failed)\b)"
    r"|^< (?=HTTP/|[\w-]+: )|^[│|]\s+"
)
_DATE = re.compile(r"[A-Z][a-z]{2},? [A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d (?:[A-Z]{2,5} )?\d{4}$")  # alone
_STEP_DONE = re.compile(r"=> (?!ERROR\b).*\d\.\ds$")  # BuildKit
_RECEIVED = re.compile(r"< HTTP/")  # by curl, which tells what it does, too
_ON_ITS_WAY = re.compile(r"[*>] (?! (?:subject|expire date|issuer): )")
_FAILED_CELL = re.compile(
    r"(?:\t| {2,})(?:fail(?:ed|ure)?|FAIL(?:ED|URE)?|error|ERROR)(?=\t| {2,}|$)|\.{3,} ?\**Failed\b"
)
_BRACKET = re.compile(r"\[(?!(?:[A-Z]{3,}|(?i:warn|warning|error))\])")  # a list; "[ERROR]" is none
_RULE = re.compile(r"^[\s=\-_*~#+|:─━═│┃╷╵]{3,}$|^[╷╵│]$")
_AROUND = re.compile(r"^[=\-_*~#─━═]{3,}\s*|(?<=\s)[=\-_*~#─━═]{3,}$")
_BAR = re.compile(r"[█▓▒░▏▎▍▌▋▊▉━]{2,}|\[=*>? *\] *\d")
_ASSERTED = re.compile(r"^E\s{2,}(?=\S)")  # pytest
_MORE_ASSERTED = re.compile(r"^E\s{2,}[+?-]\s")

Kind = Literal["text", "code", "finding", "error"]


@dataclass(frozen=True)
class Line:
    """`kind`: "code" stands in a fence of Markdown; a "finding" is told as it stands, as JSON or a table tells
    it; an "error" its place shows to be one."""

    text: str
    kind: Kind = "text"


def lines_of(output: str) -> Iterator[Line]:
    """The lines of an output, those of its JSON and of its reports first, and none of them blank."""
    taken, text = _taken(output)
    yield from taken
    raw = [uncoloured(line) for line in read_page(_telling(text, MOST)).splitlines()]
    tables = {table.begin: table for table in tables_in(raw)}
    records = {record.begin: record for record in rated_in(raw)}
    alone, named, places, log = _alone_in(raw), nested(raw), places_below(raw), _log_in(raw)
    in_code = in_trace = False
    until = 0  # where a table ends
    for at, line in enumerate(raw):
        if at in tables and at not in alone:
            yield from (Line(row, "finding") for row in tables[at].rows)
            until = tables[at].end
        elif at in records and at >= until and not in_code:
            yield from (Line(told, "finding") for told in records[at].told)
            until = records[at].end
        line = named[at] if not in_code else line
        bare = line.strip()
        if at < until or not bare or bare == GAP:
            continue
        if bare.startswith("```"):
            in_code = not in_code
            continue
        if at in alone:
            if alone[at].text:
                yield alone[at]
            continue
        in_trace = bare.startswith("Traceback (") or (in_trace and line[:1].isspace())
        said = "" if in_trace else _said(f"{line} ({places[at]})" if at in places else line)
        if not said or (log.get(at) == "progress" and not _tells_more(said)):
            continue
        is_told = _ASSERTED.match(line) is not None or log.get(at) == "error" or _fails_in_cell(line)
        yield Line(said, "error" if is_told else "code" if in_code else "text")


def _alone_in(lines: Sequence[str]) -> dict[int, Line]:
    """The lines that say what is changed, and those told with what they belong to; others tell what empty ones say."""
    placed = {at: Line(one.text, "error" if one.is_error else "finding") for at, one in placed_in(lines).items()}
    return placed | {at: Line(change, "finding") for at, change in changes_in(lines).items()}


def _log_in(lines: Sequence[str]) -> dict[int, Told]:
    """What is progress among lines and what an error, in a log or where curl says what it does on its way."""
    on_its_way = [at for at, line in enumerate(lines) if _ON_ITS_WAY.match(line)]
    is_curl = bool(on_its_way) and any(map(_RECEIVED.match, lines))
    return log_in(lines) | (dict.fromkeys(on_its_way, "progress") if is_curl else {})


def output_for_model(output: str) -> str:
    """An output as a model reads it: of a long one what its JSON tells, and the lines that matter most."""
    if len(output) <= MOST:
        return output
    taken, text = _taken(output)
    first = "\n".join(line.text for line in taken)[: MOST // 2]
    return f"{first}\n{_telling(text, MOST - len(first) - 1)}".strip()


def _taken(output: str) -> tuple[list[Line], str]:
    """What the JSON in an output, the XML of reports and a log of commits tell, and the text without these."""
    said, text = take_json(output)
    sums, failures, text = take_reports(text)
    commits, text = take_commits(text)
    told = [Line(one, "finding") for one in (*said, *sums, *commits)]
    return [*told, *(Line(one, "error") for one in failures)], text


def _telling(text: str, characters: int) -> str:
    """A text, or so many characters of a longer one: an excerpt, and behind it, in up to half of the room, those of its
    lines that sum up, are labelled or say what is lost, and its last ones."""
    if len(text) <= characters:
        return text
    lines = [line for line in text[-READ:].splitlines() if line.strip()]
    marked = [*_labelled(lines), *(line for line in lines[:-LAST_LINES] if _matters(plain(line)))][-MOST_MARKED:]
    behind = "\n".join(dict.fromkeys([*marked, *lines[-LAST_LINES:]]))[-characters // 2 :]
    return f"{excerpt(text, _NOBODY, characters - len(behind) - 2)}\n\n{behind}"


def _fails_in_cell(line: str) -> bool:
    """Whether a row, whose columns may have no names, has a cell that says that something failed."""
    return len(line) <= LONGEST and _FAILED_CELL.search(line.strip()) is not None


def _matters(line: str) -> bool:
    return sums_up(line) or is_loss(line) or is_failed_request(line)


def _labelled(lines: Sequence[str]) -> Iterator[str]:
    """The lines that say what they are, and the headings and items of lists that are labelled."""
    under = ""  # the heading of a list
    for line in lines:
        if heading_of(line) is not None:
            under = line
        elif item_of(line) is None:
            under = ""
        elif under:
            yield f"{under}\n{line}"
        if labelled_note(line) is not None:
            yield line


def _tells_more(said: str) -> bool:
    """Whether an entry of a log, at a level that says nothing, tells more than that something goes on."""
    text = plain(said)
    return sums_up(text) or is_error(text) or labelled_note(said) is not None


def _said(line: str) -> str:
    """What a line says without what decorates it; empty where it says nothing."""
    bare = line.strip()
    if (
        _RULE.match(bare)
        or _DATE.match(bare)
        or _STEP_DONE.match(bare)
        or _BAR.search(bare)
        or _MORE_ASSERTED.match(bare)
    ):
        return ""
    text = _STEP.sub("", unstamped(_AROUND.sub("", line.rstrip()).rstrip()))
    begin = text.lstrip()
    if begin.startswith(NO_PROSE) or _BRACKET.match(begin):
        return ""
    return _ASSERTED.sub("", text)
