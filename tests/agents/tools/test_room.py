"""What a view holds whose budget has room for more."""

import json

import pytest

from agents.tools.budget import tokens_of
from agents.tools.view import ViewOptions
from tests.tool_calls import Message, call, calling, context, result, step, user
from tests.tool_views import LONG, known, view

pytestmark = pytest.mark.usefixtures("no_history_is_little")

CONTACTS = {
    "contacts": [
        {"id": f"con_{at}", "phone": f"+49 221 99887{at}", "role": "buyer", "remarks": LONG[:80]} for at in range(6)
    ]
}
SAID = {"role": "assistant", "content": "The yard is closed on Mondays, so the crane comes on Tuesday. " * 4}


def history() -> list[Message]:
    return [
        user("Who buys?"),
        *step(1, CONTACTS),
        SAID,
        user("Now book AB1234 for the move of the old press"),
        *step(2, "x " * 900),
        *step(3),
    ]


def test_without_a_budget_and_with_just_so_much_nothing_is_added() -> None:
    plain = view(history())
    assert "+49 221" not in context(plain) and "crane comes" not in str(plain)
    assert view(history(), ViewOptions(3, 2_000, tokens_of(plain))) == plain


def test_what_the_agent_said_comes_first_and_then_all_fields_of_records() -> None:
    plain = tokens_of(view(history()))
    words = view(history(), ViewOptions(3, 2_000, plain + 80))
    assert SAID in words and "+49 221" not in context(words)
    every = view(history(), ViewOptions(3, 2_000, 5_000))
    assert SAID in every and "+49 221 998875" in context(every) and "Left out" not in context(every)


def test_the_most_relevant_records_are_whole_first() -> None:
    others = {"yards": [{"id": f"pl_{at}", "fax": f"+33 1 40200{at}", "use": "store"} for at in range(6)]}
    messages = [user("Who buys?"), *step(1, CONTACTS), *step(2, others, "places"), *step(3)]
    plain = tokens_of(view(messages))

    def told(room: int, *ranked: str) -> tuple[bool, bool]:
        found = context(view(messages, ViewOptions(3, 2_000, room), ranked=ranked))
        return "+49 221 998875" in found, "+33 1 402005" in found

    rooms = range(plain, plain + 300, 10)
    assert {told(room, "c1------", "c2------") for room in rooms} == {(False, False), (True, False), (True, True)}
    assert {told(room, "c2------", "c1------") for room in rooms} == {(False, False), (False, True), (True, True)}


def test_records_take_more_characters_than_usual_unless_a_cap_was_asked_for() -> None:
    text = "\n".join(f"line {at} of the file" for at in range(300))
    messages = [user("Read it"), *step(1, text), *step(2)]
    assert "line 150 " in context(view(messages, ViewOptions(3, 500, 50_000)))
    capped = context(view(messages, ViewOptions(3, 500, 50_000, capped=True)))
    assert "line 150 " not in capped and len(capped) < 800


def test_what_changed_a_thing_is_shown_before_what_it_was() -> None:
    order = {"order_id": "W1002", "status": "pending", "note": LONG[:120]}
    messages = [
        user("Change it"),
        *step(1, order, "get_order", order_id="W1002"),
        *step(2, {"done": True, "by": LONG[:170]}, "modify_order", order_id="W1002"),
        *[one for at in range(3, 8) for one in step(at, {f"field{at}": f"HAT{at:03}", "text": LONG[:150]})],
        *step(9),
    ]
    ranked = ("c1------",)
    shown = 0
    for budget in range(120, tokens_of(view(messages)), 10):
        found = context(view(messages, ViewOptions(3, 2_000, budget), ranked=ranked)).partition("Not shown")[0]
        shown += "pending" in found
        assert "pending" not in found or "modify_order" in found
    assert shown


def test_of_a_last_result_that_is_cut_the_fields_stay_that_are_asked_for() -> None:
    person = {
        "user_id": "mara_lind_4471",
        "address": {"street": "Hauptstrasse 4", "zip": "20144", "city": "Hamburg"},
        **{f"remark_{at}": f"a note of {at}" for at in range(20)},
        "payment_methods": [{"id": "pm_1", "type": "paypal"}, {"id": "pm_2", "type": "gift_card", "balance": 28.0}],
    }
    messages = [
        user("Who am I?"),
        *step(1),
        user("What remains on my gift card?"),
        calling(call("c2", "find_user")),
        result("c2", json.dumps(person)),
    ]
    whole = tokens_of(view(messages))
    last = view(messages, ViewOptions(3, 2_000, whole - 140))[-1]["content"]
    assert len(last) < len(json.dumps(person)) - 100
    assert "mara_lind_4471" in last and "balance=28.0" in last and "a note of 19" not in last


def test_of_a_long_message_what_the_last_question_speaks_of_stays() -> None:
    rules = "\n".join(f"{at}. Field f{at:03} must have at most {at * 11} characters." for at in range(60))
    messages = [user("Write a validator"), user(rules), *step(1), user("What is the limit of field f037?"), *step(2)]
    found = view(messages, ViewOptions(3, 2_000, 150))
    assert tokens_of(found) <= 150
    assert "37. Field f037 must have at most 407 characters." in str(found) and "f021" not in str(found)
    assert known(messages).messages[1]["content"] == rules
