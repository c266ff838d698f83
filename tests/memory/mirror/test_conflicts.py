"""Where both the memory and a file have changed, the memory wins."""

import frontmatter
import pytest

from agents.memory import Memory
from tests.mirrors import Mirroring, edit, said, stated


@pytest.mark.parametrize("running", [False, True])
async def test_where_both_have_changed_the_memory_wins_and_the_file_is_kept_beside(
    mirrored: Mirroring, quiet: Memory, running: bool
) -> None:
    await mirrored.stop()
    fact, message = mirrored.file("The user lives in Oslo."), mirrored.file("I live in Oslo.")
    await quiet.engine.knowledge.facts.change("ann", frontmatter.load(str(fact))["id"], "The user lives in Rome.")
    await quiet.engine.oversight.forgetter.reword("ann", "s-m0", "I live in Rome.")
    edit(fact, "The user lives in Paris.")
    edit(message, "I live in Paris.")
    again = mirrored if running else await mirrored.again()
    await again.look()
    assert await said(quiet) == ["I live in Rome."]
    assert await stated(quiet) == ["The user lives in Rome.", "The user loves figs."]
    assert again.texts() == ["I live in Rome.", "The user lives in Rome.", "The user loves figs."]
    assert again.conflicts() == ["I live in Paris.", "The user lives in Paris."]
    assert message.with_name(message.name.replace(".md", ".conflict.md")).exists()
    await again.stop()
    third = await again.again()
    assert third.conflicts() == again.conflicts() and third.texts() == again.texts()
    await quiet.engine.oversight.forgetter.session("ann", "s")
    await third.mirror.follow()
    assert third.texts() == [] and third.conflicts() == again.conflicts()


async def test_a_deletion_loses_to_a_change_too(mirrored: Mirroring, quiet: Memory) -> None:
    await mirrored.stop()
    await quiet.engine.oversight.forgetter.reword("ann", "s-m0", "I live in Rome.")
    mirrored.file("I live in Oslo.").unlink()
    again = await mirrored.again()
    assert await said(quiet) == again.texts(part="s/turns/user") == ["I live in Rome."]


async def test_an_edit_that_the_memory_has_anyway_is_no_conflict(mirrored: Mirroring, quiet: Memory) -> None:
    edit(mirrored.file("I live in Oslo."), "I live in Rome.")
    await quiet.engine.oversight.forgetter.reword("ann", "s-m0", "I live in Rome.")
    await mirrored.look()
    assert mirrored.conflicts() == [] and await said(quiet) == ["I live in Rome."]


async def test_a_second_conflict_does_not_overwrite_the_first(mirrored: Mirroring, quiet: Memory) -> None:
    for number in range(3):
        path = next((mirrored.root / "ann/entries/s/turns/user").glob("*__s-m0.md"))
        edit(path, f"Mine {number}.")
        await quiet.engine.oversight.forgetter.reword("ann", "s-m0", f"Theirs {number}.")
        await mirrored.look()
    assert mirrored.conflicts() == ["Mine 0.", "Mine 1.", "Mine 2."]
    assert await said(quiet) == ["Theirs 2."]
