"""Files follow the memory."""

import json
from pathlib import Path

import frontmatter
import pytest

from agents.memory import Memory
from memory.domain import Turn
from memory.facts.facts import Origin
from memory.facts.rules.reconcile import Keep
from memory.ids import new_id
from memory.mirror import folder as mirror_folder
from tests.conversations import START, pairs, settle, turn
from tests.mirrors import Mirroring, body, edit, said, say, state, stated
from utils.errors import ConfigurationError


@pytest.fixture
async def kept(quiet: Memory, tmp_path: Path) -> Mirroring:
    mirroring = Mirroring(quiet, tmp_path / "mirror")
    await mirroring.start()
    return mirroring


async def test_messages_facts_and_summaries_have_their_places(kept: Mirroring, quiet: Memory) -> None:
    await quiet.add("ann", "trip", pairs(10))
    [fact] = await state(quiet, "The user lives in Oslo.", session="trip")
    await settle(quiet)
    await kept.mirror.follow()
    folder = kept.root / "ann" / "entries" / "trip"
    assert body(folder / "turns" / "user" / "2025-03-01T12-03-00Z__user3.md") == "user says something of item number 3"
    assert len(list((folder / "turns" / "assistant").iterdir())) == 10
    [path] = (folder / "facts").iterdir()
    assert path.name.endswith(f"__{fact}.md")
    front = frontmatter.load(str(path)).metadata
    assert (front["id"], front["conversation_id"], front["role"]) == (fact, "trip", "fact")
    assert (front["valid_from"], front["sources"], front["decided_by"]) == (START, ["trip-stated"], "rule_based")
    [summary] = await quiet.engine.chats.summaries.of_session("ann", "trip")
    post = frontmatter.load(str(folder / "summaries" / "summary.md"))
    assert (post.content, post["role"], post["summary_kind"]) == (summary.text, "summary", "windows")


async def test_an_isolated_project_has_a_folder_of_its_own(kept: Mirroring, quiet: Memory) -> None:
    await quiet.add("ann", "trip", pairs(2), project="zoo")
    await kept.settle()

    def files() -> dict[str, int]:
        return {folder.name: len(list(folder.rglob("*.md"))) for folder in kept.root.iterdir() if folder.is_dir()}

    assert files() == {"ann": 4}
    await quiet.put_project("ann", "zoo", {"isolated": True})
    await kept.settle()
    assert {name: count for name, count in files().items() if count} == {"ann%1fzoo": 4}
    await kept.stop()
    kept = await kept.again()
    edit(next((kept.root / "ann%1fzoo").rglob("*user0.md")), "The panda is called Bo.")
    await kept.look()
    assert (await quiet.engine.chats.turns.page("ann\x1fzoo", "trip", after=-1, limit=1))[0].content.endswith("Bo.")
    await quiet.put_project("ann", "zoo", {"isolated": False})
    await kept.settle()
    assert {name: count for name, count in files().items() if count} == {"ann": 4}


async def test_the_index_tells_what_was_written_and_how_far(kept: Mirroring, quiet: Memory) -> None:
    await say(quiet, "I live in Oslo.")
    await kept.settle()
    await kept.stop()
    index = json.loads((kept.root / "ann" / "memory_index.json").read_text())
    standing = await quiet.engine.store.changes.standing("ann")
    assert standing is not None
    assert index["position"]["gists"] == standing.settled
    assert index["entries"]["s-m0"]["path"] == "entries/s/turns/user/2025-03-01T12-00-00Z__s-m0.md"


async def test_observations_have_no_files(kept: Mirroring, quiet: Memory) -> None:
    await quiet.observe("ann", "RUN:walk", findings=["The heron nests by the mill"])
    await say(quiet, "I live in Oslo.")
    for _ in range(2):
        await kept.mirror.follow()
        assert kept.texts() == ["I live in Oslo."]
        await kept.settle()
    assert len(await quiet.recall_observations("ann", "heron")) == 1


async def test_the_digest_is_the_summary_where_there_is_one(kept: Mirroring, quiet: Memory) -> None:
    await say(quiet, "I decided to move to Oslo in May.")
    await quiet.engine.chats.digests.extend("ann", "s")
    await kept.mirror.follow()
    path = kept.root / "ann/entries/s/summaries/summary.md"
    assert body(path) == await quiet.engine.chats.digests.get("ann", "s")
    assert frontmatter.load(str(path))["summary_kind"] == "digest"
    await say(quiet, "My budget is 2,000 euros.")
    await quiet.engine.chats.digests.extend("ann", "s")
    await kept.mirror.follow()
    assert "2,000 euros" in body(path)


async def test_facts_that_end_are_replaced_or_come_back_change_their_files(kept: Mirroring, quiet: Memory) -> None:
    [fact] = await state(quiet, "The user lives in Oslo.")
    await kept.settle()
    assert kept.texts() == ["The user lives in Oslo."]
    new = await quiet.engine.knowledge.facts.change("ann", fact, "The user lives in Rome.")
    await kept.settle()
    assert kept.texts() == ["The user lives in Rome."]
    await quiet.engine.knowledge.facts.end("ann", new.id)
    await kept.settle()
    assert kept.texts() == []
    await quiet.engine.knowledge.facts.undo("ann", new.id)
    await kept.settle()
    assert kept.texts() == ["The user lives in Rome."]
    assert kept.conflicts() == []


async def test_another_source_of_a_fact_stands_in_its_file(kept: Mirroring, quiet: Memory) -> None:
    [fact] = await state(quiet, "The user lives in Oslo.")
    await kept.settle()
    await quiet.engine.knowledge.facts.apply(Origin("ann", "s", "rule_based", START, "s-m7"), [Keep(fact)])
    await kept.mirror.follow()
    assert frontmatter.load(str(kept.file("The user lives in Oslo.")))["sources"] == ["s-stated", "s-m7"]


async def test_what_is_deleted_leaves_no_file_and_no_empty_folder(kept: Mirroring, quiet: Memory) -> None:
    await quiet.add("ann", "s", pairs(10))
    await quiet.add("ann", "other", [turn("o1", "The other conversation.")])
    await quiet.add("bob", "s", [turn("b1", "Bob's.")])
    await state(quiet, "The user lives in Oslo.")
    await settle(quiet)
    await kept.mirror.follow()
    await quiet.engine.oversight.forgetter.session("ann", "s")
    await kept.mirror.follow()
    assert kept.texts() == ["The other conversation."]
    assert [path.name for path in (kept.root / "ann" / "entries").iterdir()] == ["other"]
    await quiet.engine.oversight.forgetter.user("ann")
    await kept.mirror.follow()
    assert not (kept.root / "ann").exists()
    assert kept.texts("bob") == ["Bob's."]
    await say(quiet, "Back again.")
    await kept.settle()
    assert kept.texts() == ["Back again."]


async def test_deletions_while_nobody_looked_are_made_up_for(kept: Mirroring, quiet: Memory) -> None:
    await say(quiet, "I live in Oslo.", "I love figs.")
    await say(quiet, "Elsewhere.", session="t")
    await say(quiet, "Bob's.", owner="bob")
    await kept.settle()
    await kept.stop()
    await quiet.engine.oversight.forgetter.exchange("ann", "s-m0")
    await quiet.engine.oversight.forgetter.session("ann", "t")
    await quiet.engine.oversight.forgetter.user("bob")
    await quiet.engine.store.collections.tombstones.delete_many({})  # a day later
    again = await kept.again()
    assert again.texts() == ["I love figs."]
    assert not (kept.root / "bob").exists()


async def test_a_kill_between_writing_and_the_index_is_no_edit(kept: Mirroring, quiet: Memory) -> None:
    await kept.stop()
    await say(quiet, "I live in Oslo.", "I love figs.")
    await state(quiet, "The user lives in Oslo.")
    await kept.settle()
    (kept.root / "ann" / "memory_index.json").unlink(missing_ok=True)
    before = kept.texts()
    again = await kept.again()
    assert again.texts() == before and again.conflicts() == []
    assert await said(quiet) == ["I live in Oslo.", "I love figs."]
    assert await stated(quiet) == ["The user lives in Oslo."]


async def test_what_was_deleted_after_a_kill_does_not_come_back(kept: Mirroring, quiet: Memory) -> None:
    await say(quiet, "I live in Oslo.")
    await kept.settle()
    await kept.stop()
    index = kept.root / "ann" / "memory_index.json"
    before = index.read_bytes()
    await say(quiet, "A secret.")
    await kept.settle()
    index.write_bytes(before)  # killed before it was written
    await quiet.engine.oversight.forgetter.exchange("ann", "s-m1")
    again = await kept.again()
    assert again.texts() == ["I live in Oslo."]
    assert await said(quiet) == ["I live in Oslo."]


async def test_a_temporary_file_of_a_kill_is_no_message(kept: Mirroring, quiet: Memory) -> None:
    await say(quiet, "I live in Oslo.")
    await kept.settle()
    half = kept.root / "ann/entries/s/turns/user" / f".{new_id()}.tmp"
    half.write_text("half")
    await kept.look()
    assert await said(quiet) == ["I live in Oslo."]
    await kept.again()
    assert not half.exists()


async def test_a_file_is_written_whole_or_not_at_all(
    kept: Mirroring, quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await say(quiet, "I live in Oslo.")
    await kept.settle()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(mirror_folder.os, "fsync", full)
        await quiet.engine.oversight.forgetter.reword("ann", "s-m0", "I live in Rome.")
        await kept.settle()
        assert kept.texts() == ["I live in Oslo."]
    await kept.mirror.follow()
    assert kept.texts() == ["I live in Rome."] and kept.conflicts() == []
    assert [path.name for path in (kept.root / "ann").rglob(".*")] == []


async def test_names_cannot_lead_out_of_a_users_folder(kept: Mirroring, quiet: Memory) -> None:
    for owner, session, identifier in [
        ("..", "..", "../../x"),
        ("Ann", "S/../T", "m/1"),
        ("ann", "s", "m1"),
        ("con", "NUL", "a" * 200),
        ("é", "e\u0301", "\U0001f600"),
        ("x" * 200, "y" * 200, "."),
    ]:
        await quiet.engine.chats.turns.remember(owner, session, [Turn(identifier, "user", f"Of {owner}.", START)])
    await kept.settle()
    files = list(kept.root.rglob("*.md"))
    assert len(files) == 6
    assert all(len(path.relative_to(kept.root).parts) == 6 for path in files)
    assert [path.name for path in kept.root.parent.iterdir()] == ["mirror"]
    assert len({str(path).casefold() for path in files}) == 6
    await kept.stop()
    again = await kept.again()
    assert again.conflicts() == [] and len(again.mirror.folders) == 6


async def test_the_files_of_another_database_are_refused(kept: Mirroring, tmp_path: Path) -> None:
    await kept.stop()
    (kept.root / ".store").write_text("another\n")
    with pytest.raises(ConfigurationError):
        await kept.again()


async def test_a_restored_backup_is_followed_from_where_it_stands(kept: Mirroring, quiet: Memory) -> None:
    for text in ("I live in Oslo.", "I love figs."):
        await say(quiet, text)
        await kept.settle()
    await kept.stop()
    await quiet.engine.store.collections.vectors.delete_one({"_id": "s-m1"})
    await quiet.engine.store.collections.vectors.update_one(
        {"_id": "s-m0"}, {"$set": {"change": 1, "content": "Before."}}
    )
    await quiet.engine.store.collections.owners.update_one(
        {"_id": "ann"}, {"$set": {"gists.change": 1, "gists.deleted": 0}}
    )
    again = await kept.again()
    assert again.texts() == ["Before."]


async def test_files_that_are_all_gone_at_once_are_written_anew(kept: Mirroring, quiet: Memory) -> None:
    await say(quiet, "I live in Oslo.", "I love figs.")
    await kept.settle()
    await kept.stop()
    (kept.root / "ann" / "entries").rename(kept.root.parent / "elsewhere")
    again = await kept.again()
    assert again.texts() == await said(quiet) == ["I live in Oslo.", "I love figs."]
    (kept.root / "ann" / "entries").rename(kept.root.parent / "there")
    await again.look()
    assert again.texts() == await said(quiet) == ["I live in Oslo.", "I love figs."]


async def test_where_a_folder_cannot_be_made_all_else_is_written(kept: Mirroring, quiet: Memory) -> None:
    (kept.root / "ann" / "entries").mkdir(parents=True)
    (kept.root / "ann" / "entries" / "s").write_text("in the way")
    await say(quiet, "I live in Oslo.")
    await say(quiet, "Elsewhere.", session="t")
    await kept.settle()
    assert kept.texts() == ["Elsewhere."]
    (kept.root / "ann" / "entries" / "s").unlink()
    await kept.mirror.follow()
    assert kept.texts() == ["Elsewhere.", "I live in Oslo."]


async def test_front_matter_of_the_users_own_stays(kept: Mirroring, quiet: Memory) -> None:
    await say(quiet, "I live in Oslo.")
    await kept.settle()
    path = kept.file("I live in Oslo.")
    path.write_text(path.read_text().replace("role: user", "role: user\ntags: [home]"))
    await kept.look()
    assert "tags: [home]" in path.read_text()
    edit(path, "I live in Rome.")
    await kept.look()
    assert body(path) == "I live in Rome." and "home" in path.read_text()
