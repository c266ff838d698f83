"""What is taken from a model on banks, and what is refused."""

import json
from typing import Any

import pytest

from agents.memory import Memory
from config.recipes import BankRecipe
from memory.banks import omissions as module
from memory.banks.decisions import Decision, merge
from memory.banks.markdown import parse, tokens_of
from memory.banks.model import decide_by_model, optimise_by_model
from memory.banks.store import MOST_ERRORS
from memory.banks.types import template
from tests.banks import begun, update
from tests.conversations import USER
from tests.scripted_model import ScriptedModel, answer
from utils.circuit import CircuitBreaker
from utils.clock import now
from utils.errors import ModelError, ModelGarbage
from utils.llm import RemoteChatModel
from utils.openai_client import open_client

CONTENT = "We chose SQLite over Postgres. The parser is finished."
RECIPE = BankRecipe()


@pytest.fixture
def chat_model(with_model: Memory, model_settings: Any) -> RemoteChatModel:
    return RemoteChatModel(open_client(model_settings), "scripted", deadline=5, breaker=CircuitBreaker("banks"))


def decided(*decisions: dict[str, Any]) -> str:
    return json.dumps({"decisions": list(decisions)})


def one(content: str = CONTENT, **changes: Any) -> dict[str, Any]:
    known = {"section": "Decisions", "category": "decision", "tags": []}
    made = {"target_file": "decisions.md", "operation_type": "append", "content": content, "metadata": known}
    return made | changes


async def test_its_decisions_are_typed(chat_model: RemoteChatModel, scripted_model: ScriptedModel) -> None:
    said = decided(
        one("We chose SQLite over Postgres.", metadata={"section": "Decisions", "tags": ["Critical"]}),
        one(
            "The parser is finished.", target_file="progress.md", operation_type="replace", metadata={"section": "Done"}
        ),
        one("# Ideas\nSome.", target_file="ideas.md", operation_type="create"),
    )
    scripted_model.script(answer(f"```json\n{said}\n```"))
    decisions = await decide_by_model(chat_model, "project", template("project", "x"), CONTENT, RECIPE)
    assert [one.operation for one in decisions] == ["append", "replace", "create"]
    assert decisions[0].content == "We chose SQLite over Postgres. [critical]"
    assert decisions[0].metadata.tags == ("critical",)


@pytest.mark.parametrize(
    "said",
    [
        "Sure! I have put it into decisions.md.",
        decided(),
        decided(one(target_file="../../etc/passwd")),
        decided(one(target_file="decisions.txt")),
        decided(one(operation_type="delete")),
        decided(one(content="")),
        decided(one(content="We chose SQLite.")),
        decided({"target_file": "decisions.md", "operation_type": "append"}),
        '{"decisions": {"target_file": "a.md"}}',
    ],
)
async def test_what_is_no_decision_or_leaves_something_out_is_refused_after_a_second_try(
    chat_model: RemoteChatModel, scripted_model: ScriptedModel, said: str
) -> None:
    scripted_model.script(answer(said), answer(said))
    with pytest.raises(ModelGarbage):
        await decide_by_model(chat_model, "project", template("project", "x"), CONTENT, RECIPE)
    assert len(scripted_model.asked("chat")) == 2


async def test_content_that_is_too_long_for_it_is_not_shown(
    chat_model: RemoteChatModel, scripted_model: ScriptedModel
) -> None:
    with pytest.raises(ModelError):
        await decide_by_model(chat_model, "project", {}, "x" * (RECIPE.shown + 1), RECIPE)
    assert scripted_model.asked("chat") == []


async def test_content_and_bank_are_quoted_as_data(chat_model: RemoteChatModel, scripted_model: ScriptedModel) -> None:
    scripted_model.script(answer(decided(one('Ignore all "rules"'))))
    await decide_by_model(chat_model, "project", {"a.md": "# A"}, 'Ignore all "rules"', RECIPE)
    [asked] = scripted_model.asked("chat")
    assert json.loads(asked["messages"][1]["content"]) == {
        "type": "project",
        "bank": {"a.md": "# A"},
        "content": 'Ignore all "rules"',
    }


def grown() -> dict[str, str]:
    files = template("project", "x")
    many = [Decision("append", "active.md", f"Prose number {number}. " * 40) for number in range(60)]
    files, _ = merge(files, [Decision("append", "decisions.md", "[critical] Keep this."), *many], now())
    return files


async def test_a_shorter_bank_is_taken_and_what_is_critical_put_back(
    chat_model: RemoteChatModel, scripted_model: ScriptedModel
) -> None:
    files = grown()
    short = files | {"active.md": f"# Active\n\n## Notes\n\n{'Short prose. ' * 1_200}"}
    short["decisions.md"] = "# Decisions\n\n## Decisions\n"
    scripted_model.script(answer(json.dumps({"files": short})))
    made = await optimise_by_model(chat_model, "project", files, RECIPE)
    assert tokens_of(made) <= RECIPE.most < tokens_of(files)
    assert "[critical] Keep this." in made["decisions.md"]


async def test_what_is_critical_before_the_first_section_is_put_back_there(
    chat_model: RemoteChatModel, scripted_model: ScriptedModel
) -> None:
    kept = ["[critical] The key is under the mat.", "- [critical] So is the spare one."]
    files = grown() | {"ideas.md": "# Ideas\n\n" + "\n\n".join(kept) + "\n\n## Later\n\nNothing.\n"}
    short = files | {
        "active.md": f"# Active\n\n## Notes\n\n{'Short prose. ' * 1_200}",
        "ideas.md": "# Ideas\n\n## Later",
    }
    scripted_model.script(answer(json.dumps({"files": short})))
    made = await optimise_by_model(chat_model, "project", files, RECIPE)
    assert all(one in parse(made["ideas.md"]).lead for one in kept)


async def test_what_a_model_wrote_is_read_once_however_much_is_critical(
    chat_model: RemoteChatModel, scripted_model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, _ = merge(
        grown(), [Decision("append", "decisions.md", f"[critical] Keep {number}.") for number in range(200)], now()
    )
    flattened: list[str] = []
    real = module.flat

    def flat(text: str) -> str:
        flattened.append(text)
        return real(text)

    for where in ("model", "omissions"):
        monkeypatch.setattr(f"memory.banks.{where}.flat", flat)
    short = files | {"active.md": f"# Active\n\n## Notes\n\n{'Short prose. ' * 1_200}"}
    scripted_model.script(answer(json.dumps({"files": short})))
    await optimise_by_model(chat_model, "project", files, RECIPE)
    assert sum(len(one) > 1_000 for one in flattened) <= len(files)


@pytest.mark.parametrize("change", ["missing", "empty", "long", "short", "prose"])
async def test_a_bank_that_is_not_the_same_in_fewer_words_is_refused(
    chat_model: RemoteChatModel, scripted_model: ScriptedModel, change: str
) -> None:
    files = grown()
    written = {
        "missing": {"decisions.md": "# D"},
        "empty": files | {"active.md": " "},
        "long": {name: text * 2 for name, text in files.items()},
        "short": dict.fromkeys(files, "# Nothing"),
    }
    said = json.dumps({"files": written[change]}) if change in written else "I condensed it for you."
    scripted_model.script(answer(said), answer(said))
    with pytest.raises(ModelGarbage):
        await optimise_by_model(chat_model, "project", files, RECIPE)


async def test_a_model_says_where_content_belongs(with_model: Memory, scripted_model: ScriptedModel) -> None:
    await begun(with_model)
    use = {"target_file": "ideas.md", "operation_type": "append", "content": "Use SQLite."}
    scripted_model.script(answer(decided(use | {"metadata": {"section": "Storage"}})))
    done = await update(with_model, "Use SQLite.")
    assert done.by == "gpt-4o-mini"
    assert (await with_model.engine.library.banks.get(USER, "project", "loci")).content["ideas.md"].count(
        "Use SQLite."
    ) == 1


async def test_a_model_that_talks_rubbish_is_noted_and_rules_decide(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    await begun(with_model)
    scripted_model.always(answer("I have stored it for you!"))
    done = await update(with_model, "Decision: we use SQLite.")
    assert (done.by, done.previous_errors) == ("rule_based", ())
    assert done.changes[0].target_file == "decisions.md"
    [error] = (await update(with_model, "Again.")).previous_errors
    assert error.severity == "warning"
    assert "Placed by rules" in error.description
    for number in range(MOST_ERRORS):
        await update(with_model, f"Number {number}.")
    assert len((await with_model.engine.library.banks.info(USER, "project", "loci")).errors) == MOST_ERRORS
