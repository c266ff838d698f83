"""Banks that have grown are condensed, once; their history is not."""

import json
from typing import Any

import pytest

from agents.memory import Memory
from config.recipes import BankRecipe
from memory.banks.writing import MOST_BYTES
from memory.store.leases import pending
from tests.banks import begun, content, update
from tests.conversations import USER
from tests.meanwhile import meanwhile
from tests.scripted_model import ScriptedModel, answer
from utils.clock import now

LONG = "It was discussed at some length, with no end in sight. " * 8


async def test_a_bank_that_has_grown_is_condensed_and_its_history_has_all(quiet: Memory) -> None:
    await begun(quiet)
    await update(quiet, "[critical] The key is under the mat.")
    for number in range(12):
        await update(quiet, "\n\n".join(f"{number}.{part}: {LONG}" for part in range(8)))
    before = await quiet.engine.library.banks.info(USER, "project", "loci")
    assert before.tokens > BankRecipe().most
    await quiet.engine.sweep()
    after = await quiet.engine.library.banks.get(USER, "project", "loci")
    assert BankRecipe().least <= after.info.tokens <= BankRecipe().most
    assert "[critical] The key is under the mat." in await content(quiet)
    assert f"version {before.version} has all of it" in await content(quiet)
    _, whole = await quiet.engine.library.banks.at(USER, "project", "loci", before.version)
    assert all(f"{number}.7: It was" in "\n".join(whole.values()) for number in range(12))
    assert await quiet.engine.library.tidying.condense() == 0


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
    tidying = quiet.engine.library.tidying
    short = await tidying.optimise(USER, "project", "loci")
    assert short.tokens <= BankRecipe().target
    assert (await tidying.optimise(USER, "project", "loci")).version == short.version
    await quiet.engine.store.collections.banks.update_many({}, {"$set": {"tidying": pending(), "tokens": 7_000}})
    assert (await tidying.optimise(USER, "project", "loci")).version == short.version  # nothing to be left out


async def test_a_bank_that_changes_faster_than_a_model_writes_is_condensed_by_rules(
    with_model: Memory, scripted_model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begun(with_model)
    tidying = with_model.engine.library.tidying
    scripted_model.always(answer("No JSON."))
    for number in range(12):
        await update(with_model, "\n\n".join(f"{number}.{part}: {LONG}" for part in range(8)))
    asked, real = 0, tidying._writer.shorten

    async def slowly(*arguments: Any) -> Any:
        nonlocal asked
        asked += 1
        short = await real(*arguments)
        await update(with_model, f"Said meanwhile, number {asked}.")
        return short

    monkeypatch.setattr(tidying._writer, "shorten", slowly)
    assert (await tidying.optimise(USER, "project", "loci")).tokens <= BankRecipe().most
    assert asked == 3
    assert "Said meanwhile, number 3." in await content(with_model)


async def test_a_bank_that_changes_while_a_model_condenses_it_is_shown_to_it_anew(
    with_model: Memory, scripted_model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begun(with_model)
    scripted_model.always(answer("No JSON."))
    for number in range(12):
        await update(with_model, "\n\n".join(f"{number}.{part}: {LONG}" for part in range(8)))
    scripted_model.always(None)
    shown: list[str] = []

    def shortened(asked: dict[str, Any]) -> str:
        told = json.loads(asked["messages"][1]["content"])
        if "files" not in told:
            return "No JSON."
        shown.append(told["files"]["active.md"])
        late = [line for line in shown[-1].split("\n") if "meanwhile" in line]
        short = "\n\n".join(["# Active work", "## Notes", "Short prose. " * 1_200, *late])
        return json.dumps({"files": told["files"] | {"active.md": short}})

    scripted_model.reply = shortened

    async def another() -> None:
        await update(with_model, "The sky turned green meanwhile.")

    with monkeypatch.context() as patched:
        meanwhile(patched, with_model.engine.store.collections.bank_versions, "insert_one", another)
        await with_model.engine.library.tidying.optimise(USER, "project", "loci")
    assert [text.count("green meanwhile") for text in shown] == [0, 1]
    text = await content(with_model)
    assert "Short prose." in text and text.count("green meanwhile") == 1


async def test_a_bank_whose_condenser_died_is_condensed_by_the_sweep(quiet: Memory) -> None:
    await begun(quiet)
    for number in range(12):
        await update(quiet, "\n\n".join(f"{number}.{part}: {LONG}" for part in range(8)))
    over = {"state": "leased", "attempts": 1, "lease": "of a dead one", "lease_until": now()}
    await quiet.engine.store.collections.banks.update_many({}, {"$set": {"tidying": over}})
    await quiet.engine.sweep()
    assert (await quiet.engine.library.banks.info(USER, "project", "loci")).tokens <= BankRecipe().most


async def test_small_changes_do_not_put_off_when_a_bank_is_looked_at(quiet: Memory) -> None:
    await begun(quiet)

    async def due() -> Any:
        [bank] = await quiet.engine.store.collections.banks.find({}).to_list(None)
        return bank["tidying"]["lease_until"]

    first = await due()
    await update(quiet, "The sky was blue.")
    assert await due() == first > now()
