"""Texts kept in memory: which ones, and for how long."""

from datetime import timedelta

import pytest

from agents.memory import Memory
from memory.gists import reader
from memory.gists import reader as gist_reader
from memory.gists.reader import JUST_SAID, JUST_SAID_SECONDS, GistReader, JustSaid
from tests.conversations import START, USER, turn
from utils.mongo import Document


class Counted:
    """How many calls read from the store, and of how many gists."""

    def __init__(self, reader: GistReader) -> None:
        self.calls: list[int] = []
        read = reader._reads.get

        async def counted(key: tuple[str, frozenset[str]]) -> dict[str, gist_reader.Gist]:
            self.calls.append(len(key[1]))
            return await read(key)

        reader._reads.get = counted  # type: ignore[method-assign]


async def texts(memory: Memory, *keys: str, owner: str = USER) -> dict[str, str]:
    reader = memory.engine.search.recaller._gists
    found = await reader.by_keys(owner, keys, await memory.engine.store.changes.standing(owner))
    return {key: gist.content for key, gist in found.items()}


async def test_a_text_is_read_from_the_store_once(quiet: Memory) -> None:
    await quiet.add(USER, "s1", [turn("m1", "one"), turn("m2", "two"), turn("m3", "three")], wait=True)
    store = Counted(quiet.engine.search.recaller._gists)
    assert await texts(quiet, "m1", "m2") == {"m1": "one", "m2": "two"}
    assert await texts(quiet, "m2", "m3", "m4") == {"m2": "two", "m3": "three"}
    assert await texts(quiet, "m1", "m2", "m3") == {"m1": "one", "m2": "two", "m3": "three"}
    assert store.calls == [2, 2]


async def test_a_text_of_another_user_is_never_found(quiet: Memory) -> None:
    await quiet.add(USER, "s1", [turn("m1", "one")], wait=True)
    await quiet.add("other", "s1", [turn("m2", "two")], wait=True)
    assert await texts(quiet, "m1", "m2") == {"m1": "one"}
    assert await texts(quiet, "m1", "m2", owner="other") == {"m2": "two"}


async def test_a_deletion_lets_go_of_what_is_kept(quiet: Memory) -> None:
    await quiet.add(USER, "s1", [turn("m1", "one")], wait=True)
    await quiet.add(USER, "s2", [turn("m2", "two")], wait=True)
    standing = await quiet.engine.store.changes.standing(USER)
    assert await texts(quiet, "m1", "m2") == {"m1": "one", "m2": "two"}
    await quiet.engine.oversight.forgetter.session(USER, "s1")
    assert await texts(quiet, "m1", "m2") == {"m2": "two"}
    reader = quiet.engine.search.recaller._gists
    assert (await reader.by_keys(USER, ["m1"], standing)) == {}  # nor to one who has looked before


async def test_no_more_than_so_many_are_kept(quiet: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gist_reader, "CHARACTERS", 5 * (gist_reader.FRAME + 1))
    monkeypatch.setattr(gist_reader, "PER_OWNER", 3)
    for owner in ("ann", "bob"):
        await quiet.add(owner, "s1", [turn(f"{owner}{n}", str(n)) for n in range(4)], wait=True)
        assert len(await texts(quiet, *(f"{owner}{n}" for n in range(4)), owner=owner)) == 4
    reader = quiet.engine.search.recaller._gists
    assert {owner: len(kept.gists) for owner, kept in reader._kept.items()} == {"bob": 3}
    assert reader._size == 3 * (gist_reader.FRAME + 1)
    reader.forget("bob")
    assert reader._size == 0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    time = [1_000.0]
    monkeypatch.setattr(reader, "monotonic", lambda: time[0])
    return time


def said(key: str, text: str = "hello", minutes: int = 0) -> Document:
    return {"_id": key, "content": text, "created_at": START + timedelta(minutes=minutes)}


def keys(recent: JustSaid, owner: str = "ann") -> list[str]:
    return [document["_id"] for document in recent.of(owner)]


def test_messages_are_told_to_their_owner_for_a_minute(clock: list[float]) -> None:
    recent = JustSaid()
    recent.add("ann", [said("m1")])
    clock[0] += JUST_SAID_SECONDS - 1
    recent.add("ann", [said("m2")])
    assert (keys(recent), keys(recent, "bob")) == (["m1", "m2"], [])
    clock[0] += 2
    assert keys(recent) == ["m2"]
    assert (recent.has("ann", "m1"), recent.has("ann", "m2")) == (False, True)


def test_who_never_asks_is_not_kept_longer(clock: list[float]) -> None:
    recent = JustSaid()
    recent.add("ann", [said("m1")])
    clock[0] += JUST_SAID_SECONDS + 1
    recent.add("bob", [said("m2")])
    assert not recent.has("ann", "m1")


def test_only_the_newest_are_kept_of_many() -> None:
    recent = JustSaid()
    recent.add("ann", [said(f"m{n}") for n in range(JUST_SAID + 3)])
    recent.add("ann", [said("last")])
    assert keys(recent) == [*(f"m{n}" for n in range(4, JUST_SAID + 3)), "last"]


def test_long_texts_push_out_those_of_who_spoke_longest_ago(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "JUST_SAID_CHARACTERS", 100)
    recent = JustSaid()
    recent.add("ann", [said("m1", "x" * 60)])
    recent.add("bob", [said("m2", "x" * 30)])
    recent.add("ann", [said("m1", "x" * 50)])  # the same again
    assert (keys(recent), keys(recent, "bob")) == (["m1"], ["m2"])
    recent.add("ann", [said("m3", "x" * 30)])
    assert (keys(recent), keys(recent, "bob")) == (["m1", "m3"], [])
    recent.add("eve", [said("m4", "x" * 1_000)])
    assert (keys(recent), keys(recent, "eve")) == ([], ["m4"])


def test_what_was_deleted_goes_but_not_what_was_said_again_since() -> None:
    recent = JustSaid()
    recent.add("ann", [said("m1"), said("m2"), said("m3", minutes=2)])
    recent.drop("ann", dict.fromkeys(("m2", "m3", "m4"), START + timedelta(minutes=1)))
    recent.drop("bob", {"m1": START})
    assert keys(recent) == ["m1", "m3"]
    recent.forget("ann")
    recent.forget("bob")
    assert keys(recent) == []
