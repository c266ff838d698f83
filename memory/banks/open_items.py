"""Open items of a bank that new content says to be done, to be dropped, or once more.

Only such as it calls by their own words; capitals, marks before an item and the stop behind it make no difference.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from memory.banks.decisions import MOST_DONE, Applied, Decision, Metadata, merge
from memory.banks.labels import (
    bare_label,
    behind_box,
    behind_label,
    box_of,
    is_cancelled,
    is_item,
    label_of,
    topic_of,
    with_tick,
    without_done,
)
from memory.banks.markdown import (
    LINE_CHARACTERS,
    Section,
    folded,
    heading_in,
    indent_of,
    items,
    joined,
    lines_in,
    parse,
    render,
    time_of,
    without_time,
)
from memory.banks.types import OPEN_KINDS, OPEN_SECTIONS

_OPEN = frozenset(map(folded, OPEN_SECTIONS))
_AROUND = " \t*_~`\"'“”‘’.,:;!"


@dataclass
class _Item:
    """An item as a line of a text. `words`: its own; `under`: those of the item that it stands under; `leaf`: nothing
    else belongs to it."""

    number: int
    line: str
    words: str
    under: str
    leaf: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        """What it may be called by."""
        return (self.words, f"{self.under} › {self.words}") if self.under else (self.words,)


@dataclass
class _Outcomes:
    """What new content calls done, not to be done any more, and open; what it says last counts."""

    done: set[str] = field(default_factory=set)
    dropped: set[str] = field(default_factory=set)
    open: set[str] = field(default_factory=set)

    @property
    def over(self) -> set[str]:
        return self.done | self.dropped


def carry_out(
    files: Mapping[str, str], decisions: Sequence[Decision], moment: datetime
) -> tuple[dict[str, str], tuple[Applied, ...]]:
    """Puts new content into a bank's files and returns them, and what was done (`merge`); and takes out of what is open
    what the content says to be done or dropped, and what it says to be open once more. An item that others stand under
    is ticked off. Of items that have the same words under others none is meant. O(n) in the files and the content."""
    made, done = merge(files, decisions, moment)
    said = _outcomes_in(decisions)
    if not (said.over or said.open):
        return made, done
    pages = {name: parse(text) for name, text in made.items()}
    where: dict[str, set[str]] = defaultdict(set)  # for each name, what the items stand under that have it
    for page in pages.values():
        for section in filter(_is_open, page.sections):
            for item in _open_items(section):
                for name in item.names:
                    where[name].add(item.under)
    meant = {name for name in said.over if len(where.get(name, ())) == 1}
    settled: list[Applied] = []
    for file, page in pages.items():
        sections = tuple(_settled(one, meant, said) if _is_open(one) else one for one in page.sections)
        if sections == page.sections:
            continue
        made[file] = render(replace(page, sections=sections))
        settled += [
            Applied(file, "settle", Metadata(after.title, "next"))
            for before, after in zip(page.sections, sections, strict=True)
            if before != after and any(not meant.isdisjoint(item.names) for item in _open_items(before))
        ]
    return made, tuple(dict.fromkeys((*settled, *done)))[:MOST_DONE]


def _outcomes_in(decisions: Sequence[Decision]) -> _Outcomes:
    said = _Outcomes()
    for decision in decisions:
        first = decision.content.partition("\n")[0]
        _, title = heading_in(first) or (0, "")
        dropped = is_cancelled(f"{title}:" if title else first)
        is_done = decision.metadata.category == "done" or folded(decision.metadata.section) == "done"
        for item in _items(decision.content):
            name, line = item.names[-1], item.line.strip()
            box, label = box_of(line), label_of(line)
            bare = box is None and label is None
            if is_cancelled(line) or (bare and dropped):
                said.dropped.add(name)
            elif box == "ticked" or label == "done" or (is_done and bare):
                said.done |= {name, _words(without_done(name))}
            elif bare and (what_is_done := _words(without_done(name))) != name:
                said.done.add(what_is_done)
            elif box == "open" or label in OPEN_KINDS or (bare and folded(decision.metadata.section) in _OPEN):
                said.done.discard(name)
                said.dropped.discard(name)
                said.open.add(name)
    return said


def _is_open(section: Section) -> bool:
    return folded(section.title) in _OPEN


def _open_items(section: Section) -> list[_Item]:
    return [item for item in _items(section.body) if box_of(item.line) != "ticked"]


def _settled(section: Section, meant: set[str], said: _Outcomes) -> Section:
    """An open section without what is meant to be open no more, and without all but the last of what is said to be open
    once more."""
    kept: list[str] = []
    again: set[str] = set()
    for entry in reversed(items(section.body)):
        lines: list[str | None] = list(entry.split("\n"))
        for item in reversed(_items(entry)):
            if box_of(item.line) == "ticked":
                continue
            if not meant.isdisjoint(item.names):
                if item.leaf:
                    lines[item.number] = None
                elif not said.done.isdisjoint(item.names):
                    lines[item.number] = with_tick(item.line)
            elif item.leaf and not item.under and item.words in said.open:
                if item.words in again:
                    lines[item.number] = None
                again.add(item.words)
        left = [line for line in lines if line is not None]
        if len(left) == len(lines) or any(map(_says, left)):
            kept.insert(0, "\n".join(left).rstrip())
    return replace(section, body=joined(kept)) if kept != items(section.body) else section


def _says(line: str) -> bool:
    """Whether a line says something, and is no label, heading or time of what stood below it."""
    said = without_time(line).strip()
    _, title = heading_in(said) or (0, "")
    return bool(said) and not bare_label(said) and topic_of(title) is None


def _items(text: str) -> list[_Item]:
    """The items of lists in a text, and the lines that begin its paragraphs, each with words of its own."""
    found: list[_Item] = []
    path: list[tuple[int, _Item]] = []  # the items that a line may stand under, each at its column
    begins = True  # whether what comes next begins a paragraph
    for number, (line, fenced, _) in enumerate(lines_in(text)):
        if not fenced and not _says(line):
            begins = True
            if line.strip():
                path = []
            continue
        starts = not fenced and (begins or is_item(line) or label_of(line) is not None)
        while starts and path and indent_of(line) <= path[-1][0]:
            path.pop()
        if path:
            path[-1][1].leaf = False
        if starts and len(line) <= LINE_CHARACTERS:
            found.append(_Item(number, line, _words(line), path[-1][1].words if path else ""))
            path.append((indent_of(line), found[-1]))
        begins = False
    return [item for item in found if item.words]


def _words(line: str) -> str:
    """What an item says, as items are compared: without its time, mark, box and label."""
    said = without_time(line).strip() if time_of(line) is not None else line.strip()
    said = said[behind_box(said) :]
    return folded(unicodedata.normalize("NFC", said[behind_label(said) :].strip(_AROUND)))
