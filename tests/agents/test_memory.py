"""A request is answered from start to end, and what was said is safe at every moment in between."""

import asyncio
from collections.abc import Awaitable
from contextlib import aclosing
from typing import Any

import pytest

from agents.chat.context import SEARCHED_BY
from agents.events import Delta, Event, Finished, Started
from agents.memory import Memory
from agents.open import open_memory
from agents.upkeep import Work
from config.settings import Settings
from memory.domain import RULE_BASED
from memory.turns.receipts import Receipt
from tests.conversations import USER, Silent, messages, pairs, request, say, settle, turn, until
from tests.scripted_model import Behaviour, ScriptedModel, answer, cut, hang, stalled, status
from utils.errors import ModelUnavailable, NotFound, StoreUnavailable


def on_the_loop(work: Awaitable[Any], loop: asyncio.AbstractEventLoop) -> Any:
    """What `work` gives, waited for by the scripted model's thread."""

    async def awaited() -> Any:
        return await work

    return asyncio.run_coroutine_threadsafe(awaited(), loop).result(10)


async def events(memory: Memory, *args: Any, **more: Any) -> list[Event]:
    return [event async for event in memory.stream(request(*args, **more))]


# Nothing is lost.


async def test_the_prompt_is_committed_before_any_model_is_asked(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    loop, stored = asyncio.get_running_loop(), []

    def looking(asked: dict[str, Any]) -> str:
        stored.append([one["content"] for one in on_the_loop(messages(with_model), loop)])
        return "Hello Ann."

    scripted_model.reply = looking
    await with_model.chat(request("My name is Ann."))
    assert stored == [["My name is Ann."]]


async def test_of_a_very_long_message_memory_is_searched_by_the_beginning_and_all_is_kept(quiet: Memory) -> None:
    text = "My dog is called Biscuit. " * 3_000
    done = await quiet.chat(request(text))
    assert done.context.bundle is not None and len(done.context.bundle.recall.query) == SEARCHED_BY
    assert (await messages(quiet))[0]["content"] == text


async def test_the_prompt_is_committed_even_when_it_is_the_embedding_that_is_asked_first(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    scripted_model.always(hang(), on="embeddings")
    task = asyncio.create_task(with_model.chat(request("Which hidden question is this?")))

    async def asked() -> bool:
        return len(scripted_model.asked("embeddings")) > 0

    await with_model.add(USER, "s0", [turn("m0", "a reason to search")])
    try:
        await until(asked)
        assert [one["content"] for one in await messages(with_model)] == ["Which hidden question is this?"]
    finally:
        task.cancel()
        await asyncio.wait([task])


async def test_the_answer_is_committed_with_its_model_before_it_is_returned(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(answer("Nice to meet you."))
    finished = await with_model.chat(request("My name is Ann."))
    prompt, response = await messages(with_model)
    assert finished.answer.text == response["content"] == "Nice to meet you."
    assert (prompt["role"], response["role"]) == ("user", "assistant")
    assert (prompt["message_index"], response["message_index"]) == (0, 1)
    assert response["model"] == finished.answer.model == "gpt-4o-mini"
    assert prompt["turn_id"] == response["turn_id"] == finished.context.request.turn_id


@pytest.mark.parametrize("proxied", [True, False])
async def test_facts_are_made_of_what_a_user_says_and_upkeep_waits_for_answers_of_the_proxy(
    quiet: Memory, proxied: bool
) -> None:
    await quiet.chat(request("I live in Oslo.", proxied=proxied))
    assert [("facts" in one) for one in await messages(quiet)] == [True, proxied]


async def test_exchanges_at_once_have_their_answers_behind_their_prompts(quiet: Memory) -> None:
    await asyncio.gather(*(quiet.chat(request(f"thing {n}", turn_id=f"t{n}")) for n in range(20)))
    kept = await messages(quiet)
    assert [one["message_index"] for one in kept] == list(range(40))
    for prompt, response in zip(kept[::2], kept[1::2], strict=True):
        assert prompt["turn_id"] == response["turn_id"]
    session = await quiet.engine.chats.sessions.get(USER, "s1")
    assert (session.message_count, session.pair_count) == (40, 20)


async def test_an_exchange_tried_again_under_its_turn_id_overwrites_itself(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(answer("first"), answer("second"))
    for _ in range(2):
        await with_model.chat(request("Which one?", turn_id="t1", retried=True))
        await settle(with_model)
    assert [one["content"] for one in await messages(with_model)] == ["Which one?", "second"]
    session = await with_model.engine.chats.sessions.get(USER, "s1")
    assert (session.message_count, session.pair_count) == (2, 1)
    recall = await with_model.search(USER, "second")
    assert recall.hits[0].gist.content == "second"


async def test_an_answer_that_was_interrupted_is_overwritten_by_the_whole_one(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(cut(3))
    with pytest.raises(ModelUnavailable):
        await events(with_model, "one two three four five", turn_id="t1", retried=True)
    finished = await with_model.chat(request("one two three four five", turn_id="t1", retried=True))
    kept = await messages(with_model)
    assert [one["content"] for one in kept] == ["one two three four five", finished.answer.text]
    assert "interrupted" not in kept[1]
    assert (await with_model.engine.chats.sessions.get(USER, "s1")).message_count == 2


async def test_a_prompt_whose_request_crashed_before_it_was_stored_counts_once(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def crash(*_: Any) -> int:
        raise ConnectionResetError

    with monkeypatch.context() as patch:
        patch.setattr(quiet.engine.chats.turns, "insert", crash)
        with pytest.raises(ConnectionResetError):
            await quiet.chat(request("Hello, I am Ann", turn_id="t1", retried=True))
    await quiet.chat(request("Hello, I am Ann", turn_id="t1", retried=True))
    assert len(await messages(quiet)) == 2
    assert (await quiet.engine.chats.sessions.get(USER, "s1")).message_count == 2


async def test_a_session_deleted_while_its_answer_is_made_leaves_nothing_behind(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    loop = asyncio.get_running_loop()

    def deleting(asked: dict[str, Any]) -> str:
        on_the_loop(with_model.engine.oversight.forgetter.session(USER, "s1"), loop)
        return "Too late."

    scripted_model.reply = deleting
    asked = request("My name is Ann.")
    assert (await with_model.chat(asked)).answer.text == "Too late."
    assert await messages(with_model) == []
    with pytest.raises(NotFound):
        await with_model.engine.chats.sessions.get(USER, "s1")
    with pytest.raises(NotFound):
        await with_model.engine.chats.receipts.get(USER, asked.turn_id)


@pytest.mark.parametrize("kept_first", [False, True])
async def test_a_session_deleted_while_an_answer_is_kept_leaves_no_receipt(
    kept_first: bool, quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, keep = request("My name is Ann."), quiet.engine.chats.receipts.keep

    async def beside_a_deletion(owner: str, receipt: Receipt) -> None:
        if kept_first:
            await keep(owner, receipt)
        await quiet.engine.oversight.forgetter.session(USER, "s1")
        if not kept_first:
            await keep(owner, receipt)

    monkeypatch.setattr(quiet.engine.chats.receipts, "keep", beside_a_deletion)
    await quiet.chat(asked)
    assert await messages(quiet) == []
    assert await quiet.engine.store.collections.receipts.count_documents({}) == 0


# Streams.


async def test_a_stream_starts_with_the_context_and_ends_with_the_stored_answer(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(answer("one two three"))
    started, *deltas, finished = await events(with_model, "What is new?")
    assert isinstance(started, Started)
    assert isinstance(finished, Finished)
    assert "".join(one.text for one in deltas if isinstance(one, Delta)) == "one two three"
    assert (await messages(with_model))[1]["content"] == finished.answer.text == "one two three"


async def test_an_answer_by_rules_is_streamed_too(quiet: Memory) -> None:
    started, delta, finished = await events(quiet, "my dog is called Biscuit")
    assert isinstance(started, Started)
    assert isinstance(finished, Finished)
    assert delta == Delta(finished.answer.text)


async def test_a_stream_that_the_model_cuts_keeps_what_was_said_and_says_so(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(Behaviour(text="one two three four", cut_after=3))
    asked = request("Count!")
    heard: list[Event] = []
    with pytest.raises(ModelUnavailable):
        async for event in with_model.stream(asked):
            heard.append(event)  # noqa: PERF401 - the stream raises before it ends
    said = "".join(one.text for one in heard if isinstance(one, Delta))
    _, response = await messages(with_model)
    assert response["content"] == said == "one two "
    assert response["interrupted"] is True
    assert response["model"] == "gpt-4o-mini"
    receipt = await with_model.engine.chats.receipts.get(USER, asked.turn_id)
    assert receipt.interrupted
    assert receipt.ledger


async def test_a_stream_whose_reader_leaves_keeps_what_was_said_and_says_so(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(Behaviour(text="one two three four", hang_after=3))
    asked = request("Count!")
    async with aclosing(with_model.stream(asked)) as stream:
        async for event in stream:
            if isinstance(event, Delta):
                break
    await with_model.close()
    _, response = await messages(with_model)
    assert "one two three four".startswith(response["content"].strip())
    assert response["interrupted"] is True
    assert response["model"] == "gpt-4o-mini"
    receipt = await with_model.engine.chats.receipts.get(USER, asked.turn_id)
    assert receipt.interrupted
    assert receipt.prompt_tokens > 0

    async def hung_up() -> bool:
        return scripted_model.hang_ups > 0

    await until(hung_up)


async def test_a_reader_who_leaves_before_anything_was_said_leaves_a_prompt_without_an_answer(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(stalled(0))
    async with aclosing(with_model.stream(request("Count!"))) as stream:
        await anext(stream)
    await with_model.close()
    assert [one["role"] for one in await messages(with_model)] == ["user"]
    await with_model.chat(request("And now?"))
    assert [one["message_index"] for one in await messages(with_model)] == [0, 2, 3]


async def test_a_stream_whose_model_is_away_is_answered_by_rules(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    scripted_model.always(status(503))
    finished = (await events(with_model, "my dog is called Biscuit"))[-1]
    assert isinstance(finished, Finished)
    assert finished.answer.model == RULE_BASED
    assert (await messages(with_model))[1]["model"] == RULE_BASED


# What is read, and what is not.


@pytest.mark.parametrize("query", ["what is my dog called?", "remember that my dog is Rex", "forget my dog"])
async def test_a_temporary_chat_reads_nothing_and_keeps_nothing(quiet: Memory, query: str) -> None:
    await say(quiet, "remember that my dog is Biscuit", session_id="s2")
    database = quiet.engine.store.collections.vectors.database
    names = await database.list_collection_names()
    before = {name: await database[name].find({}).to_list(None) for name in names}
    for session in ("s1", "s2"):
        finished = await quiet.chat(request(query, session, temporary=True))
        assert finished.context.bundle is None
        assert not finished.context.intent.need_memory
        assert "Biscuit" not in finished.answer.text
    assert {name: await database[name].find({}).to_list(None) for name in names} == before


async def test_without_memory_nothing_is_read_but_what_was_said_is_kept(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    await say(with_model, "remember that my dog is Biscuit", "I like trains.")
    finished = await with_model.chat(request("what is my dog called?", use_memory=False))
    assert finished.context.bundle is None
    assert finished.context.ran == ("writer_agent",)
    assert scripted_model.asked("chat")[-1]["messages"][1]["content"] == "what is my dog called?"
    assert finished.answer.citations == ()
    assert len(await messages(with_model)) == 6


async def test_memory_crosses_sessions_but_never_users(quiet: Memory) -> None:
    await say(quiet, "my dog is called Biscuit", session_id="s1")
    assert "Biscuit" in await say(quiet, "what is my dog's name?", session_id="s2")
    assert "Biscuit" not in await say(quiet, "what is my dog's name?", session_id="s1", owner="bob")


async def test_the_request_itself_is_not_among_what_it_recalls(quiet: Memory) -> None:
    for owner in ("bob", USER):  # the second one's messages have an `_id` of their own
        for _ in range(2):
            asked = request("what is my dog's name?", turn_id="same", retried=True, owner=owner)
            finished = await quiet.chat(asked)
            await settle(quiet)
        assert finished.context.bundle is not None
        assert finished.context.bundle.recall.considered == ()


async def test_a_summary_is_asked_for_every_10_pairs_of_chat(make_settings: Any) -> None:
    class Counting(Silent):
        asked = 0

        def __call__(self, *works: Work) -> None:
            self.asked += "summarise" in works

    nudge = Counting()
    async with open_memory(make_settings(), nudge=nudge) as memory:
        for number in range(9):
            await memory.chat(request(f"thing {number}"))
        assert nudge.asked == 0
        await memory.chat(request("thing 10"))
        assert nudge.asked == 1
        assert await memory.engine.chats.summaries.work() == 1


async def test_a_memory_works_in_the_background_of_its_own_loop(memory: Memory) -> None:
    for number in range(10):
        await memory.chat(request(f"thing {number}"))

    async def done() -> bool:
        embedded = all(one["embed"]["state"] == "done" for one in await messages(memory))
        return embedded and len(await memory.engine.chats.summaries.of_session(USER, "s1")) == 1

    await until(done)


async def test_a_memory_opened_again_has_everything(make_settings: Any) -> None:
    settings: Settings = make_settings()
    async with open_memory(settings) as memory:
        await memory.add(USER, "s1", pairs(3))
        await memory.chat(request("my dog is called Biscuit"))
    async with open_memory(settings) as memory:
        await memory.engine.sweep()
        assert len(await messages(memory)) == 8
        assert "Biscuit" in (await memory.chat(request("what is my dog called?", "s2"))).answer.text


async def test_a_request_to_summarise_does_not_tell_what_a_summary_tells(quiet: Memory) -> None:
    for n in range(10):
        await quiet.chat(request(f"My friend number {n} lives in a house by the sea."))
    assert await quiet.engine.chats.summaries.work() == 1
    bundle = (await quiet.chat(request("Summarise our conversation."))).context.bundle
    assert bundle is not None
    assert len(bundle.summaries) == 1
    assert bundle.unsummarised == ()


async def test_nothing_goes_on_after_a_prompt_that_could_not_be_committed(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise StoreUnavailable("away")

    monkeypatch.setattr(quiet.engine.chats.turns, "open_exchange", fail)
    with pytest.raises(StoreUnavailable):
        await quiet.chat(request("What is my dog called?"))
    running = {str(task.get_coro()) for task in asyncio.all_tasks()}
    assert not [one for one in running if "MemoryAgent" in one or "Exchanges." in one]


@pytest.mark.parametrize(
    ("content", "name", "stated"),
    [
        ("I live in Oslo.", None, True),
        ("I live in Oslo.", "user", True),
        ("I live in Oslo.", USER.upper(), True),
        ("I live in Oslo.", "Bob", False),
    ],
)
async def test_a_message_with_anothers_name_tells_nothing_of_the_user(
    quiet: Memory, content: str, name: str | None, stated: bool
) -> None:
    await quiet.add(USER, "s1", [turn("m1", content, name=name)])
    await quiet.engine.knowledge.queue.work()
    assert bool(await quiet.engine.knowledge.facts.in_force(USER)) == stated


async def test_a_temporary_chat_leaves_no_facts(quiet: Memory) -> None:
    await quiet.chat(request("I live in Oslo.", temporary=True))
    await quiet.engine.knowledge.queue.work()
    assert await quiet.engine.knowledge.facts.in_force(USER) == []
