"""How is the prompt put together? The platform document's order and truncation table, text by text; pure functions."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from agents.chat.context import Bundle, Citation, Context, HistoryItem
from config.recipes import Cut, PromptTable
from memory.domain import FACT, Gist, Hit, KeyValue, Summary
from memory.facts import Fact
from memory.language import End
from memory.observations import Recalled
from memory.turns import LedgerEntry
from utils.text import count_tokens, cut_at_word

QUOTE_MARK = re.compile(r"<(?=[\W_]{0,8}memory)", re.IGNORECASE)
_FOUND = ("memories", "observations", "known", "end", "similar")  # sections of what was found for the question
NUMBERS = re.compile(r"\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\]")


@dataclass(frozen=True)
class Section:
    name: str
    text: str


@dataclass(frozen=True)
class Prompt:
    """What a model is sent: a system message, and the sections in order as the user's message.

    `given`: the memories that stand in it, under their numbers.
    """

    system: str
    sections: tuple[Section, ...]
    given: tuple[Citation, ...]

    @property
    def user(self) -> str:
        return "".join(section.text for section in self.sections)

    def ledger(self, total: int | None = None, *, beyond: int = 0) -> tuple[LedgerEntry, ...]:
        """What each section takes. The characters add up to the text that was sent, the tokens to `total`: the
        provider's count where it gave one, else the sum of the estimates. `beyond`: characters of tools, and of what
        was sent again after calls of them."""
        texts = [Section("system", self.system), *self.sections]
        sizes = [(section.name, len(section.text), count_tokens(section.text)) for section in texts]
        if beyond:
            sizes.append(("tools", beyond, -(-beyond // 4)))
        estimates = [tokens for _, _, tokens in sizes]
        tokens = estimates if total is None else apportion(estimates, total)
        return tuple(LedgerEntry(name, size, n) for (name, size, _), n in zip(sizes, tokens, strict=True))


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


def assemble(context: Context, system: str, table: PromptTable) -> Prompt:
    """The prompt for a request: history, images, summaries, facts, observations, similar messages, recent
    turns, location, query."""
    request = context.request
    bundle = context.bundle or Bundle()
    said = {" ".join(item.content.split()) for item in request.history[-table.history.items :]}
    known = bundle.known[: table.known.items]
    shown = {fact.id for fact in known} | ({bundle.at_end.key} if bundle.at_end is not None else set())
    told = [m for m in bundle.recent if m.key not in shown and " ".join(m.content.split()) not in said]
    recent = told[-table.recent.items :]
    shown |= {message.key for message in recent}
    stated = {source for fact in bundle.memories[: table.memories.items] for source in fact.sources}
    similar = [
        hit
        for hit in bundle.recall.hits
        if hit.gist.key not in shown and hit.gist.id not in stated and " ".join(hit.gist.content.split()) not in said
    ][: table.similar.items]
    ends = [] if bundle.end is None or bundle.at_end is None else [_of_end(bundle.at_end, bundle.end, table.end)]
    numbers = _Numbers()
    sections = [
        _history(request.history, table.history),
        _images(context.images),
        _quotes(
            "summaries",
            "Summaries of earlier conversation",
            numbers,
            [_of_summary(one, table.summaries) for one in bundle.summaries[: table.summaries.items]],
        ),
        _quotes(
            "memories",
            "Facts the user asked to remember",
            numbers,
            [_of_fact(one, table.memories) for one in bundle.memories[: table.memories.items]],
        ),
        _quotes(
            "observations",
            "Notes from earlier work",
            numbers,
            [_of_observation(one, table.observations) for one in bundle.observations[: table.observations.items]],
        ),
        _quotes("known", "Facts about the user", numbers, [_of_known(one, table.known) for one in known]),
        _quotes("end", "The message that is asked for", numbers, ends),
        _quotes("similar", "Earlier messages like this one", numbers, [_of_hit(one, table.similar) for one in similar]),
        _quotes("recent", "Most recent messages", numbers, [_of_message(one, table.recent) for one in recent]),
        Section("location", f"## The user's location\n{quoted(request.location, 200)}\n\n" if request.location else ""),
        Section("done", f"## Done just now\n{quoted(context.done, None)}\n\n" if context.done else ""),
        Section("query", ("## The user's message\n" if _has_context(context) else "") + request.query),
    ]
    return Prompt(system, tuple(section for section in sections if section.text), tuple(numbers.given))


def _has_context(context: Context) -> bool:
    request, bundle = context.request, context.bundle
    remembered = bundle and (
        bundle.recall.hits
        or bundle.recent
        or bundle.summaries
        or bundle.memories
        or bundle.observations
        or bundle.known
    )
    return bool(request.history or context.images or request.location or context.done or remembered)


@dataclass(frozen=True)
class _Quote:
    """A memory as it will stand in the prompt: `label` before the quoted text."""

    label: str
    text: str
    id: str
    kind: str
    session_id: str | None
    role: str | None
    content: str
    timestamp: datetime
    score: float | None = None


class _Numbers:
    """Counts the memories through all sections."""

    def __init__(self) -> None:
        self.given: list[Citation] = []

    def take(self, section: str, quote: _Quote) -> int:
        n = len(self.given) + 1
        self.given.append(
            Citation(
                n,
                quote.id,
                quote.kind,
                section,
                quote.session_id,
                quote.role,
                quote.content,
                quote.timestamp,
                quote.score,
            )
        )
        return n


def _quotes(section: str, heading: str, numbers: _Numbers, quotes: Sequence[_Quote]) -> Section:
    if not quotes:
        return Section(section, "")
    lines = [f"[{numbers.take(section, quote)}] {quote.label}: {quote.text}" for quote in quotes]
    body = "\n".join(lines)
    return Section(section, f'## {heading}\n<memory kind="{section}">\n{body}\n</memory>\n\n')


def _history(history: Sequence[HistoryItem], cut: Cut) -> Section:
    lines = [f"{item.role}: {quoted(item.content, cut.characters)}" for item in history[-cut.items :]]
    body = "\n".join(lines)
    return Section("history", f"## Conversation so far\n{body}\n\n" if lines else "")


def _images(described: str | None) -> Section:
    body = f'## Attached images, as described\n<memory kind="images">\n{quoted(described or "", None)}\n</memory>\n\n'
    return Section("images", body if described else "")


def _of_summary(summary: Summary, cut: Cut) -> _Quote:
    return _Quote(
        label=f"summary, {summary.timestamp:%Y-%m-%d}",
        text=quoted(summary.text, cut.characters),
        id=f"{summary.session_id}#{summary.from_index}-{summary.to_index}",
        kind="summary",
        session_id=summary.session_id,
        role=None,
        content=summary.text,
        timestamp=summary.timestamp,
    )


def _of_fact(fact: KeyValue, cut: Cut) -> _Quote:
    return _Quote(
        label=quoted(fact.key, None),
        text=quoted(fact.value, cut.characters),
        id=fact.key,
        kind="memory",
        session_id=None,
        role="user",
        content=f"{fact.key}: {fact.value}",
        timestamp=fact.updated_at,
    )


def _of_observation(recalled: Recalled, cut: Cut) -> _Quote:
    one = recalled.observation
    return _Quote(
        label=quoted(f"{one.category}, {one.source}", 80),
        text=quoted(one.content, cut.characters),
        id=one.id,
        kind=one.category,
        session_id=None,
        role=None,
        content=one.content,
        timestamp=one.created_at,
        score=recalled.score,
    )


def _of_known(fact: Fact, cut: Cut) -> _Quote:
    return _Quote(
        label=f"since {fact.valid_from:%Y-%m-%d}",
        text=quoted(fact.text, cut.characters),
        id=fact.id,
        kind=FACT,
        session_id=fact.memory_id,
        role=FACT,
        content=fact.text,
        timestamp=fact.valid_from,
    )


def _of_end(gist: Gist, end: End, cut: Cut) -> _Quote:
    """The first or last message, its label saying which."""
    kind = "question" if end.asking else "message"
    label = f"{'last' if end.last else 'first'} {kind} of the {end.role}, {gist.timestamp:%Y-%m-%d %H:%M}"
    return _of_gist(gist, label, cut, None)


def _of_hit(hit: Hit, cut: Cut) -> _Quote:
    gist = hit.gist
    return _of_gist(gist, f"{gist.name or gist.role}, {gist.timestamp:%Y-%m-%d}, score {hit.score:.2f}", cut, hit.score)


def _of_message(gist: Gist, cut: Cut) -> _Quote:
    return _of_gist(gist, gist.name or gist.role, cut, None)


def _of_gist(gist: Gist, label: str, cut: Cut, score: float | None) -> _Quote:
    return _Quote(
        label=quoted(label, None),
        text=quoted(gist.content, cut.characters),
        id=gist.id,
        kind=gist.kind,
        session_id=gist.session_id,
        role=gist.role,
        content=gist.content,
        timestamp=gist.timestamp,
        score=score,
    )


def cited(text: str, given: Sequence[Citation]) -> tuple[Citation, ...]:
    """The memories whose numbers stand in an answer, such as [2] or [1, 3]; where none does, the facts, observations
    and similar messages that the model was given."""
    numbers = {int(n) for found in NUMBERS.findall(text) for n in re.findall(r"\d+", found)}
    named = tuple(citation for citation in given if citation.n in numbers)
    return named or tuple(citation for citation in given if citation.section in _FOUND)
