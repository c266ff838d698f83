"""What a condensed bank does not say any more is told, found by its words, and gone with the bank."""

import json
from datetime import UTC, datetime

import pytest

from agents.memory import Memory
from api.wire.banks import left_out_of
from config.recipes import SEARCH, BankRecipe
from memory.banks.condense import condense
from memory.banks.markdown import NOTE_CHARACTERS, Page, is_note, parse
from memory.banks.omissions import Note, note_in, omitted_between, versions_named, with_note
from memory.domain import Condensed
from memory.recall.ranking import Scope
from tests.banks import begun, content, found, update
from tests.conversations import USER, settle
from tests.scripted_model import ScriptedModel, answer

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
TALK = "It was discussed at some length, with no end in sight. " * 8


def note_of(text: str) -> Note | None:
    return note_in(parse(text))


def page_with(count: int) -> Page:
    """A page that was condensed so many times, in versions 10, 20, …: 5 entries each time."""
    page = Page("# Active\n\n_What is under way._", ())
    for number in range(1, count + 1):
        page = with_note(page, note_in(page), 5, 10 * number, NOW)
    return page


@pytest.mark.parametrize(
    ("count", "line", "note"),
    [
        (1, "5 entries shortened or left out; version 10 has all of it._", Note(5, (10,))),
        (2, "10 entries shortened or left out; version 20 and version 10 have it._", Note(10, (20, 10))),
        (
            40,
            "200 entries shortened or left out; version 400, version 390 and version 380 have it, and the last of "
            "these names those before it._",
            Note(200, (400, 390, 380)),
        ),
    ],
)
def test_the_line_names_the_newest_versions_that_have_what_went(count: int, line: str, note: Note) -> None:
    page = page_with(count)
    assert page.lead.endswith(line)
    assert note_in(page) == note
    longest = Note(10**9, (10**9,) * 4).line(NOW)
    assert len(longest) <= NOTE_CHARACTERS and is_note(longest)


def test_a_line_of_an_earlier_build_is_read_as_well() -> None:
    counts = "9 entries (2 of them critical) shortened or left out; version 20 has 5, version 10 4"
    assert note_of(f"# Active\n\n_Condensed on 2026-11-01: {counts}._") == Note(9, (20, 10))


def test_a_bank_that_is_condensed_twice_names_both_versions() -> None:
    files = {"active.md": "# Active\n\n## Notes\n\n" + "\n\n".join(f"old {number}: {TALK}" for number in range(200))}
    once = condense("project", files, 7, NOW, BankRecipe())
    more = "\n\n".join(f"new {number}: {TALK}" for number in range(200))
    twice = condense("project", {"active.md": f"{once['active.md']}\n\n{more}"}, 9, NOW, BankRecipe())
    first, second = note_of(once["active.md"]), note_of(twice["active.md"])
    assert first is not None and second is not None
    assert first.entries < second.entries
    assert second.versions == (9, 7)
    assert versions_named(twice) == [9, 7]


def test_what_went_is_told_by_section_and_of_an_entry_that_stays_in_part_the_rest() -> None:
    before = {
        "active.md": "# A\n\n## Notes\n\n- 2026-11-22 12:00 One.\n- 2026-11-22 12:01 Two.\n\n"
        "### 2026-11-22 12:02\n\nFirst part.\n\nSecond part.\n\nThird part.",
        "ideas.md": "# Ideas\n\nAlone.",
    }
    after = {"active.md": "# A\n\n## Notes\n\n- 2026-11-22 12:01   Two.\n\n### 2026-11-22 12:02\n\nFirst part."}
    gone = list(omitted_between(before, after))
    assert [(one.file, one.title, one.entries) for one in gone] == [
        ("active.md", "Notes", ("- 2026-11-22 12:00 One.", "Second part.", "Third part.")),
        ("ideas.md", "", ("Alone.",)),
    ]


async def grown(memory: Memory, numbers: range) -> None:
    """The bank is told something of each number, each with a code of its own, and condensed."""
    await update(memory, "\n".join(f"- {TALK}Its code is Z{number} now." for number in numbers))
    await memory.engine.library.tidying.work()


async def codes_found(memory: Memory, numbers: range) -> list[int]:
    """Of some numbers those whose codes are found."""
    return [number for number in numbers if any(f"Z{number} " in one for one in await found(memory, f"Z{number}"))]


async def test_what_was_condensed_is_found_by_its_words_after_any_number_of_times(quiet: Memory) -> None:
    await begun(quiet)
    await grown(quiet, range(1_000, 1_070))
    first = (await quiet.engine.library.banks.info(USER, "project", "loci")).version - 1
    assert "Z1000 " not in await content(quiet)
    await grown(quiet, range(1_070, 1_140))
    assert "Z1000 " not in await content(quiet)
    some = range(1_000, 1_140, 9)
    await settle(quiet, seconds=60)
    assert await codes_found(quiet, some) == list(some)
    [hit] = (await quiet.search(USER, "Z1000", SEARCH, Scope(kinds=("section",)))).hits[:1]
    assert hit.gist.condensed == Condensed("active.md", first)
    _, files = await quiet.engine.library.banks.at(USER, "project", "loci", first)
    assert "Its code is Z1000 now." in files["active.md"]
    assert await found(quiet, "Z1000", None) == []
    assert await found(quiet, "Z1000", owner="bob") == []


async def test_activate_says_that_a_bank_was_condensed_and_how_to_read_what_went(quiet: Memory) -> None:
    assert left_out_of(await begun(quiet)) is None
    versions: list[int] = []
    for numbers in (range(1_000, 1_070), range(1_070, 1_140)):
        await grown(quiet, numbers)
        versions.insert(0, (await quiet.engine.library.banks.info(USER, "project", "loci")).version - 1)
    told = left_out_of(await begun(quiet)) or ""
    assert f"versions {versions[0]}, {versions[1]} have what was shortened or left out" in told
    assert f"loci://banks/project/loci/{{file}}?version={versions[0]}" in told


@pytest.mark.parametrize("anew", [False, True])
async def test_what_was_condensed_goes_with_the_bank(quiet: Memory, anew: bool) -> None:
    await begun(quiet)
    await grown(quiet, range(1_000, 1_070))
    await settle(quiet, seconds=60)
    assert await codes_found(quiet, range(1_000, 1_001))
    await quiet.engine.library.banks.delete(USER, "project", "loci")
    if anew:
        await begun(quiet)
        assert not any("Z1000" in one for one in await found(quiet, "Z1000"))
    else:
        assert await quiet.engine.store.collections.vectors.count_documents({}) == 0


async def test_what_a_bank_lost_before_this_was_kept_is_found_once_it_changes(quiet: Memory) -> None:
    await begun(quiet)
    await grown(quiet, range(1_000, 1_070))
    await quiet.engine.store.collections.banks.update_many({}, {"$unset": {"condensed_to": ""}})
    await quiet.engine.store.collections.vectors.delete_many({"condensed": {"$exists": True}})
    await update(quiet, "Hello.")
    assert await codes_found(quiet, range(1_000, 1_001)) == [1_000]


async def test_what_a_model_leaves_out_is_told_and_found_too(with_model: Memory, scripted_model: ScriptedModel) -> None:
    await begun(with_model)
    await update(with_model, "\n".join(f"- Code Z{number}. {TALK}" for number in range(70)))
    files = dict((await with_model.engine.library.banks.get(USER, "project", "loci")).content)
    short = files | {"active.md": "# Active\n\n## Notes\n\n" + "Much was said. " * 1_200}
    scripted_model.script(answer(json.dumps({"files": short})))
    version = (await with_model.engine.library.banks.info(USER, "project", "loci")).version
    assert (await with_model.engine.library.tidying.optimise(USER, "project", "loci")).version == version + 1
    assert f"70 entries shortened or left out; version {version} has all of it" in await content(with_model)
    assert any("Code Z33." in one for one in await found(with_model, "Z33"))
