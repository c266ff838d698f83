"""Where in a bank does new content belong, by rules alone? Keywords and patterns, and files that the content names."""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from memory.banks.decisions import (
    CRITICAL,
    MOST_FOUND,
    Append,
    Decision,
    Metadata,
    Replace,
    both,
    section_title,
)
from memory.banks.labels import asked_to_drop, is_label, label_of, labelled, labelled_lines, leads_to_list
from memory.banks.lists import is_item, is_ordered
from memory.banks.markdown import blocks, folded, is_row, paragraphs, prose_to, title_in
from memory.banks.outline import headed_parts, list_parts
from memory.banks.targets import Target, is_misunderstood, is_target, target_in
from memory.banks.topics import SHOWN, category_of
from memory.banks.types import FILES, PLACES, BankType, Category, default_section, sections_of
from memory.banks.undone import is_undone
from memory.language.left_open import OPEN
from utils.sentences import split_sentences

FURTHER = 1_000  # characters in which a sentence is looked for behind the one before it
_TAG = re.compile(r"\[(critical|important|decision|idea|risk|blocked|question)\]", re.IGNORECASE)
_HASHTAG = re.compile(r"(?<![\w&/#])#([A-Za-z][\w-]{1,40})\b")
_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_REFERENCE = re.compile(
    r"https?://[^\s<>()\"'`]{4,200}|(?<![\w/])#\d{1,7}\b|\b[A-Z][A-Z0-9]{1,9}-\d{1,6}\b|(?<![\w/:.-])(?:[\w.-]++/)++[\w-]++\.\w{1,8}\b"
)


def decide_by_rules(kind: BankType, content: str) -> list[Decision]:
    """Where each block of a text belongs, in order; blocks one after the other that belong together are one. A line
    that names a file (`decisions.md:`, `[file: notes.md > Ideas]`, `## progress.md`) says it for all that follows; a
    file that is not there yet is made. Nothing of the text is left out but such lines."""
    runs: list[_Run] = []
    target: Target | None = None
    for block in _pieces(kind, content):
        first, _, rest = block.partition("\n")
        named = target_in(first)
        if named is not None:
            target, said = named
            block = "\n".join(part for part in (said, rest) if part.strip()).strip("\n")
            if not block:
                continue
        elif is_misunderstood(first):
            target = None  # nobody knows which, but another than the last
        for part, category in _apart(kind, block) if target is None else _in_file(kind, block, target):
            decision = _decided(kind, part, category, target)
            if runs and isinstance(decision, Append) and runs[-1].takes(decision):
                runs[-1].add(decision)
            else:
                runs.append(_Run(decision, [decision.content]))
    return [run.whole() for run in runs]


def section_for(kind: BankType, file: str, content: str) -> str:
    """The section of a file where content belongs that names the file and no section of it."""
    return _decided(kind, content, category_of(content), Target(file, None, False)).metadata.section


def metadata_of(text: str, section: str, category: str) -> Metadata:
    """What patterns tell of a text: its tags, dates, and what it refers to."""
    tags = [tag.lower() for tag in (*_TAG.findall(text), *_HASHTAG.findall(text))]
    return Metadata(
        section,
        category,
        tuple(dict.fromkeys(tags))[:MOST_FOUND],
        tuple(dict.fromkeys(_DATE.findall(text)))[:MOST_FOUND],
        tuple(dict.fromkeys(_REFERENCE.findall(text[:SHOWN])))[:MOST_FOUND],
    )


def is_critical(text: str) -> bool:
    """Whether a text has the tag that keeps it."""
    return any(tag.lower() == CRITICAL for tag in _TAG.findall(text)) or any(
        tag.lower() == CRITICAL for tag in _HASHTAG.findall(text)
    )


@dataclass
class _Run:
    """Content that goes to one place, in parts."""

    decision: Decision
    parts: list[str]

    def takes(self, following: Append) -> bool:
        mine = self.decision
        is_line = len(self.parts) == 1 and "\n" not in self.parts[0]
        return (
            mine.target_file == following.target_file
            and folded(mine.metadata.section) == folded(following.metadata.section)
            and not title_in(following.content)[0]
            and not (is_line and is_item(following.content))
        )

    def add(self, following: Append) -> None:
        self.parts.append(following.content)
        self.decision = replace(self.decision, metadata=both(self.decision.metadata, following.metadata))

    def whole(self) -> Decision:
        return replace(self.decision, content="\n\n".join(self.parts))


def _decided(kind: BankType, block: str, category: Category, target: Target | None) -> Decision:
    file, section = PLACES[kind][category]
    title, body = title_in(block)
    if target is not None:
        file = target.file
        known = sections_of(kind, file)
        told = target.section or _known_section(title, known) or (section if section in known else None)
        section = told or default_section(kind, file)
        if target.replaces and (told or len(known) < 2) and folded(section) not in target.replaced:
            target.replaced.add(folded(section))
            said = body if body.strip() and title and folded(title) == folded(section) else block
            return Replace(file, said, metadata_of(block, section_title(section), category))
    elif place := _section_called(kind, title):
        file, section = place
    return Append(file, block, metadata_of(block, section_title(section), category))


def _pieces(kind: BankType, content: str) -> list[str]:
    """What is put into files one by one: blocks, and the parts of one that stands under no heading."""
    return [part for block in _together(blocks(content, is_target)) for part in _parts(kind, block)]


def _together(found: list[str]) -> list[str]:
    """Blocks, where a label that stands alone is one with the block after it, or with all items of a list; and a table
    with the paragraph before it, which says what it is."""
    whole: list[list[str]] = []
    listed = False
    for block in found:
        before = whole[-1] if whole else [""]
        labelled_so = len(before) == 1 and _is_labelled_by(before[0], block)
        listed = is_item(block) and (labelled_so or (listed and label_of(block) is None))
        if labelled_so or listed or (is_row(block) and _may_say_of(before[-1])):
            before.append(block)
        else:
            whole.append([block])
    return ["\n\n".join(parts) for parts in whole]


def _is_labelled_by(label: str, block: str) -> bool:
    first = block.partition("\n")[0]
    return is_label(label) and not (title_in(block)[0] or is_target(first) or (label_of(first) and not is_item(first)))


def _may_say_of(block: str) -> bool:
    """Whether a block may say what the table after it is: a paragraph, also behind a line that names a file."""
    last = block.rpartition("\n")[2]
    return not (not block or is_item(block) or is_row(last) or title_in(last)[0] or is_target(last))


def _parts(kind: BankType, block: str) -> list[str]:
    """The items of a list, and what the lines behind it say that have labels; else what stands under the block's labels
    and what it leaves open, where they belong to several places, or ask to remove a to-do; else the block."""
    if title_in(block)[0] or is_target(block.partition("\n")[0]):
        return [block]
    if is_item(block) and len(behind := labelled_lines(block)) > 1:
        return [part for one in behind for part in _parts(kind, one)]
    if is_item(block):
        parts = list_parts(kind, block)
        several = len({PLACES[kind][category_of(part)] for part in parts}) > 1
        return parts if several or not is_ordered(block) else [block]
    parts = [each for part in _listed(labelled(block)) for one in _settled(part) for each in list_parts(kind, one)]
    asks = any(asked_to_drop(part) is not None for part in parts)
    return parts if asks or len({PLACES[kind][category_of(part)] for part in parts}) > 1 else [block]


def _listed(parts: list[str]) -> list[str]:
    """Parts, where a list that a line leads to is one with those of its items that have a label: others stand behind
    them that do not belong to it."""
    whole: list[list[str]] = []
    leads = False
    for part in parts:
        leads = is_item(part) and (leads or (bool(whole) and leads_to_list(f"{whole[-1][0]}\n{part}")))
        if leads:
            whole[-1].append(part)
        else:
            whole.append([part])
    return ["\n".join(one) for one in whole]


def _settled(part: str) -> list[str]:
    """What stands under the label of a decision, or says what is done, and apart from it the sentences that leave
    something open."""
    label = label_of(part)
    if leads_to_list(part):
        return [part]
    if label == "decision" and OPEN.search(part) is not None:
        found = _open_apart(part, lambda said: OPEN.search(said) is not None)
        return found if OPEN.search(found[0]) is None else [part]
    if label in (None, "done") and is_undone(part):
        found = _open_apart(part, is_undone)
        return found if any(category_of(one) == "done" for one in found) else [part]
    return [part]


def _open_apart(part: str, is_open: Callable[[str], bool]) -> list[str]:
    """The sentences of a part, or what stands between semicolons, those together that follow each other and are open,
    and those that are not."""
    cuts, at, was_open = [0], 0, None
    for said in (one for sentence in split_sentences(part[: prose_to(part)]) for one in sentence.split("; ")):
        now_open, found = is_open(said), part.find(said, at, at + len(said) + FURTHER)
        if was_open is not None and now_open != was_open and found > 0:
            cuts.append(found)
        if found >= 0:
            was_open, at = now_open, found + len(said)
    ends = [*cuts[1:], len(part)]
    return [text for begin, end in zip(cuts, ends, strict=True) if (text := part[begin:end].rstrip())]


def _apart(kind: BankType, block: str) -> list[tuple[str, Category]]:
    """A block, or what stands under a heading one by one where it belongs to several places: what a list says to belong
    elsewhere than to the section that the heading names; where it names none, each part of the paragraphs, the heading
    with the first, each with what it is about under that heading."""
    title, body = title_in(block)
    if place := _section_called(kind, title):
        return [(part, category_of(part)) for part in headed_parts(kind, block, place)]
    whole = [(block, category_of(block))]
    if not title:
        return whole
    parts = [part for paragraph in _together(paragraphs(body)) for part in _parts(kind, paragraph)]
    found = [(part, category_of(f"# {title}\n{part}")) for part in parts]
    if len({PLACES[kind][category] for _, category in found}) < 2:
        return whole
    (first, category), *others = found
    return [(f"{block.partition(chr(10))[0]}\n\n{first}", category), *others]


def _in_file(kind: BankType, block: str, target: Target) -> list[tuple[str, Category]]:
    """A block for a file, or its parts one by one where they belong into several sections of it."""
    whole = [(block, category_of(block))]
    if target.section is not None or target.replaces:
        return whole
    place = _section_called(kind, title_in(block)[0])
    parts = headed_parts(kind, block, place) if place is not None else _parts(kind, block)
    found = [(part, category_of(part)) for part in parts]
    if place is not None and any(PLACES[kind][category][0] != target.file for _, category in found[1:]):
        return whole
    return found if len({_decided(kind, *part, target).metadata.section for part in found}) > 1 else whole


def _section_called(kind: BankType, title: str) -> tuple[str, str] | None:
    """The file that has a section of this title, and the section."""
    for one in FILES[kind]:
        if title and (named := _known_section(title, one.sections)):
            return one.name, named
    return None


def _known_section(title: str, sections: Collection[str]) -> str | None:
    return next((one for one in sections if folded(one) == folded(title)), None)
