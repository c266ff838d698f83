"""API keys in the store."""

import pytest

from agents.memory import Memory
from memory.store.api_keys import StoredKeys, hashed


@pytest.fixture
def keys(quiet: Memory) -> StoredKeys:
    return quiet.engine.store.api_keys


async def test_a_made_key_is_known_by_its_hash_alone(keys: StoredKeys, quiet: Memory) -> None:
    assert not await keys.are_there()
    key = await keys.create("ann")
    assert await keys.are_there()
    assert await keys.user_of(hashed(key)) == "ann"
    assert await keys.user_of(key) is None
    assert key not in str(await quiet.engine.store.collections.api_keys.find({}).to_list(None))


async def test_keys_that_the_settings_do_not_name_any_more_are_revoked_and_made_ones_stay(keys: StoredKeys) -> None:
    made = hashed(await keys.create("carol"))
    await keys.configure({"one": "ann", "two": "bob"})
    await keys.configure({"two": "dora"})
    assert [await keys.user_of(key) for key in ("one", "two", made)] == [None, "dora", "carol"]
