"""Filing by rules: which file and section of a bank new content goes to.

Content says it itself: by lines that name a file, by headings and labels that name a section, by the boxes of check
lists. Whatever says nothing of the kind goes to the notes, as it stands: nothing is lost, and nothing is guessed.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, replace

from memory.banks.decisions import CRITICAL, MOST_FOUND, Append, Decision, Metadata, Replace, both, section_title
from memory.banks.labels import is_label, label_of, labelled, topic_of, without_done
from memory.banks.lists import Item, behind_box, box_of, is_item, is_ordered, outline
from memory.banks.markdown import blocks, folded, is_row, paragraphs, title_in
from memory.banks.targets import Target, is_misunderstood, is_target, target_in
from memory.banks.types import PLACES, BankType, Category, default_section, sections_of
from utils.sentences import split_sentences
from utils.text import cut_at_word, ends_with_question_mark

SHOWN = 4_000  # characters of a block in which references are looked for
CRUMB = 80  # characters that an item keeps of what it stood under
STATES = frozenset({"done", "next", "issue", "decision", "question"})  # of which one leaves the heading of another
APART = STATES | {"focus"}

_AROUND = " \t*_~`.!"
_TAG = re.compile(r"\[(critical|important|decision|idea|risk|blocked|question)\]", re.IGNORECASE)
_HASHTAG = re.compile(r"(?<![\w&/#])#([A-Za-z][\w-]{1,40})\b")
_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_REFERENCE = re.compile(
    r"https?://[^\s<>()\"'`]{4,200}|(?<![\w/])#\d{1,7}\b|\b[A-Z][A-Z0-9]{1,9}-\d{1,6}\b|(?<![\w/:.-])(?:[\w.-]++/)++[\w-]++\.\w{1,8}\b"
)


def decide_by_rules(kind: BankType, content: str) -> list[Decision]:
    """Where each part of a text belongs, in order; parts one after the other that belong together are one. A line that
    names a file (`decisions.md:`, `[file: notes.md > Ideas]`, `## progress.md`) says it for all that follows; a file
    that is not there yet is made. Nothing of the text is left out but such lines."""
    runs: list[_Run] = []
    target: Target | None = None
    for block in _together(blocks(content, is_target)):
        first, _, rest = block.partition("\n")
        if (named := target_in(first)) is not None:
            target, said = named
            block = "\n".join(part for part in (said, rest) if part.strip()).strip("\n")
        elif is_misunderstood(first):
            target = None  # nobody knows which, but another than the last
        whole = target is not None and (target.section is not None or target.replaces)
        for part, category in _parts(kind, block, target.file if target else None, whole=whole) if block else ():
            decision = _decided(kind, part, category, target)
            if runs and isinstance(decision, Append) and runs[-1].takes(decision):
                runs[-1].add(decision)
            else:
                runs.append(_Run(decision, [decision.content]))
    return [run.whole() for run in runs]


def section_for(kind: BankType, file: str, content: str) -> str:
    """The section of a file where content belongs that names the file and no section of it."""
    [(_, category)] = _parts(kind, content, whole=True)
    return _decided(kind, content, category, Target(file, None, False)).metadata.section


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


def _decided(kind: BankType, part: str, category: Category, target: Target | None) -> Decision:
    file, section = PLACES[kind][category]
    if target is not None:
        title, body = title_in(part)
        known = sections_of(kind, target.file)
        told = target.section or _known_section(title, known) or (section if section in known else None)
        file, section = target.file, told or default_section(kind, target.file)
        if target.replaces and (told or len(known) < 2) and folded(section) not in target.replaced:
            target.replaced.add(folded(section))
            said = body if body.strip() and title and folded(title) == folded(section) else part
            return Replace(file, said, metadata_of(part, section_title(section), category))
    return Append(file, part, metadata_of(part, section_title(section), category))


def _known_section(title: str, sections: Collection[str]) -> str | None:
    return next((one for one in sections if title and folded(one) == folded(title)), None)


def _together(found: list[str]) -> list[str]:
    """Blocks, where a label that stands alone is one with the block after it, or with all items of a list; and a table
    with the paragraph before it, which says what it is."""
    whole: list[list[str]] = []
    is_listed = False
    for block in found:
        before = whole[-1] if whole else [""]
        first = block.partition("\n")[0]
        is_bare = not title_in(block)[0] and not is_target(first)
        follows = is_bare and len(before) == 1 and is_label(before[0]) and (is_item(block) or label_of(block) is None)
        is_listed = is_item(block) and (follows or (is_listed and label_of(block) is None))
        of_table = is_row(block) and before[-1] and not (is_item(before[-1]) or title_in(before[-1])[0])
        if follows or is_listed or of_table or (block[0].isspace() and is_item(before[0])):
            before.append(block)
        else:
            whole.append([block])
    return ["\n\n".join(parts) for parts in whole]


def _parts(kind: BankType, block: str, file: str | None = None, *, whole: bool) -> list[tuple[str, Category]]:
    """A block, or what labels and boxes in it send to other places; what is behind the heading of a section leaves it
    only where one of `STATES` leaves another. The heading stays with the first of what is under it. `file`: into
    whose sections all goes; `whole`: nothing leaves."""
    title, body = title_in(block)
    headed = _category_of_title(kind, title)

    def leaves(category: Category) -> bool:
        return file is None or PLACES[kind][category][0] == file

    if whole or (headed is not None and headed not in APART):
        return [(block, headed or _own(block) or "note")]
    found = [
        (text, own if own is not None and (headed is None or own in STATES) and leaves(own) else headed or "note")
        for paragraph in _together(paragraphs(body))
        for part in labelled(paragraph)
        for text, own in _listed(kind, part, headed)
    ]
    places = [PLACES[kind][category] for _, category in found]
    home = PLACES[kind][headed] if headed is not None else None
    if len({*places} | ({home} if home else set())) < 2:
        is_loose = is_item(block) and not is_ordered(block)  # of which each item is an entry of its own
        return found if is_loose else [(block, found[0][1] if found else headed or "note")]
    is_section = home is not None and folded(home[1]) == folded(title)
    if title and not (is_section and home not in places):  # the title of a section stands there already
        at = places.index(home) if home in places else 0
        found[at] = (f"{block.partition(chr(10))[0]}\n\n{found[at][0]}", found[at][1])
    return found


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


def _listed(kind: BankType, part: str, headed: Category | None) -> list[tuple[str, Category | None]]:
    """A part, or its runs of items that belong to one place, each item with those within it but for such as a box or a
    label sends elsewhere: these stand by themselves, with the words that they stood under."""
    before, roots = outline(part)
    said = "\n".join(before).strip()
    if not roots:
        return [(part, _own(part))]
    lead = _own(said) if said else None
    under = said[:-1] if said.endswith(":") and "\n" not in said and lead is None else ""
    groups: list[tuple[Category | None, list[str]]] = [(lead, list(before))] if said else []
    for root in roots:
        lines, own, taken = _apart(kind, root, (lead if is_label(said) else None) or headed, "")
        category = own if own is not None else lead
        if lines and under and category is not None:
            lines = _under(lines, cut_at_word(under, CRUMB))
        stays = lead is not None and category is not None and PLACES[kind][category] == PLACES[kind][lead]
        if lines and groups and (stays or (groups[-1][0] == category and (said or is_ordered(part)))):
            groups[0 if stays else -1][1].extend(lines)
        elif lines:
            groups.append((category, lines))
        groups += taken
    if len(groups) > 1 and said and groups[0][1] == before and (under or is_label(said)):
        del groups[0]  # it only led to a list of which all is elsewhere
    return [("\n".join(lines).strip("\n"), category) for category, lines in groups]


def _apart(
    kind: BankType, item: Item, around: Category | None, under: str
) -> tuple[list[str], Category | None, list[tuple[Category | None, list[str]]]]:
    """What stays of an item, what it says of itself, and what leaves it. Of one that only leads to what leaves it
    nothing stays."""
    first = item.lines[0].strip()
    own = _own(first)
    if own == "next" and label_of(first[behind_box(first) :]) is None and around not in (None, "done", "note", "focus"):
        own = None  # its box is open, as that of a question may be
    here = own or around
    words = cut_at_word(first[behind_box(first) :].rstrip(" \t:"), CRUMB) if label_of(first) is None else ""
    crumbs = " › ".join(filter(None, (under, words)))
    lines = list(item.lines)
    taken: list[tuple[Category | None, list[str]]] = []
    stays = not item.children or own is not None or len(item.lines) > 1
    for child in item.children:
        kept, category, left = _apart(kind, child, here, crumbs)
        if category is not None and PLACES[kind][category] != PLACES[kind][here or "note"]:
            taken.append((category, _under(kept, crumbs)))
        else:
            lines += kept
            stays = stays or bool(kept)
        taken += left
    return lines if stays else [], own, taken


def _under(lines: list[str], crumbs: str) -> list[str]:
    """Lines of an item further left, with the words that it stood under."""
    indent = len(lines[0]) - len(lines[0].lstrip()) if lines else 0
    moved = [line[min(indent, len(line) - len(line.lstrip())) :] for line in lines]
    at = behind_box(moved[0]) if moved else 0
    return [f"{moved[0][:at]}{crumbs} › {moved[0][at:]}" if crumbs else moved[0], *moved[1:]] if moved else []
