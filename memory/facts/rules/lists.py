"""Which facts does a sentence that lists things hold, each by itself?"""

import re

_NAME = r"[^\W\d_a-zß-öø-ÿα-ωа-џ][\w’'-]*"
_NO_LINK = (
    r"(?!(?:and|or|but|in|on|at|to|of|from|with|for|by|as|than|who|that|which|since|every|each|near|behind|"
    r"today|tonight|tomorrow|yesterday|next|last|this|now|left|coming)\b)"
)
_WORDS = rf"{_NO_LINK}[a-z][\w’'-]*(?: {_NO_LINK}[\w’'-]+){{0,3}}?"
_COUNT = r"(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,3})"
_THING = rf"{_COUNT} {_WORDS}(?: (?:called|named) {_NAME})?"
_INSTRUMENT = rf"the {_NO_LINK}[a-z]+(?: {_NO_LINK}[a-z]+)?"
_LISTS = tuple(
    re.compile(
        rf"^(?P<who>The user(?:'s [a-z]+)? (?:also |now )?(?:{verbs}))(?P<items> {item}(?:,(?: and)? {item}|"
        rf" and {item}){{1,7}})\.$"
    )
    for verbs, item in (("has|owns", _THING), ("plays", _INSTRUMENT), ("speaks", _NAME))
)
_LIKES = r"(?:loves|likes|adores|enjoys)"
_DISLIKES = r"(?:hates|dislikes|detests|cannot stand|does not (?:like|enjoy))"
_OR_ELSE = r"(?:,? (?:and|but)|,) "
_TASTES = re.compile(
    rf"^(?P<who>The user's [^,;]{{1,40}}?|{_NAME}(?: {_NAME})?) "
    rf"(?:(?P<likes>{_LIKES} [^,;]{{1,60}}?){_OR_ELSE}(?P<not>{_DISLIKES} [^,;]{{1,60}})|"
    rf"(?P<dislikes>{_DISLIKES} [^,;]{{1,60}}?){_OR_ELSE}(?P<but>{_LIKES} [^,;]{{1,60}}))\.$"
)
_BETWEEN = re.compile(r",(?: and)? | and ")


def apart(fact: str) -> list[str]:
    """A fact on several things of a kind as one on each, so that what ends one leaves the others: "The user has a dog
    called Rex and a cat." """
    if taste := _TASTES.match(fact):
        return [f"{taste['who']} {one.rstrip('.')}." for one in taste.group("likes", "not", "dislikes", "but") if one]
    found = next((found for pattern in _LISTS if (found := pattern.match(fact))), None)
    if found is None:
        return [fact]
    return [f"{found['who']} {item}." for item in _BETWEEN.split(found["items"].strip())]
