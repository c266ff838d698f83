"""Comparison, filters, counts and distinct values obey their laws, for values of every type.

The laws are those of MongoDB's manual: its order of types and values, what a path reaches, and that operators are one
another's opposites. rules.py has them in full.
"""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from embedded.codec import decode, encode
from embedded.operators.matching import compile_filter
from embedded.operators.values import compare
from tests.embedded.operators.bson_values import values as any_values
from tests.embedded.properties.documents import alike, asked, filters, paths, values
from tests.embedded.properties.examples import examples
from tests.embedded.properties.rules import order, selects


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


@examples(250)
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
