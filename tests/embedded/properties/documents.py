"""Hypothesis strategies for documents, filters, sorts, indexes and updates that meet each other often.

Few names and few values, of every type that a filter tells apart, so that equal keys, ties and mixed types are common.
"""

import datetime
from collections.abc import Callable
from typing import Any

import bson
from bson import Binary, Decimal128, Int64, MaxKey, MinKey, ObjectId, Regex, Timestamp
from hypothesis import strategies as st

Document = dict[str, Any]
Documents = st.SearchStrategy[Document]
Palette = list[Any]
MOMENTS = [datetime.datetime(1969, 12, 31, 23, 59, 59, 999000), datetime.datetime(2020, 1, 1)]
NUMBERS: Palette = [0, 1, 2, -1, Int64(1), Int64(2**60), 1.0, 1.5, -0.0, float("nan"), float("inf"), float("-inf")]
NUMBERS += [Decimal128("1"), Decimal128("1.50"), Decimal128("NaN"), Decimal128("1E+40")]
STRINGS: Palette = ["", "a", "ab", "abc", "b", "A", "a\x00", "é"]
OTHERS: Palette = [
    None,
    True,
    False,
    *MOMENTS,
    ObjectId(b"a" * 12),
    ObjectId(b"b" * 12),
    Regex("^a"),
    MinKey(),
    MaxKey(),
]
OTHERS += [b"\x01", Binary(b"\x01", 128), Timestamp(1, 2)]
PATTERNS = ["^a", "^ab", "a", "b$", "^ab*", "^(a|b)", "^a|b", ""]
TYPES = ["number", "int", "double", "string", "null", "array", "object", "bool", "date", "regex"]
paths = st.sampled_from(["a", "a", "b", "b", "c", "a.x", "a.y", "b.x", "a.0", "a.0.x", "a.x.0", "a.x.y", "_id"])
directions = st.sampled_from([1, -1])
patterns = st.sampled_from(PATTERNS)
types = st.sampled_from(TYPES)
palettes = st.lists(
    st.sampled_from(NUMBERS) | st.sampled_from(STRINGS) | st.sampled_from(OTHERS), min_size=2, max_size=5
)
"""The few scalars of one example, so that documents and filters have many in common."""


def values(palette: Palette) -> st.SearchStrategy[Any]:
    """Scalars, and now and then a document or an array of them."""
    scalar = st.sampled_from(palette)
    return st.one_of(scalar, scalar, scalar, _inner(scalar), st.lists(scalar, max_size=2))


def _inner(value: st.SearchStrategy[Any]) -> Documents:
    """Embedded documents with their fields in either order."""
    return st.permutations("xy").flatmap(lambda names: st.fixed_dictionaries({}, optional=dict.fromkeys(names, value)))


def bodies(palette: Palette) -> Documents:
    """Documents without an `_id`."""
    scalar, value = st.sampled_from(palette), values(palette)
    each = st.one_of(scalar, value, _inner(value), st.lists(value, max_size=3))
    full = st.fixed_dictionaries({"a": each, "b": each, "c": scalar | st.lists(scalar, max_size=3)})
    return full | st.fixed_dictionaries({}, optional={"a": each, "b": each, "c": scalar})


def collections(palette: Palette, most: int = 10) -> st.SearchStrategy[list[Document]]:
    """Documents with an `_id` each."""
    return st.lists(bodies(palette), min_size=most // 2, max_size=most).map(
        lambda found: [{"_id": number, **body} for number, body in enumerate(found)]
    )


def filters(palette: Palette, paths: st.SearchStrategy[str] = paths) -> Documents:
    """Filters with one or two conditions, or a few such filters in a logical operator."""
    condition = _conditions(palette)
    simple = st.dictionaries(paths, condition, min_size=1, max_size=2)
    logical = st.builds(
        lambda name, clauses, more: {**more, name: clauses},
        st.sampled_from(["$and", "$or", "$nor"]),
        st.lists(simple, min_size=1, max_size=3),
        st.just({}) | simple,
    )
    return st.one_of(simple, simple, simple, logical, st.just({}))


def _conditions(palette: Palette) -> st.SearchStrategy[Any]:
    value = values(palette)
    plain = value.map(lambda each: "a" if isinstance(each, Regex) else each)  # no comparison takes a regular expression
    several = st.lists(value, max_size=3) | st.lists(st.sampled_from(palette), min_size=1, max_size=3)
    comparisons = st.dictionaries(st.sampled_from(["$gt", "$gte", "$lt", "$lte", "$eq"]), plain, min_size=1, max_size=2)
    of_elements = comparisons | st.dictionaries(st.sampled_from("xy"), value | comparisons, min_size=1, max_size=2)
    return st.one_of(
        value,
        st.sampled_from(palette),
        comparisons,
        comparisons,
        _under("$in", several),
        _under("$in", several),
        _under("$nin", several),
        _under("$ne", plain),
        _under("$exists", st.booleans()),
        _under("$all", several),
        _under("$size", st.integers(0, 3)),
        _under("$regex", patterns),
        _under("$type", types),
        _under("$elemMatch", of_elements),
        _under("$not", comparisons | _under("$in", several) | _under("$exists", st.booleans())),
    )


def _under(operator: str, operands: st.SearchStrategy[Any]) -> Documents:
    return operands.map(lambda operand: {operator: operand})


def asked(*wanted: Callable[[Palette], st.SearchStrategy[Any]]) -> st.SearchStrategy[tuple[Any, ...]]:
    """Documents, and what else is wanted of the same few values."""
    return palettes.flatmap(lambda palette: st.tuples(collections(palette), *(each(palette) for each in wanted)))


def alike(one: Any, other: Any) -> bool:
    """The same down to the types of numbers and the order of fields."""
    return bool(bson.encode({"": one}) == bson.encode({"": other}))
