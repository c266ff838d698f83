"""Answers without a language model: quotes of what memory holds where they are likely to answer, else silence.

A passage is quoted by its likelihood (`agents.chat.likelihood`), dated where it is not of today, the newest first of
those that say the same of different times, the older marked as what was so before. What asks, or asks for something, is
never quoted. Whatever its form, a message is held against memory first: one that tells something new is noted.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal

import numpy as np

from agents.chat.choice import SURELY, answers_to
from agents.chat.context import Bundle, Citation, Context
from agents.chat.likelihood import SAME, Question, counterparts
from agents.chat.passages import HISTORY, Asked, Passage, each_once, read_asked
from memory.domain import FACT
from memory.facts import asks_not_to_keep
from memory.language import (
    DAY,
    EVEN,
    Span,
    asked_by,
    asks_for_kept,
    asks_for_present,
    asks_only_for_a_time,
    asks_whether_told,
    is_courtesy,
    names_own,
    nearness,
    shortened,
    spans_of,
    stems_in_english,
    summarise_by_rules,
    told_in_question,
    weight,
    with_dates,
)
from memory.turns import LeftOut
from utils.clock import at_home, now
from utils.embeddings import LocalEmbedder
from utils.text import cut_at_word, words

MOST_LISTED = 12  # statements of what is known, or was said at a time
LONGEST = 900  # characters of a passage that is quoted whole
SUMMARY_TOKENS = 200
SUBJECT = 0.5  # share of the best passage's decisive words that another one of a subject has
WEEK = 7 * DAY  # that a time may be long in which a day lies that is asked for
TRANSLATED = 0.75  # cosine similarity of the tokens of a word and of the same in another language
NAMES = 0.2  # how decisive a word is that names a subject; "summary" and "conversation" are half as much
ALL = 0.4  # how likely a summary is one of everything

NOT_KNOWN = "I don't know that yet: nothing you told me answers it."
NOT_KNOWN_OF = "I don't know anything about “{}” yet."
NOTHING_KEPT = "You haven't asked me to remember anything yet. Say “Remember that my locker is number 12”, for example."
NOT_KEPT = "All right, I won't remember that."
NOT_SEARCHED = "I couldn't search what you told me, for the embedding model is away. Please ask again later."
ELSE_NEEDS_MODEL = "For anything else I need a language model."
NEVER_TOLD = "No, I don't remember you telling me anything about that."
ONCE = "You haven't told me how it is now. "
NEEDS_MODEL = "I need a language model for that. I can tell you what you told me."
NOTHING_DELETED = (
    "I deleted nothing. “Forget my phone number” deletes one thing, and DELETE /v1/sessions/{id} a conversation with "
    "all that was derived of it."
)
NOTHING_OF_IT = "I found nothing about that."
NOT_ASKED = "I didn't look in my memory for this, and without a language model I know nothing else."

# What nobody can have told: a sum, advice.
_BEYOND = re.compile(
    r"\d\s*[*x×÷/^+]\s*\d|\d ?% of \d|^\W*tell (?:me|us) an? (?!bit|little|lot)"
    r"|\b(?:should|shall|could|would) (?:i|we)\b|\bhow (?:do|can|should|would) (?:i|you|we|one)\b",
    re.IGNORECASE,
)
_GREETINGS = (
    (re.compile(r"\b(?:thank|thanks|thx)\b", re.IGNORECASE), "You're welcome."),
    (
        re.compile(r"\b(?:bye|goodbye|see you|good night)\b", re.IGNORECASE),
        "Goodbye. I'll remember what we talked about.",
    ),
    (re.compile(r"\b(?:hi|hello|hey|good (?:morning|afternoon|evening))\b", re.IGNORECASE), "Hello! How can I help?"),
)


@dataclass(frozen=True)
class RuleAnswer:
    """`citations`: the memories quoted, numbered from 1 in the order in which the text cites them. `unused`: why there
    are none, where there are none."""

    text: str
    citations: tuple[Citation, ...] = ()
    unused: LeftOut = "no_answer"


async def answer_by_rules(context: Context, reader: LocalEmbedder) -> RuleAnswer:
    """An answer in plain words. Says so where memory knows nothing, or was not asked. `reader`: reads the question and
    what may answer it."""
    if (reply := _without_memory(context)) is not None:
        return reply
    asked = await read_asked(context, reader)
    return await asyncio.to_thread(_from_memory, context, asked[0], asked[1:] or asked)


def _without_memory(context: Context) -> RuleAnswer | None:
    """What is answered whatever was said before."""
    query, intent, bundle = context.question.strip(), context.intent, context.bundle
    if context.done is not None:
        return RuleAnswer(context.done, unused="no_question")
    if asks_not_to_keep(query):
        return RuleAnswer(NOT_KEPT, unused="no_question")
    if bundle is not None and bundle.end is not None:
        return _at_end(bundle, context.request.timezone)
    if context.images is not None and intent.name == "image":
        return RuleAnswer(context.images, unused="image")
    if intent.name != "chat" and (present := asks_for_present(query)) is not None:
        return RuleAnswer(_present(present, context.request.timezone), unused="no_question")
    if intent.name == "chat" and intent.deed == "requests":
        return RuleAnswer(NEEDS_MODEL, unused="task")
    idle = intent.deed == "chats" and not intent.need_memory
    if intent.name == "chat" and (idle or is_courtesy(query)):
        reply = next((reply for pattern, reply in _GREETINGS if pattern.search(query)), "All right.")
        return RuleAnswer(reply, unused="no_question")
    return None if words(query) else RuleAnswer("What would you like to know?", unused="no_question")


def _present(asked: Literal["day", "time"], timezone: str | None) -> str:
    """The day or the time that it is where the user is."""
    here = at_home(now(), timezone)
    said = f"{here:%A}, {here.day} {here:%B %Y}" if asked == "day" else f"{here:%H:%M} ({timezone or 'UTC'})"
    return f"It's {said}."


def _from_memory(context: Context, whole: Asked, parts: Sequence[Asked]) -> RuleAnswer:
    """`parts`: the questions that the request joins, or the whole."""
    question, passages = whole
    query, intent = question.text, context.intent
    passages = [passage for passage in passages if not passage.replaced_by]
    if asks_for_kept(query):
        kept = [passage for passage in passages if passage.source.kind == "memory"]
        return _quoted(kept) if kept else RuleAnswer(NOTHING_KEPT)
    if context.request.asks_for_all and (listed := _lasting(passages)):
        return _quoted(listed)
    spans, answers = _times_of(query, at_home(now(), context.request.timezone)), list[list[Passage]]()
    if intent.name == "summarise":
        return _summary(context, question, passages, spans)
    if spans and intent.name != "chat" and asks_only_for_a_time(stems_in_english(query)):
        chosen = _of_times(passages, spans, said=question.does.recalls >= EVEN)
    else:
        answers = [answers_to(*part) for part in parts]
        chosen = each_once([passage for answer in answers for passage in answer])
    if told_in_question(query) or (intent.name == "chat" and not _seeks(question, chosen)):
        noted = "Noted." if context.request.temporary else "Noted. I'll remember that."
        return RuleAnswer(noted, unused="no_question")
    if chosen:
        unknown = (
            [part.question.text for part, answer in zip(parts, answers, strict=True) if not answer] if answers else []
        )
        first = "Yes. " if asks_whether_told(query) else ONCE if all(one.before for one in chosen) else ""
        return _quoted(chosen, first=first, also=[NOT_KNOWN_OF.format(part.strip(" ?？")) for part in unknown])
    searched = context.bundle is None or context.bundle.recall.dimensions > 0
    if asks_whether_told(query) and context.bundle is not None:
        return RuleAnswer(NEVER_TOLD if searched else NOT_SEARCHED)
    if intent.name == "location" and context.request.location:
        return RuleAnswer(f"Your request says you're in {context.request.location}. That's all I know about it.")
    if intent.deed == "forgets":
        return RuleAnswer(NOTHING_DELETED)
    if context.bundle is None:
        return RuleAnswer(NOT_ASKED)
    if intent.deed == "requests" or _BEYOND.search(query):
        return RuleAnswer(NEEDS_MODEL, unused="task")
    if not searched:
        return RuleAnswer(NOT_SEARCHED)
    return RuleAnswer(NOT_KNOWN if names_own(query) else f"{NOT_KNOWN} {ELSE_NEEDS_MODEL}")


def _seeks(question: Question, chosen: Sequence[Passage]) -> bool:
    """Whether a message without the form of a question seeks something: by what it does, or because all that it says,
    and more, stands in what answers it."""
    if asked_by(question.text, question.does) == "asks":
        return True
    if question.does.states >= SURELY or not chosen or chosen[0].read is None:
        return False
    there = counterparts(question, chosen[0].read) >= SAME
    return bool(there.all()) and len(words(chosen[0].text)) > len(words(question.text))


def _lasting(passages: Sequence[Passage]) -> list[Passage]:
    """What is known of the user at all: what they asked to remember, then the facts and statements that say most."""
    kinds = {"memory": 0, FACT: 1}
    own = [one for one in passages if one.source.kind in kinds or _is_own_statement(one)]
    own.sort(key=lambda one: (kinds.get(one.source.kind, len(kinds)), -weight(one.text)))
    return each_once(own)[:MOST_LISTED]


def _is_own_statement(passage: Passage) -> bool:
    wants = passage.read is not None and passage.read.does.wants
    return passage.source.role == "user" and passage.whose == "own" and weight(passage.text) > 0 and not wants


def _of_times(passages: Sequence[Passage], spans: tuple[Span, ...], *, said: bool) -> list[Passage]:
    """What was said about the times that are named, then what was said at them and names no other, the oldest first.
    `said`: it is asked what was said, at whatever times that happened."""
    times = np.array([one.source.timestamp.timestamp() for one in passages])
    kinds: tuple[list[Passage], list[Passage], list[Passage]] = ([], [], [])
    for passage, near in zip(passages, nearness(spans, times), strict=True):
        named = _times_of(passage.text, passage.source.said_at)
        if any(_meets(own, asked) for own in named for asked in spans):
            kinds[0].append(passage)
        elif near == 1:
            kinds[2 if named else 1].append(passage)
    about, then, of_others = (sorted(kind, key=lambda one: one.source.timestamp) for kind in kinds)
    return each_once([*about, *then] or (of_others if said else []))[:MOST_LISTED]


def _times_of(text: str, said_at: datetime) -> tuple[Span, ...]:
    """The times that a text names; of a weekday the next one where it tells of nothing past."""
    return spans_of(with_dates(text, said_at, ahead=True), said_at.timestamp(), said_at.tzinfo or UTC)


def _meets(own: Span, asked: Span) -> bool:
    """Whether a time that a statement names is of one that is asked for, and not much longer."""
    long = max(asked.end - asked.start, WEEK)
    return own.start < asked.end and asked.start < own.end and own.end - own.start <= long


def _quoted(chosen: Sequence[Passage], *, whole: bool = False, first: str = "", also: Sequence[str] = ()) -> RuleAnswer:
    """`whole`: none is cut. `first`: what stands before all; `also`: further lines."""
    citations: dict[tuple[str, str], Citation] = {}
    lines = []
    for one in chosen:
        source, line = one.source, _introduced(one, whole=whole)
        if source.kind != HISTORY:
            number = len(citations) + 1
            line += f" [{citations.setdefault((source.kind, source.id), replace(source, n=number)).n}]"
        lines.append(line)
    return RuleAnswer(first + "\n".join((*lines, *also)), tuple(citations.values()))


def _introduced(passage: Passage, *, whole: bool) -> str:
    source, text = passage.source, passage.text if whole else cut_at_word(passage.text, LONGEST)
    day = "" if _is_today(source.said_at) else f" on {source.said_at:%Y-%m-%d}"
    if source.kind == "memory":
        return f"You asked me to remember: {text}"
    if source.kind == FACT:
        by, text = f"As far as I know{day and f', since{day[3:]}'}", f"“{text}”"
    elif source.section == "observations":
        by, text = f"An earlier {source.kind}{day}", f"“{text}”"
    elif source.name and source.name.casefold() != source.role:
        by, text = f"{source.name} said{day}", f"“{text}”"
    else:
        by, text = f"{'You told me' if source.role == 'user' else 'I told you'}{day}", f"“{text}”"
    if not passage.before and passage.until is None:
        return f"{by}: {text}"
    when = f"Until {_end_of(source.said_at, passage.until)}" if passage.until else "Before"
    return f"({when}: {by[0].lower()}{by[1:]}: {text})"


def _end_of(start: datetime, end: datetime) -> str:
    """The day until which something was so, with the time where it began on the same."""
    parts = ("" if _is_today(end) else f"{end:%Y-%m-%d}", f"{end:%H:%M}" if end.date() == start.date() else "")
    return " ".join(filter(None, parts)) or "today"


def _is_today(moment: datetime) -> bool:
    """Whether a moment is of the day that it is where its clock is."""
    return moment.date() == now().astimezone(moment.tzinfo).date()


def _at_end(bundle: Bundle, timezone: str | None) -> RuleAnswer:
    """The message that is asked for by its place, whole."""
    end, said = bundle.end, bundle.at_end
    if end is None or said is None:
        done = "asked" if end is not None and end.asking else "said"
        return RuleAnswer(f"{'You' if end is None or end.role == 'user' else 'I'} haven't {done} anything before this.")
    hit = next(hit for hit in bundle.recall.hits if hit.gist.key == said.key)
    source = Citation.of_gist(said, "similar", hit.score).at_home(timezone)
    return _quoted([Passage(said.content.strip(), source, 1.0)], whole=True)


def _summary(context: Context, question: Question, passages: Sequence[Passage], spans: tuple[Span, ...]) -> RuleAnswer:
    bundle = context.bundle
    if bundle is None:
        return RuleAnswer("I didn't look in my memory, so I have nothing to summarise.")
    of_subject = _of_times(passages, spans, said=True) or _of_subject(question, passages)
    if of_subject:
        return _quoted(of_subject[:MOST_LISTED])
    session = [summary for summary in bundle.summaries if summary.session_id == context.request.session_id]
    covered = max((summary.to_index for summary in session), default=-1)
    asking = {passage.text for passage in passages if passage.asks}
    rest = [gist for gist in bundle.unsummarised or bundle.recent if gist.message_index > covered]
    rest = [gist for gist in rest if gist.content not in asking]
    parts = [summary.text for summary in reversed(session)]
    if rest:
        parts.append(summarise_by_rules(rest, SUMMARY_TOKENS))
    if not any(parts):
        parts = [summary.text for summary in reversed(bundle.summaries)]
    text = shortened("\n".join(part for part in parts if part), None)
    if of_subject is None:
        return RuleAnswer(text or "There is nothing to summarise yet.")
    return RuleAnswer(f"{NOTHING_OF_IT} In all:\n{text}" if text else NOTHING_OF_IT)


def _of_subject(question: Question, passages: Sequence[Passage]) -> list[Passage] | None:
    """What a summary is of that is asked for of a subject, the oldest first; None where it is of all."""
    weights = question.decisive
    read = [(passage, passage.read) for passage in passages if passage.read is not None and not passage.asks]
    there = [counterparts(question, text) >= TRANSLATED for _, text in read]
    named = any((weights[same] >= NAMES).any() for same in there)
    if not named and question.does.whole >= ALL:
        return None
    shares = [float(weights @ same) for same in there]
    best = max(shares, default=0.0)
    chosen = [passage for (passage, _), share in zip(read, shares, strict=True) if share >= SUBJECT * best > 0]
    return sorted(each_once(chosen), key=lambda passage: passage.source.timestamp)
