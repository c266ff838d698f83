"""Requests of the Responses API: what Loci reads of them, and items as they are kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field, StringConstraints, ValidationError

from agents.openai_chat import kept_text
from agents.openai_responses import MESSAGE, items_of, kind_of
from api.openai.wire import InvalidField, Json, invalid
from memory.responses import ResponseItem, Said
from utils.fields import ID_CHARACTERS, Wire

ROLES = ("user", "assistant", "system", "developer")
PREFIXES = {
    "message": "msg",
    "reasoning": "rs",
    "function_call": "fc",
    "function_call_output": "fco",
    "custom_tool_call": "ctc",
    "custom_tool_call_output": "ctco",
}
MOST_ITEMS = 20  # that are added to a conversation at once, as at OpenAI
NOT_KEPT = "background: responses are answered at once here, and none goes on without its client"

Metadata = Annotated[
    dict[
        Annotated[str, StringConstraints(max_length=64)],
        Annotated[str, StringConstraints(max_length=512)],
    ],
    Field(max_length=16),
]


class ConversationField(Wire):
    id: str


class ResponseFields(Wire):
    """The fields that Loci reads. Others go on as they came."""

    model: str | None = None
    input: str | list[dict[str, Any]] | None = None
    instructions: str | None = None
    stream: bool | None = None
    store: bool | None = None
    background: bool | None = None
    previous_response_id: str | None = None
    conversation: str | ConversationField | None = None
    tools: list[dict[str, Any]] | None = None
    tool_choice: str | dict[str, Any] | None = None
    text: dict[str, Any] | None = None
    metadata: Metadata | None = None
    prompt_cache_key: str | None = None


@dataclass(frozen=True)
class ResponseRequest:
    """A request for a response. `body`: all its fields, but for Loci's own; `given`: the items of its input."""

    body: Json
    fields: ResponseFields
    given: list[Mapping[str, Any]]

    @property
    def stored(self) -> bool:
        return self.fields.store is not False

    @property
    def streamed(self) -> bool:
        return self.fields.stream is True

    @property
    def tools(self) -> list[Json]:
        """Its tools, those of a namespace each by itself."""
        made: list[Json] = []
        for tool in self.fields.tools or ():
            inner = tool.get("tools") if tool.get("type") == "namespace" else None
            each = [one for one in inner if isinstance(one, dict)] if isinstance(inner, list) else None
            made += [tool] if each is None else [one | {"namespace": tool.get("name")} for one in each]
        return made

    @property
    def conversation(self) -> str | None:
        named = self.fields.conversation
        return named.id if isinstance(named, ConversationField) else named


class ConversationFields(Wire):
    items: list[dict[str, Any]] | None = None
    metadata: Metadata | None = None


class ItemsFields(Wire):
    items: list[dict[str, Any]]


def response_request(body: Json) -> ResponseRequest:
    """Reads a request. Raises `InvalidField`."""
    try:
        fields = ResponseFields.model_validate({k: v for k, v in body.items() if k in ResponseFields.model_fields})
    except ValidationError as error:
        raise invalid(error) from None
    request = ResponseRequest(body, fields, [*items_of(fields.input)])
    if fields.background:
        raise InvalidField(NOT_KEPT, "background", "unsupported_parameter")
    if fields.previous_response_id is not None and request.conversation is not None:
        raise InvalidField(
            "previous_response_id and conversation say both what came before: send one of them",
            "previous_response_id",
            "mutually_exclusive_parameters",
        )
    if not request.given and fields.previous_response_id is None and request.conversation is None:
        raise InvalidField(
            "input: must be a text, or a list of at least one item", "input", "missing_required_parameter"
        )
    check_items(request.given, "input")
    return request


def check_items(items: Sequence[Mapping[str, Any]], name: str) -> None:
    """Refuses what no protocol knows as an item. Raises `InvalidField`."""
    for at, item in enumerate(items):
        kind = kind_of(item)
        if not kind:
            raise InvalidField(f"{name}[{at}]: must have a type, or a role", f"{name}[{at}]")
        if kind == MESSAGE and item.get("role") not in ROLES:
            raise InvalidField(f"{name}[{at}].role: must be one of {', '.join(ROLES)}", f"{name}[{at}].role")
        if kind == MESSAGE and not isinstance(item.get("content"), str | list):
            raise InvalidField(f"{name}[{at}].content: must be a text, or a list of parts", f"{name}[{at}].content")


def prefix_of(item: Mapping[str, Any]) -> str:
    return PREFIXES.get(kind_of(item), "item")


def whole_item(item: Mapping[str, Any], identifier: str) -> dict[str, Any]:
    """An item of a client's as it is listed: with an id, its type, a status, and its text as a part."""
    own = item.get("id")
    known = own if isinstance(own, str) and 0 < len(own) <= ID_CHARACTERS and own.isprintable() else identifier
    made: dict[str, Any] = {"type": kind_of(item), "id": known}
    if made["type"] != "reasoning":
        made["status"] = "completed"
    made |= {name: value for name, value in item.items() if name != "id" and value is not None}
    if made["type"] == MESSAGE and isinstance(made.get("content"), str):
        if made.get("role") == "assistant":
            made["content"] = [{"type": "output_text", "text": made["content"], "annotations": []}]
        else:
            made["content"] = [{"type": "input_text", "text": made["content"]}]
    return made


def items_to_keep(items: Sequence[Mapping[str, Any]], request: str) -> list[ResponseItem]:
    """Items of a client's as they are kept. `request`: an id of 32 digits that names the request."""
    made = [whole_item(item, f"{prefix_of(item)}_{request}i{at}") for at, item in enumerate(items)]
    return [ResponseItem(item["id"], item, said_in(item)) for item in made]


def said_in(item: Mapping[str, Any]) -> Said | None:
    """Role and text of a message, as a turn of it has them; None for another item."""
    if kind_of(item) != MESSAGE or item.get("role") not in ("user", "assistant"):
        return None
    return str(item["role"]), kept_text(item.get("content"))


def newest_said(items: Sequence[Mapping[str, Any]]) -> Said | None:
    """What the user says last among items, if that is anything."""
    return next((said for item in reversed(items) if (said := said_in(item)) and said[0] == "user" and said[1]), None)
