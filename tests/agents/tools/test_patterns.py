"""Long texts of any kind take no longer than they have to wherever views of agents read them."""

import base64
import json
from time import perf_counter

import pytest

from agents.tools.budget import estimated
from agents.tools.conversation import closing, digest, findings_in, picked, points_at
from agents.tools.view import ViewOptions
from memory.views.excerpts import excerpt, failures_in
from memory.views.records import read_json
from memory.views.relevance import talk_of
from memory.views.standing import in_force, overtaken
from tests.tool_calls import context, record, step, user
from tests.tool_views import view

LENGTH = 50_000
RUNS = ("a", "1", "A1", "_", " ", "\n", ".", "-", "*", "'", '"', "\\", "(", "[", "{", '{"a":', "a.", "a ", "a\n", "1. ",
        "(a) ", "a=", "and ", "yes! ", "if (", "error ", "<p>", "a: b\n", "\t", "│", "x@", "/", "0.0 ",
        "2024-01-01T")  # fmt: skip
BLOB = base64.b64encode(bytes(at * 7919 % 251 for at in range(60_000))).decode()


@pytest.mark.timeout(60)
@pytest.mark.parametrize("run", RUNS)
def test_a_text_that_repeats_itself_is_packed_at_once(run: str) -> None:
    text = run * (LENGTH // len(run)) + "!"
    began = perf_counter()
    for told in (text, {"field": text}):
        messages = [user(f"What of it? {text[:200]}"), *step(1, told), *step(2, {"ok": True}), *step(3)]
        assert len(json.dumps(view(messages, ViewOptions(3, 2_000, 2_400)))) < 40_000
    assert perf_counter() - began < 30


@pytest.mark.timeout(60)
@pytest.mark.parametrize("run", RUNS)
def test_each_reader_takes_time_by_the_length_alone(run: str) -> None:
    text = run * (LENGTH // len(run)) + "!"
    began = perf_counter()
    for read in (estimated, closing, findings_in, failures_in, read_json):
        read(text)  # type: ignore[operator]
    digest(text, "the second")
    points_at(text, text)
    picked("the second", text)
    talk = talk_of([text], [text])
    excerpt(text, talk, 2_000)
    talk.keeps(text, text)
    records = [record("a", text, "run", command=text), record("b", text, "run", command=text)]
    overtaken(in_force(records))
    assert perf_counter() - began < 30


@pytest.mark.parametrize(
    "told", [BLOB, {"name": "x.png", "data": BLOB}, "\n".join(["short"] * LENGTH), "word " * 1_000_000, "a" * 80_000]
)
@pytest.mark.timeout(60)
def test_a_result_of_no_use_beside_two_small_ones_costs_next_to_nothing(told: object) -> None:
    began = perf_counter()
    shown = context(view([user("Read the picture x.png"), *step(1, told), *step(2, {"ok": True}), *step(3)]))
    assert perf_counter() - began < 5 and len(shown) < 3_000


@pytest.mark.parametrize("told", [BLOB, {"name": "x.png", "data": BLOB}])
def test_an_unbroken_word_is_named_with_its_size(told: object) -> None:
    shown = context(view([user("What is in the data of x.png?"), *step(1, told), *step(2, "dull " * 300), *step(3)]))
    assert f"… ({len(BLOB)} characters without a blank)" in shown and BLOB[:24] in shown and len(shown) < 3_000
