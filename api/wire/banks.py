"""Wire shapes of memory banks, over HTTP and as tools of MCP."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, AliasPath, BeforeValidator, Field, StringConstraints

from api.wire.base import OwnedRequest, Shown
from api.wire.facts import DecisionOut
from api.wire.recalled import CallersProject, CallersTimezone
from memory.banks import (
    LONGEST_NAME,
    LONGEST_UPDATE,
    Active,
    Bank,
    BankType,
    BankVersion,
    Operation,
    Reason,
    Severity,
    instructions,
    tokens_of,
    versions_named,
)
from utils.fields import ID_CHARACTERS, Wire, not_blank
from utils.text import CONTROL_CHARACTERS

PATH_CHARACTERS = 4_096
DESCRIPTION_CHARACTERS = 20_000
MOST_OTHERS = 20  # banks of one name or path that are told


def _bank_or_own(text: str) -> str:
    """A conversation id: one that names a bank, or one that cannot be taken for it."""
    if Active.named(text) is None and ("/" in text or text in (".", "..") or CONTROL_CHARACTERS.search(text)):
        raise ValueError("must be the one that `activate` gave, or the client's own, without a slash")
    return text


ConversationType = Annotated[
    BankType, Field(description="project: one project's memory; code: one code base's; global: the user's own")
]
ProjectName = Annotated[
    Annotated[str, StringConstraints(max_length=LONGEST_NAME)] | None, Field(description="What the project is called")
]
CurrentPath = Annotated[
    Annotated[str, StringConstraints(max_length=PATH_CHARACTERS)] | None,
    Field(description="The absolute path of its folder; projects of one name at two paths have two banks"),
]
Description = Annotated[
    Annotated[str, StringConstraints(max_length=DESCRIPTION_CHARACTERS)] | None,
    Field(description="What it is for; stands in the files of a new bank"),
]
UpdateContent = Annotated[
    str,
    StringConstraints(min_length=1, max_length=LONGEST_UPDATE),
    AfterValidator(not_blank),
    Field(description="What is worth knowing next time, in Markdown; a line such as `decisions.md:` says where"),
]
GivenId = Annotated[str | None, Field(description="The one that `activate` gave, and no other")]
ConversationId = Annotated[
    Annotated[
        str,
        StringConstraints(min_length=1, max_length=ID_CHARACTERS),
        AfterValidator(not_blank),
        AfterValidator(_bank_or_own),
    ]
    | None,
    Field(description="The one that `activate` gave, or the client's own"),
]
UpdateCount = Annotated[
    Annotated[int, Field(ge=0, lt=2**53)] | None,
    Field(description="Which update of the conversation it is: the same one again changes nothing"),
]


class BankNamed(Wire):
    """What says which bank is meant."""

    conversation_type: ConversationType
    project_name: ProjectName = None
    current_path: CurrentPath = None


class Activation(BankNamed):
    project_description: Description = None


class ActivationRequest(Activation, OwnedRequest):
    pass


class Update(Wire):
    content: UpdateContent
    conversation_id: GivenId = None
    update_count: UpdateCount = None


class UpdateRequest(Update, OwnedRequest):
    """An update of the bank that the address names, whatever a client calls its own conversation."""

    conversation_id: ConversationId = None


class RememberCall(Wire):
    text: Annotated[
        str,
        StringConstraints(min_length=1, max_length=20_000),
        AfterValidator(not_blank),
        Field(description="What to remember of the user, in whole sentences"),
    ]
    timezone: CallersTimezone = None
    project: CallersProject = None


class BanksCall(Wire):
    cursor: Annotated[
        Annotated[str, StringConstraints(max_length=2_000)] | None,
        Field(description="`next_cursor` of the answer before, for those after it"),
    ] = None


FileNames = Annotated[list[str], BeforeValidator(lambda files: [file.name for file in files])]


class BankErrorOut(Shown):
    timestamp: datetime
    description: str
    severity: Severity


class BankHead(Shown):
    """What `activate` says of a bank beside its content."""

    type: BankType
    id: str
    files: FileNames
    last_updated: datetime = Field(validation_alias="updated_at")


class CacheOut(Wire):
    """Whether the content was at hand, and of which version it is. `tokens`: of all files, roughly."""

    hit: bool
    since: datetime | None
    version: int
    tokens: int
    file_tokens: dict[str, int]


class OtherBank(Shown):
    """A bank of the same name, or of the same path, as the one that was activated."""

    conversation_id: str
    name: str
    path: str | None
    last_updated: datetime = Field(validation_alias="updated_at")


class ActivationResult(Wire):
    """`others`: banks of the same name or path, of which one may have been meant, the first `MOST_OTHERS` of them.
    `left_out`: where not all is here that there is, what is not, and how to read it."""

    status: Literal["success"] = "success"
    bank_info: BankHead
    content: dict[str, str]
    custom_instructions: str
    cache: CacheOut
    conversation_id: str
    previous_errors: list[BankErrorOut]
    others: list[OtherBank]
    left_out: str | None

    @classmethod
    def of(cls, bank: Bank) -> "ActivationResult":
        info = bank.info
        return cls(
            bank_info=BankHead.of(info),
            content=dict(bank.content),
            custom_instructions=instructions(info.type, others=bool(bank.others)),
            cache=CacheOut(
                hit=bank.cached_at is not None,
                since=bank.cached_at,
                version=info.version,
                tokens=info.tokens,
                file_tokens={file.name: file.tokens for file in info.files},
            ),
            conversation_id=Active(info.type, info.id).conversation_id,
            previous_errors=[BankErrorOut.of(error) for error in info.errors],
            others=[
                OtherBank.of(other, conversation_id=Active(other.type, other.id).conversation_id)
                for other in bank.others[:MOST_OTHERS]
            ],
            left_out=left_out_of(bank),
        )


def left_out_of(bank: Bank) -> str | None:
    """What of a bank is not in an answer that gives it, and how to read that."""
    info, told = bank.info, []
    named = Active(info.type, info.id).conversation_id
    if not bank.whole:
        version = f"?version={info.version}"
        told.append(
            f"The bank has grown to about {info.tokens:,} tokens and is about to be condensed: `content` has some "
            f"{tokens_of(bank.content):,} of them. All of it is in the resources "
            f"loci://banks/{named}/{{file}}{version}, and at GET /v1/banks/{named}{version}."
        )
    if versions := [str(one) for one in versions_named(bank.content) if bank.whole or one != info.version]:
        which = f"version {versions[0]} has" if len(versions) == 1 else f"versions {', '.join(versions)} have"
        told.append(
            f"The bank was condensed: {which} what was shortened or left out, as a line in each such file says. Read a "
            f"version in the resources loci://banks/{named}/{{file}}?version={versions[0]}, or at "
            f"GET /v1/banks/{named}?version={versions[0]}; a search (`recall`) finds it by its words."
        )
    if (more := len(bank.others) - MOST_OTHERS) > 0:
        told.append(f"{more:,} more banks of this name or path are not in `others`; list_banks names all.")
    return " ".join(told) or None


class MetadataOut(Shown):
    section: str
    category: str
    tags: list[str]
    dates: list[str]
    references: list[str]


class ChangeOut(Shown):
    """What became of a part of the content."""

    target_file: str
    operation_type: Operation
    metadata: MetadataOut


class UpdateResult(Shown):
    """`previous_errors`: what went wrong before this update, oldest first, and what of it was not done as it was said:
    files for which the bank has no room, lines that name files in a way that is not understood, codes of a terminal.
    `version`: the one that it made, after which others may have come. `decided_by`: a model, or "rule_based".
    `created`: there was no such bank, and it was begun."""

    status: Literal["success"] = "success"
    previous_errors: list[BankErrorOut]
    bank_info: BankHead = Field(validation_alias="bank")
    version: int
    tokens: int = Field(validation_alias=AliasPath("bank", "tokens"))
    decided_by: str = Field(validation_alias="by")
    changes: list[ChangeOut]
    repeated: bool
    created: bool


class BankOut(Shown):
    """A bank without its content."""

    type: BankType
    id: str
    name: str
    path: str | None
    version: int
    tokens: int
    files: FileNames
    created_at: datetime
    updated_at: datetime


class BankVersionOut(Shown):
    """`said`: the content of the update that made it, as it came."""

    version: int
    at: datetime
    by: str
    reason: Reason
    tokens: int
    files: tuple[str, ...]
    changes: tuple[ChangeOut, ...]
    said: str | None
    conversation_id: str | None
    update_count: int | None


class BankAt(ActivationResult):
    """A bank as it is, or as it was in some version."""

    bank: BankOut
    version: BankVersionOut

    @classmethod
    def at(cls, bank: Bank, version: BankVersion, content: Mapping[str, str]) -> "BankAt":
        """`content`: what the files said in the version."""
        shown = vars(ActivationResult.of(bank))
        head = shown["bank_info"].model_copy(update={"files": list(content), "last_updated": version.at})
        shown |= {"bank_info": head, "content": dict(content), "left_out": left_out_of(replace(bank, content=content))}
        return cls(**shown, bank=BankOut.of(bank.info), version=BankVersionOut.of(version))


class RememberResult(Wire):
    """What became of a text: facts, or where it states none, a message."""

    status: Literal["success"] = "success"
    decisions: list[DecisionOut]
    message_id: str | None
