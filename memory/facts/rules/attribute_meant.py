"""Which attribute of the user's does a request name without its value, and which of their sentences give it?

"My passport number" is given by "My passport number is 533201987.", "my nut allergy" by "I have a nut allergy.", and
"where I live" by whatever rules read as a home.
"""

import re
from dataclasses import dataclass

from memory.facts.rules.extract import extract_by_rules
from memory.facts.rules.keeping import values_stated
from memory.facts.rules.kinds import is_occupation
from memory.facts.rules.statement import read_statement
from utils.text import ends_with_question_mark, slug

_OWN = re.compile(r"^(?:my|our|the) (?P<name>[^.,;:!?]{1,60})$", re.IGNORECASE)
_HAS = re.compile(
    r"^\W*(?:i|we)(?:['’]ve| have)(?: got)? (?:also )?(?:an? |the |some )?(?P<thing>[^.,;:!?]{1,60})\W*$", re.IGNORECASE
)
_JOBS = frozenset({"job", "job held", "occupation"})
_IS_ONE = re.compile(r"^The user is (?P<what>an? [^.,;]+)")
_PLEASE = re.compile(r",? (?:please|now|again)$", re.IGNORECASE)


@dataclass(frozen=True)
class Attribute:
    """`key`: what it is called; `slots`: as facts have it; `words`: a pattern of which each sentence that gives it has
    one; `own`: whether it is the user's, and not of "the" one."""

    key: str
    slots: frozenset[str]
    words: str
    own: bool = True


# What has a name of its own, or is named by a question: its slots, and words of the sentences that give it.
_NAMED: tuple[tuple[re.Pattern[str], frozenset[str], str], ...] = tuple(
    (re.compile(rf"(?:{names})", re.IGNORECASE), slots, words)
    for names, slots, words in (
        (
            r"(?:my|our) (?:home|residence|home ?town|city|place of residence)|"
            r"where (?:i|we)(?:['’]m| am| are)? liv(?:e|ing)",
            frozenset({"residence"}),
            r"\b(?:live|living|lived|moved|relocated|based|settled)\b",
        ),
        (r"my age|how old i(?:['’]m| am)", frozenset({"age"}), r"\b(?:years old|turned|i(?:['’]m| am)(?: now)? \d)"),
        (
            r"my (?:birthday|birth ?date|date of birth)|when i was born",
            frozenset({"birthday"}),
            r"\b(?:born|birthday|birth)\b",
        ),
        (
            r"my (?:job|occupation|profession)|what i do(?: for a living| for work)?|what i work as",
            _JOBS,
            r"\b(?:i(?:['’]m| am)|work|working|job|became|promoted)\b",
        ),
        (
            r"my employer|where i work|who i work for",
            frozenset({"employer", "job", "job held"}),
            r"\b(?:work|working|job|joined|i(?:['’]m| am))\b",
        ),
        (r"my name|what i(?:['’]m| am) called", frozenset({"name"}), r"\b(?:name|called|call me|i(?:['’]m| am))\b"),
    )
)


def attribute_meant(text: str) -> Attribute | None:
    """The attribute that a text names, and nothing else; None where it names none."""
    text = _PLEASE.sub("", " ".join(text.split()).strip(" .!?"))
    own = _OWN.match(text)
    key = slug(own["name"]) if own else ""
    for names, slots, words in _NAMED:
        if names.fullmatch(text):
            return Attribute(key, slots, words if not key else f"{words}|{_named(key)}")
    return Attribute(key, frozenset(), _named(key), own=not text.lower().startswith("the ")) if key else None


def value_given(sentence: str, attribute: Attribute) -> str | None:
    """The value that a sentence of the user's gives an attribute; None where it gives none."""
    if ends_with_question_mark(sentence):
        return None
    stated = values_stated(sentence, attribute.key) if attribute.key else []
    if stated and (stated[0].own or not attribute.own):
        return stated[0].value
    if attribute.key and (has := _HAS.match(sentence)) and f" {slug(has['thing'])}".endswith(f" {attribute.key}"):
        return has["thing"]
    if attribute.slots and re.search(attribute.words, sentence, re.IGNORECASE):
        return next((fact for fact in extract_by_rules(sentence) if gives(fact, attribute)), None)
    return None


def gives(fact: str, attribute: Attribute) -> bool:
    """Whether a fact gives an attribute of the user's a value."""
    read = read_statement(fact)
    if read.subject != "user":
        return False
    is_one = _IS_ONE.match(fact) if attribute.slots == _JOBS else None
    return read.slot in attribute.slots | ({attribute.key} - {""}) or bool(is_one and is_occupation(is_one["what"]))


def _named(key: str) -> str:
    # MongoDB takes letters that are not ASCII for none.
    return r"(?:^|\W)" + r"\W+".join(map(re.escape, re.split(r"\W+", key.removesuffix("'s name")))) + r"(?:\W|$)"
