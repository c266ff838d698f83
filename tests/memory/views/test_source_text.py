"""Which texts are source code, and which of their lines belong to what the conversation names?"""

import pytest

from memory.views.excerpts import excerpt, failures_in
from memory.views.relevance import talk_of
from memory.views.source_text import is_source
from tests.tool_calls import record

CHECKS = "\n\n\n".join(
    f'def check_{at}(order):\n    if order.part_{at} is None:\n        raise RefundError("no part {at}")\n'
    f"\n    return order.part_{at} * {at}"
    for at in range(40)
)
PYTHON = f"""from decimal import Decimal


class RefundError(Exception):
    pass


{CHECKS}


@cached
def net_total(order):
    total = sum(line.amount for line in order.lines)

    if total > LIMIT:
        raise RefundError("too much")
    return total.quantize(CENT)


def last():
    return 1
"""
BODY = PYTHON[PYTHON.index("@cached") : PYTHON.index("\n\n\ndef last")]
GO = "package shop\n\n" + "\n".join(
    f"func part{at}(o *Order) (int, error) {{\n\tif o == nil {{\n"
    f'\t\treturn 0, errors.New("failed {at}")\n\t}}\n\treturn {at}, nil\n}}\n'
    for at in range(40)
)


def numbered(text: str) -> str:
    return "\n".join(f"{at:4d}  {line}" for at, line in enumerate(text.splitlines(), 1))


@pytest.mark.parametrize("text", [PYTHON, GO, numbered(PYTHON), "def f(x):\n    return round(x)\n"])
def test_what_a_program_may_raise_is_no_failure(text: str) -> None:
    assert is_source(text.splitlines()) and failures_in(text) == []
    assert not record("a", text).failed and not record("a", text).reports_failure


@pytest.mark.parametrize("first", ["class RefundError(Exception):", "raise RefundError('x')", "from shop import Error"])
def test_a_text_that_begins_with_code_is_no_failure(first: str) -> None:
    assert not record("a", f"{first}\n    pass\n").failed


@pytest.mark.parametrize(
    "text",
    [
        'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    def f(x):\n    return g(x)\nError: no',
        "2026-11-25T10:03:22Z ERROR upstream: no route\nup\nup",
        "Dear Ann,\nwe regret that it is late.\nIf you need more, ask.\nYours",
        "name: web\nreplicas: 3\nimage: web:2",
    ],
)
def test_what_is_no_source(text: str) -> None:
    assert not is_source(text.splitlines())


@pytest.mark.parametrize("asked", ["Mend net_total, please", "order.net_total() is wrong", "See `net_total`"])
def test_a_function_that_is_named_stays_with_its_body(asked: str) -> None:
    assert BODY in excerpt(PYTHON, talk_of([asked]), 800)
    found = excerpt(numbered(PYTHON), talk_of([asked]), 900)
    assert all(line.strip() in found for line in BODY.splitlines())
    assert "return 17, nil" in excerpt(GO, talk_of(["Why does part17 fail?"]), 300)


def test_the_beginning_of_a_function_stays_where_there_is_no_room_for_all_of_it() -> None:
    long = "def net_total(order):\n" + "\n".join(f"    total += order.line_{at}" for at in range(90))
    found = excerpt(f"{PYTHON}\n\n{long}\n", talk_of(["net_total"]), 500)
    assert "def net_total(order):\n    total += order.line_0\n    total += order.line_1\n" in found


def test_lines_whose_numbers_were_said_stay() -> None:
    lines = numbered(PYTHON).splitlines()
    for asked in ("Mend line 57", "shop/refunds.py:57: error: unsupported operand"):
        assert lines[56] in excerpt("\n".join(lines), talk_of([asked]), 400)


def test_every_gap_is_marked_and_blank_lines_between_neighbours_stay() -> None:
    found = excerpt(PYTHON, talk_of(["net_total"]), 600).split("…")
    assert len(found) > 2
    for part in found:
        assert part.strip("\n") in PYTHON


def test_what_the_question_spells_out_stays_because_of_it() -> None:
    source = PYTHON.replace("class RefundError", 'PARTIAL_LIMIT = Decimal("0.85")\n\n\nclass RefundError')
    for asked in ("What is the partial limit of refunds, and when is an order refused?", "And which partial limits?"):
        talk = talk_of(["Why does net_total fail?", asked], [asked])
        assert 'PARTIAL_LIMIT = Decimal("0.85")' in excerpt(source, talk, 500)
    settings = "\n".join(f"part-{at}-days: {at}" for at in range(80)) + "\n  max-refund-days: 90\n" + "x: y\n" * 80
    asked = "How many are the max refund days, by part and days?"
    assert "max-refund-days: 90" in excerpt(settings, talk_of([asked], [asked]), 300)
