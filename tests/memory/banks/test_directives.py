"""Content that decides itself where it goes is carried out as it says, or refused."""

import json
from typing import Any

import pytest

from agents.memory import Memory
from memory.banks.directives import MOST_DECISIONS, directives_in
from tests.banks import begun, content, update
from tests.conversations import USER
from tests.scripted_model import ScriptedModel
from utils.errors import InvalidInput


def directive(file: str, operation: str, text: str, **metadata: Any) -> dict[str, Any]:
    return {"target_file": file, "operation_type": operation, "content": text, "metadata": metadata}


async def test_the_shape_that_an_update_answers_with_is_carried_out(quiet: Memory) -> None:
    await begun(quiet)
    await update(quiet, "active.md > Current focus:\nThe lighthouse.")
    said = directive("active.md", "replace", "The submarine.", section="Current focus", category="focus", tags=[])
    done = await update(quiet, json.dumps(said | {"metadata": said["metadata"] | {"dates": [], "references": []}}))
    assert [(one.target_file, one.operation_type, one.metadata.section) for one in done.changes] == [
        ("active.md", "replace", "Current focus")
    ]
    text = await content(quiet)
    assert "The submarine." in text and "lighthouse" not in text and "target_file" not in text
    again = [
        directive("ideas.md", "create", "# Ideas\n\nA dark theme."),
        directive("decisions.md", "append", "SQLite."),
    ]
    done = await update(quiet, json.dumps(again, indent=1))
    assert [(one.target_file, one.metadata.section) for one in done.changes][1:] == [("decisions.md", "Decisions")]
    assert "A dark theme." in await content(quiet) and "SQLite." in await content(quiet)
    assert (await quiet.engine.library.banks.versions(USER, "project", "loci", limit=1))[0].said == json.dumps(
        again, indent=1
    )


async def test_no_model_is_asked_about_it(with_model: Memory, scripted_model: ScriptedModel) -> None:
    await begun(with_model)
    await update(with_model, json.dumps(directive("decisions.md", "append", "We use SQLite.")))
    assert "We use SQLite." in await content(with_model)
    assert not scripted_model.requests


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (directive("../x.md", "append", "a"), "cannot be a file"),
        (directive("a.exe", "append", "a"), "cannot be a file"),
        (directive("a.md", "append", " \n"), "puts nothing into it"),
        (directive("a.md", "append", ""), "change 1.content"),
        (
            directive("a.md", "delete", "SECRET"),
            "change 1.operation_type: Input should be 'append', 'replace' or 'create'",
        ),
        ({"target_file": "a.md", "content": "a"}, "change 1.operation_type: Field required"),
        ({"target_file": "a.md", "operation_type": "append", "metadata": {}}, "change 1.content: Field required"),
        ({"target_file": 5, "operation_type": "append", "content": "a"}, "change 1.target_file"),
        ([directive("a.md", "append", "a"), "SECRET"], "change 2"),
        ([directive("a.md", "append", "a")] * (MOST_DECISIONS + 1), f"at most {MOST_DECISIONS}"),
        (directive("a.md", "append", "a\x07"), "control characters"),
    ],
)
async def test_one_that_cannot_be_carried_out_is_refused_and_changes_nothing(
    quiet: Memory, said: Any, told: str
) -> None:
    await begun(quiet)
    with pytest.raises(InvalidInput) as refused:
        await update(quiet, json.dumps(said))
    assert told in refused.value.detail and "SECRET" not in refused.value.detail
    assert (await quiet.engine.library.banks.info(USER, "project", "loci")).version == 1


def test_a_lone_surrogate_that_json_hides_is_refused() -> None:
    with pytest.raises(InvalidInput):
        directives_in("project", '{"target_file": "a.md", "operation_type": "append", "content": "\\ud800"}')


@pytest.mark.parametrize(
    "said",
    [
        '{"service": "api", "port": 80}',
        "[1, 2]",
        'We decided on {"target_file": "a.md", "operation_type": "append", "content": "x"}.',
        '{"target_file": "a.md"',
        '{"target_file": "a.md", "note": "of a build"}',
        '["target_file"]',
    ],
)
def test_other_json_is_content(said: str) -> None:
    assert directives_in("project", said) is None


def test_each_operation_is_its_decision_and_a_tag_for_what_is_critical_is_kept() -> None:
    said = [
        directive("progress.md", "append", "The tests.", section="Next"),
        directive("progress.md", "replace", "None.", section="Issues"),
        directive("ideas.md", "create", "One.", tags=["critical"]),
    ]
    found = directives_in("project", json.dumps(said)) or []
    assert [one.operation for one in found] == ["append", "replace", "create"]
    assert [one.metadata.section for one in found][:2] == ["Next", "Issues"]
    assert found[2].content == "One. [critical]"
