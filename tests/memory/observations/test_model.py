"""Answers of a model that are notes, and those that are none."""

import json

import pytest

from memory.observations.model import MOST, read_notes
from memory.observations.observation import observed

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
        '{"Findings": ["A is B"], "LESSONS ": ["Avoid C"]}',
        '{"findings": [{"content": "A is B"}], "lessons": [{"Text": "Avoid C", "score": 1}], "insights": null}',
        '{"findings": ["A is B", " ", "A  is\\nB"], "lessons": ["Avoid C"], "more": 1}',
        '[{"category": "finding", "content": "A is B"}, {"category": "Lessons", "text": "Avoid C"}]',
    ],
)
def test_notes_are_read_in_whatever_shape_they_come(answer: str) -> None:
    assert read_notes(answer) == observed(["A is B"], (), ["Avoid C"])


@pytest.mark.parametrize("answer", ['{"findings": []}', '{"findings": [], "insights": [" "], "lessons": null}'])
def test_notes_may_say_nothing(answer: str) -> None:
    assert read_notes(answer) == ()


def test_what_thinks_of_notes_is_none() -> None:
    assert read_notes('{"findings": ["A </think> is one"]}') == observed(["A </think> is one"])


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("I found nothing.", "no JSON"),
        ("", "no JSON"),
        ('{"findings": ["A is', "no JSON"),
        ('{"findings": ["\\ud800"]}', "no JSON"),
        ("{" * 10_000, "no JSON"),
        ("[" * 10_000, "no JSON"),
        ("[]", "does not say"),
        ('{"found": ["A is B"]}', "no findings, insights or lessons"),
        ("{}", "no findings, insights or lessons"),
        ('{"findings": "A is B"}', "the findings are no list"),
        ('{"findings": [1]}', "neither a text"),
        ('{"findings": [{"fact": "A is B"}]}', "neither a text"),
        ('{"findings": [{"content": 5}]}', "neither a text"),
        ('["A is B"]', "no category"),
        ('[{"category": "fact", "content": "A is B"}]', "no category"),
        ('[{"category": ["finding"], "content": "A is B"}]', "no category"),
        ('[{"category": "finding"}]', "neither a text"),
    ],
)
def test_what_are_no_notes_is_told(answer: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_notes(answer)


def test_of_many_or_long_notes_some_is_kept() -> None:
    many = read_notes(json.dumps({"findings": [f"{number} {'x y ' * 1_000}" for number in range(MOST + 5)]}))
    assert len(many) == MOST and all(len(one.content) <= 1_000 for one in many)
