"""Talk: what was said, and by it which values of a tool's result the next step may need.

Identifiers, for tools are called by them; and whatever the conversation speaks of. Times of day, numbers and addresses
say little that was not asked for, though they look like identifiers.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memory.views.identifiers import (
    LONG_NUMBER,
    MARKS,
    ends_as_id,
    is_identifier,
    is_name,
    names_place,
    parts_of,
    singular,
)
from memory.views.json_values import Json, Scalar
from utils.text import STOPWORDS

SMALL = 160  # characters of a result that is shown whole, whatever it says
MOST_NAMES = 50  # the last ones that were said; who pastes a list of a thousand means none of them
LONGEST_TITLE = 80  # characters of what people call a thing
TITLES = frozenset({"name", "title", "label"})  # keys of what people call things
# Keys of what things are called, of what a tool has to say, and of how much is left out.
TELLING = frozenset(
    {"name", "title", "status", "state", "error", "errors", "warning", "warnings", "message", "reason", "detail",
     "snippet", "stdout", "stderr", "output", "…"}
)  # fmt: skip
# Words of a question, and the fields that they ask for without naming them.
MEANT = (
    ("cheap cheaper cheapest expensive much difference cost afford sum budget money euro dollar usd eur",
     "price cost amount total fee fare rate"),
    ("refund money gift voucher balance", "refundable refund amount balance"),
    ("available availability stock ship many", "available availability stock quantity count"),
    ("night morning noon afternoon evening early earlier earliest late later latest", "time departure arrival start"),
    ("oldest newest recent latest earliest", "created opened date updated"),
)  # fmt: skip
_MEANT = tuple((frozenset(words.split()), frozenset(fields.split())) for words, fields in MEANT)

_WORD = re.compile(r"[^\W\d_]{3,}|\d{3,}")
_CALLED = re.compile(r"[\w#:+.\-/@]{2,}")
_TIME = re.compile(r"\d\d:\d\d")
# Fields that say whether there is more than what came back.
_PAGES = re.compile(r"(?i)(?:next\w*|has_?more|pages|total_?(?:pages|count)|(?:next_?)?cursor|remaining|truncated)")
_POSTAL = re.compile(r"(?i)zip(?:[_-]?code)?|post(?:al)?[_-]?code|plz")
_STAMP = re.compile(r"(created|updated|modified)(_at|_on|At|On)?$")


@dataclass(frozen=True)
class Talk:
    """What was said, lower case. `question`: the last of it; `words`: those that carry meaning; `said`: what may be
    what something is called by; `joined`: identifiers of several words.
    `asked`: words by which fields are asked for; `names`: what looks as names in the question, as it was written.
    `thorough`: there is room for all that says anything."""

    text: str = ""
    question: str = ""
    words: frozenset[str] = frozenset()
    said: frozenset[str] = frozenset()
    joined: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()
    thorough: bool = False

    def words_of(self, value: Scalar) -> frozenset[str]:
        """The words and numbers of a value that were said, and identifiers."""
        text = str(value).casefold()
        words = self.words.intersection(_WORD.findall(text))
        return words.union(one for one in self.joined if one in text)

    def mentions(self, value: Scalar) -> bool:
        """Whether a word or a number of a value was said."""
        return bool(self.words_of(value))

    def asks_for(self, key: str) -> bool:
        """Whether a field was named, `total_price` by "price", or tells by itself, as a state or how many more pages
        there are."""
        return self.thorough or key in TELLING or _PAGES.fullmatch(key) is not None or self.names_field(key)

    def names_field(self, key: str) -> bool:
        """Whether what was asked for names a field; "the first option" names no `first_name`."""
        if key.casefold() in self.asked:
            return True
        words = frozenset(parts_of(key))
        return not self.asked.isdisjoint(words if len(words) == 1 else words - {"first", "last", "next"})

    def name_of(self, item: Mapping[str, Json]) -> str | None:
        """The id, the number or the name by which the question names an object; None where it does not."""
        if not self.question:
            return None
        return next((str(value) for key, value in item.items() if self._calls(key, value)), None)

    def _calls(self, key: str, value: Json) -> bool:
        if isinstance(value, bool) or not isinstance(value, str | int):
            return False
        text = str(value).casefold()
        if ends_as_id(key):
            return f" {text} " in self.question or f" #{text} " in self.question
        return key in TITLES and 2 < len(text) <= LONGEST_TITLE and f" {text} " in self.question

    def keeps(self, key: str, value: Scalar) -> bool:
        """Whether a value under a key is worth its place."""
        if value is None or value == "":
            return False
        if self.thorough or self.asks_for(key):
            return True
        if isinstance(value, bool):
            return not self.words.isdisjoint(_WORD.findall(key.casefold()))
        if _POSTAL.fullmatch(key):
            return str(value).casefold() in self.said  # of an address that is not shown it says nothing
        if ends_as_id(key):
            return True
        if not isinstance(value, str):
            return self.mentions(value)
        if names_place(value) and "@" not in value:
            return True
        if "\n" in value.strip():
            return True  # a text to be read, as others are that tools give
        if not is_identifier(value):
            return self.mentions(value) or value.casefold() in self.asked
        if _STAMP.match(key):
            return False
        if _TIME.match(value) or "@" in value or (value.isdecimal() and len(value) < LONG_NUMBER):
            return value.casefold() in self.said
        return True


def talk_of(texts: Sequence[str], asked: Iterable[str] = ()) -> Talk:
    """`texts`: all that was said, of which words such as "cheapest" ask for fields; `asked`: those that may name fields
    themselves."""
    question, text = " ".join(asked), "\n".join(texts)
    folded = text.casefold()
    spoken = frozenset(_WORD.findall(_spoken(folded))) - STOPWORDS
    literal = key_words(_spoken(question)) - STOPWORDS
    joined = [bare for word in folded.split() if _is_joined(bare := word.strip(MARKS))]
    names = dict.fromkeys(bare for word in question.split() if is_name(bare := word.strip(MARKS)))
    return Talk(
        folded,
        f" {' '.join(word.strip(MARKS) for word in question.casefold().split())} " if question else "",
        spoken.union(map(singular, spoken)),
        frozenset(word.strip(MARKS) for word in _CALLED.findall(folded)),
        frozenset(list(dict.fromkeys(joined))[-MOST_NAMES:]),
        literal.union(
            _fields_meant(literal | key_words(_spoken(text))),
            (name.casefold() for name in names),
        ),
        tuple(names)[-MOST_NAMES:],
    )


def key_words(text: str) -> frozenset[str]:
    """The words of a text as keys have them, in the singular."""
    return frozenset(map(singular, _WORD.findall(text.casefold())))


def _fields_meant(words: frozenset[str]) -> frozenset[str]:
    return frozenset(name for said, fields in _MEANT if not said.isdisjoint(words) for name in fields)


def _spoken(text: str) -> str:
    """A text without the words within identifiers: who gives the id "ann_lee_17" does not speak of all that are called
    Ann."""
    return " ".join(word for word in text.split() if not _is_joined(word.strip(MARKS)))


def _is_joined(word: str) -> bool:
    """Whether a word is an identifier that has several in it."""
    return "_" in word and is_name(word)
