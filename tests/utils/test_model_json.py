"""JSON that a model is asked for: held to a schema where the provider takes one, read leniently where it does not."""

import json
from collections.abc import AsyncIterator

import pytest

from agents.memory import Memory
from agents.open import open_memory
from config.settings import Settings
from tests.conversations import Silent
from tests.scripted_model import Behaviour, ScriptedModel, answer, status

SAID = "I live in Berlin with Ana."
FOUND = answer('<think>Where? {"facts": []}</think>```json\n{"facts": ["The user lives in Berlin."]}\n```')
SCHEMA, OBJECT = "json_schema", "json_object"
UNAVAILABLE = "This response_format type is unavailable now"


@pytest.fixture
async def modelled(model_settings: Settings) -> AsyncIterator[Memory]:
    """A memory with the scripted model, in which nothing happens in the background."""
    async with open_memory(model_settings, nudge=Silent()) as opened:
        yield opened


async def learn(memory: Memory, owner: str = "ann") -> list[str]:
    return [decided.text for decided in await memory.learn(owner, SAID)]


def formats(model: ScriptedModel, kind: str = "facts") -> list[str | None]:
    return [(body.get("response_format") or {}).get("type") for body in model.asked(kind)]


async def test_the_schema_is_of_what_is_read(modelled: Memory, scripted_model: ScriptedModel) -> None:
    scripted_model.script(FOUND, on="facts")
    assert await learn(modelled) == ["The user lives in Berlin."]
    assert scripted_model.asked("facts")[0]["response_format"] == {
        "type": SCHEMA,
        "json_schema": {
            "name": "extracted",
            "strict": True,
            "schema": {
                "type": "object",
                "properties": {"facts": {"type": "array", "items": {"type": "string"}}},
                "required": ["facts"],
                "additionalProperties": False,
            },
        },
    }


async def test_each_object_of_a_schema_has_all_its_fields_and_no_others(
    modelled: Memory, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(FOUND, FOUND, on="facts")
    await learn(modelled)
    await learn(modelled)
    schema = scripted_model.asked("facts")[2]["response_format"]["json_schema"]["schema"]
    decided = schema["$defs"]["_Decided"]
    assert decided["required"] == list(decided["properties"]) == ["event", "fact", "id", "text"]
    assert decided["additionalProperties"] is schema["additionalProperties"] is False
    assert not {"title", "default", "minLength", "maxLength"} & set(json.dumps(schema).split('"'))


@pytest.mark.parametrize(
    ("refusals", "asked"),
    [
        ((status(400, param="response_format"),), [SCHEMA, OBJECT, OBJECT]),
        ((status(422, message=UNAVAILABLE),), [SCHEMA, OBJECT, OBJECT]),
        (
            (status(400, message=UNAVAILABLE), status(400, message="'response_format.type' must be 'text'")),
            [SCHEMA, OBJECT, None, None],
        ),
        ((status(400, param="response_format"), status(503)), [SCHEMA, OBJECT, OBJECT, OBJECT]),
    ],
    ids=["named", "in-words", "no-json-at-all", "away-meanwhile"],
)
async def test_a_provider_that_refuses_a_format_is_not_asked_for_it_again(
    modelled: Memory, scripted_model: ScriptedModel, refusals: tuple[Behaviour, ...], asked: list[str | None]
) -> None:
    scripted_model.script(*refusals, FOUND, FOUND, on="facts")
    assert await learn(modelled) == ["The user lives in Berlin."]
    assert await learn(modelled, "bob") == ["The user lives in Berlin."]
    assert formats(scripted_model) == asked


async def test_a_refusal_counts_whatever_is_asked_for_next(modelled: Memory, scripted_model: ScriptedModel) -> None:
    scripted_model.script(status(400, param="response_format"), on="facts")
    await learn(modelled)
    await modelled.extract_observations("ann", "deploy", "GOAL", "The API allows 100 requests a minute." * 3)
    assert formats(scripted_model, "observations") == [OBJECT]


async def test_another_refusal_is_none_of_the_format(modelled: Memory, scripted_model: ScriptedModel) -> None:
    scripted_model.script(status(400), FOUND, on="facts")
    await learn(modelled)
    scripted_model.requests.clear()
    await learn(modelled)
    assert formats(scripted_model)[0] == SCHEMA
