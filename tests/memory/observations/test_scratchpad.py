"""The scratchpad's keys, times and pages; over HTTP in `tests/api`."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest

from agents.memory import Memory
from memory.observations import scratchpad
from memory.observations.scratchpad import Scratchpad
from memory.turns.keyvalues import NONE
from tests.in_memory import in_memory, open_in_memory
from tests.meanwhile import meanwhile
from utils.clock import now
from utils.embeddings import LocalEmbedder
from utils.errors import InvalidInput, NotFound, PreconditionFailed


@pytest.fixture(params=["built-in", "in memory"])
async def pad(request: pytest.FixtureRequest, quiet: Memory, reader: LocalEmbedder) -> AsyncIterator[Scratchpad]:
    if request.param == "in memory":
        with in_memory():
            yield (await open_in_memory(reader)).notes.scratchpad
    else:
        yield quiet.scratchpad


async def test_an_entry_is_gone_at_its_moment(pad: Scratchpad, monkeypatch: pytest.MonkeyPatch) -> None:
    entry, new = await pad.put("ann", "k", "v", ttl=timedelta(seconds=60))
    assert new and entry.expires_at is not None
    assert (await pad.get("ann", "k")).value == "v"
    over = entry.expires_at
    monkeypatch.setattr(scratchpad, "now", lambda: over)
    with pytest.raises(NotFound):
        await pad.get("ann", "k")
    assert await pad.page("ann", limit=9) == []
    with pytest.raises(PreconditionFailed):
        await pad.put("ann", "k", "w", expected=entry.tag)
    again, new = await pad.put("ann", "k", "w", expected=NONE)
    assert new and again.tag != entry.tag and again.expires_at is None


async def test_a_value_that_was_deleted_and_put_again_at_once_is_another(
    pad: Scratchpad, monkeypatch: pytest.MonkeyPatch
) -> None:
    moment = now()
    monkeypatch.setattr(scratchpad, "now", lambda: moment)
    old, _ = await pad.put("ann", "k", "old")
    await pad.delete("ann", "k")
    new, _ = await pad.put("ann", "k", "new")
    assert (new.version, new.created_at) == (old.version, old.created_at) and new.tag != old.tag
    with pytest.raises(PreconditionFailed):
        await pad.put("ann", "k", "mine", expected=old.tag)
    with pytest.raises(PreconditionFailed):
        await pad.delete("ann", "k", expected=old.tag)
    assert (await pad.get("ann", "k")).value == "new"


@pytest.mark.parametrize("method", ["find_one_and_update", "delete_one"])
async def test_a_value_that_is_deleted_and_put_again_in_between_is_noticed(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    pad, moment = quiet.scratchpad, now()
    monkeypatch.setattr(scratchpad, "now", lambda: moment)
    old, _ = await pad.put("ann", "k", "old")

    async def again() -> None:
        await pad.delete("ann", "k")
        await pad.put("ann", "k", "new")

    meanwhile(monkeypatch, quiet.engine.store.collections.scratchpad, method, again)
    with pytest.raises(PreconditionFailed):
        if method == "delete_one":
            await pad.delete("ann", "k", expected=old.tag)
        else:
            await pad.put("ann", "k", "mine", expected=old.tag)
    assert (await pad.get("ann", "k")).value == "new"


async def test_entries_that_were_written_without_an_epoch_go_on(quiet: Memory) -> None:
    pad = quiet.scratchpad
    await pad.put("ann", "k", "old")
    await quiet.engine.store.collections.scratchpad.update_one({"user_id": "ann"}, {"$unset": {"epoch": ""}})
    old = await pad.get("ann", "k")
    assert old.tag == f"1-{int(old.created_at.timestamp() * 1000):x}"
    new, _ = await pad.put("ann", "k", "new", expected=old.tag)
    assert (new.version, new.value) == (2, "new")
    with pytest.raises(PreconditionFailed):
        await pad.delete("ann", "k", expected=old.tag)
    await pad.delete("ann", "k", expected=new.tag)


async def test_an_entry_that_is_written_again_has_begun_when_it_had(
    pad: Scratchpad, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, _ = await pad.put("ann", "k", "v")
    later = made.created_at + timedelta(seconds=60)
    monkeypatch.setattr(scratchpad, "now", lambda: later)
    again, new = await pad.put("ann", "k", "w")
    assert (again.created_at, again.updated_at, new) == (made.created_at, later, False)
    assert await pad.get("ann", "k") == again


async def test_what_expired_is_not_counted_when_its_user_goes(pad: Scratchpad, monkeypatch: pytest.MonkeyPatch) -> None:
    await pad.put("ann", "k", "v", ttl=timedelta(seconds=60))
    await pad.put("ann", "l", "v")
    await pad.put("bob", "l", "v")
    later = now() + timedelta(seconds=120)
    monkeypatch.setattr(scratchpad, "now", lambda: later)
    assert await pad.forget("ann", later) == 1
    assert [entry.key for entry in await pad.page("bob", limit=9)] == ["l"]


@pytest.mark.parametrize("prefix", ["a.", "a(", "é", "日", "\U0010ffff"])
async def test_a_prefix_is_meant_as_it_stands(pad: Scratchpad, prefix: str) -> None:
    for key in ("ab", prefix, f"{prefix}/1", "zz", "ω"):
        await pad.put("ann", key, "v")
    assert [entry.key for entry in await pad.page("ann", limit=9, prefix=prefix)] == [prefix, f"{prefix}/1"]


async def test_pages_go_on_behind_the_last_key(pad: Scratchpad) -> None:
    for key in ("a", "a/1", "a/2", "a0", "b"):
        await pad.put("ann", key, key.upper())
    first = await pad.page("ann", limit=2, prefix="a/")
    assert [entry.key for entry in first] == ["a/1", "a/2"]
    assert await pad.page("ann", limit=2, prefix="a/", after="a/2") == []
    assert [entry.key for entry in await pad.page("ann", limit=9, after="a/1")] == ["a/2", "a0", "b"]
    assert [entry.key for entry in await pad.page("ann", limit=9, text="A/")] == ["a/1", "a/2"]


WRITTEN = [
    ("STRASSE", ["Straße", "STRASSE", "strasse"]),
    ("istanbul", ["İSTANBUL", "İstanbul", "istanbul", "ISTANBUL"]),
    ("api", ["ＡＰＩ", "api", "𝐀𝐏𝐈"]),
]


@pytest.mark.parametrize(("key", "written"), WRITTEN)
async def test_entries_are_found_however_their_letters_are_written(
    pad: Scratchpad, key: str, written: list[str]
) -> None:
    await pad.put("ann", "other", "stone")
    for asked in (key, *written):
        for at, one in enumerate(written):
            await pad.put("ann", "by value", f"at {one} 5")
            await pad.put("ann", f"{one} {at}", "by key")
            found = await pad.page("ann", limit=9, text=asked)
            assert {entry.key for entry in found} >= {"by value", f"{one} {at}"}
            assert "other" not in {entry.key for entry in found}


async def test_a_value_that_was_replaced_is_not_found_by_what_it_was(pad: Scratchpad) -> None:
    await pad.put("ann", "k", "Straße")
    await pad.put("ann", "k", "plain")
    assert await pad.page("ann", limit=9, text="strasse") == []


async def test_what_an_earlier_version_kept_is_found_as_it_was(quiet: Memory, pad: Scratchpad) -> None:
    await pad.put("ann", "k", "Ärger in der Straße")
    await quiet.engine.store.collections.scratchpad.update_many({}, {"$unset": {"folded": ""}})
    for asked in ("ärger", "STRA", "straße"):
        assert [entry.key for entry in await pad.page("ann", limit=9, text=asked)] == ["k"]


async def test_of_writers_who_expect_the_same_one_writes(quiet: Memory) -> None:
    async def write(value: str) -> bool:
        try:
            return (await quiet.scratchpad.put("ann", "k", value, expected=NONE))[1]
        except PreconditionFailed:
            return False

    assert sorted(await asyncio.gather(*(write(f"v{n}") for n in range(8)))) == [False] * 7 + [True]


@pytest.mark.parametrize("method", ["find_one_and_update", "delete_one"])
async def test_a_write_in_between_is_noticed_by_who_expects_another_value(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    pad = quiet.scratchpad
    entry, _ = await pad.put("ann", "k", "first")
    meanwhile(monkeypatch, quiet.engine.store.collections.scratchpad, method, lambda: pad.put("ann", "k", "other"))
    with pytest.raises(PreconditionFailed):
        if method == "delete_one":
            await pad.delete("ann", "k", expected=entry.tag)
        else:
            await pad.put("ann", "k", "mine", expected=entry.tag)
    assert (await pad.get("ann", "k")).value == "other"


async def test_who_expects_nothing_is_told_that_nothing_was_there(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    pad = quiet.scratchpad
    await pad.put("ann", "k", "one")
    collection = quiet.engine.store.collections.scratchpad
    real = collection.delete_one

    async def nothing_left(filter: Any) -> Any:
        await real({"user_id": "ann", "key": "k"})
        done = await real(filter)
        await pad.put("ann", "k", "another one's")
        return done

    monkeypatch.setattr(collection, "delete_one", nothing_left)
    with pytest.raises(NotFound):
        await pad.delete("ann", "k")


async def test_of_two_who_take_the_place_of_what_expired_one_is_first(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await quiet.scratchpad.put("ann", "k", "old", ttl=timedelta(seconds=60))
    later = now() + timedelta(seconds=120)
    monkeypatch.setattr(scratchpad, "now", lambda: later)
    first: list[bool] = []

    async def other_writes() -> None:
        first.append((await quiet.scratchpad.put("ann", "k", "other"))[1])

    meanwhile(monkeypatch, quiet.engine.store.collections.scratchpad, "find_one_and_update", other_writes)
    entry, new = await quiet.scratchpad.put("ann", "k", "mine")
    assert (first, new, entry.value, entry.version) == ([True], False, "mine", 2)


@pytest.mark.parametrize("key", ["", " ", "..", "a/./b", "a\tb", "\x00", "\ud800", "x" * 501])
async def test_keys_that_cannot_be_are_refused(quiet: Memory, key: str) -> None:
    with pytest.raises(InvalidInput):
        await quiet.scratchpad.put("ann", key, "v")


@pytest.mark.parametrize(
    ("value", "ttl"), [("x" * 65_537, None), ("\ud800", None), ("\x00", None), ("v", 0), ("v", -1), ("v", 10**9)]
)
async def test_values_that_cannot_be_are_refused(quiet: Memory, value: str, ttl: int | None) -> None:
    with pytest.raises(InvalidInput):
        await quiet.scratchpad.put("ann", "k", value, ttl=None if ttl is None else timedelta(seconds=ttl))


async def test_the_store_deletes_by_itself_what_expired(quiet: Memory) -> None:
    indexes = await quiet.engine.store.collections.scratchpad.index_information()
    assert indexes["expiry"]["expireAfterSeconds"] == 0
