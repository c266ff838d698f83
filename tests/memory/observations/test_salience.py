"""Which lines of an output matter, and how long it takes to tell."""

from collections.abc import Callable

import pytest

from memory.observations import notes
from memory.observations.notes import MOST_OF_A_MODEL, observe_by_rules, output_for_model
from memory.observations.salience import Rank, lines_in, rank_of
from tests.work import SHAPES, assert_work_grows_no_faster_than_a_text, steps


@pytest.mark.parametrize(
    ("line", "rank"),
    [
        ("Suites: 3 passed, 1 failed", Rank.TOTAL),
        ("ok=14 changed=2 unreachable=0 failed=0", Rank.TOTAL),
        ("Overall result: rejected", Rank.TOTAL),
        ("Deployment failed", Rank.TOTAL),
        ("KeyError: 'tenant'", Rank.ERROR),
        ("shop.PoolTimeoutException: no slot for 30 s", Rank.ERROR),
        ("rsync: permission denied on /srv/www", Rank.ERROR),
        ("fatal: not a git repository", Rank.ERROR),
        ("ошибка: нет места на диске", Rank.ERROR),
        ('"GET /cart HTTP/1.1" 502 310', Rank.ERROR),
        ("the queue orders-v1 will be deleted", Rank.ERROR),
        ('"GET /favicon.ico HTTP/1.1" 404 12', Rank.VALUE),
        ("WARN disk at 91 %", Rank.VALUE),
        ("0 errors", Rank.TOTAL),
        ("compiled without any errors", Rank.PLAIN),
        ("errors: none", Rank.PLAIN),
        ("Did it fail?", Rank.PLAIN),
        ("Fetching chunk 7...", Rank.PROGRESS),
        ("✓ adds to the cart", Rank.PROGRESS),
        ("The gateway runs nginx", Rank.PLAIN),
    ],
)
def test_a_line_is_ranked_by_what_it_says(line: str, rank: Rank) -> None:
    assert rank_of(line) is rank


@pytest.mark.parametrize(
    ("output", "error"),
    [
        (
            "Traceback (most recent call last):\n  File \"jobs/run.py\", line 12, in go\n    pay(x)\nKeyError: 'id'",
            "KeyError: 'id' (jobs/run.py:12)",
        ),
        (
            "error[E0382]: borrow of moved value\n   --> src/queue.rs:41:9\n    |\n41  |   let x = y;",
            "error[E0382]: borrow of moved value (src/queue.rs:41:9)",
        ),
        ("web/app.vue\n   12:3   error   Unexpected var", "web/app.vue:12:3 error Unexpected var"),
        (
            "AssertionError: wrong total\n    expected: 41\n    received: 42\nnext",
            "AssertionError: wrong total; expected: 41; received: 42",
        ),
        (
            "java.io.IOException: broken pipe\n\tat shop.Pay.send(Pay.java:88)\n\tat shop.Main.go(Main.java:3)",
            "java.io.IOException: broken pipe (Pay.java:88)",
        ),
        ("E       assert 3 == 4\ntests/test_sum.py:9: AssertionError", "assert 3 == 4 (tests/test_sum.py:9)"),
    ],
)
def test_an_error_comes_with_its_place_and_what_explains_it(output: str, error: str) -> None:
    [first, *_] = [line.text for line in lines_in(output) if line.rank is Rank.ERROR]
    assert first == error


def test_entries_of_a_log_that_say_that_something_goes_on_are_left_out() -> None:
    entries = [f"2026-05-02 10:00:0{second} INFO took job {second}" for second in range(5)]
    said = lines_in("\n".join([*entries, "2026-05-02 10:00:06 ERROR job 5: no disk", "2026-05-02 10:00:07 WARN slow"]))
    assert [line.text for line in said] == ["ERROR job 5: no disk", "WARN slow"]


def test_a_model_reads_the_lines_of_a_long_text_that_matter() -> None:
    lines = [f"batch {number} of rows went through the sieve" for number in range(3_000)]
    lines[1_700] = "ERROR sieve 4: no space left"
    shown = output_for_model("\n".join(lines))
    assert len(shown) <= MOST_OF_A_MODEL
    assert all(line in shown for line in (lines[0], lines[1_700], lines[-1]))


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_work_grows_no_faster_than_a_text(shape: Callable[[int], str]) -> None:
    assert_work_grows_no_faster_than_a_text(observe_by_rules, shape, 2_000)


@pytest.mark.parametrize("shape", ["documents", "tasks", "bracket lines", "a blob"])
def test_of_a_huge_text_no_more_is_read_than_of_a_long_one(monkeypatch: pytest.MonkeyPatch, shape: str) -> None:
    monkeypatch.setattr(notes, "READ", 9_000)
    long, huge = (SHAPES[shape](size) for size in (9_000, 90_000))
    assert steps(lambda: observe_by_rules(huge)) <= 2 * steps(lambda: observe_by_rules(long)) + 3_000
    assert len(output_for_model(huge)) <= MOST_OF_A_MODEL


def test_a_huge_text_of_many_lines_or_of_one_is_read_at_both_ends() -> None:
    lines = [f"worker {number} took {number} jobs of the queue" for number in range(100_000)]
    lines[0], lines[-1] = "KeyError: 'first'", "KeyError: 'last'"
    assert [one.content for one in observe_by_rules("\n".join(lines))][:2] == [lines[0], lines[-1]]
    assert observe_by_rules("word " * 1_000_000) == ()
