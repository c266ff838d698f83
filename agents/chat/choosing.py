"""Which sentences of memory answer a question? Pure functions, by words, likeness, and what the question wants."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from agents.chat.asked_words import asked, coverage, meant, written_otherwise
from agents.chat.changed import newest_first, with_changes
from agents.chat.kinds_elsewhere import kinds_in
from agents.chat.known_names import add_kinds
from agents.chat.numbered import is_of_another_day, is_of_another_number
from agents.chat.possessors import is_of_another
from agents.chat.statements import Sentence, each_once
from agents.chat.subjects import names_somebody_else, of_others, source_of
from agents.chat.wanted import (
    SURE,
    asks_when,
    has_what_is_wanted,
    is_for_another_thing,
    likely_to_tell_when,
    names_a_time,
)
from memory.language.fragments import is_fragment, names_a_thing
from memory.language.languages import ENGLISH, language_of
from memory.language.times.only_time import beside_times
from memory.language.times.periods import MONTHS, Span
from memory.language.times.spans import nearness
from utils.text import content_stems

MOST_SENTENCES = 3
NEAR_BEST = 0.8  # a further sentence is told where its score is at least this share of the best one's
COVERED = 0.55  # share of the question's weight that a sentence must cover by words alone
SAID_THEN = 0.25  # added to the score of what was said at the time that is named
TELLING = 3  # words of its own that a sentence needs which shares none with the question
LIKE = 0.56  # cosine similarity that suffices where no word is shared
STANDS_OUT = 0.25  # score of recall from which on a message may come nearest to an answer,
NEARLY_LIKE = 0.44  # and its cosine similarity, where a word is shared
NEARLY_AS_LIKELY = 0.5  # share of the best score of recall by which another message is nearly as likely

# Of two of these a sentence speaks of one or the other: a question about a brother is not answered by a sister.
SUBJECTS = frozenset(
    content_stems(
        "mother father brother sister son daughter wife husband uncle aunt cousin boss neighbour dog cat car bike"
    )
)
_TIMES = frozenset(
    content_stems(f"{' '.join(MONTHS)} monday tuesday wednesday thursday friday saturday sunday christmas easter")
)
_OWN_NAME = re.compile(r"\bmy (?:first )?name\b|\bwho am i\b|\bam i called\b", re.IGNORECASE)
_INTRODUCED = re.compile(
    r"\b(?:[Ii]['’]m|[Ii] am|[Cc]alls? me) [A-ZÀ-Þ]\w+(?=[.,!]| and\b|$)"
    r"|\b[Mm]y (?:\w+ )?name\b|\bI(?: am|['’]m) called\b"
)
_YES_OR_NO = re.compile(
    r"^\W*(?:(?:so|and|but|hey|hi|ok|okay|well|please|loci)\b\W*)*(?:is|are|am|was|were|do|does|did|has|have|had|can|could|"
    r"will|would|should)(?:n['’]t)?\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=[\w,] )[A-ZÀ-Þ]\w+")
_ASKS_WHAT = re.compile(r"\b(?:who|whom|whose|what|when|where|which|how|why)\b", re.IGNORECASE)
_VALUE = re.compile(r"\d|\w\W+[A-ZÀ-Þ]")  # a number, or a name inside of a sentence
_LIKES = (  # what makes a sentence a likelier answer
    (re.compile(r"\bpassword\b|\bcode\b|\bversion\b", re.IGNORECASE), re.compile(r"\d")),
    (re.compile(r"\b(who|whose|where|name|called|which)\b", re.IGNORECASE), re.compile(r"(?<=\w[\s,])[A-ZÀ-Þ]\w+")),
)


def choose(
    query: str, sentences: Sequence[Sentence], spans: tuple[Span, ...] = (), *, of_now: bool = False
) -> list[Sentence]:
    """The sentences that answer best: idf-weighted coverage of the question's words, and likeness of the message.
    `spans`: the times that the question names; what was said then, or names the same time, answers before all else.
    What is about another one than the question names answers nothing; what was changed since comes behind that.
    `of_now`: of what is as good the newest comes first."""
    every = asked(query) | kinds_in(query)
    sought = (beside_times(every) if spans else every) or every
    others, stems = about_others(query, sentences, spans), stems_of(query, sentences)
    then = nearness(spans, times_of(sentences)) == 1
    covering = _covering(every, sought, stems, then)
    own_name = _OWN_NAME.search(query) is not None
    decides = _YES_OR_NO.match(query) is not None and not _ASKS_WHAT.search(query)  # "Do you know where …" asks where
    beside_names = sought - meant(" ".join(_NAME.findall(query)))
    liked = [answer for question, answer in _LIKES if question.search(query)]
    scored: list[tuple[float, int]] = []
    for at, sentence in enumerate(sentences):
        covered = covering[at]
        if own_name and sentence.source.kind != "memory":
            if _INTRODUCED.search(sentence.text):
                covered = 1.0
            elif sentence.likeness < SURE:
                continue
        if covered < COVERED and (sentence.likeness < LIKE or (not decides and names_another(query, sentence))):
            continue
        if not stems[at] - sought and not decides:
            continue  # it says no more than the question
        if decides and sentence.likeness < LIKE and beside_names and not stems[at] & beside_names:
            continue  # it says something else of who is named
        if not covered and len(stems[at]) < TELLING:
            continue  # "Cool!" is as like the question as the rest of its message, and says nothing
        if others[at] or not is_of_subject(sought, stems[at], known=sentence.likeness >= SURE):
            continue
        if not has_what_is_wanted(query, sentence) or is_for_another_thing(query, sentence):
            continue
        score = covered + sentence.likeness + 0.25 * any(answer.search(sentence.spoken) for answer in liked)
        if sentence.source.role == "user":
            score += 0.1
        score += SAID_THEN * bool(then[at])
        scored.append((score, at))
    telling = [one for one in scored if not _looks_for(sentences[one[1]], sought, stems[one[1]])]
    scored = telling or scored
    if spans:
        named = every & _TIMES
        scored = [one for one in scored if then[one[1]] or named & stems[one[1]]] or scored
    scored = likely_to_tell_when(query, sentences, scored)
    scored.sort(key=lambda one: (-one[0], one[1]))
    best = each_once([sentences[at] for score, at in scored if score >= NEAR_BEST * scored[0][0]])[:MOST_SENTENCES]
    best = _telling(best)
    if asks_when(query) and best and not any(map(names_a_time, best)):
        best = [*_telling_when(query, sentences, others), *best]
    if of_now:
        best = newest_first(best)
    same = [one for one, other in zip(sentences, others, strict=True) if not other]
    return with_changes(query, best, same, of_now=of_now)


def _covering(every: set[str], sought: set[str], stems: Sequence[set[str]], then: NDArray[np.bool_]) -> list[float]:
    """The share of what is asked for that each sentence has. `sought`: the stems of it without those of the time that
    is named, of which what was said `then`, (n,), needs no word; of all else, `every` one counts, where it has another.
    """
    of_all, of_these = coverage(every, stems), coverage(sought, stems)
    return [
        within if in_time else whole if within else 0.0
        for whole, within, in_time in zip(of_all, of_these, then.tolist(), strict=True)
    ]


def _telling_when(query: str, sentences: Sequence[Sentence], others: Sequence[bool]) -> list[Sentence]:
    """Of sentences that share a word with a question the one with a time that is found best, if it is nearly as likely
    as what is found first. `others`: which are about another one than the question names."""
    first = max((one.source.score or 0.0 for one in sentences), default=0.0)
    sought, stems = asked(query) | kinds_in(query), stems_of(query, sentences)
    timed = [
        (one.source.score, one.likeness, -at)
        for at, one in enumerate(sentences)
        if one.source.score is not None
        and one.source.score >= max(STANDS_OUT, NEARLY_AS_LIKELY * first)
        and one.likeness >= NEARLY_LIKE
        and sought & stems[at]
        and not others[at]
        and not names_another(query, one)
        and is_of_subject(sought, stems[at], known=True)
        and names_a_time(one)
    ]
    return [sentences[-max(timed)[2]]] if timed else []


def _telling(chosen: Sequence[Sentence]) -> list[Sentence]:
    """What was chosen, without fragments of it: "the guest wifi password" was looked for before, and tells nothing
    beside what it is."""
    said = [meant(one.text) for one in chosen]
    return [
        one
        for one, own in zip(chosen, said, strict=True)
        if not (any(own < other for other in said) and is_fragment(one.text))
    ]


def sought_by_fragment(text: str, sentences: Sequence[Sentence]) -> list[Sentence]:
    """The sentences that have all that a few words without a verb name, and say more; `text`: these words."""
    sought = asked(text)
    full = [
        one
        for one in choose(text, sentences, of_now=True)
        if sought <= meant(one.spoken) and names_a_thing(text, one.text)
    ]
    return with_changes(text, full, sentences, of_now=True)


def _looks_for(sentence: Sentence, sought: set[str], stems: set[str]) -> bool:
    """Whether a sentence of the user's names what is asked for, and nothing that could answer: "licence plate of my
    van" was looked for before."""
    text = sentence.text
    if sentence.source.role != "user" or 2 * len(stems & sought) < len(stems) or not is_fragment(text):
        return False
    return not _VALUE.search(text)


def times_of(sentences: Sequence[Sentence]) -> NDArray[np.float64]:
    """When each was said, in seconds since 1970."""
    return np.array([sentence.source.timestamp.timestamp() for sentence in sentences])


def stems_of(query: str, sentences: Sequence[Sentence]) -> list[set[str]]:
    """What each sentence says, in stems: without what is written as the question's names and is none, and with what one
    that it names is to the user."""
    texts = [sentence.spoken for sentence in sentences]
    written = written_otherwise(query, texts)
    found = [(meant(text) - other) | kinds_in(text) for text, other in zip(texts, written, strict=True)]
    add_kinds(query, [sentence.text for sentence in sentences], found)
    return found


def about_others(query: str, sentences: Sequence[Sentence], spans: tuple[Span, ...] = ()) -> list[bool]:
    """Whether each sentence is about another one than the question names, or asks for, or about another day. `spans`:
    the times that it names; what was said then is about them."""
    sources = of_others(query, sentences)
    speakers = {one.source.name for one in sentences if one.source.name and one.source.role == "user"}
    then = nearness(spans, times_of(sentences)) == 1
    return [
        source_of(one) in sources
        or is_of_another(query, one, speakers)
        or is_of_another_number(query, one.text)
        or (not at_the_time and is_of_another_day(spans, one.text, one.source.timestamp.timestamp()))
        for one, at_the_time in zip(sentences, then, strict=True)
    ]


def names_another(query: str, sentence: Sentence) -> bool:
    """Whether a sentence has names, and none of those in a question. In other languages than English more than names
    may have capitals."""
    return language_of(query) is ENGLISH and names_somebody_else(query, sentence.spoken)


def is_of_subject(sought: set[str], stems: set[str], *, known: bool) -> bool:
    """Whether a sentence speaks of the kind of one that is asked for; `known`: or of none."""
    subjects = sought & SUBJECTS
    return not subjects or bool(subjects & stems) or (known and not stems & SUBJECTS)
