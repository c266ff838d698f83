"""What of something does a value give: its name, its colour, somebody's job? And under which key is it kept, beside
what is kept of the same?"""

import re
from collections.abc import Mapping, Sequence

from memory.facts.rules import kinds
from memory.facts.rules.slots import are_of_two_days, is_rescheduled
from memory.facts.rules.statement import RELATION
from utils.text import slug

KEY_CHARACTERS = 60

# Attributes of which there is one at a time. Others go under a key that is the statement itself.
_ONE_EACH = frozenset({"name", "job", "age", "colour", "nationality", "diet", "time", "place", "number", "status"})
_AT_ONCE = frozenset({"job", "age", "nationality", "diet", "status", "allergy"})  # what is never kept as who it is
_PLAIN_WORD = "word"  # may be a name or a code
_STATE = "state"

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
_RELATIVE = re.compile(rf"(?:[Mm]y|[Oo]ur|[^\Wa-z_][\w-]*['’]s) (?:[a-z-]+ )?{RELATION}\b")
_WORKER = re.compile(r"an? (?:[a-z-]+ ){0,2}[a-z]+(?:er|or|ist|ian|man|woman|eer|smith|mason|student)\b")
_STATUS = re.compile(r"(?:single|married|divorced|widowed|engaged|separated)\b", re.IGNORECASE)
_DAY = re.compile(
    r"(?:(?:on|in|due|by|until|till|from|every|next|this|the) )*(?:noon|midnight|tomorrow|(?:mon|tues|wednes|thurs|"
    r"fri|satur|sun)days?|weekends?|january|february|march|april|may|june|july|august|september|october|november|december)\b",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"(?:in|at|on|under|behind|near|next to|beside|inside|outside|above|below|between|by|across|opposite|parked)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?:number |no\.? ?|#)?[+(]?\d|\S*\d\S*$", re.IGNORECASE)
_WEEKDAY = re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b", re.IGNORECASE)
_OF_A_KEY = re.compile(rf"(?P<of>.+)['’]s (?P<attribute>{'|'.join(sorted(_ONE_EACH))})")


def attribute_of(value: str, *, of_a_being: bool = False, named: bool = False) -> str | None:
    """What of something a value gives; None where no rule tells. `named`: whether it is said that one is called so."""
    if named:
        return "name"
    value = _STILL.sub("", value)
    if re.match(r"allergic to\b", value, re.IGNORECASE):
        return "allergy"
    if _RELATIVE.match(value):
        return "relation"
    if _STATUS.match(value):
        return "status"
    if kinds.is_diet(value):
        return "diet"
    if kinds.is_occupation(value) or _WORKER.match(value):
        return "job"
    if of_a_being and re.fullmatch(r"1?\d{1,2}(?: years old)?(?: now)?", value):
        return "age"
    if kinds.is_colour(value):
        return "colour"
    return _of_anything(value)


def _of_anything(value: str) -> str | None:
    head, single = value.split(",", 1)[0].strip(), len(value.split()) == 1
    if _DAY.match(value) or kinds.kind_of(value) in ("time", "date"):
        return "time"
    if _NUMBER.match(value):
        return "number"
    if _PLACE.match(value):
        return "place"
    if kinds.is_somebody(head):
        return "name"
    if single and kinds.is_of_a_people(value):
        return "nationality"
    if single:
        return _STATE if kinds.is_adjective(value) else _PLAIN_WORD
    return None


def place_beside(statement: str, key: str, value: str, kept: Mapping[str, str]) -> tuple[str, str]:
    """Where a statement is kept, given its key and value and the values that are kept: under its key, where that is
    free or has a value of the same attribute; under one that names the attribute ("wife's job") or the day ("meeting
    on tuesday"); or, where no rule tells what it says, as it stands under a key of its own."""
    bare = " ".join(statement.split()).rstrip(".! ")
    before = kept.get(key)
    if before == value or _ANY_VALUE.fullmatch(key):
        return key, value
    being = _BEING.fullmatch(key) is not None
    attribute = attribute_of(value, of_a_being=being, named=_NAMING.match(bare) is not None)
    own = attribute_key(key, attribute) if attribute in _ONE_EACH else None
    alone = _alone(statement, key)
    if own is not None and own in kept:
        return own, value
    if before is None:
        if attribute in _AT_ONCE and (being or (attribute in ("job", "allergy") and _is_of_a_name(bare, key))):
            return (own, value) if own is not None else alone
        return key, value
    if key == "allergic to":
        return alone
    someone = being or _is_of_a_name(bare, key)
    was = attribute_of(before, of_a_being=being)
    if was == attribute == "time" and not is_rescheduled(bare) and are_of_two_days(f"time of {key}", before, value):
        return _day_key(key, value), value
    if _takes_the_place(was, attribute, before, value, someone=someone):
        return key, value
    return (own, value) if own is not None else alone


def keys_beside(statement: str, key: str, value: str) -> list[str]:
    """The keys whose values `place_beside` is to know: all that it may choose."""
    attributes = (attribute_key(key, one) for one in sorted(_ONE_EACH))
    return [key, *attributes, _day_key(key, value), _alone(statement, key)[0]]


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
    return not someone and (both <= {_PLAIN_WORD, _STATE, None} or both <= {_PLAIN_WORD, "name"})


def _is_of_a_name(bare: str, key: str) -> bool:
    """Whether a statement is of somebody by name: "Anna is my sister"."""
    said = bare[: len(key)]
    return said.casefold() == key and kinds.is_somebody(said)


def _day_key(key: str, value: str) -> str:
    return slug(f"{key} on {' '.join(_WEEKDAY.findall(value))}", KEY_CHARACTERS)


def _alone(statement: str, key: str) -> tuple[str, str]:
    bare = " ".join(statement.split()).rstrip(".! ") or statement
    return slug(bare, KEY_CHARACTERS) or key, bare
