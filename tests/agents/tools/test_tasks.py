"""Tasks stand restarts, steps at once, resets and odd results, and say what they do."""

import asyncio
import logging
import threading
from collections.abc import Callable
from time import monotonic
from typing import Any

import pytest

from agents.memory import Memory
from agents.open import open_memory
from agents.tools import memory as tool_memory
from agents.tools import search as tool_search
from agents.tools.budget import tokens_of
from agents.tools.search import WAITED
from config.settings import Settings
from memory.traces import trace as trace_documents
from memory.traces import traces
from tests.conversations import Silent, found, say, settle
from tests.scripted_model import ScriptedModel, status
from tests.tool_calls import (
    BOOK,
    Message,
    call,
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
from tests.tool_views import shapes

LOGGERS = ("MemoryBankStrategy", "Ingestion", "Retrieval", "InsightStore", "Observer")  # of the tool memory's document


async def test_another_process_goes_on_with_a_task(make_settings: Callable[..., Settings]) -> None:
    async with open_memory(make_settings(), nudge=Silent()) as first:
        await compress(first, [user(BOOK), *step(1)])
    async with open_memory(make_settings(), nudge=Silent()) as second:
        done = await compress(second, [user(BOOK), *step(2)])
        assert "HAT001" in context(done.messages)
        assert [trace.step for trace in await kept(second)] == [1, 2]
        await second.engine.gists.queue.work()
        hit = (await second.tool_memory.search.insights("ann", "t", "HAT001 find(n=1)")).hits[0]
        assert hit.gist.content == "find(n=1) returned code: HAT001"


async def test_steps_of_one_task_at_once_keep_everything_once(both: tuple[Memory, Memory]) -> None:
    messages = [user(BOOK), *steps(8)]
    done = await asyncio.gather(*(compress(both[at % 2], messages) for at in range(6)))
    assert {tuple(map(str, one.messages)) for one in done} == {tuple(map(str, done[0].messages))}
    assert len(await kept(both[0])) == len(await insights(both[0])) == 8
    await asyncio.gather(*(compress(both[at % 2], [user(BOOK), *step(100 + at)]) for at in range(6)))
    assert len(await kept(both[0])) == len(await insights(both[0])) == 14


async def test_insights_are_no_part_of_what_was_said(quiet: Memory) -> None:
    await compress(quiet, [user(BOOK), *step(1, "the zeppelin of HAT001")])
    await settle(quiet)
    assert "find(" not in await say(quiet, "Where is the zeppelin of HAT001?")
    assert await found(quiet, "the zeppelin of HAT001", owner="ann", kinds=("insight",)) != []


async def test_loggers_have_the_names_and_levels_of_the_document(
    quiet: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        long = step(1, {"code": "HAT001", "note": "lorem ipsum " * 90})
        await compress(quiet, [user(BOOK), *long])
        done = await compress(quiet, [user(BOOK), *long, *step(2)], query="x")
        await quiet.tool_memory.reset("ann", "t")
    ours = [one for one in caplog.records if one.name in LOGGERS]
    assert [one.levelname for one in ours if one.levelname != "DEBUG"] == ["INFO"]  # the embedding model
    said = [(one.name, one.getMessage()) for one in ours]
    [second] = done.trace_ids
    assert ("MemoryBankStrategy", "Memory Bank Strategy - Step 1") in said
    assert ("MemoryBankStrategy", "Memory Bank Strategy - Step 2") in said
    assert ("Ingestion", f"Ingested tool 'find' -> trace_id={second}") in said
    assert ("MemoryBankStrategy", "Added 1 retrieved records to context") in said
    assert ("MemoryBankStrategy", f"Context constructed: 4 messages, {tokens_of(done.messages)} tokens") in said
    assert ("Retrieval", "Ranked 1 records") in said
    assert ("InsightStore", "Found 1 insights") in said
    assert said[-1] == ("MemoryBankStrategy", "MemoryBankState reset")


async def test_records_that_are_all_shown_alike_are_not_ranked_unless_something_is_looked_for(
    quiet: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    async def ranked(steps: int, **more: Any) -> list[str]:
        caplog.clear()
        with caplog.at_level(logging.DEBUG, "Retrieval"):
            messages = [one for at in range(steps) for one in step(at)]
            await compress(quiet, [user(BOOK), *messages, *step(99)], f"t{steps}", top_k=2, **more)
        return [one.getMessage() for one in caplog.records if one.name == "Retrieval"]

    assert await ranked(2) == [] and await ranked(2, query="x") == ["Ranked 2 records"]
    assert await ranked(3) == ["Ranked 3 records"]


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
    await quiet.engine.gists.queue.work()


async def test_a_huge_result_does_not_hold_up_others(quiet: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each piece of work on it goes on only once the event loop has turned, as it can where work is on a thread."""
    loop = asyncio.get_running_loop()
    ran: set[str] = set()

    def hold(owner: Any, name: str) -> None:
        work = getattr(owner, name)

        def held(*arguments: Any) -> Any:
            turned = threading.Event()
            loop.call_soon_threadsafe(turned.set)
            assert turned.wait(5), f"{name} keeps the event loop"
            ran.add(name)
            return work(*arguments)

        monkeypatch.setattr(owner, name, held)

    for name in ("interactions", "view_of", "tokens_of"):
        hold(tool_memory, name)
    hold(traces, "key_of")
    hold(trace_documents, "summary_by_rules")
    output = [{"code": f"HAT{at:05}", "note": "nothing of note", "sum": at} for at in range(20_000)]
    done = await compress(quiet, [user(BOOK), *step(1, output), *step(2)])
    assert "HAT00000" in context(done.messages)
    assert ran == {"interactions", "view_of", "tokens_of", "key_of", "summary_by_rules"}


async def test_what_is_not_sent_any_more_is_older_than_what_came_after_it(quiet: Memory) -> None:
    def order(number: int, state: str) -> list[Message]:
        return step(number, {"order_id": "ORD-77", "state": state}, "get_order", id="ORD-77")

    messages = [*order(1, "pending"), *order(2, "paid"), *order(3, "shipped")]
    await compress(quiet, [user(BOOK), *messages])
    for sent in (messages[2:], messages[4:], messages[:2] + messages[4:]):
        found = context((await compress(quiet, [user(BOOK), *sent, *step(9)])).messages)
        assert "shipped" in found and "pending" not in found and "paid" not in found


async def test_of_results_that_share_an_id_who_shows_what_was_sent_alone_shows_those(quiet: Memory) -> None:
    def once(text: str) -> list[Message]:
        return [calling(call("c", "find", {})), result("c", text)]

    await compress(quiet, [user(BOOK), *once("HAT001 of another run")], sent_alone=True)
    messages = [user(BOOK), *once("HAT002 of this one"), *step(3)]
    shown = context((await compress(quiet, messages, sent_alone=True)).messages)
    assert "HAT002" in shown and "HAT001" not in shown
    assert "HAT001" in context((await compress(quiet, messages)).messages)


async def test_of_very_much_the_most_relevant_and_the_newest_is_read_and_the_rest_is_named(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["zeppelin", "harbour", "violin", "glacier", "parrot", "volcano"]
    for at, word in enumerate(words):
        await compress(quiet, [user(BOOK), *step(at, {f"field{at}": f"the {word} of HAT{at:03}", "text": "x" * 1_000})])
    ids = [trace.id for trace in await kept(quiet)]
    asked: dict[str, Any] = {"query": "where is the zeppelin?", "top_k": 1}
    whole = await compress(quiet, [user(BOOK), *step(9)], **asked)
    assert all(f"HAT{at:03}" in context(whole.messages) for at in range(6))
    most = sum(trace.characters for trace in (await kept(quiet))[:6])
    monkeypatch.setattr(tool_memory, "READ", most)
    assert (await compress(quiet, [user(BOOK), *step(9)], **asked)).messages == whole.messages
    monkeypatch.setattr(tool_memory, "READ", most // 2 + 100)
    found = context((await compress(quiet, [user(BOOK), *step(9)], **asked)).messages)
    assert [at for at in range(6) if f"HAT{at:03}" in found] == [0, 4, 5]
    assert found.splitlines()[-1] == f"Not shown: find {ids[3]}, {ids[2]}, +1"
    monkeypatch.setattr(tool_memory, "READ", 0)
    none = context((await compress(quiet, [user(BOOK), *step(9)], **asked)).messages)
    assert none.splitlines()[2:] == [f"Not shown: find {ids[5]}, {ids[4]}, +4"]


async def test_of_what_is_not_read_what_the_agent_left_is_shown(quiet: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    long = "HAT001 is full. " * 100
    await compress(quiet, [user(BOOK), *step(1, long)])
    monkeypatch.setattr(tool_memory, "READ", 0)
    done = await compress(quiet, [user(BOOK), *step(1, f"{long[:300]}…"), *step(2)])
    assert "HAT001 is full" in context(done.messages) and "Not shown" not in context(done.messages)
    assert len(await kept(quiet)) == 2


async def test_two_processes_give_the_same_view_of_a_history_whatever_is_embedded(
    make_settings: Callable[..., Settings], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool_search, "WAITED", 60.0)  # a machine may be slow
    settings = make_settings()
    words = ("river", "train", "piano", "glass", "storm", "bread", "tiger")
    kinds = [
        (f"{word}_{at}", f"a {word} of {at} parts, {other}")
        for at in range(6)
        for word, other in zip(words, words[::-1], strict=True)
    ]
    earlier = [message for at, (kind, said) in enumerate(kinds) for message in step(at, {kind: said}, f"get_{kind}")]
    messages = [user("Where is the tiger with the piano?"), *earlier, *step(99)]
    async with open_memory(settings, nudge=Silent()) as one, open_memory(settings, nudge=Silent()) as other:
        seen = [await asyncio.gather(compress(one, messages), compress(other, messages))]
        await one.engine.store.collections.vectors.delete_one({"kind": "insight"})  # as if its process had died
        seen.append(await asyncio.gather(compress(one, messages), compress(other, messages)))
        await settle(one)
        seen.append(await asyncio.gather(compress(one, messages), compress(other, messages)))
        assert len(await insights(one)) == len(kinds) + 1
    assert len({done.messages[1]["content"] for pair in seen for done in pair}) == 1


async def test_records_that_cannot_be_embedded_are_not_waited_for(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    scripted_model.always(status(401), on="embeddings")
    began = monotonic()
    for _ in range(2):
        done = await compress(with_model, [user(BOOK), *shapes(6), *step(9)], top_k=1, query="violin")
    assert "HAT003" in context(done.messages) and monotonic() - began < WAITED
