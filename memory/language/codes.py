"""Which one of a kind does a text name by a number: an invoice, an order, a flight?

Two of a kind are spoken of in the same words, and what was said of one is as like a question about the other.
"""

import re
from collections.abc import Set

from utils.text import stem, words

_UNIT = r"(?i:(?:[kcm]?m|k?g|lbs?|mi|ft|k?cal|[kmg]b|usd|eur|gbp|chf|people|percent|thousand|million)\b|[€$£%])"
# What stands before a number and makes no code of it: "May20", "UTC-10", "COVID-19", "GPT-4"
_NO_CODE = (
    r"(?i:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?|utc|gmt|covid|sars|gpt|claude|mp|top|page|chapter|step|level|version)"
)
# "INV-2292", "LH441", "CT-34", "db-02", "zeus2", "#12", "48213"; neither "9:30", "£1,200.50", "2500 people" nor
# "mid-90s", and no year.
_CODE = re.compile(
    rf"\b(?!{_NO_CODE}-?\d{{1,2}}\b)(?:[^\W\d_]{{1,3}}\d{{2,}}[\w-]*"
    r"|[A-Z]{2,8}-\d{3,}[\w-]*|[^\W\d_]{1,8}-?(?!(?:19|20)\d\d\b)\d{3,}[\w-]*"
    r"|[A-Z]{1,4}-\d{1,2}\b|[^\W\d_]{2,8}-0\d\b|[^\W\d_]{3,12}\d{1,2}\b)"
    r"|(?<=#)\d+\b"
    rf"|(?<![\d.,:/$€£-])\b(?!(?:1\d|20)\d\d\b)\d{{4,}}\b(?![.,:/-]\d| [a-z]+s\b| ?{_UNIT})"
)
_LETTER = re.compile(r"[^\W\d_]")
_DIGIT = re.compile(r"\d")


def codes_of(text: str) -> frozenset[str]:
    """The stems of the words with digits in the numbers and codes that a text names."""
    if not _DIGIT.search(text):
        return frozenset()
    return frozenset(
        stem(word) for found in _CODE.findall(text) for word in words(found) if any(one.isdigit() for one in word)
    )


def names_another(text: str, codes: Set[str]) -> bool:
    """Whether a text names one of the kind of some codes, and none of these: INV-2291, where INV-2292 is asked for. Of
    one kind are codes that have letters and digits in the same places; the number of a parcel may answer a question
    about an order."""
    named = codes_of(text)
    return not named & codes and not {*map(_shape, named)}.isdisjoint(map(_shape, codes))


def _shape(code: str) -> str:
    return _LETTER.sub("a", _DIGIT.sub("0", code))
