"""Sentences in the first person, told of the user in the third."""

import re

from memory.language.words import IRREGULAR_PAST

USER = "The user"

_NAME = r"[^\W\d_a-zß-öø-ÿ][\w-]*"
_ADVERBS = (
    r"(?:\s+(?:also|really|just|now|still|never|always|often|even|already|both|no longer|sometimes|once|kind of|"
    r"sort of|"
    r"ever|seldom|(?!(?:f|app|re|supp)ly\b|rely\b)[a-z]+ly))*"
)
_I = re.compile(rf"^I(?P<short>['’](?:m|ve|ll|d))?(?P<adverbs>{_ADVERBS})\s+(?P<verb>[^\s.,;!?]+)", re.IGNORECASE)
_SHORT = {"m": "is", "ve": "has", "ll": "will", "d": "had"}
_FORMS = {"am": "is", "have": "has", "do": "does", "go": "goes", "be": "is", "can't": "cannot", "won't": "will not"}
_FORMS |= {"don't": "does not", "haven't": "has not", "dont": "does not", "didn't": "did not", "wasn't": "was not"}
_AS_THEY_ARE = frozenset("can cannot will shall may must ought used not and or was were is has does".split())  # noqa: SIM905
_PRESENT = frozenset("need feed breed speed bleed succeed proceed embed wed".split())  # noqa: SIM905  in -eed, as the past ends
_OF_US = re.compile(r"^we(?P<short>['’]ve got|['’]ve|['’]re|['’]ll|)\b", re.IGNORECASE)
_OF_US_IN_FULL = {"": "", "'ve got": " have", "'ve": " have", "'re": " are", "'ll": " will"}
_MY = re.compile(r"(?<![\w’'-])(?:my|our)(?![\w’'-])", re.IGNORECASE)
_INSIDE = tuple(
    (re.compile(pattern), instead)
    for pattern, instead in (
        (r"\bI['’]m\b|\bI am\b", "they are"),
        (r"\bI['’]ve\b", "they have"),
        (r"\bI['’]ll\b", "they will"),
        (r"\bI['’]d\b", "they would"),
        (r"\bI was\b", "they were"),
        (r"(?<![.\w])I\b(?!\.\w)", "they"),
        (r"\b[Mm]yself\b", "themself"),
        (r"\b(?:[Mm]ine|ours)\b", "theirs"),
    )
)
_ME = re.compile(r"(?<![\w’'-])(?:[Mm]e|us)(?![\w’'-])")
# An 's that is short for "is" or "has": after "name" always, elsewhere before a word that nobody owns.
_SHORT_IS = re.compile(
    r"(?<=\bname)['’]s\b|(?<=\w)['’]s(?= (?:called|named|an?|the|not|now|in|at|on|from|off|over|back|out|with|my|"
    r"our|about|only|still|"
    r"also|vegetarian|vegan|pregnant|single|engaged|married|divorced|allergic|due|(?:go|mov|com|work|stay|gett|"
    r"leav|liv|putt|hav|be|tak|start|learn|study)ing)\b)|(?<=\w)['’]s(?= (?:[£$€]?\d|(?-i:[A-Z][\w-]+)(?:[,.;]|$)))",
    re.IGNORECASE,
)
_SHORT_HAS = re.compile(
    r"(?<=\w)['’]s(?= (?:got|been|just|already|started|moved|retired|left|become|gone|had|died|dropped|gotten)\b)", re.I
)


def spelled_out(clause: str) -> str:
    """A clause with "is" and "has" where its subject has them short: "Rent's 900 a month", "Anna's moved"."""
    lead = re.match(r"[^,;]{1,40}?['’]s ", clause)
    if lead is None or re.match(r"(?:it|that|he|she|there|what|who|let)['’]s ", clause, re.IGNORECASE):
        return clause
    return _SHORT_HAS.sub(" has", _SHORT_IS.sub(" is", clause, count=1), count=1)


def third_person(clause: str) -> str:
    """A clause of the user's in the third person: "I live with my sister" gives "The user lives with their sister".
    What is so of "we" stays so."""
    if re.match(r"we\b", clause, re.IGNORECASE):
        return _OF_US.sub(lambda found: f"We{_OF_US_IN_FULL[found['short'].replace('’', chr(39)).lower()]}", clause)
    clause = re.sub(r"^((?:my|our) [^,.;]{1,40}?) and I (?=\w)", r"I and \1 ", clause, flags=re.IGNORECASE)
    clause = re.sub(rf"^({_NAME}(?:, {_NAME}){{0,3}}) and I (?=\w)", r"\1 and the user ", clause)
    if started := re.match(r"(?:my|our)\b", clause, re.IGNORECASE):
        return f"{USER}'s" + _inside(_SHORT_IS.sub(" is", clause[started.end() :], count=1), "their", "them")
    clause = re.sub(r"^im\b", "I'm", re.sub(r"^i['’]ve got\b", "I have", clause, flags=re.I), flags=re.I)
    found = _I.match(clause)
    if found is None:
        return _inside(_SHORT_IS.sub(" is", clause, count=1), "the user's", "the user")
    verb = found["verb"].replace("’", "'")
    short = f" {_SHORT[found['short'][1:].lower()]}" if found["short"] else ""
    return f"{USER}{short}{found['adverbs']} {verb if short else conjugated(verb)}" + _inside(
        clause[found.end() :], "their", "them"
    )


def is_past(verb: str) -> bool:
    """Whether a form is of the past, as far as it shows."""
    base = re.sub(r"^(?:out|over|under|re|un|with)(?=[a-z]{3})", "", verb)
    irregular = verb in ("was", "were", "had", "did") or not IRREGULAR_PAST.isdisjoint((verb, base))
    return irregular or (verb.endswith("ed") and verb not in _PRESENT)


def conjugated(verb: str) -> str:
    """A verb as it stands behind "I", as it stands behind "she"."""
    verb = verb.lower() if verb.isalpha() or "'" in verb else verb
    if verb in _FORMS:
        return _FORMS[verb]
    if verb.endswith("n't"):
        return f"{verb[:-3]} not"
    if not (verb.isascii() and verb.isalpha()) or verb in _AS_THEY_ARE or is_past(verb):
        return verb
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if verb.endswith("y") and verb[-2:-1] not in tuple("aeiou") else f"{verb}s"


def _inside(text: str, whose: str, whom: str) -> str:
    """What stands behind the subject."""
    text = _ME.sub(whom, _MY.sub(whose, text))
    for pattern, instead in _INSIDE:
        text = pattern.sub(instead, text)
    return text
