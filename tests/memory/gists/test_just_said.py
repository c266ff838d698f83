"""What is found before a worker has embedded it, and for how long is it kept?"""

from datetime import timedelta

import pytest

from memory.gists import reader
from memory.gists.reader import JUST_SAID, JUST_SAID_SECONDS, JustSaid
from tests.conversations import START
from utils.mongo import Document


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
