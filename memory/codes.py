"""Which one of a kind does a text name by a number: an invoice, an order, a flight?

Two of a kind are spoken of in the same words, and what was said of one is as like a question about the other.
"""

import re

from utils.text import stem, words

# "INV-2292", "LH441", "#12", "48213"; neither "9:30" nor "£1,200.50", and no year.
_CODE = re.compile(
    r"\b[^\W\d_]{1,8}-?\d{2,}[\w-]*|(?<=#)\d+\b|(?<![\d.,:/$€£-])\b(?!(?:19|20)\d\d\b)\d{4,}\b(?![.,:/-]\d| [a-z]+s\b)"
)


def codes_of(text: str) -> frozenset[str]:
    """The stems of the words with digits in the numbers and codes that a text names."""
    return frozenset(
        stem(word) for found in _CODE.findall(text) for word in words(found) if any(one.isdigit() for one in word)
    )
