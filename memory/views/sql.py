"""Which tables does a statement of SQL read, which one does it change, and which rows?"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

_QUOTES = '["`\\[]?'
_TABLE = rf"(?:{_QUOTES}\w+[\"`\]]?\.)*{_QUOTES}(\w+)[\"`\]]?"
_CHANGES = re.compile(
    rf"(?i)\b(?:(insert)\s+(?:or\s+\w+\s+|overwrite\s+)?into|replace\s+into|merge\s+into|delete\s+from|"
    rf"truncate(?:\s+table)?|(?:alter|drop)\s+table(?:\s+if\s+exists)?|update(?=[^;]{{1,300}}?\sset\s))\s+(?:only\s+)?{_TABLE}"
)
_READS = re.compile(rf"(?i)\b(?:from|join)\s+(?:only\s+)?{_TABLE}")
_LISTS = re.compile(rf"(?i)\b(?:from|join|update)\s+(?:only\s+)?{_TABLE}(?:\s+(?:as\s+)?\w+)?\s*,|\busing\s+\w")
_MAKES = re.compile(  # by a select
    rf"(?i)\binto\s+(?!(?:out|dump)file\b)(?:(?:(?:global|local)\s+)?temp(?:orary)?\s+|unlogged\s+)?(?:table\s+)?{_TABLE}"
)
_BEGINS = re.compile(
    r"(?i)\s*+(?:(?:--[^\n]*+\n|/\*(?:[^*]|\*(?!/))*+\*/)\s*+)*+"
    r"(?:select\s|with\s+(?:recursive\s+)?\w++[^;]{0,300}?\bas\s*\(|explain\s|insert\s+"
    r"(?:\w+\s+){0,2}into\s|(?:replace|merge)\s+into\s|delete\s+from\s|truncate\s|(?:alter|drop|create)\s+\w+\s|"
    r"update\s[^;]{1,300}?\sset\s|begin\b|start\s+transaction)"
)
_STATEMENT = re.compile(r"(?:[^;']|'(?:[^']|'')*'?)+")
_TEXT = re.compile(r"'(?:[^']|'')*'?|--[^\n]*|/\*(?:[^*]|\*(?!/))*+(?:\*/)?")  # and comments
_WHERE = re.compile(r"(?is)\bwhere\b(.*?)(?=\b(?:group|order|limit|returning|having)\b|$)")
_EITHER = re.compile(r"(?i)\b(?:or|not|select)\b")
_QUALIFIED = re.compile(r"[\w\"`\]]\.[\"`\[]?[^\W\d]")
_VALUE = r"(?:'(?:[^']|'')*'|-?\d[\w.]*)"
_IS = re.compile(rf"(?i)\b(\w+)[\"`\]]?\s*(?:=\s*({_VALUE})|in\s*\(([^()]*)\))")
_EACH = re.compile(_VALUE)
_SETS = re.compile(r"(?is)\bset\b(.*?)(?:\bwhere\b|$)")
_SET = re.compile(r"\b(\w++)[\"`\]]?\s*=")
_NONE = re.compile(r"(?i)\s*(?:update|delete|merge|insert 0) 0\b")
_COUNTS = ("rowcount", "row_count", "rows_affected", "affected_rows", "rowsAffected", "affected")

Rows = Mapping[str, frozenset[str]]  # for a column, the values that rows have in it


@dataclass(frozen=True)
class Statement:
    """`read`, `changed`: tables. `rows`: what the rows have in common; of new ones, that they had no id before."""

    read: frozenset[str]
    changed: str | None = None
    rows: Rows = field(default_factory=dict)


def is_sql(text: str) -> bool:
    """Whether a text begins as a statement does."""
    return _BEGINS.match(text) is not None


@lru_cache(maxsize=1024)
def statements_of(text: str) -> tuple[Statement, ...]:
    """The statements of a text of SQL, as far as they have to do with tables."""
    return tuple(_statement(one) for one in _STATEMENT.findall(text) if one.strip())


def may_share_rows(one: Rows, other: Rows) -> bool:
    """Whether rows of both may be the same ones."""
    return all(one[column] & other[column] for column in one.keys() & other.keys())


def changed_none(output: object) -> bool:
    """Whether a statement says that it changed no rows."""
    if isinstance(output, Mapping):
        return any(output.get(name) == 0 and output.get(name) is not False for name in _COUNTS)
    return isinstance(output, str) and _NONE.match(output) is not None


def _statement(text: str) -> Statement:
    plain = _TEXT.sub("''", text)
    found = _CHANGES.search(plain)
    reads = _READS.findall(plain)
    read = frozenset(name.casefold() for name in reads)
    if found is None:
        if made := _MAKES.search(plain):
            return Statement(read, made[1].casefold())
        return Statement(read, None, _rows(text, _several(plain, reads)))
    several = _several(plain, reads) or (bool(reads) and not found[0].casefold().startswith("delete"))
    rows = {"id": frozenset[str]()} if found[1] else _rows(text, several)
    for name in _SET.findall(sets[1]) if (sets := _SETS.search(plain)) else ():
        rows.pop(name.casefold(), None)  # they have another value then
    return Statement(read, found[2].casefold(), rows)


def _several(plain: str, reads: Collection[str]) -> bool:
    """Whether a statement reads more tables than one, or one of them twice."""
    return len(reads) > 1 or _LISTS.search(plain) is not None


def _rows(text: str, several: bool) -> dict[str, frozenset[str]]:
    """The values of columns that a condition asks for, all of them at once; none where it says of which of `several`
    tables a column is."""
    where = _WHERE.search(text)
    if where is None:
        return {}
    plain = _TEXT.sub("''", where[1])
    if _EITHER.search(plain) or (several and _QUALIFIED.search(plain)):
        return {}
    values = ((column, frozenset(_values(value or listed))) for column, value, listed in _IS.findall(where[1]))
    return {column.casefold(): these for column, these in values if these}


def _values(text: str) -> Iterator[str]:
    return (one.strip("'") for one in _EACH.findall(text))
