"""Records that have the words of a query in what they were called with and what came back."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import log

from memory.traces.trace import Trace
from memory.views import MARKS
from utils.text import STOPWORDS

MOST_WORDS = 16  # different ones of a query that are looked for, the longest
NOWHERE = 0.5  # of the records, for a word that none has: it weighs more than one that a single record has
MOSTLY = 0.5  # share of what the words weigh, from which a record is found by them

# Writing without blanks between words: no word has an end of its own there.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff]")


def words_sought(query: str) -> tuple[str, ...]:
    """The words of a query that say something, lower case, each once."""
    said = (word.strip(MARKS) for word in query.casefold().split())
    words = dict.fromkeys(word for word in said if word and word not in STOPWORDS)
    return tuple(sorted(words, key=len, reverse=True)[:MOST_WORDS])


def words_of_each(traces: Iterable[Trace], words: Sequence[str]) -> dict[str, frozenset[str]]:
    """Those of some words that each record has, by its id."""
    return {trace.id: words_in(trace, words) for trace in traces}


def words_in(trace: Trace, words: Iterable[str]) -> frozenset[str]:
    """Those of some words that a record has, read with the truth."""
    text = f"{trace.tool_name} {trace.raw_input} {trace.raw_output}".casefold()
    return frozenset(word for word in words if word in text and _stands_alone(word, text))


def _stands_alone(word: str, text: str) -> bool:
    """Whether a word is not part of another one; `from_price` has two, and 19.9 is no part of 119.95."""
    if _UNSPACED.search(word):
        return True
    before = r"(?<![^\W_])(?<!\d[.,])" if word[0].isdigit() else r"(?<![^\W_])"
    behind = r"(?![^\W_]|[.,]\d)" if word[-1].isdigit() else r"(?![^\W_])"
    return re.search(f"{before}{re.escape(word)}{behind}", text) is not None


def shares(found: Mapping[str, frozenset[str]], words: Iterable[str]) -> dict[str, float]:
    """For each record that is found by its words: how much of what all words weigh those do that it has, `MOSTLY` to 1;
    a word weighs the more the fewer records have it. `found`: the words of each record, by its id."""
    often = Counter(word for own in found.values() for word in own)
    weights = {word: log(1 + len(found) / (often[word] or NOWHERE)) for word in words}
    whole = sum(weights.values())
    if not whole:
        return {}
    told = {one: sum(weights[word] for word in own) / whole for one, own in found.items()}
    return {one: share for one, share in told.items() if share >= MOSTLY}
