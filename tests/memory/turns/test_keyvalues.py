"""Key-values are kept with their history, whoever writes at once."""

import asyncio
from dataclasses import replace

import pytest

from agents.memory import Memory
from memory.turns import keyvalues
from memory.turns.keyvalues import HISTORY, NONE, KeyValues
from tests.conversations import USER
from tests.meanwhile import meanwhile
from utils.clock import now
from utils.errors import NotFound, PreconditionFailed
from utils.text import count_tokens


@pytest.fixture
def facts(quiet: Memory) -> KeyValues:
    return quiet.engine.chats.keyvalues


async def test_a_value_is_kept_under_its_key_and_the_same_again_changes_nothing_but_its_sources(
    facts: KeyValues,
) -> None:
    kept, new = await facts.put(USER, "dog", "Biscuit", source="m1")
    assert new
    assert await facts.get(USER, "dog") == kept
    assert (kept.value, kept.version, kept.source) == ("Biscuit", 1, "m1")
    assert kept.token_count == count_tokens("Biscuit")
    await facts.put(USER, "dog", "Biscuit", source="m2")
    assert await facts.get(USER, "dog") == replace(kept, sources=("m1", "m2"))


async def test_each_change_counts_the_version_and_keeps_what_was_before(facts: KeyValues) -> None:
    for value in ("Rex", "Biscuit", "Biscuit", "Wilma"):
        await facts.put(USER, "dog", value)
    assert [(one.value, one.version) for one in await facts.history(USER, "dog")] == [
        ("Wilma", 3),
        ("Biscuit", 2),
        ("Rex", 1),
    ]


async def test_a_history_keeps_the_newest_50(facts: KeyValues) -> None:
    for number in range(HISTORY + 5):
        await facts.put(USER, "n", str(number))
    history = await facts.history(USER, "n")
    assert [one.value for one in history] == [str(number) for number in range(HISTORY + 4, 3, -1)]


async def test_a_write_that_expects_another_value_is_refused(facts: KeyValues) -> None:
    first, _ = await facts.put(USER, "dog", "Rex", expected=NONE)
    with pytest.raises(PreconditionFailed):
        await facts.put(USER, "dog", "Biscuit", expected=NONE)
    second, _ = await facts.put(USER, "dog", "Biscuit", expected=first.tag)
    with pytest.raises(PreconditionFailed):
        await facts.put(USER, "cat", "Tom", expected=first.tag)
    with pytest.raises(PreconditionFailed):
        await facts.delete(USER, "dog", expected=first.tag)
    assert (await facts.delete(USER, "dog", expected=second.tag)).value == "Biscuit"
    with pytest.raises(NotFound):
        await facts.delete(USER, "dog", expected=second.tag)


async def test_of_writes_at_once_that_expect_the_same_value_one_succeeds(facts: KeyValues) -> None:
    kept, _ = await facts.put(USER, "dog", "Rex")
    results = await asyncio.gather(
        *(facts.put(USER, "dog", f"name {n}", expected=kept.tag) for n in range(8)), return_exceptions=True
    )
    assert sum(isinstance(one, PreconditionFailed) for one in results) == 7
    assert (await facts.get(USER, "dog")).version == 2


async def test_writes_at_once_all_stand_in_the_history(facts: KeyValues) -> None:
    results = await asyncio.gather(*(facts.put(USER, "dog", f"name {n}") for n in range(12)))
    assert sum(new for _, new in results) == 1
    history = await facts.history(USER, "dog")
    assert [one.version for one in history] == list(range(12, 0, -1))
    assert {one.value for one in history} == {f"name {n}" for n in range(12)}


async def test_a_deleted_fact_is_gone_with_its_history(facts: KeyValues) -> None:
    await facts.put(USER, "dog", "Rex")
    await facts.delete(USER, "dog")
    for missing in (facts.get, facts.history, facts.delete):
        with pytest.raises(NotFound):
            await missing(USER, "dog")
    again, new = await facts.put(USER, "dog", "Biscuit")
    assert (new, again.version) == (True, 1)


async def test_users_do_not_see_each_others_facts(facts: KeyValues) -> None:
    await facts.put("ann", "dog", "Rex")
    await facts.put("bob", "dog", "Biscuit")
    assert (await facts.get("ann", "dog")).value == "Rex"
    assert (await facts.get("bob", "dog")).value == "Biscuit"
    assert [one.value for one in await facts.suited("bob", "dog", 8)] == ["Biscuit"]
    with pytest.raises(NotFound):
        await facts.get("cleo", "dog")


async def test_the_facts_that_share_words_with_a_question_come_first_then_the_newest(facts: KeyValues) -> None:
    for key in ("wifi password", "dog", "car"):
        await facts.put(USER, key, "x")
    assert [one.key for one in await facts.suited(USER, "what is my wifi password?", 8)] == [
        "wifi password",
        "car",
        "dog",
    ]
    assert len(await facts.suited(USER, "anything", 2)) == 2


async def test_facts_are_paged_from_the_newest_without_repeating_one(facts: KeyValues) -> None:
    for number in range(7):
        await facts.put(USER, f"key {number}", "x")
    seen: list[str] = []
    after = None
    while page := await facts.page(USER, limit=3, after=after):
        seen += [fact.key for fact, _ in page]
        after = (page[-1][0].updated_at, page[-1][1])
    assert sorted(seen) == [f"key {number}" for number in range(7)]


async def test_a_value_that_was_deleted_and_put_again_at_once_is_another(
    facts: KeyValues, monkeypatch: pytest.MonkeyPatch
) -> None:
    moment = now()
    monkeypatch.setattr(keyvalues, "now", lambda: moment)
    old, _ = await facts.put(USER, "dog", "Rex")
    await facts.delete(USER, "dog")
    new, _ = await facts.put(USER, "dog", "Biscuit")
    assert (new.version, new.created_at) == (old.version, old.created_at)
    with pytest.raises(PreconditionFailed):
        await facts.put(USER, "dog", "Wilma", expected=old.tag)
    with pytest.raises(PreconditionFailed):
        await facts.delete(USER, "dog", expected=old.tag)
    assert (await facts.get(USER, "dog")).value == "Biscuit"


async def test_a_value_that_is_deleted_and_put_again_in_between_is_noticed(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts, moment = quiet.engine.chats.keyvalues, now()
    monkeypatch.setattr(keyvalues, "now", lambda: moment)
    old, _ = await facts.put(USER, "dog", "Rex")

    async def again() -> None:
        await facts.delete(USER, "dog")
        await facts.put(USER, "dog", "Biscuit")

    meanwhile(monkeypatch, quiet.engine.store.collections.memories, "find_one_and_update", again)
    with pytest.raises(PreconditionFailed):
        await facts.put(USER, "dog", "Wilma", expected=old.tag)
    assert (await facts.get(USER, "dog")).value == "Biscuit"


async def test_facts_that_were_written_without_an_epoch_go_on(quiet: Memory) -> None:
    facts = quiet.engine.chats.keyvalues
    await facts.put(USER, "dog", "Rex")
    await quiet.engine.store.collections.memories.update_one({"user_id": USER}, {"$unset": {"epoch": ""}})
    old = await facts.get(USER, "dog")
    new, _ = await facts.put(USER, "dog", "Biscuit", expected=old.tag)
    assert (new.version, new.value) == (2, "Biscuit")
    await facts.delete(USER, "dog", expected=new.tag)
