"""Every message gets its embedding, exactly one, whatever happens to the model."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from agents.memory import Memory
from agents.open import open_memory
from config.settings import Settings
from memory.gists import embedding_queue as embed
from memory.gists.embedding_queue import UNAVAILABLE, EmbeddingQueue, Waiting
from memory.store.leases import pending
from tests.conversations import USER, Silent, messages, pairs, settle, turn
from tests.scripted_model import ScriptedModel, nan_vectors, status, wrong_dimension
from utils import circuit
from utils.clock import now
from utils.errors import ModelUnavailable
from utils.openai_client import ATTEMPTS
from utils.vectors import from_binary


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A circuit breaker that is ready to ask again at once."""
    monkeypatch.setattr(circuit, "COOL_DOWN", 0.0)


async def embeds(memory: Memory) -> list[dict[str, Any]]:
    return [one["embed"] for one in await messages(memory)]


async def overdue(memory: Memory) -> None:
    """Lets every wait pass."""
    await memory.engine.store.collections.vectors.update_many(
        {"embed.state": {"$ne": "done"}}, {"$set": {"embed.lease_until": now()}}
    )


async def test_every_message_gets_one_vector_of_its_model_under_concurrent_workers(quiet: Memory) -> None:
    await quiet.add(USER, "s1", pairs(60))
    done = await asyncio.gather(*(quiet.engine.gists.queue.work() for _ in range(4)))
    await settle(quiet)
    assert sum(done) == 120
    stored = await quiet.engine.store.collections.vectors.find({"user_id": USER}).to_list(None)
    assert len(stored) == 120
    assert {one["embedding_model"] for one in stored} == {quiet.engine.gists.embedder.model}
    assert {one["embed"]["attempts"] for one in stored} == {1}
    assert {from_binary(one["embedding"]).shape for one in stored} == {(384,)}
    found = await quiet.search(USER, "user says something of item number 3")
    assert found.hits[0].gist.id == "user3"


async def test_a_text_is_embedded_after_the_name_of_who_said_it(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    await with_model.add(USER, "s1", [turn("m1", "I climb in winter", name="Petra"), turn("m2", "So do I")], wait=True)
    sent = [text for body in scripted_model.asked("embeddings") for text in body["input"]]
    assert sent == ["Petra: I climb in winter", "So do I"]


async def test_what_died_while_the_model_was_away_comes_back_with_it(
    patient: None, model_settings: Settings, scripted_model: ScriptedModel
) -> None:
    async with open_memory(model_settings, nudge=Silent()) as memory:
        scripted_model.always(status(503), on="embeddings")
        await memory.add(USER, "s1", [turn(f"m{n}", f"outage message {n}") for n in range(4)])
        for _ in range(10):
            await overdue(memory)
            await memory.engine.gists.queue.work()
        assert {one["state"] for one in await embeds(memory)} == {"dead"}
        assert {one["error"] for one in await embeds(memory)} == {UNAVAILABLE}
        await memory.engine.sweep()  # the model is still away
        assert "done" not in {one["state"] for one in await embeds(memory)}
        scripted_model.always(None, on="embeddings")
        for _ in range(5):
            await overdue(memory)
            await memory.engine.sweep()
        assert {one["state"] for one in await embeds(memory)} == {"done"}
        assert all("error" not in one for one in await embeds(memory))


async def test_what_died_of_something_else_stays_dead_until_an_admin_revives_it(
    patient: None, model_settings: Settings, scripted_model: ScriptedModel
) -> None:
    async with open_memory(model_settings, nudge=Silent()) as memory:
        scripted_model.always(nan_vectors(), on="embeddings")
        await memory.add(USER, "s1", [turn("m1", "a poisonous message")])
        for _ in range(3):
            await overdue(memory)
            await memory.engine.gists.queue.work()
        scripted_model.always(None, on="embeddings")
        await memory.engine.sweep()
        assert [(one["state"], one["error"]) for one in await embeds(memory)] == [("dead", "ModelGarbage")]


async def test_a_sweep_does_what_a_worker_that_died_had_taken(quiet: Memory) -> None:
    from memory.store.leases import claim

    await quiet.add(USER, "s1", pairs(2))
    vectors = quiet.engine.store.collections.vectors
    await claim(vectors, "embed", 10)
    await quiet.engine.sweep()
    assert {one["state"] for one in await embeds(quiet)} == {"leased"}
    await overdue(quiet)
    await quiet.engine.sweep()
    assert {one["state"] for one in await embeds(quiet)} == {"done"}


async def test_vectors_of_another_model_are_not_compared_until_they_are_made_anew(
    model_settings: Settings, scripted_model: ScriptedModel
) -> None:
    async with open_memory(model_settings, nudge=Silent()) as memory:
        await memory.add(USER, "s1", [turn("m1", "Biscuit is a spaniel"), turn("m2", "Tea at five")], wait=True)
    other = model_settings.model_copy(update={"embedding_model": "another-model"})
    async with open_memory(other, nudge=Silent()) as memory:
        assert (await memory.search(USER, "Biscuit is a spaniel")).hits == ()
        assert await memory.engine.gists.queue.count_outdated() == 2
        assert [count async for count in memory.engine.reembed(batch=1)] == [1, 1]
        assert await memory.engine.gists.queue.count_outdated() == 0
        assert (await memory.search(USER, "Biscuit is a spaniel")).hits[0].gist.id == "m1"


async def test_what_an_older_version_read_is_read_anew(quiet: Memory) -> None:
    await quiet.add(USER, "s1", [turn("m1", "Biscuit is a spaniel"), turn("m2", "Tea at five")], wait=True)
    vectors = quiet.engine.store.collections.vectors
    made = await vectors.find_one({"_id": "m1"})
    assert made is not None
    await vectors.update_one({"_id": "m1"}, {"$set": {"recall": {"made_by": "an older version", "words": []}}})
    await vectors.update_one({"_id": "m2"}, {"$unset": {"recall": ""}})
    assert [hit.gist.id for hit in (await quiet.search(USER, "Which breed is my dog Biscuit?")).hits][:1] == ["m1"]
    assert await quiet.engine.gists.queue.count_outdated() == 2
    assert [count async for count in quiet.engine.reembed()] == [2]
    again = await vectors.find_one({"_id": "m1"})
    assert again is not None and again["recall"] == made["recall"]


async def test_the_workers_read_anew_what_an_earlier_version_of_the_encoder_read(quiet: Memory) -> None:
    await quiet.add(USER, "s1", [turn("m1", "Biscuit is a spaniel"), turn("m2", "Tea at five")], wait=True)
    vectors = quiet.engine.store.collections.vectors
    earlier = {"recall.made_by": "loci-minilm-3/3", "embedding_model": "loci-minilm-3"}
    await vectors.update_one({"_id": "m1"}, {"$set": earlier})
    await vectors.update_one({"_id": "m2"}, {"$set": earlier | {"embedding_model": "text-embedding-3-small"}})
    await quiet.engine.gists.queue.renew()
    assert (await quiet.search(USER, "Biscuit is a spaniel")).hits[0].gist.id == "m1"
    assert await quiet.engine.gists.queue.count_outdated() == 1  # a provider's, which was paid for


EARLIER = {"recall.made_by": "loci-minilm-3/3", "embedding_model": "loci-minilm-3"}


async def test_what_an_earlier_encoder_embedded_is_counted_among_what_waits(quiet: Memory) -> None:
    engine = quiet.engine
    await quiet.add(USER, "s1", pairs(6), wait=True)  # user0 … user5, assistant0 … assistant5
    vectors = engine.store.collections.vectors
    await vectors.update_many({"role": "user"}, {"$set": EARLIER})
    assert [(await engine.gists.queue.count_waiting(most)).count for most in (100, 4)] == [6, 4]
    await vectors.update_one({"_id": "user2"}, {"$set": {"embed": pending()}})
    assert [(await engine.gists.queue.count_waiting(most)).count for most in (100, 4)] == [6, 4]  # none counts twice
    assert [(await engine.gists.queue.count_waiting(most)).at_least for most in (100, 6, 5, 1, 0)] == [
        False,
        False,
        True,
        True,
        True,
    ]
    await engine.gists.queue.work()
    assert (await engine.gists.queue.count_waiting(100)).count == 5
    await engine.gists.queue.renew()
    assert (await engine.gists.queue.count_waiting(100)).count == 0


async def test_of_a_large_store_what_is_up_to_date_is_counted_through_once(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embed, "COUNTED_AT_ONCE", 2)
    engine = quiet.engine
    await quiet.add(USER, "s1", [turn(f"m{n}", f"item {n}") for n in range(9)], wait=True)
    await engine.store.collections.vectors.update_many({"_id": {"$in": ["m5", "m8"]}}, {"$set": EARLIER})
    assert (await engine.gists.queue.count_waiting(100)).count == 2
    monkeypatch.setattr(embed, "COUNTING", 0.0)
    assert await engine.gists.queue.count_waiting(100) == Waiting(0, at_least=True)  # no time to look
    monkeypatch.setattr(embed, "COUNTING", 60.0)
    assert (await engine.gists.queue.count_waiting(100)).count == 2
    asked: list[str] = []
    monkeypatch.setattr(engine.gists.queue, "_last_of_page", _noting(engine.gists.queue, asked))
    assert (await engine.gists.queue.count_waiting(100)).count == 2
    assert asked == ["m3", "m5", "m7", "m8"]
    await engine.gists.queue.renew()
    assert (await engine.gists.queue.count_waiting(100)).count == 0
    asked.clear()
    assert (await engine.gists.queue.count_waiting(100)).count == 0
    assert asked == []


def _noting(queue: EmbeddingQueue, asked: list[str]) -> Callable[[str, int], Awaitable[str | None]]:
    """What finds the end of a page, and notes after which `_id` it is asked for."""
    found = queue._last_of_page

    async def noted(after: str, size: int) -> str | None:
        asked.append(after)
        return await found(after, size)

    return noted


async def test_the_log_tells_when_an_earlier_encoders_messages_are_embedded_anew_and_when_that_is_done(
    quiet: Memory, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level("INFO", logger="memory.gists.embedding_queue")
    monkeypatch.setattr(embed, "LOOKED_AT", 2)
    monkeypatch.setattr(embed, "TURN_SECONDS", 0.0)
    await quiet.add(USER, "s1", [turn(f"m{n}", f"item {n}") for n in range(9)], wait=True)
    await quiet.engine.store.collections.vectors.update_many({"_id": {"$gte": "m4"}}, {"$set": EARLIER})
    await quiet.engine.gists.queue.renew()
    assert caplog.messages == []
    monkeypatch.setattr(embed, "TURN_SECONDS", 60.0)
    await quiet.engine.gists.queue.renew()
    await quiet.engine.gists.queue.renew()
    assert caplog.messages == [
        "5 messages of an earlier encoder's are being embedded anew",
        "5 messages of an earlier encoder's have been embedded anew",
    ]


async def test_where_nothing_is_an_earlier_encoders_nothing_is_logged(
    quiet: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", logger="memory.gists.embedding_queue")
    await quiet.add(USER, "s1", pairs(2), wait=True)
    await quiet.engine.gists.queue.renew()
    assert caplog.messages == []


async def test_what_a_providers_model_embedded_does_not_wait(with_model: Memory) -> None:
    await with_model.add(USER, "s1", pairs(2), wait=True)
    await with_model.engine.store.collections.vectors.update_many({}, {"$set": EARLIER})
    assert (await with_model.engine.gists.queue.count_waiting(100)).count == 0  # it has to be asked for


async def test_a_model_that_changes_its_dimension_stores_nothing(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    await with_model.add(USER, "s1", [turn("m1", "My first bike is red.")], wait=True)
    scripted_model.script(wrong_dimension(), on="embeddings")
    await with_model.add(USER, "s1", [turn("m2", "My second bike is blue.")])
    await with_model.engine.gists.queue.work()
    assert [one["state"] for one in await embeds(with_model)] == ["done", "pending"]
    assert (await with_model.search(USER, "My first bike is red.")).hits[0].gist.id == "m1"


async def test_a_model_that_is_away_is_not_waited_for_twice_by_a_search(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    await with_model.add(USER, "s1", [turn("m1", "Biscuit is a spaniel")])
    scripted_model.always(status(500), on="embeddings")
    before = len(scripted_model.asked("embeddings"))
    with pytest.raises(ModelUnavailable):
        await with_model.search(USER, "Biscuit")
    assert len(scripted_model.asked("embeddings")) - before == ATTEMPTS


async def test_who_says_one_thing_does_not_wait_for_all_that_another_imported(quiet: Memory) -> None:
    await quiet.add("bob", "s1", [turn(f"b{n}", f"item {n}") for n in range(300)])
    await quiet.add("ann", "s1", [turn("a1", "bees make honey")])
    assert await quiet.engine.gists.queue.step()
    assert await quiet.engine.chats.turns.embedded("ann", ["a1"])
    assert not await quiet.engine.chats.turns.embedded("bob", [f"b{n}" for n in range(300)])
    assert await quiet.engine.chats.turns.embedded("bob", ["b0"])  # nor does the first wait for the last
    await quiet.engine.gists.queue.work()
    assert await quiet.engine.chats.turns.embedded("bob", [f"b{n}" for n in range(300)])


async def test_a_turn_leaves_the_rest_to_the_next(quiet: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    await quiet.add(USER, "s", [turn(f"m{at}") for at in range(embed.BATCH + 1)])
    monkeypatch.setattr(embed, "TURN_SECONDS", 0.0)
    assert await quiet.engine.gists.queue.turn()
    assert (await quiet.engine.gists.queue.count_waiting(9)).count == 1
    assert not await quiet.engine.gists.queue.turn()
    assert (await quiet.engine.gists.queue.count_waiting(9)).count == 0
