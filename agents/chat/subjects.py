"""Is a sentence of memory about what the question names?

Without a model what is alike is easily taken for the same: another's birthday, the train to another town.
"""

import re
from collections.abc import Sequence

from agents.chat.context import Citation
from agents.chat.statements import Sentence
from memory.language.codes import codes_of, names_another
from memory.language.languages import language_of
from memory.language.times.only_time import beside_times
from utils.text import STOPWORDS, WORD, stem, words

Source = tuple[str, str]  # kind and id

ABBREVIATED = 3  # letters of a name cut short: "Mel" is Melanie

# Questions that another name may answer: "Who is my boss at Google?", "Does she live in Graz?"
_OPEN = re.compile(
    r"\b(?:who|whom|whose|name|named|called)\b"
    r"|^\W*(?:(?:so|and|but)\W+)?(?:do|does|did|is|are|am|was|were|has|have|had|can|could|will|would)\b",
    re.IGNORECASE,
)
# Of these, those that ask of one whom they name: "Does Jonas have a sister?"; "Is Paul my boss?" is open.
_OF_ONE = re.compile(
    r"^\W*(?:(?:[Ss]o|[Aa]nd|[Bb]ut)\W+)?(?:(?i:does|did|has|have|had|can|could|will|would) [A-ZÀ-Þ][\w-]+"
    r"|(?i:is|was) [A-ZÀ-Þ][\w-]+ (?!(?:my|our|the|an?|his|her|their)\b|[A-ZÀ-Þ]))"
)
_GERMAN_NOUN = re.compile(
    r"\b(?:(?i:(?:mein|dein|sein|ihr|unser|euer|ein|kein|welch|dies|jed)(?:e[mnrs]?)?|der|die|das|dem|den|des|im|am|ins|vom|"
    r"zum|zur|beim|fürs|viele?))\s+(?:[a-zäöüß]+e[mnrs]?\s+)?([A-ZÄÖÜ][\w-]+)"
)
_SAYING = (
    r"(?:say|says|said|tell|tells|told|think|thinks|thought|mention|mentions|mentioned|wrote|write|writes|suggest\w*)"
)
_SAID_BY = re.compile(rf"\b[Ww]hat (?:did|does|do|has|had) (?P<who>[A-ZÀ-Þ]\w+) (?:ever )?{_SAYING}\b")


def of_others(query: str, sentences: Sequence[Sentence]) -> set[Source]:
    """The sources that are about another one than a question names: another number of a kind, or another name, where
    they have none that it has; or what somebody else said than is asked for. Of a question for a name, or for a yes or
    no, any may be the answer."""
    codes, spoken = codes_of(query), frozenset(words(query))
    named = frozenset() if _OPEN.search(query) and not _OF_ONE.match(query) else names_in(query, but_first=True)
    said_by = _SAID_BY.search(query)
    if not codes and not named:
        return set()
    sources = {source_of(one): one.source for one in sentences}
    return {
        key
        for key, source in sources.items()
        if names_another(source.content, codes)
        or (named and _has_another(f"{source.name or ''} {source.content}", named, spoken))
        or (said_by and not _is_said_by(source, said_by["who"]))
    }


def names_somebody_else(query: str, text: str) -> bool:
    """Whether a question has names, and a text others alone."""
    named = names_in(query, but_first=True)
    return bool(named) and _has_another(text, named, frozenset(words(query)))


def source_of(sentence: Sentence) -> Source:
    return sentence.source.kind, sentence.source.id


def names_in(text: str, *, but_first: bool) -> frozenset[str]:
    """Words with a capital, lower case, without those of times; `but_first`: without the first word of the text. Of
    German, without what stands behind an article or a possessive: nouns have capitals there."""
    found = WORD.findall(text)[1 if but_first else 0 :]
    if language_of(text).name == "german":
        nouns = set(_GERMAN_NOUN.findall(text))
        found = [word for word in found if word not in nouns]
    names = {part.removesuffix("'s") for word in found if word[0].isupper() for part in words(word)}
    return frozenset(name for name in names - STOPWORDS if beside_times([stem(name)]))


def _has_another(text: str, named: frozenset[str], spoken: frozenset[str]) -> bool:
    """Whether a text has a name, and none of those that a question has. `spoken`: all words of the question: what it
    writes small is no name at the beginning of a sentence either."""
    if not names_in(text, but_first=False) - spoken:
        return False
    there = {word.removesuffix("'s") for word in words(text)}
    return not any(_is_same(name, word) for name in named for word in there)


def _is_said_by(source: Citation, who: str) -> bool:
    """Whether somebody wrote a source, or it tells that they said something."""
    if (source.name or "").casefold() == who.casefold():
        return True
    name = rf"\b{re.escape(who)}\b"
    telling = (
        rf"{name}(?:\W+\w+){{0,2}}?\W+{_SAYING}\b|{name},? (?:from|at|of|in) (?:\w+ ){{1,4}}?{_SAYING}\b|{name} ?:|"
        rf"\b(?:according to|heard from) {name}"
    )
    return re.search(telling, source.content, re.IGNORECASE) is not None


def _is_same(name: str, word: str) -> bool:
    short, long = sorted((name, word), key=len)
    return name == word or (len(short) >= ABBREVIATED and long.startswith(short))
