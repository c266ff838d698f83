"""Observations: remembered once, recalled by their words, whole after a crash; on the built-in store and in memory."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from agents.memory import Memory
from agents.open import open_memory
from config.recipes import OBSERVATIONS
from config.settings import Settings
from memory.engine import Engine
from memory.observations import observations
from memory.observations.observation import CATEGORIES, Observed, observation_id, observed
from memory.recall.ranking import Scope
from tests.conversations import Silent, settle
from tests.in_memory import in_memory, open_in_memory
from utils.clock import now
from utils.embeddings import LocalEmbedder
from utils.errors import InvalidInput, NotFound
from utils.mongo import Document

HERON = "The heron nests by the mill"


class Killed(BaseException):
    """The process ends here."""


@pytest.fixture(params=["built-in", "in memory"])
async def engine(
    request: pytest.FixtureRequest, make_settings: Callable[..., Settings], reader: LocalEmbedder
) -> AsyncIterator[Engine]:
    if request.param == "in memory":
        with in_memory():
            yield await open_in_memory(reader)
    else:
        async with open_memory(make_settings(), nudge=Silent()) as memory:
            yield memory.engine


async def texts(engine: Engine, query: str, owner: str = "ann", **more: Any) -> list[str]:
    return [one.observation.content for one in await engine.notes.observations.recall(owner, query, **more)]


async def gists(engine: Engine, owner: str = "ann") -> int:
    return int(await engine.store.collections.vectors.count_documents({"user_id": owner}))


async def test_blanks_make_no_other_observation(engine: Engine) -> None:
    first, _ = await engine.notes.observations.remember("ann", observed([HERON]), "RUN:walk")
    for other in (f"  {HERON} ", HERON.replace(" ", "\n \t")):
        again, new = await engine.notes.observations.remember("ann", observed([other]), "RUN:walk")
        assert (again, new) == (first, 0)
    both, new = await engine.notes.observations.remember("ann", observed(["a b", " a  b"]), "RUN:walk")
    assert (len({one.id for one in both}), new) == (1, 1)


async def test_what_is_remembered_is_recalled_at_once_and_once(engine: Engine) -> None:
    every = observed([HERON, "The mill has two wheels"], ["Herons like mills"], ["Never wake a heron"])
    kept, new = await engine.notes.observations.remember("ann", every, "RUN:walk")
    assert ([one.content for one in kept], new) == ([one.content for one in every], 4)
    again, new = await engine.notes.observations.remember("ann", every, "RUN:walk")
    assert ([one.id for one in again], new) == ([one.id for one in kept], 0)
    assert sorted(await texts(engine, "heron")) == sorted([HERON, "Herons like mills", "Never wake a heron"])
    assert await texts(engine, "heron", categories=("lesson",)) == ["Never wake a heron"]
    assert await texts(engine, "heron", owner="bob") == []
    fil = await engine.notes.observations.recall_fil("ann", "heron mills", 1)
    assert [len(part) for part in (fil.findings, fil.insights, fil.lessons)] == [1, 1, 1]


async def test_it_is_gone_when_it_is_deleted(engine: Engine) -> None:
    [one], _ = await engine.notes.observations.remember("ann", observed([HERON]), "RUN:walk")
    await engine.notes.observations.delete("ann", one.id)
    assert await texts(engine, "heron") == [] and await gists(engine) == 0
    for call in (engine.notes.observations.get, engine.notes.observations.delete):
        with pytest.raises(NotFound):
            await call("ann", one.id)


async def test_recall_needs_no_embedding(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    async def down(*_: Any) -> None:
        raise AssertionError("the encoder was asked")

    monkeypatch.setattr(LocalEmbedder, "embed", down)
    monkeypatch.setattr(LocalEmbedder, "read", down)
    await engine.notes.observations.remember("ann", observed([HERON]), "RUN:walk")
    assert await texts(engine, "heron") == [HERON]
    recall = await engine.search.recall("ann", "heron", OBSERVATIONS, Scope(kinds=CATEGORIES))
    assert [(hit.gist.content, hit.gist.kind, hit.parts.bm25 == hit.score) for hit in recall.hits] == [
        (HERON, "finding", True)
    ]


async def test_what_cannot_be_remembered_is_refused_and_nothing_with_it(engine: Engine) -> None:
    bad_ones = [Observed("finding", text) for text in (" ", "x" * 16_001, "\ud800")]
    for bad in (*bad_ones, Observed("fact", "x")):  # type: ignore[arg-type]
        with pytest.raises(InvalidInput):
            await engine.notes.observations.remember("ann", [Observed("finding", HERON), bad], "RUN:walk")
    with pytest.raises(InvalidInput):
        await engine.notes.observations.remember("ann", observed([HERON]), "")
    assert await engine.notes.observations.page("ann", limit=10) == []


async def test_other_languages_are_recalled_before_and_after_embedding(quiet: Memory) -> None:
    every = ["该服务使用 PostgreSQL 16 和 Redis", "Ограничение 100 запросов", "Die Grenze liegt bei 100 Anfragen"]
    await quiet.observe("ann", "RUN:walk", findings=every)
    for settled in (False, True):
        if settled:
            await settle(quiet)
        for query, text in zip(["服务", "запрос", "Anfrage"], every, strict=True):
            assert [one.observation.content for one in await quiet.recall_observations("ann", query)] == [text]


async def test_a_long_one_is_found_by_its_last_word(engine: Engine) -> None:
    text = "word " * 3_000 + "heron"
    assert len(text) <= 16_000
    await engine.notes.observations.remember("ann", observed([text]), "RUN:walk")
    assert await texts(engine, "heron") == [text]


async def test_embedding_changes_nothing_about_recall_by_words(quiet: Memory) -> None:
    long = "x1 " * 2_000 + "heron"
    await quiet.observe("ann", "RUN:walk", findings=[HERON, "A mill has wheels", long], lessons=["Never wake a heron"])
    before = await quiet.recall_observations("ann", "heron at the mill")
    await settle(quiet)
    assert await quiet.recall_observations("ann", "heron at the mill") == before
    async for _ in quiet.engine.reembed():
        pass
    assert await quiet.recall_observations("ann", "heron at the mill") == before


async def test_what_lands_after_its_number_was_closed_is_recalled(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = quiet.engine.notes.observations
    put = store._put_gists

    async def too_slow(*given: Any) -> None:
        closed: Document = {"$set": {"gists.open": []}}
        await quiet.engine.store.collections.owners.update_one({"_id": "ann"}, closed)  # as the sweep does in the end
        assert await quiet.recall_observations("ann", "heron") == []  # and readers pass it
        await put(*given)

    monkeypatch.setattr(store, "_put_gists", too_slow)
    await quiet.observe("ann", "RUN:walk", findings=[HERON])
    assert [one.observation.content for one in await quiet.recall_observations("ann", "heron")] == [HERON]


async def test_another_process_sees_what_is_remembered_and_deleted(both: tuple[Memory, Memory]) -> None:
    one, other = both
    assert await other.recall_observations("ann", "heron") == []
    [kept] = await one.observe("ann", "RUN:walk", findings=[HERON])
    assert [found.observation for found in await other.recall_observations("ann", "heron")] == [kept]
    await other.engine.notes.observations.delete("ann", kept.id)
    assert await one.recall_observations("ann", "heron") == []
    await one.observe("ann", "RUN:walk", findings=[HERON])
    await one.engine.oversight.forgetter.user("ann")
    assert await other.recall_observations("ann", "heron") == []


@pytest.mark.parametrize("step", ["_put_gists", "_make_recallable"])
async def test_a_process_killed_before_the_gists_leaves_word_of_them(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    async def killed(*_: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(observations.Observations, step, killed)
        await quiet.observe("ann", "RUN:walk", findings=[HERON])
    assert await quiet.recall_observations("ann", "heron") == []
    await quiet.engine.sweep()  # the writer may be alive yet
    assert await gists(quiet.engine) == 0
    monkeypatch.setattr(observations, "CUT_SHORT", timedelta(0))
    await quiet.engine.sweep()
    assert [one.observation.content for one in await quiet.recall_observations("ann", "heron")] == [HERON]
    left = await quiet.engine.store.collections.observations.find_one({"unindexed_since": {"$exists": True}})
    assert left is None


async def test_who_tries_again_after_a_crash_finishes_it(quiet: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    async def killed(*_: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(observations.Observations, "_make_recallable", killed)
        await quiet.observe("ann", "RUN:walk", findings=[HERON])
    await quiet.observe("ann", "RUN:walk", findings=[HERON])
    assert len(await quiet.recall_observations("ann", "heron")) == await gists(quiet.engine) == 1


async def test_a_deletion_cut_short_can_be_asked_for_again(quiet: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    [kept] = await quiet.observe("ann", "RUN:walk", findings=[HERON])

    async def killed(*_: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(quiet.engine.store.collections.observations, "delete_many", killed, raising=False)
        await quiet.engine.notes.observations.delete("ann", kept.id)
    await quiet.engine.notes.observations.delete("ann", kept.id)
    assert await quiet.engine.notes.observations.page("ann", limit=9) == []
    assert await gists(quiet.engine) == 0


async def test_what_a_deletion_cut_short_leaves_is_recalled_after_the_sweep(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its gist is gone already, so the observation has to say so before."""
    [kept] = await quiet.observe("ann", "RUN:walk", findings=[HERON])

    async def killed(*_: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(quiet.engine.store.collections.observations, "delete_many", killed, raising=False)
        await quiet.engine.notes.observations.delete("ann", kept.id)
    assert await gists(quiet.engine) == 0
    monkeypatch.setattr(observations, "CUT_SHORT", timedelta(0))
    await quiet.engine.sweep()
    assert [one.observation for one in await quiet.recall_observations("ann", "heron")] == [kept]


@pytest.mark.parametrize("step", [0, 1])
async def test_what_is_remembered_again_while_it_is_deleted_is_recalled(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    """Between any two steps of a deletion: what was acknowledged then is there, or went with the deletion whole."""
    [kept] = await quiet.observe("ann", "RUN:walk", findings=[HERON])
    monkeypatch.setattr(observations, "now", lambda: kept.created_at + timedelta(seconds=1))
    eraser, steps = quiet.engine.notes.observations._eraser, 0
    erase = eraser.erase

    async def remembered_before(*given: Any) -> int:
        nonlocal steps
        steps += 1
        if steps == step + 1:
            await quiet.observe("ann", "RUN:walk", findings=[HERON])
        return await erase(*given)

    with monkeypatch.context() as patch:
        patch.setattr(eraser, "erase", remembered_before)
        await quiet.engine.notes.observations.forget("ann", kept.created_at)
    there = await quiet.engine.notes.observations.page("ann", limit=9)
    assert len(there) == len(await quiet.recall_observations("ann", "heron")) == await gists(quiet.engine) == step


async def test_what_lands_after_its_user_was_deleted_leaves_nothing(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = quiet.engine.notes.observations
    put = store._put_gists

    async def deleted_meanwhile(*given: Any) -> None:
        await quiet.engine.oversight.forgetter.user("ann")
        await put(*given)

    monkeypatch.setattr(store, "_put_gists", deleted_meanwhile)
    await quiet.observe("ann", "RUN:walk", findings=[HERON])
    collections = quiet.engine.store.collections
    for collection in (collections.observations, collections.vectors):
        assert await collection.find_one({"user_id": "ann"}) is None
    assert await collections.owners.find_one({"_id": "ann"}) is None


async def test_many_at_once_are_all_there(quiet: Memory) -> None:
    async def one(number: int) -> None:
        await quiet.observe("ann", f"RUN:{number % 7}", findings=[f"heron number {number % 20}"], lessons=[HERON])

    await asyncio.gather(*(one(number) for number in range(60)))
    stored = len(await quiet.engine.notes.observations.page("ann", limit=1_000))
    assert stored == await gists(quiet.engine) == len(await quiet.recall_observations("ann", "heron", limit=1_000))
    assert stored == 60 + 7


async def test_a_batch_of_a_thousand_is_remembered(quiet: Memory) -> None:
    kept = await quiet.observe("ann", "RUN:walk", findings=[f"heron number {n}" for n in range(1_000)])
    assert len({one.id for one in kept}) == 1_000
    assert (await quiet.recall_observations("ann", "number 777"))[0].observation.content == "heron number 777"
    assert (await quiet.engine.oversight.forgetter.user("ann"))["observations"] == 1_000


async def test_a_page_begins_where_the_last_one_ended(engine: Engine) -> None:
    await engine.notes.observations.remember("ann", observed([f"heron {n}" for n in range(5)]), "RUN:walk")
    first = await engine.notes.observations.page("ann", limit=3)
    last, key = first[-1]
    rest = await engine.notes.observations.page("ann", limit=3, after=(last.created_at, key))
    assert {one.content for one, _ in first + rest} == {f"heron {n}" for n in range(5)}


async def test_only_what_an_observation_alone_rests_on_takes_it_along(engine: Engine) -> None:
    one = Observed("insight", HERON, ("m1",))
    await engine.notes.observations.remember("ann", [one, replace(one, messages=("m2",))], "session:s")
    await engine.notes.observations.remember("ann", [replace(one, messages=("m3",))], "session:s")
    for message, left in (("m2", 1), ("m9", 1), ("m1", 1), ("m3", 0)):
        await engine.notes.observations.forget_message("ann", message)
        assert len(await texts(engine, "heron")) == left


def test_ids_differ_by_owner_category_content_and_source() -> None:
    one = Observed("finding", "x")
    ids = {
        observation_id("a", one, "s"),
        observation_id("b", one, "s"),
        observation_id("a", replace(one, category="lesson"), "s"),
        observation_id("a", replace(one, content="xs"), ""),
        observation_id("a", one, "t"),
    }
    assert len(ids) == 5
    assert observation_id("a", replace(one, messages=("m",)), "s") in ids


async def test_sessions_and_times_bound_what_is_forgotten(engine: Engine) -> None:
    await engine.notes.observations.remember("ann", observed([HERON]), "session:a")
    await engine.notes.observations.remember("ann", observed(["The mill"]), "session:ab")
    assert await engine.notes.observations.forget_session("ann", "a", now() - timedelta(seconds=5)) == 0
    assert await engine.notes.observations.forget_session("ann", "a", now()) == 1
    assert await texts(engine, "heron mill") == ["The mill"]


async def test_the_first_one_is_known_to_every_process(quiet: Memory, make_settings: Callable[..., Settings]) -> None:
    settings = make_settings(mongodb_db=quiet.engine.store.collections.vectors.database.name)
    async with open_memory(settings, nudge=Silent()) as other:
        assert not await other.engine.notes.observations.has_any("ann")
        await quiet.engine.notes.observations.remember("ann", observed([HERON]), "RUN:walk")
        assert await other.engine.notes.observations.has_any("ann")
