"""Which sentence of memory comes nearest to an answer, where none answers? By the likelihood that recall gives it."""

import re
from collections.abc import Sequence

from agents.chat.asked_words import asked
from agents.chat.changed import with_changes
from agents.chat.choosing import (
    NEARLY_AS_LIKELY,
    NEARLY_LIKE,
    STANDS_OUT,
    TELLING,
    about_others,
    is_of_subject,
    names_another,
    stems_of,
)
from agents.chat.kinds_elsewhere import kinds_in
from agents.chat.statements import Sentence
from agents.chat.wanted import has_what_is_wanted
from memory.language.addressed import asks_of_assistant
from memory.language.languages import is_foreign

LIKELY = 0.5  # score of recall from which on a message is the nearest, whatever comes next
BEFORE_NEXT = 2.2  # times the score of the next one that one stands out with
NOT_FIRST = 0.4  # score that it needs where others come before it that do not hold what is wanted
UNLIKE = 0.5  # cosine similarity that a message needs where no word is shared

_BY_LOCI = re.compile(r"\b(?:did|do|have|had|would|were) you\b", re.IGNORECASE)


def nearest(query: str, sentences: Sequence[Sentence]) -> list[Sentence]:
    """The sentence that may answer where none does by its words: of the message that recall found first, of those that
    hold what is wanted, where that is likely to answer, or comes long before the others; else none."""
    best = max((one.source.score or 0.0 for one in sentences), default=0.0)
    found = [one for one in sentences if one.source.score is not None and _may_hold_what_is_wanted(query, one)]
    first, likely = _first_of(found, best)
    if first is None:
        return []
    of_loci = asks_of_assistant(query) or _BY_LOCI.search(query) is not None
    sought, others = asked(query) | kinds_in(query), about_others(query, found)
    stems = stems_of(query, found)
    told = [
        (len(stems[at] & sought), -at)
        for at, one in enumerate(found)
        if one.source.score == first
        and (first == best or not is_foreign(one.text))
        and _is_said_by(one, of_loci=of_loci, by_anybody=likely)
        and (likely or one.likeness >= (NEARLY_LIKE if sought & stems[at] else UNLIKE))
        and len(stems[at] - sought) >= TELLING
        and not others[at]
        and not names_another(query, one)
        and is_of_subject(sought, stems[at], known=True)
        and has_what_is_wanted(query, one)
    ]
    return with_changes(query, [found[-max(told)[1]]], sentences) if told else []


def _may_hold_what_is_wanted(query: str, sentence: Sentence) -> bool:
    """Whether a sentence holds what is wanted, or might in another language: it is known by English words."""
    return has_what_is_wanted(query, sentence) or is_foreign(sentence.text)


def _first_of(found: Sequence[Sentence], best: float) -> tuple[float | None, bool]:
    """The best score of some sentences, and whether it is likely; None where it is low, others of them come near, or it
    is too far behind the `best` of all."""
    scores = {one.source.id: one.source.score or 0.0 for one in found}
    first, second = ([*sorted(scores.values(), reverse=True), 0.0, 0.0])[:2]
    if first < best and first < max(NOT_FIRST, NEARLY_AS_LIKELY * best):
        return None, False
    likely = first >= LIKELY
    stands_out = first >= max(STANDS_OUT, BEFORE_NEXT * second)
    return (first if likely or stands_out else None), likely


def _is_said_by(sentence: Sentence, *, of_loci: bool, by_anybody: bool) -> bool:
    """Whether the assistant said a sentence, if a question is `of_loci`, else the user; `by_anybody`: or somebody else
    who has a name."""
    source = sentence.source
    if source.name and source.name.casefold() != source.role and by_anybody:
        return not of_loci
    return source.role == ("assistant" if of_loci else "user")
