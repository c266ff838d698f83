"""Attributes that a request to forget names, and what gives them a value: "my job", "where I live", "my locker"."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from memory.facts.rules.extract import candidates
from memory.facts.rules.keeping import values_stated
from memory.facts.rules.statement import OVER, read_statement
from utils.text import ends_with_question_mark, slug

_OWN = re.compile(r"^(?:my|our|the) (?P<name>[^.,;:!?]{1,60})$", re.IGNORECASE)
_HAS = re.compile(
    r"^\W*(?:i|we)(?:['’]ve| have)(?: got)? (?:also )?(?:an? |the |some )?(?P<thing>[^.,;:!?]{1,60})\W*$", re.IGNORECASE
)
_PLEASE = re.compile(r",? (?:please|now|again)$", re.IGNORECASE)


@dataclass(frozen=True)
class Attribute:
    """`key`: what it is called; `slot`: as facts have it, empty for what none has; `words`: a pattern of which each
    sentence that gives it has one; `own`: whether it is the user's, and not of "the" one."""

    key: str
    slot: str
    words: str
    own: bool = True


# Attributes of the user: what names each, and words of the sentences that give it.
_OF_THE_USER: tuple[tuple[str, re.Pattern[str], str], ...] = tuple(
    (slot, re.compile(names, re.IGNORECASE), words)
    for slot, names, words in (
        ("home", r"my (?:home|city)|where i live", r"\b(?:live|living|lived|moved|relocated|based|settled)\b"),
        ("age", r"my age|how old i(?:['’]m| am)", r"\b(?:years old|turned|i(?:['’]m| am)(?: now)? \d)"),
        ("birthday", r"my (?:birthday|date of birth)|when i was born", r"\b(?:born|birthday|birth)\b"),
        ("job", r"my (?:job|profession)|what i do(?: for work)?", r"\b(?:i(?:['’]m| am)|work|working|job|became)\b"),
        ("employer", r"my employer|where i work|who i work for", r"\b(?:work|working|job|joined|i(?:['’]m| am))\b"),
        ("name", r"my name|what i(?:['’]m| am) called", r"\b(?:name|called|call me|i(?:['’]m| am))\b"),
    )
)


def attribute_meant(text: str) -> Attribute | None:
    """The attribute that a text names, and nothing else; None where it names none."""
    text = _PLEASE.sub("", " ".join(text.split()).strip(" .!?"))
    own = _OWN.match(text)
    key = slug(own["name"]) if own else ""
    for slot, names, words in _OF_THE_USER:
        if names.fullmatch(text):
            return Attribute(key, slot, words if not key else f"{words}|{named_in(key)}")
    return Attribute(key, "", named_in(key), own=not text.lower().startswith("the ")) if key else None


def value_given(sentence: str, attribute: Attribute) -> str | None:
    """The value that a sentence of the user's gives an attribute; None where it gives none."""
    if ends_with_question_mark(sentence):
        return None
    stated = values_stated(sentence, attribute.key) if attribute.key else []
    if stated and (stated[0].own or not attribute.own):
        return stated[0].value
    if attribute.key and (has := _HAS.match(sentence)) and f" {slug(has['thing'])}".endswith(f" {attribute.key}"):
        return has["thing"]
    if attribute.slot and re.search(attribute.words, sentence, re.IGNORECASE):
        facts = (candidate.text for candidate in candidates(sentence, datetime.now(UTC)) if not candidate.foreign)
        return next((fact for fact in facts if gives(fact, attribute)), None)
    return None


def gives(fact: str, attribute: Attribute) -> bool:
    """Whether a fact gives an attribute of the user's a value."""
    read = read_statement(fact)
    if read.denied or OVER.search(fact):
        return False
    own = read.subject in ("user", "user's name") and attribute.slot in read.slots
    return own or (bool(attribute.key) and read.subject.casefold() == f"user's {attribute.key}")


def named_in(key: str) -> str:
    """A pattern, for MongoDB too, of texts that name what is kept under a key. MongoDB takes letters that are not ASCII
    for none, so that a word's end does not show by `\\b`."""
    return r"(?:^|\W)" + r"\W+".join(map(re.escape, re.split(r"\W+", key.removesuffix("'s name")))) + r"(?:\W|$)"
