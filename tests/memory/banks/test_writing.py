"""What a model may replace in a large bank, of which it is shown the headings."""

import json
from typing import Any

import pytest

from config.recipes import BankRecipe
from memory.banks.decisions import Decision, Metadata, merge
from memory.banks.markdown import parse
from memory.banks.model import as_shown
from memory.banks.types import template
from memory.banks.writing import BankWriter
from tests.scripted_model import ScriptedModel, answer
from utils.circuit import CircuitBreaker
from utils.clock import now
from utils.llm import RemoteChatModel
from utils.openai_client import open_client

SMALL = BankRecipe(most=100, shown=1_000)  # a bank of 200 tokens is large
NEXT = Metadata("Next")
SAID = "Only the tests are left."


@pytest.fixture
def model(scripted_model: ScriptedModel, model_settings: Any) -> RemoteChatModel:
    return RemoteChatModel(open_client(model_settings), "scripted", deadline=5, breaker=CircuitBreaker("banks"))


@pytest.fixture
def writer(model: RemoteChatModel) -> BankWriter:
    return BankWriter(model, SMALL)


def files() -> dict[str, str]:
    """A large bank in which something stands under what comes next."""
    long = Decision("append", "context.md", "The museum lends skeletons. " * 40)
    coming = Decision("append", "progress.md", "Ship the parser on Friday.", NEXT)
    made, _ = merge(template("project", "x"), [long, coming], now())
    return made


def decided(operation: str, content: str = SAID) -> Any:
    decision = {"target_file": "progress.md", "operation_type": operation, "content": content}
    return answer(json.dumps({"decisions": [decision | {"metadata": {"section": "next"}}]}))


def test_of_a_large_bank_the_headings_are_shown() -> None:
    whole = files()
    seen = as_shown(whole, SMALL)
    assert "skeletons" not in str(seen)
    assert "Friday" not in str(seen)
    assert {name: [one.title for one in parse(text).sections] for name, text in seen.items()} == {
        name: [one.title for one in parse(text).sections] for name, text in whole.items()
    }
    assert as_shown(whole, BankRecipe()) is whole


async def carried_out(writer: BankWriter, bank: dict[str, str], said: str = SAID) -> list[tuple[str, str]]:
    """What is done with content that a model has placed."""
    placed = await writer.place("project", bank, said)
    return [(one.operation, one.content) for one in await writer.without_loss(placed, "project", bank, said)]


async def test_what_it_was_not_shown_stays(writer: BankWriter, scripted_model: ScriptedModel) -> None:
    scripted_model.script(decided("replace"))
    assert await carried_out(writer, files()) == [("append", SAID)]


async def test_what_it_was_shown_is_replaced(model: RemoteChatModel, scripted_model: ScriptedModel) -> None:
    scripted_model.script(decided("replace"))
    assert await carried_out(BankWriter(model, BankRecipe()), files()) == [("replace", SAID)]


@pytest.mark.parametrize("padding", ["", "\n\n[file: context.md]\n" + "The museum lends skeletons. " * 150])
async def test_what_the_content_itself_replaces_is_replaced_unseen(
    model: RemoteChatModel, scripted_model: ScriptedModel, padding: str
) -> None:
    said = f"[file: progress.md > Next] (replace)\n{SAID}{padding}"
    scripted_model.script(decided("replace", said))
    assert await carried_out(BankWriter(model, BankRecipe(most=100)), files(), said) == [("replace", said)]
