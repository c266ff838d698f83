"""Which bank is a client at work with?"""

from datetime import timedelta

import pytest

from agents.memory import Memory
from memory.bank_activations import OF_LATE, Active, Client
from tests.banks import begun
from tests.conversations import USER
from utils.clock import now
from utils.errors import NotFound

DESKTOP = Client("desktop", "session-1")


async def test_a_new_session_of_a_program_goes_on_where_the_last_one_was(quiet: Memory) -> None:
    activations = quiet.engine.activations
    await activations.note(USER, DESKTOP, (await begun(quiet)).info)
    assert await activations.active(USER, Client("desktop", "session-2")) == Active("project", "loci")
    for owner, client in (("bob", DESKTOP), (USER, Client("another", "session-3"))):
        with pytest.raises(NotFound):
            await activations.active(owner, client)


async def test_what_was_activated_long_ago_is_active_no_longer(quiet: Memory) -> None:
    await quiet.engine.activations.note(USER, DESKTOP, (await begun(quiet)).info)
    long_ago = {"$set": {"at": now() - OF_LATE - timedelta(seconds=1)}}
    await quiet.engine.collections.bank_activations.update_many({}, long_ago)
    with pytest.raises(NotFound, match="call `activate` first"):
        await quiet.engine.activations.active(USER, DESKTOP)


@pytest.mark.parametrize(
    "said", [None, "", "loci", "project/", "project/Loci", "projekt/loci", "project/a/b", "project/a-"]
)
def test_what_is_no_conversation_id_of_a_bank_names_none(said: str | None) -> None:
    assert Active.named(said) is None


def test_a_conversation_id_names_its_bank() -> None:
    for active in (Active("project", "loci"), Active("global", "global"), Active("code", "a" * 120)):
        assert Active.named(active.conversation_id) == active
