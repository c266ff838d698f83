"""A memory bank, as it is read from the store."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from memory.banks.decisions import Applied, Metadata
from memory.banks.ids import NamedBank
from memory.banks.store import Reason, Severity
from memory.banks.types import BankType
from utils.mongo import Document


@dataclass(frozen=True)
class BankError:
    timestamp: datetime
    description: str
    severity: Severity


@dataclass(frozen=True)
class BankFile:
    """A file of a bank. `version`: the bank's, in which it has been as it is."""

    name: str
    version: int
    tokens: int
    updated_at: datetime


@dataclass(frozen=True)
class BankInfo:
    """What is known of a bank but for its texts. `key`: its `_id`; `epoch`: another one where it was deleted and made
    again."""

    key: str
    owner: str
    type: BankType
    id: str
    epoch: str
    name: str
    path: str | None
    version: int
    tokens: int
    files: tuple[BankFile, ...]
    created_at: datetime
    updated_at: datetime
    errors: tuple[BankError, ...]
    urgent: bool


@dataclass(frozen=True)
class Bank:
    """A bank and what it says. `cached_at`: since when this process has it at hand; None where it was just read.
    `others`: where it was activated, those beside it of the same name or at the same path. `whole`: the content is all
    that the version says; False where it has grown, is not condensed yet, and was to be read at once."""

    info: BankInfo
    content: Mapping[str, str]
    cached_at: datetime | None = None
    others: tuple[NamedBank, ...] = ()
    whole: bool = True


@dataclass(frozen=True)
class BankVersion:
    """A version of a bank. `said`: the content of the update that made it, as it came."""

    version: int
    at: datetime
    by: str
    reason: Reason
    tokens: int
    files: tuple[str, ...]
    changes: tuple[Applied, ...]
    said: str | None = None
    conversation_id: str | None = None
    update_count: int | None = None


@dataclass(frozen=True)
class Updated:
    """What an update did. `bank`: as it stands now; `version`: the one that it made, after which others may have come.
    `previous_errors`: the bank's, as they were before it, oldest first, and what of it was not done as it was said.
    `repeated`: it had been made before.
    `created`: so was no bank, and it was begun for this."""

    bank: BankInfo
    version: int
    changes: tuple[Applied, ...]
    by: str
    previous_errors: tuple[BankError, ...] = field(default=())
    repeated: bool = False
    created: bool = False


def texts_of(bank: Document) -> dict[str, str]:
    """What a bank's files say, by their names, in their order."""
    return {file["name"]: file["text"] for file in bank["files"]}


def errors_of(bank: Document) -> tuple[BankError, ...]:
    """What went wrong with a bank of late, oldest first."""
    return tuple(BankError(error["timestamp"], error["description"], error["severity"]) for error in bank["errors"])


def info_of(bank: Document) -> BankInfo:
    """What a bank's document says but for texts, which it may be without."""
    return BankInfo(
        key=bank["_id"],
        owner=bank["user_id"],
        type=bank["type"],
        id=bank["id"],
        epoch=bank["epoch"],
        name=bank["name"],
        path=bank["path"],
        version=bank["version"],
        tokens=bank["tokens"],
        files=tuple(
            BankFile(file["name"], file["version"], file["tokens"], file["updated_at"]) for file in bank["files"]
        ),
        created_at=bank["created_at"],
        updated_at=bank["updated_at"],
        errors=errors_of(bank),
        urgent=bank["urgent"],
    )


def version_of(found: Document) -> BankVersion:
    """A version of its document in `bank_versions`."""
    return BankVersion(
        version=found["version"],
        at=found["at"],
        by=found["by"],
        reason=found["reason"],
        tokens=found["tokens"],
        files=tuple(file["name"] for file in found["files"]),
        changes=_done(found["changes"]),
        said=found.get("said"),
        conversation_id=found.get("conversation_id"),
        update_count=found.get("update_count"),
    )


def _done(changes: Sequence[Document]) -> tuple[Applied, ...]:
    lists = ("tags", "dates", "references")  # tuples, as they were before the store
    known = [change["metadata"] | {name: tuple(change["metadata"][name]) for name in lists} for change in changes]
    return tuple(
        Applied(change["target_file"], change["operation_type"], Metadata(**metadata))
        for change, metadata in zip(changes, known, strict=True)
    )
