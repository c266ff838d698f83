"""The task that keeps the mirror: what it sees by itself, and when."""

from pathlib import Path

import pytest

from agents.memory import Memory
from agents.upkeep.background import BackgroundNudge
from agents.upkeep.mirror_sync import mirroring
from tests.conversations import Silent, turn, until
from tests.mirrors import body, edit, said, say, state, stated
from utils.errors import ConfigurationError


def texts(root: Path) -> list[str] | None:
    """What the files say; None while one of them is being renamed."""
    try:
        return sorted(body(path) for path in root.glob("ann/entries/**/*.md"))
    except FileNotFoundError:
        return None


async def test_changes_go_both_ways_while_it_runs(memory: Memory, tmp_path: Path) -> None:
    nudge = BackgroundNudge(memory.engine)
    async with mirroring(memory.engine, nudge, tmp_path / "deep" / "mirror"):
        root = tmp_path / "deep" / "mirror"
        await memory.engine.chats.turns.remember("ann", "s", [turn("m1", "What a day!")])
        await state(memory, "The user loves figs.")

        async def shown(*expected: str) -> None:
            async def they_are() -> bool:
                return texts(root) == sorted(expected) == sorted([*await stated(memory), *await said(memory)])

            await until(they_are)

        await shown("What a day!", "The user loves figs.")
        [fact] = (root / "ann/entries/s/facts").glob("[!.]*")
        [message] = (root / "ann/entries/s/turns/user").glob("[!.]*")
        edit(fact, "The user loves plums.")
        edit(message, "What a night!")
        made = root / "ann/entries/new/facts"
        made.mkdir(parents=True)
        (made / "x.md").write_text("The user has a boat.")
        await shown("What a night!", "The user loves plums.", "The user has a boat.")
        [(plums, _)] = await memory.engine.knowledge.facts.page("ann", limit=9, memory_id="s")

        async def renamed() -> bool:
            return [path.stem.split("__")[1] for path in fact.parent.glob("[!.]*")] == [plums.id]

        await until(renamed)
        next(fact.parent.glob("[!.]*")).unlink()
        message.unlink()

        async def gone() -> bool:
            return await stated(memory) == ["The user has a boat."] and await said(memory) == []

        await until(gone)
        await memory.engine.oversight.forgetter.user("ann")

        async def empty() -> bool:
            return not (root / "ann").exists()

        await until(empty)
    await nudge.close()


async def test_an_editor_that_deletes_a_file_before_it_writes_it_deletes_nothing(
    memory: Memory, tmp_path: Path
) -> None:
    async with mirroring(memory.engine, Silent(), tmp_path):
        await state(memory, "The user loves figs.", "The user loves plums.")

        async def there() -> bool:
            return texts(tmp_path) == ["The user loves figs.", "The user loves plums."]

        await until(there)
        figs, plums = sorted((tmp_path / "ann/entries/s/facts").iterdir(), key=body)
        data = figs.read_bytes()
        plums.unlink()
        figs.unlink()

        async def looked() -> bool:
            if not figs.exists():
                figs.write_bytes(data)
            return await stated(memory) == ["The user loves figs."]

        await until(looked)
        assert [fact.valid_to for fact, _ in await memory.engine.knowledge.facts.page("ann", limit=9)] == [None]


async def test_one_process_at_a_time_mirrors_and_another_takes_over(memory: Memory, tmp_path: Path) -> None:
    first = mirroring(memory.engine, Silent(), tmp_path)
    await first.__aenter__()
    await say(memory, "One.")

    async def one() -> bool:
        return texts(tmp_path) == ["One."]

    await until(one)
    async with mirroring(memory.engine, Silent(), tmp_path):
        await first.__aexit__(None, None, None)
        await say(memory, "Two.")

        async def two() -> bool:
            return texts(tmp_path) == ["One.", "Two."]

        await until(two)


async def test_a_folder_that_cannot_be_had_is_refused(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ConfigurationError):
        async with mirroring(memory.engine, Silent(), tmp_path / "file"):
            pass


async def test_memory_banks_have_files_of_their_own(
    memory: Memory, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with mirroring(memory.engine, BackgroundNudge(memory.engine), tmp_path):
        await memory.activate("ann", "project", "loci", None, "A chat backend")
        await memory.update("ann", "project", "loci", "The sky was blue.")
        await memory.add("ann", "s", [turn("m1", "Is there a fjord in Oslo?")], wait=True)

        async def shown() -> bool:
            return texts(tmp_path) == ["Is there a fjord in Oslo?"]

        await until(shown)
        await memory.engine.library.banks.delete("ann", "project", "loci")
        await memory.add("ann", "s", [turn("m2", "What are figs?")], wait=True)

        async def grown() -> bool:
            return texts(tmp_path) == ["Is there a fjord in Oslo?", "What are figs?"]

        await until(grown)
    assert [record.message for record in caplog.records if record.levelname in ("WARNING", "ERROR")] == []
