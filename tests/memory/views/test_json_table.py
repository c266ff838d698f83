"""JSON values of one shape become a table."""

from collections.abc import Callable, Mapping
from json import dumps
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.views.json_table import Table, table_of
from memory.views.json_values import EVERYTHING, PartOfList, Scalar, scalars, written


class Keeping:
    """Keeps what a test says. `asked`: the key of an object that is asked for."""

    def __init__(self, keeps: Callable[[str, Scalar], bool], asked: str = "", named: str = "-") -> None:
        self._named = named
        self.keeps = keeps
        self._asked = asked

    def asks_for(self, key: str) -> bool:
        return key == self._asked

    def name_of(self, item: Mapping[str, Any]) -> str | None:
        return self._named if self._named in item.values() else None


NOTHING = Keeping(lambda *_: False)


def table(*values: Any) -> Table:
    return table_of(values, EVERYTHING)


def test_what_is_the_same_in_all_rows_stands_once_before_them() -> None:
    assert table({"id": 1, "day": "mon"}, {"id": 2, "day": "mon"}) == Table("day=mon", "id", ("1", "2"))


def test_a_row_that_is_the_only_one_names_its_fields() -> None:
    assert table({"id": 1, "names": ["a", "b"], "open": True}) == Table(rows=("id=1, names=a,b, open=true",))


def test_a_field_that_an_object_has_not_is_an_empty_cell() -> None:
    assert table({"a": 1, "b": 2}, {"b": 3}) == Table("", "a|b", ("1|2", "|3"))
    assert table({"a": 1}, {"a": None}) == Table("", "a", ("1", ""))


def test_fields_of_which_nothing_is_kept_are_left_out() -> None:
    kept = table_of([{"id": "a", "note": "x"}, {"id": "b", "note": "y"}], Keeping(lambda key, _: key == "id"))
    assert kept == Table("", "id", ("a", "b"))
    assert table_of([{"id": "a"}, {"id": "b"}], NOTHING) == Table("", "", ("", ""))
    assert table_of(["x", "y"], NOTHING) == Table(rows=("", ""))


def test_a_column_is_kept_whole_where_one_of_its_values_is() -> None:
    kept = table_of([{"id": "a"}, {"id": "b"}], Keeping(lambda _, value: value == "b"))
    assert kept.rows == ("a", "b")


def test_lists_of_objects_are_a_column_whose_head_names_their_fields() -> None:
    legs = [{"number": "HAT1", "date": "21"}, {"number": "HAT2", "date": "22"}]
    assert table({"id": 1, "flights": legs}, {"id": 2, "flights": legs[:1]}) == Table(
        "", "id|flights(number|date)", ("1|HAT1|21; HAT2|22", "2|HAT1|21")
    )
    assert table({"flights": legs}) == Table(rows=("flights(number|date)=HAT1|21; HAT2|22",))


def test_one_object_in_a_cell_names_its_fields_itself() -> None:
    assert table({"user": {"name": "Ann", "age": 7}}).rows == ("user={name=Ann, age=7}",)
    assert table({"id": 1, "user": {"name": "Ann"}}, {"id": 2}).rows == ("1|{name=Ann}", "2|")


def test_what_is_called_by_a_name_needs_no_more() -> None:
    named = [
        {"id": f"v{at}", "name": name, "kind": "ab"[at % 2]} for at, name in enumerate(["Lamp", "Desk", "Mug", "Tee"])
    ]
    assert table_of([named], Keeping(lambda key, _: key in ("id", "name"))).head == "id|name"


def test_an_object_that_is_named_has_all_its_fields_behind_its_row() -> None:
    items = [{"id": f"p{at}", "price": at + 0.5, "n": at} for at in range(9)]
    by_id = Keeping(lambda key, _: key == "id", named="p7")
    items = [
        {**one, "own": {"a": 1, "b": 2, "c": 3 + at}, "lines": [{"x": 1}, {"x": 2}]} for at, one in enumerate(items)
    ]
    [row] = table_of([{"all": items}], by_id).rows
    assert row.endswith("; p6; p7 {price=7.5, n=7, own={a=1, b=2, c=10}}; p8")
    assert table_of([items], Keeping(by_id.keeps, named="p77")).rows == ("p0; p1; p2; p3; p4; p5; p6; p7; p8",)
    first, then = table_of([items[5:], [one | {"n": 0} for one in items]], by_id).rows
    assert "{" not in first and "p7 {price=7.5, n=0, own={a=1, b=2, c=10}}" in then  # once, as it was told last
    many = Keeping(by_id.keeps, named="Bo")
    assert "{" not in table_of([[one | {"of": f"Bo{at}"} for at, one in enumerate(items)]], many).rows[0]


def test_of_an_object_that_is_asked_for_all_values_are_kept() -> None:
    fares = {"fares": {"economy": 90, "first": 400}, "seats": {"economy": 3}}
    assert table_of([fares], Keeping(NOTHING.keeps, "fares")).rows == ("fares={economy=90, first=400}",)
    deeper = {"fares": {"economy": {"net": 90}}}
    assert table_of([deeper], Keeping(NOTHING.keeps, "fares")).rows == ("",)


def test_objects_that_share_next_to_nothing_are_no_table() -> None:
    days = [{f"day-{at}": at} for at in range(9)]
    assert table({"days": days}).rows == ("days=" + "; ".join(f'{{"day-{at}":{at}}}' for at in range(9)),)


def test_lists_of_lists_of_objects_keep_what_belongs_together() -> None:
    trips = [[{"no": "A"}, {"no": "B"}], [{"no": "C"}]]
    assert table(trips) == Table("", "no", ("A + B; C",))
    assert table({"trips": trips}).rows == ("trips(no)=A + B; C",)
    kept = table_of([[[{"no": 1}], [{"no": 1}]]], NOTHING)
    assert kept == Table(rows=("",))


def test_objects_under_ids_of_their_own_are_rows() -> None:
    cards = {"card_1": {"id": "card_1", "sum": 3}, "card_2": {"id": "card_2", "sum": 4}}
    assert table({"cards": cards}).rows == ("cards(id|sum)=card_1|3; card_2|4",)
    kinds = {"57": {"item_id": "57", "sum": 3}, "58": {"item_id": "58", "sum": 4}}
    assert table({"kinds": kinds}).rows == ("kinds(item_id|sum)=57|3; 58|4",)
    seats = {"front": {"free": 3}, "back": {"free": 4}}
    assert table({"seats": seats}).rows == ("seats(key|free)=front|3; back|4",)


def test_objects_of_different_shapes_under_keys_stay_fields() -> None:
    found = table({"it": {"a": {"x": 1}, "b": {"y": 2}, "c": {"z": 3}}})
    assert found.rows == ("it={a={x=1}, b={y=2}, c={z=3}}",)
    assert table({"it": {"a": {"x": 1, "y": 2}}}).rows == ("it={a={x=1, y=2}}",)


@pytest.mark.parametrize(
    ("value", "row"),
    [
        ([[1, 2], [3]], "[1,2],[3]"),
        ([1, {"a": 2}, [3], None, "x"], '1,{"a":2},[3],,x'),
        ([], ""),
        ({}, ""),
        ([[], []], ""),
        ([{}, {}], ""),
        (True, "true"),
        (1.5, "1.5"),
        (10**30, str(10**30)),
        ("", ""),
        (None, ""),
    ],
)
def test_odd_values_have_a_row(value: Any, row: str) -> None:
    assert table(value).rows == (row,)


def test_values_of_different_kinds_under_a_key_are_written_as_json() -> None:
    assert table({"a": []}, {"a": {}}, {"a": 1}) == Table("", "a", ("[]", "{}", "1"))
    assert table({"a": [{"b": 1}]}, {}, {"a": 2}).rows == ('[{"b":1}]', "", "2")


@pytest.mark.parametrize("text", ["a|b", "a;b", "a\nb", "a\rb", "a + b", "a->b"])
def test_a_text_that_could_be_taken_for_several_is_quoted(text: str) -> None:
    assert written(text).startswith('"') and "\n" not in written(text)
    head = table({text: 1}, {text: 2}).head
    assert head == written(text)
    for nested in ([1], {"x": 1}, [{"x": 1}, {"x": 2}], [{"x": 1}, {"x": 1}]):
        assert table({text: nested}).rows[0].startswith(written(text))


def test_texts_are_written_as_they_are() -> None:
    assert [written(value) for value in ("a b", "naïve “x”", "", None, False, 2.0)] == [
        "a b", "naïve “x”", "", "", "false", "2.0",
    ]  # fmt: skip


def test_every_scalar_comes_with_the_key_that_it_stands_under() -> None:
    assert list(scalars({"a": [1, {"b": None}], "c": {"d": "x"}})) == [("a", 1), ("b", None), ("d", "x")]
    assert list(scalars("x", "k")) == [("k", "x")]


leaf = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5)
)
json_values = st.recursive(
    leaf,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=20,
)


@given(st.lists(json_values, min_size=1, max_size=5))
def test_any_values_have_one_row_each(values: list[Any]) -> None:
    found = table(*values)
    assert len(found.rows) == len(values)
    assert not any("\n" in text for text in (found.common, found.head, *found.rows))


@given(st.lists(st.dictionaries(st.sampled_from("abc"), json_values, max_size=3), min_size=1, max_size=4))
def test_no_text_that_objects_hold_is_lost(values: list[Mapping[str, Any]]) -> None:
    found = table(*values)
    whole = "\n".join((found.common, found.head, *found.rows))
    for value in values:
        for key, one in scalars(value):
            ways = {written(one), dumps(one, ensure_ascii=False).strip('"')}
            assert not EVERYTHING.keeps(key, one) or any(way in whole for way in ways)


def test_objects_that_differ_from_row_to_row_are_written_as_they_are() -> None:
    bags = {"cabin": {"kg": 8}, "checked": {"kg": 23}}
    table = table_of([{"id": 1, "bags": bags}, {"id": 2, "bags": "none"}], EVERYTHING)
    assert table.rows == ('1|{"cabin":{"kg":8},"checked":{"kg":23}}', "2|none")


@pytest.mark.timeout(10)
def test_what_is_nested_deeply_takes_no_longer_for_each_level() -> None:
    value: dict[str, Any] = {"id": "k", "x": 1}
    for _ in range(18):
        value = {"id": "k", "a": {"k": value}}
    found = table([value, value])
    assert "x=1" in found.head and found.rows == ("×2",)


def test_a_part_of_a_list_says_how_many_there_are() -> None:
    items = [{"id": at, "state": "up"} for at in range(9)]
    assert table({"x": PartOfList(items[3:5], items)}).rows == ("x(state=up id)=3; 4; … 7 more",)
    assert table({"x": items[3:5]}).rows == ("x(state=up id)=3; 4",)
    assert table({"x": PartOfList(items[3:4], items)}).rows == ("x={id=3, state=up}; … 8 more",)
    assert table({"x": PartOfList([7, 8], list(range(9)))}).rows == ("x=7,8,… 7 more",)
    assert table({"x": PartOfList(items, items)}).rows == table({"x": items}).rows


def test_of_pairs_in_a_list_both_are_shown() -> None:
    series = [{"t": f"14:{at:02}", "v": 210 - at} for at in range(2)]
    assert table_of([{"series": series}], NOTHING).rows == ("series(t|v)=14:00|210; 14:01|209",)


def test_of_an_amount_and_its_unit_both_are_shown_or_neither() -> None:
    priced = [{"sku": f"S{at}", "x": at, "price": {"amount": 10 * at, "currency": "EUR"}} for at in range(3)]
    unit = Keeping(lambda key, _: key in ("sku", "currency"))
    assert table_of([{"all": priced}], unit).rows == ("all(sku|price(currency=EUR amount))=S0|0; S1|10; S2|20",)
    assert table_of([{"all": priced}], Keeping(lambda key, _: key == "sku")).rows == ("all(sku)=S0; S1; S2",)


def test_what_objects_in_a_list_have_in_common_stands_once() -> None:
    priced = [
        {"sku": f"S{at}", "x": at, "price": {"net": 10 * at, "gross": 12 * at, "currency": "EUR"}} for at in range(4)
    ]
    keep = Keeping(lambda key, _: key in ("sku", "currency"))
    expected = "all(price={currency=EUR} sku)=S0; S1"
    assert table_of([{"all": priced[:2]}], keep).rows == (expected,)
    assert table_of([{"all": PartOfList(priced[:2], priced)}], keep).rows == (f"{expected}; … 2 more",)


def test_a_part_of_objects_of_no_common_shape_says_how_many_there_are() -> None:
    odd = [{f"k{at}": at, f"l{at}": at} for at in range(9)]
    assert table({"x": PartOfList(odd[:6], odd)}).rows[0].endswith("; … 3 more")


def test_parts_of_lists_within_lists_say_how_many_more_there_are() -> None:
    legs = [{"from": f"A{at}", "to": f"B{at}", "gate": at} for at in range(9)]
    [row] = table_of([{"trips": [PartOfList(legs[:2], legs), PartOfList(legs[:1], legs)]}], EVERYTHING).rows
    assert row == "trips(from|to|gate)=A0|B0|0 + A1|B1|1 + … 7 more; A0|B0|0 + … 8 more"
    [row] = table_of([{"codes": [PartOfList([1, 2], [1, 2, 3]), PartOfList([4], [4, 5, 6])]}], EVERYTHING).rows
    assert row == "codes=[1,2,… 1 more],[4,… 2 more]"
    rows = table_of([{"a": PartOfList(["x"], ["x", "y"])}, {"a": "text"}], EVERYTHING).rows
    assert rows == ('["x",… 1 more]', "text")


def test_objects_under_keys_keep_these_whatever_their_own_fields_are_called() -> None:
    hosts = {"prod": {"key": "k1", "up": 1}, "test": {"key": "k2", "up": 2}}
    assert table_of([{"hosts": hosts}], EVERYTHING).rows == ("hosts(id|key|up)=prod|k1|1; test|k2|2",)
    both = {name: {"id": at, **host} for at, (name, host) in enumerate(hosts.items())}
    [row] = table_of([{"hosts": both}], EVERYTHING).rows
    assert "prod" in row and "test" in row and "k1" in row and "k2" in row


def test_a_text_with_what_stands_between_values_stands_in_quotation_marks() -> None:
    assert table_of([{"tags": ["a,b", "c"]}, {"tags": ["a", "b,c"]}], EVERYTHING).rows == ('"a,b",c', 'a,"b,c"')
    [row] = table_of([{"name": "x, status=paid", "status": "open"}], EVERYTHING).rows
    assert row == 'name="x, status=paid", status=open'
    assert table_of([{"at": "Oslo, Norway"}], EVERYTHING).rows == ("at=Oslo, Norway",)


def test_a_table_that_would_be_empty_for_the_most_part_is_none() -> None:
    found = table_of([{f"u{at}": at} for at in range(20)], EVERYTHING)
    assert (found.common, found.head, found.rows[:2]) == ("", "", ('{"u0":0}', '{"u1":1}'))
