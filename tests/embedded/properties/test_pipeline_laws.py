"""Sorts, projections and the stages of pipelines obey their laws, for values of every type.

Stages change places where that changes nothing; groups are the documents with equal values, and their accumulators say
what their names say; `$unwind` and `$lookup` give what arrays and filters hold.
"""

import copy
import math
from fractions import Fraction
from typing import Any

from bson import Decimal128, Int64
from hypothesis import assume, given
from hypothesis import strategies as st

from embedded.operators.aggregating import run_pipeline
from embedded.operators.projecting import compile_projection
from tests.embedded.properties.documents import Document, alike, asked, directions, filters, paths
from tests.embedded.properties.examples import examples
from tests.embedded.properties.rules import has_one_array, in_order, order, reached, same

fields = st.lists(st.sampled_from(["a", "b", "c", "a.x", "b.y"]), min_size=1, max_size=3, unique=True)
sorts = st.lists(st.tuples(paths, directions), min_size=1, max_size=3, unique_by=lambda pair: pair[0])
counts = st.integers(0, 4)


def run(documents: list[Document], *stages: Document) -> list[Document]:
    return list(run_pipeline(copy.deepcopy(documents), list(stages), collection=lambda name: documents))


@examples(100)
@given(asked(), sorts)
def test_a_sort_is_stable_and_in_the_order_of_bson(drawn, sort):
    assume(has_one_array(drawn[0], sort))
    assert alike(run(drawn[0], {"$sort": dict(sort)}), in_order(drawn[0], sort))


@examples(100)
@given(asked(filters), sorts, counts, counts)
def test_stages_of_a_pipeline_change_places_where_that_changes_nothing(drawn, sort, skip, limit):
    documents, filter = drawn
    assume(has_one_array(documents, sort))
    match, ordered = {"$match": filter}, {"$sort": dict(sort)}
    assert alike(run(documents, match, ordered), run(documents, ordered, match))
    whole = run(documents, ordered)
    assert alike(run(documents, ordered, {"$skip": skip}, {"$limit": limit + 1}), whole[skip : skip + limit + 1])
    assert alike(run(documents, ordered, {"$limit": limit + 1}, {"$skip": skip}), whole[: limit + 1][skip:])
    counted = run(documents, match, {"$count": "n"})
    assert counted == ([{"n": len(run(documents, match))}] if run(documents, match) else [])
    faceted = run(documents, {"$facet": {"one": [match], "two": [ordered, {"$skip": skip}]}})
    assert alike(faceted, [{"one": run(documents, match), "two": whole[skip:]}])


@examples(100)
@given(asked(), st.sampled_from(["a", "b", "c", "a.x"]))
def test_groups_are_the_documents_with_equal_values(drawn, path):
    documents = drawn[0]
    groups = run(documents, {"$group": {"_id": f"${path}", "all": {"$push": "$_id"}, "n": {"$sum": 1}}})
    assert sorted(each for group in groups for each in group["all"]) == [each["_id"] for each in documents]
    keys = [order(group["_id"]) for group in groups]
    assert len(set(keys)) == len(keys)
    assert [group["n"] for group in groups] == [len(group["all"]) for group in groups]
    counts = [group["count"] for group in run(documents, {"$sortByCount": f"${path}"})]
    assert counts == sorted((group["n"] for group in groups), reverse=True)
    if "." not in path:
        for document in documents:
            (mine,) = (group for group in groups if document["_id"] in group["all"])
            assert same(mine["_id"], document.get(path))


@examples(100)
@given(asked())
def test_the_accumulators_of_a_group_say_what_their_names_say(drawn):
    documents = drawn[0]
    names = ("sum", "avg", "min", "max", "first", "last", "push", "addToSet")
    (group,) = run(documents, {"$group": {"_id": None, **{name: {f"${name}": "$a"} for name in names}}})
    found = [document["a"] for document in documents if "a" in document]
    numbers = [value for value in found if is_number(value)]
    known = [value for value in found if value is not None]
    assert alike(group["push"], found)
    assert alike([group["first"], group["last"]], [documents[0].get("a"), documents[-1].get("a")])
    assert {order(value) for value in group["addToSet"]} == {order(value) for value in found}
    assert len(group["addToSet"]) == len({order(value) for value in found})
    assert same(group["min"], min(known, key=order) if known else None)
    assert same(group["max"], max(known, key=order) if known else None)
    if all(map(is_finite, numbers)):
        total = sum(map(exact, numbers), Fraction(0))
        assert is_close(group["sum"], total)
        assert is_close(group["avg"], total / len(numbers)) if numbers else group["avg"] is None
    assert type_rank(group["sum"]) >= max(map(type_rank, numbers), default=0)


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float, Decimal128)) and not isinstance(value, bool)


def is_finite(value: Any) -> bool:
    return math.isfinite(value.to_decimal() if isinstance(value, Decimal128) else value)


def exact(value: Any) -> Fraction:
    return Fraction(value.to_decimal() if isinstance(value, Decimal128) else value)


def is_close(value: Any, wanted: Fraction) -> bool:
    return abs(exact(value) - wanted) <= abs(wanted) / 10**12


def type_rank(value: Any) -> int:
    """Sums take on the widest type of what is added: int, long, double, decimal."""
    if isinstance(value, Decimal128):
        return 3
    return 2 if isinstance(value, float) else int(isinstance(value, Int64))


@examples(100)
@given(asked(), st.sampled_from(["a", "b", "c"]), st.booleans())
def test_unwinding_gives_the_elements_in_their_order(drawn, name, keeps):
    wanted = []
    for document in drawn[0]:
        value = document.get(name)
        if isinstance(value, list):
            wanted += [{**document, name: item, "i": Int64(place)} for place, item in enumerate(value)]
            if not value and keeps:
                wanted.append({**{other: each for other, each in document.items() if other != name}, "i": None})
        elif value is not None or keeps:
            wanted.append({**document, "i": None})
    stage = {"path": f"${name}", "preserveNullAndEmptyArrays": keeps, "includeArrayIndex": "i"}
    assert alike(run(drawn[0], {"$unwind": stage}), wanted)


@examples(100)
@given(asked(), st.sampled_from("abc"), st.sampled_from("abc"))
def test_a_lookup_finds_what_a_filter_for_the_value_finds(drawn, local, foreign):
    documents = drawn[0]
    joined = run(documents, {"$lookup": {"from": "others", "localField": local, "foreignField": foreign, "as": "o"}})
    for document, result in zip(documents, joined, strict=True):
        value = document.get(local)
        several = (value or [None]) if isinstance(value, list) else [value]  # an empty array joins as null
        wanted = [other for other in documents if any(_is_at(other, foreign, each) for each in several)]
        assert alike(result, {**document, "o": wanted})


def _is_at(document: Document, name: str, value: Any) -> bool:
    """Whether an equality selects the document; a regular expression stands for itself here."""
    found = [each for each in reached(document, [name]) if each is None or name in document]
    return any(same(each, value) for each in found) or (value is None and name not in document)


@examples(100)
@given(asked(), fields)
def test_a_projection_keeps_what_was_asked_and_drops_the_rest(drawn, wanted):
    assume(not any(one != other and one.startswith(f"{other}.") for one in wanted for other in wanted))
    for document in drawn[0]:
        kept = compile_projection(dict.fromkeys(wanted, 1))(document)
        dropped = compile_projection(dict.fromkeys(wanted, 0))(document)
        assert alike(compile_projection(dict.fromkeys(wanted, 1))(kept), kept)
        assert alike(compile_projection(dict.fromkeys(wanted, 0))(dropped), dropped)
        for path in wanted:
            name, _, rest = path.partition(".")
            assert name not in dropped or rest
            if not rest:
                assert (name in kept) == (name in document)
                assert name not in document or alike(kept[name], document[name])
        untouched = {name for name in document if not any(path.split(".")[0] == name for path in wanted)}
        assert untouched - {"_id"} == set(dropped) & untouched - {"_id"}
        assert set(kept) & untouched == {"_id"}
