"""What does the name of a tool say: does it change anything, and is it for the things that another one is for?"""

import re
from functools import lru_cache

from memory.views.verbs import CHANGING, DOING, DOING_AT_END, DOING_AT_START

# How tools are called that change nothing.
_READS = re.compile(
    r"(?i)(?:get|list|read|search|find|show|describe|fetch|view|look|query|count|check(?!_?(?:in|out)(?:[^a-z]|$))|"
    r"calculate|classify|estimate|evaluate|identify|preview|retrieve|simulate|translate|think|open|select)"
)
_READS_AMONG = re.compile(
    r"(?i).*(?:^|[_.-])(?:grep|glob|cat|ls|head|tail|diff|stat|tests?|track|verify|validate|search|lookup|send|email|"
    r"notify|message|browse|visit|summari[sz]e|analy[sz]e|compare|explain)(?:$|[_.-])"
)
# What is done to mails and messages that are there.
_SORTING = frozenset(
    {"archive", "delete", "edit", "flag", "label", "mark", "move", "remove", "restore", "star", "trash", "update"}
)
# And by words behind the name of what they belong to: "crm_get_contact", "calendar_list", "crm_list_deals".
_ASKING = frozenset({"get", "fetch", "find", "search", "lookup"})
_LISTING = frozenset({"list", "read", "show", "view", "query", "count", "describe"})
_ASKING_AT_END = _LISTING | {"check", "status", "history"}
_DOING_BY_ENDING = re.compile(r"\w{3,}(?:[ai]te|i[sz]e|ify)")
_TOWARDS = frozenset({"to", "from", "in", "into", "on", "onto"})
_BETWEEN = _TOWARDS | {"of", "for", "by", "with", "at", "a", "an", "the", "my", "all"}
_REWRITING = frozenset({"write", "set", "update", "replace", "save", "put"})
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_a-zA-Z]+|\d+")
# What a key has beside the name of the thing that it names.
NAMING = frozenset({"id", "uuid", "key", "code", "number", "no", "ref", "name", "path", "url", "sku", "slug"})


@lru_cache(maxsize=1024)
def words_of(name: str) -> tuple[str, ...]:
    """The words of a name such as `crm_get_contact` or `getContact`, lower case."""
    return tuple(word.casefold() for word in _WORDS.findall(name))


@lru_cache(maxsize=1024)
def reads(tool_name: str) -> bool:
    """Whether a tool is called as those are that change nothing."""
    if _READS.match(tool_name):
        return True
    words = words_of(tool_name)
    if _READS_AMONG.match(tool_name) and _SORTING.isdisjoint(words):
        return True
    if not words or not CHANGING.isdisjoint(words):
        return False
    if not _ASKING.isdisjoint(words) or words[-1] in _ASKING_AT_END:
        return True
    return any(word in _LISTING and not does(words[at + 1 :]) for at, word in enumerate(words))


def asks(words: tuple[str, ...]) -> bool:
    """Whether words such as those of what a tool is to do say that something is read."""
    return bool(words) and words[0] in _ASKING | _LISTING | {"status", "history"}


def does(words: tuple[str, ...]) -> bool:
    """Whether words such as those of a name say that something is done."""
    if not words:
        return False
    first, last = words[0], words[-1]
    return (
        not DOING.isdisjoint(words)
        or first in DOING_AT_START
        or last in DOING_AT_END
        or _DOING_BY_ENDING.fullmatch(first) is not None
    )


@lru_cache(maxsize=1024)
def kinds_of(name: str) -> frozenset[str]:
    """The words of a tool's name in the singular, among them the kind of thing that it is for."""
    return frozenset(map(singular, words_of(name)))


@lru_cache(maxsize=1024)
def nouns_of(tool_name: str) -> frozenset[str]:
    """The same without what the tool does; empty where its name says no more."""
    return kinds_of(tool_name) - DOING - _ASKING - _ASKING_AT_END - _BETWEEN


def rewrites(tool_name: str) -> bool:
    """Whether a tool is called as those that replace what there was, such as `todo_write`."""
    return not _REWRITING.isdisjoint(words_of(tool_name))


@lru_cache(maxsize=4096)
def is_of(key: str, tool_name: str) -> bool:
    """Whether a field names the kind of thing that a tool is for, `order_id` for `cancel_order`; `id` always does."""
    named = [singular(word) for word in words_of(key)]
    kind = [word for word in named if word not in NAMING]
    return bool(named) and set(kind) <= kinds_of(tool_name) and (bool(kind) or named == ["id"])


def are_of_a_kind(one: str, other: str) -> bool:
    """Whether two tools are for the same kind of thing, which their names show: `get_issue` and `issue_update`, but not
    `crm_get_contact` and `crm_update_deal`."""
    words, others = kinds_of(one), kinds_of(other)
    return bool(words & others) and min(len(words - others), len(others - words)) <= 1


def differ_in_a_word(one: str, other: str) -> bool:
    """Whether two names are of the same words but for one in each, `get_settings` and `update_settings`, or
    `add_item_to_settings`."""
    words, others = _aimed(one), _aimed(other)
    return bool(words & others) and len(words - others) == len(others - words) == 1


def _aimed(name: str) -> frozenset[str]:
    """The words of a name; where it says what something is done to, the first and those for that."""
    words = words_of(name)
    at = max((at for at, word in enumerate(words[:-1]) if at and word in _TOWARDS), default=None)
    return frozenset(words if at is None else (words[0], *words[at + 1 :]))


def singular(word: str) -> str:
    """An English word in the singular, as far as its end says it."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    return word[:-1] if len(word) > 2 and word.endswith("s") and not word.endswith("ss") else word
