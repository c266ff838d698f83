"""Excerpts: which lines of a long text the next step may need.

Those that tell of a failure, that the conversation speaks of, or that name what no other line names, and the first and
the last line.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from memory.views.identifiers import is_identifier
from memory.views.relevance import Talk
from utils.sentences import split_sentences
from utils.text import GAP

READ = 400_000  # characters of a text that are looked at, half of them from its end
NAMED_LINES = 64  # lines of a longer one that are looked at, too, since the user named what is in them
FAILING = 16  # and of those with each of these words, since they tell of a failure
FAILURES = ("ERROR", "error", "Error", "FATAL", "fatal", "CRITICAL", "Traceback", "Exception", "panic", "FAILED",
            "failed", "refused", "denied")  # fmt: skip
LONG_LINE = 2_000  # characters of a line in which failures are looked for
FEWEST_LINES = 8  # of a text; one of fewer lines is read by its sentences
FAILURE = 3.0  # what a line is worth that tells of a failure; a word that it alone shares with the conversation: 1
NAME = 0.5  # and an identifier of which nothing else speaks
RARE = 0.05  # and to be like no other line but for its numbers; of lines that are alike, each has its share of both
END = 0.4  # and to be the first line or the last

_FAILURE = re.compile(
    r"(?i)\b(?:error|fatal|critical|panic|exception|traceback|fail(?:ed|ure|s)?|denied|refused)\b"
    r"|(?-i:[a-z](?:Error|Exception)\b)"
)
_NO_FAILURE = re.compile(r"(?i)\b(?:no|0|without(?: any)?) (?:error|warning|failure|exception)s?\b")
_DIGITS = re.compile(r"\d+")


def excerpt(text: str, talk: Talk, characters: int) -> str:
    """The whole of a short text; of a longer one what matters, in its order and at most so many characters, with a `…`
    where something is left out."""
    if len(text) <= characters:
        return text
    read = text if len(text) <= READ else _read(text, talk)
    every = [line.rstrip() for line in read.splitlines()]
    places = [at for at, line in enumerate(every) if line != GAP and line.strip()]
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
    worth = _worth(lines, talk)
    ends = (0, len(lines) - 1)
    chosen: set[int] = set()
    room = characters
    for at in sorted(range(len(lines)), key=lambda at: (-worth[at] - END * (at in ends), at)):
        needed = len(lines[at]) + 1 + 2 * len(GAP)
        if needed <= room:
            chosen.add(at)
            room -= needed
        elif at not in ends and chosen and room < characters // 20:  # else others may be shorter
            break
    return chosen


def _worth(lines: Sequence[str], talk: Talk) -> list[float]:
    """What lines are worth, (n,)."""
    alike = [_DIGITS.sub("0", line) for line in lines]
    shared = [talk.words_of(line) for line in lines]
    named = [frozenset(filter(is_identifier, line.split())) for line in lines]
    often, words, names = Counter(alike), _counts(shared), _counts(named)
    return [
        FAILURE * tells_of_failure(line[:LONG_LINE])
        + sum(1 / words[one] for one in said)
        + (RARE + sum(NAME / names[one] for one in own)) / often[like]
        for line, said, own, like in zip(lines, shared, named, alike, strict=True)
    ]


def _counts(found: Iterable[frozenset[str]]) -> Counter[str]:
    return Counter(one for each in found for one in each)


def tells_of_failure(line: str) -> bool:
    """Whether a line of a log or of an answer speaks of an error."""
    return _FAILURE.search(line) is not None and not _NO_FAILURE.search(line)


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
