"""Updates obey their laws, for values of every type.

An operator changes nothing when it comes a second time; a changed document's bytes are those of writing it whole;
`$min` and `$max` follow the order of BSON; `$push` puts in, then sorts, then cuts; arrays are sets by equality to
`$addToSet`, `$pull` and `$pullAll`.
"""

from typing import Any

from bson import Regex
from hypothesis import assume, given
from hypothesis import strategies as st

from embedded.codec import decode, encode
from embedded.commands.changing import fresh_parts
from embedded.errors import StoreError
from embedded.operators.updating import apply_update
from embedded.splicing import encode_changed
from tests.embedded.properties.documents import Document, alike, asked, directions, values
from tests.embedded.properties.examples import examples
from tests.embedded.properties.rules import order, same, selects


@examples(100)
@given(asked(values), st.sampled_from(["$set", "$min", "$max", "$addToSet", "$pull", "$unset"]), st.sampled_from("abd"))
def test_these_updates_change_nothing_when_they_come_a_second_time(drawn, operator, name):
    documents, value = drawn
    for document in documents:
        once = changed(document, {operator: {name: value}})
        if once is not None:
            assert alike(changed(once, {operator: {name: value}}), once)


@examples(150)
@given(
    asked(values, values, lambda palette: st.lists(values(palette), min_size=1, max_size=3)),
    st.sampled_from(["$set", "$min", "$max", "$addToSet", "$pull", "$unset", "$push", "$rename", "replace"]),
    st.sampled_from(["a", "b", "d", "a.x", "b.0"]),
    st.none() | st.integers(-3, 3),
)
def test_a_changed_document_is_written_as_if_it_were_written_whole(drawn, operator, path, size):
    documents, value, other, several = drawn
    operand = {"$push": {"$each": several} | ({} if size is None else {"$slice": size}), "$rename": "n"}.get(
        operator, value
    )
    update = {"b": other, "a": value} if operator == "replace" else {operator: {path: operand}}
    for document in documents:
        raw = encode(document)
        old = decode(raw)
        after = changed(old, update)
        if after is not None:
            assert encode_changed(raw, old, after) == encode(after)


@examples(150)
@given(
    asked(values, values),
    st.sampled_from(["$set", "$push", "$addToSet", "$rename", "wrap", "gather"]),
    st.sampled_from(["a", "b", "d", "a.x", "b.0", "a.x.y", "d.0.x"]),
)
def test_what_is_new_in_a_document_is_too_deep_where_the_document_is(drawn, operator, path):
    documents, value, _ = drawn
    update = {"wrap": [{"$replaceWith": {"a": "$$ROOT"}}], "gather": [{"$set": {"a": ["$a", "$b"]}}]}.get(
        operator, {operator: {path: "n" if operator == "$rename" else value}}
    )
    for document in documents:
        for most in range(1, 6):
            old = decode(encode(document))
            after = changed(old, update) if depth(old) <= most else None
            if after is not None:
                assert (depth(after) <= most) == (depth(fresh_parts(old, after)) <= most)


@examples(100)
@given(asked(values), st.sampled_from("abd"))
def test_min_and_max_are_those_of_the_order_of_bson(drawn, name):
    documents, value = drawn
    for document in documents:
        for operator, least in (("$min", True), ("$max", False)):
            after = changed(document, {operator: {name: value}})
            both = [document[name], value] if name in document else [value]
            assert after is not None
            assert same(after[name], min(both, key=order) if least else max(both, key=order))


@examples(100)
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


@examples(100)
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
        assert error.code in (2, 14, 28), error
        return None
    finally:
        assert encode(document) == before


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


def depth(value: Any) -> int:
    """How many documents and arrays stand in each other."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inside is None else 1 + max(map(depth, inside), default=0)
