"""Memory as tools of OpenAI's API, for a model of any provider: what they are, and what a call of one gives.

A result is JSON, so that what was remembered stays data. A call that cannot be carried out gives an `error` that the
model can read and correct itself by; it never raises for what the model wrote.
"""

import asyncio
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Annotated, Any

import orjson
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue

from agents.memory import Memory
from agents.tools import FURTHEST, LONGEST_ID, MOST_READ, READ, id_of_row, read_record
from memory.observations import (
    LONGEST,
    LONGEST_KEY,
    LONGEST_SOURCE,
    LONGEST_TTL,
    LONGEST_VALUE,
    Category,
    Entry,
    Recalled,
)
from utils.errors import LociError
from utils.mongo import StoreError, as_loci_error
from utils.text import CONTROL_CHARACTERS

MOST_NOTES = 50
MOST_RECALLED = 50
MOST_LISTED = 200
SHOWN_ERRORS = 3
LONGEST_SOUGHT = 2_000  # characters

Text = Annotated[str, Field(min_length=1, max_length=LONGEST)]
Texts = Annotated[list[Text], Field(max_length=MOST_NOTES)]
Key = Annotated[str, Field(min_length=1, max_length=LONGEST_KEY, description="Such as 'plan/step-2'")]


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, given: Any) -> Any:
        """Models send null for what they leave out."""
        return {key: value for key, value in given.items() if value is not None} if isinstance(given, dict) else given


class RememberCall(_Arguments):
    """Keep what is worth knowing later, each as one sentence that can be understood alone. The same is kept once."""

    findings: Annotated[Texts, Field(description="Facts that came to light, with their names and numbers")] = []
    insights: Annotated[Texts, Field(description="Conclusions and decisions, with their reasons")] = []
    lessons: Annotated[Texts, Field(description="What to do or to avoid another time")] = []

    @model_validator(mode="after")
    def _check_any(self) -> "RememberCall":
        if not (self.findings or self.insights or self.lessons):
            raise ValueError("give at least one of findings, insights and lessons")
        return self


class RecallCall(_Arguments):
    """Look up what was remembered, by the words in it."""

    query: Annotated[str, Field(min_length=1, max_length=2_000, description="Words that it may have in it")]
    category: Annotated[Category | None, Field(description="One kind alone; left out: all")] = None
    limit: Annotated[int, Field(ge=1, le=MOST_RECALLED)] = 10


class ScratchpadGet(_Arguments):
    """Read the value under a key of the scratchpad."""

    key: Key


class ScratchpadSet(_Arguments):
    """Keep a value under a key of the scratchpad, in place of what is there."""

    key: Key
    value: Annotated[str, Field(max_length=LONGEST_VALUE)]
    ttl_seconds: Annotated[int | None, Field(ge=1, le=LONGEST_TTL, description="Left out: it is kept for ever")] = None


class ScratchpadList(_Arguments):
    """List the keys of the scratchpad with the beginnings of their values."""

    prefix: Annotated[str, Field(max_length=LONGEST_KEY, description="How the keys begin; left out: all")] = ""


class ScratchpadSearch(_Arguments):
    """Find entries of the scratchpad by what stands in their keys or values, in capitals or small letters."""

    text: Annotated[str, Field(min_length=1, max_length=LONGEST_SOUGHT, description="All of which stands there so")]


class ScratchpadDelete(_Arguments):
    """Delete a key of the scratchpad with its value."""

    key: Key


class ToolRecord(_Arguments):
    """Read what a tool gave before, where the history shows a part of it. A long result comes in parts: `more` says how
    to get the next."""

    trace_id: Annotated[
        str,
        BeforeValidator(id_of_row),
        Field(min_length=1, max_length=LONGEST_ID, description="With which its row begins"),
    ]
    query: Annotated[str, Field(max_length=2_000, description="Words by which the part is found; left out: none")] = ""
    offset: Annotated[int, Field(ge=0, lt=FURTHEST, description="Characters that are passed over")] = 0
    limit: Annotated[int, Field(ge=100, le=MOST_READ, description=f"Characters; left out: {READ}")] = READ


TOOLS: dict[str, type[_Arguments]] = {
    "remember": RememberCall,
    "recall": RecallCall,
    "scratchpad_get": ScratchpadGet,
    "scratchpad_set": ScratchpadSet,
    "scratchpad_list": ScratchpadList,
    "scratchpad_search": ScratchpadSearch,
    "scratchpad_delete": ScratchpadDelete,
    "tool_record": ToolRecord,
}
NOTES = TOOLS.keys() - {"tool_record"}  # without what gets at the results of tools of others
VALUE_SHOWN = 200  # characters of a listed value


class MemoryTools:
    """The memory of one owner as tools. `source`: where what is remembered comes from; `messages`: the ids of those
    that say it, and with which it is forgotten; `names`: of the tools that there are to be."""

    def __init__(
        self,
        memory: Memory,
        owner: str,
        source: str = "AGENT:tools",
        *,
        messages: tuple[str, ...] = (),
        names: Collection[str] = TOOLS.keys(),
    ) -> None:
        if not source.strip() or len(source) > LONGEST_SOURCE:
            raise ValueError(f"a source has 1 to {LONGEST_SOURCE} characters")
        self._memory = memory
        self._owner = owner
        self._source = source
        self._messages = messages
        self._tools = {name: of for name, of in TOOLS.items() if name in names}

    @property
    def schema(self) -> list[dict[str, object]]:
        """What goes into `tools` of a chat completion."""
        return [{"type": "function", "function": _described(name, of)} for name, of in self._tools.items()]

    async def answers(self, calls: Iterable[Any] | None, others: Collection[str] = ()) -> list[dict[str, str]]:
        """The messages that answer the calls of an assistant's message, to be sent after it, in their order. `calls`:
        its `tool_calls`, as objects of a client or as JSON has them; what is no call of a function is told so.
        `others`: names of the agent's own tools, whose calls it answers itself; none of them may be one of these.
        Raises `ValueError` where one is."""
        if ours := self._tools.keys() & set(others):
            raise ValueError(f"tools of memory have this name: {', '.join(sorted(ours))}")
        return [
            {
                "role": "tool",
                "tool_call_id": _field(call, "id"),
                "content": await self.call(*_named(_field(call, "function"))),
            }
            for call in calls or ()
            if _named(_field(call, "function"))[0] not in others
        ]

    async def call(self, name: object, arguments: object) -> str:
        """The result of a call as JSON. `arguments`: as the model wrote them; where there are none, null or empty, and
        of some providers an object instead of its text."""
        if not isinstance(name, str) or name not in self._tools:
            return _error(f"There is no tool {str(name or '')[:60]!r}; there are {', '.join(self._tools)}")
        try:
            asked = TOOLS[name].model_validate_json(_written(arguments))
            if _has_control(asked):
                return _error("A text has control characters")
            return orjson.dumps(await self._carry_out(asked)).decode()
        except ValidationError as error:
            return _error("; ".join(map(_told, error.errors()[:SHOWN_ERRORS])))
        except LociError as error:
            return _error(error.detail)
        except StoreError as error:
            known = as_loci_error(error)
            if known is None:
                raise
            return _error(known.detail)

    async def _carry_out(self, asked: _Arguments) -> dict[str, object]:
        owner, pad = self._owner, self._memory.scratchpad
        match asked:
            case RememberCall():
                kept = await self._memory.observe(
                    owner,
                    self._source,
                    findings=asked.findings,
                    insights=asked.insights,
                    lessons=asked.lessons,
                    messages=self._messages,
                )
                return {"remembered": len({one.id for one in kept})}
            case RecallCall():
                found = await self._memory.recall_observations(owner, asked.query, asked.category, limit=asked.limit)
                return {"found": list(map(_recalled, found))}
            case ScratchpadGet():
                return {"value": (await pad.get(owner, asked.key)).value}
            case ScratchpadSet():
                ttl = timedelta(seconds=asked.ttl_seconds) if asked.ttl_seconds is not None else None
                entry, _ = await pad.put(owner, asked.key, asked.value, ttl=ttl)
                return {"kept": entry.key}
            case ScratchpadList():
                return _entries(await pad.page(owner, limit=MOST_LISTED + 1, prefix=asked.prefix))
            case ScratchpadSearch():
                return _entries(await pad.page(owner, limit=MOST_LISTED + 1, text=asked.text))
            case ScratchpadDelete():
                await pad.delete(owner, asked.key)
                return {"deleted": asked.key}
            case ToolRecord():
                trace = await self._memory.engine.tools.traces.get(owner, asked.trace_id)
                read = await asyncio.to_thread(
                    read_record, trace, offset=asked.offset, limit=asked.limit, query=asked.query
                )
                return {name: value for name, value in vars(read).items() if value is not None}
        raise AssertionError(f"{type(asked).__name__} is no tool")


def _field(of: object, name: str) -> Any:
    """A field of what a client has read, or of a plain object of JSON; None where it has none."""
    return of.get(name) if isinstance(of, Mapping) else getattr(of, name, None)


def _named(function: object) -> tuple[object, object]:
    return _field(function, "name"), _field(function, "arguments")


def _written(arguments: object) -> str:
    """Arguments as JSON; what is none is refused as such."""
    if arguments is None:
        return "{}"
    try:
        return (arguments.strip() or "{}") if isinstance(arguments, str) else json.dumps(arguments)
    except (TypeError, ValueError, RecursionError):
        return "no JSON"


def _recalled(one: Recalled) -> dict[str, object]:
    found = one.observation
    return {"category": found.category, "content": found.content, "source": found.source, "score": round(one.score, 3)}


def _entries(found: Sequence[Entry]) -> dict[str, object]:
    return {"entries": list(map(_listed, found[:MOST_LISTED])), "more": len(found) > MOST_LISTED}


def _listed(entry: Entry) -> dict[str, str]:
    return {"key": entry.key, "value": entry.value[:VALUE_SHOWN]}


def _error(detail: str) -> str:
    return orjson.dumps({"error": detail}).decode()


def _told(error: Any) -> str:
    """One of pydantic's errors, without the input."""
    where = ".".join(map(str, error["loc"]))
    said = str(error["msg"]).removeprefix("Value error, ")
    return f"{where}: {said}" if where else said


def _has_control(value: object) -> bool:
    match value:
        case str():
            return CONTROL_CHARACTERS.search(value) is not None
        case BaseModel():
            return any(map(_has_control, vars(value).values()))
        case list():
            return any(map(_has_control, value))
    return False


class _Plain(GenerateJsonSchema):
    """A JSON schema without what no model needs: titles, defaults, and null, for what may be null may be left out."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def default_schema(self, schema: Any) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def nullable_schema(self, schema: Any) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])


def _described(name: str, of: type[_Arguments]) -> dict[str, object]:
    """A function as OpenAI's API takes it; its description is the docstring."""
    parameters = of.model_json_schema(schema_generator=_Plain)
    del parameters["title"]
    return {"name": name, "description": " ".join(parameters.pop("description").split()), "parameters": parameters}
