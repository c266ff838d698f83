"""Long texts of any kind take no longer than they have to wherever views of agents read them."""

import base64

import pytest

from agents.tools.budget import estimated
from agents.tools.conversation import closing, digest, leans_on
from memory.views.excerpts import excerpt
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
def test_each_reader_takes_time_by_the_length_alone(run: str) -> None:
    text = run * (LENGTH // len(run)) + "!"
    for read in (estimated, closing, digest, read_json):
        read(text)  # type: ignore[operator]
    leans_on(text, text)
    talk = talk_of([text], [text])
    excerpt(text, talk, 2_000)
    talk.keeps(text, text)
    records = [record("a", text, "run", command=text), record("b", text, "run", command=text)]
    overtaken(in_force(records))


@pytest.mark.parametrize("told", [BLOB, {"name": "x.png", "data": BLOB}])
def test_an_unbroken_word_is_named_with_its_size(told: object) -> None:
    shown = context(view([user("What is in the data of x.png?"), *step(1, told), *step(2, "dull " * 300), *step(3)]))
    assert f"… ({len(BLOB)} characters without a blank)" in shown and BLOB[:24] in shown and len(shown) < 3_000
