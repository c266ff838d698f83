"""The prompt of an answer: the messages a model is sent, section by section, and what every assembly of them shares.

`prompt_table` has the platform document's order and truncation table in one message, `prompt_budget` fills a
model's context. Pure functions.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import lru_cache
from typing import Literal

from agents.chat.context import ChatRequest, Citation
from memory.domain import Drop, Gist, Hit
from memory.facts import VALUES, lasting_subject_of
from memory.turns import LedgerEntry
from utils.text import content_stems, count_tokens, cut_at_word, ends_with_question_mark, numbers_cited

Speaker = Literal["system", "user", "assistant"]

QUOTE_MARK = re.compile(r"<(?=[\W_]{0,8}memory)", re.IGNORECASE)
SAID_ANEW = "said otherwise since"
STATED = 16_000  # characters of a statement by which it is compared with others
KEPT = 2_000  # characters of a text of which it is kept in memory what it says


@dataclass(frozen=True)
class PromptSection:
    name: str
    text: str


@dataclass(frozen=True)
class PromptMessage:
    """One message of a prompt, and the sections that it is made of. `images`: addresses of those that go with it."""

    role: Speaker
    sections: tuple[PromptSection, ...]
    images: tuple[str, ...] = ()

    @property
    def content(self) -> str:
        return "".join(section.text for section in self.sections)


def named(text: str, given: Sequence[Citation]) -> tuple[Citation, ...]:
    """The memories whose numbers stand in an answer, such as [2] or [1, 3]."""
    numbers = numbers_cited(text)
    return tuple(citation for citation in given if citation.n in numbers)


def instructions_of(system: str, request: ChatRequest, *sent: str) -> str:
    """What a model is told: the server's instructions, those that stand, what the client sent as a system's messages,
    and the request's own."""
    every = (system, *request.standing, *sent, request.instructions or "")
    return "\n\n".join(filter(None, (text.strip() for text in every)))


@dataclass(frozen=True)
class Prompt:
    """What a model is sent. `given`: the memories that stand in it, under their numbers. `told`: by their `_id`s, the
    hits that would, but for something that says the same, and whether the request brings that along. `cite`: which of
    those given an answer cites."""

    messages: tuple[PromptMessage, ...]
    given: tuple[Citation, ...] = ()
    told: Mapping[str, Drop] = field(default_factory=dict)
    cite: Callable[[str, Sequence[Citation]], tuple[Citation, ...]] = named

    @property
    def system(self) -> str:
        return self.messages[0].content

    @property
    def user(self) -> str:
        """The last message."""
        return self.messages[-1].content

    @property
    def sections(self) -> tuple[PromptSection, ...]:
        """Those behind the system message's, each name once."""
        return _joined(section for message in self.messages[1:] for section in message.sections)

    def ledger(self, total: int | None = None, *, beyond: int = 0) -> tuple[LedgerEntry, ...]:
        """What each section takes. The characters add up to the text that was sent, the tokens to `total`: the
        provider's count where it gave one, else the sum of the estimates. `beyond`: characters of tools, and of what
        was sent again after calls of them."""
        sections = _joined(section for message in self.messages for section in message.sections)
        return ledger_of(sections, total, *([LedgerEntry("tools", beyond, -(-beyond // 4))] if beyond else []))


def _joined(sections: Iterable[PromptSection]) -> tuple[PromptSection, ...]:
    texts: dict[str, list[str]] = {}
    for section in sections:
        texts.setdefault(section.name, []).append(section.text)
    return tuple(PromptSection(name, "".join(parts)) for name, parts in texts.items())


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
    ordered, stems = list(hits), [_stated(hit.gist)[0] for hit in hits]
    left = list(range(len(hits)))
    while left:
        first, *others = left
        same = [first, *(at for at in others if _are_of_one_subject(stems[first], stems[at]))]
        newest = sorted((hits[at] for at in same), key=lambda hit: hit.gist.timestamp, reverse=True)
        for at, hit in zip(same, newest, strict=True):
            ordered[at] = hit
        left = [at for at in others if at not in same]
    return ordered


def said_anew(gists: Sequence[Gist]) -> frozenset[str]:
    """The keys of statements that were made again later with another value alone: "at 9:30", and then "at 10:15"; "on
    Monday", and then "on Thursday". The last number is meant, or, where there is none, the last value; the others, and
    that of what they are about, tell which thing it is of: rooms 12 and 14 are two."""
    alike: defaultdict[tuple[object, ...], list[tuple[Gist, str]]] = defaultdict(list)
    for gist in gists:
        stems, values = _stated(gist)
        if stems and values:
            numbers = (place for place, value in enumerate(values) if value[-1].isdigit())
            last = max(numbers, default=len(values) - 1)
            alike[stems, values[:last], values[last + 1 :]].append((gist, values[last]))
    return frozenset(gist.key for said in alike.values() if len(said) > 1 for gist in _outdated(said))


def _outdated(said: Sequence[tuple[Gist, str]]) -> Iterator[Gist]:
    """Of statements that differ in one value alone, each with that, those that have another one by now."""
    subjects = {gist.key: _subject_of(gist.content) for gist, _ in said}
    for gist, value in said:
        later = (one for one, other in said if one.timestamp > gist.timestamp and other != value)
        if any(subjects[one.key] == subjects[gist.key] is not None for one in later):
            yield gist


def _stated(gist: Gist) -> tuple[frozenset[str], tuple[str, ...]]:
    """The words of what is not an answer or a question, but for its values, and these."""
    if gist.role == "assistant":
        return frozenset(), ()
    return stated_in_short(gist.content) if len(gist.content) <= KEPT else _stated_in(gist.content)


def _stated_in(text: str) -> tuple[frozenset[str], tuple[str, ...]]:
    if ends_with_question_mark(text):
        return frozenset(), ()
    content = text[:STATED].lower()
    return frozenset(filter(str.isalpha, content_stems(VALUES.sub(" ", content)))), tuple(
        value.removesuffix("s") for value in VALUES.findall(content)
    )


stated_in_short = lru_cache(maxsize=4_096)(_stated_in)  # what is found once is found again
subject_in_short = lru_cache(maxsize=4_096)(lasting_subject_of)


def _subject_of(text: str) -> frozenset[str] | None:
    return subject_in_short(text) if len(text) <= KEPT else lasting_subject_of(text)


def _are_of_one_subject(stems: frozenset[str], others: frozenset[str]) -> bool:
    return bool(stems and others) and 2 * len(stems & others) >= max(len(stems), len(others))
