"""What users state is settled once, in order, whoever else changes facts meanwhile, and nothing of it is lost."""

import asyncio

import pytest

from agents.memory import Memory
from memory.facts import queue as fact_queue
from memory.facts.facts import Decided, Facts
from memory.store import named_leases
from memory.store.leases import revive
from memory.store.named_leases import NamedLeases
from memory.turns import Writings
from tests.conversations import USER, at_minute, turn, until
from tests.meanwhile import Killed, kill, meanwhile
from tests.stated import come_due, found, gists, lose_leases, say, texts
from utils.errors import Conflict, NotFound


@pytest.fixture
def facts(quiet: Memory) -> Facts:
    return quiet.engine.knowledge.facts


async def job(memory: Memory, message: str) -> dict[str, object]:
    stored = await memory.engine.store.collections.vectors.find_one({"_id": message})
    assert stored is not None
    made: dict[str, object] = stored["facts"]
    return made


async def test_of_what_is_said_at_once_one_replaces_the_other(both: tuple[Memory, Memory]) -> None:
    said = (memory.learn("ann", f"I live in City{at}.", "s") for at, memory in enumerate(both))
    await asyncio.gather(*said)
    assert len(await texts(both[0])) == len(await gists(both[0])) == 1
    assert len(await texts(both[0], ended=True)) == 2


async def test_what_is_said_often_at_once_is_one_fact(both: tuple[Memory, Memory]) -> None:
    said = [both[at % 2].learn("ann", "Gate code: 4711", "s") for at in range(8)]
    decided = [one for answer in await asyncio.gather(*said) for one in answer]
    assert sorted(one.event for one in decided) == ["ADD", *["NONE"] * 7]
    assert await texts(both[0], ended=True) == ["Gate code: 4711"]
    await both[0].engine.knowledge.facts.end("ann", decided[0].id)
    [again] = await both[0].learn("ann", "Gate code: 4711", "s")
    assert again.event == "ADD" and again.id != decided[0].id


async def test_the_same_said_twice_is_one_fact_even_without_leases(
    both: tuple[Memory, Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def say_it_too() -> None:
        await lose_leases(both[0], monkeypatch)
        await both[1].learn("ann", "Gate code: 4711", "s")

    meanwhile(monkeypatch, both[0].engine.store.collections.facts, "insert_one", say_it_too)
    await both[0].learn("ann", "Gate code: 4711", "s")
    assert await texts(both[0], ended=True) == ["Gate code: 4711"]


async def test_what_is_said_and_what_is_settled_at_once_leave_one_in_force(both: tuple[Memory, Memory]) -> None:
    await say(both[0], "I live in Madrid.")
    await asyncio.gather(both[0].engine.knowledge.queue.work(), both[1].learn("ann", "I live in Rome.", "s"))
    assert len(await texts(both[0])) == len(await gists(both[0])) == 1


async def test_a_fact_that_is_changed_by_hand_while_a_message_replaces_it(both: tuple[Memory, Memory]) -> None:
    await say(both[0], "I live in Madrid.")
    await both[0].engine.knowledge.queue.work()
    [(old, _)] = await both[0].engine.knowledge.facts.page("ann", limit=9)
    await say(both[0], "I moved to Berlin.")
    changing = both[1].engine.knowledge.facts.change("ann", old.id, "The user lives in Rome.")
    await asyncio.gather(both[0].engine.knowledge.queue.work(), changing, return_exceptions=True)
    assert len(await texts(both[0])) == len(await gists(both[0])) == 1


async def killed_before_it_is_carried_out(memory: Memory, patch: pytest.MonkeyPatch) -> None:
    """A worker that committed what it decided of a message that corrects another, and no more."""
    await say(memory, "I live in Madrid.")
    await memory.engine.knowledge.queue.work()
    await say(memory, "I moved to Berlin and I love figs.")
    with patch.context() as once:
        meanwhile(once, memory.engine.store.collections.facts, "insert_one", kill)
        with pytest.raises(Killed):
            await memory.engine.knowledge.queue.work()
    assert "decisions" in await job(memory, "s-m1")
    await come_due(memory)


async def test_a_decision_on_a_fact_that_was_changed_since_is_made_anew(
    quiet: Memory, facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    await killed_before_it_is_carried_out(quiet, monkeypatch)
    [(madrid, _)] = await facts.page("ann", limit=9)
    await facts.change("ann", madrid.id, "The user lives in Rome.")
    assert await quiet.engine.knowledge.queue.work() == 1
    assert (
        await texts(quiet)
        == await gists(quiet)
        == ["The user loves figs.", "The user moved to Berlin and lives in Berlin."]
    )
    assert (await job(quiet, "s-m1"))["state"] == "done"


async def test_a_decision_on_a_fact_that_was_deleted_since_is_made_anew(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await killed_before_it_is_carried_out(quiet, monkeypatch)
    await quiet.engine.oversight.forgetter.message("ann", "s-m0")
    assert await quiet.engine.knowledge.queue.work() == 1
    assert (
        await texts(quiet, ended=True)
        == await gists(quiet)
        == ["The user loves figs.", "The user moved to Berlin and lives in Berlin."]
    )


@pytest.mark.parametrize("how", ["ended", "deleted"])
async def test_what_is_said_again_of_a_fact_that_just_went_is_a_fact(
    quiet: Memory, facts: Facts, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    await say(quiet, "I live in Madrid.")
    await quiet.engine.knowledge.queue.work()
    [(madrid, _)] = await facts.page("ann", limit=9)
    in_force = Facts.in_force
    went = False

    async def goes(self: Facts, owner: str) -> object:
        nonlocal went
        seen, first, went = await in_force(self, owner), not went, True
        if first and how == "ended":
            await facts.end("ann", madrid.id)
        elif first:
            await facts.forget_source("ann", "s", "s-m0")
        return seen

    monkeypatch.setattr(Facts, "in_force", goes)
    [decided] = await quiet.learn("ann", "I live in Madrid.", "s")
    assert decided.event == "ADD"
    assert await texts(quiet) == await gists(quiet) == ["The user lives in Madrid."]


async def test_a_message_whose_facts_never_settle_is_kept_to_be_tried_again(
    quiet: Memory, facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def conflict(*_: object) -> list[Decided]:
        raise Conflict("always")

    await say(quiet, "I live in Madrid.")
    with monkeypatch.context() as patch:
        patch.setattr(Facts, "apply", conflict)
        for attempt in (1, 2, 3):
            await come_due(quiet)
            assert await quiet.engine.knowledge.queue.work() == 0
            kept = await job(quiet, "s-m0")
            assert (kept["attempts"], kept["error"]) == (attempt, "Conflict")
        with pytest.raises(Conflict):
            await quiet.learn("ann", "I live in Madrid.", "s")
    assert (await job(quiet, "s-m0"))["state"] == "dead"
    assert await revive(quiet.engine.store.collections.vectors, "facts", {}) == 1
    assert await quiet.engine.knowledge.queue.work() == 1
    assert await texts(quiet) == ["The user lives in Madrid."]


async def test_the_others_go_on_where_one_fails(quiet: Memory, facts: Facts, monkeypatch: pytest.MonkeyPatch) -> None:
    kept_up: list[tuple[str, str]] = []

    async def follow(self: Writings, owner: str, session: str) -> None:
        kept_up.append((owner, session))

    monkeypatch.setattr(Writings, "follow", follow)
    apply = Facts.apply

    async def failing(self: Facts, origin: object, *arguments: object) -> object:
        if "memory_id='a'" in str(origin):
            raise RuntimeError("a bug")
        return await apply(self, origin, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Facts, "apply", failing)
    queue = quiet.engine.knowledge.queue
    for session, numbers in {"a": (1, 2), "b": (3, 4), "c": (5, 6)}.items():
        await say(quiet, *(f"My gadget {n} is called G{n}." for n in numbers), session=session)
    assert await queue.work() == 4
    assert kept_up == [("ann", "b"), ("ann", "c")]
    assert (await job(quiet, "a-m0"))["error"] == "RuntimeError"
    assert (await job(quiet, "a-m1"))["attempts"] == 0  # it waits for the one before it
    assert len(await texts(quiet)) == 4


async def test_a_message_of_a_user_whose_facts_others_keep_is_put_back(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(named_leases, "WAIT", 0.0)
    await say(quiet, "I live in Madrid.")
    async with named_leases.NamedLeases(quiet.engine.store.collections).held("learning", "ann"):
        assert await quiet.engine.knowledge.queue.work() == 0
    assert (await job(quiet, "s-m0"))["attempts"] == 0
    await come_due(quiet)
    assert await quiet.engine.knowledge.queue.work() == 1


async def test_nothing_is_made_of_a_message_that_is_deleted_just_before(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def delete() -> None:
        await quiet.engine.oversight.forgetter.message("ann", "s-m0")

    await say(quiet, "I live in Madrid.")
    meanwhile(monkeypatch, quiet.engine.store.collections.idempotency, "insert_one", delete)
    await quiet.engine.knowledge.queue.work()
    assert await texts(quiet, ended=True) == await gists(quiet) == []


@pytest.mark.parametrize("what", ["message", "session", "user"])
async def test_nothing_is_left_of_a_message_whose_worker_is_killed_while_it_is_deleted(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    deleting: list[asyncio.Task[object]] = []
    forgetter = quiet.engine.oversight.forgetter

    async def delete() -> None:
        call = {
            "message": lambda: forgetter.message("ann", "s-m0"),
            "session": lambda: forgetter.session("ann", "s"),
            "user": lambda: forgetter.user("ann"),
        }[what]
        deleting.append(asyncio.create_task(call()))

        async def waits() -> bool:
            return bool(refused) or deleting[0].done()

        await until(waits)  # a message's deletion does not end before what is just being written is there
        assert refused or what != "message"

    refused: list[str] = []
    take = NamedLeases._take

    async def taken(self: NamedLeases, key: str, token: str) -> bool:
        took = await take(self, key, token)
        refused.extend([] if took else [key])
        return took

    monkeypatch.setattr(NamedLeases, "_take", taken)
    apply = Facts.apply

    async def killed(self: Facts, *arguments: object) -> object:
        await apply(self, *arguments)  # type: ignore[arg-type]
        raise Killed

    await say(quiet, "I live in Madrid.")
    monkeypatch.setattr(Facts, "apply", killed)
    meanwhile(monkeypatch, quiet.engine.store.collections.facts, "insert_one", delete)
    with pytest.raises(Killed):
        await quiet.engine.knowledge.queue.work()
    await deleting[0]
    assert await texts(quiet, ended=True) == await gists(quiet) == []
    assert await found(quiet, "Where does the user live?") == []


@pytest.mark.parametrize("what", ["session", "user"])
async def test_what_was_said_before_a_deletion_does_not_land_after_it(
    quiet: Memory, facts: Facts, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    await quiet.learn("ann", "I love figs.", "s")

    async def delete() -> None:
        await (
            quiet.engine.oversight.forgetter.session("ann", "s")
            if what == "session"
            else quiet.engine.oversight.forgetter.user("ann")
        )

    with monkeypatch.context() as patch:
        meanwhile(patch, quiet.engine.store.collections.idempotency, "insert_one", delete, call=2)
        with pytest.raises(Conflict):
            await quiet.learn("ann", "I live in Madrid.", "s")
    assert await texts(quiet, ended=True) == await gists(quiet) == []
    await asyncio.sleep(0.002)  # what is said in the same millisecond was said before
    await quiet.learn("ann", "I live in Rome.", "s")
    assert await texts(quiet) == ["The user lives in Rome."]
    with pytest.raises(NotFound):
        await facts.get("ann", "nothing")


async def test_who_says_little_does_not_wait_for_all_that_another_imports(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fact_queue, "BATCH_BY_RULES", 16)
    many = 2 * fact_queue.BATCH_BY_RULES
    said = [turn(f"{at * 99 % many}", f"I live in City{at}.", timestamp=at_minute(at)) for at in range(many)]
    await quiet.add(USER, "imported", said)
    await quiet.add("bob", "s", [turn("b1", "I live in Oslo.")])
    await quiet.engine.knowledge.queue.step()
    assert await texts(quiet, "bob") == ["The user lives in Oslo."]
    await quiet.engine.knowledge.queue.work()
    assert await texts(quiet, USER) == [f"The user lives in City{many - 1}."]


async def settle(memory: Memory, *contents: str) -> None:
    """A user's messages, a minute apart, whose facts are settled."""
    for number, content in enumerate(contents):
        await memory.engine.chats.turns.remember("ann", "s", [turn(f"m{number}", content, proxied=True)])
        await memory.engine.knowledge.queue.work()


async def test_what_is_corrected_is_a_fact_of_its_own_message(quiet: Memory, facts: Facts) -> None:
    await settle(quiet, "The meeting is at 9.")
    assert await texts(quiet, ended=True) == []  # nor is it one until it is corrected
    await settle(quiet, "The meeting is at 9.", "Actually it is at 10.")
    made = {fact.text: fact for fact, _ in await facts.page("ann", limit=9, ended=True)}
    right, wrong = made["The meeting is at 10."], made["The meeting is at 9."]
    assert (right.sources, right.superseded_by) == (("m1",), None)
    assert (wrong.sources, wrong.superseded_by) == (("m0",), right.id)
    await quiet.engine.oversight.forgetter.message("ann", "m1")
    assert await texts(quiet) == ["The meeting is at 9."]


async def test_of_messages_of_one_moment_the_one_before_is_corrected(quiet: Memory) -> None:
    said = ("The meeting is at 9.", "Actually it is at 10.", "The party is at 7.")
    await quiet.add("ann", "s", [turn(f"m{at}", text, timestamp=at_minute(0)) for at, text in enumerate(said)])
    await quiet.engine.knowledge.queue.work()
    assert await texts(quiet) == ["The meeting is at 10."]


@pytest.mark.parametrize("between", ["I had soup.", "Is it far?"])
async def test_what_was_not_said_right_before_is_not_what_is_corrected(quiet: Memory, between: str) -> None:
    await settle(quiet, "The meeting is at 9.", between, "Actually it is at 10.")
    assert await texts(quiet, ended=True) == []


async def test_a_question_is_not_corrected(quiet: Memory) -> None:
    await settle(quiet, "is the meeting at 9", "Actually it is at 10.")
    assert await texts(quiet, ended=True) == []
