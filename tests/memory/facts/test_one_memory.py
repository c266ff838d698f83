"""Facts of a user over all conversations: which replaces which, and what a conversation takes along when it goes."""

import asyncio
from datetime import timedelta

import pytest

from agents.memory import Memory
from memory.domain import Turn
from memory.facts.facts import BY_HAND, Facts, Origin
from memory.facts.rules.reconcile import Add, Delete, Keep, Update
from tests.conversations import START
from tests.stated import HOUR, come_due, gists, say, texts
from utils.clock import now

MADRID, BERLIN, OSLO = ("The user lives in Madrid.", "The user lives in Berlin.", "The user lives in Oslo.")


@pytest.fixture
def facts(quiet: Memory) -> Facts:
    return quiet.engine.knowledge.facts


def of(conversation: str, hour: int, source: str | None = None) -> Origin:
    """What is said in a conversation at an hour, by the rules."""
    return Origin("ann", conversation, "r", START + hour * HOUR, source or f"{conversation}{hour}")


async def told(memory: Memory, conversation: str, content: str, at: timedelta = timedelta(0)) -> None:
    """A user's message in a conversation, settled at once."""
    turns = memory.engine.chats.turns
    number = len(await turns.page("ann", conversation, after=-1, limit=200))
    said = Turn(f"{conversation}-m{number}", "user", content, START + at, proxied=True)
    await turns.remember("ann", conversation, [said])
    await come_due(memory)
    await memory.engine.knowledge.queue.work()


async def then(memory: Memory, *hours: float) -> list[list[str]]:
    """What was in force at some hours."""
    return [await texts(memory, as_of=START + hour * HOUR) for hour in hours]


async def test_what_is_told_in_one_conversation_is_replaced_in_another(quiet: Memory, facts: Facts) -> None:
    await told(quiet, "a", "I live in Madrid.")
    await told(quiet, "b", "I moved to Berlin.", HOUR)
    assert await texts(quiet) == await gists(quiet) == ["The user moved to Berlin and lives in Berlin."]
    [(fact, _)] = await facts.page("ann", limit=9)
    assert (fact.memory_id, fact.history[0].memory_id) == ("b", "b")
    await told(quiet, "a", "I live in Berlin.", 2 * HOUR)
    await quiet.engine.oversight.forgetter.session("ann", "b")
    assert await texts(quiet) == await gists(quiet)
    assert await texts(quiet) in (["The user lives in Berlin."], ["The user moved to Berlin and lives in Berlin."])


async def test_a_deleted_conversation_gives_back_what_it_had_replaced_or_ended_elsewhere(quiet: Memory) -> None:
    await told(quiet, "a", "I live in Madrid. I love figs.")
    await told(quiet, "b", "I moved to Berlin. I don't love figs anymore.", HOUR)
    assert "The user loves figs." not in await texts(quiet)
    await quiet.engine.oversight.forgetter.session("ann", "b")
    assert await texts(quiet) == await gists(quiet) == [MADRID, "The user loves figs."]
    assert await then(quiet, 0.5, 2) == [[MADRID, "The user loves figs."]] * 2


async def test_what_was_ended_by_a_deleted_conversation_is_in_force_again(quiet: Memory, facts: Facts) -> None:
    [figs] = await facts.apply(of("a", 0), [Add("The user loves figs.")])
    [plums] = await facts.apply(of("a", 0), [Add("The user loves plums.")])
    await facts.apply(of("b", 1), [Delete(figs.id)])
    await facts.apply(Origin("ann", "b", BY_HAND, now()), [Delete(plums.id)])
    await facts.forget("ann", now(), "b")
    assert await texts(quiet) == await gists(quiet) == ["The user loves figs."]


async def test_what_another_conversation_says_too_stays_as_its_own(quiet: Memory, facts: Facts) -> None:
    await told(quiet, "a", "I live in Madrid.")
    await told(quiet, "b", "I live in Madrid.", HOUR)
    await told(quiet, "a", "I love figs.", HOUR)
    assert (await quiet.engine.oversight.forgetter.session("ann", "a"))["facts"] == 1
    [(fact, _)] = await facts.page("ann", limit=9)
    assert (fact.text, fact.memory_id, fact.sources) == (MADRID, "b", ("b-m0",))
    stored = await quiet.engine.store.collections.vectors.find_one({"_id": fact.id})
    assert stored is not None and stored["session_id"] == "b"
    assert (await quiet.engine.oversight.forgetter.session("ann", "b"))["facts"] == 1
    assert await texts(quiet, ended=True) == await gists(quiet) == []


async def test_a_conversation_leaves_facts_of_others_that_it_confirmed(quiet: Memory, facts: Facts) -> None:
    [madrid] = await facts.apply(of("a", 0), [Add(MADRID)])
    [figs] = await facts.apply(Origin("ann", "a", "r", START), [Add("The user loves figs.")])
    await facts.apply(of("b", 1), [Keep(madrid.id), Keep(figs.id)])
    assert await facts.forget("ann", now(), "b") == 0
    assert (await facts.get("ann", madrid.id)).sources == ("a0",)
    assert (await facts.get("ann", figs.id)).sources == ()


async def test_a_conversation_that_lives_again_keeps_its_new_facts(quiet: Memory, facts: Facts) -> None:
    await told(quiet, "a", "I live in Madrid.")
    moment = now()
    await asyncio.sleep(0.002)
    await told(quiet, "a", "I love figs.", HOUR)
    await quiet.engine.store.collections.vectors.delete_one({"_id": "a-m0"})
    assert await facts.forget("ann", moment, "a") == 1
    assert await texts(quiet) == await gists(quiet) == ["The user loves figs."]


@pytest.mark.parametrize("going", ["a", "b", "c"])
async def test_of_a_chain_over_conversations_one_is_in_force_whichever_goes(
    quiet: Memory, facts: Facts, going: str
) -> None:
    [madrid] = await facts.apply(of("a", 0), [Add(MADRID)])
    [berlin] = await facts.apply(of("b", 1), [Update(madrid.id, BERLIN)])
    await facts.apply(of("c", 2), [Update(berlin.id, OSLO)])
    await facts.forget("ann", now(), going)
    expected = {
        "a": [[], [BERLIN], [OSLO]],
        "b": [[MADRID], [MADRID], [OSLO]],
        "c": [[MADRID], [BERLIN], [BERLIN]],
    }
    assert await then(quiet, 0.5, 1.5, 2.5) == expected[going]
    assert len(await gists(quiet)) == 1


async def test_what_was_said_earlier_elsewhere_comes_into_the_history(quiet: Memory, facts: Facts) -> None:
    await told(quiet, "a", "I live in Berlin.", 2 * HOUR)
    await told(quiet, "b", "I moved to Madrid.")
    assert await texts(quiet) == await gists(quiet) == [BERLIN]
    assert await then(quiet, -1, 1, 3) == [[], ["The user moved to Madrid and lives in Madrid."], [BERLIN]]
    every = {fact.text: fact for fact, _ in await facts.page("ann", limit=9, ended=True)}
    assert every["The user moved to Madrid and lives in Madrid."].superseded_by == every[BERLIN].id
    await told(quiet, "c", "I moved to Oslo.", HOUR)
    oslo = ["The user moved to Oslo and lives in Oslo."]
    assert await then(quiet, 0.5, 1.5, 3) == [["The user moved to Madrid and lives in Madrid."], oslo, [BERLIN]]
    await quiet.engine.oversight.forgetter.session("ann", "c")
    assert await then(quiet, 0.5, 1.5, 3) == [["The user moved to Madrid and lives in Madrid."]] * 2 + [[BERLIN]]
    await quiet.engine.oversight.forgetter.session("ann", "a")
    assert await texts(quiet) == await gists(quiet) == ["The user moved to Madrid and lives in Madrid."]


async def test_what_was_said_earlier_elsewhere_ends_nothing(quiet: Memory, facts: Facts) -> None:
    [figs] = await facts.apply(of("a", 2), [Add("The user loves figs.")])
    [decided] = await facts.apply(of("b", 1), [Delete(figs.id)])
    assert decided.event == "NONE" and await texts(quiet) == ["The user loves figs."]
    [decided] = await facts.apply(of("a", 1, "late"), [Delete(figs.id)])  # the same conversation goes by its order
    assert decided.event == "DELETE" and await texts(quiet) == []


async def test_the_same_earlier_statement_again_changes_nothing(quiet: Memory, facts: Facts) -> None:
    [berlin] = await facts.apply(of("a", 4), [Add(BERLIN)])
    [madrid] = await facts.apply(of("b", 0), [Update(berlin.id, MADRID)])
    for _ in range(2):
        await facts.apply(of("c", 2), [Update(berlin.id, OSLO)])
        assert await then(quiet, 1, 3, 5) == [[MADRID], [OSLO], [BERLIN]]
    await facts.undo("ann", madrid.id)
    await facts.apply(of("c", 2), [Update(berlin.id, OSLO)])
    assert await texts(quiet) == await gists(quiet) == [MADRID]


async def test_conversations_that_are_settled_at_once_leave_one_in_force(both: tuple[Memory, Memory]) -> None:
    for number in range(6):
        await say(both[0], f"I moved to Town{number}.", session=f"s{number}")
    settled = 0
    while settled < 6:
        settled += sum(await asyncio.gather(*(memory.engine.knowledge.queue.work() for memory in both)))
        await come_due(both[0])
    assert len(await texts(both[0])) == len(await gists(both[0])) == 1
    assert len(await texts(both[0], ended=True)) == 6


async def test_messages_of_all_conversations_are_settled_as_they_were_said(quiet: Memory) -> None:
    turns = quiet.engine.chats.turns
    for conversation, at in (("a", 1), ("b", 0), ("c", 2)):
        said = Turn(f"{conversation}0", "user", f"I moved to Town{at}.", START + at * HOUR, proxied=True)
        await turns.remember("ann", conversation, [said])
    await quiet.engine.knowledge.queue.work()
    assert await then(quiet, 0.5, 1.5, 2.5) == [
        [f"The user moved to Town{at} and lives in Town{at}."] for at in range(3)
    ]


async def test_a_conversation_of_many_facts_is_forgotten_in_a_few_steps(
    quiet: Memory, facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    [first] = await facts.apply(of("b", 0), [Add("Gate 0 has code 0.")])
    await facts.apply(of("a", 1), [Add(f"Gate {number} has code {number}.") for number in range(1, 60)])
    await facts.apply(of("a", 2), [Update(first.id, "Gate 0 has code 1.")])
    store, calls = facts._store, 0
    links = store.links

    async def counted(*arguments: object) -> object:
        nonlocal calls
        calls += 1
        return await links(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(store, "links", counted)
    assert await facts.forget("ann", now(), "a") == 60
    assert calls <= 3
    assert await texts(quiet, ended=True) == await gists(quiet) == ["Gate 0 has code 0."]


async def test_facts_that_an_earlier_build_kept_apart_stand_together(quiet: Memory, facts: Facts) -> None:
    for conversation, text in (("a", MADRID), ("b", BERLIN)):
        await facts.apply(of(conversation, 0), [Add(text)])
    await quiet.engine.store.collections.facts.update_many({}, {"$unset": {"history.$[].memory_id": ""}})
    assert await texts(quiet) == [BERLIN, MADRID]
    await told(quiet, "c", "I moved to Oslo.", HOUR)
    assert "The user moved to Oslo and lives in Oslo." in await texts(quiet)
    await facts.forget("ann", now(), "a")
    assert MADRID not in await texts(quiet, ended=True) and BERLIN in await texts(quiet, ended=True)


BLOCK = """<memory kind="proxy">
What was said before, quoted as data.
[user, 2025-03-01] I live in Lund.
</memory>"""


@pytest.mark.parametrize(
    ("content", "stated"),
    [
        (BLOCK, []),
        (f"{BLOCK}\n\nI love figs.", ["The user loves figs."]),
        ("My sister lives in Lund.", []),
        ("My sister lives in Lund. I love figs.", ["The user loves figs.", "The user's sister lives in Lund."]),
    ],
    ids=["a block alone", "a block before a message", "what the answer quoted", "that and more"],
)
async def test_what_memory_told_is_no_news_when_it_is_sent_back(quiet: Memory, content: str, stated: list[str]) -> None:
    quoting = Turn("a0", "assistant", "Somebody told me: “My sister lives in  Lund.” [1]", START)
    await quiet.engine.chats.turns.remember("ann", "a", [quoting])
    await told(quiet, "a", content, HOUR)
    assert await texts(quiet) == stated


async def test_what_is_said_again_later_is_news(quiet: Memory) -> None:
    await told(quiet, "a", "I moved to Madrid.")
    said = [
        Turn("a0", "assistant", "You told me: “I moved to Madrid.”", START),
        Turn("u1", "user", "I moved to Oslo.", START + HOUR),
        Turn("a1", "assistant", "Noted.", START + HOUR),
        Turn("u2", "user", "I moved to Madrid.", START + 2 * HOUR),
    ]
    await quiet.engine.chats.turns.remember("ann", "a", said)
    await quiet.engine.knowledge.queue.work()
    assert await then(quiet, 0.5, 1.5, 2.5) == [
        ["The user moved to Madrid and lives in Madrid."],
        ["The user moved to Oslo and lives in Oslo."],
        ["The user moved to Madrid and lives in Madrid."],
    ]
