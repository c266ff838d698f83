"""What has replaced what a message states."""

from agents.memory import Memory
from memory.facts.facts import Decided, Origin
from memory.facts.rules.reconcile import Add, Delete, Update
from memory.facts.superseded import LINKS
from tests.conversations import START


async def decided(memory: Memory, source: str, decision: Add | Update | Delete, owner: str = "ann") -> Decided:
    [made] = await memory.engine.knowledge.facts.apply(Origin(owner, "s", "rule_based", START, source), [decision])
    return made


async def in_force(memory: Memory, owner: str, ids: list[str]) -> dict[str, list[str]]:
    """By the ids of messages, the texts of what replaced what they state."""
    found = await memory.engine.knowledge.superseded.by_messages(owner, ids)
    return {message: [gist.content for gist in facts] for message, facts in found.items()}


async def test_the_end_of_a_chain_is_told(quiet: Memory) -> None:
    first = await decided(quiet, "m1", Add("The user lives in Rome."))
    await decided(quiet, "m1", Add("The user loves figs."))
    second = await decided(quiet, "m2", Update(first.id, "The user lives in Oslo."))
    await decided(quiet, "m3", Update(second.id, "The user lives in Bergen."))
    found = await in_force(quiet, "ann", ["m1", "m2", "m3", "m4"])
    assert found == {"m1": ["The user lives in Bergen."], "m2": ["The user lives in Bergen."]}
    assert await in_force(quiet, "bob", ["m1"]) == {}
    assert await in_force(quiet, "ann", []) == {}


async def test_what_merely_ended_has_no_successor(quiet: Memory) -> None:
    first = await decided(quiet, "m1", Add("The user lives in Rome."))
    second = await decided(quiet, "m2", Update(first.id, "The user lives in Oslo."))
    await decided(quiet, "m3", Delete(second.id))
    assert await in_force(quiet, "ann", ["m1", "m2"]) == {"m1": [], "m2": []}


async def test_a_message_of_which_something_holds_is_not_outdated(quiet: Memory) -> None:
    first = await decided(quiet, "m1", Add("The user lives in Rome."))
    await decided(quiet, "m1", Add("The user loves figs."))
    await decided(quiet, "m2", Delete(first.id))
    assert await in_force(quiet, "ann", ["m1", "m4"]) == {}


async def test_what_may_have_been_replaced_is_told_by_messages(quiet: Memory) -> None:
    superseded = quiet.engine.knowledge.superseded
    first = await decided(quiet, "m1", Add("The user works at Ravn."))
    second = await decided(quiet, "m2", Add("The user is with Halm now.", first.id))
    assert await superseded.undecided("ann", ["m1", "m2"]) == {"m1": frozenset(), "m2": {"m1"}}
    assert await superseded.undecided("ann", ["m2"]) == {"m2": frozenset()}
    assert (await superseded.holding("ann", ["m1", "m2", "m3"])).keys() == {"m1", "m2"}
    await decided(quiet, "m3", Delete(second.id))
    assert await superseded.undecided("ann", ["m1", "m2"]) == {"m1": frozenset()}
    assert (await superseded.holding("ann", ["m1", "m2"])).keys() == {"m1"}


async def test_what_is_in_force_is_given_as_it_is_recalled(quiet: Memory) -> None:
    first = await decided(quiet, "m1", Add("The user lives in Rome."))
    await decided(quiet, "m2", Update(first.id, "The user lives in Oslo."))
    found = await quiet.engine.knowledge.superseded.by_messages("ann", ["m1", "m2"])
    assert {one: [(gist.kind, gist.content) for gist in gists] for one, gists in found.items()} == {
        "m1": [("fact", "The user lives in Oslo.")]
    }


async def test_a_chain_without_end_is_followed_so_far(quiet: Memory) -> None:
    made = await decided(quiet, "m0", Add("The user lives in Town0."))
    for number in range(1, LINKS + 5):
        made = await decided(quiet, f"m{number}", Update(made.id, f"The user lives in Town{number}."))
    assert await in_force(quiet, "ann", ["m0"]) == {"m0": []}
    last = f"The user lives in Town{LINKS + 4}."
    assert await in_force(quiet, "ann", ["m10"]) == {"m10": [last]}
