"""Key-values that a user asks to keep or to forget, and attributes that a request names without their value.

"Remember that my locker is number 12" keeps "number 12" under "locker". "Forget my nut allergy" means what was kept
under that key, or the one sentence that gives it: "I have a nut allergy." Likeness alone decides nothing here.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from memory.domain import KeyValue
from memory.facts.rules.extract import candidates
from memory.facts.rules.statement import DIET, NAME, OVER, PLACE, RELATION, TIME, WORKER, read_statement
from utils.sentences import split_sentences
from utils.text import content_stems, cut_at_word, ends_with_question_mark, slug

KEY_CHARACTERS = 60

_LEAD = r"^(?:(?:please|hey|hi|ok|okay|so|and|now|also|can you|could you|would you)\b[\s,]*)*"
_REMEMBER = re.compile(
    _LEAD
    + r"(?:i (?:want|need) you to |i['’]d like you to )?(?:do\s+)?(?:remember|memori[sz]e|keep in mind|bear in mind|"
    r"do not forget|don['’]?t (?:ever )?forget|never forget|make a note|take a note|note down|"
    r"(?:note|save)(?=\s+(?:this|that|my|our|for me)\b|\s*:))\b"
    r"(?:\s+(?:of this|this|that|for me|of))*\s*[:,\-–]?\s*(?P<rest>.+)$",
    re.IGNORECASE | re.DOTALL,
)
POLITE_CHARACTERS = 600  # the pattern takes time that grows with the square
_ASKED_POLITELY = re.compile(
    r"^\W*(?:(?:please|hey|hi|ok|okay)\b\W*)*(?:can|could|would|will) you\b.*?\b(?:that|my|our)\b.*\b(?:is|are)\b", re.I
)
# "Remember that", and what, is not said; nor is it with "remember me".
_POINTS = re.compile(r"(?:(?:that|this|it|these|those|them|me|us|him|her|please|for me)\b\W*)+", re.IGNORECASE)
_ASKS_BACK = re.compile(
    r"^(?:(?:what|when|where|who|whom|whose|which|how|why|if|whether)\b|the (?:time|day)\b)", re.IGNORECASE
)
_FORGET = re.compile(
    _LEAD + r"(?:(?:forget|unlearn)\b(?!-)|(?:erase|delete|remove)(?=\s+(?:my|our|what|that i|everything|all|"
    r"anything|the (?:fact|memory))\b))(?:\s+(?:what (?:i|we) (?:said|told you)|everything|all|anything))?"
    r"(?:\s+(?:about|that|regarding|the (?:fact|memory)(?: that| about| of)?))*\s*[:,]?\s*(?P<rest>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_ASIDE = re.compile(r",? (?:by the way|btw|fyi)$", re.IGNORECASE)
_NEVER_MIND = re.compile(r"(?:(?:it|this|that)\b\s*)?[.!?]+\s+\S", re.IGNORECASE)  # "Forget that. Where is my boat?"
_MY = re.compile(
    r"^(?:my|our)\s+(?P<key>[^.,;:!?]{1,60}?)(?:['’]s name)?\s+"
    r"(?:(?:is|are|was|were)\s+(?:called|named)|is|are|was|were|=)\s+(?P<value>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_BY_THE_WAY = re.compile(
    r"^(?:(?:actually|now|btw|by the way|fyi|so|and|also|hey|hi|ok|okay|well|oh|i think)\b[\s,:]*)+", re.IGNORECASE
)
_THE = re.compile(r"^the\s+", re.IGNORECASE)
_NAME_S = re.compile(r"^my name['’]s\b", re.IGNORECASE)
_PLACE = re.compile(
    r"^i(?:['’]m|\s+am)?\s+(?P<key>(?:live|work|study|stay|allergic|born|was born|moved)\s+(?:in|at|for|as|on|to))\s+"
    r"(?P<value>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_MOVED = re.compile(
    r"^(?:the|my|our)\s+(?P<key>[^.,;:!?=]{1,50}?)\s+(?:(?:has|have)\s+)?(?:been\s+)?(?:moved|changed|slipped|"
    r"shifted)\s+to\s+"
    r"(?P<value>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_IS = re.compile(
    r"^(?:(?:the|my|our)\s+)?(?P<key>(?!(?:i|you|he|she|it|we|they|this|that|there)\b)[^.,;:!?=]{1,50}?)\s*"
    r"(?:\s(?:is|are|was|were)\s|=|:\s)\s*(?P<value>.+)$",
    re.IGNORECASE | re.DOTALL,
)


def statement_to_remember(text: str) -> str | None:
    """What "remember that …" asks to keep; None where the text asks no such thing, but asks back."""
    found = _REMEMBER.match(text.strip())
    if found is None or _ASKS_BACK.match(found["rest"]):
        return None
    if text.rstrip().endswith(("?", "？", "؟")) and not _ASKED_POLITELY.match(text[:POLITE_CHARACTERS]):
        return None
    rest = found["rest"].strip(" ?？")
    return rest if rest and not _POINTS.fullmatch(rest) else None


def statement_to_forget(text: str) -> str | None:
    """What "forget …" asks to delete; None where the text asks no such thing."""
    found = _FORGET.match(text.strip())
    if found is None or _NEVER_MIND.match(found["rest"]):
        return None
    return found["rest"].strip(" .!?") or None


def key_and_value(statement: str) -> tuple[str, str]:
    """A short key and the value under it: "my dog is called Biscuit" gives ("dog", "Biscuit").

    A statement of no known form is its own value, under a key made of its first words.
    """
    bare = " ".join(statement.split()).rstrip(".! ") or statement
    for pattern in (_MY, _PLACE, _MOVED, _IS):
        found = pattern.match(_NAME_S.sub("my name is", bare))
        if found and (key := slug(found["key"], KEY_CHARACTERS)) and (value := found["value"].strip(" \"'“”")):
            return key, value
    return slug(bare, KEY_CHARACTERS) or cut_at_word(bare, KEY_CHARACTERS), bare


class Stated(NamedTuple):
    """`own`: whether it is said of the user's, and not of "the" one, which may be another's."""

    value: str
    own: bool


def values_stated(text: str, key: str) -> list[Stated]:
    """What a text says that something of the user's is, by sentences: "Btw my PIN is 4471." of the PIN."""
    found: list[Stated] = []
    for bare in map(without_asides, split_sentences(text)):
        one = _MY.match(_THE.sub("my ", _NAME_S.sub("my name is", bare)))
        if one and (value := one["value"].strip(" \"'“”")) and _is_under(key, slug(one["key"], KEY_CHARACTERS), value):
            found.append(Stated(value, own=_THE.match(bare) is None))
    return found


def owned(text: str) -> list[tuple[str, str]]:
    """What a text says that something of the user's is, each with its key, by sentences."""
    found = (_MY.match(_NAME_S.sub("my name is", without_asides(one))) for one in split_sentences(text))
    return [(slug(one["key"], KEY_CHARACTERS), one["value"].strip(" \"'“”")) for one in found if one]


def without_asides(sentence: str) -> str:
    """A sentence on one line without the mark at its end, and without "by the way" and the like at either end."""
    return _BY_THE_WAY.sub("", _ASIDE.sub("", " ".join(sentence.split()).rstrip(".! ")))


def _is_under(key: str, said: str, value: str) -> bool:
    """Whether what is said of something is kept under a key: of the "wife's job" what is said of the wife, if it is a
    job."""
    if said == slug(key):
        return True
    part = of_what(key)
    return part is not None and said == part[0] and attribute_of(value, of_a_being=True) == part[1]


def told(key: str, value: str) -> str:
    """A fact in words: its value alone where the key is made of it."""
    return value if slug(value, KEY_CHARACTERS) == key else f"{key}: {value}"


def fact_meant(text: str, facts: Sequence[KeyValue]) -> KeyValue | None:
    """The one fact that a request to forget speaks of: it says nothing but what the fact holds, and names the whole
    key, the whole value, or more than half of the key. None where no fact suits, or two suit alike."""
    asked = set(content_stems(text))
    suited: list[tuple[float, KeyValue]] = []
    for fact in facts:
        key, value = set(content_stems(fact.key)), set(content_stems(fact.value))
        if not asked or not asked <= key | value:
            continue
        if (key and key <= asked) or (value and value <= asked) or 2 * len(asked & key) > len(key):
            suited.append((len(asked & key) / len(asked | key), fact))
    suited.sort(key=lambda one: -one[0])
    if not suited or (len(suited) > 1 and suited[0][0] == suited[1][0]):
        return None
    return suited[0][1]


def facts_near(text: str, facts: Sequence[KeyValue], most: int = 3) -> list[KeyValue]:
    """Facts whose key shares a word with a request to forget, for the user to name."""
    asked = set(content_stems(text))
    return [fact for fact in facts if asked & set(content_stems(fact.key))][:most]


# Attributes of which there is one at a time. Others go under a key that is the statement itself.
_ONE_EACH = frozenset({"name", "job", "age", "colour", "nationality", "diet", "time", "place", "number", "status"})
_AT_ONCE = frozenset({"job", "age", "nationality", "diet", "status", "allergy"})  # what is never kept as who it is
_WORD, _STATE = "word", "state"  # what may be a name or a code, and what somebody is like

_BEING = re.compile(rf"(?:.* )?{RELATION}", re.IGNORECASE)
# Whatever is said of these gives their one value.
_ANY_VALUE = re.compile(
    r"(?:favou?rite .*|.*\b(?:number|code|pin|password|passcode|passphrase|address|e-?mail|id|username|login|wi-?fi|"
    r"ssid|plan|status|budget|name|goal|motto|size|salary|rent|price|key))"
)
_NAMING = re.compile(
    r"^(?:my|our|the)\b[^.,;:!?]{1,60}?(?:(?:['’]s name)? (?:is|are|was|were) (?:called|named)|['’]s name is)\b",
    re.IGNORECASE,
)
_STILL = re.compile(r"^(?:(?:now|still|currently|actually|really|just) )+", re.IGNORECASE)
_OF_A_KEY = re.compile(rf"(?P<of>.+)['’]s (?P<attribute>{'|'.join(sorted(_ONE_EACH))})")
_PEOPLE = r"[A-Z]\w*(?:an|ish|ese|ch|ss|i|ic)$"
# What a value gives, the first that fits; of people and animals, and of anything.
_OF_BEINGS = (("age", r"1?\d{1,2}(?: years old)?(?: now)?$"), ("nationality", _PEOPLE))
_OF_ANYTHING = (
    ("allergy", r"(?i:allergic to\b)"),
    ("relation", rf"(?:[Mm]y|[Oo]ur|[^\Wa-z_][\w-]*['’]s) (?:[a-z-]+ )?{RELATION}\b"),
    ("status", r"(?i:(?:single|married|divorced|widowed|engaged|separated)\b)"),
    ("diet", rf"{DIET}\b"),
    ("job", rf"an? {WORKER}\b"),
    (
        "colour",
        r"(?:(?:dark|light) )?(?:black|white|red|green|blue|yellow|brown|gr[ea]y|orange|pink|purple|silver|gold)\b",
    ),
)
_OF_THINGS = (
    ("time", TIME.pattern),
    ("number", r"(?:number |no\.? ?|#)?[+(]?\d|\S*\d\S*$"),
    ("place", PLACE.pattern),
    ("name", rf"{NAME}(?: {NAME})*(?:,|$)"),
    (_STATE, r"[a-z]+(?:ed|ing|y|ful|less|ous|ive|able|al|ic|en|own|ack|ue|ay|ite|d)$"),
    (_WORD, r"\S+$"),
)


def attribute_of(value: str, *, of_a_being: bool = False, named: bool = False) -> str | None:
    """What of something a value gives; None where no rule tells. `named`: whether it is said that one is called so."""
    if named:
        return "name"
    value = _STILL.sub("", value)
    patterns = (*_OF_ANYTHING, *(_OF_BEINGS if of_a_being else ()), *_OF_THINGS)
    return next(
        (
            name
            for name, pattern in patterns
            if re.match(pattern, value, re.I if name in ("time", "place", "diet") else 0)
        ),
        None,
    )


def place_beside(statement: str, key: str, value: str, kept: Mapping[str, str]) -> tuple[str, str]:
    """Where a statement is kept, given its key and value and the values that are kept: under its key, where that is
    free or has a value of the same attribute; under one that names the attribute ("wife's
    job"); or, where no rule tells what it says, as it stands under a key of its own."""
    bare = " ".join(statement.split()).rstrip(".! ")
    before = kept.get(key)
    if before == value or _ANY_VALUE.fullmatch(key):
        return key, value
    being = _BEING.fullmatch(key) is not None
    someone = being or (bare[: len(key)].casefold() == key and re.match(rf"{NAME}$", bare[: len(key)]) is not None)
    named = _NAMING.match(bare) is not None
    attribute = attribute_of(value, of_a_being=being, named=named)
    own = attribute_key(key, attribute) if attribute in _ONE_EACH else None
    beside = (own, value) if own is not None else _alone(statement, key)
    if own is not None and own in kept:
        return own, value
    if before is None:
        return (
            beside
            if attribute in _AT_ONCE and (being or (someone and attribute in ("job", "allergy")))
            else (key, value)
        )
    if key == "allergic to":
        return _alone(statement, key)
    was = attribute_of(before, of_a_being=being)
    return (key, value) if _takes_the_place(was, attribute, before, value, someone=someone) else beside


def keys_beside(statement: str, key: str) -> list[str]:
    """The keys whose values `place_beside` is to know: all that it may choose."""
    return [key, *(attribute_key(key, one) for one in sorted(_ONE_EACH)), _alone(statement, key)[0]]


def attribute_key(key: str, attribute: str) -> str:
    return slug(f"{key}'s {attribute}", KEY_CHARACTERS)


def keys_of_the_same(key: str, keys: Sequence[str]) -> list[str]:
    """Those of the keys under which something else is kept of what one key names."""
    attributes = "|".join(sorted(_ONE_EACH))
    pattern = re.compile(rf"(?:(?:my|our|the) )?{re.escape(key)}(?:['’]s (?:{attributes})$| (?:is|are|was|were|on) )")
    return [one for one in keys if one != key and pattern.match(one)]


def of_what(key: str) -> tuple[str, str] | None:
    """The key of the thing, and the attribute, of a key that names both; None for others."""
    found = _OF_A_KEY.fullmatch(key)
    return (found["of"], found["attribute"]) if found else None


def _takes_the_place(was: str | None, attribute: str | None, before: str, value: str, *, someone: bool) -> bool:
    """Whether a value is of the same attribute as the one that is kept. Of a thing whatever no rule tells is; of people
    and animals only what begins alike."""
    if attribute in ("allergy", "relation"):
        return False
    if was == attribute:
        return not someone or attribute not in (_STATE, None) or before.split()[:1] == value.split()[:1]
    both = {was, attribute}
    return not someone and (both <= {_WORD, _STATE, None} or both <= {_WORD, "name", None})


def _alone(statement: str, key: str) -> tuple[str, str]:
    bare = " ".join(statement.split()).rstrip(".! ") or statement
    return slug(bare, KEY_CHARACTERS) or key, bare


_OWN = re.compile(r"^(?:my|our|the) (?P<name>[^.,;:!?]{1,60})$", re.IGNORECASE)
_HAS = re.compile(
    r"^\W*(?:i|we)(?:['’]ve| have)(?: got)? (?:also )?(?:an? |the |some )?(?P<thing>[^.,;:!?]{1,60})\W*$", re.IGNORECASE
)
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
_ATTRIBUTES: tuple[tuple[re.Pattern[str], frozenset[str], str], ...] = tuple(
    (re.compile(rf"(?:{names})", re.IGNORECASE), frozenset(slots.split()), said)
    for names, slots, said in (
        (
            r"(?:my|our) (?:home|residence|home ?town|city|place of residence)|"
            r"where (?:i|we)(?:['’]m| am| are)? liv(?:e|ing)",
            "home",
            r"\b(?:live|living|lived|moved|relocated|based|settled)\b",
        ),
        (r"my age|how old i(?:['’]m| am)", "age", r"\b(?:years old|turned|i(?:['’]m| am)(?: now)? \d)"),
        (r"my (?:birthday|birth ?date|date of birth)|when i was born", "birthday", r"\b(?:born|birthday|birth)\b"),
        (
            r"my (?:job|occupation|profession)|what i do(?: for a living| for work)?|what i work as",
            "job",
            r"\b(?:i(?:['’]m| am)|work|working|job|became|promoted)\b",
        ),
        (
            r"my employer|where i work|who i work for",
            "employer",
            r"\b(?:work|working|job|joined|i(?:['’]m| am))\b",
        ),
        (r"my name|what i(?:['’]m| am) called", "name", r"\b(?:name|called|call me|i(?:['’]m| am))\b"),
    )
)


def attribute_meant(text: str) -> Attribute | None:
    """The attribute that a text names, and nothing else; None where it names none."""
    text = _PLEASE.sub("", " ".join(text.split()).strip(" .!?"))
    own = _OWN.match(text)
    key = slug(own["name"]) if own else ""
    for names, slots, said in _ATTRIBUTES:
        if names.fullmatch(text):
            return Attribute(key, slots, said if not key else f"{said}|{named_in(key)}")
    return Attribute(key, frozenset(), named_in(key), own=not text.lower().startswith("the ")) if key else None


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
        facts = (one.text for one in candidates(sentence, datetime.now(UTC)) if not one.foreign)
        return next((fact for fact in facts if gives(fact, attribute)), None)
    return None


def gives(fact: str, attribute: Attribute) -> bool:
    """Whether a fact gives an attribute of the user's a value."""
    read = read_statement(fact)
    if read.denied or OVER.search(fact):
        return False
    own = read.subject in ("user", "user's name") and not read.slots.isdisjoint(attribute.slots)
    return own or (bool(attribute.key) and read.subject.casefold() == f"user's {attribute.key}")


def named_in(key: str) -> str:
    """A pattern, for MongoDB too, of texts that name what is kept under a key. MongoDB takes letters that are not ASCII
    for none, so that a word's end does not show by `\\b`."""
    return r"(?:^|\W)" + r"\W+".join(map(re.escape, re.split(r"\W+", key.removesuffix("'s name")))) + r"(?:\W|$)"
