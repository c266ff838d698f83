"""Open items of a bank that new content says to be done, to be dropped, or once more.

Only such as it calls by their own words; capitals, marks before an item and the stop behind it make no difference.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from memory.banks.decisions import MOST_DONE, Append, Decision, Done, Metadata, merge, section_title
from memory.banks.labels import (
    behind_label,
    is_cancelled,
    is_label,
    label_of,
    topic_of,
    without_done,
)
from memory.banks.lists import TAB, behind_box, box_of, is_item, with_tick
from memory.banks.markdown import (
    LINE_CHARACTERS,
    Page,
    folded,
    items,
    joined,
    lines_in,
    parse,
    render,
    time_of,
    title_in,
    without_time,
)
from memory.banks.types import OPEN_KINDS, OPEN_SECTIONS

_OPEN = frozenset(map(folded, OPEN_SECTIONS))
_AROUND = " \t*_~`\"'“”‘’.,:;!"


@dataclass(frozen=True)
class Closed:
    """A bank's files without what is open no more, what is to be put into them, and what was done by that."""

    files: Mapping[str, str]
    decisions: Sequence[Decision]
    done: tuple[Done, ...] = ()


@dataclass(frozen=True)
class Carried:
    """A bank's files with new content in them, and what was done."""

    files: dict[str, str]
    done: tuple[Done, ...]


@dataclass(frozen=True)
class _Item:
    """An item as a line of a text. `words`: its own; `under`: those of the item that it stands under; `leaf`: nothing
    else belongs to it; `below`: the label or the heading that it is below."""

    number: int
    line: str
    words: str
    under: str
    leaf: bool
    below: str

    @property
    def names(self) -> tuple[str, ...]:
        """What it may be called by."""
        return (self.words, f"{self.under} › {self.words}") if self.under else (self.words,)


@dataclass
class _Said:
    """What new content calls done, and not to be done any more; what it says last counts."""

    done: set[str] = field(default_factory=set)
    dropped: set[str] = field(default_factory=set)

    @property
    def all(self) -> set[str]:
        return self.done | self.dropped


def carry_out(files: Mapping[str, str], decisions: Sequence[Decision], moment: datetime) -> Carried:
    """Puts new content into a bank's files (`merge`), and closes what was open in them (`close_items`)."""
    closed = close_items(files, decisions)
    made, done = merge(closed.files, closed.decisions, moment)
    return Carried(made, tuple(dict.fromkeys((*closed.done, *done)))[:MOST_DONE])


def close_items(files: Mapping[str, str], decisions: Sequence[Decision]) -> Closed:
    """Takes out of what is open in a bank what content that comes says to be done or dropped, so that it does not stand
    open beside that, and out of this what stands open already. An item that others stand under is ticked off. Of items
    that have the same words under others none is meant. O(n) in the files and the content."""
    said = _said_by(decisions)
    adding = any(isinstance(one, Append) and _is_open(one.metadata.section) for one in decisions)
    if not (said.all or adding):
        return Closed(files, decisions)
    pages = {name: parse(text) for name, text in files.items()}
    where: dict[str, list[str]] = defaultdict(list)  # for each name, what the items stand under that have it
    for page in pages.values():
        for one in _open_items(page):
            for name in one.names:
                where[name].append(one.under)
    meant = {name for name in said.done | said.dropped if len(set(where.get(name, ()))) == 1}
    done: list[Done] = []
    for file, page in pages.items() if meant else ():
        struck = _without(page, meant, said.done)
        done += [
            Done(file, "settle", Metadata(after.title, "next"))
            for before, after in zip(page.sections, struck.sections, strict=True)
            if before != after
        ]
        pages[file] = struck
    changed = {one.target_file for one in done}
    kept, there = _not_standing(pages, decisions, said.done | said.dropped)
    return Closed(
        {name: render(pages[name]) if name in changed else text for name, text in files.items()},
        kept,
        (*done, *there),
    )


def _said_by(decisions: Sequence[Decision]) -> _Said:
    said = _Said()
    for decision in decisions:
        is_done = decision.metadata.category == "done" or folded(decision.metadata.section) == "done"
        for one in _items(decision.content):
            line = one.line.strip()
            name = one.names[-1]
            box, label = box_of(line), label_of(line)
            bare = box is None and label is None
            if is_cancelled(line) or (bare and is_cancelled(one.below)):
                said.dropped.add(name)
            elif box == "ticked" or label == "done" or (is_done and bare):
                said.done |= {name, _words(without_done(name))}
            elif bare and (what_is_done := _words(without_done(name))) != name:
                said.done.add(what_is_done)
            elif box == "open" or label in OPEN_KINDS or (bare and _is_open(decision.metadata.section)):
                said.done.discard(name)
                said.dropped.discard(name)
    return said


def _is_open(section: str) -> bool:
    return folded(section_title(section)) in _OPEN


def _open_items(page: Page) -> Iterator[_Item]:
    for section in page.sections:
        if _is_open(section.title):
            for item in items(section.body):
                yield from (one for one in _items(item) if box_of(one.line) != "ticked")


def _without(page: Page, names: set[str], done: set[str]) -> Page:
    """A page whose open sections are without the items of these names; such as others stand under are ticked, where
    they are done."""
    sections = []
    for section in page.sections:
        if _is_open(section.title):
            before = items(section.body)
            after = [left for item in before if (left := _struck(item, names, done))]
            section = replace(section, body=joined(after)) if after != before else section
        sections.append(section)
    return replace(page, sections=tuple(sections))


def _struck(item: str, names: set[str], done: set[str]) -> str:
    """What is left of an item of a section; nothing where that says nothing."""
    lines: list[str | None] = list(item.split("\n"))
    for one in _items(item):
        if box_of(one.line) == "ticked" or names.isdisjoint(one.names):
            continue
        if one.leaf:
            lines[one.number] = None
        elif not done.isdisjoint(one.names):
            lines[one.number] = with_tick(one.line)
    left = [line for line in lines if line is not None]
    if len(left) == len(lines):
        return "\n".join(left)
    return "\n".join(left).rstrip() if any(map(_says, left)) else ""


def _says(line: str) -> bool:
    """Whether a line says something, and is no label, heading or time of what stood below it."""
    said = without_time(line).strip()
    return bool(said) and not is_label(said) and topic_of(title_in(said)[0]) is None


def _not_standing(
    pages: Mapping[str, Page], decisions: Sequence[Decision], over: set[str]
) -> tuple[list[Decision], list[Done]]:
    """What is to be put into a bank without the items that stand open in its place already, or that it says to be open
    no more behind that (`over`), and where all of it did stand."""
    kept: list[Decision] = []
    there: list[Done] = []
    known: dict[tuple[str, str], set[str]] = {}
    gone: dict[tuple[str, str], set[str]] = {}
    renewed: set[str] = set()  # files of which something was replaced before: what stood there may stand no more
    for decision in decisions:
        section = section_title(decision.metadata.section)
        if not isinstance(decision, Append):
            renewed.add(decision.target_file)
        if not (isinstance(decision, Append) and _is_open(section)) or decision.target_file in renewed:
            kept.append(decision)
            continue
        place = decision.target_file, folded(section)
        if place not in known:
            found = pages[decision.target_file].find(section) if decision.target_file in pages else None
            page = Page("", (found,) if found is not None else ())
            known[place] = {one.words for one in _open_items(page) if one.leaf and not one.under}
            gone[place] = known[place] | over
        content = _news(decision.content, gone[place])
        if content:
            kept.append(replace(decision, content=content))
        elif _news(decision.content, known[place]) == "":
            there.append(Done(decision.target_file, "unchanged", replace(decision.metadata, section=section)))
    return kept, there


def _news(content: str, known: set[str]) -> str:
    """A list, or a line, without the items that are known; nothing where all are. Other content as it is."""
    found = {one.number: one for one in _items(content)}
    lines = content.split("\n")
    if len(lines) > 1 and any(_says(line) and not is_item(line) for line in lines):
        return content
    old = {one.number for one in found.values() if one.leaf and not one.under and one.words in known}
    old = {number for number in old if box_of(found[number].line) != "ticked"}
    left = [line for number, line in enumerate(lines) if number not in old]
    if not old:
        return content
    return "\n".join(left).strip("\n") if any(map(_says, left)) else ""


def _items(text: str) -> Iterator[_Item]:
    """The items of lists in a text, and its lines that are a paragraph or have a label, each with words of its own."""
    lines = [(line, fenced) for line, fenced, _ in lines_in(text)]
    above: list[tuple[int, str]] = []  # the items that a line may stand under: their indents and words
    below, headed = "", False
    for number, (line, fenced) in enumerate(lines):
        if fenced or not line.strip() or len(line) > LINE_CHARACTERS:
            continue
        title, indent = title_in(line)[0], _indent(line)
        if title or (is_label(line) and not is_item(line)):
            below, headed = f"{title}:" if title else line, bool(title)
        elif not (headed or indent or is_item(line) or lines[number - 1][0].strip()):
            below = ""
        while above and indent <= above[-1][0]:
            above.pop()
        begins = _begins(lines, number)
        words = _words(line) if begins else ""
        if words:
            leaf = not _goes_on(lines, number + 1, indent)
            yield _Item(number, line, words, above[-1][1] if above else "", leaf, below)
        if begins and is_item(line):
            above.append((indent, words))


def _begins(lines: Sequence[tuple[str, bool]], number: int) -> bool:
    """Whether a line is an item, has a label, or begins a paragraph."""
    line = lines[number][0]
    if line.lstrip().startswith("#"):
        return False
    return is_item(line) or label_of(line) is not None or number == 0 or not _says(lines[number - 1][0])


def _goes_on(lines: Sequence[tuple[str, bool]], number: int, indent: int) -> bool:
    """Whether what begins before this line goes on in it or in what stands further right behind it."""
    at = number
    while at < len(lines) and not lines[at][0].strip():
        at += 1
    if at == len(lines):
        return False
    line, fenced = lines[at]
    if _indent(line) > indent or (fenced and at == number):
        return True
    return at == number and not (is_item(line) or _begins(lines, at))


def _indent(line: str) -> int:
    return len(line.expandtabs(TAB)) - len(line.expandtabs(TAB).lstrip())


def _words(line: str) -> str:
    """What an item says, as items are compared: without its time, mark, box and label."""
    said = without_time(line).strip() if time_of(line) is not None else line.strip()
    said = said[behind_box(said) :]
    return folded(unicodedata.normalize("NFC", said[behind_label(said) :].strip(_AROUND)))
