"""Items of other products' files as what an import takes."""

from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import pytest

from agents.memory import Memory
from memory.portable import Omission, SourceFile, records_of
from memory.portable.items import EMPTY, Item, SourceConversation, SourceMemory, SourceMessage
from memory.portable.records import LONGEST_FACT, NO_MESSAGES, TITLE, TOO_LONG
from memory.product import Record
from tests.conversations import USER, settle, turn
from tests.sources import chatgpt, json_of
from utils.fields import CONTENT_CHARACTERS

AT = datetime(2024, 5, 1, 12, tzinfo=UTC)


def talk(*messages: SourceMessage, **more: Any) -> SourceConversation:
    return SourceConversation("c", more.pop("title", "A talk"), messages, **more)


def message(text: str, role: Any = "user", **more: Any) -> SourceMessage:
    return SourceMessage(more.pop("id", f"{role}-{text[:9]}"), role, text, AT, **more)


async def bring_in(memory: Memory, *items: Item, source: str = "chatgpt") -> tuple[dict[str, int], list[Omission]]:
    """How many records are new, by kind, and what was left out."""
    omitted = []
    async with memory.importing(USER) as importing:
        for item in items:
            for record in records_of(source, item, memory.engine.importer.lines):
                if isinstance(record, Record):
                    await importing.take(record)
                else:
                    omitted.append(record)
        return dict(+(await importing.finish()).imported), omitted


async def said(memory: Memory) -> list[str]:
    records = [record async for record in memory.engine.records(USER)]
    return [record.fields["content"] for record in records if record.kind == "message"]


async def test_the_same_conversation_comes_once_and_one_that_grew_brings_the_rest(quiet: Memory) -> None:
    first = talk(message("One"), message("Two", "assistant"), begun=AT, ended=AT)
    assert (await bring_in(quiet, first))[0] == {"session": 1, "message": 2}
    assert (await bring_in(quiet, first, first))[0] == {}
    later = AT.replace(day=9)
    grown = replace(first, messages=[*first.messages, message("Three")], ended=later)
    assert (await bring_in(quiet, grown))[0] == {"message": 1}
    [(session, _)] = await quiet.engine.chats.sessions.page(USER, limit=9, after=None, title=None)
    assert (session.title, session.created_at, session.updated_at) == ("A talk", AT, later)
    assert (session.message_count, session.pair_count) == (3, 1)
    assert await said(quiet) == ["One", "Two", "Three"]


async def test_a_conversation_that_went_on_here_gets_what_came_since_behind_it(quiet: Memory) -> None:
    first = talk(message("One"), message("Two", "assistant"))
    await bring_in(quiet, first)
    [(session, _)] = await quiet.engine.chats.sessions.page(USER, limit=9, after=None, title=None)
    await quiet.add(USER, session.id, [turn("here", "Said here")])
    await bring_in(quiet, replace(first, messages=[*first.messages, message("Three")]))
    assert await said(quiet) == ["One", "Two", "Said here", "Three"]


async def test_a_message_that_cannot_be_kept_refuses_no_other(quiet: Memory) -> None:
    odd = talk(
        message("One"), message(" \n"), message("x" * (CONTENT_CHARACTERS + 1)), message("x" * CONTENT_CHARACTERS)
    )
    new, omitted = await bring_in(quiet, odd, talk(message(""), title="Nothing"))
    assert new == {"session": 1, "message": 2}
    assert [omission.reason for omission in omitted] == [EMPTY, TOO_LONG, EMPTY, NO_MESSAGES]
    assert [len(text) for text in await said(quiet)] == [3, CONTENT_CHARACTERS]


async def test_texts_come_without_thoughts_and_control_characters(quiet: Memory) -> None:
    await bring_in(
        quiet,
        talk(
            message("page\fpage\x85line\vline\0end"),
            message("\x1b[31mred\x1b[0m and \ud83d lone"),
            message("<think>Hm.</think>Said.", "assistant"),
            message("<think>Hm.</think>Said.", "user", id="u"),
        ),
    )
    assert await said(quiet) == [
        "page page line line end",
        "red and � lone",
        "Said.",
        "<think>Hm.</think>Said.",
    ]


@pytest.mark.parametrize(
    ("given", "title"),
    [
        ("Trip\tto\nRome \u202e", "Trip to Rome"),
        ("", "My boat is called Nixe."),
        ("word " * 100, ("word " * 40).strip()[: TITLE - 1] + "…"),
    ],
)
async def test_a_title_is_of_one_line_or_made_of_what_the_user_says(quiet: Memory, given: str, title: str) -> None:
    await bring_in(quiet, talk(message("Hello!", "assistant"), message("My boat is called Nixe."), title=given))
    [(session, _)] = await quiet.engine.chats.sessions.page(USER, limit=9, after=None, title=None)
    assert session.title[:180] == title[:180] and len(session.title) <= TITLE


async def test_a_memory_of_one_line_is_a_fact_and_a_longer_one_a_message(quiet: Memory) -> None:
    items = [
        SourceMemory("a", " Keeps three goats ", AT),
        SourceMemory("b", "Packs:\n- rope", AT),
        SourceMemory("c", "x" * (LONGEST_FACT + 1), AT, title="About"),
        SourceMemory("d", "", AT),
    ]
    new, omitted = await bring_in(quiet, *items, source="mem0")
    assert new == {"fact": 1, "session": 2, "message": 2}
    assert omitted == [Omission(EMPTY, "d")]
    assert (await bring_in(quiet, *items, source="mem0"))[0] == {}
    await settle(quiet)
    facts = await quiet.engine.knowledge.facts.page(USER, limit=9)
    [goats] = [fact for fact, _ in facts if fact.text == "Keeps three goats"]
    assert (goats.valid_from, goats.valid_to, goats.decided_by, goats.memory_id) == (AT, None, "mem0", "mem0")
    found = await quiet.search(USER, "How many goats are kept?")
    assert found.hits[0].gist.content == "Keeps three goats"


async def test_what_the_user_said_there_becomes_facts_here(quiet: Memory) -> None:
    await bring_in(quiet, talk(message("I live in Madrid."), message("I live in Rome.", "assistant")))
    await quiet.engine.knowledge.queue.work()
    facts = [fact for fact, _ in await quiet.engine.knowledge.facts.page(USER, limit=9)]
    assert [fact.valid_from for fact in facts if "Madrid" in fact.text] == [AT]
    assert not [fact for fact in facts if "Rome" in fact.text]


async def test_two_users_may_import_the_same_file(quiet: Memory) -> None:
    for owner in (USER, "bob"):
        async with quiet.importing(owner) as importing:
            for item in SourceFile(BytesIO(json_of([chatgpt()]))).items():
                for record in records_of("chatgpt", item, quiet.engine.importer.lines):
                    if isinstance(record, Record):
                        await importing.take(record)
            assert (await importing.finish()).imported["message"] == 6
