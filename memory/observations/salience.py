"""Salience: which lines of an output matter, and what they belong to.

A line that counts outcomes sums an output up; a line that names trouble is an error, told with its place, with what it
stands under and with the lines that explain it. Every reader of outputs ranks by this, whatever tool printed them. Time
is linear in the text: each pattern looks at the beginning of a line.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import takewhile

from utils.text import cut_at_word

LONGEST = 400  # characters of a line that are looked at and told
FEWEST_ENTRIES = 3  # lines with a time or a level that make a log
BELOW = 6  # lines below an error in which its place and what explains it are looked for
MOST_EXPLAINING = 2
LONGEST_PARENT = 160  # characters of a line that others stand under


class Rank(IntEnum):
    """How much a line matters; less is more."""

    TOTAL = 0
    ERROR = 1
    VALUE = 2  # says what something is or does
    PLAIN = 3
    PROGRESS = 4  # says that something goes on, or went as it should


@dataclass(frozen=True)
class Line:
    """A line without what a log puts before it. `whole`: a note as it stands, of which no sentences are taken."""

    text: str
    rank: Rank
    whole: bool = False


_OUTCOME = (
    r"(?:pass(?:ed|ing)?|fail(?:ed|ures?)?|errors?|skipped|warnings?|problems?|vulnerabilities|tests?|examples?|ok"
    r"|add(?:ed)?|changed?|destroy(?:ed)?|updated|removed|insertions?|deletions?|received|unreachable)"
)
_COUNTED = re.compile(
    rf"(?<![\d,])\d[\d,]*+%? +(?:(?:to|tests?|files?|packets?) +)?{_OUTCOME}\b"
    rf"|\b{_OUTCOME}(?: *[:=] *| )\d[\d,]*+\b",
    re.I,
)
_VERDICT = re.compile(
    r"\W*(?:(?:found )?\d[\d,]*%? (?:\w+ )?(?:passed|failed|failures?|errors?|problems?|vulnerabilities)\b"
    r"|(?:final |overall |test |grand |sub)?(?:verdict|totals?|summary|result|outcome|overall|coverage|score)"
    r"\b[^.:=]{0,20}[:=]\s*\S"
    r"|(?:build|tests?|deploy(?:ment)?|migration) (?:success\w*|fail\w*|complete\w*)\b)",
    re.I,
)
_REQUEST = r"\b(?:GET|POST|PUT|PATCH|DELETE|HEAD)\b \S+(?: HTTP/[\d.]+)?\"?(?: |: | -> )"
_ERROR = re.compile(
    r"(?:[\w.$/]*\w(?:Error|Exception|Failure|Fault)\b[^:]{0,60}(?:: *\S|$)"
    r"|(?:\S{1,120}:? (?:- )?)?(?i:error|fatal|panic|exception|critical|caused by)\b[^:\n]{0,60}: *\S"
    r"|(?i:fehler|erreur|errore?|erro|fout|fejl|fel|błąd|hata|ошибка|помилка|错误|錯誤|エラー|오류|에러)\s*[:：]\s*\S"
    r"|\W?(?:FAIL|FAILED|ERROR|ERR!|FATAL|CRITICAL|SEVERE|PANIC|CONFLICT)\b\W+\w"
    r"|[✗✘❌✖⛔🔴●×] *\S+\s\S|\d+:\d+ +error\b|E {3,}(?![+?-])\S"
    r"|(?!(?:\S+ ){0,5}(?i:no|none|never|nothing) )(?:[^\s:]+ ){1,6}failed(?=[;:!]|$| with\b))"
)
_TROUBLE = re.compile(
    r"\b(?i:not found|no such|denied|refused|timed out|out of memory|panicked|does not exist|cannot \w+"
    r"|could(?: not|n't) \w+|failed to|unable to|exit(?:ed)? (?:with )?(?:code|status)?:? ?[1-9]\d*|crash(?:ed|loop\w*)"
    r"|(?:will|must) be (?:destroyed|deleted|replaced|dropped))\b"
    r"|\b(?:ERROR|FATAL|CRITICAL|SEVERE|PANIC|FAILED|FAILURE|FAIL)\b(?!-)|\[(?:emerg|alert|crit|error)\]"
    rf"|\b(?:level|lvl|severity)=\"?(?i:error|fatal|critical)\b|\b\w+BackOff\b|\bOOMKilled\b|{_REQUEST}5\d\d\b"
)
_WARNING = re.compile(rf"\b(?i:warn|warning)\b|{_REQUEST}4\d\d\b")
# Parts of a whole, what went well, and what a tool is doing.
_PASSING = re.compile(
    r".*(?:(?<![\w/.])\d[\d.]*\s?[A-Za-z]{0,3}\s?/\s?\d[\d.]*(?![/\w]*[/-])|\d ?%\]"
    rf"|\bPASS(?:ED)?$|\.\.\.(?: ?(?:ok|done))?$|[✓✔✅█▓━]|{_REQUEST}[23]\d\d\b)"
    r"|\W*(?:PASS|ok)\b|(?:\S{1,20}: )*\W*[A-Z][a-z]+ing (?!.*\b(?:is|are|was|were|takes?|took|needs?|costs?|fails?)\b)"
)
_STAMP = re.compile(
    r"[\[(]?(?:(?:time|ts)=\"?)?(?:\d{4}[-/]\d\d[-/]\d\d[T ]|[A-Z][a-z]{2} {1,2}\d{1,2} )?\d\d:\d\d(?::\d\d)?"
    r"(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?[\])\"]?\s+(?:- )?"
)
_LOW = re.compile(r"\W?(?:level=\"?)?(?i:info|debug|trace|notice|verbose)\b[\]:\"]?(?=\W|$)[\s:]*")
_FRAME = re.compile(r"(?:at \S+[( ]|File \"|in <|\^|~+\^?|\.\.\. \d+ more)")
_EXPLAINS = re.compile(r"\W*(?:expected|received|actual|got|want|reason|detail|help)\b[^:=]{0,20}[:=]", re.I)
_PLACE = re.compile(r"[\w./\\@-]*[\w/\\@-]\.\w{1,5}:\d+(?::\d+)?|File \"([^\"]+)\", line (\d+)|\bon (\S+) line (\d+)\b")
_PARENT = re.compile(r"(?=.*\w)(?!.*[.!?;,]$).+")


def rank_of(text: str) -> Rank:
    """How much a line matters by what it says."""
    head = text[:LONGEST]
    if head.endswith(("?", "？", "؟")):
        return Rank.PLAIN
    if len(text) <= LONGEST and not head.endswith(":") and (_VERDICT.match(head) or counts_outcomes(head)):
        return Rank.TOTAL
    if _ERROR.match(head) or _TROUBLE.search(head):
        return Rank.ERROR
    if _WARNING.search(head):
        return Rank.VALUE
    return Rank.PROGRESS if _PASSING.match(head) else Rank.PLAIN


def counts_outcomes(text: str) -> bool:
    """Whether a text counts outcomes: "3 passed, 1 failed"."""
    return len(_COUNTED.findall(text)) > 1


@dataclass(frozen=True)
class _Row:
    """A line as it stands: how far it is indented, what it says without decoration, and whether a log wrote it at a
    level that says nothing."""

    indent: int
    text: str
    is_low: bool
    in_code: bool


def lines_in(text: str) -> list[Line]:
    """The lines of a text that say something, in order, the errors with their places."""
    rows = list(_rows(text))
    is_log = sum(row.is_low for row in rows) >= FEWEST_ENTRIES
    lines: list[Line] = []
    parents: list[_Row] = []
    place = ""  # of the frame of a stack that was seen last
    for at, row in enumerate(rows):
        while parents and parents[-1].indent >= row.indent:
            parents.pop()
        if _FRAME.match(row.text):
            place = _place_in(row.text) if row.text.startswith("File ") else place
            continue
        rank = rank_of(row.text)
        if rank is Rank.ERROR:
            below = list(takewhile(lambda one: rank_of(one.text) > Rank.ERROR, rows[at + 1 : at + 1 + BELOW]))
            lines.append(Line(_error(row, parents, below, place), rank, whole=True))
            place = ""
        elif rank in (Rank.TOTAL, Rank.VALUE):
            lines.append(Line(cut_at_word(row.text, LONGEST), rank, whole=rank is Rank.VALUE))
        elif not (row.in_code or (row.is_low and is_log)):
            lines.append(Line(row.text, max(rank, Rank.PLAIN)))
        parents.append(row)
    return lines


def _rows(text: str) -> Iterator[_Row]:
    in_code = False
    for raw in text.splitlines():
        line = raw[: 20 * LONGEST].expandtabs()
        bare = line.strip()
        if bare.startswith("```"):
            in_code = not in_code
            continue
        if not any(map(str.isalnum, bare)):
            continue
        stamp = _STAMP.match(bare)
        at = stamp.end() if stamp is not None else 0
        low = _LOW.match(bare, at)
        is_low = low is not None and (stamp is not None or bare[0] == "[" or bare[: low.end()].strip(" :").isupper())
        if kept := bare[low.end() if is_low and low is not None else at :]:
            yield _Row(len(line) - len(line.lstrip()), kept, is_low or stamp is not None, in_code)


def _error(row: _Row, parents: Sequence[_Row], below: Sequence[_Row], frame: str) -> str:
    """An error with what it stands under, its place, and what explains it."""
    text = row.text.removeprefix("E   ").lstrip()
    if parents and (under := parents[-1].text.rstrip(":")) not in text and len(under) <= LONGEST_PARENT:
        is_name = _PARENT.fullmatch(under) and rank_of(under) is not Rank.PROGRESS
        between = ":" if text[0].isdigit() else ": "  # a line of the file that stands above
        text = f"{under}{between}{text}" if is_name else text
    if _place_in(text) == "":
        place = frame or next(filter(None, (_place_in(one.text) for one in below)), "")
        text = f"{text} ({place})" if place and place not in text else text
    reasons = [one.text for one in below if one.indent >= row.indent and _EXPLAINS.match(one.text)]
    return cut_at_word("; ".join([text, *reasons[:MOST_EXPLAINING]]), LONGEST)


def _place_in(text: str) -> str:
    found = _PLACE.search(text[:LONGEST])
    if found is None:
        return ""
    file, line = found[1] or found[3], found[2] or found[4]
    return f"{file}:{line}" if file else found[0]
