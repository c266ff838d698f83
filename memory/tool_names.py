"""What does the name of a tool say: does it change anything, and is it for the things that another one is for?"""

import re
from functools import lru_cache

# How tools are called that change nothing.
_READS = re.compile(
    r"(?i)(?:get|list|read|search|find|show|describe|fetch|view|look|query|count|check(?!_?(?:in|out)(?:[^a-z]|$))|"
    r"calculate|think|open|select|"
    r".*(?:^|[_.-])(?:grep|glob|cat|ls|head|tail|diff|stat|tests?|track|verify|validate|search|lookup|send|email|notify|"
    r"message|browse|visit|summari[sz]e|analy[sz]e|compare|explain)(?:$|[_.-]))"
)
# And by words behind the name of what they belong to: "crm_get_contact", "calendar_list".
_ASKING = frozenset({"get", "fetch", "find", "search", "lookup"})
_ASKING_AT_END = frozenset({"list", "read", "show", "view", "query", "count", "check", "status", "history"})
_CHANGING = frozenset(
    {"add", "clear", "create", "delete", "edit", "insert", "make", "mark", "move", "new", "patch", "post", "put",
     "remove", "rename", "replace", "reset", "save", "set", "update", "upsert", "write"}
)  # fmt: skip
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_a-zA-Z]+|\d+")
# What a key has beside the name of the thing that it names.
_NAMING = frozenset({"id", "uuid", "key", "code", "number", "no", "ref", "name", "path", "url", "sku"})


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
    if not words or not _CHANGING.isdisjoint(words):
        return False
    return not _ASKING.isdisjoint(words) or words[-1] in _ASKING_AT_END


@lru_cache(maxsize=1024)
def kinds_of(name: str) -> frozenset[str]:
    """The words of a tool's name in the singular, among them the kind of thing that it is for."""
    return frozenset(map(_singular, words_of(name)))


def is_of(key: str, tool_name: str) -> bool:
    """Whether a field names the kind of thing that a tool is for, `order_id` for `cancel_order`; `id` always does."""
    named = [_singular(word) for word in words_of(key)]
    kind = [word for word in named if word not in _NAMING]
    return bool(named) and set(kind) <= kinds_of(tool_name) and (bool(kind) or named == ["id"])


def are_of_a_kind(one: str, other: str) -> bool:
    """Whether two tools are for the same kind of thing, which their names show: `get_issue` and `issue_update`, but not
    `crm_get_contact` and `crm_update_deal`."""
    words, others = kinds_of(one), kinds_of(other)
    return bool(words & others) and min(len(words - others), len(others - words)) <= 1


def differ_in_a_word(one: str, other: str) -> bool:
    """Whether two names are of the same words but for one in each, `get_settings` and `update_settings`."""
    words, others = set(words_of(one)), set(words_of(other))
    return bool(words & others) and len(words - others) == len(others - words) == 1


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 2 and word.endswith("s") and not word.endswith("ss") else word
