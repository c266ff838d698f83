"""Decisions: which file and section of a bank takes new content, and what the files say then."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from memory.banks.markdown import (
    LONGEST_TITLE,
    Page,
    Section,
    closed,
    entry,
    folded,
    items,
    joined,
    nested,
    parse,
    render,
    time_of,
    title_of,
    unified,
    without_time,
)
from utils.text import shown

FILE_NAME = re.compile(r"[a-z0-9](?:[a-z0-9_-]{0,58}[a-z0-9])?\.md")
MOST_FILES = 40  # of a bank; what would make another goes into its last one
MOST_NAMED = 5  # files that are named where there is no room for more
MOST_FOUND = 12  # tags, dates, references that are kept of a piece of content
MOST_DONE = 1_000  # of an update that are told and kept, which so cannot outgrow a document of the store
DEFAULT_SECTION = "Notes"
CRITICAL = "critical"  # a tag: what has it stays when the bank is condensed

# `settle`: items that were open are not so any more; `unchanged`: all that was to be added stands there already.
Operation = Literal["append", "replace", "create", "settle", "unchanged"]


@dataclass(frozen=True)
class Metadata:
    """What is known of a piece of content. `section`: of the file, where it belongs."""

    section: str = DEFAULT_SECTION
    category: str = "note"
    tags: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    references: tuple[str, ...] = ()


@dataclass(frozen=True)
class Decision:
    """What becomes of a piece of content. It goes to the end of a section ("append"), where the file and the section
    are made if they are missing; or takes the place of all that stands in it ("replace"); or is a new file ("create"),
    or goes to the end of its section where that is there already."""

    operation: Literal["append", "replace", "create"]
    target_file: str
    content: str
    metadata: Metadata = Metadata()


@dataclass(frozen=True)
class Applied:
    """What a decision came to. `operation_type`: as it was carried out."""

    target_file: str
    operation_type: Operation
    metadata: Metadata


def is_file_name(name: str) -> bool:
    """Whether a file of a bank may have this name, on every system, beside all others."""
    return FILE_NAME.fullmatch(name) is not None


def section_title(title: str) -> str:
    """A title as a section may have it."""
    return title_of(shown(title).lstrip("#").strip()[:LONGEST_TITLE]) or DEFAULT_SECTION


def merge(
    files: Mapping[str, str], decisions: Sequence[Decision], moment: datetime
) -> tuple[dict[str, str], tuple[Applied, ...]]:
    """The files with new content in them, and what was done: one for all that a section was given in the same way, the
    first `MOST_DONE` of them. All of the content is in the files: of decisions that cannot be carried out as they
    stand, it is added elsewhere; what a section ends with already is not added, and what stands further up in it moves
    to its end. O(n) in the files and the content."""
    made = dict(files)
    drafts: dict[str, _Draft] = {}
    done: dict[tuple[str, Operation, str], Applied] = {}
    for decision in decisions:
        name, section = decision.target_file, section_title(decision.metadata.section)
        operation: Operation = decision.operation
        if name not in made and len(made) >= MOST_FILES:
            section = section_title(name.removesuffix(".md"))
            name, operation = list(made)[-1], "append"
        is_new = name not in made
        if operation == "create" and is_new:
            made[name] = _new_file(name, decision.content)
        else:
            draft = drafts.get(name) or drafts.setdefault(name, _Draft(made.setdefault(name, f"# {_headline(name)}")))
            body = draft.find(section) if operation == "replace" else None
            if body is not None:
                body.before, body.added, body.replaced = nested(decision.content), [], True
            else:
                operation = "create" if is_new else "append"
                draft.section(section).added.append(entry(decision.content, moment))
        key: tuple[str, Operation, str] = (name, operation, folded(section))
        told = Applied(name, operation, replace(decision.metadata, section=section))
        if key in done:
            done[key] = replace(done[key], metadata=both(done[key].metadata, told.metadata))
        elif len(done) < MOST_DONE:
            done[key] = told
    for key, applied in done.items():
        if (
            applied.operation_type == "append"
            and drafts[applied.target_file].section(applied.metadata.section).unchanged
        ):
            done[key] = replace(applied, operation_type="unchanged")
    return made | {name: draft.text() for name, draft in drafts.items()}, tuple(done.values())


def told_of_files(decisions: Sequence[Decision], files: Mapping[str, str]) -> str | None:
    """What a client is told where not all files that decisions name could be made; None where all are there. `files`:
    as `merge` gives them."""
    missing = list(dict.fromkeys(decision.target_file for decision in decisions if decision.target_file not in files))
    if not missing:
        return None
    named = ", ".join(missing[:MOST_NAMED]) + (" and others" if len(missing) > MOST_NAMED else "")
    return (
        f"A memory bank has at most {MOST_FILES} files, so {named} could not be made: what was for such a file is in "
        f"{list(files)[-1]}, in a section of its name. Nothing was lost; name files that are there."
    )


def section_key(decision: Decision) -> tuple[str, str]:
    """The file and the section that a decision is for; the same for all spellings of the section's title."""
    return decision.target_file, folded(section_title(decision.metadata.section))


def stale(decisions: Sequence[Decision], shown: Mapping[str, str], files: Mapping[str, str]) -> list[Decision]:
    """The decisions that replace a section of which these files say something else than what was shown to whom made
    them. O(n) in the files that they name."""
    replacing = [decision for decision in decisions if decision.operation == "replace"]
    named = {decision.target_file for decision in replacing}
    seen, there = ({name: parse(of[name]) for name in named if name in of} for of in (shown, files))
    return [decision for decision in replacing if _body(seen, decision) != _body(there, decision)]


def both(one: Metadata, other: Metadata) -> Metadata:
    """What is known of two pieces of content that are in one place."""

    def union(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*first, *second)))[:MOST_FOUND] if second else first

    return replace(
        one,
        tags=union(one.tags, other.tags),
        dates=union(one.dates, other.dates),
        references=union(one.references, other.references),
    )


def _body(pages: Mapping[str, Page], decision: Decision) -> str | None:
    """What stands in the section that a decision is for; None where there is no such section."""
    page = pages.get(decision.target_file)
    found = page.find(section_title(decision.metadata.section)) if page is not None else None
    return found.body if found is not None else None


@dataclass
class _Body:
    """A section that is being written. `before`: what it said; `added`: the entries that are to stand at its end."""

    title: str
    before: str = ""
    added: list[str] = field(default_factory=list)
    replaced: bool = False

    @property
    def unchanged(self) -> bool:
        """Whether it ends with all that is to be added already."""
        if self.replaced or not self.added:
            return False
        there, coming = items(self.before), self._coming()
        return list(map(_saying, there[-len(coming) :])) == coming

    def text(self) -> str:
        """What it says now. An entry that stood in it word for word is moved to its end, with its new time."""
        if self.unchanged or not self.added:
            return self.before
        before = self.before
        if not self.replaced:
            there, coming = items(before), set(self._coming())
            left = [item for item in there if time_of(item) is None or _saying(item) not in coming]
            before = joined(left) if len(left) < len(there) else before
        return joined([before, *self.added] if before else self.added)

    def _coming(self) -> list[str]:
        return [_saying(item) for entry in self.added for item in items(entry)]


def _saying(item: str) -> str:
    """An entry, and whether it is one line, without its time."""
    return item[:1] + without_time(item)


class _Draft:
    """A file that is being written."""

    def __init__(self, text: str) -> None:
        page = parse(text)
        self._lead = page.lead
        self._sections = [_Body(section.title, section.body) for section in page.sections]
        self._bodies = {folded(body.title): body for body in reversed(self._sections)}

    def find(self, title: str) -> _Body | None:
        return self._bodies.get(folded(title))

    def section(self, title: str) -> _Body:
        """A section, which is made where it is missing."""
        body = self.find(title)
        if body is None:
            body = self._bodies[folded(title)] = _Body(title)
            self._sections.append(body)
        return body

    def text(self) -> str:
        return render(Page(self._lead, tuple(Section(body.title, body.text()) for body in self._sections)))


def _new_file(name: str, content: str) -> str:
    """A file as it was given, its code ended; a title is put before it where it has none. Headings stay as they are,
    for nothing else stands in the file."""
    text = closed(unified(content).strip("\n"))
    return f"{text}\n" if text.startswith("# ") else f"# {_headline(name)}\n\n{text}\n"


def _headline(name: str) -> str:
    return name.removesuffix(".md").replace("-", " ").replace("_", " ").strip().capitalize()
