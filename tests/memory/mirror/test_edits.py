"""The memory follows what is done to its files."""

import logging
from collections.abc import Callable

import frontmatter
import pytest

from agents.memory import Memory
from agents.open import open_memory
from config.recipes import SEARCH
from config.settings import Settings
from memory.domain import Turn
from tests.conversations import START, Silent, pairs, settle, turn
from tests.mirrors import Mirroring, body, edit, said, say, stated

MakeSettings = Callable[..., Settings]


async def found(memory: Memory, query: str) -> list[str]:
    return [hit.gist.content for hit in (await memory.search("ann", query, SEARCH)).hits]


async def test_an_edited_fact_file_changes_the_fact(mirrored: Mirroring, quiet: Memory) -> None:
    old = mirrored.file("The user lives in Oslo.")
    edit(old, "The user lives in\nRome.")
    await mirrored.look()
    assert await stated(quiet) == ["The user lives in Rome.", "The user loves figs."]
    assert "The user lives in Rome." in await found(quiet, "Where does the user live?")
    new = mirrored.file("The user lives in Rome.")
    assert not old.exists() and mirrored.conflicts() == [] and mirrored.nudged == 1
    fact = await quiet.engine.knowledge.facts.get("ann", frontmatter.load(str(new))["id"])
    assert fact.decided_by == "user"


async def test_an_editor_that_saves_a_fact_again_where_it_stood_means_the_new_one(
    mirrored: Mirroring, quiet: Memory
) -> None:
    path = mirrored.file("The user lives in Oslo.")
    buffer = path.read_text()
    for town in ("Rome", "Madrid", "Berlin", "Berlin"):
        path.write_text(buffer.replace("Oslo", town))
        await mirrored.look()
        assert await stated(quiet) == [f"The user lives in {town}.", "The user loves figs."]
    assert mirrored.texts(part="s/facts") == ["The user lives in Berlin.", "The user loves figs."]
    assert not path.exists() and mirrored.conflicts() == []


async def test_an_editor_that_empties_a_fact_where_it_stood_means_nothing(
    mirrored: Mirroring, quiet: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    path = mirrored.file("The user lives in Oslo.")
    edit(path, "The user lives in Rome.")
    await mirrored.look()
    path.write_text("")
    with caplog.at_level(logging.WARNING):
        await mirrored.look()
    assert await stated(quiet) == ["The user lives in Rome.", "The user loves figs."]
    assert "it says nothing" in caplog.text


async def test_front_matter_without_its_beginning_is_no_text(
    mirrored: Mirroring, quiet: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    path = mirrored.file("The user lives in Oslo.")
    path.write_text(path.read_text().replace("---", "--", 1))
    with caplog.at_level(logging.WARNING):
        await mirrored.look()
    assert await stated(quiet) == ["The user lives in Oslo.", "The user loves figs."]
    assert "its front matter has no beginning" in caplog.text


async def test_a_deleted_fact_file_ends_the_fact(mirrored: Mirroring, quiet: Memory) -> None:
    mirrored.file("The user lives in Oslo.").unlink()
    await mirrored.look()
    assert await stated(quiet) == ["The user loves figs."]
    [ended] = [fact for fact, _ in await quiet.engine.knowledge.facts.page("ann", limit=9, ended=True) if fact.valid_to]
    await quiet.engine.knowledge.facts.undo("ann", ended.id)
    await mirrored.settle()
    assert mirrored.file("The user lives in Oslo.").exists()


async def test_a_new_fact_file_is_a_fact_as_it_stands(mirrored: Mirroring, quiet: Memory) -> None:
    folder = mirrored.root / "ann/entries/s/facts"
    (folder / "gate.md").write_text("What is it with 4711?\n")
    (folder / "dated.md").write_text("---\nvalid_from: 2020-05-01\ntags: [x]\n---\n\nAnn was born in Bergen.\n")
    await mirrored.look()
    every = {fact.text: fact for fact, _ in await quiet.engine.knowledge.facts.page("ann", limit=9)}
    assert every.keys() >= {"What is it with 4711?", "Ann was born in Bergen."} and len(every) == 4
    assert every["Ann was born in Bergen."].valid_from.isoformat() == "2020-05-01T00:00:00+00:00"
    assert {fact.memory_id for fact in every.values()} == {"s"}
    assert sorted(path.name for path in folder.iterdir() if "__" not in path.name) == []
    assert mirrored.texts(part="s/facts") == sorted(every)
    (folder / "gate.md").write_text("The gate's code is 4711.\n")  # saved again by its editor
    await mirrored.look()
    assert "The gate's code is 4711." in await stated(quiet) and len(await stated(quiet)) == 4


async def test_a_fact_that_stands_already_is_not_doubled(
    mirrored: Mirroring, quiet: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    path = mirrored.root / "ann/entries/s/facts/again.md"
    path.write_text("The user  lives in Oslo.")
    await mirrored.look()
    assert len(await stated(quiet)) == 2 and path.exists()
    assert "says so already" in caplog.text


async def test_a_fact_file_that_is_put_back_is_a_fact_again_without_its_id(mirrored: Mirroring, quiet: Memory) -> None:
    path = mirrored.file("The user loves figs.")
    data = path.read_bytes()
    path.unlink()
    await mirrored.look()
    path.write_bytes(data)
    await mirrored.look()
    assert "The user loves figs." not in await stated(quiet) and path.read_bytes() == data
    path.write_text("The user loves figs.")
    await mirrored.look()
    assert "The user loves figs." in await stated(quiet)


async def test_a_folder_that_somebody_makes_is_a_conversation(mirrored: Mirroring, quiet: Memory) -> None:
    folder = mirrored.root / "ann/entries/My Trip/facts"
    folder.mkdir(parents=True)
    (folder / "plan.md").write_text("The trip begins in Bergen.")
    await mirrored.look()
    assert [fact.memory_id for fact, _ in await quiet.engine.knowledge.facts.page("ann", limit=9, memory_id="My Trip")]
    assert body(mirrored.file("The trip begins in Bergen.")) and "%4dy%20%54rip" in str(
        mirrored.file("The trip begins in Bergen.")
    )
    assert not folder.exists()


async def test_a_user_whose_folder_somebody_makes_is_one(mirrored: Mirroring, quiet: Memory) -> None:
    folder = mirrored.root / "eve/entries/s/facts"
    folder.mkdir(parents=True)
    (folder / "x.md").write_text("Eve lives in Paris.")
    await mirrored.stop()
    again = await mirrored.again()
    assert await stated(quiet, "eve") == ["Eve lives in Paris."]
    assert again.texts("eve") == ["Eve lives in Paris."]


async def test_an_edited_turn_file_changes_the_message_and_what_was_made_of_it(
    mirrored: Mirroring, quiet: Memory
) -> None:
    await quiet.engine.knowledge.queue.work()
    await mirrored.settle()
    path = mirrored.file("I live in Oslo.")
    edit(path, "I live in Bergen.\n\nIt rains.")
    await mirrored.look()
    assert await said(quiet) == ["I live in Bergen.\n\nIt rains."]
    assert "I live in Bergen.\n\nIt rains." in await found(quiet, "Does it rain where I live?")
    assert body(path) == "I live in Bergen.\n\nIt rains."
    await quiet.engine.knowledge.queue.work()
    assert "The user lives in Bergen." in await stated(quiet)
    assert (await quiet.engine.chats.sessions.get("ann", "s")).title == "I live in Bergen."


async def test_an_edited_message_changes_the_summary_that_covers_it(mirrored: Mirroring, quiet: Memory) -> None:
    await quiet.add("ann", "long", pairs(10))
    await settle(quiet)
    await mirrored.mirror.follow()
    edit(mirrored.file("user says something of item number 3"), "We decided to call the boat Marlin.")
    await mirrored.look()
    [summary] = await quiet.engine.chats.summaries.of_session("ann", "long")
    assert "Marlin" in summary.text
    assert "Marlin" in body(mirrored.root / "ann/entries/long/summaries/summary.md")


async def test_a_deleted_turn_file_deletes_that_message_alone(mirrored: Mirroring, quiet: Memory) -> None:
    turns = [
        Turn("t1.prompt", "user", "Where is Oslo?", START, turn_id="t1"),
        Turn("t1.response", "assistant", "In Norway.", START, turn_id="t1"),
    ]
    await quiet.engine.chats.turns.remember("ann", "q", turns)
    await mirrored.settle()
    mirrored.file("Where is Oslo?").unlink()
    await mirrored.look()
    assert await said(quiet, session="q") == ["In Norway."]
    session = await quiet.engine.chats.sessions.get("ann", "q")
    assert (session.message_count, session.pair_count, session.title) == (1, 1, "Conversation")
    assert mirrored.texts(part="q/turns/*") == ["In Norway."]


async def test_a_new_turn_file_is_a_message(mirrored: Mirroring, quiet: Memory) -> None:
    folder = mirrored.root / "ann/entries/s/turns"
    (folder / "assistant").mkdir()
    (folder / "user" / "new.md").write_text("I moved.\n")
    front = "---\nid: mine\nrole: assistant\nconversation_id: s\ncreated_at: 2024-01-02T03:04:05Z\n---\n"
    (folder / "assistant" / "x.md").write_text(f"{front}\nWhere to?\n")
    await mirrored.look()
    assert sorted(await said(quiet)) == ["I live in Oslo.", "I moved.", "Where to?"]
    assert (folder / "assistant" / "2024-01-02T03-04-05Z__mine.md").exists()
    assert not (folder / "user" / "new.md").exists() and not (folder / "assistant" / "x.md").exists()
    assert "I moved." in await found(quiet, "Who moved?")


async def test_an_added_message_that_a_kill_cut_short_is_added_once(mirrored: Mirroring, quiet: Memory) -> None:
    await mirrored.stop()
    path = mirrored.root / "ann/entries/s/turns/user/new.md"
    index = mirrored.root / "ann/memory_index.json"
    before = index.read_bytes()
    path.write_text("I moved.")
    await mirrored.look()
    index.write_bytes(before)
    path.write_text("I moved.")
    again = await mirrored.again()
    assert await said(quiet) == ["I live in Oslo.", "I moved."]
    assert again.texts(part="s/turns/user") == ["I live in Oslo.", "I moved."] or path.exists()


async def test_edits_while_nobody_looked_are_taken_over(mirrored: Mirroring, quiet: Memory) -> None:
    await say(quiet, "Nice weather.")
    await mirrored.settle()
    await mirrored.stop()
    edit(mirrored.file("The user lives in Oslo."), "The user lives in Rome.")
    mirrored.file("The user loves figs.").unlink()
    (mirrored.root / "ann/entries/s/facts/new.md").write_text("The user has a boat.")
    edit(mirrored.file("I live in Oslo."), "I live in Rome.")
    mirrored.file("Nice weather.").unlink()
    again = await mirrored.again()
    assert await stated(quiet) == ["The user has a boat.", "The user lives in Rome."]
    assert await said(quiet) == ["I live in Rome."]
    await again.settle()
    assert again.texts() == ["I live in Rome.", "The user has a boat.", "The user lives in Rome."]
    assert again.conflicts() == []
    await again.stop()
    third = await again.again()
    assert third.texts() == again.texts() and third.nudged == 0


async def test_our_own_writes_are_no_edits(mirrored: Mirroring, quiet: Memory) -> None:
    await say(quiet, " with white space \r\n\r\n---\r\nand: dashes ", "- [ ] \ufeff --- {braces} %41")
    await mirrored.settle()
    for _ in range(2):
        await mirrored.look()
    await mirrored.stop()
    again = await mirrored.again()
    assert mirrored.nudged == again.nudged == 0 and again.conflicts() == []


async def test_a_mirror_fills_another_database(mirrored: Mirroring, quiet: Memory, make_settings: MakeSettings) -> None:
    for at in ("t1", "t2"):
        turns = [turn(f"{at}.prompt"), turn(f"{at}.response", role="assistant")]
        await quiet.engine.chats.turns.remember("ann", "talk", turns)
    await mirrored.settle()
    await mirrored.stop()
    (mirrored.root / ".store").unlink()
    (mirrored.root / "ann/memory_index.json").unlink()
    async with open_memory(make_settings(mongodb_db="filled"), nudge=Silent()) as other:
        filled = Mirroring(other, mirrored.root)
        await filled.start()
        assert await said(other) == ["I live in Oslo."]
        assert await said(other, session="talk") == await said(quiet, session="talk")
        assert await stated(other) == ["The user lives in Oslo.", "The user loves figs."]
        await filled.settle()
        assert len(filled.texts()) == 7 and filled.conflicts() == []
