"""What was deleted does not come back by a copy of its file."""

import shutil
from pathlib import Path

import pytest

from agents.memory import Memory
from tests.conversations import turn
from tests.mirrors import Mirroring, said, state


@pytest.fixture
async def kept(quiet: Memory, tmp_path: Path) -> Mirroring:
    mirroring = Mirroring(quiet, tmp_path / "mirror")
    await mirroring.start()
    return mirroring


@pytest.mark.parametrize("name", ["{} - Copy.md", "{} (1).md", "{}.sync-conflict-20260101-101010-ABCDEFG.md"])
@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("gone", ["message", "reworded fact", "ended fact", "session", "user"])
async def test_a_copy_of_what_is_gone_is_nothing_new(
    kept: Mirroring, quiet: Memory, name: str, gone: str, *, restarted: bool
) -> None:
    await quiet.add("ann", "s", [turn("m1", "The vault opens with 7719."), turn("m2", "I row.")])
    [fact] = await state(quiet, "The user lives in Oslo.", session="s")
    await kept.settle()
    forgetter = quiet.engine.oversight.forgetter
    copied = kept.file("The user lives in Oslo." if "fact" in gone else "The vault opens with 7719.")
    copy = copied.with_name(name.format(copied.stem))
    shutil.copy(copied, copy)
    await kept.look()
    match gone:
        case "message":
            await forgetter.message("ann", "m1")
        case "reworded fact":
            await quiet.engine.knowledge.facts.change("ann", fact, "The user lives in Bergen.")
        case "ended fact":
            await quiet.engine.knowledge.facts.end("ann", fact)
        case "session":
            await forgetter.session("ann", "s")
        case _:
            await forgetter.user("ann")
    await kept.settle()
    later = await kept.again() if restarted else kept
    await later.look()
    assert copy.exists()
    assert ("The vault opens with 7719." in await said(quiet)) == ("fact" in gone)
    in_force = [one.text for one in await quiet.engine.knowledge.facts.in_force("ann", "s")]
    left = {"message": ["The user lives in Oslo."], "reworded fact": ["The user lives in Bergen."]}
    assert in_force == left.get(gone, [])


async def test_a_copy_of_the_folder_of_a_user_who_is_gone_makes_no_user(kept: Mirroring, quiet: Memory) -> None:
    await quiet.add("ann", "s", [turn("m1", "The vault opens with 7719.")])
    await kept.settle()
    shutil.copytree(kept.root / "ann", kept.root / "ann2")
    later = await kept.again()
    assert await said(quiet, "ann2") == []
    await quiet.engine.oversight.forgetter.user("ann")
    await later.settle()
    await later.again()
    assert await said(quiet, "ann2") == []
