"""Values of a tool's result that the next step may need."""

from typing import Any

import pytest

from memory.views.relevance import SMALL, talk_of

TALK = talk_of(["I want a window seat to Rome, order 4711, to Ann@example.org", "It leaves at 10:30; priority?"])


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("code", "HAT136"),
        ("any", "rome"),  # was said
        ("any", "a Window"),  # a word of it was
        ("count", 4711),
        ("error", "nothing of it was said"),
        ("message", "nor of this"),
        ("detail", 5),
        ("leaves", "10:30"),
        ("mail", "ann@EXAMPLE.org"),
        ("id", 7),
        ("user_id", 98),
        ("orderId", "x"),
        ("priority", True),
        ("priority", False),
        ("number", "4711"),
    ],
)
def test_what_may_be_needed_is_kept(key: str, value: Any) -> None:
    assert TALK.keeps(key, value)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("any", None),
        ("error", ""),
        ("any", "Paris"),
        ("count", 12),
        ("leaves", "11:45"),
        ("mail", "bob1@example.org"),
        ("zip", "99887"),
        ("created_at", "2024-05-21"),
        ("updatedAt", "2024-05-21T10"),
        ("modified", "2024-05-21"),
        ("is_open", True),
        ("user_id", True),
        ("user_id", None),
        ("paid", "yes"),
        ("valid", "no"),
    ],
)
def test_what_nobody_asked_for_is_not(key: str, value: Any) -> None:
    assert not TALK.keeps(key, value)


def test_a_date_that_is_no_stamp_is_kept() -> None:
    assert TALK.keeps("date", "2024-05-21") and TALK.keeps("created_by", "user_17")


def test_words_are_compared_whole_and_whatever_their_case() -> None:
    assert TALK.mentions("ROME") and TALK.mentions("the order")
    assert not TALK.mentions("romeo") and not TALK.mentions("an") and not TALK.mentions(47)
    assert talk_of(["STRASSE"]).mentions("Straße")


def test_what_was_said_in_the_plural_names_one_of_them_too() -> None:
    assert talk_of(["Refunds of 0 refund everything"]).mentions("def refund(self, invoice):")
    assert talk_of(["All gateways fail"]).mentions("gateway")
    assert not talk_of(["This has class"]).mentions("clas")


@pytest.mark.parametrize(
    ("asked", "key"),
    [
        ("Which is the highest CPU?", "cpu"),
        ("Compare mileage_km", "mileage_km"),
        ("What do they weigh in kg? The weights, please", "netWeight"),
        ("the total", "total_price"),
        ("the class?", "class"),
    ],
)
def test_a_field_that_is_named_is_kept(asked: str, key: str) -> None:
    talk = talk_of(["Hello", asked], asked=[asked])
    assert talk.asks_for(key) and talk.keeps(key, 7) and talk.keeps(key, "so")
    assert not talk.keeps(key, None) and not talk.keeps("other", 7)


def test_a_field_that_was_named_before_or_by_little_words_is_not() -> None:
    talk = talk_of(["Which price?", "And from where is it?"], asked=["And from where is it?"])
    assert not talk.asks_for("price") and not talk.asks_for("from") and not talk.asks_for("is_it")
    assert SMALL == 160


@pytest.mark.parametrize(
    ("asked", "key"),
    [
        ("Which is the cheapest?", "unitPrice"),
        ("How much is the difference?", "total"),
        ("What is their sum?", "amount"),
        ("Can I get my money back?", "refundable"),
        ("What can you ship today?", "available"),
        ("What does each hotel cost?", "from_price"),
    ],
)
def test_a_question_asks_for_fields_that_it_does_not_name(asked: str, key: str) -> None:
    talk = talk_of([asked], [asked])
    assert talk.keeps(key, 5)
    assert not talk_of(["What is it?"], ["What is it?"]).keeps(key, 5)


def test_whatever_is_asked_states_are_kept() -> None:
    assert TALK.keeps("status", "shipped") and TALK.keeps("state", "open")


def test_names_are_those_of_the_last_question() -> None:
    assert talk_of(["tenant T-1000"], ["why does it fail for tenant T-4411, 20 times?"]).names == ("T-4411",)


def test_of_many_names_the_last_are_meant() -> None:
    said = " ".join(f"ORD-{at:05}" for at in range(9_000))
    assert talk_of([said], [said]).names == tuple(f"ORD-{at:05}" for at in range(8_950, 9_000))


@pytest.mark.parametrize(
    "value", ["https://x.org/about", "src/main.py", "README.md", "~/notes", "./run", "/etc", "docs/", ".env"]
)
def test_addresses_and_files_are_kept(value: str) -> None:
    assert talk_of([""]).keeps("to", value)


@pytest.mark.parametrize("value", ["and so on", "N/A", "e.g.", "1/2", "x" * 600 + "/y", "a@b.org"])
def test_what_only_looks_so_is_not(value: str) -> None:
    assert not talk_of([""]).keeps("to", value)


def test_the_hour_that_is_asked_for_names_times() -> None:
    talk = talk_of([""], ["Book the night one, with my gift card"])
    assert talk.keeps("scheduled_departure_time_est", "01:00:00") and talk.keeps("amount", 42)
    assert not talk_of([""], ["Book it"]).keeps("scheduled_departure_time_est", "01:00:00")


def test_whether_there_is_more_to_fetch_is_kept() -> None:
    talk = talk_of(["List all admins"])
    assert all(talk.keeps(key, 7) for key in ("pages", "next_offset", "nextCursor", "has_more", "total_pages"))
    assert not talk.keeps("page_size", 7)


def test_words_within_an_identifier_were_not_said() -> None:
    talk = talk_of(["I am ann_lee_3668, and my parcel is at prod-rome-7"])
    assert not talk.mentions("Ann") and not talk.mentions("of 3668")
    assert talk.keeps("any", "ann_lee_3668") and talk.mentions("the Rome office")
    assert talk_of(["Ann is ann_lee_3668"]).mentions("Ann")


def test_an_identifier_of_several_words_was_said_as_a_whole() -> None:
    talk = talk_of(["What is line_total_2 in (orders_v2)?"], ["What is line_total_2 in (orders_v2)?"])
    assert talk.mentions("SELECT * FROM orders_v2") and not talk.mentions("SELECT * FROM orders")
    assert talk.names_field("line_total_2") and not talk.names_field("line_total_3")


def test_the_first_of_several_asks_for_no_first_name() -> None:
    talk = talk_of(["Take the first option"], ["Take the first option"])
    assert not talk.keeps("first_name", "Bo") and talk.keeps("first", "Bo")
    assert talk_of(["What is his name?"], ["What is his name?"]).keeps("first_name", "Bo")


def test_what_the_task_compares_is_told_after_another_question_too() -> None:
    later = talk_of(["Change to the cheapest one, please.", "Which seats are free?"], asked=["Which seats are free?"])
    never = talk_of(["Change to another one, please.", "Which seats are free?"], asked=["Which seats are free?"])
    assert later.keeps("price", 233) and not never.keeps("price", 233)


@pytest.mark.parametrize("key", ["version", "revision", "build", "file_version"])
def test_numbers_of_versions_are_told(key: str) -> None:
    talk = talk_of(["Restore the file as it was before."])
    assert talk.keeps(key, 7) and not talk.keeps("weight", 7)


@pytest.mark.parametrize("key", ["zip", "zip_code", "postal_code", "postcode", "PLZ"])
def test_a_postal_code_is_kept_where_it_was_said(key: str) -> None:
    assert not talk_of(["Send it home"]).keeps(key, "LS14")
    assert talk_of(["Send it to LS14."]).keeps(key, "LS14")
