"""What can be answered without a language model? The sentences of memory that match best, cited; pure functions."""

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from agents.chat.asked_words import asked, coverage, meant, meant_in_english
from agents.chat.changed import asks_for_now, tells_of_change
from agents.chat.choosing import COVERED, LIKE, choose, sought_by_fragment, times_of
from agents.chat.context import Bundle, Citation, Context
from agents.chat.nearest import nearest
from agents.chat.plain_replies import plain_reply
from agents.chat.renewals import of_the_asked, with_renewals
from agents.chat.replies import reply_asked_for
from agents.chat.statements import HISTORY, Sentence, citation_of, each_once, sentences_of
from agents.chat.subjects import Source, source_of
from agents.chat.told_names import with_told_names
from agents.chat.wanted import WHEN
from memory.domain import FACT
from memory.language.asking import tells_too
from memory.language.ends import End, asks_for_all
from memory.language.fragments import is_fragment
from memory.language.heard import NOTHING_HEARD, Heard
from memory.language.languages import is_foreign
from memory.language.summaries import only_asks, shortened, summarise_by_rules, weight
from memory.language.times.only_time import asks_only_for_a_time, beside_times
from memory.language.times.relative_times import COUNT, number_of
from memory.language.times.spans import nearness, spans_of
from memory.language.times.translated_times import stems_in_english
from utils.clock import now
from utils.text import WORD, content_stems, cut_at_word, stem, words

SENTENCE_CHARACTERS = 300
MOST_OF_SUBJECT = 6  # statements of a summary of one subject, where no other number is asked for
OF_SUBJECT = 0.42  # cosine similarity of what a summary of one subject tells that has no word of it,
NEAR_BEST = 0.15  # and how much less than the best it is at most
MOST_ASKED = 20  # that are told where more are asked for
MOST_KNOWN = 5  # statements told where the question names no subject,
MOST_OF_ALL = 12  # and where it asks for all
SUMMARY_TOKENS = 200
NOTHING_OF_IT = "I found nothing about that."

# Words that ask for a summary, and say how it is to be and of nothing in particular.
_SUMMARISING = frozenset(
    content_stems(
        "summarise summarize summary recap sum tl dr tldr overview conversation chat talk talked discussion discuss "
        "session thread message everything far happen today story short brief quick bullet point list "
        "sentence line paragraph word key main important detail gist highlight give make write need want new latest "
        "last recent previous user day pls plz tldr english french german spanish italian portuguese russian"
    )
)
_SUMMARISING_ELSEWHERE = frozenset(
    content_stems(
        "fasse fass fasst zusammen zusammenfassen zusammenfassung gespräch unterhaltung nachrichten besprochen bitte "
        "bisher "
        "résume résumer résumé récapitule récapituler conversation discussion messages parlé plaît "
        "resume resumir resumen resúmeme conversación charla mensajes hablado hablamos favor hazme "
        "riassumi riassumere riassunto conversazione messaggi detto parlato favore "
        "resuma resumo conversa mensagens falamos conversamos faça "
        "vat samen samenvatten samenvatting gesprek berichten besproken alsjeblieft geef"
    )
)
_LENGTH = re.compile(
    rf"\b(?!an?\b(?! (?:few|couple|dozen)))(?P<count>{COUNT}|some)(?: \w+)?"
    r" (?:(?P<unit>bullets?|bullet[ -]points?|points?|sentences?|lines?|items?)|paragraphs?|words?|messages?)\b",
    re.IGNORECASE,
)
_RELATIVE = re.compile(
    r"\b(yesterday|today|tonight|tomorrow|ago|(last|next|this|coming|past)\s+\w+|recently|just|soon|"
    r"(mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    re.IGNORECASE,
)

_KNOWN = {"memory": 0, FACT: 1}  # kinds of what is known rather than said, the surest first

Dated = Literal["never", "relative", "always"]


@dataclass(frozen=True)
class RuleAnswer:
    """`citations`: the memories quoted, numbered from 1 in the order in which the text cites them; what the request's
    own history says is quoted without a number."""

    text: str
    citations: tuple[Citation, ...] = ()


def answer_by_rules(context: Context) -> RuleAnswer:
    """An answer in plain words. Says so where memory knows nothing, or was not asked."""
    query, intent = context.question, context.intent.name
    if context.done is not None:
        return RuleAnswer(context.done)
    if context.bundle is not None and context.bundle.end is not None:
        return _at_end(context.bundle, context.bundle.end)
    if asks_for_all(query) and (lasting := _lasting(_sentences(context), MOST_OF_ALL)):
        return _quote(lasting, dated="never")
    if intent == "summarise":
        return _summary(context)
    if (reply := plain_reply(query, intent, temporary=context.request.temporary)) is not None:
        return RuleAnswer(reply)
    if intent == "chat":
        if is_fragment(query):
            if said := reply_asked_for(context, ()):
                return _quote([said], dated="never", whole=True)
            if found := sought_by_fragment(query, _sentences(context)):
                return _quote(found, dated="always" if tells_of_change(found, of_now=True) else "never")
        noted = "Noted." if context.request.temporary else "Noted. I'll remember that."
        if is_fragment(query) and (near := nearest(query, _sentences(context))):  # told, or looked for
            quoted = _quote(near, dated="always")
            return replace(quoted, text=f"{noted} What I know that comes nearest:\n{quoted.text}")
        return RuleAnswer(noted)
    if context.images is not None and context.intent.name == "image":
        return RuleAnswer(context.images)
    if not words(query):
        return RuleAnswer("What would you like to know?")
    sentences = _sentences(context)
    query = with_told_names(query, sentences)
    spans = spans_of(query, now().timestamp())
    if said := reply_asked_for(context, spans):
        return _quote([said], dated="always" if spans or WHEN.search(query) else "never", whole=True)
    only_time = bool(spans) and asks_only_for_a_time(set(stems_in_english(query)) - _speakers(sentences))
    of_now = asks_for_now(query)
    chosen = (only_time and _told_of(query, sentences)) or (
        choose(query, sentences, spans, of_now=of_now) if asked(query) else _lasting(sentences, MOST_KNOWN)
    )
    if not chosen and intent == "location" and context.request.location:
        return RuleAnswer(f"You are at {context.request.location}, your request says. I know nothing else about it.")
    if chosen:
        changed = bool(asked(query)) and tells_of_change(chosen, of_now=of_now)
        return _quote(chosen, dated="always" if spans or changed else "relative" if WHEN.search(query) else "never")
    if context.bundle is None:
        return RuleAnswer("I did not look into my memory for this, and without a language model I know nothing else.")
    if near := nearest(query, sentences):
        quoted = _quote(near, dated="always")
        return replace(quoted, text=f"I don't know that for sure. This comes nearest:\n{quoted.text}")
    if tells_too(query) and not context.request.temporary:
        return RuleAnswer("I'll remember what you told me. I know nothing else that answers it.")
    return RuleAnswer("I don't know that yet: nothing you told me answers it.")


def _sentences(context: Context) -> list[Sentence]:
    query, heard = context.question, context.heard
    return with_renewals(query, of_the_asked(query, sentences_of(context), heard), heard)


def _speakers(sentences: Sequence[Sentence]) -> set[str]:
    """The stems of the names of those who say sentences."""
    return {stem(word) for sentence in sentences for word in words(sentence.source.name or "")}


def _told_of(
    query: str, sentences: Sequence[Sentence], most: int | None = None, heard: Heard = NOTHING_HEARD
) -> list[Sentence] | None:
    """What a summary is of that is asked for of a subject or a time, the oldest first; None where it is of all. `most`:
    statements."""
    query = _LENGTH.sub(" ", query)
    spans, subject = spans_of(query, now().timestamp()), meant_in_english(query) - _SUMMARISING
    if is_foreign(query):
        subject -= _SUMMARISING_ELSEWHERE
        if heard.asks_for_all(query) and not spans:
            return None
    if spans:
        subject = beside_times(subject)
    if not (subject or spans):
        return None
    if not sentences:
        return []
    likely = np.ones(len(sentences))
    if subject:
        covered = coverage(subject, [meant(sentence.spoken) for sentence in sentences])
        likeness = np.array([sentence.likeness for sentence in sentences])
        likely = np.maximum(covered, np.where(likeness >= LIKE, likeness, 0))
        if max(covered) < COVERED and not _names_one(query, subject):
            likely = np.maximum(likely, np.where(likeness >= max(OF_SUBJECT, likeness.max() - NEAR_BEST), COVERED, 0))
        if is_foreign(query):
            alike = np.array([heard.alike(query, sentence.source.content) for sentence in sentences])
            near = alike >= max(OF_SUBJECT, alike.max() - NEAR_BEST)
            likely = np.maximum(likely, np.where(near, COVERED + alike, 0))
    if spans:
        likely *= nearness(spans, times_of(sentences)) == 1
    best = [sentences[at] for at in np.argsort(-likely, kind="stable") if likely[at] >= COVERED]
    if not best and is_foreign(query):
        return None  # what stood for a subject may have been another word for summing up
    return sorted(each_once(best)[: most or MOST_OF_SUBJECT], key=lambda sentence: sentence.source.timestamp)


def _names_one(query: str, subject: Set[str]) -> bool:
    """Whether a subject has a name or a number in it, of which only what has it, too, can be."""
    return any(
        stem(word.lower()) in subject and (word[0].isupper() or any(map(str.isdigit, word)))
        for word in WORD.findall(query)[1:]
    )


def _length_asked(query: str) -> int | None:
    """How many points, lines or sentences a summary is asked for to have; None where it is not."""
    found = _LENGTH.search(query)
    if found is None or found["unit"] is None or found["count"].lower() == "some":
        return None
    return min(number_of(found["count"]), MOST_ASKED) or None


def _at_end(bundle: Bundle, end: End) -> RuleAnswer:
    """The message that is asked for by its place, whole."""
    if bundle.at_end is None:
        done = "asked" if end.asking else "said"
        return RuleAnswer(f"{'You' if end.role == 'user' else 'I'} have {done} nothing before this.")
    said = bundle.at_end
    hit = next((hit for hit in bundle.recall.hits if hit.gist.key == said.key), None)
    return _quote([Sentence(said.content.strip(), citation_of(said, hit), 0.0)], dated="always", whole=True)


def _lasting(sentences: Sequence[Sentence], most: int) -> list[Sentence]:
    """What is known of the user at all: what they asked to remember, then the facts and statements that say most."""
    own = [s for s in sentences if s.source.kind in _KNOWN or (s.source.role == "user" and weight(s.text) > 0)]
    own.sort(key=lambda s: (_KNOWN.get(s.source.kind, len(_KNOWN)), -weight(s.text)))
    return each_once(own)[:most]


def _quote(chosen: Sequence[Sentence], *, dated: Dated, whole: bool = False) -> RuleAnswer:
    """`dated`: which have the day on which they were said; "relative": those with "yesterday", which is understood by
    that day. `whole`: none is cut."""
    citations: dict[Source, Citation] = {}
    lines = []
    for sentence in chosen:
        source = sentence.source
        introduction = _introduction(sentence, dated, whole=whole)
        if source.kind == HISTORY:
            lines.append(introduction)
            continue
        citation = citations.setdefault(source_of(sentence), replace(source, n=len(citations) + 1))
        lines.append(f"{introduction} [{citation.n}]")
    return RuleAnswer("\n".join(lines), tuple(citations.values()))


def _introduction(sentence: Sentence, dated: Dated, *, whole: bool) -> str:
    text = sentence.text if whole else cut_at_word(sentence.text, SENTENCE_CHARACTERS)
    if sentence.source.kind == "memory":
        return f"You asked me to remember: {text}"
    if sentence.source.kind == "fact":
        return f"As far as I know: “{text}”"
    if sentence.source.section == "observations":
        return f"An earlier {sentence.source.kind}: “{text}”"
    if sentence.source.kind == HISTORY:
        return f"You told me: “{text}”"
    shows_day = dated == "always" or (dated == "relative" and _RELATIVE.search(text) is not None)
    day = f" on {sentence.source.timestamp:%Y-%m-%d}" if shows_day else ""
    name = sentence.source.name
    if name and name.casefold() != sentence.source.role:
        return f"{name} said{day}: “{text}”"
    return f"You told me{day}: “{text}”" if sentence.source.role == "user" else f"I told you{day}: “{text}”"


def _summary(context: Context) -> RuleAnswer:
    bundle = context.bundle
    if bundle is None:
        return RuleAnswer("I did not look into my memory, so there is nothing to summarise.")
    most = _length_asked(context.question)
    told = _told_of(context.question, sentences_of(context), most, context.heard)
    if told:
        return _quote(told, dated="always")
    parts = [summary.text for summary in reversed(bundle.summaries) if summary.session_id == context.request.session_id]
    covered = max((s.to_index for s in bundle.summaries if s.session_id == context.request.session_id), default=-1)
    rest = [gist for gist in bundle.unsummarised or bundle.recent if gist.message_index > covered]
    rest = [gist for gist in rest if gist.role != "user" or context.heard.tells(gist.content)]
    if rest:
        parts.append(summarise_by_rules(rest, SUMMARY_TOKENS, most=most))
    if not any(parts) or (told is not None and only_asks("\n".join(parts))):
        parts = [summary.text for summary in reversed(bundle.summaries)]
    text = shortened("\n".join(part for part in parts if part), most)
    if told is None:
        return RuleAnswer(text or "There is nothing to summarise yet.")
    return RuleAnswer(NOTHING_OF_IT if only_asks(text) else f"{NOTHING_OF_IT} In all:\n{text}")
