"""Which fields does a question ask for without naming them: a price by "the cheapest", a state by "which are open"?"""

import re
from collections.abc import Collection, Sequence

from utils.sentences import split_sentences
from utils.text import UMLAUTS

EXTREMES = frozenset(
    {"highest", "largest", "biggest", "greatest", "longest", "heaviest", "fastest", "oldest", "latest", "newest",
     "most", "maximum", "max", "top", "best", "lowest", "smallest", "least", "fewest", "shortest", "lightest",
     "slowest", "youngest", "earliest", "minimum", "min", "worst", "cheapest"}
)  # fmt: skip
# Of these, the ones that say which end is meant, of numbers.
LOWEST = frozenset({"cheapest", "lowest", "smallest", "least", "fewest", "shortest", "lightest", "minimum", "min"})
HIGHEST = frozenset(
    {"highest", "largest", "biggest", "greatest", "longest", "heaviest", "most", "maximum", "max", "expensive"}
)
TIME_ORDER = "time-order"  # stands for "the first" and "the last" of things that come one after another
TIMES = ("created", "opened", "date", "timestamp", "published", "updated", "modified", "sent", "received", "started")
# Words of a question, and the fields that they ask for without naming them.
Meant = tuple[tuple[str, ...], tuple[str, ...]]  # words of a question, and those of the fields that they ask for
LIMIT = "limit"  # stands for an amount that something has to be under or over
MEANT = (
    (("cheap", "cheaper", "cheapest", "expensive", "much", "difference", "afford", "sum", "least", "below", "money",
      "budget", "euro", "eur", "dollar", "usd", "gbp", "chf", "guenstig", "guenstiger", "guenstigste", "guenstigsten",
      "billig", "billiger", "barato", "barata", "cher"),
     ("price", "cost", "amount", "total", "fee", "fare", "rate", "tier", "preis", "precio", "prix")),
    (("refund", "refundable", "money"), ("refundable", "refund")),
    (("largest", "biggest", "highest", "lowest", "smallest"), ("amount", "total", "price", "size")),
    (("earn", "earning", "paid"), ("salary", "wage", "pay", "income")),
    (("available", "stock", "ship"), ("available", "availability", "stock", "quantity")),
    (("night", "morning", "noon", "afternoon", "evening", "overnight", "early", "earlier", "earliest", "late", "later",
      "latest", "soonest", "oclock"),
     ("time", "departure", "arrival", "departs", "arrives", "start", "starts")),
    (("gift", "voucher", "balance"), ("amount", "balance")),
    (("many",), ("quantity", "count", "stock")),
    (("far", "near", "nearest", "closest"), ("distance",)),
    (("heavy", "heavier", "heaviest"), ("weight",)),
    (("big", "bigger", "biggest", "large", "larger", "largest", "small", "smaller", "smallest"), ("size",)),
    (("old", "older", "oldest", "young", "younger", "youngest"), ("age", "born", "dob", "birthday")),
    (("oldest", "newest", "latest", "earliest", TIME_ORDER), TIMES),
)  # fmt: skip
# And of the last one alone, for they are said of much else.
MEANT_LAST = (
    (("cost", "price", "pricing", "kostet", "kosten", LIMIT),
     ("price", "cost", "amount", "total", "fee", "fare", "rate", "preis", "precio", "prix")),
    (("rated", "rating", "review", "reviewed", "star"), ("rating", "score", "star", "review")),
    (("open", "closed", "won", "lost", "pending", "active", "done", "finished", "progress", "overdue", "status",
      "state"), ("status", "state", "stage", "phase")),
)  # fmt: skip

WORD = re.compile(r"[^\W\d_]{3,}|\d{3,}")
# "The last commit", but not "my last name", nor "the first option" of those that were offered.
_IN_ORDER = re.compile(
    r"(?i)\bmost recent\b|\b(?:first|last)\s+(?!(?:names?|class|options?|choices?|digits?|two|three|four|few|steps?|"
    r"flights?|week|month|year|night|time|days?|and|of|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b)\w"
)
_ASKS = re.compile(
    r"(?i)\W*(?:and |so |then |please |now )*(?:what|which|how|who|list|show|compare|give|tell|find|sort|rank|"
    r"was|welche\w*|zeig\w*)\b"
)
# "Under 180", "more than 20 EUR a night", but not "over 5 km".
_LIMIT = re.compile(
    r"(?i)\b(?:under|below|above|over|(?:less|more|cheaper) than|at most|at least|up to|max(?:imum)?(?: of)?|"
    r"unter|über)\s++"
    r"(?:(?:[€$£¥]|eur|usd|gbp|chf)\s*+)?\d[\d.,]*\s*"
    r"(?:[€$£¥]|(?:eur|usd|gbp|chf|euros?|dollars?|pounds?|bucks|an?|per|each|and|or|with|in|for|please)\b|[^\w\s%]|$)"
)


def fields_meant(said: Collection[str], meant: Sequence[Meant] = MEANT) -> frozenset[str]:
    """The words of the fields that words ask for."""
    found = (fields for words, fields in meant if not frozenset(words).isdisjoint(said))
    return frozenset(name for fields in found for name in key_words(" ".join(fields)))


def key_words(text: str) -> list[str]:
    """The words of a text as keys have them: in the singular, and with umlauts as these are written there."""
    return list(map(singular, WORD.findall(text.casefold().translate(UMLAUTS))))


def singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def asking_part(text: str) -> str:
    """The sentences of a text that ask for something."""
    return " ".join(one for one in split_sentences(text) if one.endswith("?") or _ASKS.match(one))


def has_limit(text: str) -> bool:
    """Whether an amount is named that something has to be under or over."""
    return _LIMIT.search(text) is not None


def is_in_order(text: str) -> bool:
    """Whether the first or the last of things is asked for that come one after another."""
    return _IN_ORDER.search(text) is not None
