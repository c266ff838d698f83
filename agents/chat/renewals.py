"""Which later message says anew what an earlier one says, in whatever language? "Ich bin nach Köln gezogen.\""""

from collections.abc import Sequence
from dataclasses import replace

from agents.chat.asked_words import meant
from agents.chat.choosing import LIKE, SUBJECTS
from agents.chat.context import Citation
from agents.chat.kinds_elsewhere import kinds_in
from agents.chat.statements import Sentence
from agents.chat.subjects import Source, names_in, source_of
from memory.language.heard import Heard
from utils.text import words

CHANGES = 0.72  # how likely it is that it tells of a change,
CHANGES_A_MATTER = 0.5  # and of one of where somebody lives, or works
ALIKE = 0.65  # cosine similarity of what changes to the question and to what it changes,
OF_BOTH = 0.5  # less this share of how like these two are to each other
ALIKE_OF_A_MATTER = 0.5  # the first sum, where both are about where somebody lives, or works
ASKED = 0.4  # cosine similarity to the question that it needs,
ASKED_OF_A_MATTER = 0.2  # and where both are about where somebody lives, or works
NEAR_BEST = 0.1  # of several changes the newest counts, of those that are so much less alike at most


def of_the_asked(query: str, sentences: Sequence[Sentence], heard: Heard) -> list[Sentence]:
    """Of a question about where somebody lives or works, the sentences without those that tell so of somebody else, the
    user or another; those that tell it of the one asked for are like enough to answer."""
    matter = heard.matter(query)
    if matter is None:
        return list(sentences)
    named = bool(names_in(query, but_first=True))
    found = []
    for one in sentences:
        if heard.matter(one.source.content) != matter:
            found.append(one)
        elif _is_of_the_same(query, one.source.content, heard):
            found.append(replace(one, likeness=max(one.likeness, LIKE)))
        elif named:  # of whom another word may speak, too
            found.append(one)
    return found


def with_renewals(query: str, sentences: Sequence[Sentence], heard: Heard) -> list[Sentence]:
    """The sentences, each with the later messages that tell of a change of what it says and the question asks for."""
    renewing = {
        source_of(one): one.source
        for one in sentences
        if one.source.role == "user" and _may_renew(query, one.source.content, heard)
    }
    if not renewing:
        return list(sentences)
    return [replace(one, renewed_by=_renewing(query, one.source, renewing, heard)) for one in sentences]


def _may_renew(query: str, text: str, heard: Heard) -> bool:
    """Whether a text tells of a change in what a question asks for, of the same one."""
    matter = heard.matter(query)
    if (
        not heard.changes(text, CHANGES_A_MATTER if matter else CHANGES)
        or heard.matter(text) != matter
        or not _is_of_the_same(query, text, heard)
    ):
        return False
    return heard.alike(query, text) >= (ASKED_OF_A_MATTER if matter else ASKED)


def _is_of_the_same(query: str, text: str, heard: Heard) -> bool:
    """Whether a text is about the one whom a question names or means."""
    if named := names_in(query, but_first=True):
        return not named.isdisjoint(words(text))
    return heard.of_others(text) == heard.of_others(query) and _subjects(text) == _subjects(query)


def _renewing(query: str, one: Citation, renewing: dict[Source, Citation], heard: Heard) -> frozenset[Source]:
    if one.role != "user":
        return frozenset()
    matter = heard.matter(query)
    scores = {
        key: heard.alike(query, other.content) + heard.alike(one.content, other.content)
        for key, other in renewing.items()
        if other.timestamp > one.timestamp
    }
    least = ALIKE_OF_A_MATTER if matter else ALIKE + OF_BOTH * heard.alike(query, one.content)
    least = max(least, max(scores.values(), default=0.0) - NEAR_BEST)
    return frozenset(key for key, score in scores.items() if score >= least)


def _subjects(text: str) -> set[str]:
    return (kinds_in(text) | meant(text)) & SUBJECTS
