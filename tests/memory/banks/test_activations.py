"""Activations: which bank a client is at work with; connections: a session is known to its owner while it is used."""

from datetime import timedelta

import pytest

from agents.memory import Memory
from memory.banks.activations import MOST_TOLD, OF_LATE, Active, Client
from tests.banks import begun
from tests.conversations import USER
from utils.clock import now
from utils.errors import InvalidInput, NotFound

DESKTOP = Client("desktop", "session-1")
WINDOW = Client("editor")  # one of several, as far as anybody knows
PARAMS = '{"clientInfo": {"name": "desk.top", "$version": "1"}}'
FIRST, SECOND = "loci://banks/project/loci/active.md", "loci://banks/project/loci/context.md"


async def test_a_new_session_of_a_program_goes_on_where_the_last_one_was(quiet: Memory) -> None:
    activations = quiet.engine.library.activations
    await activations.note(USER, DESKTOP, (await begun(quiet)).info)
    assert await activations.active(USER, Client("desktop", "session-2")) == Active("project", "loci")
    for owner, client in (("bob", DESKTOP), (USER, Client("another", "session-3"))):
        with pytest.raises(NotFound):
            await activations.active(owner, client)


async def test_of_several_banks_of_a_program_without_sessions_none_is_meant(quiet: Memory) -> None:
    activations = quiet.engine.library.activations
    for name, path in (("one", None), ("two", "/src/two"), ("one", None)):
        await activations.note(USER, WINDOW, (await quiet.activate(USER, "project", name, path)).info)
    two = (await quiet.activate(USER, "project", "two")).info.id
    with pytest.raises(InvalidInput) as refused:
        await activations.active(USER, WINDOW)
    assert refused.value.detail.endswith(f"one of project/one, project/{two} (at /src/two)")
    await quiet.engine.library.banks.delete(USER, "project", two)
    assert await activations.active(USER, WINDOW) == Active("project", "one")


async def test_a_session_goes_by_what_it_activated_last_whatever_others_of_its_program_did(quiet: Memory) -> None:
    activations = quiet.engine.library.activations
    for name, client in (("one", DESKTOP), ("two", DESKTOP), ("three", Client("desktop", "session-2"))):
        await activations.note(USER, client, (await begun(quiet, name)).info)
    assert await activations.active(USER, DESKTOP) == Active("project", "two")
    with pytest.raises(InvalidInput, match="project/three, project/two, project/one"):
        await activations.active(USER, Client("desktop", "session-3"))


async def test_of_very_many_banks_the_last_are_named(quiet: Memory) -> None:
    for number in range(MOST_TOLD + 3):
        await quiet.engine.library.activations.note(USER, WINDOW, (await begun(quiet, f"n{number}")).info)
    with pytest.raises(InvalidInput) as refused:
        await quiet.engine.library.activations.active(USER, WINDOW)
    assert refused.value.detail.count("project/") == MOST_TOLD
    assert refused.value.detail.endswith("project/n3 and others")


async def test_what_was_noted_when_a_program_had_one_bank_counts(quiet: Memory) -> None:
    bank = (await begun(quiet)).info
    noted = {"user_id": USER, "client": "name editor", "at": now(), "bank_type": "project", "bank_id": "loci"}
    await quiet.engine.store.collections.bank_activations.insert_one(noted | {"_id": "of before", "epoch": bank.epoch})
    await quiet.engine.library.activations.note(USER, WINDOW, bank)
    assert await quiet.engine.library.activations.active(USER, WINDOW) == Active("project", "loci")
    await quiet.engine.library.activations.note(USER, WINDOW, (await begun(quiet, "two")).info)
    with pytest.raises(InvalidInput, match="project/two, project/loci"):
        await quiet.engine.library.activations.active(USER, WINDOW)
    await quiet.engine.library.banks.delete(USER, "project", "loci")
    assert await quiet.engine.store.collections.bank_activations.count_documents({}) == 1


async def test_what_was_activated_long_ago_is_active_no_longer(quiet: Memory) -> None:
    await quiet.engine.library.activations.note(USER, DESKTOP, (await begun(quiet)).info)
    long_ago = {"$set": {"at": now() - OF_LATE - timedelta(seconds=1)}}
    await quiet.engine.store.collections.bank_activations.update_many({}, long_ago)
    with pytest.raises(NotFound, match="call `activate` first"):
        await quiet.engine.library.activations.active(USER, DESKTOP)


@pytest.mark.parametrize(
    "said", [None, "", "loci", "project/", "project/Loci", "projekt/loci", "project/a/b", "project/a-"]
)
def test_what_is_no_conversation_id_of_a_bank_names_none(said: str | None) -> None:
    assert Active.named(said) is None


def test_a_conversation_id_names_its_bank() -> None:
    for active in (Active("project", "loci"), Active("global", "global"), Active("code", "a" * 120)):
        assert Active.named(active.conversation_id) == active


async def test_a_session_is_known_with_what_it_is_told_of_until_it_ends(quiet: Memory) -> None:
    connections = quiet.engine.library.connections
    await connections.begin(USER, "s", PARAMS)
    for address in (FIRST, SECOND, FIRST):
        await connections.listen(USER, "s", address)
    await connections.leave(USER, "s", SECOND)
    found = await connections.find(USER, "s")
    assert found is not None and (found.params, found.addresses) == (PARAMS, (FIRST,))
    assert await connections.find("bob", "s") is await connections.find(USER, "t") is None
    await connections.listen("bob", "s", FIRST)  # makes nothing
    assert await connections.find("bob", "s") is None
    await connections.end("bob", "s")
    assert await connections.find(USER, "s") is not None
    await connections.end(USER, "s")
    assert await connections.find(USER, "s") is None


async def test_one_that_nobody_used_of_late_is_not(quiet: Memory) -> None:
    connections = quiet.engine.library.connections
    await connections.begin(USER, "s", PARAMS)
    await quiet.engine.store.collections.bank_activations.update_many({}, {"$set": {"at": now() - OF_LATE}})
    assert await connections.find(USER, "s") is None
    await connections.use(USER, "s")
    assert await connections.find(USER, "s") is not None


async def test_it_stands_beside_what_was_activated_and_goes_with_its_user(quiet: Memory) -> None:
    client = Client("one", "s")
    await quiet.engine.library.connections.begin(USER, "s", PARAMS)
    await quiet.engine.library.activations.note(USER, client, (await begun(quiet)).info)
    assert (await quiet.engine.library.activations.active(USER, client)).id == "loci"
    await quiet.engine.library.banks.delete(USER, "project", "loci")
    assert await quiet.engine.library.connections.find(USER, "s") is not None
    await quiet.engine.oversight.forgetter.user(USER)
    assert await quiet.engine.library.connections.find(USER, "s") is None
