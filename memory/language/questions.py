"""A question: what its words name and ask for, and what the text does."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from memory.language.addressed import asks_of_assistant
from memory.language.codes import codes_of
from memory.language.courtesy import is_courtesy
from memory.language.heads import Doing
from memory.language.languages import ENGLISH, language_of
from memory.language.times.only_time import asks_only_for_a_time
from memory.language.times.periods import MONTHS, Span
from memory.language.times.spans import spans_of
from memory.language.times.translated_times import stems_in_english
from memory.language.traits import is_first_person
from utils.text import STOPWORDS, WORD, ends_with_question_mark, searched_words, stem, words

LONG_NAME, ABBREVIATED = 5, 3  # "Mel" names Melanie: the first three letters of at least five
MOST_NAMES = 32  # words of a question that are tried as names cut short or misspelt
SPELT = 4  # letters from which on one other letter, or two that changed places, are a slip: "Aqib" names Akib

_WHEN = re.compile(
    r"\bwhen\b|\bwhat (?:date|day|time|year|month)|\bhow long\b|\bwhich (?:year|month|day|date|week)"
    r"|\bhow many (?:days|weeks|months|years)",
    re.IGNORECASE,
)
_COUNT = re.compile(r"\bhow (?:many|much|often)\b", re.IGNORECASE)
_PLACE = re.compile(r"\bwhere\b|\bwhat country\b|\bwhich city\b|\bplaces?\b", re.IGNORECASE)
_NAME = re.compile(r"\bwho\b|\bnames? of\b", re.IGNORECASE)
_ORDER = re.compile(r"\border\b|\bsequence\b|\btimeline\b|\bchronolog", re.IGNORECASE)
_ABOUT_QUESTIONS = re.compile(r"\b(?:ask(?:s|ed|ing)?|questions?|wonder(?:ed)?)\b", re.IGNORECASE)
_DID = r"\b(?:did|have|had|has) [\w']+ "
_OF_TIME = (  # what makes a time of "last": "last Friday", "last summer", "last minute changes"
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tues?|wed|thu(?:rs?)?|fri|sat|sun|(?:week|year)(?:end)?|month"
    r"|night|time|day|hour|minute|decade|century|quarter|term|semester|season|morning|afternoon|evening|few|couple|\d+"
    r"|two|three|four|five|six|seven|eight|nine|ten|spring|summer|autumn|fall|winter|christmas|xmas|new year|easter"
    r"|halloween|thanksgiving|valentine"
    rf"|{'|'.join(f'{name}|{name[:3]}' for name in MONTHS)}|sept)s?\b"
)
_LATEST = re.compile(
    r"\b(?:most recent(?:ly)?|latest|newest)\b|\blast time (?:that )?[\w']+ \w+"
    rf"|{_DID}(?:[\w']+ )?last (?!{_OF_TIME})\w|{_DID}[\w']+(?: [\w']+){{0,8}} last\W{{0,8}}$",
    re.IGNORECASE,
)
_CURRENT = re.compile(
    r"\b(?:now(?! that\b)|nowadays|current(?:ly)?|these days|at the moment|at present)\b", re.IGNORECASE
)
_LASTS = re.compile(r"\bhow (?:long|many)\b", re.IGNORECASE)  # "How long did the meeting last?"
_EARLIEST = re.compile(rf"{_DID}first (?!of\b)\w|\bfirst (?:time|ever)\b|\bearliest\b", re.IGNORECASE)
_COURSE = re.compile(r"summar|overview|progress|develop|evolv|\bover time\b|\bthroughout\b", re.IGNORECASE)


class Ask(IntEnum):
    """What a question may ask for; columns of `Question.asks`."""

    WHEN = 0
    COUNT = 1
    PLACE = 2
    NAME = 3
    ORDER = 4
    COURSE = 5  # how something went over time, or a summary
    OWN = 6  # of the asker's own
    REPLIES = 7  # what the assistant said


@dataclass(frozen=True)
class Question:
    """`stems`: of the words that carry meaning, each once, names of speakers left out; of all other words where there
    are none. `filler`: the other stems. `speakers`: codes of those it names. `bare`: the text without those names.
    `asks`: (8,) of 0 and 1, by `Ask`. `spans`: the times that it names. `only_time`: it asks for whatever was said at
    those times. `codes`: those of `stems` that are numbers of one of a kind. `about_questions`: it looks for what was
    asked. `current`: it asks for what holds now. `latest`: whether it asks for what was last, or for what was first;
    None for neither. `does`: what the text does; None before it is read."""

    text: str
    stems: tuple[str, ...]
    filler: tuple[str, ...]
    speakers: frozenset[int]
    name_words: frozenset[str]
    bare: str
    asks: NDArray[np.float32]
    spans: tuple[Span, ...]
    only_time: bool
    codes: tuple[str, ...]
    about_questions: bool
    current: bool
    latest: bool | None
    does: Doing | None = None

    @property
    def asking(self) -> bool:
        """Whether the text asks; by its mark, where nobody has read it."""
        return ends_with_question_mark(self.text) if self.does is None else self.does.wants

    @property
    def idle(self) -> bool:
        """Whether the text is a courtesy alone, which asks and tells nothing. By its words: the encoder takes what
        somebody searches for by a few words ("restart haproxy") for a chat."""
        return is_courtesy(self.text) and not self.speakers


def read_question(text: str, names: Mapping[str, int], now: float) -> Question:
    """`names`: of the speakers there are, lower case, and their codes. `now`: seconds since 1970, by which "last week"
    is understood."""
    language = language_of(text)
    spoken = [word.removesuffix("'s") for word in searched_words(text)]
    capitals = capitalised(text) - language.filler
    speakers, name_words = _named(spoken, capitals, names)
    rest = [word for word in spoken if word not in name_words]
    telling = language.telling(rest) or rest
    stems = tuple(dict.fromkeys(stem(word) for word in telling))
    others = dict.fromkeys(stem(word) for word in rest)
    named = {stem(word) for word in name_words}
    wanted = [bool(pattern.search(text)) for pattern in (_WHEN, _COUNT, _PLACE, _NAME, _ORDER, _COURSE)]
    timely = stems if language is ENGLISH else [one for one in stems_in_english(text) if one not in named]
    spans, codes = spans_of(text, now), codes_of(text)
    return Question(
        text,
        stems,
        tuple(other for other in others if other not in stems),
        frozenset(speakers),
        frozenset(name_words),
        _without(text, name_words) if speakers else text,
        np.array([*wanted, is_first_person(text), asks_of_assistant(text)], np.float32),
        spans,
        bool(spans) and asks_only_for_a_time(timely),
        tuple(code for code in stems if code in codes),
        _ABOUT_QUESTIONS.search(text) is not None,
        _CURRENT.search(text) is not None,
        _latest(text),
    )


def _latest(text: str) -> bool | None:
    """`Question.latest`."""
    found = _LATEST.search(text)
    if found and not (_LASTS.search(text) and found[0].rstrip("?!. ").endswith("last")):
        return True
    return False if _EARLIEST.search(text) else None


def capitalised(text: str) -> set[str]:
    """The words that are written with a capital, lower case."""
    return {word.removesuffix("'s") for found in WORD.findall(text) if found[0].isupper() for word in words(found)}


def _named(spoken: Iterable[str], capitals: set[str], names: Mapping[str, int]) -> tuple[set[int], set[str]]:
    """Codes of the speakers whose name, or a part of it, is among the words; and those words.

    `capitals`: the words that are written with a capital. They alone may be a name cut short or misspelt, unless they
    are somebody's name as they stand.
    """
    speakers: set[int] = set()
    found: set[str] = set()
    candidates = {word for word in spoken if word not in STOPWORDS}
    parts = [(part, code) for name, code in names.items() for part in _parts(name)]
    loose: dict[str, list[str]] = {}  # by their first letter, which a name shares
    for word in sorted((candidates & capitals) - {part for part, _ in parts})[:MOST_NAMES]:
        loose.setdefault(word[0], []).append(word)
    for part, code in parts:
        meant = {word for word in loose.get(part[0], ()) if _is_like(word, part)} | ({part} & candidates)
        if meant:
            speakers.add(code)
            found |= meant
    return speakers, found


@lru_cache(maxsize=4_096)
def _parts(name: str) -> tuple[str, ...]:
    return tuple(words(name))


def _is_like(word: str, name: str) -> bool:
    if len(word) >= ABBREVIATED and len(name) >= LONG_NAME and name.startswith(word):
        return True
    if len(word) != len(name) or len(word) < SPELT or word[0] != name[0]:
        return False
    apart = [at for at, (a, b) in enumerate(zip(word, name, strict=True)) if a != b]
    swapped = (
        len(apart) == 2
        and apart[1] == apart[0] + 1
        and word[apart[0]] + word[apart[1]] == name[apart[1]] + name[apart[0]]
    )
    return len(apart) == 1 or swapped


def _without(text: str, name_words: frozenset[str] | set[str]) -> str:
    def keep(match: re.Match[str]) -> str:
        return "" if match[0].lower().replace("’", "'").removesuffix("'s") in name_words else match[0]

    return " ".join(WORD.sub(keep, text).split()) or text
