"""Which words of a question are to be found in an answer, and what share of them does a sentence have?"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from memory.language.irregular import base_of
from memory.language.languages import language_of
from memory.language.times.translated_times import stems_in_english
from utils.text import WORD, content_stems, stem, words

# Words of a question that say of which form its answer is or what is asked of a thing, and hold no answer.
_FORM = frozenset(
    content_stems(
        "name called number version date day time year place kind type sort old long talk mention discuss ask tell "
        "mean take get use used still today currently everything anything moment"
    )
)
# Words that mean the same in questions and answers.
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
        "bike": "bicycle",
        "allergic": "allergy allergies",
    }.items()
    for other in others.split()
}
_FOR_A_LIVING = re.compile(r"\bfor a living\b|\bmake (?:my|a) living\b", re.IGNORECASE)
_WRONG_WITH = re.compile(r"\b(?:wrong|the (?:matter|problem|trouble)) (?=with\b)", re.IGNORECASE)
_CANNOT_HAVE = re.compile(r"\bcan(?:no|['’])t (?:have|eat|drink|tolerate)\b", re.IGNORECASE)


def asked(query: str) -> set[str]:
    """The stems by which a sentence answers a question."""
    text = _plain(query)
    found = _same(language_of(text).stems(text) or content_stems(text))
    return found - _FORM or found


def meant(text: str) -> set[str]:
    """The stems of a text, those that mean the same as one."""
    return _same(content_stems(_plain(text)))


def meant_in_english(query: str) -> set[str]:
    """The same of a question, with the times that it names in another language in English."""
    return _same(stems_in_english(_plain(query)))


def _plain(text: str) -> str:
    return _WRONG_WITH.sub("", _CANNOT_HAVE.sub("allergic", _FOR_A_LIVING.sub("work", text)))


def _same(stems: Iterable[str]) -> set[str]:
    bases = (base_of(found) for found in stems)
    return {_SAME.get(base, base) for base in bases}


def coverage(sought: AbstractSet[str], stems: Sequence[AbstractSet[str]]) -> list[float]:
    """The share of what is asked for that each sentence has, by its stems, the rarer of these counting more."""
    frequency = Counter(one for found in stems for one in found)
    weights = {one: math.log(1 + len(stems) / (0.5 + frequency[one])) for one in sought}
    whole = sum(weights.values()) or 1.0
    return [sum(weights[one] for one in sought & found) / whole for found in stems]


def written_otherwise(query: str, texts: Sequence[str]) -> list[set[str]]:
    """Of each text, the stems that a question has as a name and the text as a plain word: "has to go" is not about Go,
    where another text has that name."""
    names = _within(query)
    known = {name for text in texts for name in names & _within(text)}
    return [
        {stem(name.lower()) for name in known if name.lower() in words(text) and name not in WORD.findall(text)}
        for text in texts
    ]


def _within(text: str) -> set[str]:
    """Words with a capital that do not begin a text."""
    return {word for word in WORD.findall(text)[1:] if word[0].isupper()}
