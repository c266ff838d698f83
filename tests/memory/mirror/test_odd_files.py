"""Files that the memory leaves alone, and that lead where they must not."""

import logging
import os
from pathlib import Path

import pytest

from agents.memory import Memory
from tests.mirrors import Mirroring, body, edit, said, say, state, stated


async def test_a_summary_is_read_only(mirrored: Mirroring, quiet: Memory, caplog: pytest.LogCaptureFixture) -> None:
    await quiet.engine.chats.digests.extend("ann", "s")
    await mirrored.mirror.follow()
    path = mirrored.root / "ann/entries/s/summaries/summary.md"
    before = path.read_bytes()
    edit(path, "Not so.")
    await mirrored.look()
    assert path.read_bytes() == before and "summary.md" in caplog.text
    path.unlink()
    await mirrored.look()
    assert path.read_bytes() == before and mirrored.conflicts() == []


@pytest.mark.parametrize(
    "data",
    [b"---\nid: [\n---\nx", b"\xff\xfe\x00", b"x" * 20_000_001, b"", b"---\nid: other\n---\nx", b"y" * 1_000_001],
    ids=["yaml", "utf-8", "large", "empty", "id", "long"],
)
async def test_a_file_that_cannot_be_read_is_told_once_and_left_alone(
    mirrored: Mirroring, quiet: Memory, caplog: pytest.LogCaptureFixture, data: bytes
) -> None:
    path, other = mirrored.file("I live in Oslo."), mirrored.file("The user lives in Oslo.")
    path.write_bytes(data)
    fresh = path.with_name("fresh.md")
    fresh.write_bytes(data if data else b"\xff")
    edit(other, "The user lives in Rome.")
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            await mirrored.look()
    assert "I live in Oslo." in await said(quiet)
    assert await stated(quiet) == ["The user lives in Rome.", "The user loves figs."]
    assert path.read_bytes() == data
    assert caplog.text.count(f"{str(path)!r} is left alone") == 1
    await quiet.engine.oversight.forgetter.reword("ann", "s-m0", "I live in Bergen.")
    await mirrored.look()
    assert body(path) == "I live in Bergen."
    assert path.with_name(path.name.replace(".md", ".conflict.md")).read_bytes() == data


async def test_no_file_reaches_another_users_memory(
    mirrored: Mirroring, quiet: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    await say(quiet, "I live in Cairo.", owner="bob", session="b")
    [bobs] = await state(quiet, "Bob lives in Cairo.", owner="bob", session="b")
    await mirrored.settle()
    folder = mirrored.root / "ann/entries/s"
    for identifier, place in ((bobs, "facts"), ("b-m0", "turns/user")):
        (folder / place / f"{identifier}.md").write_text(f"---\nid: {identifier}\n---\nPwned.")
        (folder / place / f"to-{identifier}.md").write_text(
            f"---\nid: {identifier}\nconversation_id: b\nuser: bob\nowner: bob\n---\nPwned."
        )
    own = mirrored.file("The user lives in Oslo.")
    own.write_text(f"---\nid: {bobs}\n---\nPwned.")
    for name, target in (("link.md", mirrored.file("Bob lives in Cairo.", "bob")), ("passwd.md", Path("/etc/passwd"))):
        (folder / "facts" / name).symlink_to(target)
    (mirrored.root / "ann/entries/linked").symlink_to(mirrored.root / "bob/entries/b")
    (mirrored.root / "mallory").symlink_to(mirrored.root / "bob")
    os.mkfifo(folder / "facts" / "pipe.md")
    for _ in range(2):
        await mirrored.look()
    await mirrored.stop()
    again = await mirrored.again()
    assert await said(quiet, "bob", "b") == ["I live in Cairo."]
    assert await stated(quiet, "bob") == ["Bob lives in Cairo."]
    assert await stated(quiet) == ["The user lives in Oslo.", "The user loves figs."]
    assert await said(quiet) == ["I live in Oslo."] and await stated(quiet, "mallory") == []
    assert caplog.text.count("is left alone") >= 7
    await quiet.engine.oversight.forgetter.user("ann")
    await again.mirror.follow()
    assert again.texts("bob") == ["Bob lives in Cairo.", "I live in Cairo."]


async def test_an_index_cannot_lead_out_of_its_folder(mirrored: Mirroring, quiet: Memory) -> None:
    await say(quiet, "I live in Cairo.", owner="bob", session="b")
    await mirrored.settle()
    await mirrored.stop()
    index = mirrored.root / "ann/memory_index.json"
    bobs = mirrored.file("I live in Cairo.", "bob")
    ours = mirrored.file("I live in Oslo.").relative_to(mirrored.root / "ann").as_posix()
    index.write_text(index.read_text().replace(ours, f"../bob/{bobs.relative_to(mirrored.root / 'bob').as_posix()}"))
    again = await mirrored.again()
    assert bobs.exists() and await said(quiet, "bob", "b") == ["I live in Cairo."]
    assert await said(quiet) == ["I live in Oslo."] and "I live in Oslo." in again.texts()


async def test_a_file_of_another_conversation_is_left_alone(
    mirrored: Mirroring, quiet: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    folder = mirrored.root / "ann/entries/t/turns/user"
    folder.mkdir(parents=True)
    copied = folder / "copied.md"
    copied.write_bytes(mirrored.file("I live in Oslo.").read_bytes())
    (folder / "named.md").write_text("---\nid: s-m0\n---\nPwned.")
    await mirrored.look()
    assert await said(quiet, session="t") == [] and await said(quiet) == ["I live in Oslo."]
    assert copied.exists() and caplog.text.count("is left alone") == 2


async def test_a_copy_of_a_file_is_left_alone_and_a_renamed_one_goes_back(
    mirrored: Mirroring, quiet: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    path = mirrored.file("The user lives in Oslo.")
    copied = path.with_name("copy.md")
    copied.write_bytes(path.read_bytes())
    await mirrored.look()
    assert copied.exists() and "another file has its id" in caplog.text
    copied.unlink()
    path.rename(path.with_name("mine.md"))
    edit(path.with_name("mine.md"), "The user lives in Rome.")
    for folder in mirrored.mirror.folders:
        await mirrored.edits.look(folder.owner, folder.paths())
    await mirrored.look()
    assert await stated(quiet) == ["The user lives in Rome.", "The user loves figs."]
    assert mirrored.texts(part="s/facts") == ["The user lives in Rome.", "The user loves figs."]
    assert not path.with_name("mine.md").exists()


async def test_what_editors_keep_beside_a_file_is_not_read(mirrored: Mirroring, quiet: Memory) -> None:
    folder = mirrored.root / "ann/entries/s/facts"
    for name in (".x.md.swp", ".#x.md", "x.md~", "#x.md#", "4913", ".hidden.md", "x.md.tmp", "x.txt", "x.conflict.md"):
        (folder / name).write_text("Not a fact.")
    (folder / "empty.md").touch()
    await mirrored.look()
    assert await stated(quiet) == ["The user lives in Oslo.", "The user loves figs."]
    assert (folder / "x.conflict.md").exists() and (folder / "empty.md").exists()
