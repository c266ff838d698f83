"""A deleted bank leaves nothing, whatever happens meanwhile."""

import asyncio

import pytest

from agents.memory import Memory
from memory.banks.activations import Active, Client
from tests.banks import begun, content, found, update
from tests.conversations import USER, settle
from tests.meanwhile import Killed, kill, meanwhile
from utils.errors import NotFound


async def test_a_deleted_bank_leaves_nothing(quiet: Memory) -> None:
    await begun(quiet)
    await begun(quiet, owner="bob")
    await update(quiet, "The lighthouse keeper is called Ada.")
    await settle(quiet)
    counts = await quiet.engine.library.banks.delete(USER, "project", "loci")
    assert counts == {"banks": 1, "bank_versions": 2, "vectors": 2}
    assert await found(quiet, "lighthouse keeper") == []
    for name in ("banks", "bank_versions", "vectors"):
        assert await getattr(quiet.engine.store.collections, name).count_documents({"user_id": USER}) == 0
    with pytest.raises(NotFound):
        await quiet.engine.library.banks.delete(USER, "project", "loci")
    assert (await begun(quiet)).info.version == 1
    assert (await quiet.engine.library.banks.info("bob", "project", "loci")).version == 1


@pytest.mark.parametrize("step", ["vectors", "bank_versions", "banks"])
async def test_a_deletion_that_was_cut_short_is_ended_by_whoever_asks_again(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    await begun(quiet)
    await update(quiet, "The lighthouse keeper is called Ada.")
    method = "delete_one" if step == "banks" else "delete_many"
    with monkeypatch.context() as patched, pytest.raises(Killed):
        meanwhile(patched, getattr(quiet.engine.store.collections, step), method, kill)
        await quiet.engine.library.banks.delete(USER, "project", "loci")
    with pytest.raises(NotFound):
        await quiet.engine.library.banks.get(USER, "project", "loci")
    assert (await quiet.engine.library.banks.page(USER, limit=5)) == []
    fresh = await begun(quiet)
    assert (fresh.info.version, "Ada" in str(fresh.content)) == (1, False)
    assert not any("Ada" in one for one in await found(quiet, "lighthouse keeper"))


@pytest.mark.parametrize("after", [False, True])
async def test_an_update_while_the_bank_is_deleted_leaves_nothing(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch, after: bool
) -> None:
    await begun(quiet)

    async def delete() -> None:
        await quiet.engine.library.banks.delete(USER, "project", "loci")

    with monkeypatch.context() as patched, pytest.raises(NotFound):
        meanwhile(patched, quiet.engine.store.collections.bank_versions, "insert_one", delete, after=after)
        await update(quiet, "Too late.")
    for name in ("banks", "bank_versions", "vectors"):
        assert await getattr(quiet.engine.store.collections, name).count_documents({}) == 0


async def test_an_update_between_the_mark_of_a_deletion_and_its_end_is_refused(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begun(quiet)

    async def mark() -> None:
        await quiet.engine.library.banks._store.mark_deleted(USER, "project", "loci")

    with monkeypatch.context() as patched, pytest.raises(NotFound, match="deleted meanwhile"):
        meanwhile(patched, quiet.engine.store.collections.banks, "update_one", mark)
        await update(quiet, "Too late.")
    counts = await quiet.engine.library.banks.delete(USER, "project", "loci")
    assert (counts["banks"], counts["bank_versions"]) == (1, 1)
    for name in ("banks", "bank_versions", "vectors"):
        assert await getattr(quiet.engine.store.collections, name).count_documents({}) == 0


async def test_sections_that_a_writer_made_while_the_bank_was_deleted_go(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begun(quiet)
    await update(quiet, "The lighthouse keeper is called Ada.")
    made = await quiet.engine.store.collections.vectors.find({}).to_list(None)

    async def write() -> None:
        await quiet.engine.store.collections.vectors.insert_many(made)

    with monkeypatch.context() as patched:
        meanwhile(patched, quiet.engine.store.collections.bank_versions, "delete_many", write)
        await quiet.engine.library.banks.delete(USER, "project", "loci")
    assert await quiet.engine.store.collections.vectors.count_documents({}) == 0


async def test_of_several_deletions_at_once_one_counts_the_bank(both: tuple[Memory, Memory]) -> None:
    await begun(both[0])
    deletions = [memory.engine.library.banks.delete(USER, "project", "loci") for memory in both * 2]
    done = await asyncio.gather(*deletions, return_exceptions=True)
    counts = [one for one in done if not isinstance(one, NotFound)]
    assert [sum(one[name] for one in counts) for name in ("banks", "bank_versions")] == [1, 1]  # type: ignore[index]


async def test_a_bank_that_is_made_anew_while_it_is_deleted_was_deleted(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begun(quiet)
    await update(quiet, "The lighthouse keeper is called Ada.")
    banks = quiet.engine.store.collections.banks

    async def again() -> None:
        await begun(quiet)

    with monkeypatch.context() as patched:
        for method in ("update_one", "find_one_and_update"):
            meanwhile(patched, banks, method, again, after=True)
        counts = await quiet.engine.library.banks.delete(USER, "project", "loci")
    assert (counts["banks"], counts["bank_versions"]) == (0, 0)  # who made it anew deleted what was left of it
    assert "Ada" not in await content(quiet)
    assert not any("Ada" in one for one in await found(quiet, "lighthouse keeper"))


async def test_an_activation_goes_with_its_own_bank_and_not_with_the_one_before(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    activations, client = quiet.engine.library.activations, Client("desktop")
    await activations.note(USER, client, (await begun(quiet)).info)

    async def again() -> None:
        await activations.note(USER, client, (await begun(quiet)).info)

    with monkeypatch.context() as patched:
        meanwhile(patched, quiet.engine.store.collections.bank_activations, "delete_many", again)
        await quiet.engine.library.banks.delete(USER, "project", "loci")
    assert await activations.active(USER, client) == Active("project", "loci")
    await quiet.engine.library.banks.delete(USER, "project", "loci")
    with pytest.raises(NotFound):
        await activations.active(USER, client)


async def test_deleting_a_user_deletes_versions_that_a_dead_writer_left(quiet: Memory) -> None:
    await begun(quiet)
    versions = quiet.engine.store.collections.bank_versions
    [left] = await versions.find({}).to_list(None)
    await quiet.engine.library.banks.delete(USER, "project", "loci")
    await versions.insert_one(left)
    await quiet.engine.oversight.forgetter.user(USER)
    assert await versions.count_documents({}) == 0


async def test_what_is_begun_after_a_user_was_deleted_keeps_its_versions(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def again() -> None:
        await begun(quiet)

    with monkeypatch.context() as patched:
        meanwhile(patched, quiet.engine.store.collections.bank_versions, "delete_many", again)
        await quiet.engine.library.banks.forget(USER)
    made, files = await quiet.engine.library.banks.at(USER, "project", "loci", 1)
    assert (made.reason, "A chat backend" in files["context.md"]) == ("created", True)


async def test_deleting_a_user_deletes_their_banks(quiet: Memory) -> None:
    await begun(quiet)
    await quiet.activate(USER, "global")
    await begun(quiet, owner="bob")
    gone = await quiet.engine.oversight.forgetter.user(USER)
    assert (gone["banks"], gone["bank_versions"], gone["vectors"]) == (2, 2, 1)
    for name in ("banks", "bank_versions", "bank_activations", "vectors", "owners"):
        assert await getattr(quiet.engine.store.collections, name).find_one({"user_id": USER}) is None
    assert (await begun(quiet, owner="bob")).info.version == 1
