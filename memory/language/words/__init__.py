"""The words of languages, a TOML file a language: function words, signs, and how times are named; and courtesies.

Another language is one more file, named in `OTHERS`. Without its file, all else works: its texts are read as English.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from utils.text import STOPWORDS

OTHERS = ("german", "spanish", "french", "italian", "portuguese", "dutch")


@dataclass(frozen=True)
class Times:
    """How times are named in a language: regular expressions, lists of which are parted by blanks, a dot in them being
    a blank. `months`, `weekdays`, `units`, `seasons` and `numbers` (from 1 on) are in the order of the English ones.
    `days` and `leads`: by what they mean. `which`: what stands before or behind a time, by what it means. `ago`: with
    `{time}` for the number and its unit. `of`: what may stand between day, month and year. `up_to`: between two days of
    a month. `nth`: behind a day's number. `told`: words that ask for whatever was said or done."""

    months: str
    weekdays: str
    units: str
    seasons: str
    numbers: str
    days: Mapping[str, str]
    which: Mapping[str, str]
    leads: Mapping[str, str]
    ago: str
    articles: str
    told: str
    of: str
    up_to: str
    nth: str


@dataclass(frozen=True)
class Words:
    """`function_words`: those that carry no meaning. `signs`: those that tell of the language and carry meaning."""

    function_words: tuple[str, ...]
    signs: tuple[str, ...]
    times: Times


def read_words(name: str) -> dict[str, Any]:
    """A file of words, as it stands."""
    return tomllib.loads(files(__name__).joinpath(f"{name}.toml").read_text("utf-8"))


def _words(name: str) -> Words:
    read = read_words(name)
    return Words(tuple(read["function_words"].split()), tuple(read["signs"].split()), Times(**read["times"]))


WORDS = {name: _words(name) for name in OTHERS}

_ENGLISH = {key: frozenset(words.split()) for key, words in read_words("english").items()}
ENGLISH_ALONE = STOPWORDS - _ENGLISH["ambiguous"]
ENGLISH_TOO = STOPWORDS | _ENGLISH["shared"]  # as words or in names
IN_NAMES = _ENGLISH["in_names"]  # of these, the ones that English has in names alone
ASKING = _ENGLISH["asking"]  # words with which a question begins in other languages
IRREGULAR_PAST = _ENGLISH["irregular_past"]
OF_TIMES = _ENGLISH["of_times"]  # words of questions that ask for whatever was said or done at a time
