"""Types of memory banks: the files that one begins with, and where in them what belongs."""

from dataclasses import dataclass
from typing import Literal, get_args

from memory.banks.decisions import DEFAULT_SECTION
from memory.banks.markdown import nested

BankType = Literal["project", "code", "global"]
BANK_TYPES: tuple[BankType, ...] = get_args(BankType)

Category = Literal[
    "purpose", "requirement", "constraint", "architecture", "dependency", "decision", "done", "next", "focus",
    "question", "pattern", "issue", "preference", "reference", "note",
]  # fmt: skip
# What gives way first when a bank is condensed: discussion, then implementation, then architecture.
Weight = Literal["architecture", "implementation", "discussion"]


@dataclass(frozen=True)
class FileKind:
    """A file that a bank of some type begins with. `sections`: in their order; `weight`: of what stands in it."""

    name: str
    title: str
    weight: Weight
    about: str
    sections: tuple[str, ...]


def _file(name: str, weight: Weight, about: str, sections: str, title: str = "") -> FileKind:
    title = title or name.removesuffix(".md").capitalize()
    return FileKind(name, title, weight, about, tuple(sections.split(", ")))


_ARCHITECTURE = _file(
    "architecture.md", "architecture", "What it is made of, as it is now.", "Overview, Components, Dependencies"
)
_DECISIONS = _file("decisions.md", "architecture", "What was decided, when and why; the newest last.", "Decisions")
_ACTIVE = _file(
    "active.md", "implementation", "What is under way.", "Current focus, Open questions, Notes", title="Active work"
)

FILES: dict[BankType, tuple[FileKind, ...]] = {
    "project": (
        _file(
            "context.md",
            "architecture",
            "What the project is for, and for whom.",
            "Purpose, Requirements, Constraints",
        ),
        _ARCHITECTURE,
        _DECISIONS,
        _file("progress.md", "implementation", "What is done and what comes next.", "Done, Next, Issues"),
        _ACTIVE,
    ),
    "code": (
        _ARCHITECTURE,
        _file("patterns.md", "implementation", "How code is written here.", "Conventions, Requirements, References"),
        _DECISIONS,
        _file("progress.md", "implementation", "What is done, broken, or next.", "Done, Next, Issues"),
        _ACTIVE,
    ),
    "global": (
        _file("context.md", "architecture", "Who the user is and what they work on.", "About, Focus"),
        _file("preferences.md", "architecture", "How the user wants things done.", "Preferences, Decisions"),
        _file("references.md", "implementation", "Where to look things up.", "References"),
        _file("notes.md", "implementation", "Everything else.", "Notes, Open questions, To do"),
    ),
}

OPEN_KINDS: tuple[Category, ...] = ("next", "issue")  # of what is left to be done, wherever it is kept
OPEN_SECTIONS = frozenset({"Next", "Issues", "To do"})  # of what is left to be done, unless it is ticked off

Place = tuple[str, str]  # a file and a section of it

_PROJECT: dict[Category, Place] = {
    "purpose": ("context.md", "Purpose"),
    "requirement": ("context.md", "Requirements"),
    "constraint": ("context.md", "Constraints"),
    "architecture": ("architecture.md", "Components"),
    "dependency": ("architecture.md", "Dependencies"),
    "decision": ("decisions.md", "Decisions"),
    "done": ("progress.md", "Done"),
    "next": ("progress.md", "Next"),
    "issue": ("progress.md", "Issues"),
    "focus": ("active.md", "Current focus"),
    "question": ("active.md", "Open questions"),
    "note": ("active.md", "Notes"),
    "pattern": ("architecture.md", "Overview"),
    "preference": ("context.md", "Constraints"),
    "reference": ("active.md", "Notes"),
}
PLACES: dict[BankType, dict[Category, Place]] = {
    "project": _PROJECT,
    "code": _PROJECT
    | {
        "purpose": ("architecture.md", "Overview"),
        "requirement": ("patterns.md", "Requirements"),
        "constraint": ("patterns.md", "Requirements"),
        "pattern": ("patterns.md", "Conventions"),
        "preference": ("patterns.md", "Conventions"),
        "reference": ("patterns.md", "References"),
    },
    "global": dict.fromkeys(get_args(Category), ("notes.md", "Notes"))
    | {
        "purpose": ("context.md", "About"),
        "focus": ("context.md", "Focus"),
        "preference": ("preferences.md", "Preferences"),
        "pattern": ("preferences.md", "Preferences"),
        "requirement": ("preferences.md", "Preferences"),
        "constraint": ("preferences.md", "Preferences"),
        "decision": ("preferences.md", "Decisions"),
        "reference": ("references.md", "References"),
        "dependency": ("references.md", "References"),
        "question": ("notes.md", "Open questions"),
        "next": ("notes.md", "To do"),
    },
}


def template(kind: BankType, name: str, description: str = "") -> dict[str, str]:
    """The files of a new bank. `name`: of the project. A description stands where its purpose does."""
    file, section = PLACES[kind]["purpose"]
    described = f"## {section}\n\n{nested(description)}".rstrip()
    files: dict[str, str] = {}
    for begun in FILES[kind]:
        title = f"# {begun.title}: {name}" if name else f"# {begun.title}"
        sections = [described if (begun.name, named) == (file, section) else f"## {named}" for named in begun.sections]
        files[begun.name] = "\n\n".join([title, f"_{begun.about}_", *sections]) + "\n"
    return files


def sections_of(kind: BankType, file: str) -> tuple[str, ...]:
    """The sections that a file of a bank begins with; none of one that was made later."""
    return next((file_kind.sections for file_kind in FILES[kind] if file_kind.name == file), ())


def default_section(kind: BankType, file: str) -> str:
    """The section of a file for what does not say where it belongs: its notes, or else what the file begins with. Under
    Done goes nothing that does not say so."""
    known = sections_of(kind, file)
    return known[0] if known and DEFAULT_SECTION not in known and known[0] != "Done" else DEFAULT_SECTION


def weight_of(kind: BankType, file: str, section: str) -> Weight:
    """How much what stands in a section counts."""
    if section in ("Open questions", DEFAULT_SECTION):
        return "discussion"
    return next((file_kind.weight for file_kind in FILES[kind] if file_kind.name == file), "implementation")
