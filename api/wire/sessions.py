"""Wire shapes of sessions, their summaries and their messages."""

from contextlib import suppress
from datetime import datetime
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, PlainValidator, TypeAdapter, ValidationError, model_validator

from api.wire.base import OwnedRequest, Shown
from api.wire.reasons import wrong
from api.wire.strict import check
from utils.errors import InvalidInput
from utils.fields import Content, Identifier, Instructions, MessageId, Moment, Name, Timezone, Wire
from utils.text import with_blanks

ELSEWHERE = (
    "messages are imported here; Anthropic's API is at /anthropic/v1/messages: set the base_url of its client "
    "(ANTHROPIC_BASE_URL) to http://HOST/anthropic"
)


Branch = Literal["replaced", "left"]


class SummaryOut(Shown):
    session_id: str
    summary: str = Field(validation_alias="text")
    message_count: int
    model: str
    timestamp: datetime


class SessionOut(Shown):
    id: str
    title: str
    created_at: datetime
    updated_at: datetime
    message_count: int
    pair_count: int
    project: str | None
    instructions: str | None


class SessionDetail(SessionOut):
    """`answering`: `turn_id` of the answers under way."""

    answering: list[str]
    summaries: list[SummaryOut]


class SessionPatch(OwnedRequest):
    """`project`: where it is to be from now on; null: in none. `instructions`: null takes them away."""

    title: Annotated[Name, Field(max_length=200)] | None = None
    instructions: Instructions | None = None

    @model_validator(mode="after")
    def _check_any(self) -> "SessionPatch":
        given = self.model_fields_set & {"title", "project", "instructions"}
        if not given or ("title" in given and self.title is None):
            raise ValueError("give at least one of title, project and instructions")
        return self


class MessageOut(Shown):
    """`message_index`: -1 of one that has no place in its session yet. `follows`: the id of the message before it, null
    of the first; those that follow the same one stand for each other. `branch`: null in the conversation as it goes on;
    `replaced` of a message in whose place another was put, `left` of what came behind such. `images`: how many came
    with it. `recalled`: whether other answers may come to know of it. `cites`: the numbers of the sources that an
    answer cites, as its receipt has them."""

    id: str
    role: str
    content: str
    name: str | None
    timestamp: datetime
    message_index: Annotated[int, BeforeValidator(lambda index: -1 if index is None else index)] = Field(
        validation_alias="index"
    )
    turn_id: str | None
    model: str | None
    interrupted: bool
    follows: str | None
    branch: Branch | None
    images: int
    recalled: bool
    cites: tuple[int, ...] = ()


class ImagesOut(Wire):
    """The images of a message, as they came: data URIs and http(s) URLs."""

    images: tuple[str, ...]


class MessagePatch(OwnedRequest):
    recalled: bool


class MessageIn(Wire):
    id: MessageId | None = None
    role: Literal["system", "user", "assistant", "tool"]
    content: Content
    name: Name | None = None
    timestamp: Moment | None = None


class MessageRefused(Wire):
    """A message that is none. `id`: the one that it came with, where that could be an id."""

    id: str | None
    reason: str


def message_or_refusal(given: object) -> MessageIn | MessageRefused:
    """A message of an import, with blanks for what parts pages and lines in it, or why it is refused."""
    if isinstance(given, dict) and isinstance(given.get("content"), str):
        given = given | {"content": with_blanks(given["content"])}
    try:
        check(given)
        return MessageIn.model_validate(given)
    except InvalidInput as error:
        reason = error.detail
    except ValidationError as error:
        reason = wrong(error, "")
    identifier = None
    with suppress(ValidationError):
        identifier = _ID.validate_python(given.get("id") if isinstance(given, dict) else None)
    return MessageRefused(id=identifier, reason=reason)


_ID: TypeAdapter[str] = TypeAdapter(MessageId)
MessageOrRefused = Annotated[
    MessageIn | MessageRefused, PlainValidator(message_or_refusal, json_schema_input_type=MessageIn)
]


class MessagesRequest(OwnedRequest):
    session_id: Identifier
    messages: Annotated[list[MessageOrRefused], Field(min_length=1, max_length=1_000)]
    wait: bool = False
    timezone: Timezone | None = None

    @model_validator(mode="before")
    @classmethod
    def _tell_way(cls, given: object) -> object:
        """Anthropic's API has a path of the same name."""
        if isinstance(given, dict) and "session_id" not in given and {"model", "max_tokens"} & given.keys():
            raise ValueError(ELSEWHERE)
        return given


class RefusedOut(MessageRefused):
    """`index`: its place in the request."""

    index: int


class MessagesResponse(Wire):
    """`ids`: of the messages that were accepted or there already, in order. `rejected`: the others."""

    accepted: int
    duplicates: int
    rejected: list[RefusedOut]
    ids: list[str]
