"""Does a sentence hold what a question wants: a number, a time, an age, or that something is not so?"""

import re
from collections.abc import Sequence

from agents.chat.asked_words import meant
from agents.chat.statements import Sentence
from memory.language.languages import is_foreign
from memory.language.times.periods import MONTHS
from memory.language.times.spans import spans_of

SURE = 0.68  # cosine similarity from which on a sentence need not hold a number or a date, as the question wants
LOOKED_AT = 500  # characters of a question, its first or its last
NEAR_BEST = 0.75  # what has a time is as likely to tell when where its score is this share of the best one's

_COUNTS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_NUMBER = rf"\d|\b({_COUNTS}|dozen|hundred|thousand|couple|no)\b"
_AGE = (
    rf"\b(?:\d{{1,3}}|{_COUNTS}|\w+teen|\w+ty)[ -](?:years?|months?|weeks?|days?)\b|\bborn\b|\baged?\b|\bbirthday\b|"
    r"(?:\b(?:turn(?:s|ed|ing)?|is|are|am|be|was|were)|['’](?:s|m|re|d be)) (?:(?:now|only|about|almost|nearly) )*"
    rf"(?:\d{{1,3}}\b(?![.,:/-]\d|st\b|nd\b|rd\b|th\b)|(?:{_COUNTS}|\w+teen|\w+ty(?:-\w+)?)\b)|\(\d{{1,3}}\)|"
    rf"\b(?:1\d|20)\d\d\b|\b(?!(?:{'|'.join(name[:3].title() for name in MONTHS)})[a-z]*\b)(?-i:[A-ZÀ-Þ])\w+,? "
    r"\(?\d{1,2}\b(?!\d|[.:/-]\d|st\b|nd\b|rd\b|th\b)"
)
WHEN = re.compile(r"\b(when|what (day|date|time|year)|how long)\b", re.IGNORECASE)
_NEEDS = (  # what a question wants and a sentence must hold, to be an answer
    (
        WHEN,
        re.compile(
            r"\d|\b(mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(january|february|march|april|may|june|july|august|"
            r"september|october|november|december|yesterday|today|tomorrow|noon|midnight|morning|afternoon|evening|night|"
            r"weekend|week|month|year|day|hour|minute|second|spring|summer|autumn|winter|christmas|easter|since|after|"
            rf"before|until)s?\b|\b(?:at|around|about|by|past|to|till|from) (?:{_COUNTS}|eleven|twelve|half)\b|"
            rf"\b(?:{_COUNTS}|eleven|twelve) (?:o['’]?clock|am|pm)\b|\bon the (?:first|third|\w+th)\b",
            re.IGNORECASE,
        ),
    ),
    (re.compile(r"\bhow (many|much)\b|\bnumber\b", re.IGNORECASE), re.compile(_NUMBER, re.IGNORECASE)),
    (re.compile(r"\bhow old\b", re.IGNORECASE), re.compile(_AGE, re.IGNORECASE)),
    (re.compile(r"\b(?:phone|mobile|cell) number\b", re.IGNORECASE), re.compile(r"(?:\d[ ()/.+-]*){5}")),
)
_ASKS_WHEN = re.compile(
    r"^\W*(?:(?:so|and|but|hey|ok|okay|well|please|again|tell me|remind me|do you (?:still )?(?:know|remember))\W+)*"
    r"(?:when|(?:what|which|on (?:what|which)) (?:day|date|time|month|year))\b",
    re.IGNORECASE,
)
# What is asked for that is not so; "why not" asks for what is, and so does what has it of one "who can't" something.
_ASKS_WHAT_NOT = re.compile(
    r"^\W*(?:(?:so|and|but|hey|ok|okay|well|please|of|with|to|from|for|by|on|at|in)\W+)*"
    r"(?:what|which|who|whom|whose|where|when)\b(?:(?!\b(?:who|that|which|if|when|because|although|but|why|or)\b).)*?"
    r"(?:\bnot\b(?! only\b)|\bnever\b|n['’]t\b)",
    re.IGNORECASE,
)
_TELLS_NOT = re.compile(
    r"\b(?:no|not|none|nor|never|nothing|nobody|neither|without|cannot|avoid\w*|allerg\w+|intoleran\w+|forb[ia]d\w*|"
    r"prohibit\w*|banned|hate[sd]?|dislike[sd]?|refuse[sd]?|stop(?:s|ped)?|quit|skip(?:s|ped)?|miss(?:es|ed)?|except|"
    r"instead|unable|(?:do|does|did|ca|wo|is|are|was|were|should|must|could|would|have|has|had)nt)\b|n['’]t\b",
    re.IGNORECASE,
)
_AMOUNT_FOR = re.compile(
    r"\bhow (?:much|many)\b.*\bfor (?:the|my|our|his|her|their) (?P<what>[\w-]+(?: [\w-]+)?)\W*$",
    re.IGNORECASE,
)


def has_what_is_wanted(query: str, sentence: Sentence) -> bool:
    """Whether a sentence holds the number or time that is asked for, which one that is very like the question need not,
    and says that something is not so where that is asked."""
    text = sentence.spoken
    if _ASKS_WHAT_NOT.match(query[:LOOKED_AT]) and not _TELLS_NOT.search(text):
        return False
    if sentence.likeness >= SURE:
        return True
    return all(answer.search(text) for question, answer in _NEEDS if question.search(query))


def is_for_another_thing(query: str, sentence: Sentence) -> bool:
    """Whether a question asks how much is for a thing that a sentence does not name, which is not very like it; in
    other languages than the question's the thing has another name."""
    found = _AMOUNT_FOR.search(query[-LOOKED_AT:])
    if found is None or sentence.likeness >= SURE or is_foreign(sentence.text):
        return False
    return not meant(found["what"]) <= meant(sentence.text)


def likely_to_tell_when(
    query: str, sentences: Sequence[Sentence], scored: Sequence[tuple[float, int]]
) -> list[tuple[float, int]]:
    """Of sentences that may answer, those with a time where a question asks for one and one of them is likely; else
    all. `scored`: their scores and places."""
    timed = [one for one in scored if names_a_time(sentences[one[1]])] if asks_when(query) else []
    likely = max((score for score, _ in timed), default=0.0) >= NEAR_BEST * max((one[0] for one in scored), default=0.0)
    return timed if timed and likely else list(scored)


def asks_when(query: str) -> bool:
    """Whether a question begins by asking for a time: "when did I …", not "what did I do when …"."""
    return _ASKS_WHEN.match(query) is not None


def names_a_time(sentence: Sentence) -> bool:
    return bool(spans_of(sentence.text, sentence.source.timestamp.timestamp()))
