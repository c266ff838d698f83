"""Which items of a list belong somewhere else than those around them? What is open is not done, nor the reverse."""

from functools import lru_cache

from memory.banks.labels import is_label, label_of, leads_to_list
from memory.banks.lists import Item, behind_box, box_of, is_ordered, outline
from memory.banks.markdown import paragraphs
from memory.banks.topics import category_of
from memory.banks.types import OPEN_SECTIONS, PLACES, BankType, Category, Place
from memory.banks.undone import is_undone
from memory.language.left_open import OPEN
from utils.text import cut_at_word

CRUMB = 60  # characters of what an item stands under that go along with it
OPEN_KINDS = ("next", "issue")  # of what is left to be done, wherever it is kept
STATES = (*OPEN_KINDS, "done", "decision", "question")  # that something is in, whatever it is about
SETTLED: tuple[Category, ...] = ("done", "decision")
SORTED = OPEN_SECTIONS | {"Done", "Decisions"}  # sections whose items are in one of them


def list_parts(kind: BankType, text: str) -> list[str]:
    """A list's items one by one, each with those within it but for such as say by a box or a label that they belong
    elsewhere; these follow it, with its words before theirs. Text before a list goes with its items in the same way.
    Steps in numbers whose items say nothing of the kind stay one part, as does a text without a list."""
    before, roots = outline(text)
    if not roots:
        return [text]
    if before:
        return _apart(kind, Item(before, -1, roots), None, leads_to_list(text))
    if is_ordered(text) and not any(_said(one) for root in roots for one in _all(root)):
        return [text]
    return [part for root in roots for part in _apart(kind, root, None)]


def headed_parts(kind: BankType, block: str, place: Place) -> list[str]:
    """What stands under a heading that names a section (`place`), and behind it, one by one, the paragraphs that say by
    a label, and the items that say by a box or a label, that they are done, decided or open, where that is another
    section; nothing of it stays where all of them do. Only what is done, decided or to be done is told apart so."""
    if place[1] not in SORTED:
        return [block]
    heading, _, body = block.partition("\n")
    around = next(category for category, there in PLACES[kind].items() if there == place)
    kept: list[str] = []
    taken: list[str] = []
    for paragraph in _with_what_is_further_in(paragraphs(body)):
        before, roots = outline(paragraph)
        label = label_of(paragraph) if before and (roots or not is_label(paragraph)) else None
        if label in STATES and not _together(kind, around, label):
            taken.append(paragraph)
            continue
        stays = list(before)
        for root in roots:
            said = _said(root)
            first, *others = _apart(kind, root, around)
            leaves = said in STATES and not _together(kind, around, said)
            (taken if leaves else stays).append(first)
            taken += others
        kept += ["\n".join(stays)] if stays else []
    if not taken:
        return [block]
    return [f"{heading}\n" + "\n\n".join(kept), *taken] if kept else taken


def _with_what_is_further_in(found: list[str]) -> list[str]:
    """Paragraphs, each with those after it that stand further right, as what belongs to an item does."""
    whole: list[list[str]] = []
    for paragraph in found:
        if whole and paragraph[:1] in (" ", "\t"):
            whole[-1].append(paragraph)
        else:
            whole.append([paragraph])
    return ["\n\n".join(parts) for parts in whole]


def _apart(kind: BankType, item: Item, around: Category | None, by_words: bool = False) -> list[str]:
    """An item as it stays, first, unless nothing of it does, and what is taken out of it. `around`: what it stands
    under is about; `by_words`: what says in any words that it is open leaves what is done or decided, too."""
    mine = _said(item) or around or category_of("\n".join(item.lines + _unsaid(item, by_words)))
    apart = item.indent < 0 and _said(item) is not None and not by_words  # no line that leads to the list
    kept = Item(list(item.lines), item.indent)
    taken: list[str] = []
    for child in item.children:
        theirs = _said(child)
        if theirs is None and by_words and _leaves_open(mine, child):
            theirs = category_of("\n".join(child.lines))
        first, *others = _apart(kind, child, theirs or mine, by_words)
        if theirs is None or _together(kind, mine, theirs, apart):
            kept.lines.append(first)
        else:
            taken.append(_under(item, first))
        taken += others
    if taken and len(kept.lines) == 1 and _is_only_a_heading(item):
        return taken
    return [kept.text, *taken]


def _said(item: Item) -> Category | None:
    """What an item itself says that it is about, by its box or its label."""
    return _said_by(item.lines[0].lstrip())


@lru_cache(maxsize=1_024)  # each is asked for several times, one soon after the other
def _said_by(line: str) -> Category | None:
    return category_of(line) if box_of(line) is not None else label_of(line)


def _unsaid(item: Item, by_words: bool = False) -> list[str]:
    """The lines of the items within one that do not say what they are about, nor, `by_words`, that they are open."""
    unsaid = [child for child in item.children if _said(child) is None]
    said = [one for one in unsaid if not (by_words and any(_leaves_open(around, one) for around in SETTLED))]
    return [line for child in said or unsaid for line in (*child.lines, *_unsaid(child, by_words))]


def _leaves_open(around: Category, item: Item) -> bool:
    """Whether an item among what is done, or decided, says that it is not."""
    line = item.lines[0]
    return (around == "done" and is_undone(line)) or (around == "decision" and OPEN.search(line) is not None)


def _all(item: Item) -> list[Item]:
    return [item, *(one for child in item.children for one in _all(child))]


def _together(kind: BankType, one: Category, other: Category, apart: bool = False) -> bool:
    """Whether two stand in one place, or are both left to be done, which will do unless they are to be `apart`."""
    same = PLACES[kind][one] == PLACES[kind][other]
    return same or (not apart and one in OPEN_KINDS and other in OPEN_KINDS)


def _is_only_a_heading(item: Item) -> bool:
    """Whether all that an item says goes along with those that were taken out of it, or is a label for them."""
    line = item.lines[0].strip()
    return is_label(line) or (_said(item) is None and 0 < len(_words(item)) < CRUMB)


def _words(item: Item) -> str:
    """What an item says, as it stands before those that were within it; nothing where it is a label, or a text that
    does not lead to a list."""
    line = item.lines[0].strip()
    if label_of(line) is not None or (item.indent < 0 and not (len(item.lines) == 1 and line.endswith(":"))):
        return ""
    return cut_at_word(line[behind_box(line) :].rstrip(" \t:"), CRUMB)


def _under(item: Item, text: str) -> str:
    """A part that was taken out of an item, as it stands by itself: further left, and where it has a box, with the
    item's words."""
    lines = text.split("\n")
    indent = len(lines[0]) - len(lines[0].lstrip())
    lines = [line[min(indent, len(line) - len(line.lstrip())) :] for line in lines]
    at, words = behind_box(lines[0]), _words(item)
    if words and box_of(lines[0]) is not None:
        lines[0] = f"{lines[0][:at]}{words} › {lines[0][at:]}"
    return "\n".join(lines).rstrip("\n")
