"""An agent's history becomes short, step by step, and still holds what its tools gave."""

import json
from collections.abc import Callable
from typing import ClassVar

import pytest

from agents.memory import Memory
from agents.open import open_memory
from agents.upkeep import Work
from config.recipes import NEXT_STEP, TOOL_MEMORY
from config.settings import Settings
from memory.traces.traces import Called
from tests.conversations import Silent
from tests.scripted_model import ScriptedModel, answer
from tests.tool_calls import (
    BOOK,
    Message,
    call,
    called,
    calling,
    compress,
    context,
    insights,
    kept,
    observe_all,
    result,
    step,
    steps,
    user,
)
from tests.tool_views import LONG
from utils.errors import InvalidInput

pytestmark = pytest.mark.usefixtures("no_history_is_little")


async def tasks(memory: Memory) -> int:
    return await memory.engine.store.collections.tasks.count_documents({})


async def test_the_newest_results_are_kept_and_shown_whole(quiet: Memory) -> None:
    messages = [user(BOOK), *step(1, {"code": "HAT136"})]
    done = await compress(quiet, messages)
    assert list(done.messages) == messages
    [trace] = await kept(quiet)
    assert done.trace_ids == (trace.id,)
    assert (trace.call_id, trace.tool_name, trace.raw_input) == ("c1", "find", '{"n": 1}')
    assert trace.raw_output == '{"code": "HAT136"}'


async def test_a_history_that_takes_less_than_its_view_comes_back_as_it_is(quiet: Memory) -> None:
    messages = [user(BOOK), *steps(3)]
    for budget in (None, 1_000):
        done = await compress(quiet, messages, budget=budget)
        assert list(done.messages) == messages and done.tokens == done.tokens_before
    cut = [user(BOOK), *step(0, "[cleared]"), *messages[3:]]
    assert "HAT000" in context((await compress(quiet, cut)).messages)
    assert "HAT000" in context((await compress(quiet, [user(BOOK), *step(4)])).messages)
    waiting = [user(BOOK), calling(call("p", "pay")), *steps(2)]
    assert "No result: pay" in context((await compress(quiet, waiting, "other")).messages)


async def test_a_result_is_kept_once_however_often_its_history_is_sent(quiet: Memory) -> None:
    messages = [user(BOOK)]
    for number in range(4):
        messages += step(number)
        for _ in range(2):
            done = await compress(quiet, messages)
        assert len(done.trace_ids) == 1
    traces = await kept(quiet)
    assert [trace.call_id for trace in traces] == ["c0", "c1", "c2", "c3"]
    assert [trace.step for trace in traces] == [1, 3, 5, 7]
    assert len(await insights(quiet)) == 4


async def test_a_call_without_a_result_is_kept_when_that_comes(quiet: Memory) -> None:
    messages = [user(BOOK), calling(call("a", "f"), call("b", "g")), result("b", "two")]
    assert len((await compress(quiet, messages)).trace_ids) == 1
    await compress(quiet, [*messages, result("a", "one")])
    assert {one.raw_output for one in await kept(quiet)} == {"one", "two"}


def called_as(call_id: str) -> list[Message]:
    """A call under an id, or without one as OpenAI had it before."""
    former = {"role": "assistant", "content": None, "function_call": {"name": "poll", "arguments": "{}"}}
    return [calling(call(call_id, "poll"))] if call_id else [former]


def answered_as(call_id: str, text: str) -> Message:
    return result(call_id, text) if call_id else {"role": "function", "name": "poll", "content": text}


async def test_calls_that_share_an_id_are_all_kept(quiet: Memory) -> None:
    for name in ("a", ""):
        same, later = ([*called_as(name), answered_as(name, f"HAT1 {how} {name}")] for how in ("waits", "is done"))
        messages = [user(BOOK), *step(2, {"code": "HAT002", "note": LONG}), *same, *later, *same, *step(1)]
        for _ in range(2):
            done = await compress(quiet, messages, task=f"t{name}")
        assert {one.raw_output for one in await kept(quiet, task=f"t{name}")} >= {
            f"HAT1 waits {name}",
            f"HAT1 is done {name}",
        }
        assert len(await kept(quiet, task=f"t{name}")) == 4
        shown = [line for line in context(done.messages).splitlines() if "HAT1" in line]
        assert "waits" in shown[-1]  # what came last stands last


async def test_what_was_kept_between_requests_is_newer_than_what_was_sent_before(quiet: Memory) -> None:
    def order(state: str) -> str:
        return json.dumps({"order_id": "ORD-77", "state": state})

    await compress(quiet, [user(BOOK), *step(1, order("pending"), "get_order"), *step(2)])
    await quiet.tool_memory.add("ann", "t", Called("", "get_order", '{"n": 1}', order("shipped"), ""))
    done = await compress(quiet, [user(BOOK), *step(1, order("pending"), "get_order"), *step(2), *step(3)])
    assert "shipped" in context(done.messages) and "pending" not in context(done.messages)


async def test_a_blank_result_is_shown_as_one(quiet: Memory) -> None:
    for text in (" " * 3_000, "\n" * 3_000, "\u2028" * 3_000):
        done = await compress(quiet, [user(BOOK), *step(1, text), *step(2)], task=repr(text[0]))
        assert context(done.messages).endswith(": (empty)")


async def test_a_result_that_differs_is_a_record_of_its_own_in_a_later_request_too(quiet: Memory) -> None:
    for text in ("one is AAA", "one is CHANGED", "one is AAA"):
        messages = [user(BOOK), calling(call("c", "get", {"x": 1})), result("c", text)]
        for _ in range(2):
            [shown] = (await compress(quiet, messages)).trace_ids
        assert (await quiet.engine.tools.traces.get("ann", shown)).raw_output == text
    assert sorted(one.raw_output for one in await kept(quiet)) == ["one is AAA", "one is CHANGED"]
    done = await compress(quiet, [*messages[:2], result("c", "one is CHANGED"), *step(2)])
    [row] = [line for line in context(done.messages).splitlines() if "CHANGED" in line]
    assert any(row.endswith(f"{one.id}: {one.raw_output}") for one in await kept(quiet))


@pytest.mark.parametrize(
    "left", ["[Old tool result content cleared]", f"{LONG[:200]}…", f"{LONG[:300]}\n... [truncated 780 characters]", ""]
)
async def test_results_that_an_agent_shortens_later_are_no_new_records(quiet: Memory, left: str) -> None:
    await compress(quiet, [user(BOOK), *step(1, LONG)])
    for number in (2, 3):
        messages = [user(BOOK), calling(call("c1", "find", {"n": 1})), result("c1", left), *step(number)]
        done = await compress(quiet, messages)
    assert (await kept(quiet))[0].raw_output == LONG
    [row] = [line for line in context(done.messages).splitlines() if (await kept(quiet))[0].id in line]
    assert "lorem ipsum" in row  # of the record, not of what is left of it
    assert len(await kept(quiet)) == len(await insights(quiet)) == 3


async def test_who_embeds_and_observes_is_told_of_what_is_new(make_settings: Callable[..., Settings]) -> None:
    class Heard(Silent):
        told: ClassVar[list[str]] = []

        def __call__(self, *works: Work) -> None:
            self.told += works

    async with open_memory(make_settings(), nudge=Heard()) as memory:
        for messages in ([user(BOOK)], [user(BOOK), *step(1)], [user(BOOK), *step(1)]):
            await compress(memory, messages)
    assert Heard.told == ["embed", "observe"]


async def test_results_without_calls_are_kept_and_stand_in_the_context(quiet: Memory) -> None:
    for messages in (
        [result("z", "lost HAT9"), user(BOOK), *step(1)],
        [user(BOOK), *step(1), user("x"), result("z", "lost HAT9")],
    ):
        done = await compress(quiet, messages, task=str(messages[0]["role"]))
        assert "lost HAT9" in context(done.messages)
        assert [one["role"] for one in done.messages].count("tool") <= 1
        assert len(done.trace_ids) == 2


async def test_a_view_that_is_sent_back_as_history_works(quiet: Memory) -> None:
    whole: list[Message] = [user(BOOK)]
    sent: list[Message] = [user(BOOK)]
    for number in range(6):
        new = [*step(number), user(f"and then {number}?")]
        whole, sent = [*whole, *new], [*sent, *new]
        done = await compress(quiet, sent)
        sent = [dict(one) for one in done.messages]
        assert all(f"HAT{at:03}" in str(sent) for at in range(number + 1))
    fresh = await compress(quiet, whole, task="whole")
    assert len(context(sent)) == len(context(fresh.messages))
    assert len(await kept(quiet, task="t")) == 6


async def test_what_a_budget_cut_is_whole_again_in_a_later_view(quiet: Memory) -> None:
    output = {"note": LONG, "codes": [f"HAT{at:03}" for at in range(200)]}
    cut = await compress(quiet, [user(BOOK), *step(1, output)], budget=150)
    assert "HAT199" not in str(cut.messages)
    later = await compress(quiet, [*(dict(one) for one in cut.messages), *step(2)])
    assert "HAT199" in context(later.messages)
    assert json.loads((await kept(quiet))[0].raw_output) == output


async def test_before_the_next_call_records_stand_before_what_the_user_said_last(quiet: Memory) -> None:
    await compress(quiet, [user(BOOK), *step(1)])
    done = await compress(quiet, [user(BOOK), {"role": "assistant", "content": "x"}, user("Go on")])
    assert [one["role"] for one in done.messages] == ["user", "system", "user"]
    assert "HAT001" in context(done.messages) and done.messages[-1]["content"] == "Go on"


async def test_records_of_other_tasks_and_of_other_users_stay_out(quiet: Memory) -> None:
    await compress(quiet, [user(BOOK), *step(1)], task="other")
    await compress(quiet, [user(BOOK), *step(2)], owner="bob")
    done = await compress(quiet, [user(BOOK), *step(3, {"code": "HAT003", "note": LONG}), *step(4)])
    assert "HAT003" in context(done.messages)
    assert "HAT001" not in str(done.messages) and "HAT002" not in str(done.messages)
    assert [hit.gist.content for hit in (await quiet.tool_memory.search.insights("bob", "t", "HAT003")).hits] == (
        await insights(quiet, "bob")
    )


async def test_records_that_were_added_by_hand_are_shown_but_not_to_who_shows_what_was_sent_alone(
    quiet: Memory,
) -> None:
    added = await quiet.tool_memory.add("ann", "t", called(7, "by hand HAT777"))
    assert (added.step, added.raw_output) == (1, "by hand HAT777")
    messages = [user(BOOK), *step(1), *step(2)]
    assert "HAT777" in context((await compress(quiet, messages)).messages)
    assert "HAT777" in context((await compress(quiet, [user(BOOK)])).messages)
    assert "HAT777" not in str((await compress(quiet, messages, sent_alone=True)).messages)
    assert (await compress(quiet, [user(BOOK)], sent_alone=True)).messages == (user(BOOK),)


async def test_a_budget_is_kept_or_refused_and_then_nothing_is_changed(quiet: Memory) -> None:
    messages = [user(BOOK), *steps(5)]
    assert (await compress(quiet, messages, "kept", budget=70)).tokens <= 70
    before = await tasks(quiet)
    for sent in (messages, [user(BOOK), *step(1, LONG)]):
        with pytest.raises(InvalidInput, match="budget"):
            await compress(quiet, sent, budget=15)
    assert await tasks(quiet) == before and await kept(quiet, task="t") == []
    with pytest.raises(InvalidInput, match="budget"):
        await compress(quiet, [user(LONG)], budget=15)


def shapes(count: int) -> list[Message]:
    words = ["zeppelin", "harbour", "violin", "glacier", "parrot", "volcano"]
    return [message for at in range(count) for message in step(at, {f"field{at}": f"the {words[at]} of HAT{at:03}"})]


async def test_a_query_ranks_the_records(quiet: Memory) -> None:
    messages = [user(BOOK), *shapes(6), *step(9)]
    for at, word in enumerate(["zeppelin", "harbour", "violin"]):
        found = context((await compress(quiet, messages, top_k=1, query=f"where is the {word}?")).messages)
        assert f"field{at}" in found.split("[OTHERS]")[0]
        assert found.count("[RETRIEVED RECORD") == 1


async def test_without_a_query_what_was_said_last_ranks_them(quiet: Memory) -> None:
    messages = [user(BOOK), *shapes(6), user("Tell me of the violin"), *step(9)]
    assert "field2" in context((await compress(quiet, messages, top_k=1)).messages).split("[OTHERS]")[0]
    assert (TOOL_MEMORY.top_k, NEXT_STEP) == (3, "how to proceed with the task")


async def test_the_observers_summary_stands_in_the_next_view(with_model: Memory, scripted_model: ScriptedModel) -> None:
    scripted_model.always(answer("Flight HAT001 is booked out."), on="observer")
    noted = step(1, {"code": "HAT001", "note": LONG})
    await compress(with_model, [user(BOOK), *noted])
    await observe_all(with_model)
    done = await compress(with_model, [user(BOOK), *noted, *step(2)])
    assert "\nFlight HAT001 is booked out.\nRaw Data: " in context(done.messages)
    assert scripted_model.asked("observer")[0]["messages"][1]["content"].startswith(f'{{"task":"{BOOK}"')
