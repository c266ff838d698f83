"""How is a bank that has grown too large made small again by rules? What matters least and is oldest goes first.

What goes stays in the history: a line in the file says in which version. The order is that of the banks' document:
what is tagged as critical stays, then architecture before implementation before discussion, newer before older.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from config.recipes import BankRecipe
from memory.bank_markdown import Page, Section, items, joined, paragraphs, parse, render, time_of
from memory.bank_rules import is_critical
from memory.bank_types import BankType, Weight, sections_of, weight_of
from utils.text import count_tokens, cut_at_word, split_sentences

WEIGHTS: dict[Weight, float] = {"architecture": 3.0, "implementation": 2.0, "discussion": 1.0}
HALF_LIFE_DAYS = 14.0  # after which an item counts half
UNDATED = 0.5  # what an item counts that does not say when it was stored: somebody wrote it into the file itself
GIST_CHARACTERS = 160  # of an item that goes, what is left of it where there is room
LONG = 400  # tokens of an item from which on its paragraphs are weighed one by one
LINE = 24  # tokens of the line that says where the rest is
LATER = 1e-6  # what an item counts more than the one before it, all else being equal
NOTE = "_Condensed on"  # how the line begins that says where the rest is


Spot = tuple[str, int, int, int]  # a file, a section (-1: before the first), an item of it, a part of that


@dataclass(frozen=True)
class _Part:
    """An item, or of a long one a paragraph. What ranks higher stays longer. `heading`: tokens of the heading above it,
    where that goes with what stands under it."""

    spot: Spot
    text: str
    tokens: int
    heading: int
    rank: tuple[bool, float]


def tokens_of(files: Mapping[str, str]) -> int:
    """Tokens of a bank, roughly."""
    return sum(map(count_tokens, files.values()))


def condense(
    kind: BankType, files: Mapping[str, str], version: int, moment: datetime, recipe: BankRecipe
) -> dict[str, str]:
    """The files with at most `recipe.most` tokens, and about `recipe.target` of them. `version`: the one that has what
    goes. O(n log n) in items."""
    pages = {name: parse(text) for name, text in files.items()}
    frames = {name: _frame(kind, name, page) for name, page in pages.items()}
    every = [part for name, page in pages.items() for part in _parts(kind, name, page, moment)]
    left = recipe.target - tokens_of({name: render(page) for name, page in frames.items()}) - LINE * len(pages)
    kept: dict[Spot, str] = {}
    gone: list[_Part] = []
    headed: set[tuple[str, int]] = set()
    for part in sorted(every, key=lambda one: one.rank, reverse=True):
        cost = part.tokens + (part.heading if part.spot[:2] not in headed else 0)
        if cost <= left:
            left -= cost
            kept[part.spot] = part.text
            headed.add(part.spot[:2])
        else:
            gone.append(part)
    left += recipe.most - recipe.target
    told: Counter[str] = Counter()
    for part in gone:
        short = shortened(part.text)
        cost = count_tokens(short) + 1 + part.heading
        if part.spot[3] == 0 and cost <= left:
            left -= cost
            kept[part.spot] = short
        told[part.spot[0]] += 1
    return {
        name: _told(_filled(name, frames[name], page, kept), told[name], version, moment)
        for name, page in pages.items()
    }


def shortened(item: str) -> str:
    """The beginning of an item, in one line, with its time."""
    stamp = time_of(item)
    head, _, rest = item.partition("\n")
    said = rest if item.startswith("### ") and rest.strip() else head
    lines = [line for line in said.split("\n") if line.strip() and not line.lstrip().startswith(("#", "```", "~~~"))]
    sentences = split_sentences(lines[0]) if lines else []
    words = (sentences[0] if sentences else said.strip()).removeprefix("- ")
    if stamp is not None and words.startswith(f"{stamp:%Y-%m-%d %H:%M}"):
        words = words[16:].lstrip()
    text = cut_at_word(words, GIST_CHARACTERS)
    return f"- {stamp:%Y-%m-%d %H:%M} {text}" if stamp is not None else f"- {text}"


def _frame(kind: BankType, name: str, page: Page) -> Page:
    """What stays of a page in any case: its title, the line below that, and the headings that such a file begins
    with."""
    lead = [one for one in items(page.lead)[:2] if one.startswith("# ") or _is_remark(one)]
    titles = sections_of(kind, name)
    return Page("\n\n".join(lead), tuple(Section(one.title, "") for one in page.sections if one.title in titles))


def _is_remark(item: str) -> bool:
    return item.startswith("_") and item.endswith("_") and len(item) <= GIST_CHARACTERS


def _parts(kind: BankType, name: str, page: Page, moment: datetime) -> list[_Part]:
    found: list[_Part] = []
    frame = items(_frame(kind, name, page).lead)
    titles = sections_of(kind, name)
    lead = joined([one for one in items(page.lead) if one not in frame and not one.startswith(NOTE)])
    for number, section in enumerate([Section("", lead), *page.sections], -1):
        weight = WEIGHTS[weight_of(kind, name, section.title)]
        heading = 0 if section.title in titles or number < 0 else count_tokens(section.title) + 2
        for place, item in enumerate(items(section.body)):
            critical, stamp = is_critical(item), time_of(item)
            days = (moment - stamp).total_seconds() / 86_400 if stamp is not None else 0.0
            recent = UNDATED if stamp is None else 0.5 ** (max(0.0, days) / HALF_LIFE_DAYS)
            worth = weight * (0.25 + 0.75 * recent) + place * LATER
            for at, text in enumerate(_paragraphs(item)):
                rank = (critical and (at == 0 or is_critical(text)), worth - at * LATER / 100)
                found.append(_Part((name, number, place, at), text, count_tokens(text) + 1, heading, rank))
    return found


def _paragraphs(item: str) -> list[str]:
    """An item, or the parts of a long one."""
    if count_tokens(item) <= LONG:
        return [item]
    head, _, rest = item.partition("\n\n")
    parts = [head, *paragraphs(rest)] if item.startswith("### ") and rest else paragraphs(item)
    cut: list[str] = []
    for part in parts:
        if count_tokens(part) <= LONG or "```" in part or "~~~" in part:
            cut.append(part)
            continue
        for sentence in split_sentences(part):
            pieces = [sentence[at : at + 3 * LONG] for at in range(0, len(sentence), 3 * LONG)]
            if cut and cut[-1] not in parts and count_tokens(cut[-1]) + count_tokens(sentence) <= LONG:
                cut[-1] = f"{cut[-1]} {sentence}"
            else:
                cut += pieces
    return cut


def _filled(name: str, frame: Page, page: Page, kept: Mapping[Spot, str]) -> Page:
    """The frame of a page with what is kept of the page."""
    bodies: dict[int, list[str]] = {}
    for (file, section, _, _), text in sorted(kept.items()):
        if file == name:
            bodies.setdefault(section, []).append(text)
    sections = tuple(
        Section(one.title, joined(bodies.get(at, [])))
        for at, one in enumerate(page.sections)
        if at in bodies or Section(one.title, "") in frame.sections
    )
    line = next((one for one in items(page.lead) if one.startswith(NOTE)), "")
    return Page("\n\n".join(part for part in (frame.lead, line, *bodies.get(-1, [])) if part), sections)


def _told(page: Page, gone: int, version: int, moment: datetime) -> str:
    """A page with a line at its beginning that says where the rest is; that of before where nothing went."""
    if not gone:
        return render(page)
    many = "1 entry" if gone == 1 else f"{gone} entries"
    line = f"{NOTE} {moment:%Y-%m-%d}: {many} shortened or left out; version {version} has all of it._"
    lead = [one for one in items(page.lead) if not one.startswith(NOTE)]
    return render(Page("\n\n".join([*lead[:2], line, *lead[2:]]), page.sections))
