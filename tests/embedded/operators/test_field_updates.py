"""What do updates of single fields, replacements and positional paths give?"""

import copy
import datetime
from typing import Any

import pytest
from bson import DatetimeMS, Decimal128, Int64, Timestamp

from embedded.errors import StoreError
from embedded.operators.updating import apply_update


def updated(
    document: dict[str, Any], update: Any, filter: dict[str, Any] | None = None, **options: bool
) -> dict[str, Any]:
    """The result, after a check that the document itself has not changed."""
    before = copy.deepcopy(document)
    result = apply_update(document, update, filter=filter or {}, **options)
    assert document == before
    return result


@pytest.mark.parametrize(
    ("document", "update", "expected"),
    [
        ({"a": 1}, {"$set": {"a": 2, "b": 3}}, {"a": 2, "b": 3}),
        ({}, {"$set": {"a.b.c": 1}}, {"a": {"b": {"c": 1}}}),
        ({"a": {"x": 1}}, {"$set": {"a.b": 2}}, {"a": {"x": 1, "b": 2}}),
        ({"a": [1, 2]}, {"$set": {"a.1": 9}}, {"a": [1, 9]}),
        ({"a": [1]}, {"$set": {"a.3": 9}}, {"a": [1, None, None, 9]}),
        ({"a": [{"b": 1}]}, {"$set": {"a.0.b": 2}}, {"a": [{"b": 2}]}),
        ({"a": {}}, {"$set": {"a.0": 1}}, {"a": {"0": 1}}),
        ({"a": 1, "b": 2}, {"$unset": {"a": ""}}, {"b": 2}),
        ({"a": {"b": 1, "c": 2}}, {"$unset": {"a.b": 1}}, {"a": {"c": 2}}),
        ({"a": [1, 2]}, {"$unset": {"a.0": 1}}, {"a": [None, 2]}),
        ({"a": 1}, {"$unset": {"b.c": 1, "a.x": 1}}, {"a": 1}),
        ({"a": 1}, {"$inc": {"a": 2, "b": 5}}, {"a": 3, "b": 5}),
        ({"a": 2}, {"$mul": {"a": 2.5, "b": 3}}, {"a": 5.0, "b": 0}),
        ({"a": 5}, {"$min": {"a": 3, "b": 1}}, {"a": 3, "b": 1}),
        ({"a": 5}, {"$min": {"a": 9}}, {"a": 5}),
        ({"a": 5}, {"$max": {"a": 9}}, {"a": 9}),
        ({"a": 5}, {"$max": {"a": "x"}}, {"a": "x"}),
        ({"a": 5}, {"$max": {"a": None}}, {"a": 5}),
        ({"a": 1, "b": 2}, {"$rename": {"a": "c"}}, {"b": 2, "c": 1}),
        ({"a": {"x": 1}}, {"$rename": {"a.x": "b.y"}}, {"a": {}, "b": {"y": 1}}),
        ({"a": 1, "b": 2}, {"$rename": {"a": "b"}}, {"b": 1}),
        ({"a": 1}, {"$rename": {"z": "b"}}, {"a": 1}),
        ({"a": 1}, {"$setOnInsert": {"b": 1}}, {"a": 1}),
        ({"a": 13}, {"$bit": {"a": {"and": 10}}}, {"a": 8}),
        ({"a": 1}, {"$bit": {"a": {"or": 4, "xor": 1}, "b": {"or": 2}}}, {"a": 4, "b": 2}),
        ({"a": 1}, {"$set": {}}, {"a": 1}),
        ({"a": [1, 2]}, {"$inc": {"a.$[]": 1}}, {"a": [2, 3]}),
        ({"a": [{"b": [1]}, {"b": [2, 3]}]}, {"$mul": {"a.$[].b.$[]": 10}}, {"a": [{"b": [10]}, {"b": [20, 30]}]}),
        ({"a": 1}, {"$set": {"b": {"$weird": 1}}}, {"a": 1, "b": {"$weird": 1}}),
    ],
)
def test_an_update_gives_this_document(
    document: dict[str, Any], update: dict[str, Any], expected: dict[str, Any]
) -> None:
    result = updated(document, update)
    assert result == expected
    assert list(result) == list(expected)


def test_new_fields_come_in_the_order_of_their_names_and_old_ones_stay() -> None:
    result = updated({"_id": 1, "z": 0}, {"$set": {"c": 1, "z": 1, "a": 1}, "$inc": {"b": 1}})
    assert list(result) == ["_id", "z", "a", "b", "c"]


def test_new_fields_with_numbers_for_names_come_in_numeric_order() -> None:
    assert list(updated({"n": {}}, {"$set": {"n.10": 1, "n.9": 1}})["n"]) == ["9", "10"]


def test_set_on_insert_applies_when_inserting() -> None:
    assert updated({}, {"$setOnInsert": {"b": 1}}, inserting=True) == {"b": 1}


@pytest.mark.parametrize(
    ("current", "by", "expected", "kind"),
    [
        (1, 1, 2, int),
        (2**31 - 1, 1, 2**31, Int64),
        (Int64(1), 1, 2, Int64),
        (1, Int64(1), 2, Int64),
        (1, 0.5, 1.5, float),
        (1, Decimal128("0.1"), Decimal128("1.1"), Decimal128),
        (0.1, Decimal128("0.1"), Decimal128("0.2"), Decimal128),
    ],
)
def test_the_widest_type_wins_and_an_int_that_overflows_becomes_a_long(
    current: Any, by: Any, expected: Any, kind: type
) -> None:
    result = updated({"n": current}, {"$inc": {"n": by}})["n"]
    assert result == expected
    assert type(result) is kind


def test_current_date_gives_a_date_in_milliseconds_or_a_timestamp() -> None:
    result = updated({}, {"$currentDate": {"a": True, "b": {"$type": "date"}, "c": {"$type": "timestamp"}}})
    assert abs(datetime.datetime.now(datetime.UTC).replace(tzinfo=None) - result["a"]) < datetime.timedelta(minutes=1)
    assert result["a"].microsecond % 1000 == 0
    assert isinstance(result["b"], datetime.datetime)
    assert isinstance(result["c"], Timestamp)


@pytest.mark.parametrize(
    ("filter", "document", "update", "expected"),
    [
        ({"a": 2}, {"a": [1, 2, 2]}, {"$set": {"a.$": 9}}, {"a": [1, 9, 2]}),
        ({"a": {"$gt": 1}}, {"a": [1, 2]}, {"$inc": {"a.$": 5}}, {"a": [1, 7]}),
        (
            {"a.k": "y"},
            {"a": [{"k": "x"}, {"k": "y"}]},
            {"$set": {"a.$.v": 1}},
            {"a": [{"k": "x"}, {"k": "y", "v": 1}]},
        ),
        (
            {"a": {"$elemMatch": {"k": 1, "v": 2}}},
            {"a": [{"k": 1, "v": 1}, {"k": 1, "v": 2}]},
            {"$set": {"a.$.v": 9}},
            {"a": [{"k": 1, "v": 1}, {"k": 1, "v": 9}]},
        ),
        (
            {"_id": 1, "$and": [{"d.a": 3}]},
            {"_id": 1, "d": {"a": [1, 3]}},
            {"$unset": {"d.a.$": 1}},
            {"_id": 1, "d": {"a": [1, None]}},
        ),
        ({"a": {"$in": [7, 3]}}, {"a": [1, 3]}, {"$set": {"a.$": 0}}, {"a": [1, 0]}),
    ],
)
def test_the_positional_operator_takes_the_first_element_that_matched(
    filter: Any, document: Any, update: Any, expected: Any
) -> None:
    assert updated(document, update, filter) == expected


def test_a_replacement_keeps_the_id_in_front() -> None:
    assert list(updated({"_id": 1, "a": 1}, {"b": 2, "c": 3}).items()) == [("_id", 1), ("b", 2), ("c", 3)]
    assert list(updated({"_id": 1, "a": 1}, {"b": 2, "_id": 1}).items()) == [("_id", 1), ("b", 2)]
    assert updated({"_id": 1, "a": 1}, {}) == {"_id": 1}


def test_setting_the_id_to_what_it_is_changes_nothing() -> None:
    assert updated({"_id": 1}, {"$set": {"_id": 1, "a": 1}}) == {"_id": 1, "a": 1}


def test_dates_ints_and_ids_survive_beside_a_push() -> None:
    day = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    result = updated(
        {"_id": 5, "l": []}, {"$set": {"at": day, "ms": DatetimeMS(1)}, "$push": {"l": {"$each": [{"t": day}]}}}
    )
    assert result == {"_id": 5, "l": [{"t": day}], "at": day, "ms": DatetimeMS(1)}


@pytest.mark.parametrize(
    ("document", "update", "code"),
    [
        ({}, {"$foo": {"a": 1}}, 9),
        ({}, {"$set": {"a": 1}, "b": 2}, 9),
        ({}, {"$set": 1}, 9),
        ({}, {"b": 1, "$set": {"a": 1}}, 52),
        ({}, {"$set": {"$a": 1}}, 52),
        ({}, {"$set": {"a..b": 1}}, 56),
        ({}, {"$set": {"": 1}}, 56),
        ({}, {"$set": {"a": 1}, "$inc": {"a": 1}}, 40),
        ({}, {"$set": {"a": 1, "a.b": 1}}, 40),
        ({}, {"$set": {"a.b": 1}, "$unset": {"a": 1}}, 40),
        ({}, {"$rename": {"a": "b"}, "$set": {"b": 1}}, 40),
        ({"_id": 1}, {"$set": {"_id": 2}}, 66),
        ({"_id": 1}, {"$set": {"_id": True}}, 66),
        ({"_id": 1}, {"$set": {"_id": "1"}}, 66),
        ({"_id": 1}, {"$unset": {"_id": 1}}, 66),
        ({"_id": 1}, {"_id": 2, "a": 1}, 66),
        ({"a": "x"}, {"$inc": {"a": 1}}, 14),
        ({"a": None}, {"$inc": {"a": 1}}, 14),
        ({"a": True}, {"$inc": {"a": 1}}, 14),
        ({"a": 1}, {"$inc": {"a": "x"}}, 14),
        ({"a": 1}, {"$mul": {"a": True}}, 14),
        ({"a": 2**63 - 1}, {"$inc": {"a": 1}}, 2),
        ({"a": 5}, {"$set": {"a.b": 1}}, 28),
        ({"a": None}, {"$set": {"a.b": 1}}, 28),
        ({"a": [1]}, {"$set": {"a.x": 1}}, 28),
        ({"a": [1]}, {"$set": {"a.2000000": 1}}, 2),
        ({"a": 1}, {"$rename": {"a": 5}}, 2),
        ({"a": 1}, {"$rename": {"a": "a"}}, 2),
        ({"a": [{"b": 1}]}, {"$rename": {"a.0.b": "c"}}, 2),
        ({"a": 1}, {"$currentDate": {"a": "now"}}, 2),
        ({"a": 1.5}, {"$bit": {"a": {"and": 1}}}, 2),
        ({"a": 1}, {"$bit": {"a": {"not": 1}}}, 2),
        ({"a": 1}, {"$bit": {"a": 1}}, 2),
        ({"a": [1]}, {"$set": {"a.$": 1}}, 2),
        ({"a": 1}, {"$set": {"a.$[]": 1}}, 2),
        ({}, {"$set": {"a.$[]": 1}}, 2),
        ({"a": [1]}, {"$set": {"a.$[x]": 1}}, 2),
        ({}, [{"$match": {"a": 1}}], 72),
    ],
)
def test_wrong_updates_are_refused(document: dict[str, Any], update: Any, code: int) -> None:
    with pytest.raises(StoreError) as raised:
        updated(document, update)
    assert raised.value.code == code


def test_a_conflict_is_explained() -> None:
    with pytest.raises(StoreError, match=r"Updating the path 'a\.b' would create a conflict at 'a'"):
        updated({}, {"$set": {"a": 1, "a.b": 2}})
