"""What do lines of an output belong to: the file that a linter, the task that a tool names above them, the place of an
error that stands below it?"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from memory.observations.outputs.runs import is_error, sums_up
from utils.text import cut_at_word

LONGEST = 400  # characters of what is told
MOST_BETWEEN = 8  # lines between the name of a failure and its message
MOST_ABOVE = 3  # lines between a message and its place

# A file alone on its line, and below it what was found in it, each with its place there: ESLint and those like it.
_FILE = re.compile(r"(?P<name>(?=.*[./\\]|\w*file$)[^\s:]{1,160})$")
_IN_FILE = re.compile(r"\s*(?P<place>\d+:\d+(?:-\d+:\d+)?)\s{2,}(?P<said>\S.*)$")
_TASK = re.compile(r"(?:TASK|RUNNING HANDLER) \[(?P<name>.{1,160})\][ *]*$")  # Ansible
_FAILED_TASK = re.compile(r"(?P<said>(?:fatal|failed): \[.*)$")
_SCRIPT = re.compile(r"In (?P<file>\S{1,120}) line (?P<line>\d+):$")  # ShellCheck
_IN_SCRIPT = re.compile(r"\s*\^(?:-*\^)?(?:--)? +(?P<said>[A-Z]{2}\d+ .*)$")
_CHECKED = re.compile(r"FILE: (?P<file>\S.{0,159})$")  # PHP_CodeSniffer
_IN_CHECKED = re.compile(r"\s*(?P<said>\d+ \| (?:ERROR|WARNING) +\| .*)$")
_FAILURE = re.compile(
    r"(?P<indent> *)\d{1,3}\) (?P<name>\w.{0,159}?)(?<![.!?;])[\s─-]*$"
)  # of a numbered list: RSpec, Mocha, PHPUnit
_MORE_NAME = re.compile(r"\s+(?P<name>\w.{0,99}):$")
_STEP = re.compile(r"\s*(?:->\s+)?(?P<name>[A-Z][^()]{2,100}?)\s+\((?:cost=|actual |never )")  # of PostgreSQL's plan
_OF_STEP = re.compile(r"\s{2,}(?P<said>[A-Z][\w ]{2,40}: \S.*)$")
_ERROR_WORD = re.compile(r"(?:error|fatal|failed)\b|[✖✗✘×❌]", re.IGNORECASE)

_BELOW = re.compile(r"(?:-->|[╭┌]─++\[?) ?(?P<place>\S+?:\d+(?::\d+)?)\]?$")
_ON_LINE = re.compile(r"on (?P<file>\S+) line (?P<line>\d+)\b|with (?P<thing>\S+),$")  # Terraform
_MESSAGE = re.compile(r"(?:Error|Warning): \S")
_FRAME = re.compile(r"^\s*[│┃╷╵|]?\s*")


@dataclass(frozen=True)
class Placed:
    """What a line says, with what it belongs to; empty where other lines tell what it says."""

    text: str
    is_error: bool


def placed_in(lines: Sequence[str]) -> dict[int, Placed]:
    """The lines that say something only with the one that they stand under, by their places."""
    told: dict[int, Placed] = {}
    for found in (_in_files, _in_tasks, _in_scripts, _in_failures, _in_plans):
        told |= {at: Placed(cut_at_word(text, LONGEST), is_bad) for at, text, is_bad in found(lines)}
    return told


def places_below(lines: Sequence[str]) -> dict[int, str]:
    """For messages above the place that they are about, which compilers print on a line of its own, that place."""
    places: dict[int, str] = {}
    bare = [_FRAME.sub("", line).rstrip() for line in lines]
    for at, line in enumerate(bare):
        if at and bare[at - 1] and (below := _BELOW.match(line)) is not None:
            places.setdefault(at - 1, below["place"])
        elif (on := _ON_LINE.match(line)) is not None:
            above = next((up for up in range(at - 1, max(-1, at - 1 - MOST_ABOVE), -1) if _MESSAGE.match(bare[up])), at)
            if above < at:
                places.setdefault(above, on["thing"] or f"{on['file']}:{on['line']}")
    return places


def _in_files(lines: Sequence[str]) -> Iterator[tuple[int, str, bool]]:
    file = ""
    for at, line in enumerate(lines):
        if (found := _IN_FILE.match(line)) is not None and file:
            yield at, f"{file}:{found['place']} {found['said']}", _ERROR_WORD.match(found["said"]) is not None
        else:
            head = _FILE.match(line.rstrip())
            file = head["name"] if head is not None else ""


def _in_tasks(lines: Sequence[str]) -> Iterator[tuple[int, str, bool]]:
    return _under(lines, _TASK, _FAILED_TASK, lambda head, said: f"{head['name']}: {said}")


def _in_scripts(lines: Sequence[str]) -> Iterator[tuple[int, str, bool]]:
    yield from _under(lines, _SCRIPT, _IN_SCRIPT, lambda head, said: f"{head['file']}:{head['line']}: {said}")
    yield from _under(lines, _CHECKED, _IN_CHECKED, lambda head, said: f"{head['file']}: {said}")


def _under(
    lines: Sequence[str],
    heads: re.Pattern[str],
    members: re.Pattern[str],
    told: Callable[[re.Match[str], str], str],
) -> Iterator[tuple[int, str, bool]]:
    head: re.Match[str] | None = None
    for at, line in enumerate(lines):
        if (named := heads.match(line.rstrip())) is not None:
            head = named
            yield at, "", False
        elif head is not None and (member := members.match(line)) is not None:
            yield at, told(head, member["said"]), True


def _in_failures(lines: Sequence[str]) -> Iterator[tuple[int, str, bool]]:
    """The first message of each failure that a list names: right below the name, or further right."""
    name, begin, indent = "", 0, 0
    for at, line in enumerate(lines):
        said = line.strip()
        if (head := _FAILURE.match(line)) is not None:
            name, begin, indent = head["name"], at, head.end("indent")
        elif at > begin + MOST_BETWEEN:
            name = ""
        elif name and (more := _MORE_NAME.match(line)) is not None and not is_error(said):
            name = f"{name} {more['name']}"
        elif name and is_error(said) and not sums_up(said):
            if at == begin + 1 or line[: indent + 1].isspace():
                yield begin, "", False
                yield at, f"{name}: {said}", True
            name = ""


def _in_plans(lines: Sequence[str]) -> Iterator[tuple[int, str, bool]]:
    """The steps of a query's plan, and what is said of each."""
    step = ""
    for at, line in enumerate(lines):
        if (named := _STEP.match(line)) is not None:
            step = named["name"]
            yield at, line.replace("->", "").strip(), False
        elif step and (said := _OF_STEP.match(line)) is not None:
            yield at, f"{step}: {said['said']}", False
        else:
            step = ""
