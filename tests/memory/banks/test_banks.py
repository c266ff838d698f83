"""Banks keep what they are told, in the files and in the history."""

from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest

from agents.memory import Memory
from config.recipes import BankRecipe
from config.settings import Settings
from memory.banks.store import MOST_ERRORS
from memory.banks.update import LONGEST_UPDATE
from tests.banks import begun, content, update
from tests.conversations import USER
from tests.meanwhile import meanwhile
from utils.errors import InvalidInput, NotFound


def test_the_numbers_are_those_of_the_banks_document() -> None:
    """The memory banks' document: errors that are told; seconds to the files; "Continuous Cache Optimization", 4K to 8K
    tokens."""
    assert MOST_ERRORS == 10
    assert Settings().bank_flush_seconds == 60
    recipe = BankRecipe()
    assert (recipe.least, recipe.most) == (4_000, 8_000)
    assert replace(recipe, most=9_000).most == 9_000
    with pytest.raises(FrozenInstanceError):
        recipe.most = 9_000  # type: ignore[misc]


async def test_a_new_bank_has_the_files_of_its_type(quiet: Memory) -> None:
    bank = await begun(quiet)
    assert list(bank.content) == ["context.md", "architecture.md", "decisions.md", "progress.md", "active.md"]
    assert "## Purpose\n\nA chat backend\n" in bank.content["context.md"]
    assert bank.info.version == 1
    again = await begun(quiet)
    assert again.content == bank.content
    assert again.cached_at is not None


async def test_what_is_told_is_in_the_files_and_in_the_history_as_it_came(quiet: Memory) -> None:
    await begun(quiet)
    said = "Decision: we use SQLite.\n\nNext steps: the tests."
    done = await update(quiet, said, conversation_id="c1")
    assert [change.target_file for change in done.changes] == ["decisions.md", "progress.md"]
    assert done.by == "rule_based"
    bank = await quiet.engine.library.banks.get(USER, "project", "loci")
    assert "Decision: we use SQLite." in bank.content["decisions.md"]
    newest, first = await quiet.engine.library.banks.versions(USER, "project", "loci", limit=10)
    assert (newest.version, newest.said, newest.conversation_id) == (
        2,
        said,
        "c1",
    )
    assert (first.version, first.reason, first.said) == (1, "created", None)
    _, before = await quiet.engine.library.banks.at(USER, "project", "loci", 1)
    assert "SQLite" not in before["decisions.md"]


async def test_every_version_can_be_read_as_it_was(quiet: Memory) -> None:
    await begun(quiet)
    seen: list[dict[str, str]] = [dict((await quiet.engine.library.banks.get(USER, "project", "loci")).content)]
    for number in range(6):
        await update(quiet, f"file{number % 3}.md:\nsaid {number}")
        seen.append(dict((await quiet.engine.library.banks.get(USER, "project", "loci")).content))
    for version, files in enumerate(seen, 1):
        assert (await quiet.engine.library.banks.at(USER, "project", "loci", version))[1] == files
    for missing in (0, 8):
        with pytest.raises(NotFound):
            await quiet.engine.library.banks.at(USER, "project", "loci", missing)


@pytest.mark.parametrize("said", ["", " \n\t", "\x00\x1b", "## decisions.md", "x" * (LONGEST_UPDATE + 1)])
async def test_an_update_without_content_or_with_too_much_is_refused(quiet: Memory, said: str) -> None:
    await begun(quiet)
    with pytest.raises(InvalidInput):
        await update(quiet, said)
    assert (await quiet.engine.library.banks.info(USER, "project", "loci")).version == 1


ODD = ["🦊 Füchse 狐", "a\r\nb\rc", "```\nopen code", "## decisions.md\nx", "\u202eodd\u0301 \ufeff", "y " * 400_000]


@pytest.mark.parametrize("said", ODD)
async def test_odd_and_huge_content_is_kept(quiet: Memory, said: str) -> None:
    await begun(quiet)
    await update(quiet, said)
    newest = (await quiet.engine.library.banks.versions(USER, "project", "loci", limit=1))[0]
    assert newest.said == said.replace("\r\n", "\n").replace("\r", "\n")
    await update(quiet, "afterwards")
    assert "afterwards" in await content(quiet)


async def test_banks_are_listed_page_by_page_the_last_changed_first(quiet: Memory) -> None:
    for name in ("one", "two", "three"):
        await begun(quiet, name)
    await quiet.update(USER, "project", "one", "changed")
    [first, second] = await quiet.engine.library.banks.page(USER, limit=2)
    rest = await quiet.engine.library.banks.page(USER, limit=2, after=(second[0].updated_at, second[1]))
    assert [info.id for info, _ in (first, second, *rest)] == ["one", "three", "two"]
    assert await quiet.engine.library.banks.page("bob", limit=5) == []


async def test_a_bank_is_called_as_its_project_or_else_as_its_folder_or_its_id(quiet: Memory) -> None:
    assert (await begun(quiet, "My app")).info.name == "My app"
    assert (await quiet.activate(USER, "code", path="/src/Loci/")).info.name == "Loci"
    bank = await quiet.engine.library.banks.open(USER, "project", "bare")
    assert bank.info.name == "bare"
    assert bank.content["context.md"].startswith("# Context: bare\n")


async def test_a_project_has_its_bank_again_however_it_is_called_and_else_is_told_of_others(quiet: Memory) -> None:
    first = await quiet.activate(USER, "project", "webapp", "/srv/webapp")
    await quiet.update(USER, "project", first.info.id, "The sky was blue.")
    asked: list[tuple[str | None, str | None]] = [("webapp", None), ("renamed", "/srv/webapp"), (None, "/srv/webapp")]
    for name, path in asked:
        bank = await quiet.activate(USER, "project", name, path)
        assert (bank.info.id, bank.info.version, bank.others) == (first.info.id, 2, ())
    for name, path, others in (("webapp", "/b/webapp", 1), ("webapp", None, 2), ("webapp", "/srv/webapp", 2)):
        assert len((await quiet.activate(USER, "project", name, path)).others) == others
    assert (await quiet.activate("bob", "project", "webapp")).others == ()
    assert (await quiet.activate(USER, "code", "webapp")).others == ()


async def test_a_bank_without_a_path_takes_the_first_at_which_its_project_is_said_to_be(quiet: Memory) -> None:
    await begun(quiet)
    bank = await quiet.activate(USER, "project", "loci", "/a/loci")
    assert (bank.info.id, bank.info.path) == ("loci", "/a/loci")
    assert (await quiet.engine.library.banks.info(USER, "project", "loci")).path == "/a/loci"
    other = await quiet.activate(USER, "project", "loci", "/b/loci")
    assert (other.info.version, [one.id for one in other.others]) == (1, ["loci"])


async def test_a_folder_that_is_called_as_a_project_without_a_path_does_not_get_its_bank(quiet: Memory) -> None:
    await quiet.activate(USER, "code", "backend")
    await quiet.update(USER, "code", "backend", "The keeper is called Ada.")
    apart = await quiet.activate(USER, "code", path="/home/me/another/backend")
    assert (apart.info.version, [one.id for one in apart.others]) == (1, ["backend"])
    assert "Ada" not in str(apart.content)
    assert (await quiet.engine.library.banks.info(USER, "code", "backend")).path is None
    again = await quiet.activate(USER, "code", "backend")
    assert (again.info.version, [one.id for one in again.others]) == (2, [apart.info.id])


async def test_of_two_who_say_at_once_where_a_project_is_both_are_told_where_its_bank_is(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begun(quiet)

    async def another() -> None:
        await quiet.activate(USER, "project", "loci", "/b/loci")

    with monkeypatch.context() as patched:
        meanwhile(patched, quiet.engine.store.collections.banks, "update_one", another)
        bank = await quiet.activate(USER, "project", "loci", "/a/loci")
    assert (await quiet.engine.library.banks.info(USER, "project", "loci")).path == bank.info.path == "/b/loci"


async def test_an_update_makes_the_bank_that_it_is_for_and_says_so(quiet: Memory) -> None:
    first, second = [await quiet.update(USER, "project", "new", f"Number {number}.") for number in range(2)]
    assert (first.created, first.bank.version, second.created, second.bank.version) == (True, 2, False, 3)
    kind: Any = "nope"
    wrong: list[tuple[Any, str]] = [(kind, "loci"), ("project", "No Id"), ("global", "another")]
    for said, identifier in wrong:
        with pytest.raises(InvalidInput):
            await quiet.update(USER, said, identifier, "x")
    with pytest.raises(InvalidInput):
        await quiet.activate(USER, kind, "x")


async def test_there_is_one_global_bank(quiet: Memory) -> None:
    bank = await quiet.activate(USER, "global", "x", "/src/x")
    assert (bank.info.id, bank.info.name, bank.info.path) == ("global", "global", None)
    assert bank.content["context.md"].startswith("# Context\n")
    with pytest.raises(InvalidInput):
        await quiet.engine.library.banks.open(USER, "global", "another")
