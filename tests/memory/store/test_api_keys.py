"""API keys in the store."""

import pytest

from agents.memory import Memory
from memory.store.api_keys import StoredKeys, hashed
from utils.errors import NotFound


@pytest.fixture
def keys(quiet: Memory) -> StoredKeys:
    return quiet.engine.store.api_keys


async def whose(keys: StoredKeys, digest: str) -> str | None:
    key = await keys.get(digest)
    return key.user if key is not None else None


async def test_a_made_key_is_known_by_its_hash_alone(keys: StoredKeys, quiet: Memory) -> None:
    assert not await keys.are_there()
    key = await keys.create("ann")
    assert await keys.are_there()
    assert await whose(keys, hashed(key)) == "ann"
    assert await keys.get(key) is None
    assert key not in str(await quiet.engine.store.collections.api_keys.find({}).to_list(None))


async def test_keys_that_the_settings_do_not_name_any_more_are_revoked_and_made_ones_stay(keys: StoredKeys) -> None:
    made = hashed(await keys.create("carol"))
    await keys.configure({"one": "ann", "two": "bob"})
    await keys.configure({"two": "dora"})
    assert [await whose(keys, key) for key in ("one", "two", made)] == [None, "dora", "carol"]


async def test_a_rotated_key_opens_nothing_and_the_new_one_the_same(keys: StoredKeys) -> None:
    old = await keys.create(None, "front")
    [listed] = await keys.listed()
    assert old.startswith(listed.id) and (listed.user, listed.name, listed.used_at) == (None, "front", None)
    new = await keys.rotate(listed.id)
    assert await keys.get(hashed(old)) is None
    assert await keys.get(hashed(new)) is not None
    [again] = await keys.listed()
    assert (again.user, again.acts, again.name) == (None, True, "front") and again.used_at is not None


async def test_a_revoked_key_opens_nothing_and_those_of_the_settings_stay(keys: StoredKeys) -> None:
    key = await keys.create("ann")
    await keys.configure({"f" * 64: "bob"})
    for identifier in ("loci_nobodys", "f" * 12):
        with pytest.raises(NotFound):
            await keys.revoke(identifier)
    await keys.revoke(key[:13])
    assert await keys.get(hashed(key)) is None
    assert [one.user for one in await keys.listed()] == ["bob"]
