"""Omissions: what a condensed bank does not say any more, and the line of a file that says which versions have it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from memory.banks.markdown import NOTE, Page, all_sections, is_note, items, paragraphs, parse, render

MOST_NAMED = 3  # versions that a file names, the newest; the oldest of these names those before it

_COUNT = re.compile(r": (\d+) entr(?:y|ies)\b")
_VERSION = re.compile(r"\bversion (\d+)")


@dataclass(frozen=True)
class Note:
    """What the line of a condensed file says: how many entries were shortened or left out in all, and which versions
    have them, the newest first."""

    entries: int
    versions: tuple[int, ...]

    def line(self, moment: datetime) -> str:
        """The line, which `note_in` reads again."""
        many = "1 entry" if self.entries == 1 else f"{self.entries} entries"
        named = [f"version {number}" for number in self.versions[:MOST_NAMED]]
        where = f"{named[0]} has all of it" if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]} have it"
        more = ", and the last of these names those before it" if len(self.versions) > MOST_NAMED else ""
        return f"{NOTE} {moment:%Y-%m-%d}: {many} shortened or left out; {where}{more}._"


def note_in(page: Page) -> Note | None:
    """What the line of a file says of its former versions; None where it has none."""
    line = next((item for item in items(page.lead) if is_note(item)), "")
    versions = tuple(map(int, _VERSION.findall(line)))
    return Note(int(counted[1]), versions) if (counted := _COUNT.search(line)) is not None and versions else None


def with_note(page: Page, former: Note | None, entries: int, version: int, moment: datetime) -> Page:
    """A page that says at its beginning how many entries went in all, and which versions have them. `former`: what it
    said of those that went before; `version`: the one that has those which went now. Of none it says nothing."""
    note = former
    if entries:
        before = former or Note(0, ())
        note = Note(before.entries + entries, (version, *before.versions))
    lead = [item for item in items(page.lead) if not is_note(item)]
    line = [note.line(moment)] if note is not None else []
    return Page("\n\n".join([*lead[:2], *line, *lead[2:]]), page.sections)


def versions_named(files: Mapping[str, str]) -> list[int]:
    """The versions of a bank that its files name for what is not in them any more, the newest first."""
    notes = filter(None, map(note_in, map(parse, files.values())))
    return sorted({version for note in notes for version in note.versions}, reverse=True)


@dataclass(frozen=True)
class Omitted:
    """Entries of one section of a file that a later version does not have as they were, in their order."""

    file: str
    title: str
    entries: tuple[str, ...]


def omitted_between(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Omitted]:
    """What stood in a bank's files before and stands nowhere in them after: entries, or of one of which a part stayed
    the paragraphs that did not. Texts are the same that differ in blanks alone. O(entries) searches in the files."""
    stays = list(map(flat, after.values()))
    for name, text in before.items():
        for section in all_sections(parse(text)):
            entries = (part for item in items(section.body) for part in _missing(item, stays))
            if found := tuple(entries):
                yield Omitted(name, section.title, found)


def with_notes(before: Mapping[str, str], after: Mapping[str, str], version: int, moment: datetime) -> dict[str, str]:
    """Files that a model wrote anew, each with the line that says which versions have what it does not say as they
    did."""
    gone: dict[str, int] = {}
    for omitted in omitted_between(before, after):
        gone[omitted.file] = gone.get(omitted.file, 0) + len(omitted.entries)
    return {
        name: render(with_note(parse(text), note_in(parse(before[name])), gone.get(name, 0), version, moment))
        for name, text in after.items()
    }


def stands_in(text: str, texts: Iterable[str]) -> bool:
    """Whether a text stands in one of others, which are `flat`; blanks make no difference."""
    words = flat(text)
    return any(words in other for other in texts)


def flat(text: str) -> str:
    """A text with one blank wherever it has some."""
    return " ".join(text.split())


def _missing(item: str, stays: Iterable[str]) -> list[str]:
    """An item that stands in none of some texts, or its paragraphs that do not where others do."""
    if stands_in(item, stays):
        return []
    parts = paragraphs(item)
    missing = [part for part in parts if not stands_in(part, stays)]
    return missing if len(missing) < len(parts) else [item]
