"""Excerpts: which lines of a long text the next step may need.

Those that tell of a failure, that the conversation speaks of, or that name what no other line names, with the headings
that they stand under, and the first and the last line. Of source code the functions that are named stay with their
bodies.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from memory.views.identifiers import is_identifier
from memory.views.pages import is_page, read_page
from memory.views.relevance import Talk
from utils.sentences import split_sentences
from utils.text import GAP

READ = 400_000  # characters of a text that are looked at, half of them from its end
NAMED_LINES = 64  # lines of a longer one that are looked at, too, since the user named what is in them
FAILING = 16  # and of those with each of these words, since they tell of a failure
FAILURES = ("ERROR", "error", "Error", "FATAL", "fatal", "CRITICAL", "Traceback", "Exception", "panic", "FAILED",
            "failed", "refused", "denied")  # fmt: skip
SHORT_ANSWER = 100  # characters of a result that says no more than that there is none
LONG_LINE = 2_000  # characters of a line in which failures are looked for
FEWEST_LINES = 8  # of a text; one of fewer lines is read by its sentences
FAILURE = 3.0  # what a line is worth that tells of a failure; a word that it alone shares with the conversation: 1
NAME = 0.5  # and an identifier of which nothing else speaks
RARE = 0.05  # and to be like no other line but for its numbers; of lines that are alike, each has its share of both
END = 0.4  # and to be the first line or the last
MANY, EXAMPLES = 64, 8  # lines that are alike but for their numbers, from which on so many of them stand for the others
UNDER, FADING = 0.35, 0.9  # and to come right after one that is spoken of, of what that is worth; one line further
NAMED, SPOKEN_OF = 6.0, 1.5  # and to define what is named, or what a word says, with all that stands under it
SOURCE = 0.5  # share of lines that look like code, from which a text is source
DEEP = 64  # lines that one stands under, at most
FEWEST_COLUMNS = 3  # of a table of text that has no lines between them

_FAILURE = re.compile(
    r"(?i)\b(?:error|fatal|critical|panic|exception|traceback|fail(?:ed|ure|s)?|denied|refused)\b"
    r"|(?-i:[a-z](?:Error|Exception)\b)"
)
_NO_FAILURE = re.compile(r"(?i)\b(?:no|0|without(?: any)?) (?:error|warning|failure|exception)s?\b")
# A line that says alone that nothing came back.
_NO_ANSWER = re.compile(
    r"(?i)\b(?:timeout|time-out|timed out|(?:service|temporarily) unavailable|bad gateway|unreachable|no route to host|"
    r"too many requests|(?:connection|socket|request|stream) (?:was )?(?:reset|closed|lost|aborted|cancell?ed))\b"
    r"(?!\s*[=:]\s*\d)"
)
_LINE_NUMBER = re.compile(r"\s{0,12}(\d+)(?:\s*[|:→\t]\s?|\s|$)")  # before a line of a file
_BLANK = re.compile(r"\s*(?:\d+\s*[|:→]?\s*)?")  # a line that says nothing, or its number alone
_DEFINES = re.compile(
    r"\s*(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub)\s+)*"
    r"(?:(?:def|class|function\*?|func|fn|interface|struct|enum|trait|impl|module|type|const|let|var|val)\s+"
    r"(?:\([^)]{0,80}\)\s*)?([A-Za-z_]\w*)|[\"']?([A-Za-z_][\w-]*)[\"']?(?:\s*:\s*[\w\[\]|. ]{1,40})?\s*[:=]\s*\S)"
)
_CODE_ENDS = re.compile(r"[{}();,:\[\]\\]\s*$")
_CODE_BEGINS = re.compile(
    r"\s*(?:import|from|return|raise|throw|if|for|while|else|try|except|catch|def|class|@|//|#)\b"
)
_SAID_LINE = re.compile(r"\bline\s+#?(\d+)\b|\.\w{1,5}:(\d+)\b")
_PART_OF_CALL = re.compile(r"[.:/#+\-@]+")
_DIGITS = re.compile(r"\d+")
_CAPITALS = re.compile(r"(?=.*[A-Z])[^a-z]+")
_INDENT = re.compile(r"[\s│├└─|+`]*")


def excerpt(text: str, talk: Talk, characters: int) -> str:
    """The whole of a short text; of a longer one what matters, in its order and at most so many characters, with a `…`
    where something is left out. Pages of HTML are read as their text."""
    if len(text) <= characters:
        return text
    if is_page(text):
        text = _page_text(text)
        if len(text) <= characters:
            return text
    read = text if len(text) <= READ else _read(text, talk)
    every = [line.rstrip() for line in read.splitlines()]
    places = [at for at, line in enumerate(every) if line != GAP and not _BLANK.fullmatch(line)]
    if len(places) < FEWEST_LINES:
        every = [sentence for line in every for sentence in split_sentences(line)]
        places = [at for at, sentence in enumerate(every) if sentence != GAP]
    if not places:
        return ""
    lines = [every[at] for at in places]
    chosen = _chosen(lines, talk, characters)
    if not chosen:
        said = text.strip()
        return said if len(said) <= characters else said[: max(0, characters - 1)] + GAP
    return _within(_joined(every, {places[at] for at in chosen}, places), characters)


def _page_text(page: str) -> str:
    """What a page says; of a huge one what its beginning says, up to a tag."""
    if len(page) <= READ:
        return read_page(page)
    end = page.rfind("<", READ // 2, READ)
    return f"{read_page(page[: end if end > 0 else READ])}\n{GAP}"


def _within(said: str, characters: int) -> str:
    """As many whole lines as there is room for; of one that is longer, its beginning."""
    if len(said) <= characters:
        return said
    room = max(0, characters - 2)
    end = said.rfind("\n", 0, room + 1)
    return f"{said[:end]}\n{GAP}" if end > 0 else said[: room + 1] + GAP


def _read(text: str, talk: Talk) -> str:
    """What is read of a huge text: its beginning, its end, and in between the first lines with what the user named, as
    many with each name, and those that tell of a failure, of the first with each word for one. Lines that are cut have
    a `…` where they are, and so have gaps between lines."""
    spans = [_whole_lines(text, 0, READ // 2), _whole_lines(text, len(text) - READ // 2, len(text))]
    (_, begin), (end, _) = spans
    for name in talk.names:
        spans += _lines_with(name, text, begin, end, max(1, NAMED_LINES // len(talk.names)))
    for word in FAILURES:
        lines = _lines_with(word, text, begin, end, FAILING)
        spans += [(first, last) for first, last in lines if tells_of_failure(text[first:last])]
    pieces: list[str] = []
    for first, last in _merged(spans):
        cut = GAP * (text[first - 1 : first] not in ("", "\n")), GAP * (text[last : last + 1] not in ("", "\n"))
        pieces.append(text[first:last].join(cut))
    return f"\n{GAP}\n".join(pieces)


def _whole_lines(text: str, begin: int, end: int) -> tuple[int, int]:
    """Where the whole lines within a part of a text begin and end; the part as it is where a line takes half of it."""
    half = (begin + end) // 2
    if begin > 0 and (line := text.find("\n", begin - 1, half)) >= 0:
        begin = line + 1
    if end < len(text) and (line := text.rfind("\n", half, end + 1)) >= 0:
        end = line
    return begin, end


def _lines_with(name: str, text: str, begin: int, end: int, most: int) -> list[tuple[int, int]]:
    """Where the first lines that have a name begin and end, within a part of a text; of a long one what stands around
    the name."""
    spans: list[tuple[int, int]] = []
    at = text.find(name, begin, end)
    while at >= 0 and len(spans) < most:
        furthest = max(begin, at - LONG_LINE // 2)
        first = max(text.rfind("\n", furthest, at) + 1, furthest)
        last = text.find("\n", at, at + LONG_LINE // 2)
        last = last if last >= 0 else min(end, at + LONG_LINE // 2)
        spans.append((first, last))
        at = text.find(name, max(last, at + 1), end)
    return spans


def _merged(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Parts of a text in their order, those as one that overlap or are neighbours."""
    begin, end = 0, 0
    for first, last in sorted(spans):
        if first > end + 1:
            yield begin, end
            begin = first
        end = max(end, last)
    yield begin, end


def _chosen(lines: Sequence[str], talk: Talk, characters: int) -> set[int]:
    """The places of the lines that matter most, as many as there is room for with gaps between them."""
    bare = without_numbers(lines)
    alike = [_DIGITS.sub("0", line) for line in lines]
    often, shown = Counter(alike), Counter[str]()
    worth, parents = _worth(lines, bare, alike, talk), _parents(bare)
    ends = (0, len(lines) - 1)
    order = sorted(range(len(lines)), key=lambda at: (-worth[at] - END * (at in ends), at))
    chosen: set[int] = set()
    room = characters
    for at in order:
        like = alike[at]
        repeats = worth[at] < UNDER and often[like] > MANY and shown[like] >= EXAMPLES
        if repeats and at not in ends and not talk.thorough:
            continue
        new = {at, *_above(parents, at)} - chosen
        needed = sum(len(lines[one]) + 1 + 2 * len(GAP) for one in new)
        if needed <= room:
            chosen |= new
            shown[like] += 1
            room -= needed
        elif at in ends or not chosen:  # others may be shorter
            continue
        elif room < characters // 20:
            break
    return chosen


def _worth(lines: Sequence[str], bare: Sequence[str], alike: Sequence[str], talk: Talk) -> list[float]:
    """What lines are worth, (n,). `bare`: without their numbers; `alike`: with the same digits."""
    source = is_source(bare)
    bodies = _bodies(lines, bare, talk, source=source)
    shared = [talk.words_of(line) for line in lines]
    often = Counter(alike)
    named = [frozenset(filter(is_identifier, line.split())) for line in lines]
    words, names = _counts(shared), _counts(named)
    worth: list[float] = []
    under = 0.0  # what lines before lend to the next: the table under a heading, the trace under an error
    for line, said, own, like, body in zip(lines, shared, named, alike, bodies, strict=True):
        spoken_of = sum(1 / words[one] for one in said)
        told = FAILURE * (not source and tells_of_failure(line[:LONG_LINE]))
        itself = told + spoken_of + (RARE + sum(NAME / names[one] for one in own)) / often[like]
        worth.append(max(itself, under) + body)
        under = max(FADING * under, UNDER * (spoken_of + told))
    return worth


def _counts(found: Iterable[frozenset[str]]) -> Counter[str]:
    return Counter(one for each in found for one in each)


def is_source(lines: Sequence[str]) -> bool:
    """Whether lines are of a program, and not of what one wrote."""
    looks = sum(_CODE_ENDS.search(line[-80:]) is not None or _CODE_BEGINS.match(line) is not None for line in lines)
    defines = any(found and found[1] for found in map(_DEFINES.match, lines))
    return defines and looks >= SOURCE * len(lines)


def without_numbers(lines: Sequence[str]) -> Sequence[str]:
    """Lines without their numbers, where nearly all begin with such."""
    numbers = sum(_LINE_NUMBER.match(line) is not None for line in lines)
    return [_LINE_NUMBER.sub("", line, count=1) for line in lines] if numbers >= 0.8 * len(lines) > 0 else lines


def _bodies(lines: Sequence[str], bare: Sequence[str], talk: Talk, *, source: bool) -> list[float]:
    """What lines are worth for giving a value to what is spelt out, for their numbers, or for being of a function or a
    class that was named, which stands as it is indented; (n,) from 0 on."""
    worth = [0.0] * len(lines)
    if not talk.text and not talk.question:
        return worth
    numbers = {one or other for one, other in _SAID_LINE.findall(talk.text)}
    called = frozenset(part for word in talk.said for part in _PART_OF_CALL.split(word))
    inside, depth = 0.0, 0  # of what is named, and how deeply that is indented
    for at, (line, numbered) in enumerate(zip(bare, lines, strict=True)):
        own = len(line) - len(line.lstrip())
        closes = line.lstrip()[:1] in ("}", ")", "]", "{")
        if inside and own <= depth and not closes:
            inside = 0.0
        found = _DEFINES.match(line)
        name = (found[1] or found[2]) if found else ""
        if name and (value := _worth_of_name(name, talk, called if found and found[1] and source else None)) > inside:
            inside, depth = value, own
        number = _LINE_NUMBER.match(numbered) if numbers and bare is not lines else None
        worth[at] = max(inside, NAMED if number is not None and number[1] in numbers else 0.0)
        inside = max(0.0, inside - 0.001) if source else 0.0
    return worth


def _worth_of_name(name: str, talk: Talk, called: frozenset[str] | None) -> float:
    """`called`: what was said as code calls things, of a name that code defines; None for any other."""
    folded = name.casefold()
    if talk.spells_out(name) or (called is not None and "_" in name and folded in called):
        return NAMED
    return SPOKEN_OF if called is not None and (folded in called or folded in talk.words) else 0.0


def tells_of_failure(line: str) -> bool:
    """Whether a line of a log or of an answer speaks of an error."""
    return _FAILURE.search(line) is not None and not _NO_FAILURE.search(line)


def is_no_answer(text: str) -> bool:
    """Whether a text says alone that nothing came back, such as `timeout`."""
    said = text.strip()
    return len(said) <= SHORT_ANSWER and "\n" not in said and _NO_ANSWER.search(said) is not None


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
    for _ in range(DEEP):
        parent = parents[at]
        if parent is None:
            return
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
