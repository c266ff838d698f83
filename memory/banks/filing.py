"""Filing by rules: which file and section of a bank new content goes to.

Content says it itself: by lines that name a file, by headings and labels that name a section, by the boxes of check
lists. Whatever says nothing of the kind goes to the notes, as it stands: nothing is lost, and nothing is guessed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from memory.banks.decisions import CRITICAL, MOST_FOUND, Decision, Metadata, section_title
from memory.banks.labels import bare_label, is_cancelled, label_of, topic_of, without_done
from memory.banks.lists import behind_box, box_of, indent_of, is_item, is_ordered
from memory.banks.markdown import by_heading, folded, is_row, lines_in, title_in
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


@dataclass
class Chunk:
    """A paragraph, or an item of a list with all that stands within it. `gap`: the blanks between it and what stands
    before it."""

    gap: str
    text: str


@dataclass
class _Group:
    """Chunks, and what leads to them: `lead`, a line such as "Next steps:", which says that they are about `topic`."""

    lead: str = ""
    topic: Category | None = None
    chunks: list[Chunk] = field(default_factory=list)

    def takes(self, chunk: Chunk) -> bool:
        """Whether it speaks of what comes next: the paragraph, or all items of the list."""
        if is_item(chunk.text):
            return not (self.lead and self.chunks) or is_item(self.chunks[-1].text)
        return not (self.lead or self.topic) or (not self.chunks and label_of(chunk.text) is None)


@dataclass
class _Part:
    """A chunk, and what it is about. `begins`: it is no part of what stands before it."""

    gap: str
    text: str
    category: Category
    begins: bool = False


def decide_by_rules(kind: BankType, content: str) -> list[Decision]:
    """Where each part of a text belongs, in order; parts one after the other that belong together are one. A line that
    names a file (`decisions.md:`, `[file: notes.md > Ideas]`, `## progress.md`) says it for all that follows; a file
    that is not there yet is made. Nothing of the text is left out but such lines, and headings and labels that are
    the title of the section."""
    decisions: list[Decision] = []
    for target, text in divided(content):
        if target is not None and target.replaces:
            decisions += _replacing(kind, text, target)
        elif target is not None and target.section is not None:
            decisions += [_decided(kind, text, _own(text) or "note", target)] if text else []
        else:
            decisions += _filed(kind, text, target)
    if not decisions and content.strip():  # nothing but titles
        return [_decided(kind, content.strip(), "note", None)]
    return decisions


def section_for(kind: BankType, file: str, content: str) -> str:
    """The section of a file where content belongs that names the file and no section of it."""
    [(heading, body), *_] = by_heading(content)
    category = _category_of_title(kind, title_in(heading)[0]) or _own(body.strip()) or "note"
    return _place(kind, category, Target(file, None, replaces=False))[1]


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
    """The paragraphs of a text and the items of its outermost lists. A label begins one, also behind a sentence; code
    and tables stay with what stands before them. O(n)."""
    found: list[tuple[str, list[str]]] = []  # gaps, and what stands behind them
    margin: int | None = None  # at which the items of a list stand
    gap = "\n"
    for line, fenced, _ in lines_in(text):
        if not fenced and not line.strip():
            gap += "\n"
            continue
        is_prose = not (fenced or is_item(line) or is_row(line))
        indent = indent_of(line) if not fenced else 0
        if not fenced and is_item(line):
            starts = margin is None or indent <= margin
        else:
            goes_on = margin is not None and indent > 0
            starts = is_prose and not goes_on and (gap != "\n" or _begins(line))
        if starts or not found:
            margin = indent if not fenced and is_item(line) else None
        for piece_gap, piece in _sentences(line) if is_prose and margin is None else [("", line)]:
            if starts or piece_gap or not found:
                found.append((piece_gap or gap, [piece]))
            else:
                found[-1][1].extend((gap, piece))
            starts = False
        gap = "\n"
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


def _filed(kind: BankType, text: str, target: Target | None) -> list[Decision]:
    """What each part of a text says of its place. Items of a list without numbers are entries of their own."""
    runs: list[tuple[Category, list[str]]] = []
    for part in _parts(kind, text, target):
        category, run = runs[-1] if runs else (None, [""])
        same = category is not None and _place(kind, category, target) == _place(kind, part.category, target)
        if same and not part.begins and not (_is_loose(run[0]) and _is_loose(part.text)):
            run += (part.gap, part.text)
        else:
            runs.append((part.category, [part.text]))
    return [_decided(kind, "".join(run), category, target) for category, run in runs]


def _is_loose(text: str) -> bool:
    return is_item(text) and not is_ordered(text)


def _parts(kind: BankType, text: str, target: Target | None) -> Iterator[_Part]:
    """The chunks of a text, in order, each with what it is about, and the first of them with what leads to it."""
    headed: tuple[int, Category | None] = (0, None)  # the last heading that says something: its level, and what
    for heading, body in by_heading(text):
        title, level = title_in(heading)[0], len(heading.lstrip()) - len(heading.lstrip().lstrip("#"))
        if (category := _category_of_title(kind, title)) is not None or level <= headed[0]:
            headed = level, category
        under: list[_Part] = []
        for group in _groups(body):
            topic = group.topic or headed[1]
            parts = [_Part(one.gap, one.text, _category(kind, one.text, topic, target)) for one in group.chunks]
            is_title = _is_title(kind, bare_label(group.lead), topic, target)
            under += _led(parts, group.lead, topic, is_title=is_title)
        yield from _led(under, heading, headed[1], is_title=_is_title(kind, title, headed[1], target))


def _groups(text: str) -> list[_Group]:
    """The chunks of a text by what leads to them: a label alone, or a line that ends in a colon before a list."""
    groups = [_Group()]
    for chunk in chunks(text):
        group = groups[-1]
        last = group.chunks[-1] if group.chunks else None
        if not is_item(chunk.text) and (label := bare_label(chunk.text)):
            groups.append(_Group(chunk.text, topic_of(label)))
            continue
        if last is not None and is_item(chunk.text) and not is_item(last.text):
            topic = label_of(last.text)
            if topic is None and last.text.endswith(":") and "\n" not in last.text:
                group.chunks.pop()
                groups.append(_Group(last.text, group.topic))
            elif topic is not None and chunk.gap == "\n":
                group.chunks.pop()
                groups.append(_Group("", topic, [last]))
        if not groups[-1].takes(chunk):
            groups.append(_Group())
        groups[-1].chunks.append(chunk)
    return groups


def _is_title(kind: BankType, title: str, category: Category | None, target: Target | None) -> bool:
    """Whether a heading or a label is the title of the section where what it is about goes, and so stands there."""
    return category is not None and folded(title) == folded(_place(kind, category, target)[1])


def _led(parts: list[_Part], lead: str, category: Category | None, *, is_title: bool) -> list[_Part]:
    """Parts with what leads to them, a heading or a label, before the first that it speaks of."""
    if parts:
        parts[0].begins = True
    if not lead or is_title:
        return parts
    if not parts:
        return [_Part("\n", lead, category or "note", begins=True)]
    first = next((part for part in parts if part.category == category), parts[0])
    first.text, first.begins = f"{lead}{first.gap}{first.text}", True
    return parts


def _category(kind: BankType, text: str, context: Category | None, target: Target | None) -> Category:
    """What a chunk is about under a heading or label: that, but for one of `STATES` that leaves another."""
    own = _own(text)
    if context is None or own is None:
        return own or context or "note"
    leaves = context in APART and own in STATES and (target is None or PLACES[kind][own][0] == target.file)
    is_box = own == "next" and label_of(text[behind_box(text) :]) is None  # open, as that of a question may be
    return own if leaves and not (is_box and context not in ("done", "focus")) else context


def _replacing(kind: BankType, text: str, target: Target) -> Iterator[Decision]:
    """What takes the place of sections: of the one that the target names, or of each that a heading or a label does."""
    replaced: set[str] = set()
    for heading, body in by_heading(text) if target.section is None else [("", text)]:
        title = title_in(heading)[0]
        category = _category_of_title(kind, title) or _own(body.strip()) or "note"
        file, section = _place(kind, category, target)
        known = sections_of(kind, file)
        is_named = target.section is not None or len(known) < 2 or PLACES[kind][category][1] in known
        part = f"{heading}\n{body}" if folded(title) != folded(section) else body
        decision = _decided(kind, part.strip("\n"), category, target)
        if is_named and body.strip() and folded(section) not in replaced:
            replaced.add(folded(section))
            decision = replace(decision, operation="replace")
        if decision.content:
            yield decision


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
