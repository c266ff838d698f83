"""Is a table between commas seen as one, and do its rows hold what stands in them?"""

import pytest

from memory.views.excerpts import excerpt
from memory.views.relevance import talk_of
from memory.views.separated import rows_of

SALES = ["day,region,product,revenue", *(f"2026-0{1 + at % 9}-01,R{at % 4},P{at % 10},{at}.50" for at in range(60))]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_rows_have_their_fields_by_name_and_numbers_as_such(separator: str) -> None:
    lines = [separator.join(("id", "who", "sum")), *[separator.join(("7", " Ann ", "-1.5"))] * 3]
    assert rows_of(lines) == [{"id": 7, "who": "Ann", "sum": -1.5}] * 3


def test_a_field_in_quotation_marks_may_have_the_separator() -> None:
    assert rows_of(["a,b,c", *['1,"x, y",2'] * 3]) == [{"a": 1, "b": "x, y", "c": 2}] * 3


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ["a,b", *["1,2"] * 9],  # a sentence has as many
        ["a,b,c", "1,2", *["3"] * 9],
        ["1,2,3", *["4,5,6"] * 9],  # no names
        ["a,a,b", *["1,2,3"] * 9],
        ["Meeting, Tuesday, Ann and Bob", "a, b, c"],
        ["First, she said, it rained.", "Then it did not."],
        ["a,b,c", *["1," + "x" * 200_000 + ",3"] * 3],
    ],
)
def test_other_texts_are_no_tables(lines: list[str]) -> None:
    assert rows_of(lines) is None


@pytest.mark.parametrize("said", ["What is the row with the negative revenue?", "P6 on 2026-09-01 in R1?"])
def test_of_a_long_table_the_odd_row_and_what_is_named_stay_below_the_head(said: str) -> None:
    odd = "2026-09-01,R1,P6,-120.50"
    found = excerpt("\n".join([*SALES[:40], odd, *SALES[40:]]), talk_of([said]), 300).splitlines()
    assert found[0] == SALES[0]
    assert odd in found


def test_of_a_long_table_the_highest_row_stays() -> None:
    lines = [SALES[0], *sorted(SALES[1:], key=lambda line: line[-5:])]
    high = "2026-05-01,R3,P1,9100.00"
    lines.insert(30, high)
    assert high in excerpt("\n".join(lines), talk_of([], ["the highest revenue"]), 300).splitlines()


def test_of_a_long_log_between_commas_the_failure_stays() -> None:
    lines = ["time,host,message", *(f"10:{at:02}:00,web-{at % 3},served request {at}" for at in range(60))]
    lines.insert(31, "10:31:30,web-1,FATAL ERROR: connection refused to db-7")
    assert lines[31] in excerpt("\n".join(lines), talk_of(["why does it not work?"]), 300).splitlines()
