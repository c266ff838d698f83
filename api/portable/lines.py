"""Lines of an export: one JSON object a line, of a `kind`; a header first, and an end that counts.

What is imported is checked as strictly as any request, but for texts: what was kept comes back as it was, whatever its
length, control characters included. Times of keeping that lie ahead are those of now, so that a deletion finds all.
"""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, Field, StringConstraints

from api.wire.banks import BankErrorOut, ChangeOut
from api.wire.fields import PRINTABLE, Identifier, MessageId, Moment, Name, Wire, checked_by
from api.wire.receipts import LedgerOut, UsedOut
from config.recipes import RECIPES
from memory.banks import BankId, BankType, Reason
from memory.domain import Drop, Role
from memory.facts import Event
from memory.observations import LONGEST, LONGEST_SOURCE, LONGEST_VALUE, Category, wrong_with
from memory.portable import FORMAT, KINDS, VERSION, Kind
from utils.clock import now

PLACES = 2**31
COUNT = 2**53


def _known_recipe(name: str) -> str:
    if name not in RECIPES:
        raise ValueError("must be a recipe that is known here")
    return name


def _begins(history: "list[FactEvent]") -> "list[FactEvent]":
    if history[0].event == "NONE":
        raise ValueError("must begin with how the fact came to be")
    return history


Passed = Annotated[Moment, AfterValidator(lambda moment: min(moment, now()))]
Text = str
Epoch = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16,32}$")]
Place = Annotated[int, Field(ge=0, lt=PLACES)]
Count = Annotated[int, Field(ge=0, lt=COUNT)]
Version = Annotated[int, Field(ge=1, lt=PLACES)]
FileName = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=PRINTABLE)]


class Part(Wire):
    """Base of what a line has in it. Built when the first export comes in, for few servers ever see one."""

    model_config = ConfigDict(defer_build=True)


class Header(Part):
    """The first line."""

    kind: Literal["export"] = "export"
    format: Literal["loci"] = FORMAT
    version: Literal[1] = VERSION
    user_id: Identifier
    at: Moment


class End(Part):
    """The last line. `counts`: of the lines of each kind before it."""

    kind: Literal["end"] = "end"
    counts: dict[Kind, Count]


class Line(Part):
    """`kind` says which of these it is."""

    kind: Kind


class Kept(Line):
    created_at: Passed
    updated_at: Passed


class SessionLine(Kept):
    id: Identifier
    title: Text
    epoch: Epoch
    places: Annotated[int, Field(ge=0, le=PLACES)]
    summarised_to: Annotated[int, Field(ge=-1, lt=PLACES)]


class WindowSummary(Part):
    at: Passed
    text: Text
    message_count: Count
    model: Text
    from_index: Place
    to_index: Place


class Digest(Part):
    text: Text
    model: Text
    to_index: Place
    at: Passed


class SummariesLine(Kept):
    session_id: Identifier
    summaries: Annotated[list[WindowSummary], Field(max_length=1_000)]
    digest: Digest | None = None


class MessageLine(Line):
    session_id: Identifier
    id: MessageId
    place: Place
    role: Role
    content: Text
    timestamp: Moment
    created_at: Passed
    name: Name | None = None
    turn_id: MessageId | None = None
    model: Text | None = None
    interrupted: bool | None = None
    facts: Literal["pending", "done"] | None = None


class FactEvent(Part):
    event: Event
    at: Moment
    by: Text
    source: MessageId | None = None
    other: MessageId | None = None


class FactLine(Kept):
    id: MessageId
    memory_id: Identifier
    text: Text
    valid_from: Moment
    valid_to: Moment | None = None
    supersedes: MessageId | None = None
    superseded_by: MessageId | None = None
    sources: list[MessageId]
    decided_by: Text
    history: Annotated[list[FactEvent], Field(min_length=1), AfterValidator(_begins)]


class FormerValue(Part):
    value: Text
    updated_at: Passed
    version: Version
    source: MessageId | None = None


class MemoryLine(Kept):
    key: MessageId
    value: Text
    version: Version
    epoch: Epoch | None = None
    source: MessageId | None = None
    sources: list[MessageId]
    history: Annotated[list[FormerValue], Field(max_length=50)]


class ObservationLine(Line):
    category: Category
    content: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST)]
    source: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_SOURCE)]
    created_at: Passed
    model: Text | None = None
    messages: list[MessageId] | None = None


class EntryLine(Kept):
    key: Annotated[str, checked_by(wrong_with)]
    value: Annotated[str, StringConstraints(max_length=LONGEST_VALUE)]
    version: Version
    epoch: Epoch | None = None
    expires_at: Moment | None = None


class TaskLine(Kept):
    task_id: Identifier
    epoch: Epoch
    steps: Count
    of_session: bool


class TraceLine(Line):
    id: Identifier
    task_id: Identifier
    step: Count
    place: Count
    tool_call_id: Text
    tool_name: Text
    raw_input: Text
    raw_output: Text
    query: Text
    timestamp: Passed
    summary: Text
    model: Text
    observed: bool


class BankFile(Part):
    """A file of a bank at a version. `version`: in which it got the text that it has."""

    name: FileName
    version: Version


class BankText(Part):
    name: FileName
    text: Text


class OfBank(Line):
    type: BankType
    id: BankId
    epoch: Epoch


class BankVersionLine(OfBank):
    version: Version
    at: Passed
    by: Text
    reason: Reason
    changes: list[ChangeOut]
    files: Annotated[list[BankFile], Field(max_length=1_000)]
    texts: list[BankText]
    tokens: Count
    said: Text | None = None
    conversation_id: Text | None = None
    update_count: Annotated[int, Field(ge=-COUNT, lt=COUNT)] | None = None


class BankTrouble(BankErrorOut):
    timestamp: Passed


class BankLine(OfBank):
    name: Text
    path: Text | None = None
    version: Version
    created_at: Passed
    errors: Annotated[list[BankTrouble], Field(max_length=10)]


class Considered(Part):
    key: MessageId
    score: float
    dense: float
    recency: float | None = None
    mmr: float | None = None
    bm25: float | None = None
    fused: float | None = None
    rerank: float | None = None
    dropped: Drop | None = None


class UsedMemory(UsedOut):
    n: Count
    id: MessageId


class LedgerLine(LedgerOut):
    characters: Count
    tokens: Count


class ReceiptLine(Line):
    turn_id: Identifier
    session_id: Identifier
    at: Passed
    query: Text
    intent: Text
    need_memory: bool
    memory_reason: Text
    agents_used: list[Text]
    model: Text
    recipe: Annotated[str, AfterValidator(_known_recipe)]
    used: list[UsedMemory]
    ledger: list[LedgerLine]
    prompt_tokens: Count
    completion_tokens: Count
    interrupted: bool
    messages: list[MessageId]
    top_k: Count
    tools_used: list[Text] | None = None
    searched: Text | None = None
    considered: list[Considered]
    observed: list[Considered] | None = None


LINES: Mapping[Kind, type[Line]] = {
    "session": SessionLine,
    "summaries": SummariesLine,
    "message": MessageLine,
    "fact": FactLine,
    "memory": MemoryLine,
    "observation": ObservationLine,
    "entry": EntryLine,
    "task": TaskLine,
    "trace": TraceLine,
    "bank_version": BankVersionLine,
    "bank": BankLine,
    "receipt": ReceiptLine,
}


class ImportResult(Wire):
    """By kind: how many are new, and how many the user had already."""

    imported: dict[str, int]
    already_there: dict[str, int]


assert LINES.keys() == set(KINDS)  # noqa: S101
