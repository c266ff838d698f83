"""Which values of a tool's result may the next step need?

Identifiers, for tools are called by them; and whatever the conversation speaks of. Times of day, numbers and addresses
say little that was not asked for, though they look like identifiers.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property

from memory.views.asked_fields import (
    EXTREMES,
    LIMIT,
    MEANT_LAST,
    TIME_ORDER,
    WORD,
    asking_part,
    fields_meant,
    has_limit,
    is_in_order,
    key_words,
    singular,
)
from memory.views.days import NO_DAY, Days, days_in
from memory.views.identifiers import (
    LONG_NUMBER,
    MARKS,
    ends_as_id,
    is_identifier,
    is_name,
    names_id,
    names_place,
    unquoted,
)
from memory.views.json_values import Json, Scalar
from memory.views.names import words_of
from utils.text import STOPWORDS

SMALL = 160  # characters of a result that is shown whole, whatever it says
DECISIONS = 100_000  # of either kind that are remembered: a view is drawn several times
MOST_NAMES = 50  # the last ones that were said; who pastes a list of a thousand means none of them
ORDINALS = frozenset({"first", "last", "next"})
TITLES = frozenset({"name", "title", "label"})  # keys of what people call things
SHORTEST_TITLE = 3
LONGEST_SIMPLE, PART = 10, 5  # characters of a word that may be of several, and of the name of a field in it
ANSWERS = frozenset({"yes", "no", "true", "false"})  # which say what is true of a field as a boolean does
# Keys of what things are called, of what a tool has to say, and of how much is left out.
TELLING = frozenset(
    {"name", "title", "status", "state", "error", "errors", "warning", "warnings", "message", "reason", "detail",
     "snippet", "stdout", "stderr", "output", "…"}
)  # fmt: skip
_PART_OF_CALL = re.compile(r"[.:/#+\-@]+")
_CALLED = re.compile(r"[\w#:+.\-/@]{2,}")
_CODED = re.compile(r"(?=\w*\d)(?=\w*[^\W\d_])\w{2,3}")  # too short for an identifier that nobody named: "P7"
_TIME = re.compile(r"\d\d:\d\d")
# Fields that say whether there is more than what came back.
_PAGES = re.compile(r"(?i)(?:next\w*|has_?more|pages|total_?(?:pages|count)|(?:next_?)?cursor|remaining|truncated)")
_PLAIN = re.compile(r"[^\W_]+")
_POSTAL = re.compile(r"(?i)zip(?:[_-]?code)?|post(?:al)?[_-]?code|plz")
_STAMP = re.compile(r"(created|updated|modified)(_at|_on|At|On)?$")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|_")
_SIZE = re.compile(r"\b(?!I\b)[A-Z]{1,2}\b")
# "worker-77", "node 64", "chapter #5": of many that are called alike, the word means none without its number.
_NUMBERED = re.compile(r"([^\W\d_]{2,})[ _.:/-]?#?0*(\d{1,2})(?!\w|[.,:]\d)")


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
    def whole(self) -> "Talk":
        """The same, where there is room for all that says anything."""
        return replace(self, thorough=True)

    @cached_property
    def asking(self) -> "Talk":
        """The same, where fields matter by the last question alone, and not by what was asked before."""
        return replace(self, asked=self.lately)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words and numbers in it that carry meaning, and the singular of those in the plural."""
        said = frozenset(WORD.findall(_spoken(self.text))) - STOPWORDS
        return said.union(map(singular, said))

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
        words = self.words.intersection(WORD.findall(text))
        pairs = self.numbered and self.numbered.intersection(_NUMBERED.findall(text))
        if pairs:
            words = words.union(map("".join, pairs))
        if self._coded:
            words = words.union(self._coded.intersection(_PLAIN.findall(text)))
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
        words = frozenset(key_words(_HUMP.sub(" ", key)))
        if not self.asked.isdisjoint(words if len(words) == 1 else words - ORDINALS):
            return True
        return any(
            asked.startswith(word) or asked.endswith(word)
            for asked in self._compounds
            for word in words
            if len(word) >= PART
        )

    def name_of(self, item: Mapping[str, Json]) -> str | None:
        """The id, the number or the name by which the user's last message names an object; None where it does not."""
        if not self.question:
            return None
        return next((str(value) for key, value in item.items() if self._is_called(key, value)), None)

    def _is_called(self, key: str, value: Json) -> bool:
        if isinstance(value, bool) or not isinstance(value, str | int):
            return False
        text = str(value).casefold()
        if ends_as_id(key):
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
    def _compounds(self) -> tuple[str, ...]:
        """The words that may have a field's name in them: "Telefonnummer"."""
        return tuple(word for word in self.asked if len(word) >= LONGEST_SIMPLE)

    @cached_property
    def _coded(self) -> frozenset[str]:
        """The short names with a digit in the last of it: "f37"."""
        return frozenset(word for word in self.called if _CODED.fullmatch(word))

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
            return not self.words.isdisjoint(WORD.findall(key.casefold()))
        if ends_as_id(key) or (isinstance(value, str) and names_place(value) and "@" not in value):
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


def talk_of(texts: Sequence[str], asked: Iterable[str] = (), told: str = "", today: date | None = None) -> Talk:
    """`texts`: all that was said, of which words such as "cheapest" ask for fields; `asked`: those that may name fields
    themselves, and sizes such as "M"; `told`: what the agent said last; `today`: of "tomorrow"."""
    question = " ".join(asked)
    words = frozenset(key_words(_spoken(question)))
    in_order = is_in_order(question)
    names = _named_in(question)
    literal = words - STOPWORDS
    asking = asking_part(question)
    wanted = {LIMIT} if has_limit(asking) else set()
    meant = fields_meant(words | ({TIME_ORDER} if in_order else set()))
    lately = literal | meant | fields_meant(wanted.union(key_words(_spoken(asking))), MEANT_LAST)
    return Talk(
        "\n".join(texts).casefold(),
        lately
        | fields_meant(words.union(key_words(_spoken(" ".join(texts)))))
        | set(map(str.casefold, _SIZE.findall(question))),
        names[-MOST_NAMES:],
        literal=literal,
        lately=lately,
        spoken=frozenset(map(str.casefold, [*names, *_named_in(told)])),
        extreme=in_order or not words.isdisjoint(EXTREMES),
        question=question.casefold(),
        days=days_in(asking, today),
    )


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
