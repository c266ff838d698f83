"""Do banks keep what they are told, whoever else writes and whatever dies in between?"""

import asyncio
import json
from typing import Any

import pytest

from agents.memory import Memory
from config.recipes import SEARCH, BankRecipe
from memory.bank import Bank
from memory.bank_store import MOST_ERRORS
from memory.bank_update import LONGEST_UPDATE
from memory.banks import MOST_BYTES
from memory.leases import pending
from memory.ranking import Scope
from tests.conversations import USER, pairs, settle, until
from tests.meanwhile import Killed, kill, meanwhile
from tests.scripted_model import ScriptedModel, answer, slow
from utils.clock import now
from utils.errors import InvalidInput, NotFound

LONG = "It was discussed at some length, with no end in sight. " * 8


async def begun(memory: Memory, name: str = "loci", owner: str = USER) -> Bank:
    return await memory.activate(owner, "project", name, None, "A chat backend")


async def update(memory: Memory, content: str, **more: Any) -> Any:
    return await memory.update(USER, "project", "loci", content, **more)


async def content(memory: Memory) -> str:
    return "\n".join((await memory.engine.banks.get(USER, "project", "loci")).content.values())


async def found(
    memory: Memory, query: str, kinds: tuple[str, ...] | None = ("section",), owner: str = USER
) -> list[str]:
    recall = await memory.search(owner, query, SEARCH, Scope(kinds=kinds))
    return [hit.gist.content for hit in recall.hits]


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
    said = "We decided to use SQLite.\n\nNext steps: the tests."
    done = await update(quiet, said, conversation_id="c1")
    assert [change.target_file for change in done.changes] == ["decisions.md", "progress.md"]
    assert done.by == "rule_based"
    bank = await quiet.engine.banks.get(USER, "project", "loci")
    assert "We decided to use SQLite." in bank.content["decisions.md"]
    newest, first = await quiet.engine.banks.versions(USER, "project", "loci", limit=10)
    assert (newest.version, newest.said, newest.conversation_id) == (
        2,
        "We decided to use SQLite.\n\nNext steps: the tests.",
        "c1",
    )
    assert (first.version, first.reason, first.said) == (1, "created", None)
    _, before = await quiet.engine.banks.at(USER, "project", "loci", 1)
    assert "SQLite" not in before["decisions.md"]


async def test_every_version_can_be_read_as_it_was(quiet: Memory) -> None:
    await begun(quiet)
    seen: list[dict[str, str]] = [dict((await quiet.engine.banks.get(USER, "project", "loci")).content)]
    for number in range(6):
        await update(quiet, f"file{number % 3}.md:\nsaid {number}")
        seen.append(dict((await quiet.engine.banks.get(USER, "project", "loci")).content))
    for version, files in enumerate(seen, 1):
        assert (await quiet.engine.banks.at(USER, "project", "loci", version))[1] == files
    for missing in (0, 8):
        with pytest.raises(NotFound):
            await quiet.engine.banks.at(USER, "project", "loci", missing)


@pytest.mark.parametrize("said", ["", " \n\t", "\x00\x1b", "x" * (LONGEST_UPDATE + 1)])
async def test_an_update_without_content_or_with_too_much_is_refused(quiet: Memory, said: str) -> None:
    await begun(quiet)
    with pytest.raises(InvalidInput):
        await update(quiet, said)
    assert (await quiet.engine.banks.info(USER, "project", "loci")).version == 1


ODD = ["🦊 Füchse 狐", "a\r\nb\rc", "```\nopen code", "## decisions.md", "\u202eodd\u0301 \ufeff", "y " * 400_000]


@pytest.mark.parametrize("said", ODD)
async def test_odd_and_huge_content_is_kept(quiet: Memory, said: str) -> None:
    await begun(quiet)
    await update(quiet, said)
    newest = (await quiet.engine.banks.versions(USER, "project", "loci", limit=1))[0]
    assert newest.said == said.replace("\r\n", "\n").replace("\r", "\n")
    await update(quiet, "afterwards")
    assert "afterwards" in await content(quiet)


async def test_two_clients_at_once_both_get_their_way(quiet: Memory) -> None:
    await asyncio.gather(*(begun(quiet) for _ in range(5)))
    await asyncio.gather(*(update(quiet, f"The sky was blue on day {number}.") for number in range(20)))
    text = await content(quiet)
    assert [text.count(f"on day {number}.") for number in range(20)] == [1] * 20
    versions = await quiet.engine.banks.versions(USER, "project", "loci", limit=50)
    assert [one.version for one in versions] == list(range(21, 0, -1))


async def test_a_request_that_comes_again_changes_nothing(quiet: Memory) -> None:
    await begun(quiet)
    first = await update(quiet, "We use SQLite.", request="r1")
    again = await update(quiet, "We use SQLite.", request="r1")
    assert (again.repeated, again.bank.version, again.changes) == (True, 2, first.changes)
    await update(quiet, "We use ruff.", conversation_id="c", update_count=1)
    await update(quiet, "We use ruff.", conversation_id="c", update_count=1)
    await update(quiet, "We use ruff.", conversation_id="c", update_count=2)
    assert (await quiet.engine.banks.info(USER, "project", "loci")).version == 4


async def test_a_writer_that_dies_before_the_bank_follows_leaves_its_version(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begun(quiet)
    with monkeypatch.context() as patched, pytest.raises(Killed):
        meanwhile(patched, quiet.engine.collections.bank_versions, "insert_one", kill, after=True)
        await update(quiet, "Said before the power went.", request="r1")
    assert "power" not in await content(quiet)
    again = await update(quiet, "Said before the power went.", request="r1")
    assert again.repeated
    await update(quiet, "Said after it came back.")
    text = await content(quiet)
    assert text.count("before the power") == text.count("after it came") == 1


async def test_a_bank_whose_maker_died_gets_its_files_with_the_first_update(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched, pytest.raises(Killed):
        meanwhile(patched, quiet.engine.collections.bank_versions, "insert_one", kill)
        await begun(quiet)
    await update(quiet, "We decided to use SQLite.")
    assert "## Decisions" in await content(quiet)
    assert (await begun(quiet)).info.version == 2


async def test_an_update_whose_client_leaves_is_carried_out(with_model: Memory, scripted_model: ScriptedModel) -> None:
    await begun(with_model)
    scripted_model.script(slow(0.3))
    waiting = asyncio.create_task(update(with_model, "The sky was blue."))

    async def asked() -> bool:
        return bool(scripted_model.asked("chat"))

    await until(asked)
    waiting.cancel()

    async def kept() -> bool:
        return "The sky was blue." in await content(with_model)

    await until(kept)


async def test_a_writer_whom_another_overtook_does_not_take_the_bank_back(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begun(quiet)

    async def another() -> None:
        await update(quiet, "Said by a faster one.")

    with monkeypatch.context() as patched:
        meanwhile(patched, quiet.engine.collections.bank_versions, "insert_one", another, after=True)
        done = await update(quiet, "Said by a slow one.")
    assert done.bank.version == 3
    text = await content(quiet)
    assert text.count("a faster one") == text.count("a slow one") == 1


async def test_the_next_writer_takes_up_what_a_dead_one_left(quiet: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    await begun(quiet)
    with monkeypatch.context() as patched, pytest.raises(Killed):
        meanwhile(patched, quiet.engine.collections.bank_versions, "insert_one", kill, after=True)
        await update(quiet, "Said before the power went.")
    done = await update(quiet, "Said after it came back.")
    assert done.bank.version == 3
    text = await content(quiet)
    assert text.count("before the power") == text.count("after it came") == 1


async def test_sections_that_a_dead_writer_did_not_make_are_made_by_the_sweep(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begun(quiet)
    with monkeypatch.context() as patched, pytest.raises(Killed):
        meanwhile(patched, quiet.engine.collections.vectors, "insert_many", kill)
        await update(quiet, "The lighthouse keeper is called Ada.")
    assert not any("Ada" in one for one in await found(quiet, "lighthouse keeper"))
    over = {"$set": {"sections.lease_until": (await begun(quiet)).info.created_at}}
    await quiet.engine.collections.banks.update_many({}, over)
    await quiet.engine.sweep()
    assert any("Ada" in one for one in await found(quiet, "lighthouse keeper"))


async def test_what_a_bank_says_is_recalled_by_those_who_ask_for_it(quiet: Memory) -> None:
    await begun(quiet)
    await update(quiet, "The lighthouse keeper is called Ada.")
    first = (await found(quiet, "lighthouse keeper"))[0]
    assert first.startswith("loci › active.md › Notes\n")
    await settle(quiet)
    assert (await found(quiet, "lighthouse keeper"))[0] == first
    assert await found(quiet, "lighthouse keeper", None) == []
    assert await found(quiet, "lighthouse keeper", ("turn", "fact")) == []
    assert await found(quiet, "lighthouse keeper", owner="bob") == []


async def test_messages_are_ranked_as_if_there_were_no_banks(quiet: Memory) -> None:
    await quiet.add(USER, "s1", pairs(12), wait=True)
    queries = ["item number 7", "what does the assistant say?", "number"]
    before = [await quiet.search(USER, query) for query in queries]
    await begun(quiet)
    for number in range(5):
        await update(quiet, f"user says something of item number {number}, said the assistant")
    await settle(quiet)
    after = [await quiet.search(USER, query) for query in queries]
    assert [[(hit.gist.key, hit.parts) for hit in one.hits] for one in after] == [
        [(hit.gist.key, hit.parts) for hit in one.hits] for one in before
    ]
    both = await quiet.search(USER, "item number 3", SEARCH, Scope(kinds=("turn", "section")))
    assert {hit.gist.kind for hit in both.hits} == {"turn", "section"}
    assert [hit.score for hit in both.hits] == sorted((hit.score for hit in both.hits), reverse=True)


async def test_what_is_no_longer_in_a_bank_is_no_longer_recalled(quiet: Memory) -> None:
    await begun(quiet)
    await update(quiet, "active.md > Current focus (replace):\nThe lighthouse.")
    await update(quiet, "active.md > Current focus (replace):\nThe submarine.")
    await update(quiet, "active.md > Current focus (replace):\nThe airship.")
    assert not any("submarine" in one for one in await found(quiet, "submarine"))
    gists = await quiet.engine.collections.vectors.count_documents({"bank": {"$exists": True}})
    assert gists == len({one["content"] async for one in quiet.engine.collections.vectors.find({})})


async def test_a_bank_that_has_grown_is_condensed_and_its_history_has_all(quiet: Memory) -> None:
    await begun(quiet)
    await update(quiet, "[critical] The key is under the mat.")
    for number in range(12):
        await update(quiet, "\n\n".join(f"{number}.{part}: {LONG}" for part in range(8)))
    before = await quiet.engine.banks.info(USER, "project", "loci")
    assert before.tokens > BankRecipe().most
    await quiet.engine.sweep()
    after = await quiet.engine.banks.get(USER, "project", "loci")
    assert BankRecipe().least <= after.info.tokens <= BankRecipe().most
    assert "[critical] The key is under the mat." in await content(quiet)
    assert f"version {before.version} has all of it" in await content(quiet)
    _, whole = await quiet.engine.banks.at(USER, "project", "loci", before.version)
    assert all(f"{number}.7: It was" in "\n".join(whole.values()) for number in range(12))
    assert await quiet.engine.banks.work() == 0


async def test_a_bank_never_outgrows_a_document(quiet: Memory) -> None:
    await begun(quiet)
    for number in range(4):
        await update(quiet, f"[critical] {number} " + "狐" * 990_000)
        size = len((await content(quiet)).encode())
        assert size < MOST_BYTES + 100_000
    assert "[critical] 3" in await content(quiet)


async def test_what_was_condensed_is_not_condensed_again_before_it_changes(quiet: Memory) -> None:
    await begun(quiet)
    for number in range(120):
        await update(quiet, f"progress.md > Next: {number}: {LONG}")
    banks = quiet.engine.banks
    short = await banks.optimise(USER, "project", "loci")
    assert short.tokens <= BankRecipe().target
    assert (await banks.optimise(USER, "project", "loci")).version == short.version
    await quiet.engine.collections.banks.update_many({}, {"$set": {"tidying": pending(), "tokens": 7_000}})
    assert (await banks.optimise(USER, "project", "loci")).version == short.version  # nothing to be left out


async def test_a_bank_that_changes_faster_than_a_model_writes_is_condensed_by_rules(
    with_model: Memory, scripted_model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begun(with_model)
    banks = with_model.engine.banks
    scripted_model.always(answer("No JSON."))
    for number in range(12):
        await update(with_model, "\n\n".join(f"{number}.{part}: {LONG}" for part in range(8)))
    asked, real = 0, banks._writer.shorten

    async def slowly(*arguments: Any) -> Any:
        nonlocal asked
        asked += 1
        short = await real(*arguments)
        await update(with_model, f"Said meanwhile, number {asked}.")
        return short

    monkeypatch.setattr(banks._writer, "shorten", slowly)
    assert (await banks.optimise(USER, "project", "loci")).tokens <= BankRecipe().most
    assert asked == 3
    assert "Said meanwhile, number 3." in await content(with_model)


async def test_a_bank_whose_condenser_died_is_condensed_by_the_sweep(quiet: Memory) -> None:
    await begun(quiet)
    for number in range(12):
        await update(quiet, "\n\n".join(f"{number}.{part}: {LONG}" for part in range(8)))
    over = {"state": "leased", "attempts": 1, "lease": "of a dead one", "lease_until": now()}
    await quiet.engine.collections.banks.update_many({}, {"$set": {"tidying": over}})
    await quiet.engine.sweep()
    assert (await quiet.engine.banks.info(USER, "project", "loci")).tokens <= BankRecipe().most


async def test_small_changes_do_not_put_off_when_a_bank_is_looked_at(quiet: Memory) -> None:
    await begun(quiet)

    async def due() -> Any:
        [bank] = await quiet.engine.collections.banks.find({}).to_list(None)
        return bank["tidying"]["lease_until"]

    first = await due()
    await update(quiet, "The sky was blue.")
    assert await due() == first > now()


async def test_a_model_says_where_content_belongs(with_model: Memory, scripted_model: ScriptedModel) -> None:
    await begun(with_model)
    scripted_model.script(
        answer(
            json.dumps(
                {
                    "decisions": [
                        {
                            "target_file": "ideas.md",
                            "operation_type": "append",
                            "content": "Use SQLite.",
                            "metadata": {"section": "Storage"},
                        }
                    ]
                }
            )
        )
    )
    done = await update(with_model, "Use SQLite.")
    assert done.by == "gpt-4o-mini"
    assert (await with_model.engine.banks.get(USER, "project", "loci")).content["ideas.md"].count("Use SQLite.") == 1


async def test_a_model_that_talks_rubbish_is_noted_and_rules_decide(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    await begun(with_model)
    scripted_model.always(answer("I have stored it for you!"))
    done = await update(with_model, "We decided to use SQLite.")
    assert (done.by, done.previous_errors) == ("rule_based", ())
    assert done.changes[0].target_file == "decisions.md"
    [error] = (await update(with_model, "Again.")).previous_errors
    assert error.severity == "warning"
    assert "Placed by rules" in error.description
    for number in range(MOST_ERRORS):
        await update(with_model, f"Number {number}.")
    assert len((await with_model.engine.banks.info(USER, "project", "loci")).errors) == MOST_ERRORS


async def test_a_deleted_bank_leaves_nothing(quiet: Memory) -> None:
    await begun(quiet)
    await begun(quiet, owner="bob")
    await update(quiet, "The lighthouse keeper is called Ada.")
    await settle(quiet)
    counts = await quiet.engine.banks.delete(USER, "project", "loci")
    assert counts == {"banks": 1, "bank_versions": 2, "vectors": 2}
    assert await found(quiet, "lighthouse keeper") == []
    for name in ("banks", "bank_versions", "vectors"):
        assert await getattr(quiet.engine.collections, name).count_documents({"user_id": USER}) == 0
    with pytest.raises(NotFound):
        await update(quiet, "x")
    with pytest.raises(NotFound):
        await quiet.engine.banks.delete(USER, "project", "loci")
    assert (await begun(quiet)).info.version == 1
    assert (await quiet.engine.banks.info("bob", "project", "loci")).version == 1


@pytest.mark.parametrize("step", ["vectors", "bank_versions", "banks"])
async def test_a_deletion_that_was_cut_short_is_ended_by_whoever_asks_again(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    await begun(quiet)
    await update(quiet, "The lighthouse keeper is called Ada.")
    method = "delete_one" if step == "banks" else "delete_many"
    with monkeypatch.context() as patched, pytest.raises(Killed):
        meanwhile(patched, getattr(quiet.engine.collections, step), method, kill)
        await quiet.engine.banks.delete(USER, "project", "loci")
    with pytest.raises(NotFound):
        await quiet.engine.banks.get(USER, "project", "loci")
    assert (await quiet.engine.banks.page(USER, limit=5)) == []
    fresh = await begun(quiet)
    assert (fresh.info.version, "Ada" in str(fresh.content)) == (1, False)
    assert not any("Ada" in one for one in await found(quiet, "lighthouse keeper"))


async def test_an_update_while_the_bank_is_deleted_leaves_nothing(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begun(quiet)

    async def delete() -> None:
        await quiet.engine.banks.delete(USER, "project", "loci")

    with monkeypatch.context() as patched, pytest.raises(NotFound):
        meanwhile(patched, quiet.engine.collections.bank_versions, "insert_one", delete, after=True)
        await update(quiet, "Too late.")
    for name in ("banks", "bank_versions", "vectors"):
        assert await getattr(quiet.engine.collections, name).count_documents({}) == 0


async def test_sections_that_a_writer_made_while_the_bank_was_deleted_go(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begun(quiet)
    await update(quiet, "The lighthouse keeper is called Ada.")
    made = await quiet.engine.collections.vectors.find({}).to_list(None)

    async def write() -> None:
        await quiet.engine.collections.vectors.insert_many(made)

    with monkeypatch.context() as patched:
        meanwhile(patched, quiet.engine.collections.bank_versions, "delete_many", write)
        await quiet.engine.banks.delete(USER, "project", "loci")
    assert await quiet.engine.collections.vectors.count_documents({}) == 0


async def test_a_bank_that_is_made_anew_while_it_is_deleted_was_deleted(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begun(quiet)
    await update(quiet, "The lighthouse keeper is called Ada.")
    banks = quiet.engine.collections.banks

    async def again() -> None:
        await begun(quiet)

    with monkeypatch.context() as patched:
        for method in ("update_one", "find_one_and_update"):
            meanwhile(patched, banks, method, again, after=True)
        assert (await quiet.engine.banks.delete(USER, "project", "loci"))["banks"] == 1
    assert "Ada" not in await content(quiet)
    assert not any("Ada" in one for one in await found(quiet, "lighthouse keeper"))


async def test_deleting_a_user_deletes_versions_that_a_dead_writer_left(quiet: Memory) -> None:
    await begun(quiet)
    versions = quiet.engine.collections.bank_versions
    [left] = await versions.find({}).to_list(None)
    await quiet.engine.banks.delete(USER, "project", "loci")
    await versions.insert_one(left)
    await quiet.engine.forgetter.user(USER)
    assert await versions.count_documents({}) == 0


async def test_deleting_a_user_deletes_their_banks(quiet: Memory) -> None:
    await begun(quiet)
    await quiet.activate(USER, "global")
    await begun(quiet, owner="bob")
    gone = await quiet.engine.forgetter.user(USER)
    assert (gone["banks"], gone["bank_versions"], gone["vectors"]) == (2, 2, 1)
    for name in ("banks", "bank_versions", "bank_activations", "vectors", "owners"):
        assert await getattr(quiet.engine.collections, name).find_one({"user_id": USER}) is None
    assert (await begun(quiet, owner="bob")).info.version == 1


async def test_banks_are_listed_page_by_page_the_last_changed_first(quiet: Memory) -> None:
    for name in ("one", "two", "three"):
        await begun(quiet, name)
    await quiet.update(USER, "project", "one", "changed")
    [first, second] = await quiet.engine.banks.page(USER, limit=2)
    rest = await quiet.engine.banks.page(USER, limit=2, after=(second[0].updated_at, second[1]))
    assert [info.id for info, _ in (first, second, *rest)] == ["one", "three", "two"]
    assert await quiet.engine.banks.page("bob", limit=5) == []


async def test_a_bank_is_called_as_its_project_or_else_as_its_folder_or_its_id(quiet: Memory) -> None:
    assert (await begun(quiet, "My app")).info.name == "My app"
    assert (await quiet.activate(USER, "code", path="/src/Loci/")).info.name == "Loci"
    bank = await quiet.engine.banks.open(USER, "project", "bare")
    assert bank.info.name == "bare"
    assert bank.content["context.md"].startswith("# Context: bare\n")


async def test_there_is_one_global_bank(quiet: Memory) -> None:
    bank = await quiet.activate(USER, "global", "x", "/src/x")
    assert (bank.info.id, bank.info.name, bank.info.path) == ("global", "global", None)
    assert bank.content["context.md"].startswith("# Context\n")
    with pytest.raises(InvalidInput):
        await quiet.engine.banks.open(USER, "global", "another")
