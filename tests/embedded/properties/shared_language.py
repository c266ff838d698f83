"""Hypothesis strategies for what mongomock does as MongoDB does.

The values are of the types that both hold for different: no booleans (mongomock takes True for 1), no NaN, and embedded
documents with their fields in one order (mongomock compares them in any). Left out besides: numbers in paths, which
mongomock also takes for letters of a text; `$size`, which it also asks of documents; `$not`, `$mod`, `$mul`, `$count`
of nothing and projections by `$slice`, which it has otherwise or not at all. rules.py says what MongoDB does there.
"""

import datetime
from typing import Any

from bson import ObjectId
from hypothesis import strategies as st

Document = dict[str, Any]
integers = st.integers(-2, 4)
numbers = integers | integers.map(lambda value: value + 0.5)
strings = st.sampled_from(["", "a", "ab", "b"])
moments = st.sampled_from([datetime.datetime(2020, 1, 1), datetime.datetime(2021, 6, 1)])
scalars = st.one_of(
    numbers, numbers, strings, strings, moments, st.sampled_from([ObjectId(b"a" * 12), ObjectId(b"b" * 12)])
)
inner = st.fixed_dictionaries({}, optional={"x": scalars, "y": integers})
arrays = st.lists(integers, max_size=4) | st.lists(inner, max_size=3) | st.lists(scalars, max_size=3)
bodies = st.fixed_dictionaries(
    {"k": integers, "l": st.lists(integers, max_size=4)},
    optional={"a": scalars | arrays, "b": scalars | inner, "d": inner},
)
collections = st.lists(bodies, min_size=2, max_size=7).map(
    lambda found: [{"_id": number, **body} for number, body in enumerate(found)]
)
paths = st.sampled_from(["a", "b", "k", "l", "d", "a.x", "b.x", "d.y", "_id"])
comparisons = st.dictionaries(st.sampled_from(["$gt", "$gte", "$lt", "$lte"]), integers, min_size=1, max_size=2)
conditions = st.one_of(
    scalars,
    comparisons,
    st.builds(lambda name, value: {name: value}, st.sampled_from(["$eq", "$ne"]), scalars),
    st.builds(lambda name, found: {name: found}, st.sampled_from(["$in", "$nin"]), st.lists(scalars, max_size=3)),
    st.booleans().map(lambda wanted: {"$exists": wanted}),
    st.lists(scalars, min_size=1, max_size=2).map(lambda found: {"$all": found}),
    st.sampled_from([{"$regex": "^a"}, {"$regex": "B", "$options": "i"}, {"$type": "string"}, {"$type": "array"}]),
    comparisons.map(lambda found: {"$elemMatch": found}),
    st.builds(lambda found: {"$elemMatch": {"y": found}}, comparisons | integers),
)
simple = st.dictionaries(paths, conditions, min_size=1, max_size=2)
filters = st.one_of(
    st.just({}),
    simple,
    simple,
    st.builds(
        lambda name, clauses: {name: clauses},
        st.sampled_from(["$and", "$or", "$nor"]),
        st.lists(simple, min_size=1, max_size=2),
    ),
)
sorts = st.lists(
    st.tuples(st.sampled_from(["k", "d.y", "_id"]), st.sampled_from([1, -1])),
    max_size=2,
    unique_by=lambda pair: pair[0],
).map(lambda pairs: dict([*pairs, ("_id", 1)]))
fields = st.lists(st.sampled_from(["a", "b", "k", "l", "d.x"]), min_size=1, max_size=3, unique=True)
projections = st.one_of(
    st.none(),
    st.builds(dict.fromkeys, fields, st.sampled_from([0, 1])),
    st.just({"_id": 0, "k": 1}),
    st.builds(lambda found: {"a": {"$elemMatch": {"y": found}}}, comparisons),
)
clauses = st.fixed_dictionaries(
    {"$each": st.lists(integers, max_size=3)},
    optional={"$slice": st.integers(-3, 3), "$sort": st.sampled_from([1, -1]), "$position": st.integers(0, 3)},
)
updates = st.one_of(
    st.builds(
        lambda path, value: {"$set": {path: value}},
        st.sampled_from(["a", "b", "d.x", "n.m", "l.1", "l.6"]),
        scalars | arrays,
    ),
    st.builds(lambda path: {"$unset": {path: ""}}, st.sampled_from(["a", "d", "d.x", "n"])),
    st.builds(lambda path, by: {"$inc": {path: by}}, st.sampled_from(["k", "d.y", "n"]), numbers),
    st.builds(
        lambda name, path, value: {name: {path: value}},
        st.sampled_from(["$min", "$max"]),
        st.sampled_from(["k", "d.y", "n"]),
        numbers,
    ),
    st.builds(lambda value: {"$push": {"l": value}}, integers | clauses),
    st.builds(
        lambda value: {"$addToSet": {"l": value}},
        integers | st.lists(integers, max_size=3, unique=True).map(lambda found: {"$each": found}),
    ),
    st.builds(
        lambda value: {"$pull": {"l": value}},
        integers | comparisons | st.lists(integers, max_size=2).map(lambda found: {"$in": found}),
    ),
    st.builds(lambda values: {"$pullAll": {"l": values}}, st.lists(integers, max_size=3)),
    st.builds(lambda end: {"$pop": {"l": end}}, st.sampled_from([1, -1])),
    st.builds(lambda path, to: {"$rename": {path: to}}, st.sampled_from(["a", "d"]), st.just("e")),
    st.builds(lambda value, other: {"$set": {"k": value}, "$setOnInsert": {"new": other}}, integers, scalars),
    st.builds(lambda value, by: {"$set": {"b": value}, "$inc": {"k": by}, "$push": {"l": by}}, scalars, integers),
)

references = st.sampled_from(["$k", "$b", "$d.y", "$d.x", "$l", {"$arrayElemAt": ["$l", 1]}]).map(
    lambda path: {"$ifNull": [path, "none"]}  # mongomock keeps a field that is set to nothing
)
amounts = st.sampled_from(["$k", "$_id"]) | integers
expressions = st.one_of(
    references,
    st.builds(lambda name, a, b: {name: [a, b]}, st.sampled_from(["$add", "$subtract", "$multiply"]), amounts, amounts),
    st.builds(
        lambda name, a, b: {name: [a, b]},
        st.sampled_from(["$eq", "$ne", "$gt", "$gte", "$lt", "$lte"]),
        amounts,
        amounts,
    ),
    st.builds(lambda a, b, c: {"$cond": [{"$gt": [a, b]}, c, "no"]}, amounts, amounts, references),
    st.just({"$size": "$l"}),
    st.builds(lambda value: {"$in": [value, "$l"]}, amounts),
    st.builds(lambda value: {"$concat": ["x", value]}, st.sampled_from(["a", "", "é"])),
    st.builds(lambda a, b: {"$and": [{"$gt": [a, 0]}, {"$lt": [b, 3]}]}, amounts, amounts),
    st.builds(lambda least: {"$filter": {"input": "$l", "as": "each", "cond": {"$gte": ["$$each", least]}}}, integers),
    st.builds(lambda by: {"$map": {"input": "$l", "as": "each", "in": {"$add": ["$$each", by]}}}, integers),
    st.just({"$sum": "$l"}),
    st.just({"$literal": "$k"}),
)
accumulators = st.one_of(
    st.builds(lambda name, path: {name: path}, st.sampled_from(["$sum", "$avg"]), st.just("$k") | integers),
    st.builds(lambda name: {name: "$k"}, st.sampled_from(["$min", "$max", "$first", "$last", "$push"])),
    st.just({"$push": "$$ROOT"}),
)
groups = st.builds(
    lambda key, found: {"$group": {"_id": key, **found}},
    st.sampled_from(["$k", "$d.y", {"k": "$k", "y": "$d.y"}, {"$gt": ["$_id", 1]}]),
    st.dictionaries(st.sampled_from(["p", "q"]), accumulators, max_size=2),
)
computing = st.builds(lambda name, found: {"$addFields": {name: found}}, st.sampled_from("nm"), expressions)
shaping = st.builds(lambda kept, found: {"$project": {**dict.fromkeys(kept, 1), "p": found}}, fields, expressions)
stages = st.one_of(
    simple.map(lambda found: {"$match": found}),
    sorts.map(lambda found: {"$sort": found}),
    st.integers(1, 4).map(lambda number: {"$limit": number}),
    st.integers(0, 3).map(lambda number: {"$skip": number}),
    fields.map(lambda found: {"$project": dict.fromkeys(found, 0)}),
    st.sampled_from([{"$unset": "b"}, {"$unset": ["a", "d"]}]),
    st.builds(
        lambda path, keeps: {"$unwind": {"path": path, "preserveNullAndEmptyArrays": keeps}},
        st.sampled_from(["$l", "$a"]),
        st.booleans(),
    ),
    st.just({"$unwind": {"path": "$l", "includeArrayIndex": "i"}}),
    st.just({"$replaceRoot": {"newRoot": {"k": "$k", "l": "$l", "_id": "$_id"}}}),
)
joining = st.builds(
    lambda local, foreign: {"$lookup": {"from": "others", "localField": local, "foreignField": foreign, "as": "o"}},
    st.sampled_from(["k", "_id", "d.y"]),
    st.sampled_from(["k", "_id"]),
)
lasts = st.one_of(
    groups,
    st.just({"$sortByCount": "$k"}),
    st.lists(stages, max_size=2).map(lambda found: {"$facet": {"p": found, "q": [{"$match": {"k": 1}}]}}),
)
# What is computed comes first, while the fields that it needs are there: mongomock leaves out what has no operand.
pipelines = st.builds(
    lambda *parts: [stage for part in parts for stage in part],
    st.lists(computing, max_size=2, unique_by=str),
    st.lists(shaping, max_size=1),
    st.lists(stages | joining, max_size=3),
    st.lists(lasts, max_size=1),
)
operations = st.one_of(
    st.builds(lambda body, number: ("insert_one", [{"_id": number, **body}], {}), bodies, st.integers(0, 9)),
    st.builds(lambda found, change: ("update_one", [found, change], {}), filters, updates),
    st.builds(lambda found, change: ("update_many", [found, change], {}), filters, updates),
    st.builds(lambda found, body: ("replace_one", [found, body], {}), filters, bodies),
    st.builds(lambda found: ("delete_one", [found], {}), filters),
    st.builds(lambda found: ("delete_many", [found], {}), simple),
    st.builds(
        lambda name, found, change, sort, after: (name, [found, change], {"sort": sort, "return_document": after}),
        st.just("find_one_and_update"),
        filters,
        updates,
        sorts.map(lambda found: list(found.items())),
        st.booleans(),
    ),
    st.builds(
        lambda found, sort: ("find_one_and_delete", [found], {"sort": list(sort.items())}),
        filters,
        sorts,
    ),
)
