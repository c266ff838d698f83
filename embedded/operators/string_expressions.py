"""Expressions on strings."""

from typing import Any

from embedded.errors import StoreError
from embedded.operators.conversion_expressions import to_text
from embedded.operators.operands import Form, Operator, as_text, as_whole, is_nothing, named, null_safe
from embedded.operators.typenames import is_string, type_name

_SPACES = "\0\t\n\v\f\r \u00a0\u1680" + "".join(map(chr, range(0x2000, 0x200B)))
_MOST_LETTERS = 64 * 1024 * 1024  # as much as MongoDB builds at a time


def _concat(*texts: Any) -> str:
    for text in texts:
        if not is_string(text):
            raise StoreError(16702, f"$concat only supports strings, not {type_name(text)}")
    if sum(map(len, texts)) > _MOST_LETTERS:
        raise StoreError(13548, "$concat would make a string beyond 64 MB")
    return "".join(texts)


def _upper(value: Any) -> str:
    return "" if is_nothing(value) else _ascii_case(to_text(value), upper=True)


def _lower(value: Any) -> str:
    return "" if is_nothing(value) else _ascii_case(to_text(value), upper=False)


def _ascii_case(text: str, *, upper: bool) -> str:
    """Only ASCII letters change, as in MongoDB."""
    if text.isascii():
        return text.upper() if upper else text.lower()
    changed = text.encode().upper() if upper else text.encode().lower()
    return changed.decode()


def _substring(value: Any, start: Any, length: Any) -> str:
    if is_nothing(value):
        return ""
    first, count = as_whole("$substrCP", start, 34450, 34451), as_whole("$substrCP", length, 34452, 34453)
    if count < 0:
        raise StoreError(34454, "$substrCP: length must be a nonnegative integer.")
    if first < 0:
        raise StoreError(34455, "$substrCP: the starting index must be nonnegative integer.")
    return to_text(value)[first : first + count]


def _split(text: Any, separator: Any) -> list[str]:
    text, separator = as_text("$split", text, 40085), as_text("$split", separator, 40086)
    if not separator:
        raise StoreError(40087, "$split requires a non-empty separator")
    return list(text.split(separator))


def _index_of(text: Any, part: Any, start: Any = 0, end: Any = None) -> int | None:
    if is_nothing(text):
        return None
    text, part = as_text("$indexOfCP", text, 40093), as_text("$indexOfCP", part, 40094)
    first = as_whole("$indexOfCP", start, 40096)
    last = len(text) if end is None else as_whole("$indexOfCP", end, 40096)
    if first < 0 or last < 0:
        raise StoreError(40097, "$indexOfCP requires non-negative indexes")
    return text.find(part, first, last) if first <= len(text) else -1


def _trim(name: str) -> Form:
    def call(value: Any, chars: Any) -> str | None:
        if is_nothing(value) or chars is None:
            return None
        text = as_text(name, value, 50699)
        letters = as_text(name, chars, 50700) if is_string(chars) or not is_nothing(chars) else _SPACES
        if name == "$trim":
            return text.strip(letters)
        return text.lstrip(letters) if name == "$ltrim" else text.rstrip(letters)

    return named(name, call, ("input",), ("chars",))


def _replace(count: int) -> Form:
    name = "$replaceOne" if count == 1 else "$replaceAll"

    def call(text: Any, find: Any, replacement: Any) -> str | None:
        if is_nothing(text) or is_nothing(find) or is_nothing(replacement):
            return None
        old, new = as_text(name, find, 51745), as_text(name, replacement, 51744)
        return as_text(name, text, 51746).replace(old, new, count)

    return named(name, call, ("input", "find", "replacement"))


STRINGS: dict[str, Operator] = {
    "$concat": Operator(null_safe(_concat), 0, None),
    "$toLower": Operator(_lower),
    "$toUpper": Operator(_upper),
    "$substrCP": Operator(_substring, 3),
    "$strLenCP": Operator(lambda value: len(as_text("$strLenCP", value, 34471))),
    "$split": Operator(null_safe(_split), 2),
    "$indexOfCP": Operator(_index_of, 2, 4),
}
STRING_FORMS: dict[str, Form] = {
    "$trim": _trim("$trim"),
    "$ltrim": _trim("$ltrim"),
    "$rtrim": _trim("$rtrim"),
    "$replaceOne": _replace(1),
    "$replaceAll": _replace(-1),
}
