"""What a tool gave, and whether it tells of a failure."""

import json
from typing import Any

import pytest

from memory.views.records import DEEPEST, ToolRecord, read_json
from tests.tool_calls import record


@pytest.mark.parametrize(
    "text",
    ["", "plain", "{", "[1,]",
     "NaN", '{"a": NaN}', '{"a": -Infinity}', '{"a": 1e999}', '{"a": "\\ud800"}', '["\\uDC00x"]',
     '{"a": ' + "9" * 5_000 + "}", "[" * 100_000, "[" * (DEEPEST + 1) + "]" * (DEEPEST + 1)],
)  # fmt: skip
def test_what_is_no_json_that_can_be_carried_on_is_taken_as_text(text: str) -> None:
    assert read_json(text) is text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('"a"', "a"),
        ("null", None),
        (" [1] ", [1]),
        ('{"a": 123456789012345678901234567890}', {"a": 123456789012345678901234567890}),
        ('"\\ud83d\\ude00"', "😀"),
        ('"\\\\ud800"', "\\ud800"),
        ("[" * DEEPEST + "]" * DEEPEST, json.loads("[" * DEEPEST + "]" * DEEPEST)),
    ],
)
def test_json_is_read(text: str, value: Any) -> None:
    assert read_json(text) == value


def test_arguments_that_are_no_object_stand_under_a_key_of_their_own() -> None:
    assert ToolRecord("a", "f", "not json", "").arguments == {"_raw": "not json"}
    assert ToolRecord("a", "f", "[1]", "").arguments == {"_raw": "[1]"}
    assert ToolRecord("a", "f", "", "").arguments == {}


@pytest.mark.parametrize("text", ["timeout: 30\nretries: 3", "timeout = 30", "the jury is out"])
def test_what_only_has_a_word_of_it_is_none(text: str) -> None:
    assert not record("a", text).failed


@pytest.mark.parametrize(
    ("output", "tells"),
    [
        ("Error: no such file", True),
        ({"error": "no such order"}, True),
        ({"batch": 3, "status": "failed"}, True),
        ({"batch": 3, "errors": ["row 7"]}, True),
        ({"batch": 2, "status": "ok"}, False),
        ("", False),
        ({}, False),
        ([], False),
        ("3 rows", False),
        ({"status": 3}, False),
        ("log = logger()\nif level == ERROR:\n    raise ERROR", False),
        ("3 notes\n2026-11-20 the team spoke of the ERROR page", False),
    ],
)
def test_what_tells_of_failure(output: object, tells: bool) -> None:
    assert record("a", output).reports_failure is tells
