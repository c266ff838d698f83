"""Salience: which lines of an output matter, and what they belong to.

A line that counts outcomes sums an output up; a line that names trouble is an error, told with its place, with what it
stands under and with the lines that explain it; a value is told under the names around it. Every reader of outputs
ranks by this, whatever tool printed them. Time is linear in the text: each pattern looks at the beginning of a line.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from itertools import takewhile

from utils.sentences import split_sentences
from utils.text import GAP, cut_at_word

READ, MOST_LINES = 400_000, 20_000  # characters and lines of a text that are read, half of them from its end
LONGEST = 400  # characters of a line that are looked at and told
MOST = 4_000  # characters of an output that a model reads
LAST_LINES = 3  # that stand in it, whatever they say
FEWEST_ENTRIES = 3  # lines with a time or a level that make a log
BELOW = 6  # lines below an error in which its place and what explains it are looked for
MOST_EXPLAINING = 2
LONGEST_PARENT = 160  # characters of a line that others stand under
DEEPEST = 8  # names around a value that are told
LONGEST_PATH = 58  # characters of the names around a value; outer ones go first


class Rank(IntEnum):
    """How much a line matters; less is more."""

    TOTAL = 0
    ERROR = 1
    VALUE = 2  # says what something is or does
    PLAIN = 3
    PROGRESS = 4  # says that something goes on, or went as it should


@dataclass(frozen=True)
class Line:
    """A line without what decorates it. `whole`: a note as it stands, of which no sentences are taken."""

    text: str
    rank: Rank
    whole: bool = False


_OUTCOME = (
    r"(?:pass(?:ed|ing)?|fail(?:ed|ing|ures?)?|errors?|skipped|ignored|inspected|detected|succeeded|completed|totals?|"
    r"warnings?|problems?|vulnerabilities|examples?|tests?|assertions|offenses?|add(?:ed)?|changed?|destroy(?:ed)?|updated|removed|deleted|"
    r"insertions?|deletions?|transmitted|received|lost|ok|unreachable)"
)
_COUNTED = re.compile(
    rf"(?<![\d,])\d[\d,]*+%? +(?:(?:to|tests?|files?|packets?) +)?{_OUTCOME}\b|"
    rf"\b{_OUTCOME}(?: *[:=] *| )\d[\d,]*+\b",
    re.I,
)
_VERDICT = re.compile(
    r"\W*(?:(?:(?:ran|found|added|finished) )?\d[\d,]*%? (?:\w+ )?"
    r"(?:passed|failed|passing|failing|failures?|errors?|problems?|vulnerabilities)\b"
    r"|(?:final |overall |test |grand |sub)?(?:verdict|totals?|summary|result|outcome|overall|coverage|in total|score)"
    r"\b[^.:=]{0,20}[:=]\s*\S"
    r"|(?:build|tests?|deploy(?:ment)?|migration|compilation|installation|apply|destroy) "
    r"(?:success\w*|succeeded|fail\w*|complete[d!]?)\b|no changes\b|(?:exit|return) (?:code|status)\W+\d"
    r"|(?:failed|ok) \(\w+=\d|all (?:\w+ ){0,3}(?:passed|succeeded)\b)",
    re.I,
)
_LEVELS = r"ERROR|ERRO|ERR|FATAL|CRITICAL|CRIT|SEVERE|PANIC|ALERT|EMERG"
_ERROR = re.compile(
    r"(?:[\w.$/]*\w(?:Error|Exception|Failure|Fault|Interrupt)\b[^:]{0,60}(?:: *\S|$)"
    r"|(?:\S{1,120}:? (?:- )?)?(?i:error|fatal|panic|failure|exception|critical|caused by|aborted|bug|blocker|blocking"
    r"|major)\b[^:\n]{0,60}: *\S"
    r"|(?i:fehler|erreur|errore?|erro|fout|fejl|fel|błąd|hata|ошибка|помилка|错误|錯誤|エラー|오류|에러)\s*[:：]\s*\S"
    r"|\W?(?:FAIL|FAILED|ERROR|ERR!|FATAL|CRITICAL|SEVERE|PANIC|BLOCKER|BLOCKED|CONFLICT)\b\W+\w"
    r"|[✗✘❌✖⛔🔴●×] *\S+\s\S|not ok \d|HTTP/[\d.]+ [45]\d\d\b|\d+:\d+ +error\b"
    r"|E {3,}(?![+?-])\S|(?!(?:\S+ ){0,5}(?i:no|none|never|nothing) )(?:[^\s:]+ ){1,6}failed(?=[;:]|$| with\b))"
)
_TROUBLE = re.compile(
    r"\b(?i:not found|no such|denied|refused|timed out|segmentation fault|out of memory|panicked|does not exist|"
    r"unreachable|unhealthy|undefined (?:name|symbol|reference|variable)|cannot \w+|could not \w+|failed to|unable to|"
    r"exit(?:ed)? (?:with )?(?:code|status)?:? ?[1-9]\d*|crash(?:ed|ing|loop\w*))\b"
    rf"|\b(?:{_LEVELS}|FAILED|FAILURE|FAIL)\b(?!-)|\[(?:emerg|alert|crit|error)\]|\S: \*\*\* \S"
    r"|\b(?:level|lvl|severity)=\"?(?i:error|fatal|critical)\b|\b\w+BackOff\b|\bOOMKilled\b|\b(?:NXDOMAIN|SERVFAIL)\b"
    r"|\b(?:GET|POST|PUT|PATCH|DELETE|HEAD)\b \S+(?: HTTP/[\d.]+)?\"?(?: |: | -> )5\d\d\b"
    r"|\b(?i:(?:will|must) be (?:destroyed|deleted|replaced|dropped))\b"
    r"|: (?i:fail(?:ed|ing)|error|down|offline)(?=$|[;,]| \()"
)
_WARNING = re.compile(
    r"\b(?:WARN|WARNING)\b|\b(?:level|lvl|severity)=\"?(?i:warn)|"
    r"\b(?:GET|POST|PUT|PATCH|DELETE|HEAD)\b \S+(?: HTTP/[\d.]+)?\"?(?: |: | -> )4\d\d\b"
)
_NO_TROUBLE = re.compile(
    r"\b(?:(?:0|no|zero|without(?: any)?|free of) (?:\w+ )?(?:error|warning|failure|exception|problem)s?|"
    r"(?:errors?|failures?|failed)\s*[:=]\s*(?:0\b(?![.,]\d)|(?:none|null|no|false)(?=$|[,;)])))", re.I
)  # fmt: skip
_STAMP = re.compile(
    r"[\[(]?(?:(?:time|ts)=\"?)?(?:\d{4}[-/]\d\d[-/]\d\d[T ]|[A-Z][a-z]{2} {1,2}\d{1,2} )?\d\d:\d\d:\d\d"
    r"(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?[\])\"]?\s+(?:- )?"
)
_LOW = re.compile(r"\W?(?:level=\"?)?(?i:info|debug|trace|notice|verbose|informational)\b[\]:\"]?(?=\W|$)[\s:]*")
_REQUEST = re.compile(r"\b(?:GET|POST|PUT|PATCH|DELETE|HEAD)\b \S+(?: HTTP/[\d.]+)?\"?(?: |: | -> )[23]\d\d\b")
_PASSING = re.compile(
    r"\W*(?:PASS|ok)\b|.*(?:\bPASS(?:ED)?|\[ *\d+%\]|(?:\.\.\.|…)(?: ?(?:ok|done)| \[.*\])?)$|[✓✔✅]|"
    r"(?:Compil|Collect|Download|Install|Build|Resolv|Fetch|Unpack|Prepar|Refresh|Scann|Pull|Push|Extract)ing "
    r"(?!.*\b(?:is|are|was|were|takes?|took|needs?|costs?|fails?|requires?)\b)"
)
_RULE = re.compile(r"[\s=\-_*~#+|:.·─━═│┃╷╵^]*")
_AROUND = re.compile(r"^(?:[=\-_*~#─━═]{3,}\s*|[│┃|>]\s+|#\d+ (?:[\d.]+ )?)+|\s[=\-_*~#─━═]{3,}$")
_BAR = re.compile(r"[█▓▒░▏▎▍▌▋▊▉━]{2,}|\[=*>? *\] *\d")
_FRAME = re.compile(r"(?:at \S+[( ]|File \"|in <|\^|~+\^?|\.\.\. \d+ more)")
_CODE = re.compile(
    r"(?:[+>-]\s*|\d+\s*[|│]\s?|[\w./\\-]{1,120}:\d+:\s*){0,3}"
    r"(?:(?:return|yield|await|throw|raise|import|from|const|let|var|def|class|func|fn|pub|export|#include|if|"
    r"for|while|elif|else|try|except|with|assert|public|private|static)\b.*[\w)\]}\"'][;:{(,]?$(?<![.!?])"
    r"|@\w[\w.]*(?:\(.*)?$|[\w.$\[\]'\"]{1,60} [-+*/|]?= [^ ]|[\w.$]+\([^()]*\)[;,{]?$|[\]})]+[;,]?$"
    r"|.*[;{]$|diff --git|\$ )"
)
_EXPLAINS = re.compile(
    r"\W*(?:expected|received|actual|got|want(?:ed)?|left|right|caused by|because|reason|hint|detail|where|help)\b"
    r"[^:=]{0,20}[:=]", re.I
)  # fmt: skip
_PLACE = re.compile(r"[\w./\\@-]*[\w/\\@-]\.\w{1,5}:\d+(?::\d+)?|File \"([^\"]+)\", line (\d+)|\bon (\S+) line (\d+)\b")
_COLUMN = re.compile(r"\d+:\d")  # a place in the file that stands above
_IS_PLACE = re.compile(rf"(?:-->|[╭┌]─+\[?|at|in)? ?(?:{_PLACE.pattern})")
_PARENT = re.compile(r"(?=.*\w)(?!.*[.!?;,]$).+")
_KEY = re.compile(r"([A-Za-z_][\w./-]{0,39}(?: [\w./-]{1,39}){0,2}):(?:\s+|$)")
_ITEM = re.compile(r"- +(?=[A-Za-z_][\w./-]{0,39}: )")
_NAMES = ("name", "title", "id", "key")  # fields that say what an item of a list is called


@lru_cache(maxsize=4_096)
def rank_of(text: str) -> Rank:
    """How much a line matters by what it says."""
    head = text[:LONGEST]
    if head.endswith(("?", "？", "؟")):
        return Rank.PLAIN
    if len(text) <= LONGEST and not head.endswith(":") and (_VERDICT.match(head) or len(_COUNTED.findall(head)) > 1):
        return Rank.TOTAL
    if (_ERROR.match(head) or _TROUBLE.search(head)) and not _NO_TROUBLE.search(head):
        return Rank.ERROR
    if _WARNING.search(head):
        return Rank.VALUE
    return Rank.PROGRESS if _PASSING.match(head) or _BAR.search(head) or _REQUEST.search(head) else Rank.PLAIN


def is_code(text: str) -> bool:
    return _CODE.match(text[:LONGEST]) is not None


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
    items: dict[int, str] = {}  # what an item of a list is called, by where its fields stand
    place = ""  # of the frame of a stack that was seen last
    for at, row in enumerate(rows):
        while parents and parents[-1].indent >= row.indent:
            parents.pop()
        if _FRAME.match(row.text):
            place = _place_in(row.text) if row.text.startswith("File ") else place
            continue
        rank = rank_of(row.text)
        if rank is Rank.ERROR and not is_code(row.text) and _is_one(row.text):
            below = list(takewhile(lambda one: rank_of(one.text) > Rank.ERROR, rows[at + 1 : at + 1 + BELOW]))
            lines.append(Line(_error(row, parents, below, place), rank, whole=True))
            place = ""
        elif rank is Rank.TOTAL:
            lines.append(Line(cut_at_word(row.text, LONGEST), rank))
        elif rank is Rank.VALUE:
            lines.append(Line(cut_at_word(row.text, LONGEST), rank, whole=True))
        elif not (row.in_code or (row.is_low and is_log) or is_code(row.text)):
            lines.append(_value(row, parents, items) or Line(row.text, max(rank, Rank.PLAIN)))
        parents.append(row)
    return lines


def _is_one(text: str) -> bool:
    """Whether a line with trouble in it is one message, and no prose."""
    return (
        _ERROR.match(text[:LONGEST]) is not None or len(split_sentences(text[: 2 * LONGEST].replace("... ", " "))) == 1
    )


def _rows(text: str) -> Iterator[_Row]:
    in_code = False
    for raw in text.splitlines():
        line = raw[: 20 * LONGEST].expandtabs()
        bare = line.strip()
        if bare.startswith("```"):
            in_code = not in_code
            continue
        said = _AROUND.sub("", bare).strip() if len(bare) <= LONGEST else bare
        if not said or said == GAP or (len(said) <= LONGEST and _RULE.fullmatch(said)):
            continue
        stamp = _STAMP.match(said)
        at = stamp.end() if stamp is not None else 0
        low = _LOW.match(said, at)
        is_low = low is not None and (stamp is not None or said[0] == "[" or said[: low.end()].strip(" :").isupper())
        kept = said[low.end() if is_low and low is not None else at :]
        if kept:
            yield _Row(len(line) - len(line.lstrip()), kept, is_low or stamp is not None, in_code)


def _error(row: _Row, parents: Sequence[_Row], below: Sequence[_Row], frame: str) -> str:
    """An error with what it stands under, its place, and what explains it."""
    text = row.text.removeprefix("E   ").lstrip()
    if parents and (under := parents[-1].text.rstrip(":")) not in text and len(under) <= LONGEST_PARENT:
        is_name = _PARENT.fullmatch(under) and rank_of(under) is not Rank.PROGRESS and not is_code(under)
        between = ":" if _COLUMN.match(text) else ": "
        text = f"{under}{between}{text}" if is_name else text
    if _place_in(text) == "":
        places = (_place_in(one.text) for one in below if _IS_PLACE.match(one.text) or _FRAME.match(one.text))
        place = frame or next(places, "")
        text = f"{text} ({place})" if place and place not in text else text
    reasons = [one.text for one in below if one.indent >= row.indent and _EXPLAINS.match(one.text)]
    return cut_at_word("; ".join([text, *reasons[:MOST_EXPLAINING]]), LONGEST)


def _place_in(text: str) -> str:
    found = _PLACE.search(text[:LONGEST])
    if found is None:
        return ""
    file, line = found[1] or found[3], found[2] or found[4]
    return f"{file}:{line}" if file else found[0]


def _value(row: _Row, parents: Sequence[_Row], items: dict[int, str]) -> Line | None:
    """A value under the names that it stands within, as in YAML: "limits.memory: 256Mi", "pods[api].restarts: 3"."""
    item = _ITEM.match(row.text)
    column = row.indent + (item.end() if item is not None else 0)
    field = _KEY.match(row.text, item.end() if item is not None else 0)
    if field is None:
        return None
    if item is not None:
        items[column] = row.text[field.end() :] if field[1] in _NAMES else ""
    names: list[str] = []
    for parent in parents[-DEEPEST:]:
        outer = _KEY.match(parent.text, 2 if parent.text.startswith("- ") else 0)
        if outer is not None and outer.end() == len(parent.text):
            names.append(outer[1])
    if column in items and (item is not None or (parents and parents[-1].text.startswith("- "))):
        called = items[column]
        names[-1:] = [f"{names[-1]}[{called}]" if names and called else called] if called else names[-1:]
    if not names or field.end() == len(row.text):
        return None
    while names and len(".".join([*names, field[1]])) > LONGEST_PATH:
        del names[0]
    return Line(cut_at_word(f"{'.'.join([*names, field[1]])}: {row.text[field.end() :]}", LONGEST), Rank.VALUE)


def ends_of(text: str) -> list[str]:
    """The lines of a text; of a huge one those at its beginning and at its end."""
    if len(text) > READ:
        text = f"{text[: READ // 2]}\n{text[-READ // 2 :]}"
    lines = text.splitlines()
    return lines if len(lines) <= MOST_LINES else [*lines[: MOST_LINES // 2], *lines[-MOST_LINES // 2 :]]


def excerpt(text: str, characters: int) -> str:
    """The lines of a text that matter most, in order and with marks of what is left out: the first, the last ones,
    totals, errors, and from its beginning what else there is room for."""
    lines = [line for line in ends_of(text) if line.strip()]
    ranks = [rank_of(line.strip()) for line in lines]
    first = {0, *range(max(0, len(lines) - LAST_LINES), len(lines))}
    order = sorted(range(len(lines)), key=lambda at: (at not in first, ranks[at], at))
    most = characters // max(1, min(len(lines), LAST_LINES + 1)) - 4  # of a line
    kept: list[int] = []
    room = characters
    for at in order:
        if (needed := min(len(lines[at]), most) + 3) <= room:
            kept.append(at)
            room -= needed
        if room < characters // 20:
            break
    said: list[str] = []
    for before, at in zip([-1, *sorted(kept)], sorted(kept), strict=False):
        said += [GAP] if at > before + 1 else []
        said.append(_shortened(lines[at], most))
    return "\n".join(said)


def _shortened(line: str, characters: int) -> str:
    """A line, or of a longer one its beginning and its end."""
    if len(line) <= characters:
        return line
    half = (characters - 1) // 2
    return f"{line[:half]}{GAP}{line[-half:]}"
