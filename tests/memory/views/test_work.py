"""How much work is a view, whatever a tool gave."""

import json
from collections.abc import Callable

import pytest

from memory.views import Shortener, ToolRecord, block_of, in_force, overtaken, summary_by_rules, talk_of
from tests.work import SHAPES, assert_work_grows_no_faster_than_a_text, steps

BLOB = "iVBORw0KGgo" * 7_300
LIMIT = 2_000


def show(text: str) -> None:
    record = ToolRecord("a2345678", "get", '{"id": 7}', text)
    later = ToolRecord("b2345678", "get", '{"id": 7}', f"{text} ")
    talk = talk_of([f"What of a7 is wrong? {text[:400]}"], ["What of a7 is wrong?"])
    summary_by_rules(record)
    in_force([record, later])
    overtaken([record, later])
    assert len(block_of((record,), Shortener(talk), [LIMIT]).body) <= LIMIT + 20


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_work_grows_no_faster_than_a_text(shape: Callable[[int], str]) -> None:
    assert_work_grows_no_faster_than_a_text(show, shape, 6_000)


@pytest.mark.parametrize(
    "text", ["word " * 1_000_000, BLOB * 60, "short\n" * 100_000, "[" * 100_000, '{"a": "' * 50_000]
)
def test_of_a_huge_text_little_is_looked_at(text: str) -> None:
    assert steps(lambda: show(text)) <= 4_000_000


@pytest.mark.parametrize("output", [BLOB, json.dumps({"output": BLOB}), f"logo.png:\n{BLOB}\nsaved"])
def test_a_blob_is_named_by_its_beginning_and_its_size(output: str) -> None:
    shown = block_of((ToolRecord("a2345678", "get", "{}", output),), Shortener(talk_of(["Show it"])), [LIMIT]).body
    assert f"{BLOB[:24]}… ({len(BLOB)} characters without a blank)" in shown
    assert len(shown) < 200
