"""How much work a view is, whatever a tool gave."""

import json
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from memory.views import Shortener, ToolRecord, block_of, in_force, overtaken, summary_by_rules, talk_of

BLOB = "iVBORw0KGgo" * 7_300
LIMIT = 2_000
PIECES = [
    *(
        "QUJD",
        " ",
        "a b ",
        "a\n",
        "\n",
        "(",
        "[",
        '{"a":',
        '"',
        "'",
        "``",
        "<",
        "<p>",
        "</p>",
        "<!--",
        "| a | b\n",
        "a,b\n",
    ),
    *(
        "-",
        "=",
        ".",
        "error ",
        "x = ",
        "    x\n",
        "1",
        "{\n",
        "é",
        "def f(\n",
        "at x.y(\n",
        "\\",
        "a.b:",
        "12:00 ERROR x\n",
    ),
]
SHAPES: list[Callable[[int], str]] = [
    lambda size: json.dumps(["QUJD" * (size // 4)]),
    lambda size: json.dumps([{"id": f"a{at}", "at": at} for at in range(size // 24)]),
    lambda size: json.dumps([{f"k{at}": at} for at in range(size // 16)]),
    lambda size: json.dumps({f"key-{at}": {"state": "ok"} for at in range(size // 32)}),
    lambda size: "[" * size + "]" * size,
    lambda size: "".join(f"{' ' * (at % 40)}k{at}\n" for at in range(size // 20)),
]


def work(text: str) -> int:
    """How many functions are called to show a text in a view, those in C included."""
    calls = 0

    def counting(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    record = ToolRecord("a2345678", "get", '{"id": 7}', text)
    later = ToolRecord("b2345678", "get", '{"id": 7}', f"{text} ")
    talk = talk_of([f"What of a7 is wrong? {text[:400]}"], ["What of a7 is wrong?"])
    sys.setprofile(counting)
    try:
        summary_by_rules(record)
        in_force([record, later])
        overtaken([record, later])
        block = block_of((record,), Shortener(talk), [LIMIT])
    finally:
        sys.setprofile(None)
    assert len(block.body) <= LIMIT + 20
    return calls


@pytest.mark.parametrize("piece", [*PIECES, *SHAPES])
def test_work_grows_no_faster_than_a_text(piece: str | Callable[[int], str]) -> None:
    once, thrice = ((piece * size)[:size] if isinstance(piece, str) else piece(size) for size in (8_000, 24_000))
    assert work(thrice) <= 4 * work(once) + 3_000


@pytest.mark.parametrize(
    "text", ["word " * 1_000_000, BLOB * 60, "short\n" * 100_000, "[" * 100_000, '{"a": "' * 50_000]
)
def test_of_a_huge_text_little_is_looked_at(text: str) -> None:
    assert work(text) <= 4_000_000


@pytest.mark.parametrize("output", [BLOB, json.dumps({"output": BLOB}), f"logo.png:\n{BLOB}\nsaved"])
def test_a_blob_is_named_by_its_beginning_and_its_size(output: str) -> None:
    shown = block_of((ToolRecord("a2345678", "get", "{}", output),), Shortener(talk_of(["Show it"])), [LIMIT]).body
    assert f"{BLOB[:24]}… ({len(BLOB)} characters without a blank)" in shown
    assert len(shown) < 200
