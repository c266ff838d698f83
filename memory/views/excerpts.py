"""Excerpts: which lines of a long text the next step may need.

Those that tell of a failure, that the conversation speaks of, or that name what no other line names, and the first and
the last line.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice

from memory.views.identifiers import is_identifier
from memory.views.relevance import Talk
from utils.sentences import split_sentences
from utils.text import GAP

READ = 400_000  # characters of a text that are looked at, half of them from its end
AROUND = 16  # places of a longer one that are looked at, too, of each name that the user gave, and each of these words
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
    """What is read of a huge text: its beginning, its end, and in between the first lines with each name that the user
    gave, and with each word for a failure. Lines that are cut have a `…` where they are, and so have gaps."""
    begin = text.rfind("\n", READ // 4, READ // 2)
    end = text.find("\n", len(text) - READ // 2, len(text) - READ // 4)
    begin, end = begin if begin > 0 else READ // 2, end if end > 0 else len(text) - READ // 2
    spans = [(0, begin), (end, len(text))]
    for word in (*talk.names, *FAILURES):
        for found in islice(re.compile(re.escape(word)).finditer(text, begin, end), AROUND):
            furthest, nearest = found.start() - LONG_LINE // 2, found.start() + LONG_LINE // 2
            first, last = text.rfind("\n", furthest, found.start()) + 1, text.find("\n", found.start(), nearest)
            spans.append((first or max(0, furthest), last if last >= 0 else nearest))
    merged: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(last, merged[-1][1])
        else:
            merged.append((first, last))
    cut = [GAP * (text[place : place + 1] not in ("", "\n")) for span in merged for place in (span[0] - 1, span[1])]
    pieces = [f"{cut[2 * at]}{text[first:last]}{cut[2 * at + 1]}" for at, (first, last) in enumerate(merged)]
    return f"\n{GAP}\n".join(pieces)


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
