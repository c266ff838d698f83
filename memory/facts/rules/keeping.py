"""Key-values that a user asks to keep or to forget.

"Remember that my locker is number 12" keeps "number 12" under "locker". "Forget my nut allergy" means what was kept
under that key, or the one sentence that gives it: "I have a nut allergy." Likeness alone decides nothing here.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from memory.domain import KeyValue
from memory.facts.rules.statement import ONE_VALUE, PLACE, TIME, is_somebody, read_statement
from utils.sentences import split_sentences
from utils.text import STOPWORDS, content_stems, cut_at_word, ends_with_question_mark, marked_words, slug, stem

KEY_CHARACTERS = 60

_LEAD = r"^(?:(?:please|hey|hi|ok|okay|so|and|now|also|can you|could you|would you)\b[\s,]*)*"
_REMEMBER = re.compile(
    _LEAD
    + r"(?:i (?:want|need) you to |i['’]d like you to )?(?:do\s+)?(?:remember|memori[sz]e|keep in mind|bear in mind|"
    r"do not forget|don['’]?t (?:ever )?forget|never forget|make a note|take a note|note down|note to self|"
    r"remind me that|(?:note|save)(?=\s+(?:this|that|my|our|for me)\b|\s*:))\b"
    r"(?:\s+(?:of this|this|that|for me|of))*\s*[:,\-–]?\s*(?P<rest>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_NOT_TO_KEEP = re.compile(
    _LEAD + r"(?:(?:do not|don['’]?t) (?:remember|save|store|keep|log|record|memori[sz]e|note)\s+"
    r"(?:this|that|it|the following|what i)\b|off the record\b)",
    re.IGNORECASE,
)
POLITE_CHARACTERS = 600  # the pattern takes time that grows with the square
_ASKED_POLITELY = re.compile(
    r"^\W*(?:(?:please|hey|hi|ok|okay)\b\W*)*(?:can|could|would|will) you\b.*?\b(?:(?:that|my|our)\b.*\b(?:is|are)\b"
    r"|that (?:(?:i|we|he|she|they|it|there|my|our|his|her|their|the)(?:['’][a-z]+)? \S"
    r"|(?-i:(?:[A-Z][\w-]* ){1,3})(?:is|are|was|were|has|had|did|will|can|[a-z]+s (?:on|in|at|to|for|from|with)|"
    r"[a-z]+ed)\b))",
    re.IGNORECASE,
)
# "Remember that", and what, is not said; nor is it with "remember me".
_POINTS = re.compile(
    r"(?:(?:that|this|it|these|those|them|me|you|us|him|her|myself|please|for me)\b\W*)+", re.IGNORECASE
)
_ASKS_BACK = re.compile(
    r"^(?:(?:what|when|where|who|whom|whose|which|how|why|if|whether)\b|the (?:time|day)\b)", re.IGNORECASE
)
_FORGET = re.compile(
    _LEAD + r"(?:(?P<forget>forget|unlearn)\b(?!-)|(?:erase|delete|remove)(?=\s+(?:my|our|what|that i|everything|all|"
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
_IN_A_PLACE = re.compile(
    r"^i(?:['’]m|\s+am)?\s+(?P<key>(?:live|work|study|stay|allergic|born|was born|moved)\s+(?:in|at|for|as|on|to))\s+"
    r"(?P<value>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_IS = re.compile(
    r"^(?:(?:the|my|our)\s+)?(?P<key>(?!(?:i|you|he|she|it|we|they|this|that|there)\b)[^.,;:!?=]{1,50}?)\s*"
    r"(?:\s(?:is|are|was|were)\s|=|:\s)\s*(?P<value>.+)$",
    re.IGNORECASE | re.DOTALL,
)


def asks_not_to_keep(text: str) -> bool:
    """Whether a text asks that nothing of it be kept: "Don't remember this: …", "Off the record: …"."""
    return _NOT_TO_KEEP.match(text.strip()) is not None


def statement_to_remember(text: str) -> str | None:
    """What "remember that …" asks to keep; None where the text asks no such thing, but asks back."""
    found = _REMEMBER.match(text.strip())
    if found is None or _ASKS_BACK.match(found["rest"]):
        return None
    if ends_with_question_mark(text) and not _ASKED_POLITELY.match(text[:POLITE_CHARACTERS]):
        return None
    rest = found["rest"].strip(" ?？")
    return rest if rest and not _POINTS.fullmatch(rest) else None


def statement_to_forget(text: str) -> str | None:
    """What "forget …" asks to delete; None where the text asks no such thing."""
    found = _FORGET.match(text.strip())
    if found is None or _NEVER_MIND.match(found["rest"]):
        return None
    return found["rest"].strip(" .!?") or None


def says_forget(text: str) -> bool:
    """Whether a text that asks to delete something says "forget"; else it may speak of anything."""
    found = _FORGET.match(text.strip())
    return found is not None and found["forget"] is not None


def key_and_value(statement: str) -> tuple[str, str]:
    """A short key and the value under it: "my dog is called Biscuit" gives ("dog", "Biscuit").

    A statement of no known form is its own value, under a key made of its first words.
    """
    bare = " ".join(statement.split()).rstrip(".! ") or statement
    for pattern in (_MY, _IN_A_PLACE, _IS):
        found = pattern.match(_NAME_S.sub("my name is", bare))
        if found and (key := slug(found["key"], KEY_CHARACTERS)) and (value := found["value"].strip(" \"'“”")):
            return key, value
    return slug(bare, KEY_CHARACTERS) or cut_at_word(bare, KEY_CHARACTERS), bare


class StatedValue(NamedTuple):
    """What a sentence says that something is. `own`: whether it is said of the user's, and not of "the" one, which may
    be another's."""

    value: str
    own: bool


def values_stated(text: str, key: str) -> list[StatedValue]:
    """What a text says that something of the user's is, by sentences: "Btw my PIN is 4471." of the PIN."""
    found: list[StatedValue] = []
    for bare in map(without_asides, split_sentences(text)):
        owned = _MY.match(_THE.sub("my ", _NAME_S.sub("my name is", bare)))
        if (
            owned
            and (value := owned["value"].strip(" \"'“”"))
            and _is_under(key, slug(owned["key"], KEY_CHARACTERS), value)
        ):
            found.append(StatedValue(value, own=_THE.match(bare) is None))
    return found


def owned(text: str) -> list[tuple[str, str]]:
    """What a text says that something of the user's is, each with its key, by sentences."""
    found = (_MY.match(_NAME_S.sub("my name is", without_asides(sentence))) for sentence in split_sentences(text))
    return [(slug(match["key"], KEY_CHARACTERS), match["value"].strip(" \"'“”")) for match in found if match]


def without_asides(sentence: str) -> str:
    """A sentence on one line without the mark at its end, and without "by the way" and the like at either end."""
    return _BY_THE_WAY.sub("", _ASIDE.sub("", " ".join(sentence.split()).rstrip(".! ")))


def _is_under(key: str, said: str, value: str) -> bool:
    """Whether what is said of something is kept under a key: of the "wife's job" what is said of the wife, if it is a
    job."""
    part = of_what(key)
    return said == slug(key) or (part is not None and said == part[0] and attribute_of(said, value) == part[1])


def told(key: str, value: str) -> str:
    """A fact in words: its value alone where the key is made of it."""
    return value if key in (slug(value, KEY_CHARACTERS), unmarked(value)) else f"{key}: {value}"


def unmarked(text: str) -> str:
    """The key without symbols, under which earlier versions kept what they do not leave out."""
    return slug(text, KEY_CHARACTERS, symbols=False)


def fact_meant(text: str, facts: Sequence[KeyValue]) -> KeyValue | None:
    """The one fact that a request to forget speaks of: it says nothing but what the fact holds, and names the whole
    key, the whole value, or more than half of the key. None where no fact suits, or two suit alike."""
    asked = _marked_stems(text)
    suited: list[tuple[float, KeyValue]] = []
    for fact in facts:
        key, value = _marked_stems(fact.key), _marked_stems(fact.value)
        if not asked or not asked <= key | value:
            continue
        if (key and key <= asked) or (value and value <= asked) or 2 * len(asked & key) > len(key):
            suited.append((len(asked & key) / len(asked | key), fact))
    suited.sort(key=lambda suiting: -suiting[0])
    if not suited or (len(suited) > 1 and suited[0][0] == suited[1][0]):
        return None
    return suited[0][1]


def key_named(message: str, key: str) -> str:
    """The key that a message names which is a source of `key`: with the symbols that earlier versions left out."""
    statement = statement_to_remember(message)
    named = key_and_value(statement)[0] if statement is not None else key
    return named if unmarked(named) == key else key


def _marked_stems(text: str) -> set[str]:
    return {stem(word) for word in marked_words(text) if word not in STOPWORDS}


def facts_near(text: str, facts: Sequence[KeyValue], most: int = 3) -> list[KeyValue]:
    """Facts whose key shares a word with a request to forget, for the user to name."""
    asked = set(content_stems(text))
    return [fact for fact in facts if asked & set(content_stems(fact.key))][:most]


# What there is one of at a time, and so a key of its own beside that of its thing: "wife's job".
_ATTRIBUTES = (
    *("name", "job", "age", "diet", "status", "employer", "home", "birthday", "time", "place", "number"),
    *("colour", "nationality"),  # of what was kept earlier
)
_NAMING = re.compile(
    r"^(?:my|our|the)\b[^.,;:!?]{1,60}?(?:(?:['’]s name)? (?:is|are|was|were) (?:called|named)|['’]s name is)\b",
    re.IGNORECASE,
)
_OF_A_KEY = re.compile(rf"(?P<of>.+)['’]s (?P<attribute>{'|'.join(_ATTRIBUTES)})")
_NUMBER = re.compile(r"(?:number |no\.? ?|#)?[+(]?\d|\S*\d\S*$")


def attribute_of(thing: str, value: str) -> str | None:
    """What a value gives of a thing of the user's, as facts have it; None where no rule tells."""
    read = read_statement(f"The user's {thing} is {value}.")
    if is_somebody(read.subject):
        return next(iter(sorted(read.slots)), None)
    kinds = (("time", TIME), ("number", _NUMBER), ("place", PLACE))
    return next((name for name, pattern in kinds if pattern.match(value)), None)


def place_beside(statement: str, key: str, value: str, kept: Mapping[str, str]) -> tuple[str, str]:
    """Where a statement is kept, given its key and value and the values that are kept: under its key, where that is
    free or has a value of the same attribute; under one that names the attribute ("wife's job"); or, where no rule
    tells what it says, as it stands under a key of its own."""
    bare = " ".join(statement.split()).rstrip(".! ")
    before = kept.get(key)
    is_being = is_somebody(f"user's {key}")
    attribute = "name" if _NAMING.match(bare) else attribute_of(key, value)
    own = attribute_key(key, attribute) if attribute is not None else None
    if before == value or ONE_VALUE.fullmatch(key):
        return key, value
    if own is not None and own in kept:
        return own, value
    if before is None:
        return (key, value) if own is None or not is_being or attribute == "name" else (own, value)
    was = attribute_of(key, before)
    begins_alike = before.split()[:1] == value.split()[:1]
    are_words = not is_being and " " not in before + value
    are_texts = not is_being and min(len(before), len(value)) > KEY_CHARACTERS
    if key != "allergic to" and was == attribute and (was is not None or begins_alike or are_words or are_texts):
        return key, value
    return (own, value) if own is not None else _alone(statement, key)


def keys_beside(statement: str, key: str) -> list[str]:
    """The keys whose values `place_beside` is to know: all that it may choose."""
    attributes = (attribute_key(key, attribute) for attribute in _ATTRIBUTES)
    return list(dict.fromkeys([key, *attributes, _alone(statement, key)[0], unmarked(key)]))


def attribute_key(key: str, attribute: str) -> str:
    return slug(f"{key}'s {attribute}", KEY_CHARACTERS)


def keys_of_the_same(key: str, keys: Sequence[str]) -> list[str]:
    """Those of the keys under which something else is kept of what one key names."""
    pattern = re.compile(
        rf"(?:(?:my|our|the) )?{re.escape(key)}(?:['’]s (?:{'|'.join(_ATTRIBUTES)})$| (?:is|are|was|were|on) )"
    )
    return [other for other in keys if other != key and pattern.match(other)]


def of_what(key: str) -> tuple[str, str] | None:
    """The key of the thing, and the attribute, of a key that names both; None for others."""
    found = _OF_A_KEY.fullmatch(key)
    return (found["of"], found["attribute"]) if found else None


def _alone(statement: str, key: str) -> tuple[str, str]:
    bare = " ".join(statement.split()).rstrip(".! ") or statement
    return slug(bare, KEY_CHARACTERS) or key, bare
