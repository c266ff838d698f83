"""Answers without a language model: quotes of what memory holds where they are likely to answer, else silence.

A passage is quoted by its likelihood (`agents.chat.likelihood`), dated where it is not of today, the newest first of
those that say the same of different times, the older marked as what was so before. What asks, or asks for something, is
never quoted. Whatever its form, a message is held against memory first: one that tells something new is noted.
"""

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import numpy as np

from agents.chat.context import Bundle, Citation, Context, HistoryItem
from agents.chat.likelihood import SAME, Evidence, Text, counterparts, decisiveness, likelihood, word_columns
from memory.domain import FACT
from memory.facts import key_named, statement_to_forget, told
from memory.language import (
    EVEN,
    Span,
    asked_by,
    asks_only_for_a_time,
    is_courtesy,
    nearness,
    shortened,
    spans_of,
    stems_in_english,
    summarise_by_rules,
    told_in_question,
    weight,
)
from utils.clock import now
from utils.embeddings import LocalEmbedder
from utils.sentences import split_sentences
from utils.text import GAP, content_stems, cut_at_word, ends_with_question_mark, words

# Of likelihoods, chosen on what `python -m bench.fit_answering` prints: fewer than one in twenty first quotes is wrong.
LIKELY = 0.6
NEAR_BEST = 0.9  # share of the best one's that a further passage needs
REPLACING = 0.4  # share of it that one needs that says the same at another time; it has taken some from the other,
CHANGING = 0.05  # and where it is the newer one and tells of a change
LIKELY_DOING = 0.5  # how likely a text does what its head says
SAME_MATTER = 0.57  # cosine similarity of two that say the same: of `bench/data/lookups.json`, all that are replaced
READ = 4  # hits whose passages are read; the answer is hardly ever further back
LEAST_SCORE = 0.001  # of recall, that they need
KEPT = 0.5  # stands for the score of what recall does not search: key-values, observations, what a request brings
MOST_PARTS = 8  # passages of one message that are looked at,
MOST_READ = 64  # and of all
MOST_QUOTES = 3
MOST_LISTED = 12  # statements of what is known, or was said at a time
PASSAGE = 160  # characters up to which sentences of a message are quoted together
LONGEST = 900  # characters of a passage that is quoted whole
SUMMARY_TOKENS = 200
HISTORY_CHARACTERS = 100_000  # of the newest messages that a request brings, that are read
HISTORY = "history"  # the kind of these; they are nothing of memory, and not cited
SUBJECT = 0.5  # share of the best passage's decisive words that another one of a subject has
TRANSLATED = 0.75  # cosine similarity of the tokens of a word and of the same in another language
NAMES = 0.2  # how decisive a word is that names a subject; "summary" and "conversation" are half as much
ALL = 0.4  # how likely a summary is one of everything

NOT_KNOWN = "I don't know that yet: nothing you told me answers it."
NEEDS_MODEL = "I need a language model for that. I can tell you what you told me."
NOTHING_DELETED = (
    "I deleted nothing. “Forget my phone number” deletes one thing, and DELETE /v1/sessions/{id} a conversation with "
    "all that was derived of it."
)
NOTHING_OF_IT = "I found nothing about that."
NOT_ASKED = "I did not look into my memory for this, and without a language model I know nothing else."

_TASK = re.compile(
    r"^\W*(?:please )?(?:write|draft|compose|translate|generate|create|calculate|compute|draw|suggest|recommend|"
    r"rewrite|rephrase|correct|improve)\b",
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
    """`citations`: the memories quoted, numbered from 1 in the order in which the text cites them."""

    text: str
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True)
class Passage:
    """Some sentences of a source, which may be quoted. `score`: recall's, or what stands for it; `rival`: the best one
    of another message. `read`: None where nobody has read it. `before`: another one was true after it."""

    text: str
    source: Citation
    score: float
    rival: float = 0.0
    read: Text | None = None
    likelihood: float = 0.0
    before: bool = False

    @property
    def asks(self) -> bool:
        """Whether the user surely asks in it, or asks to forget or to sum up, and so tells nothing."""
        by_user = self.source.role == "user"
        return by_user and self.read is not None and asked_by(self.text, self.read.does, surely=True) is not None


async def answer_by_rules(context: Context, reader: LocalEmbedder) -> RuleAnswer:
    """An answer in plain words. Says so where memory knows nothing, or was not asked. `reader`: reads the question and
    what may answer it."""
    if (reply := _without_memory(context)) is not None:
        return reply
    passages = await asyncio.to_thread(_passages, context)
    least = 0.0 if context.intent.name == "summarise" else LEAST_SCORE
    wanted = [passage.text for passage in passages if passage.score >= least][:MOST_READ]
    texts = list(dict.fromkeys([context.question, *wanted]))
    read = {text: Text(text, reading) for text, reading in zip(texts, await reader.read(texts), strict=True)}
    passages = [replace(passage, read=read.get(passage.text)) for passage in passages]
    return await asyncio.to_thread(_from_memory, context, read[context.question], passages)


def _without_memory(context: Context) -> RuleAnswer | None:
    """What is answered whatever was said before."""
    query, intent, bundle = context.question.strip(), context.intent, context.bundle
    if context.done is not None:
        return RuleAnswer(context.done)
    if bundle is not None and bundle.end is not None:
        return _at_end(bundle)
    if context.images is not None and intent.name == "image":
        return RuleAnswer(context.images)
    if intent.name == "chat" and (intent.deed == "requests" or _TASK.match(query)):
        return RuleAnswer(NEEDS_MODEL)
    idle = intent.deed == "chats" and not intent.need_memory
    if intent.name == "chat" and (idle or is_courtesy(query)):
        return RuleAnswer(next((reply for pattern, reply in _GREETINGS if pattern.search(query)), "All right."))
    return None if words(query) else RuleAnswer("What would you like to know?")


def _from_memory(context: Context, question: Text, passages: Sequence[Passage]) -> RuleAnswer:
    query, intent = question.text, context.intent
    if context.request.asks_for_all and (listed := _lasting(passages)):
        return _quoted(listed)
    spans = spans_of(query, now().timestamp())
    if intent.name == "summarise":
        return _summary(context, question, passages, spans)
    if spans and intent.name != "chat" and asks_only_for_a_time(stems_in_english(query)):
        chosen = _said_then(passages, spans)
    else:
        chosen = _answering(question, passages)
    if told_in_question(query) or (intent.name == "chat" and not _seeks(question, chosen)):
        return RuleAnswer("Noted." if context.request.temporary else "Noted. I'll remember that.")
    if chosen:
        return _quoted(chosen)
    if intent.name == "location" and context.request.location:
        return RuleAnswer(f"You are at {context.request.location}, your request says. I know nothing else about it.")
    if intent.deed == "forgets":
        return RuleAnswer(NOTHING_DELETED)
    return RuleAnswer(NOT_ASKED if context.bundle is None else NOT_KNOWN)


def _seeks(question: Text, chosen: Sequence[Passage]) -> bool:
    """Whether a message without the form of a question seeks something: by what it does, or because all that it says,
    and more, stands in what answers it."""
    if asked_by(question.text, question.does) == "asks":
        return True
    if not chosen or chosen[0].read is None:
        return False
    there = counterparts(question, chosen[0].read) >= SAME
    return bool(there.all()) and len(words(chosen[0].text)) > len(words(question.text))


# What may be quoted.


def _passages(context: Context) -> list[Passage]:
    """Every statement of the bundle, and of the history that the request brings: what is known first."""
    bundle, asked = context.bundle or Bundle(), set(content_stems(context.question))
    hits = {hit.gist.key: hit for hit in bundle.recall.hits}
    scores = {hit.gist.key: hit.score for hit in sorted(hits.values(), key=lambda hit: -hit.score)[:READ]}
    by_id = {hits[key].gist.id: score for key, score in scores.items()}
    keys = {source: kept.key for kept in bundle.memories for source in kept.sources}
    stated = {source for fact in bundle.known for source in fact.sources}
    passages = []
    for kept in bundle.memories:
        score = max((by_id[source] for source in kept.sources if source in by_id), default=KEPT)
        passages.append(Passage(told(kept.key, kept.value), Citation.of_key_value(kept), score))
    passages += [Passage(fact.text, Citation.of_fact(fact), KEPT) for fact in bundle.known]
    messages = [hit.gist for hit in hits.values()]
    further = {gist.key: gist for gist in (*bundle.recent, *bundle.unsummarised) if gist.key not in hits}
    messages += further.values()
    for gist in messages:
        key = keys.get(gist.id)
        if gist.by_rules or gist.id in stated or (key is not None and key_named(gist.content, key) == key):
            continue
        hit = hits.get(gist.key)
        source = Citation.of_gist(gist, "similar" if hit else "recent", hit.score if hit else None)
        rival = max((score for key, score in scores.items() if key != gist.key), default=0.0)
        parts = statements(gist.content, by_user=gist.role == "user")
        if len(parts) > MOST_PARTS:  # those with most words of the question
            parts = sorted(parts, key=lambda part: -len(asked & set(content_stems(part))))[:MOST_PARTS]
        passages += [Passage(text, source, scores.get(gist.key, 0.0), rival) for text in parts]
    for recalled in bundle.observations:
        source = Citation.of_observation(recalled)
        passages += [Passage(text, source, KEPT) for text in statements(source.content, by_user=False)]
    contents = {passage.source.content for passage in passages}
    brought = _brought(context.request.history)
    return [*passages, *(passage for passage in brought if passage.source.content not in contents)]


def _brought(history: Sequence[HistoryItem]) -> Iterator[Passage]:
    """What the user says in a request's history, newest first; what was answered is often a quotation of that."""
    room, moment = HISTORY_CHARACTERS, now()
    for at, item in reversed(list(enumerate(history))):
        room -= len(item.content)
        if room < 0:
            return
        if item.role == "user":
            said = moment - timedelta(seconds=len(history) - at)  # nobody says when; in this order, and just now
            source = Citation(0, str(at), HISTORY, HISTORY, HISTORY, item.role, item.content, said, None)
            yield from (Passage(text, source, KEPT) for text in statements(item.content, by_user=True))


def statements(content: str, *, by_user: bool) -> list[str]:
    """What a text says, in passages of whole sentences, with "…" for what is left out in between: the user's questions
    and courtesies."""
    passages: list[str] = []
    gap = False
    for sentence in split_sentences(content):
        sentence = (told_in_question(sentence) if by_user else None) or sentence
        if is_courtesy(sentence) or (by_user and (ends_with_question_mark(sentence) or statement_to_forget(sentence))):
            gap = bool(passages)
            continue
        joined = f"{passages[-1]}{f' {GAP} ' if gap else ' '}{sentence}" if passages else sentence
        if passages and len(joined) > PASSAGE:
            passages.append(sentence)
        else:
            passages[-1:] = [joined]
        gap = False
    return passages


# Which of it answers.


def _answering(question: Text, passages: Sequence[Passage]) -> list[Passage]:
    """The passages that are likely to answer, best first, newer ones before those that they replace."""
    judged = [_judged(question, passage) for passage in passages if passage.score >= LEAST_SCORE]
    best: dict[tuple[str, str], Passage] = {}  # of each source
    for passage in sorted(judged, key=lambda passage: -passage.likelihood):
        best.setdefault((passage.source.kind, passage.source.id), passage)
    ranked = each_once(list(best.values()))
    if not ranked or ranked[0].likelihood < LIKELY:
        return []
    first, others = ranked[0], ranked[1:]
    versions = [other for other in others if _are_versions(first, other)]
    if versions:
        newest, *older = sorted([first, *versions], key=lambda version: version.source.timestamp, reverse=True)
        return [newest, *(replace(version, before=True) for version in older)][:MOST_QUOTES]
    return [first, *(other for other in others if other.likelihood >= NEAR_BEST * first.likelihood)][:MOST_QUOTES]


def _judged(question: Text, passage: Passage) -> Passage:
    """A passage with its likelihood, which is none of what tells nothing."""
    if passage.read is None or not _tells(passage, passage.read):
        return passage
    by_user = passage.source.role != "assistant"
    evidence = Evidence(passage.read, passage.score, passage.rival, by_user)
    return replace(passage, likelihood=likelihood(question, evidence))


def _tells(passage: Passage, read: Text) -> bool:
    """Whether a passage does not ask more than it tells; what is kept and what the assistant says never does."""
    if passage.source.role != "user" or passage.source.kind == "memory":
        return True
    return not passage.asks and (read.does.tells or read.does.asks < EVEN)


def _are_versions(first: Passage, other: Passage) -> bool:
    """Whether two passages say the same of different times, so that the newer one holds. `first`: the likelier one."""
    older, newer = sorted((first, other), key=lambda passage: passage.source.timestamp)
    if older.read is None or newer.read is None or first.source.role != other.source.role:
        return False
    if older.source.timestamp == newer.source.timestamp:
        return False
    before, after = older.read.does, newer.read.does
    alike = bool(older.read.reading.sentence @ newer.read.reading.sentence >= SAME_MATTER)
    share = other.likelihood / first.likelihood
    if newer is first or after.changes < LIKELY_DOING or abs(before.others - after.others) >= LIKELY_DOING:
        return alike and share >= REPLACING
    of_one_matter = min(before.home, after.home) >= LIKELY_DOING or min(before.work, after.work) >= LIKELY_DOING
    return of_one_matter or (alike and share >= CHANGING)


def each_once(passages: Sequence[Passage]) -> list[Passage]:
    """Passages without those that say the same as one before."""
    distinct: dict[str, Passage] = {}
    for one in passages:
        distinct.setdefault(one.text.casefold(), one)
    return list(distinct.values())


def _lasting(passages: Sequence[Passage]) -> list[Passage]:
    """What is known of the user at all: what they asked to remember, then the facts and statements that say most."""
    kinds = {"memory": 0, FACT: 1}
    own = [one for one in passages if one.source.kind in kinds or (one.source.role == "user" and weight(one.text) > 0)]
    own.sort(key=lambda one: (kinds.get(one.source.kind, len(kinds)), -weight(one.text)))
    return each_once(own)[:MOST_LISTED]


def _said_then(passages: Sequence[Passage], spans: tuple[Span, ...]) -> list[Passage]:
    """What was said at the times that are named, the oldest first."""
    times = np.array([one.source.timestamp.timestamp() for one in passages])
    then = [one for one, near in zip(passages, nearness(spans, times), strict=True) if near == 1]
    return sorted(each_once(then)[:MOST_LISTED], key=lambda one: one.source.timestamp)


def _quoted(chosen: Sequence[Passage], *, whole: bool = False) -> RuleAnswer:
    """`whole`: none is cut."""
    citations: dict[tuple[str, str], Citation] = {}
    lines = []
    for one in chosen:
        source, line = one.source, _introduced(one, whole=whole)
        if source.kind != HISTORY:
            number = len(citations) + 1
            line += f" [{citations.setdefault((source.kind, source.id), replace(source, n=number)).n}]"
        lines.append(line)
    return RuleAnswer("\n".join(lines), tuple(citations.values()))


def _introduced(passage: Passage, *, whole: bool) -> str:
    source, text = passage.source, passage.text if whole else cut_at_word(passage.text, LONGEST)
    day = "" if source.timestamp.date() == now().date() else f" on {source.timestamp:%Y-%m-%d}"
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
    return f"(Before: {by[0].lower()}{by[1:]}: {text})" if passage.before else f"{by}: {text}"


def _at_end(bundle: Bundle) -> RuleAnswer:
    """The message that is asked for by its place, whole."""
    end, said = bundle.end, bundle.at_end
    if end is None or said is None:
        done = "asked" if end is not None and end.asking else "said"
        return RuleAnswer(f"{'You' if end is None or end.role == 'user' else 'I'} have {done} nothing before this.")
    hit = next(hit for hit in bundle.recall.hits if hit.gist.key == said.key)
    return _quoted([Passage(said.content.strip(), Citation.of_gist(said, "similar", hit.score), 1.0)], whole=True)


def _summary(context: Context, question: Text, passages: Sequence[Passage], spans: tuple[Span, ...]) -> RuleAnswer:
    bundle = context.bundle
    if bundle is None:
        return RuleAnswer("I did not look into my memory, so there is nothing to summarise.")
    of_subject = _said_then(passages, spans) or _of_subject(question, passages)
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


def _of_subject(question: Text, passages: Sequence[Passage]) -> list[Passage] | None:
    """What a summary is of that is asked for of a subject, the oldest first; None where it is of all."""
    weights = decisiveness(word_columns(question.reading))
    read = [(passage, passage.read) for passage in passages if passage.read is not None and not passage.asks]
    there = [counterparts(question, text) >= TRANSLATED for _, text in read]
    named = any((weights[same] >= NAMES).any() for same in there)
    if not named and question.does.whole >= ALL:
        return None
    shares = [float(weights @ same) for same in there]
    best = max(shares, default=0.0)
    chosen = [passage for (passage, _), share in zip(read, shares, strict=True) if share >= SUBJECT * best > 0]
    return sorted(each_once(chosen), key=lambda passage: passage.source.timestamp)
