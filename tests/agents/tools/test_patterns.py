"""Do long texts of any kind take no longer than they have to where the tool memory looks for patterns in them?"""

from collections.abc import Callable
from datetime import date
from time import perf_counter

import pytest

from agents.tools.digest import agrees, digest, findings_in, picks_item, points_at
from memory.views.asked_fields import asking_part, has_limit, is_in_order, key_words
from memory.views.commands import parts_of
from memory.views.days import Days, days_in, today_in
from memory.views.effects import only_reads
from memory.views.names import does, kinds_of, reads, words_of
from memory.views.places import canonical, is_place, without_query
from memory.views.records import Record
from memory.views.sql import changed_none, is_sql, statements_of
from memory.views.things import told_of
from tests.tool_calls import record

LENGTH = 100_000
RUNS = (
    ("", "a"),
    ("", "1"),
    ("", "_"),
    ("", " "),
    ("", "\n"),
    ("", "."),
    ("", "-"),
    ("", "*"),
    ("", "'"),
    ("", '"'),
    ("", "\\"),
    ("", "("),
    ("", "/**/"),
    ("", "/*"),
    ("", "--\n"),
    ("", "a."),
    ("", "a "),
    ("", "A1"),
    ("", "a=''"),
    ("", "from a "),
    ("", "update "),
    ("", "<<a\n"),
    ("", "1. "),
    ("", "12 to "),
    ("", "and "),
    ("", "(a) "),
    ("", "yes! "),
    ("under", " "),
    ("under 1", " "),
    ("option", " "),
    ("<<a\n", "\n"),
    ("<<", "a"),
    ("with a", " "),
    ("update a set ", "a"),
    ("select a from b where c in (", "1,"),
    ("select a from b", " "),
)  # what a text begins with, and what it says again and again


def a_call(text: str) -> Record:
    return record("a", text, "run", command=text)


READERS: tuple[Callable[[str], object], ...] = (
    is_sql, statements_of, changed_none, parts_of, words_of, reads, kinds_of, lambda text: does((text,)), canonical,
    without_query, lambda text: is_place(text, text[:20]), lambda text: is_place("path", text), key_words, asking_part,
    has_limit, is_in_order, lambda text: days_in(text, date(2026, 11, 26)), today_in, lambda text: Days().has(text),
    lambda text: only_reads(a_call(text)), lambda text: list(told_of(a_call(text))),
    lambda text: only_reads(record("a", "", "http", method="POST", url=f"https://x.org/{text}")),
    lambda text: points_at(text, text), lambda text: agrees("yes", text), lambda text: picks_item(text, text),
    lambda text: digest(text, "the second"), findings_in,
)  # fmt: skip


@pytest.mark.timeout(20)
@pytest.mark.parametrize("read", READERS)
def test_long_texts_take_no_longer(read: Callable[[str], object]) -> None:
    began = perf_counter()
    for before, run in RUNS:
        read(before + run * (LENGTH // len(run)) + "!")
    assert perf_counter() - began < 20
