"""Which values of a tool's result may the next step need?

Identifiers, for tools are called by them; and whatever the conversation speaks of. Times of day, numbers and addresses
say little that was not asked for, though they look like identifiers.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from memory.tool_days import NO_DAY, Days, days_in
from memory.tool_names import words_of
from utils.json_values import Json, Scalar
from utils.sentences import split_sentences
from utils.text import STOPWORDS, UMLAUTS

SMALL = 160  # characters of a result that is shown whole, whatever it says
DECISIONS = 100_000  # of either kind that are remembered: a view is drawn several times
LONG_NUMBER = 8  # digits from which a number names something
SHORTEST_PLACE, LONGEST_PLACE = 4, 500  # characters of a path or an address
MOST_NAMES = 50  # the last ones that were said; who pastes a list of a thousand means none of them
EXTREMES = frozenset(
    {"highest", "largest", "biggest", "greatest", "longest", "heaviest", "fastest", "oldest", "latest", "newest",
     "most", "maximum", "max", "top", "best", "lowest", "smallest", "least", "fewest", "shortest", "lightest",
     "slowest", "youngest", "earliest", "minimum", "min", "worst", "cheapest"}
)  # fmt: skip
ORDINALS = frozenset({"first", "last", "next"})
TITLES = frozenset({"name", "title", "label"})  # keys of what people call things
SHORTEST_TITLE = 3
ANSWERS = frozenset({"yes", "no", "true", "false"})  # which say what is true of a field as a boolean does
MARKS = ".,;:!?()[]\"'*"  # that stand around a word
# Keys of what things are called, of what a tool has to say, and of how much is left out.
TELLING = frozenset(
    {"name", "title", "status", "state", "error", "errors", "warning", "warnings", "message", "reason", "detail",
     "snippet", "stdout", "stderr", "output", "…"}
)  # fmt: skip
TIME_ORDER = "time-order"  # stands for "the first" and "the last" of things that come one after another
TIMES = ("created", "opened", "date", "timestamp", "published", "updated", "modified", "sent", "received", "started")
# Words of a question, and the fields that they ask for without naming them.
Meant = tuple[tuple[str, ...], tuple[str, ...]]  # words of a question, and those of the fields that they ask for
LIMIT = "limit"  # stands for an amount that something has to be under or over
MEANT = (
    (("cheap", "cheaper", "cheapest", "expensive", "much", "difference", "afford", "sum", "least", "below", "money",
      "budget", "euro", "eur", "dollar", "usd", "gbp", "chf", "guenstig", "guenstiger", "guenstigste", "guenstigsten",
      "billig", "billiger", "barato", "barata", "cher"),
     ("price", "cost", "amount", "total", "fee", "fare", "rate", "preis", "precio", "prix")),
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
    r"unter|über)\s+"
    r"(?:[€$£¥]|eur|usd|gbp|chf)?\s*\d[\d.,]*\s*"
    r"(?:[€$£¥]|(?:eur|usd|gbp|chf|euros?|dollars?|pounds?|bucks|an?|per|each|and|or|with|in|for|please)\b|[^\w\s%]|$)"
)
_PART_OF_CALL = re.compile(r"[.:/#+\-@]+")
_IDENTIFIER = re.compile(r"(?=.*\d)[\w#:+.\-/@]{4,}")
_CALLED = re.compile(r"[\w#:+.\-/@]{2,}")
_CODE = re.compile(r"[A-Z][A-Z0-9]{4,11}")
_CODED = re.compile(r"(?=\w*\d)(?=\w*[^\W\d_])\w{2,3}")  # too short for an identifier that nobody named: "P7"
_ID_KEY = re.compile(
    r"(?:^|_|-)(?:ids?|uuids?|keys?|codes?|numbers?|sku|ref|hash|versions?|revisions?|rev|builds?|seq)$|(?<=[a-z])(?:Ids?|IDs?|Keys?|Codes?|Numbers?)$"
)
_TIME = re.compile(r"\d\d:\d\d")
# Fields that say whether there is more than what came back.
_PAGES = re.compile(r"(?i)(?:next\w*|has_?more|pages|total_?(?:pages|count)|(?:next_?)?cursor|remaining|truncated)")
# Of a thing that changes, which of its states is meant.
_VERSION = re.compile(
    r"(?i)(?:^|[_-])(?:e-?tags?|versions?|revisions?|rev|sha\d*|hash|checksum|digest|tokens?|seq(?:uence)?)$"
)
_VERSION_IN_HUMPS = re.compile(r"(?<=[a-z])(?:E[Tt]ag|Version|Revision|Rev|Sha|Hash|Checksum|Token|Seq)$")
_PLAIN = re.compile(r"[^\W_]+")
_POSTAL = re.compile(r"(?i)zip(?:[_-]?code)?|post(?:al)?[_-]?code|plz")
_STAMP = re.compile(r"(created|updated|modified)(_at|_on|At|On)?$")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|_")
_DIGIT, _LETTER = re.compile(r"\d"), re.compile(r"[^\W\d_]")
_MEASURE = re.compile(r"[\d.,:/-]+[^\W\d_]{0,5}$")
_SIZE = re.compile(r"\b(?!I\b)[A-Z]{1,2}\b")
_WORD = re.compile(r"[^\W\d_]{3,}|\d{3,}")
# "worker-77", "node 64", "chapter #5": of many that are called alike, the word means none without its number.
_NUMBERED = re.compile(r"([^\W\d_]{2,})[ _.:/-]?#?0*(\d{1,2})(?!\w|[.,:]\d)")
_PLACE = re.compile(r"[\w)\].~][./\\]\w|^[./]\w|\w/$")


@dataclass(frozen=True)
class Talk:
    """What the user and the agent said, lower case. `asked`: words by which fields may be named, `literal` those of
    them that were said, and `lately` those that the last question asks for, too; `names`: what looks as names in the
    last of it, and `spoken` in that or in what the agent said last, lower case. `extreme`: the most or the least of
    something is asked for. `thorough`: there is room for all that says anything. `used`: the keys of what tools were
    called with, in objects, too. `question`: the last of what was said, lower case. `wanted`: keys of what calls failed
    for want of, lower case. `days`: those that the last question asks for."""

    text: str
    asked: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()
    thorough: bool = False
    literal: frozenset[str] = frozenset()
    lately: frozenset[str] = frozenset()
    spoken: frozenset[str] = frozenset()
    extreme: bool = False
    used: frozenset[str] = frozenset()
    question: str = ""
    wanted: frozenset[str] = frozenset()
    days: Days = NO_DAY

    @cached_property
    def brief(self) -> "Talk":
        """The same, where fields matter by their own names alone, and not by what else was asked."""
        return replace(self, asked=self.literal)

    @cached_property
    def asking(self) -> "Talk":
        """The same, where fields matter by the last question alone, and not by what was asked before."""
        return replace(self, asked=self.lately)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words and numbers in it that carry meaning, and the singular of those in the plural."""
        said = frozenset(_WORD.findall(_spoken(self.text))) - STOPWORDS
        return said.union(map(_singular, said))

    @cached_property
    def said(self) -> frozenset[str]:
        """What in it may be what something is called by, without the marks around it."""
        return frozenset(word.strip(MARKS) for word in _CALLED.findall(self.text))

    @cached_property
    def called_things(self) -> frozenset[str]:
        """What in it may be what code calls something: of `order.net_total()` each part, too."""
        return self.said.union(part for word in self.said for part in _PART_OF_CALL.split(word))

    @cached_property
    def flat(self) -> str:
        """All of it without marks around its words, one blank between these."""
        return f" {' '.join(word.strip(MARKS) for word in self.text.split())} "

    @cached_property
    def called(self) -> frozenset[str]:
        """By what the last of it may call a thing: its words, with and without a mark before them."""
        said = (word.strip(MARKS) for word in self.question.split())
        return frozenset(one for word in said for one in (word, word.lstrip("#")) if one)

    def spells_out(self, name: str) -> bool:
        """Whether the last of it has the words of a name one after another: "the partial limit" for `PARTIAL_LIMIT`."""
        words = words_of(name)
        said = " ".join(words)
        return len(words) > 1 and (f" {said} " in self._spelt or f" {said}s " in self._spelt)

    @cached_property
    def _spelt(self) -> str:
        return f" {' '.join(_PLAIN.findall(self.question))} "

    @cached_property
    def numbered(self) -> frozenset[tuple[str, str]]:
        """The words in it that have a number behind them, of one or two digits, with this."""
        return frozenset(pair for pair in _NUMBERED.findall(self.text) if pair[0] not in STOPWORDS)

    def words_of(self, value: Scalar) -> frozenset[str]:
        """The words and numbers of a value that were said; words with their numbers, too, and identifiers."""
        text = str(value).casefold()
        words = self.words.intersection(_WORD.findall(text))
        pairs = self.numbered and self.numbered.intersection(_NUMBERED.findall(text))
        if pairs:
            words = words.union(map("".join, pairs))
        return words.union(one for one in self._identifiers if one in text)

    def mentions(self, value: Scalar) -> bool:
        """Whether a word or a number of a value was said."""
        text = str(value)
        known = self._mentioned.get(text)
        if known is None:
            known = bool(self.words_of(text))
            if len(self._mentioned) < DECISIONS:
                self._mentioned[text] = known
        return known

    def asks_for(self, key: str) -> bool:
        """Whether a field was named, `total_price` by "price", or tells by itself, as a state or how many more pages
        there are."""
        return self.thorough or key in TELLING or _PAGES.fullmatch(key) is not None or self.names_field(key)

    def names_field(self, key: str) -> bool:
        """Whether what was asked for names a field; "the first option" names no `first_name`."""
        if key.casefold() in self.wanted or key.casefold() in self._identifiers:
            return True
        words = frozenset(_names(_HUMP.sub(" ", key)))
        return not self.asked.isdisjoint(words if len(words) == 1 else words - ORDINALS)

    def name_of(self, item: Mapping[str, Json]) -> str | None:
        """The id, the number or the name by which the user's last message names an object; None where it does not."""
        if not self.question:
            return None
        return next((str(value) for key, value in item.items() if self._is_called(key, value)), None)

    def _is_called(self, key: str, value: Json) -> bool:
        if isinstance(value, bool) or not isinstance(value, str | int):
            return False
        text = str(value).casefold()
        if names_id(key) or _ID_KEY.search(key) is not None:
            return text in self.called
        is_title = key in TITLES and len(text) >= SHORTEST_TITLE and text in self.question
        return is_title and re.search(rf"(?<!\w){re.escape(text)}(?!\w)", self.question) is not None

    def keeps(self, key: str, value: Scalar) -> bool:
        """Whether a value under a key is worth its place."""
        asked = key, type(value), value
        known = self._kept.get(asked)
        if known is None:
            known = self._keeps(key, value)
            if len(self._kept) < DECISIONS:
                self._kept[asked] = known
        return known

    @cached_property
    def _identifiers(self) -> frozenset[str]:
        """The last ones of several words that were said, each as one."""
        found = (word.strip(MARKS) for word in self.text.split() if _is_joined(word))
        return frozenset(list(dict.fromkeys(found))[-MOST_NAMES:])

    @cached_property
    def _mentioned(self) -> dict[str, bool]:
        return {}

    @cached_property
    def _kept(self) -> dict[tuple[str, type, Scalar], bool]:
        return {}

    def _keeps(self, key: str, value: Scalar) -> bool:
        if value is None or value == "":
            return False
        if self.thorough:
            return True
        if self.asks_for(key) or (names_id(key) and not isinstance(value, bool)):
            return True
        if _POSTAL.fullmatch(key):
            return str(value).casefold() in self.said  # of an address that is not shown it says nothing
        if isinstance(value, bool) or (isinstance(value, str) and value.casefold() in ANSWERS):
            return not self.words.isdisjoint(_WORD.findall(key.casefold()))
        if _ID_KEY.search(key) or (isinstance(value, str) and names_place(value) and "@" not in value):
            return True
        if key in self.used and key.endswith("name"):
            return True  # tools take names as arguments
        if isinstance(value, str) and "\n" in value.strip():
            return True  # a text to be read, as others are that tools give
        if isinstance(value, str) and _CODED.fullmatch(value) and value.casefold() in self.said:
            return True
        if not isinstance(value, str) or not is_identifier(unquoted(value)):
            return self.mentions(value) or (isinstance(value, str) and value.casefold() in self.asked)
        if _STAMP.match(key):
            return False
        if _TIME.match(value) or "@" in value or (value.isdecimal() and len(value) < LONG_NUMBER):
            return value.casefold() in self.said
        return True


def talk_of(texts: Sequence[str], asked: Iterable[str] = (), told: str = "") -> Talk:
    """`texts`: all that was said, of which words such as "cheapest" ask for fields; `asked`: those that may name fields
    themselves, and sizes such as "M"; `told`: what the agent said last."""
    question = " ".join(asked)
    words = frozenset(_names(_spoken(question)))
    in_order = _IN_ORDER.search(question) is not None
    names = _named_in(question)
    literal = words - STOPWORDS
    asking = " ".join(one for one in split_sentences(question) if one.endswith("?") or _ASKS.match(one))
    wanted = {LIMIT} if _LIMIT.search(asking) else set()
    meant = _meant(words | ({TIME_ORDER} if in_order else set()))
    lately = literal | meant | _meant(wanted.union(_names(_spoken(asking))), MEANT_LAST)
    return Talk(
        "\n".join(texts).casefold(),
        lately
        | _meant(words.union(_names(_spoken(" ".join(texts)))))
        | set(map(str.casefold, _SIZE.findall(question))),
        names[-MOST_NAMES:],
        literal=literal,
        lately=lately,
        spoken=frozenset(map(str.casefold, [*names, *_named_in(told)])),
        extreme=in_order or not words.isdisjoint(EXTREMES),
        question=question.casefold(),
        days=days_in(asking),
    )


def _meant(said: Collection[str], meant: Sequence[Meant] = MEANT) -> frozenset[str]:
    """The words of the fields that words ask for."""
    found = (fields for words, fields in meant if not frozenset(words).isdisjoint(said))
    return frozenset(name for fields in found for name in _names(" ".join(fields)))


def _spoken(text: str) -> str:
    """A text without the words within identifiers: who gives the id "ann_lee_17" does not speak of all that are called
    Ann."""
    return " ".join(word for word in text.split() if not _is_joined(word))


def _is_joined(word: str) -> bool:
    """Whether a word is an identifier that has several in it."""
    return "_" in word and is_name(word.strip(MARKS))


def _named_in(text: str) -> tuple[str, ...]:
    """What looks as names in a text, each once."""
    return tuple(dict.fromkeys(filter(is_name, (word.strip(MARKS) for word in text.split()))))


def _names(text: str) -> list[str]:
    """The words of a text, in the singular, and umlauts as they are written in keys."""
    return list(map(_singular, _WORD.findall(text.casefold().translate(UMLAUTS))))


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def names_id(key: str) -> bool:
    """Whether a field is called as those that say which thing is meant, be it by a number alone."""
    return key == "id" or key.endswith(("_id", "Id"))


def identifies(key: str) -> bool:
    """Whether a field is called as those that say which thing is meant, or what it is called."""
    return names_id(key) or _ID_KEY.search(key) is not None or key.endswith(("name", "Name"))


def names_version(key: str, value: Json) -> bool:
    """Whether a field says which state of a thing is meant."""
    if not isinstance(value, str | int) or isinstance(value, bool) or value == "":
        return False
    return bool(_VERSION.search(key) or _VERSION_IN_HUMPS.search(key))


def unquoted(value: str) -> str:
    """An entity tag without its marks."""
    return value.removeprefix("W/").strip('"')


def is_identifier(value: str) -> bool:
    """Whether a text looks as what things are called by: a code in capitals, or one word with a digit."""
    return bool(_IDENTIFIER.fullmatch(value) or _CODE.fullmatch(value))


def is_name(value: str) -> bool:
    """Whether a text looks as what one thing alone is called by: letters with digits, or a long number; no time, date,
    price or measure."""
    if value.isdecimal():
        return len(value) >= LONG_NUMBER
    return is_identifier(value) and bool(_DIGIT.search(value) and _LETTER.search(value)) and not _MEASURE.match(value)


def names_place(value: str) -> bool:
    """Whether a text is a path, the name of a file or an address."""
    if not SHORTEST_PLACE <= len(value) <= LONGEST_PLACE or value[-1] in MARKS or any(map(str.isspace, value)):
        return False
    is_measure = _DIGIT.search(value) is not None and _MEASURE.match(value) is not None
    return _PLACE.search(value) is not None and not is_measure


def identifiers(value: Json) -> list[str]:
    """The identifiers in a value, each once, in their order; those that are keys of objects, too."""
    found: dict[str, None] = {}
    _gather(value, found)
    return list(found)


def _gather(value: Json, found: dict[str, None]) -> None:
    if isinstance(value, Mapping):
        for key, item in value.items():
            if is_identifier(key):
                found[key] = None
            _gather(item, found)
    elif isinstance(value, str):
        if is_identifier(value):
            found[value] = None
    elif isinstance(value, list | tuple):
        for item in value:
            _gather(item, found)
