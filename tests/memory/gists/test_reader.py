"""Which texts are kept in memory, and for how long?"""

import pytest

from agents.memory import Memory
from memory.gists import reader as gist_reader
from memory.gists.reader import GistReader
from tests.conversations import USER, turn


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
