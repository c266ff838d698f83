"""What a model may replace in a bank."""

import json
from typing import Any

import pytest

from config.recipes import BankRecipe
from memory.banks.decisions import Decision, Metadata, merge
from memory.banks.types import template
from memory.banks.writing import BankWriter
from tests.scripted_model import ScriptedModel, answer
from utils.circuit import CircuitBreaker
from utils.clock import now
from utils.llm import RemoteChatModel
from utils.openai_client import open_client

NEXT = Metadata("Next")
SAID = "Only the tests are left."


@pytest.fixture
def model(scripted_model: ScriptedModel, model_settings: Any) -> RemoteChatModel:
    return RemoteChatModel(open_client(model_settings), "scripted", deadline=5, breaker=CircuitBreaker("banks"))


@pytest.fixture
def writer(model: RemoteChatModel) -> BankWriter:
    return BankWriter(model, BankRecipe())


def files(coming_next: str = "Ship the parser on Friday.") -> dict[str, str]:
    """A large bank in which something stands under what comes next."""
    long = Decision("append", "context.md", "The museum lends skeletons. " * 40)
    coming = Decision("append", "progress.md", coming_next, NEXT)
    made, _ = merge(template("project", "x"), [long, coming], now())
    return made


def decided(operation: str, content: str = SAID) -> Any:
    decision = {"target_file": "progress.md", "operation_type": operation, "content": content}
    return answer(json.dumps({"decisions": [decision | {"metadata": {"section": "next"}}]}))


async def carried_out(
    writer: BankWriter, bank: dict[str, str], said: str = SAID, now_there: dict[str, str] | None = None
) -> list[tuple[str, str]]:
    """What is done with content that a model has placed. `now_there`: what the bank says by then."""
    placed = await writer.place("project", bank, said)
    decisions = await writer.without_loss(placed, "project", now_there or bank, said)
    return [(one.operation, one.content) for one in decisions]


async def test_a_large_bank_is_not_shown(model: RemoteChatModel, scripted_model: ScriptedModel) -> None:
    placed = await BankWriter(model, BankRecipe(most=100)).place("project", files(), SAID)
    assert placed.by == "rule_based" and "too long for the model" in (placed.failed or "")
    assert scripted_model.asked("chat") == []


async def test_what_it_was_shown_is_replaced(writer: BankWriter, scripted_model: ScriptedModel) -> None:
    scripted_model.script(decided("replace"))
    assert await carried_out(writer, files()) == [("replace", SAID)]


async def test_what_another_wrote_meanwhile_stays(writer: BankWriter, scripted_model: ScriptedModel) -> None:
    scripted_model.script(decided("replace"))
    assert await carried_out(writer, files(), now_there=files("Ship it.")) == [("append", SAID)]


async def test_what_the_content_itself_replaces_is_replaced_unseen(
    writer: BankWriter, scripted_model: ScriptedModel
) -> None:
    said = f"[file: progress.md > Next] (replace)\n{SAID}"
    scripted_model.script(decided("replace", said))
    assert await carried_out(writer, files(), said, now_there=files("Ship it.")) == [("replace", said)]
