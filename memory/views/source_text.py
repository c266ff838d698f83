"""Is a text source code, and which of its lines belong to what the conversation names?

What a program may raise tells of no failure. Who changes a function needs all of it, as it stands.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from memory.views.relevance import Talk

SOURCE = 0.5  # share of lines that look like code, from which a text is source
NAMED, SPOKEN_OF = 6.0, 1.5  # what the lines of a function are worth that is named, or that a word says
FADING = 0.001  # and less with each line, so that its beginning stays where there is no room for all
NUMBERED = 0.8  # share of lines that begin with a number, from which it is that of the line

_NUMBER = re.compile(r"\s*(\d+)(?=[\s|:→])[|:→]?")
_MODIFIERS = r"(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub(?:\(\w+\))?)\s+)*"
_DEFINES = re.compile(
    rf"\s*{_MODIFIERS}(?:def|class|function\*?|func|fn|interface|struct|enum|trait|impl|module|object|record)"
    r"\s+(?:\([^)]*\)\s*)?(\w+)"
    rf"|\s*{_MODIFIERS}(?:const|let|var|val|type)\s+(\w+)\s*[:=]"
    rf"|\s*{_MODIFIERS}[\w<>\[\],.*&]+\s+(\w+)\s*\([^;]*\)[\w\s]*\{{\s*$"
)
_BEGINS = re.compile(
    r"\s*(?:import\s+[\w{*\"']|from\s+[\w.]+\s+import\b|#include\b|package\s+\w|using\s+\w|namespace\s+\w|"
    r"return\b|raise\b|throw\b|assert\b|await\b|yield\b|try\b|except\b|catch\b|finally\b|else\b|"
    r"(?:(?:el)?if|for|while|with)\b.*[:{(]\s*$|pass$|break;?$|continue;?$|@\w|//|/\*|\*\s|#\s|"
    r"[\w.\[\]\"']+(?:\s*:\s*[\w\[\], |.]+)?\s*[-+*/|]?=\s)"
)
_ENDS = re.compile(r"[{}();,:\[\]\\]\s*$")
_TRACE = re.compile(
    r"\s*(?:Traceback \(most|File \"[^\"]+\", line \d|E\s{2,}\S|at [\w.$<>]+\()|\d{4}-\d\d-\d\d[T ]\d\d:"
)
_HUMP = re.compile(r"[a-z\d][A-Z]|_")
_LINE = re.compile(r"\bline\s+#?(\d+)\b|\.\w{1,5}:(\d+)\b")


def is_code(line: str) -> bool:
    """Whether a line that stands alone looks like one of source code: it defines, imports or raises something."""
    return bool(_DEFINES.match(line) and _ENDS.search(line)) or _BEGINS.match(line) is not None


def is_source(lines: Sequence[str]) -> bool:
    """Whether lines are of a program, and not of what one wrote; lines may begin with their numbers."""
    told = [line for line in without_numbers(lines) if line.strip()]
    if not told or any(map(_TRACE.match, told)) or not any(map(_DEFINES.match, told)):
        return False
    looks = sum(_ENDS.search(line) is not None or _BEGINS.match(line) is not None for line in told)
    return looks >= SOURCE * len(told)


def without_numbers(lines: Sequence[str]) -> Sequence[str]:
    """Lines without their numbers, where they begin with such."""
    numbers = sum(_NUMBER.match(line) is not None for line in lines)
    return [_NUMBER.sub("", line, count=1) for line in lines] if numbers >= NUMBERED * len(lines) > 0 else lines


def worth_of_bodies(lines: Sequence[str], talk: Talk) -> list[float]:
    """What the lines of source are worth for being of a function, or of a class, that was named, or a line whose number
    was; (n,) from 0 on. `lines`: without blank ones."""
    bare = without_numbers(lines)
    worth = [0.0] * len(lines)
    named = {int(one or other) for one, other in _LINE.findall(talk.text)}
    for at, (line, numbered) in enumerate(zip(bare, lines, strict=True)):
        number = _NUMBER.match(numbered) if bare is not lines else None
        if named and number is not None and int(number[1]) in named:
            worth[at] = max(worth[at], NAMED)
        found = _DEFINES.match(line)
        name = next(filter(None, found.groups()), "") if found else ""
        if name and (value := _worth_of_name(name, talk)):
            for far, one in enumerate(_body(bare, at)):
                worth[one] = max(worth[one], value - FADING * far)
    return worth


def _worth_of_name(name: str, talk: Talk) -> float:
    folded = name.casefold()
    if _HUMP.search(name) and (folded in talk.called_things or talk.spells_out(name)):
        return NAMED
    return SPOKEN_OF if folded in talk.words else 0.0


def _body(lines: Sequence[str], at: int) -> Iterator[int]:
    """The places of a definition and of what is indented under it, up to the bracket that ends it; of what stands right
    above it at its indentation, the decorators."""
    depth = _depth(lines[at])
    yield at
    above = at - 1
    while above >= 0 and lines[above].lstrip().startswith("@") and _depth(lines[above]) == depth:
        yield above
        above -= 1
    yield from _under(lines, at, depth)


def _under(lines: Sequence[str], at: int, depth: int) -> Iterable[int]:
    for place in range(at + 1, len(lines)):
        line = lines[place]
        if _depth(line) > depth:
            yield place
        elif line.lstrip()[:1] in ("}", ")", "]"):
            yield place
            if not line.rstrip().endswith((":", "{", "(")):
                return
        elif not (line.strip() == "{" and place == at + 1):
            return
        else:
            yield place


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
