"""The prompt of an answer: the platform document's order and truncation table, text by text; pure functions."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from itertools import islice
from typing import NamedTuple

from agents.chat.context import Bundle, Citation, Context, HistoryItem
from config.recipes import Cut, PromptTable
from memory.domain import Drop, Gist, Hit, KeyValue, Summary
from memory.facts import Fact
from memory.observations import Recalled
from memory.turns import LedgerEntry
from utils.text import content_stems, count_tokens, cut_at_word, ends_with_question_mark, on_one_line
from utils.thoughts import without_thoughts

QUOTE_MARK = re.compile(r"<(?=[\W_]{0,8}memory)", re.IGNORECASE)
_FOUND = ("memories", "observations", "known", "end", "similar")  # sections of what was found for the question
SAID_ANEW = "said otherwise since"
STATED = 16_000  # characters of a statement by which it is compared with others
NUMBERS = re.compile(r"\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\]")


@dataclass(frozen=True)
class PromptSection:
    name: str
    text: str


@dataclass(frozen=True)
class Prompt:
    """What a model is sent: a system message, and the sections in order as the user's message.

    `given`: the memories that stand in it, under their numbers; `told`: by their `_id`s, the hits that would, but for
    something that says the same, and whether the request brings that along.
    """

    system: str
    sections: tuple[PromptSection, ...]
    given: tuple[Citation, ...]
    told: Mapping[str, Drop] = field(default_factory=dict)

    @property
    def user(self) -> str:
        return "".join(section.text for section in self.sections)

    def ledger(self, total: int | None = None, *, beyond: int = 0) -> tuple[LedgerEntry, ...]:
        """What each section takes. The characters add up to the text that was sent, the tokens to `total`: the
        provider's count where it gave one, else the sum of the estimates. `beyond`: characters of tools, and of what
        was sent again after calls of them."""
        sections = [PromptSection("system", self.system), *self.sections]
        return ledger_of(sections, total, *([LedgerEntry("tools", beyond, -(-beyond // 4))] if beyond else []))


def ledger_of(sections: Sequence[PromptSection], total: int | None, *others: LedgerEntry) -> tuple[LedgerEntry, ...]:
    """What sections take, and what others do by an estimate; in tokens that add up to `total`, where there is one."""
    entries = [LedgerEntry(section.name, len(section.text), count_tokens(section.text)) for section in sections]
    entries += others
    tokens = [entry.tokens for entry in entries]
    shares = tokens if total is None else apportion(tokens, total)
    return tuple(replace(entry, tokens=share) for entry, share in zip(entries, shares, strict=True))


def apportion(weights: Sequence[int], total: int) -> list[int]:
    """`total` shared out in proportion to `weights`, in whole numbers that add up to it (largest remainder)."""
    whole = sum(weights)
    if not whole:
        return [total, *[0] * (len(weights) - 1)] if weights else []
    shares = [total * weight // whole for weight in weights]
    by_remainder = sorted(range(len(weights)), key=lambda i: (-(total * weights[i] % whole), i))
    for at in by_remainder[: total - sum(shares)]:
        shares[at] += 1
    return shares


def quoted(text: str, characters: int | None) -> str:
    """Text of others as data: on one line, cut, and unable to open or close a memory element."""
    return QUOTE_MARK.sub("&lt;", cut_at_word(text, characters))


def days_of(moments: Iterable[datetime]) -> Counter[date]:
    """How many of some moments each day has."""
    return Counter(moment.date() for moment in moments)


def dated(moment: datetime, days: Counter[date]) -> str:
    """The day of a moment, and the time where it shares the day with others."""
    return f"{moment:%Y-%m-%d %H:%M}" if days[moment.date()] > 1 else f"{moment:%Y-%m-%d}"


def newest_first_of_each_subject(hits: Sequence[Hit]) -> list[Hit]:
    """Hits in their order, but that statements which share at least half of their words stand newest first."""
    ordered, stems = list(hits), [_stated_stems(hit.gist) for hit in hits]
    left = list(range(len(hits)))
    while left:
        first, *others = left
        same = [first, *(at for at in others if _are_of_one_subject(stems[first], stems[at]))]
        newest = sorted((hits[at] for at in same), key=lambda hit: hit.gist.timestamp, reverse=True)
        for at, hit in zip(same, newest, strict=True):
            ordered[at] = hit
        left = [at for at in others if at not in same]
    return ordered


def said_anew(hits: Sequence[Hit]) -> frozenset[str]:
    """The keys of statements that were made again later with other numbers alone: "at 9:30", and then "at 10:15"."""
    newest: dict[frozenset[str], Gist] = {}
    for gist in sorted((hit.gist for hit in hits), key=lambda gist: gist.timestamp):
        newest[frozenset(_stated_stems(gist))] = gist
    newest.pop(frozenset(), None)
    last = [(hit.gist, newest.get(frozenset(_stated_stems(hit.gist)), hit.gist)) for hit in hits]
    return frozenset(
        gist.key
        for gist, later in last
        if gist.timestamp < later.timestamp
        and content_stems(gist.content[:STATED]) != content_stems(later.content[:STATED])
    )


def _stated_stems(gist: Gist) -> set[str]:
    """The words of what is not an answer or a question, but for numbers, which are what changes of a subject."""
    states = gist.role != "assistant" and not ends_with_question_mark(gist.content)
    return {stem for stem in content_stems(gist.content[:STATED]) if stem.isalpha()} if states else set()


def _are_of_one_subject(stems: set[str], others: set[str]) -> bool:
    return bool(stems and others) and 2 * len(stems & others) >= max(len(stems), len(others))


def assemble(context: Context, system: str, table: PromptTable) -> Prompt:
    """The prompt for a request: history, images, summaries, facts, observations, similar messages, recent
    turns, location, query."""
    request = context.request
    bundle = context.bundle or Bundle()
    history = [
        replace(item, content=without_thoughts(item.content)) for item in request.history[-table.history.items :]
    ]
    sent = {on_one_line(item.content) for item in history}
    shown = {fact.id for fact in bundle.known[: table.known.items]}
    if bundle.at_end is not None:
        shown.add(bundle.at_end.key)
    recent = [gist for gist in bundle.recent if gist.key not in shown and on_one_line(gist.content) not in sent]
    recent = recent[-table.recent.items :]
    shown |= {message.key for message in recent}
    stated = {source for fact in bundle.memories[: table.memories.items] for source in fact.sources}
    similar = [hit for hit in bundle.recall.hits if hit.gist.key not in shown]
    told: dict[str, Drop] = {hit.gist.key: "duplicate" for hit in similar if hit.gist.id in stated}
    told |= {hit.gist.key: "sent_along" for hit in similar if on_one_line(hit.gist.content) in sent}
    similar = [hit for hit in similar if hit.gist.key not in told]
    similar = newest_first_of_each_subject(similar[: table.similar.items])
    anew = said_anew(similar)
    quotes_of = (
        ("summaries", "Summaries of earlier conversation", table.summaries, map(_of_summary, bundle.summaries)),
        ("memories", "Facts the user asked to remember", table.memories, map(_of_key_value, bundle.memories)),
        ("observations", "Notes from earlier work", table.observations, map(_of_note, bundle.observations)),
        ("known", "Facts about the user", table.known, map(_of_known, bundle.known)),
        ("end", "The message that is asked for", table.end, _of_end(bundle)),
        (
            "similar",
            "Earlier messages like this one",
            table.similar,
            (_of_hit(hit, hit.gist.key in anew) for hit in similar),
        ),
        ("recent", "Most recent messages", table.recent, map(_of_message, recent)),
    )
    cuts = [
        (section, heading, cut, [quote.at_home(request.timezone) for quote in islice(quotes, cut.items)])
        for section, heading, cut, quotes in quotes_of
    ]
    days = days_of(quote.source.said_at for _, _, _, quotes in cuts for quote in quotes)
    sections = [_history(history, table.history), _images(context.images)]
    given: list[Citation] = []
    for section, heading, cut, quotes in cuts:
        lines = []
        for before, after, text, source in quotes:
            given.append(replace(source, n=len(given) + 1, section=section))
            label = f"{before}{dated(source.said_at, days)}{after}"
            lines.append(f"[{len(given)}] {quoted(label, None)}: {quoted(text, cut.characters)}\n")
        body = f'## {heading}\n<memory kind="{section}">\n{"".join(lines)}</memory>\n\n'
        sections.append(PromptSection(section, body if lines else ""))
    if request.location:
        sections.append(PromptSection("location", f"## The user's location\n{quoted(request.location, 200)}\n\n"))
    if context.done:
        sections.append(PromptSection("done", f"## Done just now\n{quoted(context.done, None)}\n\n"))
    sections = [section for section in sections if section.text]
    heading = "## The user's message\n" if sections else ""
    return Prompt(system, (*sections, PromptSection("query", heading + request.query)), tuple(given), told)


def _history(history: Sequence[HistoryItem], cut: Cut) -> PromptSection:
    lines = [f"{item.role}: {quoted(item.content, cut.characters)}" for item in history[-cut.items :]]
    body = "\n".join(lines)
    return PromptSection("history", f"## Conversation so far\n{body}\n\n" if lines else "")


def _images(described: str | None) -> PromptSection:
    body = f'## Attached images, as described\n<memory kind="images">\n{quoted(described or "", None)}\n</memory>\n\n'
    return PromptSection("images", body if described else "")


class _Quote(NamedTuple):
    """A memory as it will stand in the prompt: what stands before and after its date, the text, and what it is."""

    before: str
    after: str
    text: str
    source: Citation

    def at_home(self, timezone: str | None) -> "_Quote":
        return self._replace(source=self.source.at_home(timezone))


def _of_summary(summary: Summary) -> _Quote:
    return _Quote("summary, ", "", summary.text, Citation.of_summary(summary))


def _of_key_value(kept: KeyValue) -> _Quote:
    return _Quote(f"{kept.key}, ", "", kept.value, Citation.of_key_value(kept))


def _of_note(recalled: Recalled) -> _Quote:
    note = recalled.observation
    return _Quote(
        quoted(f"{note.category}, {note.source}", 80) + ", ", "", note.content, Citation.of_observation(recalled)
    )


def _of_known(fact: Fact) -> _Quote:
    return _Quote("since ", "", fact.text, Citation.of_fact(fact))


def _of_end(bundle: Bundle) -> list[_Quote]:
    """The first or last message, its label saying which."""
    end, gist = bundle.end, bundle.at_end
    if end is None or gist is None:
        return []
    kind = "question" if end.asking else "message"
    before = f"{'last' if end.last else 'first'} {kind} of the {end.role}, "
    return [_Quote(before, "", gist.content, Citation.of_gist(gist, "end"))]


def _of_hit(hit: Hit, anew: bool) -> _Quote:
    gist = hit.gist
    after = f", score {hit.score:.2f}{f', {SAID_ANEW}' if anew else ''}"
    source = Citation.of_gist(gist, "similar", hit.score)
    return _Quote(f"{gist.name or gist.role}, ", after, hit.text, source)


def _of_message(gist: Gist) -> _Quote:
    return _Quote(f"{gist.name or gist.role}, ", "", gist.content, Citation.of_gist(gist, "recent"))


def cited(text: str, given: Sequence[Citation]) -> tuple[Citation, ...]:
    """The memories whose numbers stand in an answer, such as [2] or [1, 3]; where none does, the facts, observations
    and similar messages that the model was given."""
    numbers = {int(n) for found in NUMBERS.findall(text) for n in re.findall(r"\d+", found)}
    named = tuple(citation for citation in given if citation.n in numbers)
    return named or tuple(citation for citation in given if citation.section in _FOUND)
