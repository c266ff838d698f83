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


def files(*items: str) -> dict[str, str]:
    """A large bank in which something stands under what comes next."""
    long = Decision("append", "context.md", "The museum lends skeletons. " * 40)
    coming = [Decision("append", "progress.md", item, NEXT) for item in items or ("Ship the parser on Friday.",)]
    made, _ = merge(template("project", "x"), [long, *coming], now())
    return made


def decided(operation: str, content: str = SAID) -> Any:
    decision = {"target_file": "progress.md", "operation_type": operation, "content": content}
    return answer(json.dumps({"decisions": [decision | {"metadata": {"section": "next"}}]}))


def banks_shown(scripted_model: ScriptedModel) -> list[dict[str, str]]:
    return [json.loads(asked["messages"][1]["content"])["bank"] for asked in scripted_model.asked("chat")]


def test_of_a_large_bank_the_headings_are_shown_and_what_is_asked_for() -> None:
    whole = files()
    seen = as_shown(whole, SMALL)
    assert "skeletons" not in str(seen)
    assert "Friday" not in str(seen)
    assert {name: [one.title for one in parse(text).sections] for name, text in seen.items()} == {
        name: [one.title for one in parse(text).sections] for name, text in whole.items()
    }
    again = as_shown(
        whole, SMALL, [Decision("replace", "progress.md", SAID, NEXT), Decision("replace", "none.md", SAID)]
    )
    assert "Friday" in again["progress.md"]
    assert "skeletons" not in str(again)
    assert as_shown(whole, BankRecipe()) is whole


def test_a_section_that_is_too_long_is_not_shown() -> None:
    seen = as_shown(files("Ship it. " * 200), SMALL, [Decision("replace", "progress.md", SAID, NEXT)])
    assert "Ship it." not in str(seen)


async def test_a_model_sees_what_it_would_replace(writer: BankWriter, scripted_model: ScriptedModel) -> None:
    scripted_model.script(decided("replace"), decided("replace", f"{SAID} Ship the parser on Friday."))
    placed = await writer.place("project", files(), SAID)
    first, second = banks_shown(scripted_model)
    assert ("Friday" in first["progress.md"], "Friday" in second["progress.md"]) == (False, True)
    assert [(one.operation, one.content) for one in placed.decisions] == [
        ("replace", f"{SAID} Ship the parser on Friday.")
    ]
    assert await writer.place_again(placed, "project", files(), SAID) is placed


async def test_what_it_was_not_shown_stays(writer: BankWriter, scripted_model: ScriptedModel) -> None:
    scripted_model.script(decided("replace"), decided("replace"))
    placed = await writer.place("project", files("Ship it. " * 200), SAID)
    assert [(one.operation, one.content) for one in placed.decisions] == [("append", SAID)]


async def test_it_is_asked_once_where_it_replaces_nothing(writer: BankWriter, scripted_model: ScriptedModel) -> None:
    scripted_model.script(decided("append"))
    await writer.place("project", files(), SAID)
    assert len(scripted_model.asked("chat")) == 1


@pytest.mark.parametrize("padding", ["", "\n\n[file: context.md]\n" + "The museum lends skeletons. " * 150])
async def test_what_the_content_itself_replaces_is_replaced_unseen(
    model: RemoteChatModel, scripted_model: ScriptedModel, padding: str
) -> None:
    said = f"[file: progress.md > Next] (replace)\n{SAID}{padding}"
    writer = BankWriter(model, BankRecipe(most=100))
    scripted_model.script(decided("replace", said))
    placed = await writer.place("project", files(), said)
    assert [one.operation for one in placed.decisions] == ["replace"]
    other = files("Another client's line.")
    assert await writer.place_again(placed, "project", other, said) is placed
    assert len(scripted_model.asked("chat")) == 1
