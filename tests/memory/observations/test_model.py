"""Answers of a model that are notes, and those that are none."""

import json

import pytest

from memory.observations.observation import observed
from memory.observations.observer import MOST, read_notes

NOTE = '{"findings": ["A is B"], "insights": [], "lessons": ["Avoid C"]}'


@pytest.mark.parametrize(
    "answer",
    [
        NOTE,
        f"Here you are:\n```json\n{NOTE}\n```\nDone.",
        f"{NOTE}\n\nNote: {{x}} and [y] were left out.",
        f"{NOTE} {NOTE}",
        f'<think>{{maybe}} {{"findings": []}}</think>{NOTE}',
        f"Let me see. [1] says so.\n</thinking>\n\n{NOTE}",
        f"As [1] and {{this}} say: {NOTE}",
        '{"findings": ["A is B", " ", "A  is\\nB"], "lessons": ["Avoid C"], "insights": null, "more": 1}',
    ],
)
def test_notes_are_read_whatever_stands_around_them(answer: str) -> None:
    assert read_notes(answer) == observed(["A is B"], (), ["Avoid C"])


@pytest.mark.parametrize("answer", ['{"findings": []}', '{"findings": [], "insights": [" "], "lessons": null}'])
def test_notes_may_say_nothing(answer: str) -> None:
    assert read_notes(answer) == ()


def test_what_thinks_of_notes_is_none() -> None:
    assert read_notes('{"findings": ["A </think> is one"]}') == observed(["A </think> is one"])


@pytest.mark.parametrize(
    "answer",
    [
        *("I found nothing.", "", '{"findings": ["A is', '{"findings": ["\\ud800"]}', "{" * 10_000, "[" * 10_000),
        *("[]", "{}", '{"found": ["A is B"]}', '{"findings": "A is B"}', '{"findings": [1]}', '["A is B"]'),
    ],
)
def test_what_are_no_notes_is_told(answer: str) -> None:
    with pytest.raises(ValueError, match="no findings, insights or lessons"):
        read_notes(answer)


def test_of_many_or_long_notes_some_is_kept() -> None:
    many = read_notes(json.dumps({"findings": [f"{number} {'x y ' * 1_000}" for number in range(MOST + 5)]}))
    assert len(many) == MOST and all(len(one.content) <= 1_000 for one in many)
