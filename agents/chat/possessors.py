"""Whose is it that a question asks for, and is a sentence about somebody else's?"""

import re
from collections.abc import Sequence, Set
from functools import lru_cache
from typing import NamedTuple

from agents.chat.asked_words import meant
from agents.chat.statements import Sentence
from memory.facts import RELATION
from utils.sentences import NO_NAME, split_sentences
from utils.text import STOPWORDS, content_stems, stem

ME = "me"
_OWN = frozenset(("my", "our"))
_THEIRS = frozenset(("his", "her", "their"))
_NOBODY = STOPWORDS - _OWN - _THEIRS - {"i", "we"}
_POSSESSION = re.compile(
    r"(?<![\w-])(?P<of>(?:my|our|his|her|their) )?(?P<who>my|our|his|her|their|[^\W\d_][\w-]*(?:['’]s|s['’]))\s+"
    r"(?P<what>(?:(?!(?:my|our|his|her|their)\b|[\w-]+['’])[^\W\d_][\w-]*\s*){1,3})",
    re.IGNORECASE,
)
_HAS = re.compile(
    r"\b(?i:do|does|did) (?P<of>)(?P<who>I|we|[A-ZÀ-Þ][\w-]*) (?:still )?have (?:an?|any|some)?\s*"
    r"(?P<what>(?:[\w-]+\s*){1,2})"
)
_OF_THE_USER = re.compile(r"^(?:the )?user\b", re.IGNORECASE)  # as models write of who speaks
_PLAIN = frozenset(content_stems("new old first last next best favourite favorite own good big small little current"))
_FIRST_PERSON = re.compile(
    r"\b(?:i|i['’](?:m|ve|d|ll)|me|my|mine|we|we['’](?:re|ve|d|ll)|us|our|ours)\b", re.IGNORECASE
)
_MYSELF = re.compile(r"\b(?:my|mine|(?:[Dd]o|[Dd]id|[Aa]m|[Ww]as|[Hh]ave|[Cc]an|[Ww]ill|[Ss]hould) [Ii])\b")
_TO_LOCI = re.compile(r"\b(?:tell|told|say|said|mention(?:ed)?|ask(?:ed)?|talk(?:ed)?)\b", re.IGNORECASE)
_I_DO = re.compile(r"\b(?:[Dd]o|[Aa]m) [Ii] (?:(?:still|usually|always|currently|now) )?(?P<verb>[a-z]+)")
_OF_MINE = re.compile(r"\b(?:my|mine|our|ours)\b(?! [\w-]+['’]s\b)", re.IGNORECASE)
_WITH_ME = re.compile(r"\b(?:me|us)\b", re.IGNORECASE)
_AM = re.compile(r"\b(?:i am|i['’]m)\b", re.IGNORECASE)
_HOW_MANY = re.compile(
    r"\bhow many (?P<what>children|kids|sons|daughters|brothers|sisters|siblings|cousins|aunts|uncles|nephews|nieces|"
    r"grandchildren|pets|dogs|cats) (?:do|did) (?:i|we) have\b",
    re.IGNORECASE,
)
# "My neighbour Lars has a dog", "Ann has two"; and what is asked of one's own work, which "works as" answers.
_NOT_NAMES = "|".join(sorted(word.capitalize() for word in NO_NAME | STOPWORDS if word.isalpha()))
_NAME = r"[A-ZÀ-Þ][\w-]+(?: [A-ZÀ-Þ][\w-]+)?"
_OWNER = rf"(?:(?i:(?:my|our) (?:[\w-]+ )?{RELATION}s?)(?: {_NAME})?|(?!(?:{_NOT_NAMES})\b){_NAME})"
_OF_A_THIRD = re.compile(
    rf"(?:^\W{{0,3}}|(?<=[.,;:!] )|(?<=and )){_OWNER} (?:also |still |now )?(?:has|have|had|owns?|got|keeps?|is|was|"
    r"works?|worked|lives?|lived)\b"
)
_HAS_ONE = re.compile(
    rf"(?<![\w-]){_OWNER} (?:also |still |now )?(?:has|have|had|owns?|got|keeps?)"
    r" (?:an?|some|several|many|\d+|two|three|four|five) (?P<what>(?:[\w-]+ ?){1,3})"
)
_JOB = re.compile(
    r"\bmy (?:\w+ )?(?:job|profession|occupation|trade|line of work)\b"
    r"|\b(?:do|did) i (?:work\b|do (?:for (?:a )?(?:living|work))\b)",
    re.IGNORECASE,
)
_KNOWN = re.compile(r"\b(?:the|both) (?:\w+ )?(?P<what>\w+)", re.IGNORECASE)  # "The two dogs are Rex and Bello."
_CONTACT = re.compile(
    r"\b[Mm]y (?:own )?(?:(?:phone|mobile|cell|telephone) number|e-?mail|address|birthday|age|salary|height|weight)\b"
)
_TITLED = re.compile(r"\b(?:Mrs?|Ms|Dr|Prof|Herr|Frau|Monsieur|Madame)\b\.? [A-ZÀ-Þ]")


class Possession(NamedTuple):
    """`who`: `ME`, a name in lower case with `named`, or another word; `what`: the stems of what they have."""

    who: str
    named: bool
    what: frozenset[str]


def is_of_another(query: str, sentence: Sentence, speakers: Set[str]) -> bool:
    """Whether a sentence tells of somebody else what a question asks of the user or of one whom it names.
    `speakers`: the names of the users who wrote what is known; of several, none is known to be the one who asks."""
    text, speaker = sentence.text, sentence.source.name
    if _OF_THE_USER.match(text):
        return False
    if _MYSELF.search(query) and not _TO_LOCI.search(query):
        if len(speakers) > 1 and speaker and _FIRST_PERSON.search(text):
            return True
        if _CONTACT.search(query) and _TITLED.search(text) and not _FIRST_PERSON.search(text):
            return True
        if _JOB.search(query) and _is_of_a_third_alone(text):
            return True
        if (doing := _I_DO.search(query)) and not _WITH_ME.search(text) and _is_of_a_third(text, doing["verb"]):
            return True
    if (counted := _HOW_MANY.search(query)) and _counts_others(text, counted["what"]):
        return True
    return _has_another_possessor(query, text, speaker) or _is_owned_by_another(query, text)


def _is_owned_by_another(query: str, text: str) -> bool:
    """Whether a text says that somebody else has what a question asks for as the user's: a neighbour's dog."""
    wanted = frozenset[str]().union(*(one.what for one in _asked_for(query) if one.who == ME))
    theirs = (one["what"] for one in _HAS_ONE.finditer(text)) if wanted else ()
    return any(wanted & meant(what) for what in theirs) and _is_of_a_third_alone(text)


def _is_of_a_third_alone(text: str) -> bool:
    """Whether a text speaks of somebody else and not of the user, but as "my sister"."""
    rest, found = _OF_A_THIRD.subn(" ", text)
    return found > 0 and _FIRST_PERSON.search(rest) is None


def _has_another_possessor(query: str, text: str, speaker: str | None) -> bool:
    told: list[Possession] | None = None
    for asked in _asked_for(query):
        told = _possessions(text, speaker) if told is None else told
        same = [one for one in told if one.what & asked.what]
        if not same or any(one.who == asked.who for one in same):
            continue
        if (asked.who == ME and _OF_MINE.search(text)) or (asked.who != ME and asked.who in text.lower()):
            continue
        if any(_are_two(asked, one) for one in same):
            return True
    return False


def has_other_owner(text: str, other: str, things: Set[str]) -> bool:
    """Whether a text says of one of some things, by their stems, that it is of somebody of whom another text does not
    speak."""
    told = (one for one in _possessions(text, None) if one.who != ME and one.what & things)
    return any(re.search(rf"\b{re.escape(one.who)}\b", other, re.IGNORECASE) is None for one in told)


@lru_cache(maxsize=1)
def _asked_for(query: str) -> tuple[Possession, ...]:
    """The possessions that a question names; kept while one sentence after the other is held against it."""
    return tuple(_possessions(query, None))


def _are_two(asked: Possession, told: Possession) -> bool:
    """Whether two possessors are not one: a name may be that of "my brother", and "his" is anybody's."""
    if asked.who == ME:
        return True
    if told.who in _THEIRS:
        return False
    return told.who == ME or asked.named == told.named


def _possessions(text: str, speaker: str | None) -> list[Possession]:
    """`speaker`: who says "my", where they have a name."""
    found = []
    for one in (*_POSSESSION.finditer(text), *_HAS.finditer(text)):
        who = re.sub(r"['’]s$|(?<=s)['’]$", "", one["who"])
        if one["who"].lower().replace("’", "'") in _NOBODY:
            continue
        what = frozenset(_first_part(one["what"])) - _PLAIN
        if who.lower() in _OWN or who in ("I", "we"):
            found.append(Possession((speaker or ME).lower(), speaker is not None, what))
        else:
            named = who[0].isupper() and who.lower() not in NO_NAME
            if named or who in _THEIRS or one["of"]:
                found.append(Possession(who.lower(), named, what))
    return [one for one in found if one.what]


def _first_part(what: str) -> Sequence[str]:
    """The stems of some words up to the first that carries no meaning: "number is", of "number is 4711"."""
    stems = []
    for word in what.lower().split():
        if word in STOPWORDS:
            break
        stems.append(stem(word))
    return stems


def _is_of_a_third(text: str, verb: str) -> bool:
    """Whether a text has what the user does in the third person alone: "My sister lives in Oslo"."""
    wanted = stem(verb)
    third = False
    found = re.findall(r"[\w'’]+", text.lower().replace("’", "'"))
    for before, word in zip(["", *found], found, strict=False):
        if stem(word) != wanted:
            continue
        if not before:
            return False
        of_third = before in ("is", "isn't", "he's", "she's") or (before == "not" and not _AM.search(text))
        inflected = word.endswith("s") and word != verb and not _FIRST_PERSON.fullmatch(before)
        if not (of_third or inflected):
            return False
        third = True
    return third


def _counts_others(text: str, what: str) -> bool:
    """Whether what a text says of things to be counted says nothing of the user's having them: "eleven children"."""
    wanted = meant(what)
    telling = [part for part in split_sentences(text) if wanted & meant(part)]
    known = any(wanted & meant(one["what"]) for part in telling for one in _KNOWN.finditer(part))
    return bool(telling) and not known and not any(_FIRST_PERSON.search(_OF_A_THIRD.sub(" ", part)) for part in telling)
