"""Does an agent's history become short, step by step, and still hold what its tools gave?"""

import asyncio
import json
import logging
from collections.abc import Callable

import pytest

from agents.memory import Memory
from agents.open import open_memory
from agents.tool_view import tokens_of
from config.recipes import NEXT_STEP, TOOL_MEMORY
from config.settings import Settings
from tests.conversations import Silent, found, say, settle
from tests.meanwhile import meanwhile
from tests.scripted_model import ScriptedModel, answer, status
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
    result,
    step,
    steps,
    user,
)
from utils.errors import Conflict, InvalidInput, NotFound

LONG = "lorem ipsum dolor sit amet " * 40


async def tasks(memory: Memory) -> int:
    return await memory.engine.collections.tasks.count_documents({})


async def test_the_first_step_passes_unchanged(quiet: Memory) -> None:
    for messages in (
        [user(BOOK)],
        [{"role": "system", "content": "x"}],
        [user("a"), {"role": "assistant", "content": "b"}],
    ):
        done = await compress(quiet, messages)
        assert (list(done.messages), done.trace_ids) == (messages, ())
    assert await kept(quiet) == []


async def test_the_newest_results_are_kept_and_shown_whole(quiet: Memory) -> None:
    messages = [user(BOOK), *step(1, {"code": "HAT136"})]
    done = await compress(quiet, messages)
    assert list(done.messages) == messages
    [trace] = await kept(quiet)
    assert done.trace_ids == (trace.id,)
    assert (trace.call_id, trace.tool_name, trace.raw_input) == ("c1", "find", '{"n": 1}')
    assert trace.raw_output == '{"code": "HAT136"}'


async def test_earlier_results_are_shown_packed(quiet: Memory) -> None:
    done = await compress(quiet, [user(BOOK), *steps(3)])
    assert [one["role"] for one in done.messages] == ["user", "system", "assistant", "tool"]
    for trace in (await kept(quiet))[:2]:
        assert f"{trace.id}: {trace.call_id[1:]} -> {trace.record.output['code']}" in context(done.messages)  # type: ignore[index, call-overload]


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


async def test_parallel_calls_are_records_of_their_own(quiet: Memory) -> None:
    last = [calling(call("a", "f"), call("b", "g")), result("b", "two"), result("a", "one")]
    done = await compress(quiet, [user(BOOK), *last])
    assert len(done.trace_ids) == 2
    assert {(one.tool_name, one.raw_output) for one in await kept(quiet)} == {("f", "one"), ("g", "two")}


async def test_a_call_without_a_result_is_kept_when_that_comes(quiet: Memory) -> None:
    messages = [user(BOOK), calling(call("a", "f"), call("b", "g")), result("b", "two")]
    assert len((await compress(quiet, messages)).trace_ids) == 1
    await compress(quiet, [*messages, result("a", "one")])
    assert {one.raw_output for one in await kept(quiet)} == {"one", "two"}


async def test_calls_that_share_an_id_are_all_kept(quiet: Memory) -> None:
    for name in ("a", ""):
        same = [calling(call(name, "poll")), result(name, f"HAT1 waits {name}")]
        later = [calling(call(name, "poll")), result(name, f"HAT1 is done {name}")]
        messages = [user(BOOK), *same, *later, *same, *step(1)]
        for _ in range(2):
            done = await compress(quiet, messages, task=f"t{name}")
        assert {one.raw_output for one in await kept(quiet, task=f"t{name}")} >= {
            f"HAT1 waits {name}",
            f"HAT1 is done {name}",
        }
        assert len(await kept(quiet, task=f"t{name}")) == 3
        assert context(done.messages).count("HAT1") == 1  # of the same call, what came last


async def test_results_that_share_an_id_stay_apart_under_a_budget(quiet: Memory) -> None:
    texts = [f"It begins. {'dull words. ' * 100}HAT{at} is full. It ends." for at in (136, 200)]
    messages = [user(BOOK), calling(call("a"), call("a")), *(result("a", text) for text in texts)]
    done = await compress(quiet, messages, budget=150)
    assert ["HAT136" in str(one) for one in done.messages] == [False, False, True, False]
    assert ["HAT200" in str(one) for one in done.messages] == [False, False, False, True]


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
    done = await compress(quiet, [user(BOOK), *step(3), *step(4)])
    assert "HAT003" in context(done.messages)
    assert "HAT001" not in str(done.messages) and "HAT002" not in str(done.messages)
    assert [hit.gist.content for hit in (await quiet.tools.search("bob", "t", "HAT003")).hits] == (
        await insights(quiet, "bob")
    )


async def test_records_that_were_added_by_hand_are_shown_but_not_to_who_shows_what_was_sent_alone(
    quiet: Memory,
) -> None:
    added = await quiet.tools.add("ann", "t", called(7, "by hand HAT777"))
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
        assert f"field{at}" in found.split("[OTHER RECORDS]")[0]
        assert found.count("[RETRIEVED RECORD") == 1


async def test_without_a_query_what_was_said_last_ranks_them(quiet: Memory) -> None:
    messages = [user(BOOK), *shapes(6), user("Tell me of the violin"), *step(9)]
    assert "field2" in context((await compress(quiet, messages, top_k=1)).messages).split("[OTHER RECORDS]")[0]
    assert (TOOL_MEMORY.top_k, NEXT_STEP) == (3, "how to proceed with the task")


async def test_a_record_takes_no_more_characters_than_it_may(quiet: Memory) -> None:
    messages = [user(BOOK), *step(1, [f"HAT{at:04}" for at in range(500)]), *step(2)]
    sizes = [len(context((await compress(quiet, messages, max_chars=most)).messages)) for most in (200, 1_000, 9_000)]
    assert sizes[0] < 400 < sizes[1] < 1_200 < sizes[2]


async def test_the_observers_summary_stands_in_the_next_view(with_model: Memory, scripted_model: ScriptedModel) -> None:
    scripted_model.always(answer("Flight HAT001 is booked out."), on="observer")
    await compress(with_model, [user(BOOK), *step(1)])
    await with_model.engine.trace_queue.work()
    done = await compress(with_model, [user(BOOK), *step(1), *step(2)])
    assert "\nFlight HAT001 is booked out.\nRaw Data: " in context(done.messages)
    assert scripted_model.asked("observer")[0]["messages"][1]["content"].startswith(f'{{"task":"{BOOK}"')


async def test_a_model_that_is_down_leaves_records_unranked(
    with_model: Memory, scripted_model: ScriptedModel, caplog: pytest.LogCaptureFixture
) -> None:
    scripted_model.always(status(401), on="embeddings")
    with caplog.at_level(logging.DEBUG):
        done = await compress(with_model, [user(BOOK), *shapes(6), *step(9)], top_k=1, query="violin")
    assert all(f"HAT{at:03}" in context(done.messages) for at in range(6))
    assert "field5" in context(done.messages).split("[OTHER RECORDS]")[0]  # the newest


async def test_another_process_goes_on_with_a_task(make_settings: Callable[..., Settings]) -> None:
    async with open_memory(make_settings(), nudge=Silent()) as first:
        await compress(first, [user(BOOK), *step(1)])
    async with open_memory(make_settings(), nudge=Silent()) as second:
        done = await compress(second, [user(BOOK), *step(2)])
        assert "HAT001" in context(done.messages)
        assert [trace.step for trace in await kept(second)] == [1, 2]
        await second.engine.embeddings.work()
        hit = (await second.tools.search("ann", "t", "HAT001 find(n=1)")).hits[0]
        assert hit.gist.content == "find(n=1) returned code: HAT001"


async def test_steps_of_one_task_at_once_keep_everything_once(both: tuple[Memory, Memory]) -> None:
    messages = [user(BOOK), *steps(8)]
    done = await asyncio.gather(*(compress(both[at % 2], messages) for at in range(6)))
    assert {tuple(map(str, one.messages)) for one in done} == {tuple(map(str, done[0].messages))}
    assert len(await kept(both[0])) == len(await insights(both[0])) == 8
    await asyncio.gather(*(compress(both[at % 2], [user(BOOK), *step(100 + at)]) for at in range(6)))
    assert len(await kept(both[0])) == len(await insights(both[0])) == 14


async def test_a_task_that_is_deleted_meanwhile_is_a_conflict(
    both: tuple[Memory, Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def reset() -> None:
        await both[1].tools.reset("ann", "t")

    meanwhile(monkeypatch, both[0].engine.collections.traces, "insert_many", reset)
    with pytest.raises(Conflict):
        await compress(both[0], [user(BOOK), *steps(3)])
    assert (await kept(both[0]), await insights(both[0])) == ([], [])
    done = await compress(both[0], [user(BOOK), *steps(3)])
    assert len(done.trace_ids) == 3


async def test_a_task_that_is_reset_knows_nothing_any_more(quiet: Memory) -> None:
    await compress(quiet, [user(BOOK), *steps(3)])
    assert await quiet.tools.reset("ann", "t") == {"tasks": 1, "traces": 3, "vectors": 3}
    assert (await compress(quiet, [user("Go on")])).messages == (user("Go on"),)
    assert (await quiet.tools.search("ann", "t", "HAT001")).hits == ()
    with pytest.raises(NotFound):
        await quiet.tools.reset("ann", "other")


async def test_insights_are_no_part_of_what_was_said(quiet: Memory) -> None:
    await compress(quiet, [user(BOOK), *step(1, "the zeppelin of HAT001")])
    await settle(quiet)
    assert "find(" not in await say(quiet, "Where is the zeppelin of HAT001?")
    assert await found(quiet, "the zeppelin of HAT001", owner="ann", kinds=("insight",)) != []


async def test_loggers_have_the_names_and_levels_of_the_document(
    quiet: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        await compress(quiet, [user(BOOK), *step(1)])
        done = await compress(quiet, [user(BOOK), *step(1), *step(2)], query="x")
        await quiet.tools.reset("ann", "t")
    ours = [one for one in caplog.records if one.name in ("MemoryBankStrategy", "Ingestion", "Retrieval", "Observer")]
    assert {one.levelname for one in ours} == {"DEBUG"}
    said = [(one.name, one.getMessage()) for one in ours]
    [second] = done.trace_ids
    assert ("MemoryBankStrategy", "Memory Bank Strategy - Step 1") in said
    assert ("MemoryBankStrategy", "Memory Bank Strategy - Step 2") in said
    assert ("Ingestion", f"Ingested tool 'find' -> trace_id={second}") in said
    assert ("MemoryBankStrategy", "Added 1 retrieved records to context") in said
    assert ("MemoryBankStrategy", f"Context constructed: 4 messages, {tokens_of(done.messages)} tokens") in said
    assert ("Retrieval", "Ranked 1 records") in said
    assert said[-1] == ("MemoryBankStrategy", "MemoryBankState reset")


async def test_odd_characters_are_kept_as_far_as_they_are_characters(quiet: Memory) -> None:
    outputs = [
        "\x1b[31mred\x00\x07",
        '{"a": "\\ud800", "b\\u0000": 1}',
        "half \ud800",
        "😀 Größe 東京",
        '{"a": NaN}',
        "[" * 3_000,
    ]
    messages = [
        user("half \ud800 of it"),
        *(one for at, text in enumerate(outputs) for one in step(at, text)),
        *step(9),
    ]
    done = await compress(quiet, messages)
    str(done.messages[1]["content"]).encode()
    assert [trace.raw_output for trace in await kept(quiet)][:6] == [*outputs[:2], "half \ufffd", *outputs[3:]]
    for text in await insights(quiet):
        text.encode()
    await quiet.engine.embeddings.work()


async def test_a_huge_result_does_not_hold_up_others(quiet: Memory) -> None:
    output = [{"code": f"HAT{at:05}", "note": "nothing of note", "sum": at} for at in range(20_000)]
    messages = [user(BOOK), *step(1, output), *step(2)]
    done = asyncio.create_task(compress(quiet, messages))
    longest, last = 0.0, asyncio.get_running_loop().time()
    while not done.done():
        await asyncio.sleep(0.001)
        longest, last = max(longest, asyncio.get_running_loop().time() - last), asyncio.get_running_loop().time()
    assert "HAT00000" in context((await done).messages)
    assert longest < 0.25  # a second and more where it is packed on the loop
