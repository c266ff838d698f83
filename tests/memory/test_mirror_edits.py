"""Does the memory follow what is done to files, and never what it must not?"""

import logging
import os
from collections.abc import Callable
from pathlib import Path

import frontmatter
import pytest

from agents.memory import Memory
from agents.open import open_memory
from config.recipes import SEARCH
from config.settings import Settings
from memory.domain import Turn
from tests.conversations import START, Silent, pairs, settle, turn
from tests.mirrors import Mirroring, body, edit, said, say, state, stated

MakeSettings = Callable[..., Settings]


@pytest.fixture
async def kept(quiet: Memory, tmp_path: Path) -> Mirroring:
    """The mirror of a message and two facts of Ann's."""
    mirroring = Mirroring(quiet, tmp_path / "mirror")
    await mirroring.start()
    await say(quiet, "I live in Oslo.")
    await state(quiet, "The user lives in Oslo.", "The user loves figs.")
    await mirroring.settle()
    return mirroring


async def found(memory: Memory, query: str) -> list[str]:
    return [hit.gist.content for hit in (await memory.search("ann", query, SEARCH)).hits]


async def test_an_edited_fact_file_changes_the_fact(kept: Mirroring, quiet: Memory) -> None:
    old = kept.file("The user lives in Oslo.")
    edit(old, "The user lives in\nRome.")
    await kept.look()
    assert await stated(quiet) == ["The user lives in Rome.", "The user loves figs."]
    assert "The user lives in Rome." in await found(quiet, "Where does the user live?")
    new = kept.file("The user lives in Rome.")
    assert not old.exists() and kept.conflicts() == [] and kept.nudged == 1
    fact = await quiet.engine.facts.get("ann", frontmatter.load(str(new))["id"])
    assert fact.decided_by == "user"


async def test_an_editor_that_saves_a_fact_again_where_it_stood_means_the_new_one(
    kept: Mirroring, quiet: Memory
) -> None:
    path = kept.file("The user lives in Oslo.")
    buffer = path.read_text()
    for town in ("Rome", "Madrid", "Berlin", "Berlin"):
        path.write_text(buffer.replace("Oslo", town))
        await kept.look()
        assert await stated(quiet) == [f"The user lives in {town}.", "The user loves figs."]
    assert kept.texts(part="s/facts") == ["The user lives in Berlin.", "The user loves figs."]
    assert not path.exists() and kept.conflicts() == []


async def test_an_editor_that_empties_a_fact_where_it_stood_means_nothing(
    kept: Mirroring, quiet: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    path = kept.file("The user lives in Oslo.")
    edit(path, "The user lives in Rome.")
    await kept.look()
    path.write_text("")
    with caplog.at_level(logging.WARNING):
        await kept.look()
    assert await stated(quiet) == ["The user lives in Rome.", "The user loves figs."]
    assert "it says nothing" in caplog.text


async def test_front_matter_without_its_beginning_is_no_text(
    kept: Mirroring, quiet: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    path = kept.file("The user lives in Oslo.")
    path.write_text(path.read_text().replace("---", "--", 1))
    with caplog.at_level(logging.WARNING):
        await kept.look()
    assert await stated(quiet) == ["The user lives in Oslo.", "The user loves figs."]
    assert "its front matter has no beginning" in caplog.text


async def test_a_deleted_fact_file_ends_the_fact(kept: Mirroring, quiet: Memory) -> None:
    kept.file("The user lives in Oslo.").unlink()
    await kept.look()
    assert await stated(quiet) == ["The user loves figs."]
    [ended] = [fact for fact, _ in await quiet.engine.facts.page("ann", limit=9, ended=True) if fact.valid_to]
    await quiet.engine.facts.undo("ann", ended.id)
    await kept.settle()
    assert kept.file("The user lives in Oslo.").exists()


async def test_a_new_fact_file_is_a_fact_as_it_stands(kept: Mirroring, quiet: Memory) -> None:
    folder = kept.root / "ann/entries/s/facts"
    (folder / "gate.md").write_text("What is it with 4711?\n")
    (folder / "dated.md").write_text("---\nvalid_from: 2020-05-01\ntags: [x]\n---\n\nAnn was born in Bergen.\n")
    await kept.look()
    every = {fact.text: fact for fact, _ in await quiet.engine.facts.page("ann", limit=9)}
    assert every.keys() >= {"What is it with 4711?", "Ann was born in Bergen."} and len(every) == 4
    assert every["Ann was born in Bergen."].valid_from.isoformat() == "2020-05-01T00:00:00+00:00"
    assert {fact.memory_id for fact in every.values()} == {"s"}
    assert sorted(path.name for path in folder.iterdir() if "__" not in path.name) == []
    assert kept.texts(part="s/facts") == sorted(every)
    (folder / "gate.md").write_text("The gate's code is 4711.\n")  # saved again by its editor
    await kept.look()
    assert "The gate's code is 4711." in await stated(quiet) and len(await stated(quiet)) == 4


async def test_a_fact_that_stands_already_is_not_doubled(
    kept: Mirroring, quiet: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    path = kept.root / "ann/entries/s/facts/again.md"
    path.write_text("The user  lives in Oslo.")
    await kept.look()
    assert len(await stated(quiet)) == 2 and path.exists()
    assert "says so already" in caplog.text


async def test_a_fact_file_that_is_put_back_brings_the_fact_back(kept: Mirroring, quiet: Memory) -> None:
    (kept.root / "ann/entries/s/facts/x.md").write_text("---\nvalid_from: 2020-05-01\n---\nAnn was born in Bergen.")
    await kept.look()
    for text in ("Ann was born in Bergen.", "The user loves figs."):
        path = kept.file(text)
        data = path.read_bytes()
        path.unlink()
        await kept.look()
        assert text not in await stated(quiet)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        await kept.look()
        assert text in await stated(quiet) and body(kept.file(text)) == text
    assert len(await stated(quiet)) == 3


async def test_a_folder_that_somebody_makes_is_a_conversation(kept: Mirroring, quiet: Memory) -> None:
    folder = kept.root / "ann/entries/My Trip/facts"
    folder.mkdir(parents=True)
    (folder / "plan.md").write_text("The trip begins in Bergen.")
    await kept.look()
    assert [fact.memory_id for fact, _ in await quiet.engine.facts.page("ann", limit=9, memory_id="My Trip")]
    assert body(kept.file("The trip begins in Bergen.")) and "%4dy%20%54rip" in str(
        kept.file("The trip begins in Bergen.")
    )
    assert not folder.exists()


async def test_a_user_whose_folder_somebody_makes_is_one(kept: Mirroring, quiet: Memory) -> None:
    folder = kept.root / "eve/entries/s/facts"
    folder.mkdir(parents=True)
    (folder / "x.md").write_text("Eve lives in Paris.")
    await kept.stop()
    again = await kept.again()
    assert await stated(quiet, "eve") == ["Eve lives in Paris."]
    assert again.texts("eve") == ["Eve lives in Paris."]


async def test_an_edited_turn_file_changes_the_message_and_what_was_made_of_it(kept: Mirroring, quiet: Memory) -> None:
    await quiet.engine.fact_queue.work()
    await kept.settle()
    path = kept.file("I live in Oslo.")
    edit(path, "I live in Bergen.\n\nIt rains.")
    await kept.look()
    assert await said(quiet) == ["I live in Bergen.\n\nIt rains."]
    assert "I live in Bergen.\n\nIt rains." in await found(quiet, "Does it rain where I live?")
    assert body(path) == "I live in Bergen.\n\nIt rains."
    await quiet.engine.fact_queue.work()
    assert "The user lives in Bergen." in await stated(quiet)
    assert (await quiet.engine.sessions.get("ann", "s")).title == "I live in Bergen. It rains."


async def test_an_edited_message_changes_the_summary_that_covers_it(kept: Mirroring, quiet: Memory) -> None:
    await quiet.add("ann", "long", pairs(10))
    await settle(quiet)
    await kept.mirror.follow()
    edit(kept.file("user says something of item number 3"), "We decided to call the boat Marlin.")
    await kept.look()
    [summary] = await quiet.engine.summaries.of_session("ann", "long")
    assert "Marlin" in summary.text
    assert "Marlin" in body(kept.root / "ann/entries/long/summaries/summary.md")


async def test_a_deleted_turn_file_deletes_that_message_alone(kept: Mirroring, quiet: Memory) -> None:
    turns = [
        Turn("t1.prompt", "user", "Where is Oslo?", START, turn_id="t1"),
        Turn("t1.response", "assistant", "In Norway.", START, turn_id="t1"),
    ]
    await quiet.engine.turns.remember("ann", "q", turns)
    await kept.settle()
    kept.file("Where is Oslo?").unlink()
    await kept.look()
    assert await said(quiet, session="q") == ["In Norway."]
    session = await quiet.engine.sessions.get("ann", "q")
    assert (session.message_count, session.pair_count, session.title) == (1, 1, "Conversation")
    assert kept.texts(part="q/turns/*") == ["In Norway."]


async def test_a_new_turn_file_is_a_message(kept: Mirroring, quiet: Memory) -> None:
    folder = kept.root / "ann/entries/s/turns"
    (folder / "assistant").mkdir()
    (folder / "user" / "new.md").write_text("I moved.\n")
    front = "---\nid: mine\nrole: assistant\nconversation_id: s\ncreated_at: 2024-01-02T03:04:05Z\n---\n"
    (folder / "assistant" / "x.md").write_text(f"{front}\nWhere to?\n")
    await kept.look()
    assert sorted(await said(quiet)) == ["I live in Oslo.", "I moved.", "Where to?"]
    assert (folder / "assistant" / "2024-01-02T03-04-05Z__mine.md").exists()
    assert not (folder / "user" / "new.md").exists() and not (folder / "assistant" / "x.md").exists()
    assert "I moved." in await found(quiet, "Who moved?")


async def test_an_added_message_that_a_kill_cut_short_is_added_once(kept: Mirroring, quiet: Memory) -> None:
    await kept.stop()
    path = kept.root / "ann/entries/s/turns/user/new.md"
    index = kept.root / "ann/memory_index.json"
    before = index.read_bytes()
    path.write_text("I moved.")
    await kept.look()
    index.write_bytes(before)
    path.write_text("I moved.")
    again = await kept.again()
    assert await said(quiet) == ["I live in Oslo.", "I moved."]
    assert again.texts(part="s/turns/user") == ["I live in Oslo.", "I moved."] or path.exists()


async def test_edits_while_nobody_looked_are_taken_over(kept: Mirroring, quiet: Memory) -> None:
    await say(quiet, "Nice weather.")
    await kept.settle()
    await kept.stop()
    edit(kept.file("The user lives in Oslo."), "The user lives in Rome.")
    kept.file("The user loves figs.").unlink()
    (kept.root / "ann/entries/s/facts/new.md").write_text("The user has a boat.")
    edit(kept.file("I live in Oslo."), "I live in Rome.")
    kept.file("Nice weather.").unlink()
    again = await kept.again()
    assert await stated(quiet) == ["The user has a boat.", "The user lives in Rome."]
    assert await said(quiet) == ["I live in Rome."]
    await again.settle()
    assert again.texts() == ["I live in Rome.", "The user has a boat.", "The user lives in Rome."]
    assert again.conflicts() == []
    await again.stop()
    third = await again.again()
    assert third.texts() == again.texts() and third.nudged == 0


@pytest.mark.parametrize("running", [False, True])
async def test_where_both_have_changed_the_memory_wins_and_the_file_is_kept_beside(
    kept: Mirroring, quiet: Memory, running: bool
) -> None:
    await kept.stop()
    fact, message = kept.file("The user lives in Oslo."), kept.file("I live in Oslo.")
    await quiet.engine.facts.change("ann", frontmatter.load(str(fact))["id"], "The user lives in Rome.")
    await quiet.engine.forgetter.reword("ann", "s-m0", "I live in Rome.")
    edit(fact, "The user lives in Paris.")
    edit(message, "I live in Paris.")
    again = kept if running else await kept.again()
    await again.look()
    assert await said(quiet) == ["I live in Rome."]
    assert await stated(quiet) == ["The user lives in Rome.", "The user loves figs."]
    assert again.texts() == ["I live in Rome.", "The user lives in Rome.", "The user loves figs."]
    assert again.conflicts() == ["I live in Paris.", "The user lives in Paris."]
    assert message.with_name(message.name.replace(".md", ".conflict.md")).exists()
    await again.stop()
    third = await again.again()
    assert third.conflicts() == again.conflicts() and third.texts() == again.texts()
    await quiet.engine.forgetter.session("ann", "s")
    await third.mirror.follow()
    assert third.texts() == [] and third.conflicts() == again.conflicts()


async def test_a_deletion_loses_to_a_change_too(kept: Mirroring, quiet: Memory) -> None:
    await kept.stop()
    await quiet.engine.forgetter.reword("ann", "s-m0", "I live in Rome.")
    kept.file("I live in Oslo.").unlink()
    again = await kept.again()
    assert await said(quiet) == again.texts(part="s/turns/user") == ["I live in Rome."]


async def test_an_edit_that_the_memory_has_anyway_is_no_conflict(kept: Mirroring, quiet: Memory) -> None:
    edit(kept.file("I live in Oslo."), "I live in Rome.")
    await quiet.engine.forgetter.reword("ann", "s-m0", "I live in Rome.")
    await kept.look()
    assert kept.conflicts() == [] and await said(quiet) == ["I live in Rome."]


async def test_a_second_conflict_does_not_overwrite_the_first(kept: Mirroring, quiet: Memory) -> None:
    for number in range(3):
        path = next((kept.root / "ann/entries/s/turns/user").glob("*__s-m0.md"))
        edit(path, f"Mine {number}.")
        await quiet.engine.forgetter.reword("ann", "s-m0", f"Theirs {number}.")
        await kept.look()
    assert kept.conflicts() == ["Mine 0.", "Mine 1.", "Mine 2."]
    assert await said(quiet) == ["Theirs 2."]


async def test_a_summary_is_read_only(kept: Mirroring, quiet: Memory, caplog: pytest.LogCaptureFixture) -> None:
    await quiet.engine.digests.extend("ann", "s")
    await kept.mirror.follow()
    path = kept.root / "ann/entries/s/summaries/summary.md"
    before = path.read_bytes()
    edit(path, "Not so.")
    await kept.look()
    assert path.read_bytes() == before and "summary.md" in caplog.text
    path.unlink()
    await kept.look()
    assert path.read_bytes() == before and kept.conflicts() == []


@pytest.mark.parametrize(
    "data",
    [b"---\nid: [\n---\nx", b"\xff\xfe\x00", b"x" * 20_000_001, b"", b"---\nid: other\n---\nx", b"y" * 200_001],
    ids=["yaml", "utf-8", "large", "empty", "id", "long"],
)
async def test_a_file_that_cannot_be_read_is_told_once_and_left_alone(
    kept: Mirroring, quiet: Memory, caplog: pytest.LogCaptureFixture, data: bytes
) -> None:
    path, other = kept.file("I live in Oslo."), kept.file("The user lives in Oslo.")
    path.write_bytes(data)
    fresh = path.with_name("fresh.md")
    fresh.write_bytes(data if data else b"\xff")
    edit(other, "The user lives in Rome.")
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            await kept.look()
    assert "I live in Oslo." in await said(quiet)
    assert await stated(quiet) == ["The user lives in Rome.", "The user loves figs."]
    assert path.read_bytes() == data
    assert caplog.text.count(f"{str(path)!r} is left alone") == 1
    await quiet.engine.forgetter.reword("ann", "s-m0", "I live in Bergen.")
    await kept.look()
    assert body(path) == "I live in Bergen."
    assert path.with_name(path.name.replace(".md", ".conflict.md")).read_bytes() == data


async def test_no_file_reaches_another_users_memory(
    kept: Mirroring, quiet: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    await say(quiet, "I live in Cairo.", owner="bob", session="b")
    [bobs] = await state(quiet, "Bob lives in Cairo.", owner="bob", session="b")
    await kept.settle()
    folder = kept.root / "ann/entries/s"
    for identifier, place in ((bobs, "facts"), ("b-m0", "turns/user")):
        (folder / place / f"{identifier}.md").write_text(f"---\nid: {identifier}\n---\nPwned.")
        (folder / place / f"to-{identifier}.md").write_text(
            f"---\nid: {identifier}\nconversation_id: b\nuser: bob\nowner: bob\n---\nPwned."
        )
    own = kept.file("The user lives in Oslo.")
    own.write_text(f"---\nid: {bobs}\n---\nPwned.")
    for name, target in (("link.md", kept.file("Bob lives in Cairo.", "bob")), ("passwd.md", Path("/etc/passwd"))):
        (folder / "facts" / name).symlink_to(target)
    (kept.root / "ann/entries/linked").symlink_to(kept.root / "bob/entries/b")
    (kept.root / "mallory").symlink_to(kept.root / "bob")
    os.mkfifo(folder / "facts" / "pipe.md")
    for _ in range(2):
        await kept.look()
    await kept.stop()
    again = await kept.again()
    assert await said(quiet, "bob", "b") == ["I live in Cairo."]
    assert await stated(quiet, "bob") == ["Bob lives in Cairo."]
    assert await stated(quiet) == ["The user lives in Oslo.", "The user loves figs."]
    assert await said(quiet) == ["I live in Oslo."] and await stated(quiet, "mallory") == []
    assert caplog.text.count("is left alone") >= 7
    await quiet.engine.forgetter.user("ann")
    await again.mirror.follow()
    assert again.texts("bob") == ["Bob lives in Cairo.", "I live in Cairo."]


async def test_an_index_cannot_lead_out_of_its_folder(kept: Mirroring, quiet: Memory) -> None:
    await say(quiet, "I live in Cairo.", owner="bob", session="b")
    await kept.settle()
    await kept.stop()
    index = kept.root / "ann/memory_index.json"
    bobs = kept.file("I live in Cairo.", "bob")
    ours = kept.file("I live in Oslo.").relative_to(kept.root / "ann").as_posix()
    index.write_text(index.read_text().replace(ours, f"../bob/{bobs.relative_to(kept.root / 'bob').as_posix()}"))
    again = await kept.again()
    assert bobs.exists() and await said(quiet, "bob", "b") == ["I live in Cairo."]
    assert await said(quiet) == ["I live in Oslo."] and "I live in Oslo." in again.texts()


async def test_a_file_of_another_conversation_is_left_alone(
    kept: Mirroring, quiet: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    folder = kept.root / "ann/entries/t/turns/user"
    folder.mkdir(parents=True)
    copied = folder / "copied.md"
    copied.write_bytes(kept.file("I live in Oslo.").read_bytes())
    (folder / "named.md").write_text("---\nid: s-m0\n---\nPwned.")
    await kept.look()
    assert await said(quiet, session="t") == [] and await said(quiet) == ["I live in Oslo."]
    assert copied.exists() and caplog.text.count("is left alone") == 2


async def test_a_copy_of_a_file_is_left_alone_and_a_renamed_one_goes_back(
    kept: Mirroring, quiet: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    path = kept.file("The user lives in Oslo.")
    copied = path.with_name("copy.md")
    copied.write_bytes(path.read_bytes())
    await kept.look()
    assert copied.exists() and "another file has its id" in caplog.text
    copied.unlink()
    path.rename(path.with_name("mine.md"))
    edit(path.with_name("mine.md"), "The user lives in Rome.")
    for folder in kept.mirror.folders:
        await kept.edits.look(folder.owner, folder.paths())
    await kept.look()
    assert await stated(quiet) == ["The user lives in Rome.", "The user loves figs."]
    assert kept.texts(part="s/facts") == ["The user lives in Rome.", "The user loves figs."]
    assert not path.with_name("mine.md").exists()


async def test_what_editors_keep_beside_a_file_is_not_read(kept: Mirroring, quiet: Memory) -> None:
    folder = kept.root / "ann/entries/s/facts"
    for name in (".x.md.swp", ".#x.md", "x.md~", "#x.md#", "4913", ".hidden.md", "x.md.tmp", "x.txt", "x.conflict.md"):
        (folder / name).write_text("Not a fact.")
    (folder / "empty.md").touch()
    await kept.look()
    assert await stated(quiet) == ["The user lives in Oslo.", "The user loves figs."]
    assert (folder / "x.conflict.md").exists() and (folder / "empty.md").exists()


async def test_our_own_writes_are_no_edits(kept: Mirroring, quiet: Memory) -> None:
    await say(quiet, " with white space \r\n\r\n---\r\nand: dashes ", "- [ ] \ufeff --- {braces} %41")
    await kept.settle()
    for _ in range(2):
        await kept.look()
    await kept.stop()
    again = await kept.again()
    assert kept.nudged == again.nudged == 0 and again.conflicts() == []


async def test_a_mirror_fills_another_database(kept: Mirroring, quiet: Memory, make_settings: MakeSettings) -> None:
    for at in ("t1", "t2"):
        turns = [turn(f"{at}.prompt"), turn(f"{at}.response", role="assistant")]
        await quiet.engine.turns.remember("ann", "talk", turns)
    await kept.settle()
    await kept.stop()
    (kept.root / ".store").unlink()
    (kept.root / "ann/memory_index.json").unlink()
    async with open_memory(make_settings(mongodb_db="filled"), nudge=Silent()) as other:
        filled = Mirroring(other, kept.root)
        await filled.start()
        assert await said(other) == ["I live in Oslo."]
        assert await said(other, session="talk") == await said(quiet, session="talk")
        assert await stated(other) == ["The user lives in Oslo.", "The user loves figs."]
        await filled.settle()
        assert len(filled.texts()) == 7 and filled.conflicts() == []
