"""`$regexMatch`, `$regexFind` and `$regexFindAll`: what a regular expression finds in a string."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from embedded.errors import StoreError
from embedded.operators.comparing import regex_parts
from embedded.operators.operands import Form, as_text, is_nothing, named
from embedded.operators.patterns import Search, compile_pattern, is_regex
from embedded.operators.typenames import is_string, type_name


def _search(name: str, pattern: Any, options: Any) -> Search:
    if not is_nothing(options) and not is_string(options):
        raise StoreError(51106, f"{name} needs 'options' to be of type string")
    flags = "" if is_nothing(options) else options
    if is_regex(pattern):
        text, own = regex_parts(pattern)
        if own and not is_nothing(options):
            raise StoreError(51107, f"{name}: found regex option(s) specified in both 'regex' and 'option' fields")
        flags = own or flags
    elif is_string(pattern):
        text = pattern
    else:
        raise StoreError(51105, f"{name} needs 'regex' to be of type string or regex, not {type_name(pattern)}")
    if "\0" in text:
        raise StoreError(51109, f"{name}: regular expression cannot contain an embedded null byte")
    try:
        return compile_pattern(text, flags)
    except StoreError as error:
        if error.code != 51091:
            raise
        raise StoreError(51111, f"Invalid Regex in {name}: {error.message}") from None


def _matches(text: str, search: Search) -> Iterator["re.Match[str]"]:
    """Every match, none within another; an empty one moves on by a character."""
    place = 0
    while place <= len(text) and (found := search(text, place)):
        yield found
        place = found.end() if found.end() > found.start() else found.end() + 1


def _described(found: "re.Match[str]") -> dict[str, Any]:
    return {"match": found[0], "idx": found.start(), "captures": list(found.groups())}


def _find(text: str, search: Search) -> dict[str, Any] | None:
    found = search(text)
    return None if found is None else _described(found)


def _regex(name: str, nothing: Any, answer: Callable[[str, Search], Any]) -> Form:
    def call(text: Any, pattern: Any, options: Any) -> Any:
        search = None if is_nothing(pattern) else _search(name, pattern, options)
        if is_nothing(text) or search is None:
            return list(nothing) if isinstance(nothing, list) else nothing
        return answer(as_text(name, text, 51104), search)

    return named(name, call, ("input", "regex"), ("options",))


REGEX_FORMS: dict[str, Form] = {
    "$regexMatch": _regex("$regexMatch", False, lambda text, search: search(text) is not None),
    "$regexFind": _regex("$regexFind", None, _find),
    "$regexFindAll": _regex("$regexFindAll", [], lambda text, search: [*map(_described, _matches(text, search))]),
}
