"""A budget of tokens is kept exactly, and what matters least goes first."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.tools.budget import tokens_of
from agents.tools.view import ViewOptions
from tests.tool_calls import BOOK, Message, call, calling, context, result, step, steps, user
from tests.tool_views import LONG, SYSTEM, shapes, view
from utils.errors import InvalidInput

pytestmark = pytest.mark.usefixtures("no_history_is_little")

LEFT_OUT = "Earlier messages of the user that are left out here"


def test_a_budget_that_is_not_needed_changes_nothing() -> None:
    messages = [user(BOOK), *steps(5)]
    whole = view(messages)
    assert view(messages, ViewOptions(3, 2_000, tokens_of(whole))) == whole
    assert view(messages, ViewOptions(3, 2_000, tokens_of(whole) - 1)) != whole


def test_an_image_counts() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    message = {"role": "user", "content": [{"type": "text", "text": "What is this?"}, image, image]}
    assert tokens_of([message]) == tokens_of([user("What is this?")]) + 2 * 765


def test_the_least_relevant_records_go_first() -> None:
    messages = [user(BOOK), user("Only in the morning"), *shapes(6)]
    whole = tokens_of(view(messages))
    ranked = ("c0------", "c3------")
    for budget in range(tokens_of([*messages[:2], *messages[-2:]]), whole):
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
    for budget in range(500, 2_000, 150):
        found = view(messages, ViewOptions(4, 2_000, budget))
        assert tokens_of(found) <= budget and context(found).count("HAT") > 3 and "Not shown" not in context(found)
        sizes.append(tokens_of(found))
    assert sizes == sorted(sizes) and len(set(sizes)) > 3
    assert "Not shown: tool0 c0------" in context(view(messages, ViewOptions(4, 2_000, 440)))


def test_the_last_results_are_packed_before_anything_that_the_user_said_goes() -> None:
    said = [user(f"{at} Never use my Amex card.") for at in range(9)]
    deposit = {"deposit": 20, "cards": ["amex-1"], "terms": "lorem ipsum dolor " * 80}
    messages = [*said, *step(1), user("Go ahead, the deposit"), *step(2, deposit)]
    found = view(messages, ViewOptions(3, 2_000, 250))
    assert [one for one in found if one["role"] == "user"] == [*said, user("Go ahead, the deposit")]
    assert "deposit=20" in found[-1]["content"]


def test_then_long_messages_in_between_are_cut_alike() -> None:
    said = [user(f"{at} {LONG} end {at}") for at in range(5)]
    messages = [*said[:2], SYSTEM, *said[2:], *step(1)]
    found = view(messages, ViewOptions(3, 2_000, tokens_of(messages) - 150))
    assert [found[0], found[2], *found[4:]] == [said[0], SYSTEM, found[4], said[4], *step(1)]
    for at, one in ((1, found[1]), (2, found[3]), (3, found[4])):
        text = one["content"]
        assert text.startswith(f"{at} lorem") and text.endswith("…")
        assert len(text) >= len(LONG) - 300


def test_then_the_oldest_of_them_go_and_the_view_says_so() -> None:
    said = [user(f"{at} {'lorem ipsum ' * 8}") for at in range(5)]
    messages = [*said[:2], SYSTEM, *said[2:], *step(1)]
    note = {"role": "system", "content": f"[{LEFT_OUT}: 2, the first: 1 {'lorem ipsum ' * 3}l…]"}
    budget = tokens_of([said[0], note, SYSTEM, *said[3:], *step(1)])
    assert view(messages, ViewOptions(3, 2_000, budget)) == [said[0], note, SYSTEM, *said[3:], *step(1)]
    note = {"role": "system", "content": f"[{LEFT_OUT}: 3, the first: 1 {'lorem ipsum ' * 3}l…]"}
    assert view(messages, ViewOptions(3, 2_000, budget - 1)) == [said[0], note, SYSTEM, said[4], *step(1)]


def test_a_long_message_makes_room_for_records_and_short_ones_stay() -> None:
    messages = [user(f"A. {LONG}"), *step(1, {"customer_id": "C-881"}), user("Deliver to Quay 9."), user(LONG),
                *step(2, {"address_id": "ADR-5521"}), user("green"), *step(3)]  # fmt: skip
    whole = tokens_of(view(messages))
    for budget in range(whole - 1, whole - 220, -10):
        found = view(messages, ViewOptions(3, 2_000, budget))
        assert tokens_of(found) <= budget
        assert user("Deliver to Quay 9.") in found
        assert "C-881" in context(found) or "Not shown: find c1" in context(found)
        assert budget > whole - 60 or ("C-881" in context(found) and "ADR-5521" in context(found))


def test_records_that_are_not_shown_are_named_before_anything_that_the_user_said_goes() -> None:
    messages = [user(BOOK), *step(1), *(user(f"{at} Not on Mondays please.") for at in range(9)), user("x"), *step(2)]
    least = tokens_of([one for one in messages if one not in step(1)])
    found = view(messages, ViewOptions(3, 2_000, least + 32))
    assert "Not shown: find c1" in context(found)
    assert [one for one in found if one["role"] == "user"] == [messages[0], *messages[3:-2]]


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


@pytest.mark.parametrize("between", [[], ["Thanks, go on."], [LONG], ["Thanks, go on.", LONG]])
def test_a_budget_that_nothing_fits_is_refused_and_says_what_would(between: list[str]) -> None:
    messages = [user(BOOK), *map(user, between), user("And now?"), *step(1, LONG)]
    with pytest.raises(InvalidInput, match=r"at least \d+ tokens") as refused:
        view(messages, ViewOptions(3, 2_000, 10))
    needed = int(next(word for word in refused.value.detail.split() if word.isdigit()))
    assert tokens_of(view(messages, ViewOptions(3, 2_000, needed))) <= needed < tokens_of(messages)
    with pytest.raises(InvalidInput):
        view(messages, ViewOptions(3, 2_000, needed - 1))


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


def first_shown(failed: set[int], said: str = "Import everything") -> list[str]:
    """The three records, of thirty of different shapes, that come first."""
    rows = [
        step(at, {f"field{at}": f"B{at:03}", "status": "failed" if at in failed else "ok"}, f"run{at}")
        for at in range(30)
    ]
    found = context(view([user(said), *[one for row in rows for one in row], *step(99)]))
    return [line.split()[2].rstrip("-:") for line in found.splitlines() if line.startswith("Raw Data: ")]


def test_few_failures_come_first_the_newest_before_the_others() -> None:
    assert first_shown(set()) == ["c29", "c28", "c27"]
    assert first_shown({4, 9}) == ["c9", "c4", "c29"]
    assert first_shown(set(range(12))) == ["c29", "c28", "c27"]  # they are not few


def test_of_the_answers_to_one_call_the_newest_stays_longest() -> None:
    def run(number: int, said: str) -> list[Message]:
        return step(number, f"== session starts ==\n{said}\n{LONG[:200]}{number}", "bash", command="pytest tests")

    between = [one for at in range(10, 16) for one in step(at, {f"f{at}": f"B{at}"}, f"run{at}")]
    messages = [user("Mend it"), *run(1, "FAILED test_sum"), *between, *run(2, "14 passed"), *step(99)]
    for budget in range(tokens_of(view(messages)) - 1, 100, -40):
        found = context(view(messages, ViewOptions(3, 2_000, budget), ranked=("c1------",)))
        assert "c1------: " not in found or "c2------: " in found
