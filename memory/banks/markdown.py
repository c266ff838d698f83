"""A bank's Markdown, taken apart and put together. Pure functions; nothing but blank lines is ever lost."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from utils.text import count_tokens

LONGEST_TITLE = 120
TAB = 4  # columns
ENTRY_LEVEL = 4  # of the highest heading within an entry, which itself stands under one of level 3
LINE_CHARACTERS = 400  # up to which a single line is an item of a list
TITLE_CHARACTERS = 300  # of a heading, above which it is not taken for one when a file is condensed
REMARK_CHARACTERS = 160  # of the line below a file's title that says what it is for
NOTE_CHARACTERS = 320  # of the line that says in which versions the rest of a condensed file is
NOTE = "_Condensed on"  # how the line begins that says in which versions the rest of a condensed file is

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)$")
_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_SECTION = re.compile(r"##[ \t]+(.*)$")
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+|###[ \t]")
_IN_ITEM = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)]) {1,4}(?=\S)")
_BEGINS = re.compile(r" {0,3}(?:#{1,6}(?=[ \t]|$)|>|`{3}|~{3}|(?:[-*+]|\d{1,9}[.)])(?= ))")  # what is no paragraph
_BULLET = re.compile(r"^\s*[-*+][ \t]+")
_STAMP = re.compile(r"^(?:- |### )(\d{4}-\d\d-\d\d \d\d:\d\d)\b")


@dataclass(frozen=True)
class Section:
    """What stands under one heading of level 2, without the blank lines around it."""

    title: str
    body: str


@dataclass(frozen=True)
class Page:
    """A file. `lead`: what stands before the first section."""

    lead: str
    sections: tuple[Section, ...]

    def find(self, title: str) -> Section | None:
        """The section of this title, whatever its capitals."""
        wanted = folded(title)
        return next((section for section in self.sections if folded(section.title) == wanted), None)

    def with_section(self, section: Section) -> "Page":
        """The page with a section in the place of the one of its title, or at the end."""
        wanted = folded(section.title)
        places = [at for at, section in enumerate(self.sections) if folded(section.title) == wanted]
        if not places:
            return replace(self, sections=(*self.sections, section))
        at = places[0]
        return replace(self, sections=(*self.sections[:at], section, *self.sections[at + 1 :]))


def tokens_of(files: Mapping[str, str]) -> int:
    """Tokens of a bank's files, roughly."""
    return sum(map(count_tokens, files.values()))


def unified(text: str) -> str:
    """A text whose lines end as those of files do."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def folded(title: str) -> str:
    """A title as titles are compared."""
    return " ".join(title.split()).casefold()


def parse(text: str) -> Page:
    """A file's sections: each begins at a line `## …` outside of code."""
    lead: list[str] = []
    sections: list[tuple[str, list[str]]] = []
    for line, fenced, _ in lines_in(text):
        found = None if fenced else _SECTION.match(line)
        if found:
            sections.append((title_of(found[1]), []))
        else:
            (sections[-1][1] if sections else lead).append(line)
    return Page(block(lead), tuple(Section(title, block(body)) for title, body in sections))


def render(page: Page) -> str:
    """A file of its sections; `parse` gives them back."""
    parts = [page.lead, *(f"## {section.title}\n\n{section.body}".rstrip() for section in page.sections)]
    return "\n\n".join(part for part in parts if part) + "\n"


def nested(text: str) -> str:
    """A text such that it can stand in a section: its headings are below those of entries, its code ends."""
    text = unified(text)
    levels = [len(found[1]) for line, fenced, _ in lines_in(text) if not fenced and (found := _HEADING.match(line))]
    down = max(0, ENTRY_LEVEL - min(levels)) if levels else 0
    lines: list[str] = []
    for line, fenced, _ in lines_in(closed(text)):
        found = None if fenced else _HEADING.match(line)
        lines.append("#" * min(6, len(found[1]) + down) + line[found.end() :] if found else line)
    return block(lines)


def closed(text: str) -> str:
    """A text whose code ends where it does, so that what follows it is none."""
    lines = list(lines_in(text))
    whole, fence = "\n".join(line for line, _, _ in lines), lines[-1][2]
    return f"{whole.rstrip(chr(10))}\n{fence}" if fence else whole


def entry(text: str, moment: datetime) -> str:
    """A text as an item of a section, under the time at which it was stored."""
    stamp = f"{moment.astimezone(UTC):%Y-%m-%d %H:%M}"
    flat = text.strip()
    if "\n" not in flat and "\r" not in flat and len(flat) <= LINE_CHARACTERS and not _FENCE.match(flat):
        line = _BULLET.sub("", flat)
        heading = _HEADING.match(line)
        return f"- {stamp} {(line[heading.end() :] if heading else line).strip() or flat}"
    return f"### {stamp}\n\n{nested(text)}"


def time_of(item: str) -> datetime | None:
    """When an item was stored; None where it does not say."""
    found = _STAMP.match(item)
    try:
        return datetime.strptime(found[1], "%Y-%m-%d %H:%M").replace(tzinfo=UTC) if found else None
    except ValueError:
        return None


def without_time(item: str) -> str:
    """What an item says beside the time at which it was stored; all of it where it does not say when that was."""
    found = _STAMP.match(item)
    return item[found.end() :].strip("\n").removeprefix(" ") if found else item


def items(body: str) -> list[str]:
    """A section's entries, list items and paragraphs, in order; what stands under a heading of level 3 is one."""
    found: list[list[str]] = []
    under_heading = after_blank = False
    for line, fenced, _ in lines_in(body):
        heading = not fenced and line.startswith("###") and not line.startswith("####")
        starts = not fenced and (
            heading
            or _STAMP.match(line) is not None
            or (not under_heading and (_ITEM.match(line) is not None or (after_blank and line[:1].strip())))
        )
        if starts or not found:
            found.append([])
        under_heading = heading or (under_heading and _STAMP.match(line) is None)
        found[-1].append(line)
        after_blank = not line.strip()
    return [part for lines in found if (part := block(lines))]


def lead_of(page: Page) -> tuple[list[str], list[str]]:
    """Of what stands before the first section: the title and the remark below it, and the other items, but for the line
    that says where the rest is."""
    title, _, rest = page.lead.partition("\n")
    stays = [title] if title.startswith("# ") and len(title) <= TITLE_CHARACTERS else []
    others = [item for item in items(rest if stays else page.lead) if not is_note(item)]
    if others and _is_remark(others[0]):
        stays.append(others.pop(0))
    return stays, others


def all_sections(page: Page) -> list[Section]:
    """The sections of a page, and before them one without a title of what else stands before these (`lead_of`)."""
    _, others = lead_of(page)
    return [Section("", joined(others)), *page.sections]


def _is_remark(item: str, longest: int = REMARK_CHARACTERS) -> bool:
    return item.startswith("_") and item.endswith("_") and len(item) <= longest and "\n" not in item


def is_note(item: str) -> bool:
    """Whether an item is the line that says where the rest is."""
    return item.startswith(NOTE) and _is_remark(item, NOTE_CHARACTERS)


def joined(parts: list[str]) -> str:
    """A section's body of its items; those of a list stand close together."""
    text: list[str] = []
    last = ""
    for part in parts:
        if text:
            text.append("\n" if "\n" not in part and _BULLET.match(part) and _BULLET.match(last) else "\n\n")
        text.append(part)
        last = part.rpartition("\n")[2]
    return "".join(text)


def paragraphs(text: str) -> list[str]:
    """A text's runs of lines without a blank one; code is one, whatever stands in it."""
    found: list[list[str]] = [[]]
    blank = False
    for line, fenced, _ in lines_in(text):
        if blank and not fenced and line.strip():
            found.append([])
        found[-1].append(line)
        blank = not fenced and not line.strip()
    return [part for lines in found if (part := block(lines))]


def is_row(line: str) -> bool:
    """Whether a line is a row of a table, as they are written: it begins with a bar."""
    return line.lstrip(" \t").startswith("|")


def heading_in(line: str) -> tuple[int, str] | None:
    """The level of the heading that a line outside of code is, and what it says; None where it is none."""
    found = _HEADING.match(line)
    return (len(found[1]), title_of(line[found.end() :])) if found is not None else None


def indent_of(line: str) -> int:
    """The column at which a line begins."""
    wide = line.expandtabs(TAB)
    return len(wide) - len(wide.lstrip())


def title_of(heading: str) -> str:
    """What a heading says without its closing marks: those stand after a blank, so that "C#" keeps its own (CommonMark
    0.31, 4.2). Where they follow each other, as in "A # #", all go, that a title which is written is read as it was."""
    heading = heading.strip()
    end = len(heading)
    while end and (heading[end - 1] == "#" or heading[end - 1].isspace()):
        end -= 1
    while 0 < end < len(heading) and heading[end] == "#":
        end += 1
    return heading[:end]


def lines_in(text: str) -> Iterator[tuple[str, bool, str]]:
    """The lines of a text, each with whether it belongs to fenced code, and the line that would end the code that goes
    on after it; empty where none does (CommonMark 0.31, 4.5). Code in an item of a list ends with the item (5.2), but
    for a bare fence further left: it can only be meant to end the code, and is given where it does."""
    fence = ""  # with the blanks before it
    columns: list[int] = []  # at which what belongs to an item begins, of each item that a line may be in
    held = 0  # that column, of the item in which code stands
    in_text = False
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip(" "))
        if fence:
            found = _FENCE.match(line[min(held, indent) :])
            marks = fence.lstrip()
            bare = found is not None and not found[2].strip()
            ends = found is not None and bare and found[1][0] == marks[0] and len(found[1]) >= len(marks)
            if ends or indent >= held or not line.strip():
                fence, in_text = "" if ends else fence, False
                yield " " * (held - indent) + line if ends else line, True, fence
                continue
            fence, in_text = "", False
        goes_on = in_text and _BEGINS.match(line) is None  # a paragraph, however far left (CommonMark 0.31, 5.2)
        while columns and line.strip() and indent < columns[-1] and not goes_on:
            columns.pop()
        in_text = bool(line.strip())
        within = columns[-1] if columns else 0
        item = _IN_ITEM.match(line[within:]) if line.strip() else None
        if item is not None:
            within += item.end()
            columns.append(within)
        found = _FENCE.match(line[within:]) if item is not None or indent >= within else None
        if found is not None and not (found[1][0] == "`" and "`" in found[2]):
            fence = " " * (within + found.start(1)) + found[1]
            held, in_text = within, False
            yield line, True, fence
        else:
            yield line, False, ""


def block(lines: list[str]) -> str:
    """Lines without the blank ones around them."""
    start, end = 0, len(lines)
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    return "\n".join(lines[start:end]).rstrip()
