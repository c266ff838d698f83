"""Which lines of a long text may the next step need?

Those that tell of a failure, that the conversation speaks of, or that name what no other line names, with the headings
that they stand under, and the first and the last line. Of a table whose fields stand between commas, the rows are
chosen as the items of a list are.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from memory.views.identifiers import is_identifier
from memory.views.items import worth_of
from memory.views.pages import is_page, read_page
from memory.views.relevance import Talk
from memory.views.separated import rows_of
from memory.views.source_text import is_source, without_numbers, worth_of_bodies
from utils.sentences import split_sentences
from utils.text import GAP

READ = 400_000  # characters of a text that are looked at, half of them from its end
NAMED = 64  # lines of a longer one that are looked at, too, since the user named what is in them
FAILING = 16  # and of those with each of these words, since they tell of a failure
FAILURES = ("ERROR", "error", "Error", "FATAL", "fatal", "CRITICAL", "Traceback", "Exception", "panic", "FAILED",
            "failed", "refused", "denied")  # fmt: skip
SHORT_ANSWER = 100  # characters of a result that says no more than that there is none
NEAR_FAILURE = 200  # characters of a line of a failure that say what it is about
LONG_LINE = 2_000  # characters of such a line
BLANK_PART = 8  # of the room of an excerpt, for blank lines
FEWEST_LINES = 8  # of a text; one of fewer lines is read by its sentences
FAILURE = 3.0  # what a line is worth that tells of a failure; a word that it alone shares with the conversation: 1
ENDED, WARNED = 1.5, 0.6  # times that, of what ended something, and of a warning
BEFORE = 0.3  # and to come right before one that tells of a failure, of what that is worth
NAME = 0.5  # and an identifier of which nothing else speaks
RARE = 0.05  # and to be like no other line but for its numbers; of lines that are alike, each has its share of both
END = 0.4  # and to be the first line or the last
UNDER = 0.35  # and to come right after one that the conversation speaks of, of what that one is worth
SPELT_OUT = 6.0  # and to give a value to what the question spells out
FADING = 0.9  # and of that, one line further

_FAILURE = re.compile(r"(?i)\b(?:error|fatal|critical|panic|exception|traceback|fail(?:ed|ure|s)?|denied|refused)\b")
_FAILURE_NAME = re.compile(r"[a-z](?:Error|Exception)\b")
# What a line of a log or of a state may say of a failure, and an answer of something else.
_TROUBLE = re.compile(
    r"(?i)\b(?:warn(?:ing)?|severe|failing|exhausted|timed out|timeout|unhealthy|unreachable|killed|aborted|evicted|"
    r"segfault|crash(?:ed|es|loop\w*)?|exit (?:code|status):?\s+[1-9]\d*)\b"
    r"|(?-i:[a-z](?:Timeout|BackOff|Killed|Refused|Failed|Fault)\b)"
)
_ENDED = re.compile(r"(?i)\b(?:fatal|critical|panic)\b")
_WARNED = re.compile(r"(?i)\bwarn(?:ing)?\b")
_NO_FAILURE = re.compile(r"(?i)\b(?:no|0|without(?: any)?) (?:error|warning|failure|exception)s?\b")
# A line that says alone that nothing came back.
_NO_ANSWER = re.compile(
    r"(?i)\b(?:timeout|time-out|timed out|(?:service|temporarily) unavailable|bad gateway|unreachable|no route to host|"
    r"too many requests|(?:connection|socket|request|stream) (?:was )?(?:reset|closed|lost|aborted|cancell?ed))\b"
    r"(?!\s*[=:]\s*\d)"
)
_THROWN = re.compile(r"\w+(?:\.\w+)+: \S")  # how a trace ends: "db.PoolTimeout: pg-primary"
_NUMBER_ALONE = re.compile(r"\s*\d+\s*[|:→\t]?\s*")  # a blank line with its number
# A line that gives a value to a name of several words: "MAX_DAYS: int = 90", "max-days: 90".
_GIVEN = re.compile(
    r"[\s\"'*-]*(?:\d+[:|→\s]\s*)?(?:(?:export|const|let|var|final|static|public)\s+)*([A-Za-z_][\w-]*)[\"']?\s*[:=]"
)
_DIGITS = re.compile(r"\d+")
_INDENT = re.compile(r"[\s│├└─|+`]*")
_CAPITALS = re.compile(r"(?=.*[A-Z])[^a-z]+")
FEWEST_COLUMNS = 3  # of a table of text that has no lines between them


def excerpt(text: str, talk: Talk, characters: int) -> str:
    """The whole of a short text; of a longer one what matters, in its order and at most so many characters, with a `…`
    where something is left out. Pages of HTML are read as their text."""
    if len(text) <= characters:
        return text
    if is_page(text):
        text = read_page(text[:READ])
        if len(text) <= characters:
            return text
    read = text if len(text) <= READ else _beginning_and_end(text, talk)
    every = [line.rstrip() for line in read.splitlines()]
    places = [at for at, line in enumerate(every) if line not in ("", GAP) and not _NUMBER_ALONE.fullmatch(line)]
    if len(places) < FEWEST_LINES:
        every = [sentence for line in every for sentence in split_sentences(line)]
        places = [at for at, sentence in enumerate(every) if sentence != GAP]
    if not places:
        return ""
    lines = [every[at] for at in places]
    blank = min(len(every) - len(places), characters // BLANK_PART)  # which stay between neighbours
    chosen = _chosen(lines, talk, characters - blank)
    if not chosen:
        said = text.strip()
        return said if len(said) <= characters else said[: max(0, characters - 1)] + GAP
    return _within(_joined(every, {places[at] for at in chosen}, places), characters)


def _within(said: str, characters: int) -> str:
    """As many whole lines as there is room for; of one that is longer, its beginning."""
    if len(said) <= characters:
        return said
    room = max(0, characters - 2)
    end = said.rfind("\n", 0, room + 1)
    return f"{said[:end]}\n{GAP}" if end > 0 else said[: room + 1] + GAP


def _beginning_and_end(text: str, talk: Talk) -> str:
    """What is read of a huge text: its beginning, its end, and in between the first lines with what the user named, as
    many with each name, and those that tell of a failure, of the first with each word for one."""
    first, last = text[: READ // 2], text[-READ // 2 :]
    between = text[READ // 2 : -READ // 2]
    found: dict[int, str] = {}
    for name in talk.names:
        found |= _lines_with(name, between, max(1, NAMED // len(talk.names)))
    for word in FAILURES:
        lines = _lines_with(word, between, FAILING)
        found |= {at: line for at, line in lines.items() if tells_of_failure(line)}
    return "\n".join([first, *(found[at] for at in sorted(found)), last])


def _lines_with(name: str, text: str, most: int) -> dict[int, str]:
    """The first lines that have a name, by where they begin; of a long one what stands around the name."""
    found: dict[int, str] = {}
    at = text.find(name)
    while at >= 0 and len(found) < most:
        begin = max(text.rfind("\n", 0, at) + 1, at - LONG_LINE // 2)
        end = text.find("\n", at)
        end = min(end if end >= 0 else len(text), at + LONG_LINE // 2)
        found[begin] = text[begin:end]
        at = text.find(name, max(end, at + 1))
    return found


def _chosen(lines: Sequence[str], talk: Talk, characters: int) -> set[int]:
    """The places of the lines that matter most, as many as there is room for with gaps between them."""
    worth, parents = _worth(lines, talk), _parents(without_numbers(lines))
    if (rows := rows_of(lines)) is not None:
        worth = [worth[0], *map(max, worth[1:], worth_of(rows, talk))]
        parents = [None, *(0 for _ in rows)]
    ends = (0, len(lines) - 1)
    order = sorted(range(len(lines)), key=lambda at: (-worth[at] - END * (at in ends), at))
    chosen: set[int] = set()
    room = characters
    for at in order:
        new = {at, *_above(parents, at)} - chosen
        needed = sum(len(lines[one]) + 1 + 2 * len(GAP) for one in new)
        if needed <= room:
            chosen |= new
            room -= needed
        elif at in ends or not chosen:  # others may be shorter
            continue
        elif room < characters // 20:
            break
    return chosen


def _worth(lines: Sequence[str], talk: Talk) -> list[float]:
    source = is_source(lines)
    bodies = worth_of_bodies(lines, talk) if source else [0.0] * len(lines)
    shared = [talk.words_of(line) for line in lines]
    alike = [_DIGITS.sub("0", line) for line in lines]
    often = Counter(alike)
    named = [frozenset(filter(is_identifier, line.split())) for line in lines]
    words, names = _counts(shared), _counts(named)
    failures = [0.0 if source else _severity(line) for line in lines]
    worth: list[float] = []
    under = 0.0  # what lines before lend to the next: the table under a heading, the trace under an error
    next_fails = [*failures[1:], 0.0]
    for line, said, own, failed, fails_next, like, body in zip(
        lines, shared, named, failures, next_fails, alike, bodies, strict=True
    ):
        spoken_of = sum(1 / words[one] for one in said)
        told = FAILURE * (failed or (under > 0 and _THROWN.match(line) is not None))
        itself = told + spoken_of + (RARE + sum(NAME / names[one] for one in own)) / often[like]
        given = SPELT_OUT * _gives_what_is_asked_for(line, talk)
        worth.append(max(itself, under, BEFORE * FAILURE * fails_next, given) + body)
        under = max(FADING * under, UNDER * (spoken_of + told))
    return worth


def _gives_what_is_asked_for(line: str, talk: Talk) -> bool:
    found = _GIVEN.match(line)
    return found is not None and talk.spells_out(found[1])


def _counts(found: Iterable[frozenset[str]]) -> Counter[str]:
    return Counter(one for each in found for one in each)


def tells_of_failure(line: str) -> bool:
    """Whether a line of a log or of an answer speaks of an error."""
    return bool(_FAILURE.search(line) or _FAILURE_NAME.search(line)) and not _NO_FAILURE.search(line)


def is_no_answer(text: str) -> bool:
    """Whether a text says alone that nothing came back, such as `timeout`."""
    said = text.strip()
    return len(said) <= SHORT_ANSWER and "\n" not in said and _NO_ANSWER.search(said) is not None


def failures_in(text: str) -> list[str]:
    """The first lines of a text that tell of a failure, each with the line before it, which often says where; of long
    ones, their beginnings."""
    lines = [line for line in text[:READ].splitlines() if line.strip()]
    if is_source(lines):
        return []
    told = [at for at, line in enumerate(lines) if tells_of_failure(line)][:FAILING]
    return [lines[at][:NEAR_FAILURE] for at in sorted({place for at in told for place in (at - 1, at) if place >= 0})]


def _severity(line: str) -> float:
    """How bad what a line tells of is: 1 for an error, more for what ended something, less for a mere warning; 0 for
    nothing of the kind."""
    if tells_of_failure(line):
        return ENDED if _ENDED.search(line) else 1.0
    if _TROUBLE.search(line) is None or _NO_FAILURE.search(line) is not None:
        return 0.0
    return WARNED if _WARNED.search(line) else 1.0


def _parents(lines: Sequence[str]) -> list[int | None]:
    """For each line, the place of the head of the table that it is a row of, or of what it is indented under."""
    parents: list[int | None] = []
    around: list[tuple[int, int]] = []  # indentation and place of lines, each deeper than the one before
    for at, (line, head) in enumerate(zip(lines, _heads(lines), strict=True)):
        indent = _INDENT.match(line)
        depth = indent.end() if indent else 0
        while around and around[-1][0] >= depth:
            around.pop()
        parents.append(head if head is not None or not around else around[-1][1])
        around.append((depth, at))
    return parents


def _heads(lines: Sequence[str]) -> Iterator[int | None]:
    """For each line, the place of the first line of its table; None where it is that itself, or in none. A table is of
    lines that begin with `|`, or below names of columns in capitals."""
    head: int | None = None
    ruled = False
    for at, line in enumerate(lines):
        is_ruled = line.lstrip().startswith("|")
        columns = line.split()
        names_columns = len(columns) >= FEWEST_COLUMNS and _CAPITALS.fullmatch(line) is not None
        if names_columns or is_ruled != ruled:
            head, ruled = (at if names_columns or is_ruled else None), is_ruled
            yield None
        else:
            yield head if is_ruled or len(columns) >= FEWEST_COLUMNS else None


def _above(parents: Sequence[int | None], at: int) -> Iterator[int]:
    """The places of the lines that one stands under, the nearest first."""
    while (parent := parents[at]) is not None:
        yield parent
        at = parent


def _joined(lines: Sequence[str], chosen: set[int], told: Sequence[int]) -> str:
    """The chosen lines, by their places, with a mark wherever one of those that tell something is left out; blank lines
    stay between neighbours. `told`: the places of all that tell something."""
    parts: list[str] = []
    before, waiting = -1, False  # the last line that stays, and whether some are left out behind it
    for at in told:
        if at not in chosen:
            waiting = True
            continue
        between = lines[before + 1 : at]
        parts += [GAP] if waiting or GAP in between else [""] * len(between) if parts else []
        parts.append(lines[at])
        before, waiting = at, False
    return "\n".join([*parts, GAP] if waiting or GAP in lines[before + 1 :] else parts)
