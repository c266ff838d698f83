"""Answers without a language model: quotes of what memory holds where they are likely to answer, else silence.

A passage is quoted by its likelihood (`agents.chat.likelihood`), dated where it is not of today, the newest first of
those that say the same of different times, the older marked as what was so before. What asks, or asks for something, is
never quoted. Whatever its form, a message is held against memory first: one that tells something new is noted.
"""

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import numpy as np

from agents.chat.context import Bundle, Citation, Context, HistoryItem
from agents.chat.intent import is_assent, is_small_talk
from agents.chat.likelihood import SAME, Found, Text, counterparts, decisiveness, likelihood, word_columns
from memory.domain import FACT, Gist, Hit, KeyValue
from memory.facts import statement_to_forget, told
from memory.language import (
    COUNT,
    Span,
    asked_by,
    asks_for_all,
    asks_only_for_a_time,
    doing,
    is_courtesy,
    nearness,
    number_of,
    only_asks,
    shortened,
    spans_of,
    stems_in_english,
    summarise_by_rules,
    weight,
)
from utils.clock import now
from utils.embeddings import LocalEmbedder
from utils.encoder import Reading
from utils.errors import ModelError
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
NOTHING_OF_IT = "I found nothing about that."
NOT_ASKED = "I did not look into my memory for this, and without a language model I know nothing else."
DELETING = (
    "I delete no conversations from here: DELETE /v1/sessions/{id} does, with all that was derived of it. "
    "“Forget my phone number” deletes one thing."
)
HELPING = (
    "Tell me things, and ask me about them later, here or in another conversation. “Remember that …” keeps a fact, "
    "“forget …” deletes one, “summarise our talk” sums up. Without a language model, I tell you what you told me."
)

_ASKS_FOR_A_NUMBER = re.compile(
    rf"\b(?P<count>{COUNT})(?: \w+)? (?:bullets?|bullet[ -]points?|points?|sentences?|lines?|items?)\b", re.IGNORECASE
)
_PLAIN: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"^\W*(?:{pattern})\W*$", re.IGNORECASE), reply)
    for pattern, reply in (
        (
            r"(?:please )?(?:delete|erase|remove|clear|wipe) (?:(?:this|the|our|all|my|whole|entire|of) )*"
            r"(?:conversation|chat|session|history|messages?)",
            DELETING,
        ),
        (r"help(?: me)?|how (?:do|can) i use (?:you|this|it)", HELPING),
        (
            r"(?:who|what) are you|what(?:['’]s| is) your name|what can you do(?: for me)?",
            "I'm Loci, and I remember. Without a language model, I tell you what you told me.",
        ),
        (
            r"(?:what|which) (?:day|date|time) is it(?: today| now)?|what(?:['’]s| is) the (?:day|date|time)",
            "It is {now:%A, %Y-%m-%d, %H:%M} UTC.",
        ),
    )
)
_TASK = re.compile(
    r"^\W*(?:please )?(?:write|draft|compose|translate|generate|create|calculate|compute|draw|suggest|recommend|"
    r"rewrite|rephrase|correct|improve)\b",
    re.IGNORECASE,
)
_OFF_THE_RECORD = re.compile(r"\b(?:don['’]?t|do not|never) (?:remember|save|store|keep|record)\b|\boff the record\b")
_GREETINGS = (
    (re.compile(r"\b(?:thank|thanks|thx)\b", re.IGNORECASE), "You're welcome."),
    (
        re.compile(r"\b(?:bye|goodbye|see you|good night)\b", re.IGNORECASE),
        "Goodbye. I'll remember what we talked about.",
    ),
    (re.compile(r"\bhow are you|what['’]s up|how['’]s it", re.IGNORECASE), "I'm well, thank you. How can I help?"),
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
    of another message. `before`: another one was true after it."""

    text: str
    source: Citation
    score: float
    rival: float = 0.0
    likelihood: float = 0.0
    before: bool = False


Readings = Mapping[str, Reading]


async def answer_by_rules(context: Context, reader: LocalEmbedder | None) -> RuleAnswer:
    """An answer in plain words. Says so where memory knows nothing, or was not asked. `reader`: reads the question and
    what may answer it; without one, or where it fails, recall's score alone decides."""
    if (reply := _without_memory(context)) is not None:
        return reply
    passages = await asyncio.to_thread(_passages, context)
    return await asyncio.to_thread(_from_memory, context, passages, await _read(reader, context, passages))


async def _read(reader: LocalEmbedder | None, context: Context, passages: Sequence[Passage]) -> Readings:
    if reader is None or not passages:
        return {}
    every = context.intent.name == "summarise"
    wanted = [one.text for one in passages if every or one.score >= LEAST_SCORE][:MOST_READ]
    texts = list(dict.fromkeys([context.question, *wanted]))
    try:
        return dict(zip(texts, await reader.read(texts), strict=True))
    except ModelError:
        return {}


def _without_memory(context: Context) -> RuleAnswer | None:
    """What is answered whatever was said before."""
    query, intent, bundle = context.question.strip(), context.intent.name, context.bundle
    if context.done is not None:
        return RuleAnswer(context.done)
    if bundle is not None and bundle.end is not None:
        return _at_end(bundle)
    for pattern, reply in _PLAIN:
        if pattern.match(query):
            return RuleAnswer(reply.format(now=now(), id="{id}"))
    if _OFF_THE_RECORD.search(query) and not context.request.temporary and intent == "chat":
        return RuleAnswer("What is said here is kept. Use a temporary chat for what is not to be, or delete this one.")
    if _TASK.match(query) and intent == "chat":
        return RuleAnswer(NEEDS_MODEL)
    if intent == "image" and context.images is not None:
        return RuleAnswer(context.images)
    if intent == "chat" and (is_small_talk(query) or is_assent(query) or is_courtesy(query)):
        return RuleAnswer(next((reply for pattern, reply in _GREETINGS if pattern.search(query)), "All right."))
    return None if words(query) else RuleAnswer("What would you like to know?")


def _from_memory(context: Context, passages: Sequence[Passage], readings: Readings) -> RuleAnswer:
    query, intent, bundle = context.question, context.intent.name, context.bundle
    if asks_for_all(query) and (listed := _lasting(passages)):
        return _quoted(listed)
    if intent == "summarise":
        return _summary(context, passages, readings)
    spans = spans_of(query, now().timestamp())
    if spans and intent != "chat" and asks_only_for_a_time(stems_in_english(query)):
        chosen = _said_then(passages, spans)
    else:
        chosen = _answering(query, passages, readings)
    if intent == "chat" and not _seeks(query, chosen, readings):
        return RuleAnswer("Noted." if context.request.temporary else "Noted. I'll remember that.")
    if chosen:
        return _quoted(chosen)
    if intent == "location" and context.request.location:
        return RuleAnswer(f"You are at {context.request.location}, your request says. I know nothing else about it.")
    return RuleAnswer(NOT_ASKED if bundle is None else NOT_KNOWN)


def _seeks(query: str, chosen: Sequence[Passage], readings: Readings) -> bool:
    """Whether a message without the form of a question seeks something: by what it does, or because all that it says,
    and more, stands in what answers it."""
    if query not in readings:
        return False
    question = Text(query, readings[query])
    if asked_by(query, doing(question.reading.sentence, query)) == "asks":
        return True
    if not chosen:
        return False
    there = counterparts(question, Text(chosen[0].text, readings[chosen[0].text]))
    return bool((there >= SAME).all()) and len(words(chosen[0].text)) > len(words(query))


# What may be quoted.


def _passages(context: Context) -> list[Passage]:
    """Every statement of the bundle, and of the history that the request brings: what is known first."""
    bundle, asked = context.bundle or Bundle(), set(content_stems(context.question))
    hits = {hit.gist.key: hit for hit in bundle.recall.hits}
    read = sorted(hits.values(), key=lambda hit: -hit.score)[:READ]
    stated = {source for fact in bundle.memories for source in fact.sources}
    stated |= {source for fact in bundle.known for source in fact.sources}
    passages = []
    for fact in bundle.memories:
        own = [hit.score for hit in read if hit.gist.id in fact.sources]
        passages.append(Passage(told(fact.key, fact.value), _of_key_value(fact), max(own, default=KEPT)))
    for known in bundle.known:
        source = Citation(0, known.id, FACT, "known", known.memory_id, FACT, known.text, known.valid_from, None)
        passages.append(Passage(known.text, source, KEPT))
    messages = {key: hit.gist for key, hit in hits.items()}
    messages |= {gist.key: gist for gist in (*bundle.recent, *bundle.unsummarised) if gist.key not in hits}
    for key, gist in messages.items():
        if not gist.by_rules and gist.id not in stated:
            hit = hits.get(key)
            rival = max((other.score for other in read if other is not hit), default=0.0)
            score = hit.score if hit in read else 0.0
            parts = statements(gist.content, by_user=gist.role == "user")
            if len(parts) > MOST_PARTS:  # those with most words of the question
                parts = sorted(parts, key=lambda part: -len(asked & set(content_stems(part))))[:MOST_PARTS]
            passages += [Passage(text, citation_of(gist, hit), score, rival) for text in parts]
    for recalled in bundle.observations:
        one = recalled.observation
        at, score = one.created_at, recalled.score
        source = Citation(0, one.id, one.category, "observations", None, None, one.content, at, score)
        passages += [Passage(text, source, KEPT) for text in statements(one.content, by_user=False)]
    contents = {one.source.content for one in passages}
    return [*passages, *(one for one in _brought(context.request.history) if one.source.content not in contents)]


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


def _of_key_value(fact: KeyValue) -> Citation:
    text = f"{fact.key}: {fact.value}"
    return Citation(0, fact.key, "memory", "memories", None, "user", text, fact.updated_at, None)


def citation_of(gist: Gist, hit: Hit | None) -> Citation:
    """A message as a source. `hit`: what recall found of it; None where it was not searched for."""
    section, score = ("similar", hit.score) if hit else ("recent", None)
    return Citation(
        0, gist.id, gist.kind, section, gist.session_id, gist.role, gist.content, gist.timestamp, score, gist.name
    )


def statements(content: str, *, by_user: bool) -> list[str]:
    """What a text says, in passages of whole sentences, with "…" for what is left out in between: the user's questions
    and courtesies."""
    passages: list[str] = []
    gap = False
    for sentence in split_sentences(content):
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


def _answering(query: str, passages: Sequence[Passage], readings: Readings) -> list[Passage]:
    """The passages that are likely to answer, best first, newer ones before those that they replace."""
    judged = [_judged(query, one, readings) for one in passages if one.score >= LEAST_SCORE]
    best: dict[tuple[str, str], Passage] = {}  # of each source
    for one in sorted(judged, key=lambda one: -one.likelihood):
        best.setdefault((one.source.kind, one.source.id), one)
    ranked = each_once(list(best.values()))
    if not ranked or ranked[0].likelihood < LIKELY:
        return []
    first, others = ranked[0], ranked[1:]
    versions = [one for one in others if _replaces(first, one, readings)]
    if versions:
        newest, *older = sorted([first, *versions], key=lambda one: one.source.timestamp, reverse=True)
        return [newest, *(replace(one, before=True) for one in older)][:MOST_QUOTES]
    return [first, *(one for one in others if one.likelihood >= NEAR_BEST * first.likelihood)][:MOST_QUOTES]


def _judged(query: str, passage: Passage, readings: Readings) -> Passage:
    """A passage with its likelihood, which is none of what asks for something."""
    if query not in readings or passage.text not in readings:
        return replace(passage, likelihood=passage.score)
    reading, by_user = readings[passage.text], passage.source.role != "assistant"
    if passage.source.role == "user" and _asks(passage.text, readings):
        return passage
    found = Found(Text(passage.text, reading), passage.score, passage.rival, by_user)
    return replace(passage, likelihood=likelihood(Text(query, readings[query]), found))


def _asks(text: str, readings: Readings) -> bool:
    """Whether a text surely asks, or asks to forget or to sum up, and so tells nothing."""
    return text in readings and asked_by(text, doing(readings[text].sentence, text), surely=True) is not None


def _replaces(first: Passage, other: Passage, readings: Readings) -> bool:
    """Whether two passages say the same of different times, so that the newer one holds."""
    if first.text not in readings or other.text not in readings or first.source.role != other.source.role:
        return False
    older, newer = sorted((first, other), key=lambda one: one.source.timestamp)
    if older.source.timestamp == newer.source.timestamp:
        return False
    one, two = readings[older.text].sentence, readings[newer.text].sentence
    before, after = doing(one, older.text), doing(two, newer.text)
    share, alike = other.likelihood / first.likelihood, one @ two >= SAME_MATTER
    if newer is first or after.changes < LIKELY_DOING or abs(before.others - after.others) >= LIKELY_DOING:
        return bool(alike and share >= REPLACING)
    of_one_matter = min(before.home, after.home) >= LIKELY_DOING or min(before.work, after.work) >= LIKELY_DOING
    return bool(of_one_matter or (alike and share >= CHANGING))


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


# How it is told.


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
    hit = next((hit for hit in bundle.recall.hits if hit.gist.key == said.key), None)
    return _quoted([Passage(said.content.strip(), citation_of(said, hit), 1.0)], whole=True)


def _summary(context: Context, passages: Sequence[Passage], readings: Readings) -> RuleAnswer:
    bundle, query = context.bundle, context.question
    if bundle is None:
        return RuleAnswer("I did not look into my memory, so there is nothing to summarise.")
    asked = _ASKS_FOR_A_NUMBER.search(query)
    most = min(number_of(asked["count"]), MOST_LISTED) or None if asked else None
    of_subject = _of_subject(query, passages, readings)
    if of_subject:
        return _quoted(of_subject[: most or MOST_LISTED])
    session = [one for one in bundle.summaries if one.session_id == context.request.session_id]
    covered = max((one.to_index for one in session), default=-1)
    rest = [gist for gist in bundle.unsummarised or bundle.recent if gist.message_index > covered]
    rest = [gist for gist in rest if gist.role != "user" or not _asks(gist.content, readings)]
    parts = [one.text for one in reversed(session)]
    if rest:
        parts.append(summarise_by_rules(rest, SUMMARY_TOKENS, most=most))
    if not any(parts):
        parts = [one.text for one in reversed(bundle.summaries)]
    text = shortened("\n".join(part for part in parts if part), most)
    if of_subject is None:
        return RuleAnswer(text or "There is nothing to summarise yet.")
    return RuleAnswer(NOTHING_OF_IT if only_asks(text) else f"{NOTHING_OF_IT} In all:\n{text}")


def _of_subject(query: str, passages: Sequence[Passage], readings: Readings) -> list[Passage] | None:
    """What a summary is of that is asked for of a subject or a time, the oldest first; None where it is of all."""
    spans = spans_of(query, now().timestamp())
    if spans and (then := _said_then(passages, spans)):
        return then
    if query not in readings:
        return None
    question = Text(query, readings[query])
    weights = decisiveness(word_columns(question.reading))
    own = [
        one for one in passages if one.text in readings and (one.source.role != "user" or not _asks(one.text, readings))
    ]
    there = [counterparts(question, Text(one.text, readings[one.text])) >= TRANSLATED for one in own]
    named = any((weights[same] >= NAMES).any() for same in there)
    if not named and doing(question.reading.sentence, query).whole >= ALL:
        return None
    shares = [float(weights @ same) for same in there]
    best = max(shares, default=0.0)
    chosen = [one for one, share in zip(own, shares, strict=True) if share >= SUBJECT * best > 0]
    return sorted(each_once(chosen), key=lambda one: one.source.timestamp)
