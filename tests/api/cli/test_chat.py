"""A conversation answers line after line, whatever becomes of one of them."""

import asyncio
import re
from datetime import UTC, datetime
from io import StringIO
from typing import Any

import pytest
from pymongo.errors import AutoReconnect, OperationFailure
from rich.console import Console

from agents.memory import Memory
from api.cli.chat import Conversation
from memory.ids import new_id
from tests.conversations import USER, messages, say, turn, until
from tests.scripted_model import Behaviour, ScriptedModel, answer, cut, status

WIDTH = 60


class Talk:
    """A conversation that takes lines one after the other."""

    def __init__(self, memory: Memory) -> None:
        self._out, self._err = StringIO(), StringIO()
        screens = Console(file=self._out, width=WIDTH), Console(file=self._err, width=WIDTH)
        self.conversation = Conversation(memory, USER, "s1", *screens)

    @property
    def out(self) -> str:
        return self._out.getvalue()

    @property
    def err(self) -> str:
        return self._err.getvalue()

    def begins(self, line: str) -> asyncio.Task[bool]:
        """Whether a line is answered in full, which goes on meanwhile."""
        return asyncio.create_task(self.conversation.take(line))

    async def shows(self, text: str) -> None:
        async def shown() -> bool:
            return text in self.out

        await until(shown)


async def talk(memory: Memory, *lines: str | bytes, fails: int = 0) -> Talk:
    """A conversation that has come to its end. `fails`: how many of its lines are not answered in full."""
    talk = Talk(memory)
    whole = [await talk.conversation.take(line) for line in lines]
    talk.conversation.end()
    assert whole.count(False) == fails
    return talk


async def sessions(memory: Memory) -> set[str]:
    found: list[str] = await memory.engine.store.collections.sessions.distinct("session_id", {"user_id": USER})
    return set(found)


# Answers.


async def test_every_line_is_answered_in_one_session(with_model: Memory, scripted_model: ScriptedModel) -> None:
    scripted_model.script(answer("Good morning."), answer("It is [bold]Tuesday[/bold] :sun:.\n\tAll day.\n"))
    done = await talk(with_model, "Hello", "What day is it?")
    assert done.out == "Good morning.\nIt is [bold]Tuesday[/bold] :sun:.\n\tAll day.\n"
    assert done.err == "session s1\n"
    assert [one["content"] for one in await messages(with_model)] == [
        "Hello",
        "Good morning.",
        "What day is it?",
        "It is [bold]Tuesday[/bold] :sun:.\n\tAll day.\n",
    ]


async def test_what_was_said_before_is_remembered(quiet: Memory) -> None:
    done = await talk(quiet, "The heron nests by the old mill.", "Where does the heron nest?")
    assert "old mill" in done.out


@pytest.mark.parametrize("line", ["", " ", "\t"])
async def test_an_empty_line_asks_again(quiet: Memory, line: str) -> None:
    done = await talk(quiet, line, line)
    assert (done.out, done.err) == ("", "")
    assert await sessions(quiet) == set()


async def test_an_answer_cannot_steer_the_terminal(with_model: Memory, scripted_model: ScriptedModel) -> None:
    scripted_model.script(answer("\x1b]0;mine\x07Hello \x9b31mAnn"))
    assert (await talk(with_model, "Hello")).out == "]0;mineHello 31mAnn\n"


async def test_a_line_may_have_several_lines_in_it(quiet: Memory) -> None:
    await talk(quiet, "one\n\n  two")
    assert (await messages(quiet))[0]["content"] == "one\n\n  two"


# Breaking off.


@pytest.mark.parametrize("times", [1, 3])
async def test_an_answer_that_is_broken_off_is_kept_so_far_and_the_conversation_goes_on(
    with_model: Memory, scripted_model: ScriptedModel, times: int
) -> None:
    scripted_model.script(Behaviour(text="Once upon a time", hang_after=3), answer("Of course."))
    begun = Talk(with_model)
    answering = begun.begins("Tell me a story")
    await begun.shows("Once upon ")
    assert not answering.done()
    for _ in range(times):
        answering.cancel()
    assert not await answering
    assert await begun.conversation.take("/sources")
    assert await begun.conversation.take("Another one?")
    assert begun.out == "Once upon \nOf course.\n"
    assert begun.err == "broken off; what came is kept\nthere is no finished answer to show sources of\n"
    await with_model.close()
    kept = await messages(with_model)
    assert [(one["content"], one.get("interrupted", False)) for one in kept] == [
        ("Tell me a story", False),
        ("Once upon ", True),
        ("Another one?", False),
        ("Of course.", False),
    ]


async def test_an_answer_may_be_broken_off_before_it_begins(with_model: Memory, scripted_model: ScriptedModel) -> None:
    scripted_model.script(Behaviour(hang=True))
    begun = Talk(with_model)
    answering = begun.begins("Tell me a story")
    await until(lambda: _asked(scripted_model))
    answering.cancel()
    assert not await answering
    assert begun.out == "\n"
    assert [one["content"] for one in await messages(with_model)] == ["Tell me a story"]


async def _asked(model: ScriptedModel) -> bool:
    return bool(model.asked("chat"))


# Errors.


async def test_a_model_that_breaks_off_is_told_in_a_line_and_the_conversation_goes_on(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(cut(3), answer("Here I am."))
    ended = await talk(with_model, "one two three four five", "Are you there?", fails=1)
    assert re.fullmatch(r"You said: \nHere I am\.\n", ended.out)
    assert re.fullmatch(r"loci: [^\n]+\nsession s1\n", ended.err)


async def test_a_model_that_is_away_is_stood_in_for_by_rules(with_model: Memory, scripted_model: ScriptedModel) -> None:
    scripted_model.always(status(503))
    ended = await talk(with_model, "Hello")
    assert ended.out.startswith("Hello")
    assert ended.err == "answered without the model: The model answered with status 503\nsession s1\n"


async def test_a_provider_that_refuses_is_told_in_a_line(with_model: Memory, scripted_model: ScriptedModel) -> None:
    scripted_model.always(status(401))
    ended = await talk(with_model, "Hello", fails=1)
    assert ended.err == "loci: The model provider refused the key (401): check OPENAI_API_KEY\nsession s1\n"


async def test_a_store_that_is_away_is_told_in_a_line_and_the_conversation_goes_on(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    insert, failures = quiet.engine.chats.turns.insert, iter([AutoReconnect("gone")])

    async def at_first_away(*arguments: Any) -> Any:
        if failure := next(failures, None):
            raise failure
        return await insert(*arguments)

    monkeypatch.setattr(quiet.engine.chats.turns, "insert", at_first_away)
    ended = await talk(quiet, "Hello", "Hello", fails=1)
    assert ended.err == "loci: The store does not answer; try again\nsession s1\n"
    assert ended.out.count("\n") == 1


@pytest.mark.parametrize("bug", [RuntimeError("a bug"), OperationFailure("a bug")])
async def test_a_bug_is_not_hidden(quiet: Memory, monkeypatch: pytest.MonkeyPatch, bug: Exception) -> None:
    async def crash(*_: Any) -> int:
        raise bug

    monkeypatch.setattr(quiet.engine.chats.turns, "insert", crash)
    with pytest.raises(type(bug), match="a bug"):
        await talk(quiet, "Hello")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("x" * 32_001, "at most 32000 characters"),
        ("Hello \x00", "control characters"),
        ("Hello \udc80", "unicode"),
        (b"\xff\xfe", "not UTF-8"),
        ("/sourecs", "There is no /sourecs; /help lists what there is"),
    ],
)
async def test_a_line_that_cannot_be_asked_is_told_and_the_conversation_goes_on(
    quiet: Memory, line: str | bytes, said: str
) -> None:
    ended = await talk(quiet, line, "Hello", fails=1)
    first, *rest = ended.err.splitlines()
    assert first.startswith("loci: ")
    assert said in first
    assert rest == ["session s1"]
    assert [one["content"] for one in await messages(quiet)][:1] == ["Hello"]


# Commands.


async def test_help_names_every_command(quiet: Memory) -> None:
    done = await talk(quiet, "/help")
    assert set(re.findall(r"^/\w+", done.out, re.MULTILINE)) == {"/sources", "/new", "/quit", "/help"}
    assert "Ctrl-C" in done.out


@pytest.mark.parametrize("line", ["/etc/hosts", "/new ideas are welcome", "/"])
async def test_a_message_may_begin_with_a_slash(quiet: Memory, line: str) -> None:
    await talk(quiet, line)
    assert (await messages(quiet))[0]["content"] == line


async def test_sources_are_what_the_last_answer_rests_on(with_model: Memory, scripted_model: ScriptedModel) -> None:
    told = f"The heron nests by the old \x1b[31mmill, {'and ' * 20}that is all."
    said = turn("m1", told, timestamp=datetime(2025, 3, 1, tzinfo=UTC))
    await with_model.add(USER, "s0", [said], wait=True)
    scripted_model.script(answer("By the mill [1]."))
    done = await talk(with_model, "Where does the heron nest?", "/sources")
    shown, source = done.out.splitlines()
    assert shown == "By the mill [1]."
    assert source.startswith("[1] 2025-03-01 The heron nests by the old [31mmill, and")
    assert source.endswith("…")
    assert len(source) <= WIDTH


async def test_an_answer_without_sources_says_so(quiet: Memory) -> None:
    done = await talk(quiet, "/sources", "Thanks!", "/sources")
    assert done.err.splitlines()[:2] == [
        "there is no finished answer to show sources of",
        "the last answer rests on nothing that was remembered",
    ]


async def test_new_begins_another_session(quiet: Memory) -> None:
    await say(quiet, "Good morning", session_id="s0")
    done = await talk(quiet, "/new", "Hello", "/new", "/sources", "Hello again")
    first, second = await sessions(quiet) - {"s0"}
    named = re.findall(r"session (\w+)$", done.err, re.MULTILINE)
    assert set(named) == {first, second}
    assert len(first) == len(new_id())
    assert "there is no finished answer" in done.err
    assert [one["content"] for one in await messages(quiet, named[0])][:1] == ["Hello"]
    assert [one["content"] for one in await messages(quiet, named[1])][:1] == ["Hello again"]
