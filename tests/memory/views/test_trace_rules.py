"""What a summary without a language model says."""

import json
from typing import Any

import pytest

from memory.views.records import ToolRecord
from memory.views.trace_rules import LONGEST, summary_by_rules


def summary(output: Any, **arguments: Any) -> str:
    text = output if isinstance(output, str) else json.dumps(output)
    return summary_by_rules(ToolRecord("t", "search", json.dumps(arguments), text))


def test_it_names_the_call_the_fields_and_the_identifiers() -> None:
    assert summary({"order": "W123", "state": "paid"}, user="ann_17", all=True) == (
        "search(user=ann_17, all=true) returned order, state: ann_17, W123, paid"
    )


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("", "nothing"),
        ("All is well", "All is well"),
        ("\n  total 12\n\na.txt\nb.txt\n", "total 12"),
        ("  All is well\n", "All is well"),
        ('{"a": NaN}', '{"a": NaN}'),
        ("{}", "nothing"),
        ("[]", "nothing"),
        ("null", "nothing"),
        ("12", "12"),
        ("true", "true"),
        ("[1, 2]", "2 values"),
        ('[{"a": 1, "b": 2}, {"a": 3}]', "2 × a, b"),
        (json.dumps(dict.fromkeys("abcdefghij", 1)), "a, b, c, d, e, f, g, h, …"),
        (json.dumps(dict.fromkeys("abcdefgh", 1)), "a, b, c, d, e, f, g, h"),
    ],
)
def test_what_came_back_is_described(output: str, said: str) -> None:
    assert summary(output) == f"search() returned {said}"


def test_what_it_is_found_by_is_told_once() -> None:
    output = [
        {"name": "Ann Lee", "card": "card_12"},
        {"name": "Ann Lee", "note": "likes figs", "n": 7, "x": ""},
    ]
    assert summary(output) == "search() returned 2 × name, card: card_12, Ann Lee, likes figs"


def test_identifiers_in_the_middle_of_a_text_are_told() -> None:
    found = summary(f"{'It begins. ' * 20} Then (HAT136), and HAT200. {'It ends.' * 10} HAT136")
    assert found.endswith("…: HAT136, HAT200")


def test_identifiers_behind_the_first_line_are_told() -> None:
    assert summary("Two are full.\nHAT136 and\nHAT200") == ("search() returned Two are full.: HAT136, HAT200")


def test_identifiers_are_told_without_what_stands_around_them() -> None:
    found = summary("3 hits:\n./docs/api2.md:40: see (HAT136), `.env2` and 'HAT200'.\n../b1.py:7:")
    assert found.removeprefix("search() returned 3 hits:: ") == "./docs/api2.md:40, HAT136, .env2, HAT200, ../b1.py:7"


def test_it_stays_short_on_one_line() -> None:
    for output in ("many words\n" * 1_000, [f"HAT{number}" for number in range(1_000)]):
        found = summary(output, query="long words " * 500)
        assert len(found) <= LONGEST == 400
        assert "\n" not in found
        assert len(found.split(") returned")[0]) <= len("search(") + 120
    assert summary("words " * 100).endswith("words…")


def test_arguments_that_are_no_json_are_told() -> None:
    assert summary_by_rules(ToolRecord("t", "f", "no json", "")) == "f(no json) returned nothing"
    assert summary_by_rules(ToolRecord("t", "f", "", "")) == "f() returned nothing"
