"""Filing by rules: which file and section of a bank new content goes to.

Content says it itself: by lines that name a file, by headings and labels that name a section, by the boxes of check
lists. Whatever says nothing of the kind goes to the notes, as it stands: nothing is lost, and nothing is guessed.
"""

import re
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest
from typing import NamedTuple

from memory.banks.decisions import CRITICAL, MOST_FOUND, Decision, Metadata, section_title
from memory.banks.labels import bare_label, behind_box, box_of, is_cancelled, is_item, label_of, topic_of, without_done
from memory.banks.markdown import folded, heading_in, indent_of, is_row, lines_in
from memory.banks.targets import Target, divided
from memory.banks.types import PLACES, BankType, Category, default_section, sections_of
from utils.sentences import split_sentences
from utils.text import ends_with_question_mark

LABEL_CHARACTERS = 120  # in which a label ends
SHOWN = 4_000  # characters of a text in which references and questions are looked for
STATES = frozenset({"done", "next", "issue", "decision", "question"})  # of which one leaves the heading of another
APART = STATES | {"focus"}

_AROUND = " \t*_~`.!"
_TAG = re.compile(r"\[(critical|important|decision|idea|risk|blocked|question)\]", re.IGNORECASE)
_HASHTAG = re.compile(r"(?<![\w&/#])#([A-Za-z][\w-]{1,40})\b")
_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_REFERENCE = re.compile(
    r"https?://[^\s<>()\"'`]{4,200}|(?<![\w/])#\d{1,7}\b|\b[A-Z][A-Z0-9]{1,9}-\d{1,6}\b|(?<![\w/:.-])(?:[\w.-]++/)++[\w-]++\.\w{1,8}\b"
)
_SENTENCE = re.compile(r"(?<=[.!?;])[ \t]+(?=[*_A-Z])")


class Chunk(NamedTuple):
    """A heading, a paragraph, or an item of a list with all that stands within it. `gap`: the blanks before it."""

    gap: str
    text: str


@dataclass
class _Part:
    """A chunk, and what it is about; None where that is what the next one is about. `begins`: it is no part of what
    stands before it."""

    gap: str
    text: str
    category: Category | None
    begins: bool = False


def decide_by_rules(kind: BankType, content: str) -> list[Decision]:
    """Where each part of a text belongs, in order; parts one after the other that belong together are one. A line that
    names a file (`decisions.md:`, `[file: notes.md > Ideas]`, `## progress.md`) says it for all that follows; a file
    that is not there yet is made. Nothing of the text is left out but such lines, and headings and labels that are
    the title of the section."""
    decisions: list[Decision] = []
    for target, text in divided(content):
        replaced: set[str] = set()
        for category, part in _filed(kind, text, target):
            decision = _decided(kind, part, category, target)
            section = folded(decision.metadata.section)
            if target is not None and target.replaces and section not in replaced and _is_for(kind, category, target):
                replaced.add(section)
                decision = replace(decision, operation="replace")
            decisions.append(decision)
    if not decisions and content.strip():  # nothing but titles
        return [_decided(kind, content.strip(), "note", None)]
    return decisions


def section_for(kind: BankType, file: str, content: str) -> str:
    """The section of a file where content belongs that names the file and no section of it."""
    target = Target(file, None, replaces=False)
    category: Category = next((category for category, _ in _filed(kind, content, target)), "note")
    return _place(kind, category, target)[1]


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
    return any(tag.lower() == CRITICAL for pattern in (_TAG, _HASHTAG) for tag in pattern.findall(text))


def chunks(text: str) -> list[Chunk]:
    """The headings and paragraphs of a text and the items of its outermost lists. A label begins one, also behind a
    sentence; code and tables stay with what stands before them. O(n)."""
    found: list[tuple[str, list[str]]] = []  # gaps, and what stands behind them
    margin: int | None = None  # at which the items of a list stand
    gap, after_heading = "\n", True
    for line, fenced, _ in lines_in(text):
        if not fenced and not line.strip():
            gap += "\n"
            continue
        item, heading = not fenced and is_item(line), not fenced and heading_in(line) is not None
        is_prose = not (fenced or item or is_row(line))
        indent = indent_of(line)
        if heading or after_heading:
            starts = True
        elif item:
            starts = margin is None or indent <= margin
        else:
            goes_on = margin is not None and indent > 0
            starts = is_prose and not goes_on and (gap != "\n" or _begins(line))
        if starts:
            margin = indent if item else None
        for piece_gap, piece in _sentences(line) if is_prose and margin is None else [("", line)]:
            if starts or piece_gap:
                found.append((piece_gap or gap, [piece]))
            else:
                found[-1][1].extend((gap, piece))
            starts = False
        gap, after_heading = "\n", heading
    return [Chunk(before, "".join(parts)) for before, parts in found]


def _begins(text: str) -> bool:
    """Whether a text begins with a label that is not just a note on what stands before it."""
    return label_of(text) not in (None, "note") or is_cancelled(text)


def _sentences(line: str) -> list[tuple[str, str]]:
    """A line, or its parts of which each but the first begins with a label; each behind the blanks before it."""
    cuts = [found for found in _SENTENCE.finditer(line) if _begins(line[found.end() : found.end() + LABEL_CHARACTERS])]
    starts, ends = [0, *(cut.end() for cut in cuts)], [*(cut.start() for cut in cuts), len(line)]
    gaps = ["", *(cut[0] for cut in cuts)]
    return [(gap, line[start:end]) for gap, start, end in zip(gaps, starts, ends, strict=True)]


def _filed(kind: BankType, text: str, target: Target | None) -> list[tuple[Category, str]]:
    """The parts of a text that go to one place each, and what they are about; all of it where a target names one."""
    if target is not None and target.section is not None:
        return [(_own(text) or "note", text)] if text else []
    runs: list[tuple[Category, list[str]]] = []
    for part in _parts(kind, text, target):
        category: Category = part.category or "note"
        category_before, run = runs[-1] if runs else (category, [])
        begins = part.begins or (bool(run) and _is_loose(run[0]) and _is_loose(part.text))
        is_apart = begins and not (target is not None and target.replaces)
        if run and not is_apart and _place(kind, category_before, target) == _place(kind, category, target):
            run += (part.gap, part.text)
        else:
            runs.append((category, [part.text]))
    return [(category, "".join(run)) for category, run in runs]


def _is_loose(text: str) -> bool:
    """Whether a text is an item of a list without numbers, which is an entry of its own."""
    return is_item(text) and not text.lstrip()[0].isdigit()


class _Above:
    """What headings and labels say of what stands below them: a heading of all up to the next one of its level, a label
    alone of the next paragraph, or of all items of a list, one before other words of the items right below."""

    def __init__(self, kind: BankType) -> None:
        self._kind = kind
        self._level = 0  # of the last heading that says something
        self._heading: Category | None = None
        self._label: Category | None = None
        self._is_alone = False  # the label, and nothing has come below it yet

    @property
    def topic(self) -> Category | None:
        return self._label or self._heading

    def title_of(self, chunk: Chunk, following: Chunk | None) -> str | None:
        """What a heading, a label alone or the line before a list says, which is so above; None for other chunks."""
        if (found := heading_in(chunk.text)) is not None:
            level, title = found
            category = _category_of_title(self._kind, title)
            if category is not None or level <= self._level:
                self._level, self._heading = level, category
            self._label = None
            return title
        if is_item(chunk.text):
            return None
        if label := bare_label(chunk.text):
            self._label, self._is_alone = topic_of(label), True
            return label
        is_line = chunk.text.endswith(":") and "\n" not in chunk.text and label_of(chunk.text) is None
        return chunk.text if is_line and following is not None and is_item(following.text) else None

    def topic_of(self, chunk: Chunk, following: Chunk | None) -> Category | None:
        """What is said above of a chunk that leads to nothing."""
        if is_item(chunk.text):
            self._is_alone = False
            return self.topic
        own = label_of(chunk.text)
        topic = self.topic if self._is_alone and own is None else self._heading
        self._label, self._is_alone = own if following is not None and following.gap == "\n" else None, False
        return topic


def _parts(kind: BankType, text: str, target: Target | None) -> list[_Part]:
    """The chunks of a text, in order, each with what it is about. What leads goes with the first that it leads to."""
    parts: list[_Part] = []
    above = _Above(kind)
    begins = leads = False  # what comes next stands below a title that was left out, or below what leads to it
    every = chunks(text)
    for chunk, following in zip_longest(every, every[1:]):
        title = above.title_of(chunk, following)
        if title is None:
            topic = above.topic_of(chunk, following)
            parts.append(_Part(chunk.gap, chunk.text, _category(kind, chunk.text, topic, target), begins))
            begins = leads = False
        elif above.topic is not None and folded(title) == folded(_place(kind, above.topic, target)[1]):
            begins = not leads
        else:
            parts.append(_Part(chunk.gap, chunk.text, None if following is not None else above.topic, not leads))
            begins, leads = False, True
    for part, next_part in reversed(list(pairwise(parts))):
        part.category = part.category or next_part.category
    return parts


def _category(kind: BankType, text: str, context: Category | None, target: Target | None) -> Category:
    """What a chunk is about under a heading or label: that, but for one of `STATES` that leaves another."""
    own = _own(text)
    if context is None or own is None:
        return own or context or "note"
    leaves = context in APART and own in STATES and (target is None or PLACES[kind][own][0] == target.file)
    is_box = own == "next" and label_of(text[behind_box(text) :]) is None  # open, as that of a question may be
    return own if leaves and not (is_box and context not in ("done", "focus")) else context


def _decided(kind: BankType, text: str, category: Category, target: Target | None) -> Decision:
    file, section = _place(kind, category, target)
    return Decision("append", file, text, metadata_of(text, section_title(section), category))


def _place(kind: BankType, category: Category, target: Target | None) -> tuple[str, str]:
    """The file and the section for what is about something, those that a target names first."""
    file, section = PLACES[kind][category]
    if target is None:
        return file, section
    fits = section in sections_of(kind, target.file)
    return target.file, target.section or (section if fits else default_section(kind, target.file))


def _is_for(kind: BankType, category: Category, target: Target) -> bool:
    """Whether something says which section of the file that a target names content is for."""
    known = sections_of(kind, target.file)
    return target.section is not None or len(known) < 2 or PLACES[kind][category][1] in known


def _category_of_title(kind: BankType, title: str) -> Category | None:
    """What stands under a heading that is the title of a section, or a label."""
    places = {folded(section): category for category, (_, section) in reversed(PLACES[kind].items())}
    return places.get(folded(title)) or topic_of(title)


def _own(text: str) -> Category | None:
    """What a text says of itself: by the box or the label that it begins with, by "…: done" behind it, or by asking and
    doing nothing else."""
    label, box = label_of(text[behind_box(text) :] if box_of(text) else text), box_of(text)
    if box == "ticked":
        return "done"
    if box == "open" or label is not None:
        return "next" if label is None else label
    bare = text.strip(_AROUND)
    if "\n" not in bare and without_done(bare) != bare:
        return "done"
    asks = bool(bare) and all(map(ends_with_question_mark, split_sentences(_TAG.sub("", text[:SHOWN]).strip())))
    return "question" if asks and not is_row(text) else None
