"""The prompt of the platform document: its order of sections and its truncation table, in one message.

Pure functions.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from agents.chat.context import Bundle, Citation, Context, HistoryItem
from agents.chat.prompt import (
    SAID_ANEW,
    Prompt,
    PromptMessage,
    PromptSection,
    dated,
    days_of,
    instructions_of,
    named,
    newest_first_of_each_subject,
    quoted,
    said_anew,
)
from config.recipes import Cut, PromptTable
from memory.domain import Drop, Gist, Hit, KeyValue, Summary
from memory.facts import Fact
from memory.observations import Recalled
from utils.text import on_one_line
from utils.thoughts import without_thoughts

_FOUND = ("memories", "observations", "known", "end", "similar")  # sections of what was found for the question


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
    anew = said_anew([hit.gist for hit in similar])
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
    user = PromptMessage("user", (*sections, PromptSection("query", heading + request.query)))
    return Prompt(
        (PromptMessage("system", (PromptSection("system", instructions_of(system, context.request)),)), user),
        tuple(given),
        told,
        cited,
    )


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
    """The memories whose numbers stand in an answer; where none does, the facts, observations and similar messages that
    the model was given."""
    return named(text, given) or tuple(citation for citation in given if citation.section in _FOUND)
