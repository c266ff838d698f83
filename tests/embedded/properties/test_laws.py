"""Do filters, sorts, updates and pipelines obey their laws? For values of every type, where mongomock does not follow.

Each law is a rule of MongoDB's manual, in rules.py or said by the test's name.
"""

import copy
import math
from fractions import Fraction
from typing import Any

from bson import Decimal128, Int64, Regex
from hypothesis import assume, given
from hypothesis import strategies as st

from embedded.codec import decode, encode
from embedded.errors import StoreError
from embedded.operators.aggregating import run_pipeline
from embedded.operators.matching import compile_filter
from embedded.operators.projecting import compile_projection
from embedded.operators.updating import apply_update
from embedded.operators.values import compare
from tests.embedded.operators.bson_values import values as any_values
from tests.embedded.properties.documents import collections, directions, filters, palettes, paths, values
from tests.embedded.properties.examples import examples
from tests.embedded.properties.rules import in_order, order, reached, same, selects

Document = dict[str, Any]
fields = st.lists(st.sampled_from(["a", "b", "c", "a.x", "b.y"]), min_size=1, max_size=3, unique=True)
sorts = st.lists(st.tuples(paths, directions), min_size=1, max_size=3, unique_by=lambda pair: pair[0])
counts = st.integers(0, 4)


def asked(*wanted: Any) -> st.SearchStrategy[tuple[Any, ...]]:
    """Documents, and what else is wanted of the same few values."""
    return palettes.flatmap(lambda palette: st.tuples(collections(palette), *(each(palette) for each in wanted)))


def run(documents: list[Document], *stages: Document) -> list[Document]:
    return list(run_pipeline(copy.deepcopy(documents), list(stages), collection=lambda name: documents))


def alike(one: Any, other: Any) -> bool:
    """The same down to the types of numbers and the order of fields."""
    return encode({"": one}) == encode({"": other})


@examples(200)
@given(asked(values, values))
def test_values_compare_as_the_rules_say(drawn):
    _, a, b = drawn
    assert compare(a, b) == (order(a) > order(b)) - (order(a) < order(b))


@examples(200)
@given(
    st.dictionaries(st.text("ab$.é", max_size=3), any_values.filter(lambda value: not _undefined(value)), max_size=3)
)
def test_every_type_comes_back_from_bson_as_it_was(document):
    assert encode(decode(encode(document))) == encode(document)


def _undefined(value: Any) -> bool:
    if isinstance(value, (list, dict)):
        return any(map(_undefined, value.values() if isinstance(value, dict) else value))
    return type(value).__name__ == "_Absent"


@examples(400)
@given(asked(filters))
def test_filters_select_what_the_rules_say(drawn):
    documents, filter = drawn
    assert list(map(compile_filter(filter), documents)) == [selects(filter, document) for document in documents]


@examples(100)
@given(asked(filters, filters))
def test_and_or_and_nor_follow_de_morgan(drawn):
    documents, one, other = drawn
    for document in documents:
        both = compile_filter({"$and": [one, other]})(document)
        assert both == compile_filter({"$nor": [{"$nor": [one]}, {"$nor": [other]}]})(document)
        either = compile_filter({"$or": [one, other]})(document)
        assert either != compile_filter({"$nor": [one, other]})(document)
        assert both <= either


@examples(100)
@given(asked(lambda palette: st.lists(values(palette), max_size=3)), paths)
def test_in_is_any_of_eq_and_nin_is_its_opposite(drawn, path):
    documents, several = drawn
    for document in documents:
        inside = compile_filter({path: {"$in": several}})(document)
        assert inside == any(compile_filter({path: value})(document) for value in several)
        assert inside != compile_filter({path: {"$nin": several}})(document)
        assert inside != compile_filter({path: {"$not": {"$in": several}}})(document)


@examples(150)
@given(asked(), sorts)
def test_a_sort_is_stable_and_in_the_order_of_bson(drawn, sort):
    assert alike(run(drawn[0], {"$sort": dict(sort)}), in_order(drawn[0], sort))


@examples(100)
@given(asked(filters), sorts, counts, counts)
def test_stages_of_a_pipeline_change_places_where_that_changes_nothing(drawn, sort, skip, limit):
    documents, filter = drawn
    match, ordered = {"$match": filter}, {"$sort": dict(sort)}
    assert alike(run(documents, match, ordered), run(documents, ordered, match))
    whole = run(documents, ordered)
    assert alike(run(documents, ordered, {"$skip": skip}, {"$limit": limit + 1}), whole[skip : skip + limit + 1])
    assert alike(run(documents, ordered, {"$limit": limit + 1}, {"$skip": skip}), whole[: limit + 1][skip:])
    counted = run(documents, match, {"$count": "n"})
    assert counted == ([{"n": len(run(documents, match))}] if run(documents, match) else [])
    faceted = run(documents, {"$facet": {"one": [match], "two": [ordered, {"$skip": skip}]}})
    assert alike(faceted, [{"one": run(documents, match), "two": whole[skip:]}])


@examples(150)
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


@examples(150)
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


@examples(150)
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


@examples(150)
@given(asked(), st.sampled_from("abc"), st.sampled_from("abc"))
def test_a_lookup_finds_what_a_filter_for_the_value_finds(drawn, local, foreign):
    documents = drawn[0]
    joined = run(documents, {"$lookup": {"from": "others", "localField": local, "foreignField": foreign, "as": "o"}})
    for document, result in zip(documents, joined, strict=True):
        value = document.get(local)
        several = value if isinstance(value, list) else [value]
        wanted = [other for other in documents if any(_is_at(other, foreign, each) for each in several)]
        assert alike(result, {**document, "o": wanted})


def _is_at(document: Document, name: str, value: Any) -> bool:
    """Whether an equality selects the document; a regular expression stands for itself here."""
    found = [each for each in reached(document, [name]) if each is None or name in document]
    return any(same(each, value) for each in found) or (value is None and name not in document)


@examples(150)
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


@examples(150)
@given(asked(values), st.sampled_from(["$set", "$min", "$max", "$addToSet", "$pull", "$unset"]), st.sampled_from("abd"))
def test_these_updates_change_nothing_when_they_come_a_second_time(drawn, operator, name):
    documents, value = drawn
    for document in documents:
        once = changed(document, {operator: {name: value}})
        if once is not None:
            assert alike(changed(once, {operator: {name: value}}), once)


@examples(150)
@given(asked(values), st.sampled_from("abd"))
def test_min_and_max_are_those_of_the_order_of_bson(drawn, name):
    documents, value = drawn
    for document in documents:
        for operator, least in (("$min", True), ("$max", False)):
            after = changed(document, {operator: {name: value}})
            both = [document[name], value] if name in document else [value]
            assert after is not None
            assert same(after[name], min(both, key=order) if least else max(both, key=order))


@examples(150)
@given(
    asked(lambda palette: st.lists(values(palette), max_size=3)),
    st.none() | st.integers(-4, 4),
    st.none() | st.integers(-4, 4),
    st.none() | directions,
)
def test_a_push_puts_in_sorts_and_then_cuts(drawn, position, size, turn):
    documents, several = drawn
    clauses = {"$position": position, "$slice": size, "$sort": turn}
    operand = {"$each": several, **{name: value for name, value in clauses.items() if value is not None}}
    for document in documents:
        array = document.get("a", [])
        after = changed(document, {"$push": {"a": operand}})
        if not isinstance(array, list):
            assert after is None
            continue
        wanted = list(array)
        at = len(wanted) if position is None else position
        wanted[at:at] = several
        if turn is not None:
            wanted.sort(key=order, reverse=turn < 0)
        if size is not None:
            wanted = wanted[:size] if size >= 0 else wanted[size:]
        assert after is not None and alike(after["a"], wanted)


@examples(150)
@given(asked(values))
def test_pull_takes_out_what_equals_and_add_to_set_puts_in_what_does_not(drawn):
    documents, value = drawn
    assume(not isinstance(value, dict))  # a document is a filter to $pull
    for document in documents:
        array = document.get("a", [])
        if not isinstance(array, list):
            continue
        left = [item for item in array if not _taken(item, value)]
        assert alike(changed({**document, "a": array}, {"$pull": {"a": value}})["a"], left)
        there = any(same(item, value) for item in array)
        added = changed({**document, "a": array}, {"$addToSet": {"a": value}})["a"]
        assert alike(added, array if there else [*array, value])
        without = [item for item in array if not same(item, value)]
        assert alike(changed({**document, "a": array}, {"$pullAll": {"a": [value]}})["a"], without)


def _taken(item: Any, value: Any) -> bool:
    return selects({"": value}, {"": item}) if not isinstance(item, list) else same(item, value)


def changed(document: Document, update: Document) -> Document | None:
    """The document after an update, None where that is refused; the given one stays as it is."""
    before = encode(document)
    try:
        return apply_update(document, update, filter={})
    except StoreError as error:
        assert error.code in (2, 14), error
        return None
    finally:
        assert encode(document) == before


@examples(100)
@given(asked(filters), paths)
def test_count_and_distinct_say_what_a_find_says(store, drawn, path):
    documents, filter = drawn
    name = store.new_name()
    store.insert(name, documents)
    wanted = [document for document in documents if selects(filter, document)]
    assert store.run({"count": name, "query": filter})["n"] == len(wanted)
    assert alike(store.find(name, filter), wanted)
    if "." not in path:
        found = [document[path] for document in wanted if path in document]
        each = [item for value in found for item in (value if isinstance(value, list) else [value])]
        values = store.run({"distinct": name, "key": path, "query": filter})["values"]
        assert sorted(map(order, values)) == sorted(set(map(order, each)))
    store.run({"drop": name})


@examples(100)
@given(asked(values, values), st.sampled_from(["a", "d.x"]))
def test_an_upsert_inserts_what_its_filter_asks_for(store, drawn, path):
    _, value, other = drawn
    assume(not isinstance(value, (list, Regex)))
    name = store.new_name()
    change = {"q": {path: value, "b": {"$gt": 1}}, "u": {"$set": {"c": other}}, "upsert": True}
    store.run({"update": name, "updates": [change]})
    (made,) = store.find(name, {})
    assert selects({path: value, "c": {"$eq": other}}, made)
    assert "b" not in made
    store.run({"drop": name})
