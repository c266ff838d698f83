"""What can be answered without a language model? The sentences of memory that match best, cited; pure functions."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from agents.context import Citation, Context
from agents.intent import is_assent, is_small_talk
from agents.statements import Sentence, each_once, sentences_of
from agents.subjects import Source, of_others, source_of, with_changes
from memory.courtesy import is_courtesy
from memory.only_time import asks_only_for_a_time, beside_times
from memory.periods import Span
from memory.relative_times import COUNT, number_of
from memory.spans import nearness, spans_of
from memory.summary_rules import shortened, summarise_by_rules, weight
from memory.traits import MONTHS
from utils.clock import now
from utils.text import content_stems, cut_at_word, stem

SENTENCE_CHARACTERS = 300
MOST_SENTENCES = 3
NEAR_BEST = 0.8  # a further sentence is told where its score is at least this share of the best one's
COVERED = 0.55  # share of the question's weight that a sentence must cover by words alone
TELLING = 3  # words of its own that a sentence needs which shares none with the question
LIKE = 0.62  # cosine similarity that suffices where no word is shared
SURE = 0.74  # cosine similarity from which on a sentence need not hold a number or a date, as the question wants
MOST_OF_SUBJECT = 6  # statements of a summary of one subject, where no other number is asked for
MOST_ASKED = 20  # that are told where more are asked for
MOST_KNOWN = 5  # statements told where the question names no subject
SUMMARY_TOKENS = 200

# Words of a question that say of which form its answer is, and words that mean the same in questions and answers.
_FORM = frozenset(
    content_stems("name called number date day time year place kind type sort old long talk mention discuss ask tell")
)
_SAME = {
    stem(other): stem(word)
    for word, others in {
        "work": "job profession occupation employed working joined",
        "live": "home reside address living moved relocated",
        "married": "wedding marriage marry",
        "colour": "color",
        "favourite": "favorite",
        "children": "child kids kid",
        "mother": "mom mum mommy",
        "father": "dad daddy",
        "wife": "spouse",
        "boss": "manager",
        "flight": "plane",
        "choose": "chose chosen decide decided pick picked",
        "buy": "bought",
    }.items()
    for other in others.split()
}
# Of two of these a sentence speaks of one or the other: a question about a brother is not answered by a sister.
_SUBJECTS = frozenset(
    content_stems(
        "mother father brother sister son daughter wife husband uncle aunt cousin boss neighbour dog cat car bike"
    )
)

# Words that ask for a summary, and say how it is to be and of nothing in particular.
_SUMMARISING = frozenset(
    content_stems(
        "summarise summarize summary recap sum tl dr tldr overview conversation chat talk talked discussion discuss "
        "session thread message everything far happen today story short brief quick bullet point list "
        "sentence line paragraph word key main important detail gist highlight give make write need want new latest "
        "last recent previous user day pls plz tldr english french german spanish italian portuguese russian"
    )
)
_LENGTH = re.compile(
    rf"\b(?!an?\b(?! (?:few|couple|dozen)))(?P<count>{COUNT}|some)(?: \w+)?"
    r" (?:(?P<unit>bullets?|bullet[ -]points?|points?|sentences?|lines?|items?)|paragraphs?|words?|messages?)\b",
    re.IGNORECASE,
)
_TIMES = frozenset(
    content_stems(f"{' '.join(MONTHS)} monday tuesday wednesday thursday friday saturday sunday christmas easter")
)

_FOR_A_LIVING = re.compile(r"\bfor a living\b|\bmake (?:my|a) living\b", re.IGNORECASE)
_OWN_NAME = re.compile(r"\bmy (?:first )?name\b|\bwho am i\b|\bam i called\b", re.IGNORECASE)
_INTRODUCED = re.compile(r"\b(?:[Ii]['’]m|[Ii] am|[Cc]all me) [A-ZÀ-Þ]\w+(?=[.,!]| and\b|$)")
_ABOUT_LOCI = re.compile(
    r"^\W*(hi|hello|hey|so|and)?\W*((who|what) are you|what(['’]s| is) your name|what can you do( for me)?)\W*$",
    re.IGNORECASE,
)
_KEEPS_NOT = re.compile(r"\b(don['’]?t|do not|never)\s+(remember|save|store|keep|memori[sz]e|record)\b", re.IGNORECASE)
_TASK = re.compile(
    r"^\W*(please\s+)?(write|draft|compose|translate|tell|generate|create|make|calculate|compute|draw|suggest|recommend|"
    r"rewrite|rephrase|fix|correct|improve|find|search|book|order|send|call|open|play|set)\b",
    re.IGNORECASE,
)
_GREETINGS = (
    (re.compile(r"\b(thank|thanks|thx)", re.IGNORECASE), "You're welcome."),
    (re.compile(r"\b(bye|goodbye|see you|good night)", re.IGNORECASE), "Goodbye. I'll remember what we talked about."),
    (re.compile(r"\bhow are you|what['’]s up|how['’]s it", re.IGNORECASE), "I'm well, thank you. How can I help?"),
    (re.compile(r"\b(hi|hello|hey|hiya|yo|good (morning|afternoon|evening))", re.IGNORECASE), "Hello! How can I help?"),
)
_NUMBER = r"\d|\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|couple|no)\b"
_WHEN = re.compile(r"\b(when|what (day|date|time|year)|how long)\b", re.IGNORECASE)
_RELATIVE = re.compile(
    r"\b(yesterday|today|tonight|tomorrow|ago|(last|next|this|coming|past)\s+\w+|recently|just|soon|"
    r"(mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    re.IGNORECASE,
)
_NEEDS = (  # what a question wants and a sentence must hold, to be an answer
    (
        _WHEN,
        re.compile(
            _NUMBER
            + r"|\b(mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(january|february|march|april|may|june|july|august|"
            r"september|october|november|december|yesterday|today|tomorrow|noon|midnight|morning|afternoon|evening|night|"
            r"weekend|week|month|year|spring|summer|autumn|winter|christmas|easter|since|after|before|until)s?\b",
            re.IGNORECASE,
        ),
    ),
    (re.compile(r"\bhow (many|much|old)\b|\bnumber\b", re.IGNORECASE), re.compile(_NUMBER, re.IGNORECASE)),
)
_LIKES = (  # what makes a sentence a likelier answer
    (re.compile(r"\bpassword\b|\bcode\b", re.IGNORECASE), re.compile(r"\d")),
    (re.compile(r"\b(who|whose|where|name|called|which)\b", re.IGNORECASE), re.compile(r"(?<=\w[\s,])[A-ZÀ-Þ]\w+")),
)


Dated = Literal["never", "relative", "always"]


@dataclass(frozen=True)
class RuleAnswer:
    """`citations`: the memories quoted, numbered from 1 in the order in which the text cites them."""

    text: str
    citations: tuple[Citation, ...] = ()


def answer_by_rules(context: Context) -> RuleAnswer:
    """An answer in plain words. Says so where memory knows nothing, or was not asked."""
    query, intent = context.request.query, context.intent.name
    if context.done is not None:
        return RuleAnswer(context.done)
    if intent == "summarise":
        return _summary(context)
    if intent == "chat":
        if is_small_talk(query) or is_assent(query) or is_courtesy(query):
            return RuleAnswer(_small_talk(query))
        if _KEEPS_NOT.search(query) and not context.request.temporary:
            return RuleAnswer(
                "What is said here is kept. Use a temporary chat for what is not to be, or delete this one."
            )
        if _TASK.match(query):
            return RuleAnswer("I can't do that without a language model. I can tell you what you told me.")
        return RuleAnswer("Noted." if context.request.temporary else "Noted. I'll remember that.")
    if context.images is not None and context.intent.name == "image":
        return RuleAnswer(context.images)
    if _ABOUT_LOCI.match(query):
        return RuleAnswer("I'm Loci, and I remember. Without a language model, I tell you what you told me.")
    sentences = sentences_of(context)
    spans = spans_of(query, now().timestamp())
    only_time = bool(spans) and asks_only_for_a_time(content_stems(query))
    chosen = (only_time and _told_of(query, sentences)) or (
        _choose(query, sentences, spans) if _asked(query) else _lasting(sentences)
    )
    if not chosen and intent == "location" and context.request.location:
        return RuleAnswer(f"You are at {context.request.location}, your request says. I know nothing else about it.")
    if chosen:
        return _quote(chosen, dated="always" if spans else "relative" if _WHEN.search(query) else "never")
    if context.bundle is None:
        return RuleAnswer("I did not look into my memory for this, and without a language model I know nothing else.")
    return RuleAnswer("I don't know that yet: nothing you told me answers it.")


def _small_talk(query: str) -> str:
    return next((reply for pattern, reply in _GREETINGS if pattern.search(query)), "All right.")


def _choose(query: str, sentences: Sequence[Sentence], spans: tuple[Span, ...]) -> list[Sentence]:
    """The sentences that answer best: idf-weighted coverage of the question's words, and likeness of the message.
    `spans`: the times that the question names; what was said then, or names the same time, answers before all else.
    What is about another one than the question names answers nothing; what was changed since comes behind that."""
    asked = _asked(query)
    stems = [_meant(sentence.spoken) for sentence in sentences]
    coverage = _coverage(asked, stems)
    others = of_others(query, sentences)
    own_name = _OWN_NAME.search(query) is not None
    needed = [answer for question, answer in _NEEDS if question.search(query)]
    liked = [answer for question, answer in _LIKES if question.search(query)]
    scored: list[tuple[float, int]] = []
    for at, sentence in enumerate(sentences):
        covered = 1.0 if own_name and _INTRODUCED.search(sentence.text) else coverage[at]
        if covered < COVERED and sentence.likeness < LIKE:
            continue
        if not stems[at] - asked:
            continue  # it says no more than the question
        if not covered and len(stems[at]) < TELLING:
            continue  # "Cool!" is as like the question as the rest of its message, and says nothing
        if source_of(sentence) in others:
            continue
        subjects = asked & _SUBJECTS
        if subjects and not subjects & stems[at] and (stems[at] & _SUBJECTS or sentence.likeness < SURE):
            continue
        if sentence.likeness < SURE and not all(answer.search(sentence.spoken) for answer in needed):
            continue
        score = covered + sentence.likeness + 0.25 * any(answer.search(sentence.spoken) for answer in liked)
        if sentence.source.role == "user":
            score += 0.1
        scored.append((score, at))
    if spans:
        then, named = nearness(spans, _times_of(sentences)) == 1, asked & _TIMES
        scored = [one for one in scored if then[one[1]] or named & stems[one[1]]] or scored
    scored.sort(key=lambda one: (-one[0], one[1]))
    best = [sentences[at] for score, at in scored if score >= NEAR_BEST * scored[0][0]]
    return with_changes(each_once(best)[:MOST_SENTENCES], sentences)


def _told_of(query: str, sentences: Sequence[Sentence], most: int | None = None) -> list[Sentence] | None:
    """What a summary is of that is asked for of a subject or a time, the oldest first; None where it is of all. `most`:
    statements."""
    query = _LENGTH.sub(" ", query)
    spans, subject = spans_of(query, now().timestamp()), _meant(query) - _SUMMARISING
    if spans:
        subject = beside_times(subject)
    if not (subject or spans):
        return None
    if not sentences:
        return []
    likely = np.ones(len(sentences))
    if subject:
        coverage = _coverage(subject, [_meant(sentence.spoken) for sentence in sentences])
        likeness = np.array([sentence.likeness for sentence in sentences])
        likely = np.maximum(coverage, np.where(likeness >= LIKE, likeness, 0))
    if spans:
        likely *= nearness(spans, _times_of(sentences)) == 1
    best = [sentences[at] for at in np.argsort(-likely, kind="stable") if likely[at] >= COVERED]
    return sorted(each_once(best)[: most or MOST_OF_SUBJECT], key=lambda sentence: sentence.source.timestamp)


def _length_asked(query: str) -> int | None:
    """How many points, lines or sentences a summary is asked for to have; None where it is not."""
    found = _LENGTH.search(query)
    if found is None or found["unit"] is None or found["count"].lower() == "some":
        return None
    return min(number_of(found["count"]), MOST_ASKED) or None


def _times_of(sentences: Sequence[Sentence]) -> NDArray[np.float64]:
    """When each was said, in seconds since 1970."""
    return np.array([sentence.source.timestamp.timestamp() for sentence in sentences])


def _coverage(asked: set[str], stems: Sequence[set[str]]) -> list[float]:
    """The share of what is asked for that each sentence has, by its stems, the rarer of these counting more."""
    frequency = Counter(one for found in stems for one in found)
    weights = {one: math.log(1 + len(stems) / (0.5 + frequency[one])) for one in asked}
    whole = sum(weights.values())
    return [sum(weights[one] for one in asked & found) / whole for found in stems]


def _asked(query: str) -> set[str]:
    """The stems by which a sentence answers a question."""
    found = _meant(query)
    return found - _FORM or found


def _meant(text: str) -> set[str]:
    return {_SAME.get(found, found) for found in content_stems(_FOR_A_LIVING.sub("work", text))}


def _lasting(sentences: Sequence[Sentence]) -> list[Sentence]:
    """What is known of the user at all: facts, then the statements that say most."""
    own = [s for s in sentences if s.source.kind == "memory" or (s.source.role == "user" and weight(s.text) > 0)]
    own.sort(key=lambda s: (s.source.kind != "memory", -weight(s.text)))
    return each_once(own)[:MOST_KNOWN]


def _quote(chosen: Sequence[Sentence], *, dated: Dated) -> RuleAnswer:
    """`dated`: which have the day on which they were said; "relative": those with "yesterday", which is understood by
    that day."""
    citations: dict[Source, Citation] = {}
    lines = []
    for sentence in chosen:
        source = sentence.source
        citation = citations.setdefault(source_of(sentence), replace(source, n=len(citations) + 1))
        lines.append(f"{_introduction(sentence, dated=dated)} [{citation.n}]")
    return RuleAnswer("\n".join(lines), tuple(citations.values()))


def _introduction(sentence: Sentence, *, dated: Dated) -> str:
    text = cut_at_word(sentence.text, SENTENCE_CHARACTERS)
    if sentence.source.kind == "memory":
        return f"You asked me to remember: {text}"
    if sentence.source.kind == "fact":
        return f"As far as I know: “{text}”"
    if sentence.source.section == "observations":
        return f"An earlier {sentence.source.kind}: “{text}”"
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
    most = _length_asked(context.request.query)
    told = _told_of(context.request.query, sentences_of(context), most)
    if told:
        return _quote(told, dated="always")
    parts = [summary.text for summary in reversed(bundle.summaries) if summary.session_id == context.request.session_id]
    covered = max((s.to_index for s in bundle.summaries if s.session_id == context.request.session_id), default=-1)
    rest = [gist for gist in bundle.unsummarised or bundle.recent if gist.message_index > covered]
    if rest:
        parts.append(summarise_by_rules(rest, SUMMARY_TOKENS, most=most))
    if not any(parts) and bundle.summaries:
        parts = [summary.text for summary in reversed(bundle.summaries)]
    text = shortened("\n".join(part for part in parts if part), most)
    if text and told is not None:
        text = f"I found nothing about that. In all:\n{text}"
    return RuleAnswer(text or "There is nothing to summarise yet.")
