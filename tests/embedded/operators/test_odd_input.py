"""Every operator answers odd values with a result or an error of the store, and nothing else."""

import contextlib
from typing import Any

import bson
from hypothesis import given, settings
from hypothesis import strategies as st

from embedded.codec import decode, encode
from embedded.errors import StoreError
from embedded.operators import edits, expressions, matching, projecting, updating
from embedded.operators.values import MISSING, UNDEFINED
from tests.embedded.operators.bson_values import close_values, values

odd = (values | close_values).filter(lambda value: UNDEFINED is not value and "UNDEFINED" not in repr(value))
fields = st.sampled_from(["a", "b", "a.b", "a.0", "a.0.b", "_id"])
documents = st.fixed_dictionaries({}, optional={"_id": odd, "a": odd, "b": odd})
filter_operators = st.sampled_from([*sorted(matching._OPERATORS), "$regex", "$options"])
update_operators = st.sampled_from(sorted(edits.OPERATORS))
expression_operators = st.sampled_from(
    sorted(expressions._OPERATORS.keys() | expressions._FORMS.keys() | expressions.ACCUMULATIONS.keys())
)
operands = odd.map(lambda value: {"$literal": value}) | st.sampled_from(["$a", "$b", "$a.b", "$missing", [], {}])
named = st.sampled_from(
    [
        "date",
        "input",
        "in",
        "cond",
        "as",
        "to",
        "unit",
        "timezone",
        "format",
        "binSize",
        "chars",
        "regex",
        "initialValue",
    ]
)


def can_be_stored(value: Any) -> bool:
    return value is MISSING or bool(bson.encode({"value": value}))


@settings(max_examples=600, deadline=None)
@given(
    documents, st.dictionaries(fields, st.dictionaries(filter_operators, odd | st.lists(odd, max_size=2)), max_size=2)
)
def test_a_filter_answers_yes_no_or_an_error(document: dict[str, Any], filter: dict[str, Any]) -> None:
    with contextlib.suppress(StoreError):
        assert matching.compile_filter(filter)(document) in (True, False)


@settings(max_examples=600, deadline=None)
@given(documents, st.dictionaries(update_operators, st.dictionaries(fields, odd, max_size=2), max_size=2))
def test_an_update_gives_what_can_be_stored_or_an_error(document: dict[str, Any], update: dict[str, Any]) -> None:
    with contextlib.suppress(StoreError):
        assert can_be_stored(updating.apply_update(document, update, filter={}))


@settings(max_examples=800, deadline=None)
@given(documents, st.dictionaries(update_operators, st.dictionaries(fields, odd, max_size=2), max_size=2))
def test_an_updated_document_is_what_its_bytes_are_read_as(document: dict[str, Any], update: dict[str, Any]) -> None:
    """So that the store may go on with it instead of decoding it."""
    stored, asked = decode(encode({"_id": 0, **document})), decode(encode(update))
    with contextlib.suppress(StoreError):
        updated = updating.apply_update(stored, asked, filter={})
        assert told(updated) == told(decode(encode(updated)))


def told(value: Any) -> object:
    """The value with all its types."""
    if isinstance(value, dict):
        return type(value), [(name, told(part)) for name, part in value.items()]
    if isinstance(value, list):
        return type(value), [told(part) for part in value]
    return type(value), repr(value)


@settings(max_examples=800, deadline=None)
@given(
    documents,
    expression_operators,
    operands | st.lists(operands, max_size=3) | st.dictionaries(named, operands, max_size=3),
)
def test_an_expression_gives_a_value_or_an_error(document: dict[str, Any], operator: str, operand: Any) -> None:
    with contextlib.suppress(StoreError):
        expression = expressions.compile_expression({operator: operand})
        assert can_be_stored(expression({"ROOT": document, "CURRENT": document}))


@settings(max_examples=300, deadline=None)
@given(documents, st.dictionaries(fields, odd, max_size=3))
def test_a_projection_gives_what_can_be_stored_or_an_error(document: dict[str, Any], spec: dict[str, Any]) -> None:
    with contextlib.suppress(StoreError):
        assert can_be_stored(projecting.compile_projection(spec)(document))
