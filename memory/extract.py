"""Which key and value does a statement hold? Rules over what a user asks to be remembered or forgotten."""

import re
from collections.abc import Sequence

from memory.domain import KeyValue
from utils.text import content_stems, cut_at_word, slug

KEY_CHARACTERS = 60

_LEAD = r"^(?:(?:please|hey|hi|ok|okay|so|and|now|also|can you|could you|would you)\b[\s,]*)*"
_REMEMBER = re.compile(
    _LEAD + r"(?:do\s+)?(?:remember|memori[sz]e|keep in mind|bear in mind|do not forget|don['’]?t forget|"
    r"make a note|take a note|note down|note|save)\b(?:\s+(?:of this|this|that|for me|of))*\s*[:,\-–]?\s*(?P<rest>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_FORGET = re.compile(
    _LEAD
    + r"(?:forget|erase|delete|remove|unlearn)\b(?:\s+(?:what (?:i|we) (?:said|told you)|everything|all|anything))?"
    r"(?:\s+(?:about|that|regarding|the (?:fact|memory)(?: that| about| of)?))*\s*[:,]?\s*(?P<rest>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_MY = re.compile(
    r"^(?:my|our)\s+(?P<key>[^.,;:!?]{1,60}?)(?:['’]s name)?\s+"
    r"(?:(?:is|are|was|were)\s+(?:called|named)|is|are|was|were|=)\s+(?P<value>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_PLACE = re.compile(
    r"^i(?:['’]m|\s+am)?\s+(?P<key>(?:live|work|study|stay|allergic|born|was born|moved)\s+(?:in|at|for|as|on|to))\s+"
    r"(?P<value>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_IS = re.compile(
    r"^(?:the\s+)?(?P<key>(?!(?:i|you|he|she|it|we|they|this|that|there)\b)[^.,;:!?=]{1,50}?)\s*"
    r"(?:\s(?:is|are|was|were)\s|=|:\s)\s*(?P<value>.+)$",
    re.IGNORECASE | re.DOTALL,
)


def statement_to_remember(text: str) -> str | None:
    """What "remember that …" asks to keep; None where the text asks no such thing."""
    found = _REMEMBER.match(text.strip())
    if found is None or text.rstrip().endswith("?"):
        return None
    return found["rest"].strip() or None


def statement_to_forget(text: str) -> str | None:
    """What "forget …" asks to delete; None where the text asks no such thing."""
    found = _FORGET.match(text.strip())
    return found["rest"].strip(" .!?") or None if found else None


def key_and_value(statement: str) -> tuple[str, str]:
    """A short key and the value under it: "my dog is called Biscuit" gives ("dog", "Biscuit").

    A statement of no known form is its own value, under a key made of its first words.
    """
    bare = " ".join(statement.split()).rstrip(".! ")
    for pattern in (_MY, _PLACE, _IS):
        found = pattern.match(bare)
        if found and (key := slug(found["key"], KEY_CHARACTERS)):
            return key, found["value"].strip(" \"'“”")
    return slug(bare, KEY_CHARACTERS) or cut_at_word(bare, KEY_CHARACTERS), bare


def fact_meant(text: str, facts: Sequence[KeyValue]) -> KeyValue | None:
    """The one fact that a request to forget speaks of: it names the whole key, or nothing but what the fact holds."""
    asked = set(content_stems(text))
    best, closeness = None, 0.0
    for fact in facts:
        key, whole = set(content_stems(fact.key)), set(content_stems(f"{fact.key} {fact.value}"))
        if not asked or not (asked <= whole or (key and key <= asked)):
            continue
        alike = len(asked & whole) / len(asked | key)
        if alike > closeness:
            best, closeness = fact, alike
    return best
