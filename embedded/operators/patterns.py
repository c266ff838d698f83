"""Regular expressions as MongoDB reads them.

MongoDB speaks PCRE in UTF-8 mode without Unicode properties: letters fold by Unicode, but the letters, digits and white
space of `\\w`, `\\d`, `\\s` and `\\b` are those of ASCII, whatever the options. What Python's `re` spells otherwise is
rewritten; what it lacks is refused.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from bson import Regex

from embedded.errors import StoreError, not_implemented
from embedded.operators.comparing import regex_parts
from embedded.operators.typenames import is_string

Search = Callable[..., "re.Match[str] | None"]
"""Called with a text and, perhaps, where to begin."""

MAX_BYTES = 16_384  # as MongoDB 7
_LONG = 1_000  # letters; a compiled pattern takes ten times its length, so that of long ones fewer are kept
_FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "x": re.VERBOSE, "u": re.NOFLAG, "l": re.NOFLAG}
_QUOTED = re.compile(r"\\Q(.*?)(?:\\E|$)", re.DOTALL)
_NAMED_GROUP = re.compile(r"\(\?<(?=[A-Za-z_])")
_ESCAPE_OR_SET = re.compile(r"\\(?P<escape>.)|\[(?P<but>\^?)(?P<set>\]?(?:\\.|[^\]\\])*)\]", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_CLASSES = frozenset("wWdDsS")
_ASCII = _CLASSES | {"b", "B"}
_LACKING = frozenset("pPXRKhHNCgG")  # letters behind a backslash that mean something to PCRE alone
_LEADING_FLAGS = re.compile(r"(\^)\(\?([a-z]+)\)")


def is_regex(value: Any) -> bool:
    """Whether the value is a regular expression, decoded or compiled."""
    return isinstance(value, Regex | re.Pattern)


def compile_regex(value: Any) -> Search:
    """The search of a BSON or compiled regular expression. Raises as `compile_pattern`."""
    pattern, flags = regex_parts(value)
    return compile_pattern(pattern, flags)


def compile_operands(pattern: Any, options: Any) -> Search:
    """The search of `{$regex: pattern, $options: options}`; given options replace those of the expression.

    Raises StoreError 2 for operands that are no text, else as `compile_pattern`.
    """
    if options is not None and not is_string(options):
        raise StoreError(2, "$options has to be a string")
    if is_regex(pattern):
        text, flags = regex_parts(pattern)
        if options and flags:
            raise StoreError(51075, "options set in both $regex and $options")
        return compile_pattern(text, options or flags)
    if not is_string(pattern):
        raise StoreError(2, "$regex has to be a string")
    return compile_pattern(pattern, options or "")


def as_regex(pattern: Any, options: str | None) -> Regex[str]:
    """The regular expression that `{$regex: pattern, $options: options}` says; it equals a stored one."""
    text, flags = regex_parts(pattern) if is_regex(pattern) else (pattern, "")
    return Regex(text, options or flags)


def compile_pattern(pattern: str, flags: str) -> Search:
    """The search of a pattern anywhere in a text.

    Raises StoreError 51091 for an invalid or overlong pattern, 51108 for an unknown flag, 2 for a NUL, 238 for what
    Python's expressions lack: POSIX classes, Unicode properties, recursion.
    """
    if len(pattern) > MAX_BYTES or len(pattern.encode(errors="surrogatepass")) > MAX_BYTES:
        raise StoreError(51091, "Regular expression is too long")
    return _kept(pattern, flags) if len(pattern) <= _LONG else _kept_long(pattern, flags)


def _compile(pattern: str, flags: str) -> Search:
    if "\0" in pattern:
        raise StoreError(2, "Regular expression cannot contain an embedded null byte")
    combined = re.NOFLAG
    for letter in flags:
        if letter not in _FLAGS:
            raise StoreError(51108, f"invalid flag in regex options: {letter}")
        combined |= _FLAGS[letter]
    if "[[:" in pattern:
        raise not_implemented("A POSIX character class in a regular expression")
    text = _QUOTED.sub(lambda found: re.escape(found[1]), pattern)
    text = _ESCAPE_OR_SET.sub(_rewritten, _NAMED_GROUP.sub("(?P<", text))
    text = _LEADING_FLAGS.sub(r"(?\2)\1", text, count=1) if text.startswith("^(?") else text
    try:
        return re.compile(text, combined).search
    except (re.error, ValueError, OverflowError, RecursionError) as error:
        raise StoreError(51091, f"Regular expression is invalid: {error}") from None


_kept = lru_cache(maxsize=512)(_compile)


@lru_cache(maxsize=32)
def _kept_long(pattern: str, flags: str) -> Search:
    try:
        return _compile(pattern, flags)
    finally:
        re.purge()  # `re` keeps the last 512 itself, however long they are


def _rewritten(found: "re.Match[str]") -> str:
    """An escape of PCRE's, or a set of characters, as Python spells it."""
    letter = found["escape"]
    if letter is None:
        return _set(found["but"], found["set"])
    if letter in _LACKING:
        raise not_implemented(f"\\{letter} in a regular expression")
    if letter in _ASCII:
        return f"(?a:{found[0]})"
    return {"z": r"\Z", "Z": r"(?=\n?\Z)"}.get(letter, found[0])


def _set(but: str, characters: str) -> str:
    """A set of characters; where classes of ASCII stand in it, as the choice between these and the others."""
    if lacking := next((letter for letter in _ESCAPED.findall(characters) if letter in _LACKING), None):
        raise not_implemented(f"\\{lacking} in a regular expression")
    classes = [f"\\{letter}" for letter in _ESCAPED.findall(characters) if letter in _CLASSES]
    if not classes:
        return f"[{but}{characters}]"
    others = _ESCAPED.sub(lambda found: "" if found[1] in _CLASSES else found[0], characters)
    if others.startswith("^"):
        others = f"\\{others}"
    choice = f"(?a:[{''.join(classes)}])" + (f"|[{others}]" if others else "")
    return f"(?:(?!{choice})[\\s\\S])" if but else f"(?:{choice})"
