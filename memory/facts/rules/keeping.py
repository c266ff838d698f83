"""Which key and value does a statement hold? Rules over what a user asks to be remembered or forgotten."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from memory.domain import KeyValue
from memory.facts.rules.attributes import KEY_CHARACTERS, attribute_of, of_what
from utils.sentences import split_sentences
from utils.text import content_stems, cut_at_word, slug

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
# "Remember that", and what, is not said.
_POINTS = re.compile(r"(?:(?:that|this|it|these|those|them|please|for me)\b\W*)+", re.IGNORECASE)
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
    r"^(?:the|my|our)\s+(?P<key>[^.,;:!?=]{1,50}?)\s+(?:(?:has|have)\s+)?(?:been\s+)?(?:moved|changed|slipped|shifted)\s+to\s+"
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
