"""Where a transcript stands in a conversation, and what becomes of the rest."""

import asyncio
from contextlib import suppress
from typing import Any

import pytest

from agents.memory import Memory
from memory.domain import Turn
from memory.turns import Counted, Place, Stored
from tests.conversations import START, USER, messages, turn, until
from utils.clock import now

LINE = [
    ("user", "Where is the mill?"),
    ("assistant", "By the brook."),
    ("user", "Whose is it?"),
    ("assistant", "Ada's."),
]


async def said(memory: Memory, *, proxied: bool) -> None:
    turns = [Turn(f"m{n}", role, text, now(), proxied=proxied) for n, (role, text) in enumerate(LINE)]  # type: ignore[arg-type]
    await memory.add(USER, "s1", turns)


def named(message: Stored | None) -> str | None:
    return None if message is None else message.id


@pytest.mark.parametrize("proxied", [True, False], ids=["by a client's transcript", "by an import"])
@pytest.mark.parametrize(
    ("transcript", "after", "asked"),
    [
        ([*LINE, ("user", "How old is it?")], "m3", None),
        ([*LINE[:2], ("user", "How old is it?")], "m1", None),
        (LINE[:3], "m1", "m2"),
        ([("user", "In short: a mill."), *LINE[2:], ("user", "How old is it?")], "m3", None),
        ([*LINE[:3], ("assistant", "In other words, Ada's"), ("user", "How old is it?")], "m3", None),
        ([("assistant", "Nothing of this."), ("user", "How old is it?")], None, None),
    ],
    ids=["goes on", "edited", "asked again", "summed up", "an answer in other words", "another's"],
)
async def test_a_transcript_tells_what_its_last_message_follows(
    quiet: Memory, transcript: list[tuple[str, str]], after: str | None, asked: str | None, *, proxied: bool
) -> None:
    await said(quiet, proxied=proxied)
    found = await quiet.engine.chats.branches.find(USER, "s1", transcript)
    assert (named(found.after), named(found.asked)) == (after, asked)


@pytest.mark.parametrize("source", ["t1.prompt", "t1.response", "t2.response"])
async def test_an_exchange_is_forgotten_with_every_answer_to_it(quiet: Memory, source: str) -> None:
    turns = [
        Turn("t1.prompt", "user", "My locker is 12.", START, turn_id="t1"),
        Turn("t1.response", "assistant", "Locker 12.", START, turn_id="t1"),
        Turn("t2.response", "assistant", "Noted: 12.", START, turn_id="t2", follows="t1.prompt"),
        turn("m1", "The mill is by the brook."),
    ]
    await quiet.add(USER, "s1", turns)
    assert await quiet.engine.oversight.forgetter.exchange(USER, source) == 3
    assert [one["content"] for one in await messages(quiet, "s1")] == ["The mill is by the brook."]


async def test_a_transcript_that_has_two_answers_goes_on_behind_the_second(quiet: Memory) -> None:
    turns = [
        Turn("t1.prompt", "user", "Whose is it?", START, turn_id="t1", proxied=True),
        Turn("t1.response", "assistant", "Bob's.", START, turn_id="t1", branch="replaced", proxied=True),
        Turn("t2.response", "assistant", "Ada's.", START, turn_id="t2", follows="t1.prompt", proxied=True),
        Turn("t3.prompt", "user", "Since when?", START, turn_id="t3", proxied=True),
    ]
    await quiet.add(USER, "s1", turns)
    said = [("user", "Whose is it?"), ("assistant", "Bob's."), ("assistant", "Ada's."), ("user", "How old is it?")]
    assert named((await quiet.engine.chats.branches.find(USER, "s1", said)).after) == "t2.response"


def exchanges(count: int) -> list[Turn]:
    """Exchanges as a client's transcript tells them, each behind the one before it."""
    said = []
    for number in range(count):
        before = f"t{number - 1}.response" if number else None
        asked = f"The lamp {number} hangs in the hall {number}."
        said += [
            Turn(f"t{number}.prompt", "user", asked, START, turn_id=f"t{number}", follows=before, proxied=True),
            Turn(f"t{number}.response", "assistant", "So it does.", START, turn_id=f"t{number}", proxied=True),
        ]
    return said


@pytest.mark.parametrize("killed_at", ["_mark", "_count", "catch_up"])
async def test_what_a_kill_left_untold_of_a_line_the_sweep_tells(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch, killed_at: str
) -> None:
    """A message is edited, and its process killed before the summary and the count know; the client asks again."""
    chats = quiet.engine.chats
    said = exchanges(10)
    await quiet.add(USER, "s1", said)
    await chats.summaries.work()
    after = (
        await chats.branches.find(USER, "s1", [(one.role, one.content) for one in said[:2]] + [("user", "No.")])
    ).after
    assert after is not None

    async def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, suppress(KeyboardInterrupt):
        patched.setattr(chats.branches, killed_at, killed)
        await chats.branches.go_on(USER, "s1", after, edited=True)
    if killed_at == "_mark":
        await chats.branches.go_on(USER, "s1", after, edited=True)
    sessions = quiet.engine.store.collections.sessions
    await sessions.update_one({"session_id": "s1"}, {"$set": {"turned.at": START}})
    await quiet.engine.sweep()

    [summary] = await chats.summaries.of_session(USER, "s1")
    assert "lamp 0" in summary.text and "lamp 1" not in summary.text
    session = await sessions.find_one({"session_id": "s1"})
    assert session is not None and session["left_behind"] == 18 and "turned" not in session


@pytest.mark.parametrize(
    ("again", "answered", "line"),
    [
        ("Where is the mill?", False, ["t1.prompt", "t1.response"]),
        ("Where is the mill?", True, ["t1.prompt", "t1.response", "t2.prompt", "t2.response"]),
        ("Whose is the mill?", False, ["t1.prompt", "t1.response", "t2.prompt", "t2.response"]),
    ],
    ids=["at once", "one after the other", "another"],
)
async def test_what_two_processes_were_asked_at_once_is_one_message_of_the_line(
    quiet: Memory, again: str, answered: bool, line: list[str]
) -> None:
    """Each has looked at the conversation before the other's message was there."""
    chats, places = quiet.engine.chats, {}

    async def answer(turn_id: str) -> None:
        said = Turn(f"{turn_id}.response", "assistant", f"By {turn_id}.", now(), turn_id=turn_id, proxied=True)
        await chats.turns.close_exchange(USER, "s1", places[turn_id], said, retried=False)

    for turn_id, text in (("t1", "Where is the mill?"), ("t2", again)):
        prompt = Turn(f"{turn_id}.prompt", "user", text, now(), turn_id=turn_id, proxied=True)
        places[turn_id] = await chats.turns.open_exchange(USER, "s1", prompt, retried=False)
        if answered:
            await answer(turn_id)
    for turn_id in places:
        if not answered:
            await answer(turn_id)
        await chats.branches.settle(USER, "s1", places[turn_id].index, turn_id)
    said = await messages(quiet, "s1")
    assert [one["id"] for one in said if "branch" not in one] == line
    assert {one.get("branch", "replaced") for one in said if one["id"] not in line} <= {"replaced"}


@pytest.mark.parametrize("other", [None, "edited", "asked again", "at once"])
async def test_an_answer_is_known_to_stand_in_the_line_where_nothing_moved_its_prompt(
    quiet: Memory, other: str | None
) -> None:
    chats = quiet.engine.chats

    async def ask(turn_id: str, text: str) -> Place:
        prompt = Turn(f"{turn_id}.prompt", "user", text, now(), turn_id=turn_id, proxied=True)
        return await chats.turns.open_exchange(USER, "s1", prompt, retried=False)

    async def answer(turn_id: str, place: Place) -> Counted:
        said = Turn(f"{turn_id}.response", "assistant", f"By {turn_id}.", now(), turn_id=turn_id, proxied=True)
        return await chats.turns.close_exchange(USER, "s1", place, said, retried=False)

    assert await answer("t1", await ask("t1", "Where is the mill?")) == "in line"
    assert await answer("t2", await ask("t2", "Whose is it?")) == "in line"
    chats.places.look_again(USER, "s1")  # as another process would, which knows no counters
    place = await ask("t3", "How old is it?")
    last = await chats.turns.get(USER, "s1", "t3.prompt")
    if other == "edited":
        after = (await chats.branches.find(USER, "s1", [("user", "Where is the mill?")])).asked
        await chats.branches.go_on(USER, "s1", after, edited=True, whole=True)
    elif other == "asked again":
        fork = await chats.branches.fork(USER, "s1", last.content, follows=None, instead_of=last.id)
        assert fork.asked is not None
        assert await chats.branches.ask_again(USER, "s1", fork.asked, "t4") is not None
    elif other == "at once":
        place = await ask("t4", "How old is it?")
    turn_id = "t4" if other == "at once" else "t3"
    assert await answer(turn_id, place) == ("in line" if other is None else "there")
    settled = await chats.branches.settle(USER, "s1", place.index, turn_id)
    assert settled == (other is not None)


async def test_an_answer_that_lands_behind_the_last_look_follows_its_prompt_out_of_the_line(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was counted before its prompt was about to leave, and stored after that had left."""
    chats = quiet.engine.chats
    prompt = Turn("t1.prompt", "user", "Where is the mill?", now(), turn_id="t1", proxied=True)
    place = await chats.turns.open_exchange(USER, "s1", prompt, retried=False)
    insert, landing = chats.turns.insert, asyncio.Event()

    async def late(*parts: Any) -> set[str]:
        await landing.wait()
        return await insert(*parts)

    monkeypatch.setattr(chats.turns, "insert", late)
    said = Turn("t1.response", "assistant", "By the brook.", now(), turn_id="t1", proxied=True)
    closing = asyncio.create_task(chats.turns.close_exchange(USER, "s1", place, said, retried=False))
    sessions = quiet.engine.store.collections.sessions

    async def counted() -> bool:
        return await sessions.find_one({"session_id": "s1", "pair_count": 1}) is not None

    await until(counted)
    await chats.branches.go_on(USER, "s1", None, edited=True, whole=True)
    landing.set()
    assert await closing == "in line"
    await chats.branches.catch_up(USER, "s1")
    assert {one["id"]: one.get("branch") for one in await messages(quiet, "s1")} == {
        "t1.prompt": "replaced",
        "t1.response": "replaced",
    }
