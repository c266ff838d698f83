"""Condensing by rules: what matters least and is oldest goes from a bank that has grown too large.

What goes stays in the history: a line in the file says in which versions. The order is that of the banks' document:
what is tagged as critical goes last, before it what is left to be done; of the others architecture stays before
implementation before discussion, newer before older. The more of a section stays, the less the next older part of it
counts, so that each section keeps its newest.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from config.recipes import BankRecipe
from memory.banks.decisions import CRITICAL
from memory.banks.filing import chunks, is_critical
from memory.banks.labels import UNTICKED, box_of, label_of
from memory.banks.markdown import (
    TITLE_CHARACTERS,
    Page,
    Section,
    all_sections,
    is_note,
    items,
    joined,
    lead_of,
    paragraphs,
    parse,
    render,
    time_of,
    tokens_of,
    without_time,
)
from memory.banks.omissions import note_in, with_note
from memory.banks.types import OPEN_KINDS, OPEN_SECTIONS, BankType, Weight, sections_of, weight_of
from utils.sentences import split_sentences
from utils.text import count_tokens, cut_at_word

WEIGHTS: dict[Weight, float] = {"architecture": 3.0, "implementation": 2.0, "discussion": 1.0}
HALF_LIFE_DAYS = 14.0  # after which an item counts half
UNDATED = 0.5  # what an item counts that does not say when it was stored: somebody wrote it into the file itself
GIST_CHARACTERS = 160  # of an item that goes, what is left of it where there is room
LONG = 400  # tokens of an item from which on its paragraphs are weighed one by one
SHARE = 1_000  # tokens of a section after which what is older in it counts half
NEWEST = 150  # tokens of a section that count three times, so that none is left without its newest
LEFT = 1 / 2  # of what stays whole, at most, for what is left to be done: of a bank that has more, the newest
SHORT = 1 / 6  # of the target, for the beginnings of what goes
LINE = 52  # tokens of the line that says where the rest is, at most
LATER = 1e-6  # what an item counts more than the one before it, all else being equal


@dataclass(frozen=True)
class _Passage:
    """An entry, or of a long one a paragraph. `spot`: its file, section (-1: before the first), entry there, and part
    of that; `opening`: the heading of a long entry; `heading`: tokens of the section's heading, where that goes with
    what stands under it; `left`: something is left to be done. What is worth more stays longer."""

    spot: tuple[str, int, int, int]
    opening: str
    text: str
    tokens: int
    heading: int
    critical: bool
    left: bool
    worth: float

    @property
    def section(self) -> tuple[str, int]:
        return self.spot[:2]

    @property
    def entry(self) -> tuple[str, int, int]:
        return self.spot[:3]

    @property
    def whole(self) -> str:
        return f"{self.opening}\n\n{self.text}" if self.opening else self.text

    @property
    def rank(self) -> tuple[bool, bool, float]:
        return self.critical, self.left, self.worth


@dataclass
class _Selection:
    """What stays, each part as some text. `spent`: tokens of all of it."""

    spent: int
    texts: dict[_Passage, str] = field(default_factory=dict)

    def takes(self, part: _Passage, text: str, limit: int) -> bool:
        """Keeps a part as this text, unless there would be more than `limit` tokens."""
        cost = count_tokens(text) + 1 + part.heading
        if self.spent + cost > limit:
            return False
        self.spent += cost
        self.texts[part] = text
        return True


def condense(
    kind: BankType, files: Mapping[str, str], version: int, moment: datetime, recipe: BankRecipe
) -> dict[str, str]:
    """The files with at most `recipe.target` tokens, or with what is critical in them `recipe.most`. `version`: the one
    that has what goes. O(n log n) in entries."""
    pages = {name: parse(text) for name, text in files.items()}
    frames = {name: _frame(kind, name, page) for name, page in pages.items()}
    kept = _Selection(tokens_of({name: render(page) for name, page in frames.items()}) + LINE * len(pages))
    whole = recipe.target - round(SHORT * recipe.target)
    parts = [part for name, page in pages.items() for part in _parts(kind, name, page, moment)]
    full: set[tuple[str, int]] = set()  # sections of which nothing older stays than what went
    gone: list[_Passage] = []
    for part in _weighed(parts, round(LEFT * whole)):
        limit = recipe.most if part.critical else whole
        if (part.critical or part.left or part.section not in full) and kept.takes(part, part.whole, limit):
            continue
        if part.tokens <= LONG:
            full.add(part.section)
        gone.append(part)
    left_out = dict.fromkeys(files, 0)
    stay = {part.entry for part in kept.texts}
    for part in gone:
        short = shortened(part.whole)
        limit = recipe.most if part.critical else recipe.target
        if part.spot[3] or part.entry in stay or not kept.takes(part, short, limit) or short != part.text:
            left_out[part.spot[0]] += 1
    filled = {name: _filled(name, frames[name], page, kept) for name, page in pages.items()}
    return {
        name: render(with_note(page, note_in(page), left_out[name], version, moment)) for name, page in filled.items()
    }


def _weighed(parts: list[_Passage], most: int) -> list[_Passage]:
    """The parts, what is worth most first: each the less, the more of its section is newer. Those that are left to be
    done have no more than `most` tokens; what is older than these counts as others do."""
    newer: Counter[tuple[str, int]] = Counter()
    spent, full = 0, False
    found: list[_Passage] = []
    for part in sorted(parts, key=lambda passage: passage.rank, reverse=True):
        before = newer[part.section]
        newer[part.section] += part.tokens
        fits = spent + part.tokens <= most
        left = part.left and not part.critical and not full and fits
        full = full or (part.left and not fits and part.tokens <= LONG)
        spent += part.tokens if left else 0
        worth = part.worth * (3 if before < NEWEST else 1) / (1 + before / SHARE)
        found.append(replace(part, left=left, worth=worth))
    return sorted(found, key=lambda passage: passage.rank, reverse=True)


def shortened(item: str) -> str:
    """The beginning of an item, in one line, with its time."""
    stamp, said = time_of(item), without_time(item).strip()
    lines = [line for line in said.split("\n") if line.strip() and not line.lstrip().startswith(("#", "```", "~~~"))]
    sentences = split_sentences(lines[0]) if lines else []
    words = (sentences[0] if sentences else said.lstrip("#").lstrip()).removeprefix("- ")
    text = cut_at_word(words, GIST_CHARACTERS)
    return f"- {stamp:%Y-%m-%d %H:%M} {text}" if stamp is not None else f"- {text}"


def _frame(kind: BankType, name: str, page: Page) -> Page:
    """What stays of a page in any case: its title, the line below that, and the headings that such a file begins
    with."""
    stays, _ = lead_of(page)
    titles = sections_of(kind, name)
    return Page(
        "\n\n".join(stays), tuple(Section(section.title, "") for section in page.sections if section.title in titles)
    )


def _parts(kind: BankType, name: str, page: Page, moment: datetime) -> list[_Passage]:
    found: list[_Passage] = []
    titles = sections_of(kind, name)
    for number, section in enumerate(all_sections(page), -1):
        weight = WEIGHTS[weight_of(kind, name, section.title)]
        heading = 0 if section.title in titles or number < 0 else count_tokens(section.title) + 2
        for place, entry in enumerate(items(section.body)):
            stamp = time_of(entry)
            days = (moment - stamp).total_seconds() / 86_400 if stamp is not None else 0.0
            recent = UNDATED if stamp is None else 0.5 ** (max(0.0, days) / HALF_LIFE_DAYS)
            worth = weight * (0.25 + 0.75 * recent) + place * LATER
            opening, texts = _paragraphs(entry)
            all_critical = texts[:1] == [f"[{CRITICAL}]"] or is_critical(opening)
            found += [
                _Passage(
                    (name, number, place, at),
                    opening,
                    text,
                    count_tokens(text) + count_tokens(opening) + 1,
                    heading,
                    all_critical or is_critical(text),
                    _is_left(text, section.title),
                    worth,
                )
                for at, text in enumerate(texts)  # of which the first stay longest
            ]
    return found


def _is_left(text: str, title: str) -> bool:
    """Whether something in an item of a section is left to be done: its label or a box that is not ticked says so, or
    its section does and it does not say that it is done."""
    said = without_time(text).strip()
    if UNTICKED.search(said) or any(label_of(chunk.text) in OPEN_KINDS for chunk in chunks(said)):
        return True
    return title in OPEN_SECTIONS and box_of(said) != "ticked" and label_of(said) != "done"


def _paragraphs(item: str) -> tuple[str, list[str]]:
    """An item, or the parts of a long one and before them the heading that it begins with. A time under which nothing
    stands has no parts."""
    first, _, rest = item.partition("\n")
    if time_of(item) is not None and not without_time(item).strip():
        return "", []
    if count_tokens(item) <= LONG:
        return "", [item]
    opening = first if first.startswith("### ") and len(first) <= TITLE_CHARACTERS and rest.strip() else ""
    cut: list[str] = []
    for part in paragraphs(rest if opening else item):
        if count_tokens(part) <= LONG or "```" in part or "~~~" in part:
            cut.append(part)
            continue
        before = len(cut)
        for sentence in split_sentences(part):
            if len(cut) > before and count_tokens(cut[-1]) + count_tokens(sentence) <= LONG:
                cut[-1] = f"{cut[-1]} {sentence}"
            else:
                cut += [sentence[at : at + 3 * LONG] for at in range(0, len(sentence), 3 * LONG)]
    return opening, cut


def _filled(name: str, frame: Page, page: Page, kept: _Selection) -> Page:
    """The frame of a page with what is kept of the page, each part under its heading, that of an entry once."""
    bodies: dict[int, list[str]] = {}
    opened: tuple[str, int, int] | None = None
    for part, text in sorted(kept.texts.items(), key=lambda kept_text: kept_text[0].spot):
        if part.spot[0] == name:
            bodies.setdefault(part.spot[1], []).append(part.text if part.entry == opened else text)
            opened = part.entry if text == part.whole else None
    sections = tuple(
        Section(section.title, joined(bodies.get(at, [])))
        for at, section in enumerate(page.sections)
        if at in bodies or Section(section.title, "") in frame.sections
    )
    line = next((item for item in items(page.lead) if is_note(item)), "")
    return Page("\n\n".join(part for part in (frame.lead, line, *bodies.get(-1, [])) if part), sections)
