"""What becomes of new content in a bank: which file takes it, in which place, and what do the files say then?"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from memory.bank_markdown import LONGEST_TITLE, Page, Section, entry, nested, parse, render
from utils.text import shown

FILE_NAME = re.compile(r"[a-z0-9](?:[a-z0-9_-]{0,58}[a-z0-9])?\.md")
MOST_FILES = 40  # of a bank; what would make another goes into its last one
DEFAULT_SECTION = "Notes"
CRITICAL = "critical"  # a tag: what has it stays when the bank is condensed

Operation = Literal["append", "replace", "create"]


@dataclass(frozen=True)
class Metadata:
    """What is known of a piece of content. `section`: of the file, where it belongs."""

    section: str = DEFAULT_SECTION
    category: str = "note"
    tags: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    references: tuple[str, ...] = ()


@dataclass(frozen=True)
class Append:
    """Content goes to the end of a section; the file and the section are made where they are missing."""

    target_file: str
    content: str
    metadata: Metadata = Metadata()


@dataclass(frozen=True)
class Replace:
    """Content takes the place of all that stands in a section; what stood there is in the history."""

    target_file: str
    content: str
    metadata: Metadata = Metadata()


@dataclass(frozen=True)
class Create:
    """Content is a new file; where that is there already, it goes to the end of its section."""

    target_file: str
    content: str
    metadata: Metadata = Metadata()


Decision = Append | Replace | Create
OPERATIONS: dict[type[Decision], Operation] = {Append: "append", Replace: "replace", Create: "create"}


@dataclass(frozen=True)
class Done:
    """What a decision came to. `operation_type`: as it was carried out."""

    target_file: str
    operation_type: Operation
    metadata: Metadata


def is_file_name(name: str) -> bool:
    """Whether a file of a bank may have this name, on every system, beside all others."""
    return FILE_NAME.fullmatch(name) is not None


def section_title(title: str) -> str:
    """A title as a section may have it."""
    return shown(title).lstrip("#").strip()[:LONGEST_TITLE].strip() or DEFAULT_SECTION


def merge(
    files: Mapping[str, str], decisions: Sequence[Decision], moment: datetime
) -> tuple[dict[str, str], tuple[Done, ...]]:
    """The files with new content in them, and what was done. All of the content is in them: of decisions that cannot be
    carried out as they stand, it is added elsewhere."""
    merged = dict(files)
    done: list[Done] = []
    for decision in decisions:
        name, metadata = decision.target_file, decision.metadata
        if name not in merged and len(merged) >= MOST_FILES:
            metadata = replace(metadata, section=section_title(name.removesuffix(".md")))
            name, decision = list(merged)[-1], Append(list(merged)[-1], decision.content, metadata)
        section = section_title(metadata.section)
        page = parse(merged.get(name, f"# {_headline(name)}"))
        match decision:
            case Create() if name not in merged:
                merged[name] = _new_file(name, decision.content)
            case Replace() if (former := page.find(section)) is not None:
                body = nested(decision.content)
                merged[name] = render(page.with_section(Section(former.title, body)))
            case _:
                merged[name] = render(appended(page, section, entry(decision.content, moment)))
                done.append(Done(name, "append", replace(metadata, section=section)))
                continue
        done.append(Done(name, OPERATIONS[type(decision)], replace(metadata, section=section)))
    return merged, tuple(done)


def appended(page: Page, title: str, item: str) -> Page:
    """The page with an item at the end of a section."""
    section = page.find(title) or Section(title, "")
    last = section.body.rpartition("\n")[2]
    close = item.startswith("- ") and last.startswith("- ")
    body = f"{section.body}{chr(10) if close else chr(10) * 2}{item}" if section.body else item
    return page.with_section(Section(section.title, body))


def _new_file(name: str, content: str) -> str:
    """A file as it was given; a title is put before it where it has none. Headings stay as they are, for nothing else
    stands in the file."""
    text = content.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    return f"{text}\n" if text.startswith("# ") else f"# {_headline(name)}\n\n{text}\n"


def _headline(name: str) -> str:
    return name.removesuffix(".md").replace("-", " ").replace("_", " ").strip().capitalize()
