"""What is at hand is never older than it says, and gone with its bank."""

from typing import Any

import pytest

from agents.memory import Memory
from memory.banks import store as module
from memory.banks.store import BankCache
from tests.conversations import USER
from utils.errors import NotFound


def bank(version: int, epoch: str = "e") -> dict[str, Any]:
    files = [{"text": f"of version {version}"}]
    return {"_id": "k", "user_id": USER, "epoch": epoch, "version": version, "files": files}


def test_an_older_version_does_not_take_the_place_of_a_newer_one() -> None:
    cache = BankCache()
    cache.put(bank(2))
    cache.put(bank(1))
    [kept] = cache.every()
    assert kept.bank["version"] == 2
    assert cache.get(bank(1)) is None
    cache.put(bank(1, "made anew"))
    assert [one.bank["epoch"] for one in cache.every()] == ["made anew"]


def test_the_least_recently_used_go_first_once_the_texts_have_too_many_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 60)
    cache = BankCache()
    banks = [bank(1) | {"_id": key, "files": [{"text": "狐" * 7}]} for key in ("a", "b", "c")]
    cache.put(banks[0])
    cache.put(banks[1])
    assert cache.get(banks[0]) is not None
    cache.put(banks[2])
    assert [one.bank["_id"] for one in cache.every()] == ["a", "c"]
    cache.put(banks[1] | {"files": [{"text": "x" * 100}]})
    assert [one.bank["_id"] for one in cache.every()] == ["b"]


@pytest.mark.parametrize("read", ["get", "info", "versions"])
async def test_a_bank_that_another_process_deleted_is_let_go_of(quiet: Memory, read: str) -> None:
    await quiet.activate(USER, "project", "loci")
    await quiet.engine.store.collections.banks.delete_many({})
    assert quiet.engine.library.banks.cache.every()
    with pytest.raises(NotFound):
        limits = {"limit": 1} if read == "versions" else {}
        await getattr(quiet.engine.library.banks, read)(USER, "project", "loci", **limits)
    assert quiet.engine.library.banks.cache.every() == []
