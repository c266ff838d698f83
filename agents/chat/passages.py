"""Passages that may answer a question: every statement of what memory holds for it, read by the encoder."""

import asyncio
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Literal, NamedTuple

from agents.chat.context import Bundle, Citation, Context, HistoryItem
from agents.chat.keeper_agent import OF_THE_USER
from agents.chat.likelihood import Question, Text, are_of_one_matter, is_another_of_its_kind
from memory.domain import FACT, Hit
from memory.facts import Said, has_lead, key_named, leads_of, said_in, statement_to_forget, told
from memory.language import (
    LEFT_OUT,
    asked_by,
    asked_in,
    asks_whether_told,
    is_courtesy,
    own_words,
    spans_of,
    told_in_question,
    with_dates,
)
from utils.clock import now
from utils.embeddings import LocalEmbedder
from utils.sentences import split_sentences
from utils.text import GAP, content_stems, ends_with_question_mark, words
from utils.vectors import Floats

READ = 4  # hits whose passages are read; the answer is hardly ever further back
LEAST_SCORE = 0.001  # of recall, that they need
KEPT = 0.5  # stands for the score of what recall does not search: key-values, observations, what a request brings
MOST_PARTS = 8  # passages of one message that are looked at,
MOST_READ = 64  # and of all
PASSAGE = 160  # characters up to which sentences of a message are quoted together
HISTORY_CHARACTERS = 100_000  # of the newest messages that a request brings, that are read
RECALLED = ("similar", "recent")  # sections of what recall scores, and which it scores against each other
HISTORY = "history"  # the kind of these; they are nothing of memory, and not cited

Whose = Literal["own", "speaker", "text"]


@dataclass(frozen=True)
class Passage:
    """Some sentences of a source, which may be quoted. `score`: recall's, or what stands for it; `rival`: the best one
    of another message that does not only ask. `read`: None where nobody has read it. `fact`: of a message, by which it
    is read; else empty. `said`: its sentences, with what leads them; `quotes`: whether there is more in it, which the
    user quotes; `whose`: the words are the user's own, of a speaker who is named before them, or of a text that is to
    be worked on.
    `replaced_by`: the ids of what holds instead of it by now; `may_replace`: of messages that it may have replaced,
    where facts of it hold. `before`: it was true once; `until`: until then."""

    text: str
    source: Citation
    score: float
    rival: float = 0.0
    read: Text | None = None
    fact: str = ""
    likelihood: float = 0.0
    said: tuple[Said, ...] = ()
    quotes: bool = False
    whose: Whose = "own"
    replaced_by: frozenset[str] = frozenset()
    may_replace: frozenset[str] | None = None
    before: bool = False
    until: datetime | None = None

    @property
    def asks(self) -> bool:
        """Whether the user surely asks in it, or asks to forget or to sum up, and so tells nothing."""
        by_user = self.source.role == "user"
        return by_user and self.read is not None and asked_by(self.text, self.read.does, surely=True) is not None


class Asked(NamedTuple):
    """A question, and what may answer it."""

    question: Question
    passages: Sequence[Passage]


async def read_asked(context: Context, reader: LocalEmbedder) -> list[Asked]:
    """What a request asks, with its passages; behind it each of the questions that it joins, with its own."""
    parts = [context, *_parts(context)]
    passages = await asyncio.to_thread(lambda: list(map(_passages, parts)))
    everything = context.intent.name == "summarise" or context.request.asks_for_all
    least = 0.0 if everything else LEAST_SCORE
    wanted = [passage for some in passages for passage in some if passage.score >= least][: MOST_READ * len(parts)]
    leads = leads_of(said for passage in wanted for said in passage.said)
    asked = [part.question for part in parts]
    dated = any(_names_a_date(question) for question in asked)
    as_read = {passage: passage.fact or (_with_dates(passage) if dated else passage.text) for passage in wanted}
    texts = list(dict.fromkeys([*asked, *as_read.values(), *leads]))
    readings = dict(zip(texts, await reader.read(texts), strict=True))
    read = {passage: Text(text, readings[text]) for passage, text in as_read.items()}
    vectors = {lead: readings[lead].sentence for lead in leads}
    questions = []
    for part, some in zip(parts, passages, strict=True):
        known = [
            replace(passage, read=read[passage], whose=_whose(passage, vectors))
            if passage in read and leads.issuperset(leads_of(passage.said))
            else passage
            for passage in some
        ]
        question = Question(part.question, readings[part.question])
        questions.append(Asked(question, _with_rivals(question, known, part.bundle or Bundle())))
    return questions


def _names_a_date(question: str) -> bool:
    moment = now()
    return bool(spans_of(question, moment.timestamp(), UTC)) and with_dates(question, moment) == question


def _with_dates(passage: Passage) -> str:
    """What a passage says, with the dates of the times that it names in words: of "yesterday" the day before it was
    said."""
    return with_dates(passage.text, passage.source.said_at)


def _whose(passage: Passage, vectors: Mapping[str, Floats]) -> Whose:
    if passage.quotes:
        return "text"
    if all(one.is_own(vectors) for one in passage.said):
        return "own"
    return "speaker" if all(one.is_own(vectors, whoever=True) for one in passage.said) else "text"


def _parts(context: Context) -> list[Context]:
    """A context for each question of a request that joins some, with what was found for it and is left of that."""
    bundle = context.bundle
    if bundle is None or not bundle.parts:
        return []
    known = {hit.gist.key for part in bundle.parts for hit in part.hits}
    parts = []
    for part in bundle.parts:
        own = {hit.gist.key: hit for hit in part.hits}
        left = (hit for hit in bundle.recall.hits if hit.gist.key in own or hit.gist.key not in known)
        hits = tuple(own.get(hit.gist.key, hit) for hit in left)
        former = [replace(one, hit=own[one.hit.gist.key]) for one in bundle.former if one.hit.gist.key in own]
        of_part = replace(bundle, recall=replace(part, hits=hits), former=tuple(former))
        parts.append(replace(context, bundle=of_part))
    return parts


def _best(bundle: Bundle) -> list[Hit]:
    return sorted(bundle.recall.hits, key=lambda hit: -hit.score)[:READ]


def _with_rivals(question: Question, passages: Sequence[Passage], bundle: Bundle) -> list[Passage]:
    """Passages of messages and facts with the best score of another that does not only ask; of what is of the matter
    that is asked about, of another that is, too."""
    asking = {passage.source.id for passage in passages if passage.asks}
    asking -= {passage.source.id for passage in passages if not passage.asks}
    read = {one.source.id: one.read for one in passages if one.read is not None}
    of_matter = {name for name, text in read.items() if are_of_one_matter(question.does, text.does)}
    stating = (hit for hit in _best(bundle) if hit.gist.id not in asking and _states(hit))
    rivals = [hit for hit in stating if not is_another_of_its_kind(question.text, hit.text)]

    def rival(passage: Passage) -> float:
        others = {passage.source.id, *passage.replaced_by}
        among = [hit for hit in rivals if passage.source.id not in of_matter or hit.gist.id in of_matter]
        return max((hit.score for hit in among if hit.gist.id not in others), default=0.0)

    return [replace(one, rival=rival(one)) if one.source.section in RECALLED else one for one in passages]


def _states(hit: Hit) -> bool:
    """Whether a message rather states than asks, whatever goes on behind what it asks."""
    by_user = hit.gist.role == "user"
    return not (by_user and asked_in(hit.text) != hit.text) and bool(statements(hit.text, by_user=by_user))


def _passages(context: Context) -> list[Passage]:
    """Every statement of the bundle, and of the history that the request brings: what is known first."""
    bundle, asked = context.bundle or Bundle(), set(content_stems(context.question))
    hits = {hit.gist.key: hit for hit in bundle.recall.hits}
    by_id = {hit.gist.id: hit.score for hit in _best(bundle)}
    keys = {source: kept.key for kept in bundle.memories for source in kept.sources}
    stated = {source for fact in bundle.known for source in fact.sources}
    passages = []
    for kept in bundle.memories:
        # At least as if nothing had been found: "could you remember my locker is 12" is hardly like what it answers.
        score = max(by_id.get(source, KEPT) for source in ("", *kept.sources))
        passages.append(Passage(told(kept.key, kept.value), Citation.of_key_value(kept), score))
    kept_so = [set(content_stems(passage.text)) - OF_THE_USER for passage in passages]
    facts = [fact for fact in bundle.known if not _repeats(fact.text, kept_so)]
    passages += [Passage(fact.text, Citation.of_fact(fact), KEPT) for fact in facts]
    messages = [hit.gist for hit in hits.values() if hit.gist.kind != FACT or not _repeats(hit.gist.content, kept_so)]
    further = {gist.key: gist for gist in (*bundle.recent, *bundle.unsummarised) if gist.key not in hits}
    former = {one.hit.gist.key: one for one in bundle.former}
    messages += (*further.values(), *(one.hit.gist for one in bundle.former))
    for gist in messages:
        key = keys.get(gist.id)
        if gist.by_rules or gist.id in stated or (key is not None and key_named(gist.content, key) == key):
            continue
        hit, instead = hits.get(gist.key), frozenset[str]()
        if hit is None and gist.key in former:
            hit, instead = former[gist.key].hit, former[gist.key].replaced_by
        source = Citation.of_gist(gist, "similar" if hit else "recent", hit.score if hit else None)
        content, by_user = hit.text if hit else gist.content, gist.role == "user"
        parts = statements(content, by_user=by_user)
        if len(parts) > MOST_PARTS:  # those with most words of the question
            parts = sorted(parts, key=lambda part: -len(asked & set(content_stems(part))))[:MOST_PARTS]
        score = hit.score if hit and instead else by_id.get(gist.id, 0.0)
        perhaps = bundle.undecided.get(gist.id)
        made = [Passage(text, source, score, replaced_by=instead, may_replace=perhaps) for text in parts]
        made += [replace(_stating(fact, made), fact=fact) for fact in bundle.echoes.get(gist.id, ()) if made]
        passages += _with_words(made, content) if by_user else made
    for recalled in bundle.observations:
        source = Citation.of_observation(recalled)
        passages += [Passage(text, source, KEPT) for text in statements(source.content, by_user=False)]
    contents = {passage.source.content for passage in passages}
    brought = _brought(context.request.history)
    passages += [passage for passage in brought if passage.source.content not in contents]
    return [replace(one, source=one.source.at_home(context.request.timezone)) for one in passages]


def _repeats(fact: str, kept_so: Sequence[Collection[str]]) -> bool:
    """Whether a fact says what is kept under a key, and nothing beside it, given the stems of such."""
    stems = set(content_stems(fact)) - OF_THE_USER
    return any(stems == kept for kept in kept_so)


def _stating(fact: str, passages: Sequence[Passage]) -> Passage:
    """The passage that has most words of a fact."""
    stems = set(content_stems(fact))
    return max(passages, key=lambda passage: len(stems & set(content_stems(passage.text))))


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
            parts = statements(item.content, by_user=True)
            yield from _with_words([Passage(text, source, KEPT) for text in parts], item.content)


def _with_words(passages: Iterable[Passage], content: str) -> Iterator[Passage]:
    """Passages of a message of the user's, with those of its sentences that stand in each."""
    own = own_words(content)
    quoting = len(words(own)) < len(words(content))
    said = [
        (one, [words(part) for part in (told_in_question(one.sentence) or one.sentence).split(LEFT_OUT)])
        for one in said_in(own)
    ]
    for passage in passages:
        within = f" {' '.join(words(passage.text))} "
        there = [(one, parts) for one, parts in said if all(f" {' '.join(part)} " in within for part in parts if part)]
        more = quoting and sum(len(part) for _, parts in there for part in parts) < len(words(passage.text))
        yield replace(passage, said=tuple(one for one, _ in there), quotes=more)


def statements(content: str, *, by_user: bool) -> list[str]:
    """What a text says, in passages of whole sentences, with "…" for what is left out in between: the user's questions
    and courtesies. What the user leads in with a colon begins a passage."""
    passages: list[str] = []
    gap = False
    for sentence in split_sentences(content):
        sentence = (told_in_question(sentence) if by_user else None) or sentence
        if is_courtesy(sentence) or (by_user and (ends_with_question_mark(sentence) or statement_to_forget(sentence))):
            gap = bool(passages)
            continue
        joined = f"{passages[-1]}{f' {GAP} ' if gap else ' '}{sentence}" if passages else sentence
        if passages and (len(joined) > PASSAGE or (by_user and has_lead(sentence))):
            passages.append(sentence)
        else:
            passages[-1:] = [joined]
        gap = False
    return passages


def each_once(passages: Sequence[Passage]) -> list[Passage]:
    """Passages without those that say the same as one before."""
    distinct: dict[str, Passage] = {}
    for one in passages:
        distinct.setdefault(one.text.casefold(), one)
    return list(distinct.values())


def mentioning(question: str, passages: Sequence[Passage]) -> list[Passage]:
    """Where a question asks whether something was said, the newest passage of the user's that has all its words."""
    asked = set(content_stems(asks_whether_told(question) or ""))
    having = [
        passage
        for passage in passages
        if passage.source.role == "user" and not passage.asks and asked <= set(content_stems(passage.text))
    ]
    return [max(having, key=lambda passage: passage.source.timestamp)] if asked and having else []
