"""Phrases in texts: what benches look for in what the product shows."""

import re
from functools import cache


@cache
def phrase(words: str) -> re.Pattern[str]:
    """The words as whole ones, in any case and with any blanks between them; a number not as the part of another."""
    start = r"(?<![\w.])" if re.match(r"\d", words) else r"(?<!\w)" if re.match(r"\w", words) else ""
    end = r"(?!\w|\.\d)" if re.search(r"\w$", words) else ""
    return re.compile(start + r"\s+".join(map(re.escape, words.split())) + end, re.IGNORECASE)
