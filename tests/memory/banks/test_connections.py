"""Is a session known for as long as it is used, and to its owner alone?"""

from agents.memory import Memory
from memory.banks.activations import OF_LATE, Client
from tests.banks import begun
from tests.conversations import USER
from utils.clock import now

PARAMS = '{"clientInfo": {"name": "desk.top", "$version": "1"}}'
FIRST, SECOND = "loci://banks/project/loci/active.md", "loci://banks/project/loci/context.md"


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
