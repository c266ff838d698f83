"""Which messages does an agent's next step get?"""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents import tool_view
from agents.tool_digest import closing
from agents.tool_messages import HEADING, interactions
from agents.tool_view import RULE, Step, ViewOptions, tokens_of, view_of
from memory.tool_records import Record
from tests.tool_calls import BOOK, Message, call, calling, context, result, step, steps, user
from utils.errors import InvalidInput

ALL = ViewOptions(top_k=3, max_chars=2_000)
SYSTEM = {"role": "system", "content": "Be brief."}
LONG = "lorem ipsum dolor sit amet " * 40


@pytest.fixture(autouse=True, scope="module")
def _no_history_is_little() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tool_view, "LITTLE", 0)
        yield


def known(messages: list[Message], ranked: tuple[str, ...] = (), summary: str = "") -> Step:
    """A step whose records have the ids of their calls, padded."""
    found = interactions(messages)
    records = [
        Record(each.call_id.ljust(8, "-"), each.tool_name, each.arguments, each.content, summary)
        for one in found
        for each in one.results
    ]
    first = len(records) - len(found[-1].results)
    return Step(tuple(messages), found[-1], tuple(records[first:]), tuple(records[:first]), ranked)


def view(messages: list[Message], options: ViewOptions = ALL, **more: Any) -> list[Message]:
    return [dict(message) for message in view_of(known(messages, **more), options)]


def test_the_user_the_records_and_the_last_interaction_stand_in_this_order() -> None:
    messages = [SYSTEM, user(BOOK), *step(1), *step(2)]
    found = view(messages)
    assert [one["role"] for one in found] == ["system", "user", "system", "assistant", "tool"]
    assert found[:2] == messages[:2] and found[3:] == messages[4:]
    assert found[2]["content"].startswith(f"{HEADING}\n[RETRIEVED RECORD 1]\n")


def test_a_record_has_a_summary_and_raw_data() -> None:
    messages = [user(BOOK), *step(1, {"code": "HAT136"}), *step(2, "text HAT200"), *step(3)]
    assert context(view(messages, ranked=("c2------", "c1------"))) == (
        "## Retrieved Context from Previous Steps\n"
        "[RETRIEVED RECORD 1]\nSummary: find(n=2)\nRaw Data: c2------: text HAT200\n"
        "-------------------\n"
        "[RETRIEVED RECORD 2]\nSummary: find(n=1)\nRaw Data: c1------: code=HAT136"
    )
    assert RULE == "-------------------"


def test_the_observers_summary_stands_in_the_record() -> None:
    found = context(view([user(BOOK), *step(1), *step(2)], summary="Flight HAT001 is full."))
    assert "Summary: find(n=1)\nFlight HAT001 is full.\nRaw Data: " in found


def shapes(count: int) -> list[Message]:
    return [message for at in range(count) for message in step(at, {f"field{at}": f"HAT{at:03}"})]


def test_what_the_last_results_show_anew_is_not_in_the_records() -> None:
    old = {"order_id": "W1", "to": "Ann", "state": "open"}
    new = old | {"state": "paid"}
    messages = [user(BOOK), *step(1, old, "pay"), *step(2, new)]
    assert view(messages) == [user(BOOK), *step(2, new)]


def test_top_k_tables_are_retrieved_records_the_others_stand_after_them() -> None:
    messages = [user(BOOK), *shapes(6)]
    found = context(view(messages, ViewOptions(2, 2_000), ranked=("c3------", "c1------")))
    head, others = found.split("[OTHER RECORDS]")
    assert head.count("[RETRIEVED RECORD") == 2
    assert head.index("c3------") < head.index("c1------")
    assert [f"c{at}------" in others for at in range(5)] == [True, False, True, False, True]
    assert others.index("c4------") < others.index("c2------") < others.index("c0------")  # the newest first
    assert "[OTHER RECORDS]" not in context(view(messages, ViewOptions(5, 2_000)))
    assert context(view(messages, ViewOptions(5, 2_000))).count("[RETRIEVED RECORD") == 5


def test_what_is_left_out_of_records_is_named() -> None:
    output = {"code": "HAT1"} | dict.fromkeys(("aa", "bb", "cc", "dd", "ee"), LONG)
    assert context(view([user(BOOK), *step(1, output), *step(2)])).endswith("\nLeft out: aa, +4")
    output = {"code": "HAT1"} | dict.fromkeys(("aa", "bb"), LONG)
    assert context(view([user(BOOK), *step(1, output), *step(2)])).endswith("\nLeft out: aa, +1")


def test_of_few_results_nothing_is_left_out() -> None:
    output = {"code": "HAT1"} | dict.fromkeys(("aa", "bb"), LONG[:300])
    assert len(json.dumps(output)) < 700
    assert context(view([user(BOOK), *step(1, output), *step(2)])).count(LONG[:300].strip()) == 2
    assert LONG[:300] not in context(view([user(BOOK), *step(1, output), *step(3, "dull " * 50), *step(2)]))


def test_fields_that_the_user_or_the_query_names_last_are_shown() -> None:
    rows = [message for at in range(9) for message in step(at, {"truck_id": f"T{at}", "mileage_km": at, "note": LONG})]
    messages = [
        user("Compare all of them by note, please, whatever it is"),
        *rows[:-2],
        user("And how do they compare by their mileage, I wonder?"),
        *rows[-2:],
    ]
    assert "|mileage_km" in context(view(messages)) and "note" not in context(view(messages)).split("Left out")[0]
    assert "mileage" not in context(view([user(BOOK), *rows])).split("Left out")[0]
    found = view_of(replace(known([user(BOOK), *rows]), query="mileage_km"), ALL)
    assert "|mileage_km" in context([dict(one) for one in found])


def test_calls_that_gave_nothing_stand_behind_those_that_did() -> None:
    sent = [calling(call("s", "send_email", {"to": "bob@x.com"})), result("s", "")]
    found = context(view([user(BOOK), *step(1), *sent, *step(2)]))
    assert found.endswith("[OTHER RECORDS]\nsend_email(to=bob@x.com)\ns-------: (empty)")
    assert "[RETRIEVED RECORD 2]" not in found


def test_what_few_words_answer_stays() -> None:
    asked = {"role": "assistant", "content": "Option A: refund. Option B: exchange. Which?"}
    messages = [user("hi"), *step(1), asked, user("Option B please"), asked, user("My id is ann_17"), *step(2)]
    assert [one["content"] for one in view(messages) if one["role"] != "tool"][:3] == [
        "hi",
        asked["content"],
        "Option B please",
    ]
    assert sum(one == asked for one in view(messages)) == 1  # the other answer says all itself
    long = asked | {"content": f"A: {LONG} B: {LONG} Which?"}
    assert view([user("hi"), *step(1), long, user("B please")])[-2:] == [long, user("B please")]
    assert view([user("hi"), *step(1), long, user("Thanks, then I would like to take the second")])[-2] != long


def test_what_the_agent_said_last_counts_as_spoken_of() -> None:
    output = {"mood": "merry", "temper": "mellow", "note": LONG}
    messages = [user(BOOK), *step(1, output), *step(2), {"role": "assistant", "content": "Is merry fine?"}, user("Yes")]
    assert "mood=merry" in context(view(messages)) and "mellow" not in context(view(messages))


def test_a_record_takes_no_more_characters_than_it_may() -> None:
    messages = [user(BOOK), *step(1, {"codes": [f"HAT{at:04}" for at in range(900)]}), *step(2)]
    assert 2_000 < len(context(view(messages, ViewOptions(3, 3_000)))) < 3_300
    assert len(context(view(messages, ViewOptions(3, 500)))) < 800


def test_what_the_user_said_stays_but_for_courtesies_in_between() -> None:
    messages = [user("Thanks!"), *step(1), user("Ok, thank you"), user("Make it Friday"), *step(2), user("Thanks!")]
    assert [one["content"] for one in view(messages) if one["role"] == "user"] == [
        "Thanks!",
        "Make it Friday",
        "Thanks!",
    ]
    messages = [user("Thanks!"), user("Ok, thank you"), user("Thank you!"), *step(1)]
    assert [one["content"] for one in view(messages) if one["role"] == "user"] == ["Thanks!", "Thank you!"]


def test_of_a_little_history_nothing_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    said = {"role": "assistant", "content": f"{LONG[:400]} Shall I?"}
    output = {"code": "HAT1"} | dict.fromkeys(("aa", "bb"), LONG[:300])
    messages = [
        SYSTEM,
        user("Thanks!"),
        said,
        user("Ok, thank you"),
        *step(1, output),
        said,
        user("HAT1 it is, " * 9),
        *step(2),
    ]
    monkeypatch.setattr(tool_view, "LITTLE", 2_000)
    found = view(messages)
    assert [one for one in found if one["role"] in ("user", "assistant")] == [
        one for one in messages if one["role"] in ("user", "assistant") and "c1" not in str(one)
    ]
    assert context(found).count(LONG[:300].strip()) == 2 and "Left out" not in context(found)
    assert view([SYSTEM | {"content": LONG * 9}, *messages[1:]])[1:] == found[1:]  # a long prompt is no long history


def test_prompts_of_both_kinds_stay_and_former_records_do_not() -> None:
    developer = {"role": "developer", "content": "Obey."}
    retrieved = {"role": "system", "content": f"{HEADING}\nold"}
    found = view([SYSTEM, developer, user(BOOK), retrieved, *step(1), retrieved, *step(2), retrieved])
    assert found[:3] == [SYSTEM, developer, user(BOOK)]
    assert "old" not in str(found)


def test_what_the_agent_said_before_is_left_out_and_after_the_calls_is_cut_to_its_end() -> None:
    said = {"role": "assistant", "content": f"{LONG}. Shall I book it?"}
    found = view([user(BOOK), said, *step(1), said, user("Yes, the first"), said | {"content": None}])
    assert [one["role"] for one in found] == ["user", "assistant", "tool", "assistant", "user", "assistant"]
    assert found[3]["content"] == "… Shall I book it?"
    assert found[4:] == [user("Yes, the first"), said | {"content": None}]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("", ""),
        ("Shall I?", "Shall I?"),
        ("One. Two. Shall I?", "One. Two. Shall I?"),
        (f"{'x' * 130}. Shall I?", "… Shall I?"),
        (f"First. {'y' * 300}", "… " + "y" * 60),
    ],
)
def test_how_a_text_ends(text: str, kept: str) -> None:
    assert closing(text) == kept


def test_histories_without_user_or_without_anything_else() -> None:
    assert view([SYSTEM, *step(1)]) == [SYSTEM, *step(1)]
    assert view(step(1)) == step(1)
    assert view([calling(call("c1"))]) == [calling(call("c1"))]


def test_parallel_calls_stay_together() -> None:
    last = [calling(call("a"), call("b")), result("a", "one"), result("b", "two")]
    assert view([user(BOOK), *step(1), *last])[-3:] == last


def test_tokens_are_four_a_message_and_a_quarter_of_its_bytes() -> None:
    assert tokens_of([]) == 0
    assert tokens_of([user("abcd"), user("abcde"), user("éé")]) == (4 + 1) + (4 + 2) + (4 + 1)
    assert tokens_of([calling(call("a", "f", "{}"), content=None)]) == 4 + 1


def test_what_the_user_named_and_few_records_tell_of_comes_first() -> None:
    logs = [one for at in range(30) for one in step(at, f"{LONG}\ntenant T-1{at:03} ok\n{LONG}", "logs", pod=at)]
    logs[14] = step(7, f"{LONG}\nERROR: no key for tenant T-4411\n{LONG}", "logs", pod=7)[0]
    logs[15] = step(7, f"{LONG}\nERROR: no key for tenant T-4411\n{LONG}", "logs", pod=7)[1]
    messages = [user("Why does checkout fail for T-4411?"), *logs, *step(99)]
    for budget in (200, 400, 800):
        found = view(messages, ViewOptions(3, 2_000, budget))
        assert tokens_of(found) <= budget and "ERROR: no key for tenant T-4411" in context(found)


def test_what_a_call_made_before_the_last_gave_nothing_is_told() -> None:
    messages = [user(BOOK), *step(1), calling(call("p", "pay", {"sum": 900})), user("Did it work?"), *step(2)]
    found = view_of(replace(known(messages), unanswered=interactions(messages)[1].unanswered), ALL)
    assert context(found).endswith("\nNo result: pay(sum=900)")
    many = tuple(("pay", f'{{"sum": {at}}}') for at in range(20))
    found = view_of(replace(known(messages), unanswered=many), ALL)
    assert "\nNo result: pay(sum=19), " in context(found) and context(found).endswith("pay(sum=12), +12")


def test_what_the_agent_said_stays_for_the_steps_that_follow_the_answer() -> None:
    offer = {
        "role": "assistant",
        "content": f"{'We looked around. ' * 9}Take desk 9012 for 310 EUR, or wait? {'Really? ' * 9}",
    }
    answered = [user(BOOK), *step(1), offer, user("Yes please, go ahead with all of that"), *step(2)]
    assert "desk 9012 for 310 EUR" in str(view(answered)) or "9012 310" in str(view(answered))
    later = [*answered, {"role": "assistant", "content": "Done."}, user("Thanks! My other order is W77-1"), *step(3)]
    assert "9012" not in str(view(later))


# ---- budget


def test_a_budget_that_is_not_needed_changes_nothing() -> None:
    messages = [user(BOOK), *steps(5)]
    whole = view(messages)
    assert view(messages, ViewOptions(3, 2_000, tokens_of(whole))) == whole
    assert view(messages, ViewOptions(3, 2_000, tokens_of(whole) - 1)) != whole


def test_the_least_relevant_records_go_first() -> None:
    messages = [user(BOOK), user("Only in the morning"), *shapes(6)]
    whole = tokens_of(view(messages))
    ranked = ("c0------", "c3------")
    for budget in range(tokens_of([*messages[:2], *step(5)]), whole):
        found = view(messages, ViewOptions(3, 2_000, budget), ranked=ranked)
        assert tokens_of(found) <= budget
        assert found[:2] == messages[:2]
        shown, _, hidden = context(found).partition("\nNot shown: ")
        left = [at for at in (0, 3, 4, 2, 1) if f"c{at}------" in shown]
        assert not left or bool(hidden) == (len(left) < 5)
        assert left == [0, 3, 4, 2, 1][: len(left)]
        if left != [0, 3, 4, 2, 1]:
            assert tokens_of(view(messages, ViewOptions(3, 2_000, budget + 60), ranked=ranked)) > tokens_of(found)


def test_records_become_shorter_before_they_go() -> None:
    codes = [{"codes": [f"HAT{at}{number:03}" for number in range(100)]} for at in range(4)]
    messages = [user(BOOK), *[message for at in range(4) for message in step(at, codes[at], f"tool{at}")], *step(9)]
    sizes = []
    for budget in range(300, 1_300, 100):
        found = view(messages, ViewOptions(4, 2_000, budget))
        assert tokens_of(found) <= budget and context(found).count("HAT") > 3 and "Not shown" not in context(found)
        sizes.append(tokens_of(found))
    assert sizes == sorted(sizes) and len(set(sizes)) > 3
    assert "Not shown: tool0 c0------" in context(view(messages, ViewOptions(4, 2_000, 210)))


def test_the_last_results_are_packed_before_anything_that_the_user_said_goes() -> None:
    said = [user(f"{at} Never use my Amex card.") for at in range(9)]
    deposit = {"deposit": 20, "cards": ["amex-1"], "terms": "lorem ipsum dolor " * 80}
    messages = [*said, *step(1), user("Go ahead, the deposit"), *step(2, deposit)]
    found = view(messages, ViewOptions(3, 2_000, 250))
    assert [one for one in found if one["role"] == "user"] == [*said, user("Go ahead, the deposit")]
    assert "deposit=20" in found[-1]["content"]


def test_then_what_the_user_said_in_between_goes_the_oldest_first_and_the_view_says_so() -> None:
    said = [user(f"{at} {LONG}") for at in range(5)]
    messages = [*said[:2], SYSTEM, *said[2:], *step(1)]
    note = {"role": "system", "content": "[Earlier messages of the user that are left out here: 2]"}
    budget = tokens_of([said[0], note, SYSTEM, *said[3:], *step(1)])
    assert view(messages, ViewOptions(3, 2_000, budget)) == [said[0], note, SYSTEM, *said[3:], *step(1)]
    note = {"role": "system", "content": "[Earlier messages of the user that are left out here: 3]"}
    assert view(messages, ViewOptions(3, 2_000, budget - 1)) == [said[0], note, SYSTEM, said[4], *step(1)]


def test_then_the_last_results_are_cut_each_its_own() -> None:
    outputs = [f"It begins. {'dull words. ' * 100}HAT{at} is full. It ends." for at in (136, 200)]
    messages = [user(BOOK), calling(call("a"), call("a")), result("a", outputs[0]), result("a", outputs[1])]
    found = view(messages, ViewOptions(3, 2_000, 150))
    assert tokens_of(found) <= 150
    assert [one["role"] for one in found] == ["user", "assistant", "tool", "tool"]
    assert "HAT136" in found[2]["content"] and "HAT200" in found[3]["content"]
    assert "HAT200" not in found[2]["content"]
    short = [calling(call("a"), call("b")), result("a", "short HAT1"), result("b", outputs[0])]
    assert view([user(BOOK), *short], ViewOptions(3, 2_000, 120))[2] == result("a", "short HAT1")


def test_a_budget_that_nothing_fits_is_refused_and_says_what_would() -> None:
    messages = [user(BOOK), *step(1, LONG)]
    with pytest.raises(InvalidInput, match=r"at least \d+ tokens") as refused:
        view(messages, ViewOptions(3, 2_000, 10))
    needed = int(next(word for word in refused.value.detail.split() if word.isdigit()))
    assert tokens_of(view(messages, ViewOptions(3, 2_000, needed))) <= needed < tokens_of(messages)


texts = st.text(max_size=12) | st.sampled_from(["Thanks!", BOOK, LONG, "HAT136"])
outputs = texts | st.lists(st.dictionaries(st.sampled_from(["id", "code", "note"]), texts, max_size=3), max_size=8)


@st.composite
def histories(draw: st.DrawFn) -> list[Message]:
    """Histories that OpenAI's API takes."""
    messages: list[Message] = []
    for turn in range(draw(st.integers(1, 8))):
        match draw(st.sampled_from(["user", "system", "assistant", "calls", "calls"])):
            case "calls":
                ids = [f"c{turn}-{at}" for at in range(draw(st.integers(1, 3)))]
                name = draw(st.sampled_from(["find", "get"]))
                calls = [call(one, name, {"n": draw(st.integers(0, 3))}) for one in ids]
                messages.append(calling(*calls, content=draw(st.none() | texts)))
                messages += [result(one, draw(outputs)) for one in draw(st.permutations(ids))]
            case role:
                messages.append({"role": role, "content": draw(texts)})
    return [*messages, *step(99, draw(outputs))]


def is_valid(messages: list[Message]) -> bool:
    """Whether each result follows a message that calls it, and each call has its result."""
    waiting: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            if message["tool_call_id"] not in waiting:
                return False
            waiting.remove(message["tool_call_id"])
        elif waiting:
            return False
        else:
            waiting = [one["id"] for one in message.get("tool_calls") or []]
    return not waiting


@given(histories(), st.integers(1, 400), st.integers(1, 5), st.integers(100, 500))
def test_any_budget_is_kept_or_refused(messages: list[Message], budget: int, top_k: int, most: int) -> None:
    assert is_valid(view(messages, ViewOptions(top_k, most)))
    try:
        found = view(messages, ViewOptions(top_k, most, budget))
    except InvalidInput:
        return
    assert tokens_of(found) <= budget
    assert is_valid(found)
    context(found)  # there is one at most
