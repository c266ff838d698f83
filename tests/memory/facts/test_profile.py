"""Profiles: what they hold of whom, in which order, in how much room, and when facts are read."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from agents.memory import Memory
from memory.domain import Turn
from memory.facts import ProfileChange
from memory.facts.kinds import kinds
from memory.facts.profile import Profile
from memory.facts.ranks import AT_ONCE
from tests.stated import say
from utils.errors import NotFound
from utils.text import count_tokens


@pytest.fixture
def profile(quiet: Memory) -> Profile:
    return quiet.engine.knowledge.profile


async def shown(profile: Profile, owner: str = "ann") -> list[str]:
    return [item.text for item in await profile.page(owner, limit=1_000)]


@pytest.mark.parametrize(
    ("told", "other"),
    [
        ("I'm allergic to penicillin.", "I love figs."),
        ("My wife is called Elin.", "I saw a heron in May."),
        ("Ich habe Diabetes.", "Ich höre gern Jazz."),
        ("Vivo en Lima.", "Me gusta el té."),
    ],
)
async def test_what_is_needed_more_comes_first(quiet: Memory, profile: Profile, told: str, other: str) -> None:
    for text in (told, other):
        assert await quiet.learn("ann", text)
    first, second = await shown(profile)
    await quiet.engine.knowledge.facts.forget_unsourced("ann", (await profile.page("ann", limit=1))[0].id)
    assert await shown(profile) == [second] and first != second
    assert [decided.text for decided in await quiet.learn("ann", told)] == [first]


async def test_of_two_that_are_needed_alike_the_one_said_more_often_comes_first(
    quiet: Memory, profile: Profile
) -> None:
    await say(quiet, "I love figs.", "I love jazz.", "I love figs.")
    await quiet.engine.knowledge.queue.work()
    assert (await shown(profile))[0] == "The user loves figs."
    await quiet.engine.knowledge.facts.forget_source("ann", "s", "s-m0")
    await quiet.engine.knowledge.facts.forget_source("ann", "s", "s-m2")
    assert await shown(profile) == ["The user loves jazz."]


async def test_an_item_has_the_time_at_which_it_was_told(quiet: Memory, profile: Profile) -> None:
    told = datetime(2024, 5, 3, 9, tzinfo=UTC)
    await quiet.add("ann", "old", [Turn("m", "user", "I got my driving licence yesterday.", told)])
    await quiet.engine.knowledge.queue.work()
    assert [item.since for item in await profile.page("ann", limit=9)] == [told]


async def test_items_keep_to_their_tokens(quiet: Memory, profile: Profile) -> None:
    for text in ("I'm allergic to penicillin.", "I love figs.", "My wife is called Elin."):
        await quiet.learn("ann", text)
    await quiet.engine.chats.keyvalues.put("ann", "medicine", "insulin " * 500)
    whole = await within(profile, "ann", 100)
    assert whole[0] == "The user is allergic to penicillin." and len(whole) == 3
    for tokens in range(-1, 60):
        lines = await within(profile, "ann", tokens)
        assert sum(count_tokens(line + "\n") for line in lines) <= max(0, tokens)
    assert await within(profile, "ann", count_tokens(whole[0] + "\n")) == whole[:1]


async def test_what_two_conversations_say_is_told_once(quiet: Memory, profile: Profile) -> None:
    for memory_id in ("one", "two"):
        await quiet.learn("ann", "I love figs.", memory_id)
    await quiet.learn("ann", "I live in Madrid.", "two")
    assert sorted(await within(profile, "ann", 100)) == ["The user lives in Madrid.", "The user loves figs."]
    assert await within(profile, "bob", 100) == []


async def test_hidden_facts_are_not_told(quiet: Memory, profile: Profile) -> None:
    await quiet.learn("ann", "I love figs.")
    [item] = await profile.page("ann", limit=9)
    await profile.change("ann", [ProfileChange(item.id, hidden=True)])
    assert await within(profile, "ann", 100) == []
    with pytest.raises(NotFound):
        await profile.change("bob", [ProfileChange(item.id, hidden=False)])


async def within(profile: Profile, owner: str, tokens: int) -> list[str]:
    return [item.text for item in await profile.within(owner, tokens)]


async def unmark(memory: Memory) -> None:
    """Leaves documents as builds made them that knew of no profiles."""
    for kept in (memory.engine.store.collections.facts, memory.engine.store.collections.memories):
        await kept.update_many({}, {"$unset": {"rank": ""}})


async def test_a_fact_is_read_once(quiet: Memory, profile: Profile, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("I'm allergic to penicillin.", "I love figs."):
        await quiet.learn("ann", text)
    await quiet.engine.chats.keyvalues.put("ann", "shelf", "the third")
    await unmark(quiet)
    before = await shown(profile)

    async def embed(texts: Sequence[str]) -> None:
        raise AssertionError(texts)

    monkeypatch.setattr(quiet.engine.gists.encoder, "embed", embed)
    assert await shown(profile) == before
    [first, *_] = await profile.page("ann", limit=1)
    assert len(await within(profile, "ann", 100)) == 3 and first.text == before[0]


async def test_the_sweep_reads_what_nobody_looked_at(quiet: Memory, profile: Profile) -> None:
    many = 2 * AT_ONCE
    for owner in ("ann", "bob"):
        for number in range(many):
            await quiet.engine.chats.keyvalues.put(owner, f"key {number}", "the same")
    await quiet.engine.chats.keyvalues.put("ann", "penicillin", "an allergy of mine")
    memories = quiet.engine.store.collections.memories
    assert await memories.count_documents({"rank": {"$lt": 0}}) == 2 * many + 1
    assert len(await shown(profile)) == many + 1
    assert await memories.count_documents({"rank": {"$lt": 0}}) > many
    await quiet.engine.knowledge.product.sweep()
    assert await memories.count_documents({"rank": {"$lt": 0}}) == 0
    assert (await shown(profile))[0] == "penicillin: an allergy of mine"


async def test_a_store_of_an_earlier_build_shows_all(quiet: Memory, profile: Profile) -> None:
    many = 3 * AT_ONCE
    for number in range(many):
        await quiet.engine.chats.keyvalues.put("ann", f"key {number}", "the same")
    await profile.page("ann", limit=1)
    items = await profile.page("ann", limit=many)
    await profile.change("ann", [ProfileChange(item.id, pinned=True) for item in items[:50]])
    await unmark(quiet)
    again = await profile.page("ann", limit=many)
    assert len(again) == many
    assert [item.pinned for item in again] == [True] * 50 + [False] * (many - 50)


def test_kinds_are_whole() -> None:
    assert all(0 <= kind.need <= 1 and kind.descriptions for kind in kinds())
