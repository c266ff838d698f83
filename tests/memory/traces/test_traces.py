"""What tools gave is kept once, whole, seen by its owner alone, and gone when it is to be."""

import asyncio
from datetime import datetime, timedelta
from functools import partial

import pytest

from agents.memory import Memory
from memory.traces import trace as trace_ids
from memory.traces import traces as traces_module
from memory.traces.traces import AT_ONCE, Traces
from tests.conversations import until
from tests.meanwhile import Killed, kill, meanwhile
from tests.tool_calls import called, insights, keep, kept, named
from utils.clock import now
from utils.errors import Conflict, NotFound


@pytest.fixture
def traces(quiet: Memory) -> Traces:
    return quiet.engine.tools.traces


async def everything(memory: Memory, owner: str = "ann") -> dict[str, int]:
    names = ("tasks", "traces", "vectors")
    collections = {name: getattr(memory.engine.store.collections, name) for name in names}
    return {name: await one.count_documents({"user_id": owner}) for name, one in collections.items()}


async def test_a_call_is_kept_whole_with_its_insight(quiet: Memory, traces: Traces) -> None:
    [trace] = await keep(traces, called(1, '{"code": "HAT136"}', query="to Rome"))
    assert await traces.get("ann", trace.id) == trace
    assert (trace.task_id, trace.step, trace.call_id, trace.tool_name) == ("t", 1, "c1", "find")
    assert (trace.raw_input, trace.raw_output) == ('{"n": 1}', '{"code": "HAT136"}')
    assert (trace.summary, trace.model) == ("find(n=1) returned code: HAT136", "rule_based")
    assert trace.record.summary == ""  # it says nothing that the result does not
    assert await insights(quiet) == [trace.summary]


async def test_a_task_that_many_begin_at_once_is_one(both: tuple[Memory, Memory]) -> None:
    begun = await asyncio.gather(*(both[at % 2].engine.tools.traces.begin("ann", "t") for at in range(10)))
    assert len({task.epoch for task in begun}) == 1
    for owner, name in (("ann", "t2"), ("bob", "t")):
        other = await both[0].engine.tools.traces.begin(owner, name)
        assert other.step == 1 and other.epoch != begun[0].epoch
    assert sorted(task.step for task in begun) == list(range(1, 11))


async def test_the_same_call_is_kept_once(quiet: Memory, traces: Traces) -> None:
    [first] = await keep(traces, called(1, "HAT001"))
    await keep(traces, called(1, "HAT001", query="asked again"), called(2, "HAT002"))
    assert [one.id for one in await kept(quiet)][:1] == [first.id]
    assert len(await kept(quiet)) == len(await insights(quiet)) == 2


async def test_calls_differ_by_id_tool_arguments_and_what_came_back(traces: Traces) -> None:
    task = await traces.begin("ann", "t")
    base = called(1)
    others = [called(1, call_id="x"), called(2, call_id="c1"), type(base)("c1", "get", base.raw_input, base.raw_output)]
    ids = await traces.ids_of(task, [base, *others, called(1, "other"), called(1)], {})
    assert len(set(ids)) == 5 and ids[0] == ids[-1]
    assert all(len(one) == 8 and one.isalnum() and one.islower() for one in ids)


async def test_calls_whose_ids_would_be_the_same_have_others(
    quiet: Memory, traces: Traces, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 32 different ids, the chance that 20 differ is next to none."""
    monkeypatch.setattr(traces_module, "id_of", lambda key, attempt=0: trace_ids.id_of(key, attempt)[:1])
    calls = [called(number) for number in range(20)]
    for number, call in enumerate(calls[:10]):
        await keep(traces, call, task=f"t{number % 2}")
    await keep(traces, *calls, task="t0")
    every = await kept(quiet)
    assert len({trace.id for trace in every}) == len(every) == 25
    task = await traces.begin("ann", "t0")
    known = await traces.known(task)
    ids = await traces.ids_of(task, calls, known)
    assert ids == await traces.ids_of(task, calls, {})
    assert [known[one].call_id for one in ids] == [call.call_id for call in calls]
    assert await insights(quiet) == sorted(trace.summary for trace in every)


async def test_what_is_left_of_a_result_is_known_as_it(traces: Traces) -> None:
    whole = "the heron stands by the mill\n" * 30
    [first, second] = await keep(traces, called(1, whole), called(1, whole.upper()))
    task = await traces.begin("ann", "t")
    known = await traces.known(task)

    async def id_of(text: str, number: int = 1) -> str:
        return (await traces.ids_of(task, [called(number, text)], known))[0]

    assert [await id_of(whole), await id_of(whole[:100] + "…"), await id_of(f"{first.id}: heron")] == [first.id] * 3
    assert [await id_of(whole.upper()), await id_of(whole.upper()[:300])] == [second.id] * 2
    assert await id_of("[cleared]") in (first.id, second.id)
    assert {await id_of("it flew away"), await id_of("[cleared]", 2)}.isdisjoint(known)


async def test_known_traces_come_oldest_first_without_the_truth(traces: Traces) -> None:
    await keep(traces, *(called(number) for number in (3, 1, 2)))
    await keep(traces, called(0))
    known = await traces.known(await traces.begin("ann", "t"))
    assert [trace.call_id for trace in known.values()] == ["c3", "c1", "c2", "c0"]
    assert {trace.raw_output for trace in known.values()} == {""}
    whole = await traces.whole(await traces.begin("ann", "t"), [*list(known)[:2], "missing"])
    assert [whole[one].raw_output for one in list(known)[:2]] == ["HAT003", "HAT001"]
    assert len(whole) == 2


async def test_more_than_are_inserted_at_once_keep_their_order(quiet: Memory, traces: Traces) -> None:
    count = 2 * AT_ONCE + 5
    await keep(traces, *(called(number) for number in range(count)))
    known = await traces.known(await traces.begin("ann", "t"))
    assert [trace.call_id for trace in known.values()] == [f"c{number}" for number in range(count)]
    assert await everything(quiet) == {"tasks": 1, "traces": count, "vectors": count}
    assert await traces.reset("ann", "t") == {"tasks": 1, "traces": count, "vectors": count}


async def test_nobody_sees_what_others_tools_gave(traces: Traces) -> None:
    [trace] = await keep(traces, called(1))
    with pytest.raises(NotFound):
        await traces.get("bob", trace.id)
    assert await traces.known(await traces.begin("bob", "t")) == {}
    assert await traces.known(await traces.begin("ann", "t2")) == {}
    assert await traces.whole(await traces.begin("bob", "t"), [trace.id]) == {}
    assert await traces.whole(await traces.begin("ann", "t2"), [trace.id]) == {}
    assert await traces.page("bob", limit=9, after=None, task_id="t") == []
    assert await traces.reset("bob", "t") == {"tasks": 1, "traces": 0, "vectors": 0}
    assert (await traces.get("ann", trace.id)).raw_output == "HAT001"


async def test_pages_come_newest_first(traces: Traces) -> None:
    for number in range(5):
        await keep(traces, called(number), task=f"t{number % 2}")
    page = await traces.page("ann", limit=3, after=None, task_id=None)
    assert [trace.call_id for trace, _ in page] == ["c4", "c3", "c2"]
    assert {(trace.raw_input, trace.raw_output, trace.characters) for trace, _ in page} == {("", "", 6)}
    last, key = page[-1]
    rest = await traces.page("ann", limit=3, after=(last.updated_at, key), task_id=None)
    assert [trace.call_id for trace, _ in rest] == ["c1", "c0"]
    of_one = await traces.page("ann", limit=9, after=None, task_id="t1")
    assert [trace.call_id for trace, _ in of_one] == ["c3", "c1"]


async def test_a_task_that_is_reset_begins_anew(quiet: Memory, traces: Traces) -> None:
    [old] = await keep(traces, called(1))
    await keep(traces, called(2), task="other")
    before = await traces.begin("ann", "t")
    assert await traces.reset("ann", "t") == {"tasks": 1, "traces": 1, "vectors": 1}
    assert [trace.call_id for trace in await kept(quiet)] == ["c2"]
    with pytest.raises(NotFound):
        await traces.reset("ann", "t")
    after = await traces.begin("ann", "t")
    assert after.step == 1 and after.epoch != before.epoch
    assert old.id not in await named(traces, after, called(1))


@pytest.mark.parametrize("method", ["insert_many", "find_one"])
@pytest.mark.parametrize("collection", ["traces", "vectors", "tasks"])
@pytest.mark.parametrize("after", [False, True])
async def test_what_comes_in_while_a_task_is_reset_is_gone_with_it(
    both: tuple[Memory, Memory], monkeypatch: pytest.MonkeyPatch, collection: str, method: str, after: bool
) -> None:
    one, other = both
    task = await one.engine.tools.traces.begin("ann", "t")

    async def reset() -> None:
        await other.engine.tools.traces.reset("ann", "t")

    calls = await named(one.engine.tools.traces, task, called(1), called(2))
    meanwhile(monkeypatch, getattr(one.engine.store.collections, collection), method, reset, after=after)
    try:
        await one.engine.tools.traces.keep(task, calls)
    except Conflict as error:
        assert error.retry_after
        assert await everything(one) == {"tasks": 0, "traces": 0, "vectors": 0}
    monkeypatch.undo()
    if await one.engine.store.collections.tasks.find_one({"user_id": "ann"}):  # the reset came not at all, or last
        await reset()
    assert await everything(one) == {"tasks": 0, "traces": 0, "vectors": 0}


@pytest.mark.parametrize("method", ["find_one_and_delete", "distinct", "delete_many"])
@pytest.mark.parametrize("collection", ["traces", "tasks"])
@pytest.mark.parametrize("after", [False, True])
async def test_what_an_agent_keeps_after_its_task_was_reset_stays(
    quiet: Memory, traces: Traces, monkeypatch: pytest.MonkeyPatch, collection: str, method: str, after: bool
) -> None:
    await keep(traces, called(1))
    begun: list[str] = []

    async def go_on() -> None:
        begun.extend(one.id for one in await keep(traces, called(2)))

    meanwhile(monkeypatch, getattr(quiet.engine.store.collections, collection), method, go_on, after=after)
    await traces.reset("ann", "t")
    if (task := await quiet.engine.store.collections.tasks.find_one({"user_id": "ann"})) is None:
        assert await everything(quiet) == {"tasks": 0, "traces": 0, "vectors": 0}  # it came before the reset
    else:
        assert [(trace.id, trace.call_id) for trace in await kept(quiet)] == [(begun[0], "c2")]
        assert await everything(quiet) == {"tasks": 1, "traces": 1, "vectors": 1} and task["steps"] == 1


async def test_a_reset_that_comes_between_two_hundreds_of_traces_is_noticed(
    both: tuple[Memory, Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = both
    task = await one.engine.tools.traces.begin("ann", "t")

    async def reset() -> None:
        await other.engine.tools.traces.reset("ann", "t")

    calls = await named(one.engine.tools.traces, task, *(called(number) for number in range(AT_ONCE + 1)))
    meanwhile(monkeypatch, one.engine.store.collections.tasks, "find_one", reset, after=True)  # of the first hundred
    with pytest.raises(Conflict):
        await one.engine.tools.traces.keep(task, calls)
    assert await everything(one) == {"tasks": 0, "traces": 0, "vectors": 0}


async def test_what_a_killed_process_kept_of_a_reset_task_goes_by_the_sweep(
    quiet: Memory, traces: Traces, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = await traces.begin("ann", "t")
    await traces.reset("ann", "t")
    meanwhile(monkeypatch, quiet.engine.store.collections.tasks, "find_one", kill)
    with pytest.raises(Killed):
        await traces.keep(task, await named(traces, task, called(1)))
    assert await everything(quiet) == {"tasks": 0, "traces": 1, "vectors": 1}
    due = {"$set": {"observe.lease_until": now() - timedelta(hours=1)}}
    await quiet.engine.store.collections.traces.update_many({}, due)
    await quiet.engine.sweep()
    assert await everything(quiet) == {"tasks": 0, "traces": 0, "vectors": 0}


async def test_a_reset_that_was_cut_short_is_ended_by_the_next_one(
    quiet: Memory, traces: Traces, monkeypatch: pytest.MonkeyPatch
) -> None:
    await keep(traces, called(1), called(2))
    with monkeypatch.context() as patch:
        meanwhile(patch, quiet.engine.store.collections.traces, "delete_many", kill)
        with pytest.raises(Killed):
            await traces.reset("ann", "t")
    assert (await everything(quiet))["traces"] == 2
    assert await traces.known(await traces.begin("ann", "t")) == {}  # they are not of the task that begins anew
    await traces.reset("ann", "t")
    assert await everything(quiet) == {"tasks": 0, "traces": 0, "vectors": 0}


async def test_an_insight_that_comes_late_to_a_task_that_is_reset_goes_too(
    both: tuple[Memory, Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = both
    [trace] = await keep(one.engine.tools.traces, called(1))

    async def insight_again() -> None:
        await other.engine.tools.traces.make_recallable("ann", [trace])

    meanwhile(monkeypatch, one.engine.store.collections.traces, "delete_many", insight_again)
    await one.engine.tools.traces.reset("ann", "t")
    assert await everything(one) == {"tasks": 0, "traces": 0, "vectors": 0}


async def _is_past(moment: datetime) -> bool:
    return now() > moment


async def test_what_began_later_than_a_deletion_stays(quiet: Memory, traces: Traces) -> None:
    await keep(traces, called(1))
    await keep(traces, called(1), owner="bob")
    moment = now()
    await until(partial(_is_past, moment + timedelta(milliseconds=2)))
    await keep(traces, called(2), task="new")
    await keep(traces, called(3))
    assert await traces.forget("ann", moment) == {"tasks": 1, "traces": 2, "vectors": 2}  # a task goes whole
    assert [trace.call_id for trace in await kept(quiet)] == ["c2"]
    assert len(await kept(quiet, "bob")) == 1


async def test_every_query_stands_on_an_index(traces: Traces, quiet: Memory) -> None:
    await keep(traces, called(1))
    collection = quiet.engine.store.collections.traces
    for query in ({"user_id": "ann", "trace_id": "x"}, {"user_id": "ann", "task_id": "t", "epoch": "e"}):
        plan = await collection.find(query).explain()  # type: ignore[attr-defined]
        assert "COLLSCAN" not in str(plan)
    newest = [("timestamp", -1), ("_id", -1)]
    plan = await collection.find({"user_id": "ann", "task_id": "t"}).sort(newest).explain()  # type: ignore[attr-defined]
    assert "task_newest" in str(plan) and "'SORT'" not in str(plan)


async def test_the_truth_of_a_task_is_read_from_the_newest_on_as_far_as_there_is_room(
    traces: Traces, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(traces_module, "AT_ONCE_CHARACTERS", 20)
    for at in range(5):
        await keep(traces, called(at, f"HAT{at:07}"))
    await keep(traces, called(9, "HAT9"), task="other")

    async def read(most: int) -> list[list[str]]:
        return [[one.raw_output[-1] for one in batch] async for batch in traces.with_truth("ann", "t", most)]

    assert await read(1_000) == [["4", "3"], ["2", "1"], ["0"]]
    assert await read(35) == [["4", "3"], ["2"]]
    assert [batch async for batch in traces.with_truth("ann", "nobody's", 1_000)] == []
