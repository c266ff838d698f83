"""Records of memory banks, out and in: all versions of one first, and then the bank, which appears whole or not at all.

Versions are kept under an epoch of their own until their bank comes. Where it does not, since the import ends before,
they go: at once, or, where the process died, with the next import of that bank.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Annotated

from pydantic import Field, StringConstraints

from memory.banks.decisions import FILE_NAME, Operation
from memory.banks.ids import GLOBAL_ID, BankId, bank_key
from memory.banks.markdown import tokens_of
from memory.banks.sections import BankSections
from memory.banks.store import BankStore, Reason, Severity, version_key
from memory.banks.types import BankType
from memory.ids import new_id
from memory.lines import COUNT, Count, Epoch, Line, LinePart, Passed, Version
from memory.product import Landed, Record
from memory.store import AT_ONCE, Collections, by_ids, pending
from utils.errors import Conflict, InvalidInput
from utils.fields import PRINTABLE
from utils.mongo import Document, insert_new
from utils.text import count_tokens

FileName = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=PRINTABLE)]


class ChangeMetadata(LinePart):
    section: str
    category: str
    tags: list[str]
    dates: list[str]
    references: list[str]


class BankChange(LinePart):
    target_file: str
    operation_type: Operation
    metadata: ChangeMetadata


class BankFile(LinePart):
    """A file of a bank at a version. `version`: in which it got the text that it has."""

    name: FileName
    version: Version


class BankText(LinePart):
    name: FileName
    text: str


class OfBank(Line):
    type: BankType
    id: BankId
    epoch: Epoch


class BankVersionLine(OfBank):
    version: Version
    at: Passed
    by: str
    reason: Reason
    changes: list[BankChange]
    files: Annotated[list[BankFile], Field(max_length=1_000)]
    texts: list[BankText]
    tokens: Count
    said: str | None = None
    conversation_id: str | None = None
    update_count: Annotated[int, Field(ge=-COUNT, lt=COUNT)] | None = None


class BankTrouble(LinePart):
    timestamp: Passed
    description: str
    severity: Severity


class BankLine(OfBank):
    alone = True
    name: str
    path: str | None = None
    version: Version
    created_at: Passed
    errors: Annotated[list[BankTrouble], Field(max_length=10)]


async def bank_records(collections: Collections, owner: str) -> AsyncIterator[Record]:
    """Each memory bank behind its versions, of which it consists."""
    there = {"user_id": owner, "deleted_at": None}
    async for bank in by_ids(collections.banks, there, [("created_at", 1), ("_id", 1)]):
        number, before = 0, -1
        own = {"user_id": owner, "bank": bank["_id"], "epoch": bank["epoch"]}
        named = {"type": bank["type"], "id": bank["id"], "epoch": bank["epoch"]}
        while number != before:
            before = number
            page = own | {"version": {"$gt": number}}
            async for version in collections.bank_versions.find(page).sort("version", 1).limit(AT_ONCE):
                number = version["version"]
                yield Record("bank_version", BankVersionLine.picked(version) | named)
        if number:
            yield Record("bank", BankLine.picked(bank) | {"version": number})


class IncomingBank:
    """A bank of which versions have come, as far as they say what it holds."""

    def __init__(self, fields: Document) -> None:
        self.named = _named(fields)
        self.version = 0
        self.files: dict[str, Document] = {}  # by name: version, text, updated_at; in their order
        self.ended = False
        self.epoch: str | None = None  # under which its versions are kept; None where the user has the bank already

    def add(self, fields: Document) -> None:
        """Raises `InvalidInput` for a version that does not follow from those before it."""
        number = fields["version"]
        if number != self.version + 1:
            raise InvalidInput("version: not the one after that before it")
        texts = {text["name"]: text["text"] for text in fields["texts"]}
        files: dict[str, Document] = {}
        for file in fields["files"]:
            name = file["name"]
            if FILE_NAME.fullmatch(name) is None or name in files:
                raise InvalidInput("files: a name that no file can have, or that two have")
            if name in texts and file["version"] == number:
                files[name] = {"version": number, "text": texts.pop(name), "updated_at": fields["at"]}
            elif name in self.files and self.files[name]["version"] == file["version"]:
                files[name] = self.files[name]
            else:
                raise InvalidInput("files: a file whose text no version has")
        if texts:
            raise InvalidInput("texts: a text of no file")
        self.version, self.files = number, files


class BankTaker:
    """Takes in `bank_version` and `bank`."""

    def __init__(
        self, owner: str, collections: Collections, store: BankStore, sections: BankSections, due: Document
    ) -> None:
        """`due`: when a bank that came in is looked at for what may be condensed."""
        self._owner = owner
        self._banks = collections.banks
        self._versions = collections.bank_versions
        self._store = store
        self._sections = sections
        self._due = due
        self._arriving: IncomingBank | None = None
        self._begun: IncomingBank | None = None

    def check(self, record: Record) -> None:
        fields, arriving = record.fields, self._arriving
        if record.kind == "bank":
            of_last = arriving is not None and not arriving.ended and arriving.named == _named(fields)
            if arriving is None or not of_last or arriving.version != fields["version"]:
                raise InvalidInput("version: not the last one before it of this bank")
            arriving.ended = True
            return
        if arriving is None or arriving.ended:
            if fields["type"] == "global" and fields["id"] != GLOBAL_ID:
                raise InvalidInput(f"id: of the global bank it is {GLOBAL_ID}")
            arriving = self._arriving = IncomingBank(fields)
        elif arriving.named != _named(fields):
            raise InvalidInput("id: the bank of the versions before it is missing")
        arriving.add(fields)

    def check_end(self) -> None:
        """Raises `InvalidInput` where the bank of the last versions has not come."""
        if self._arriving is not None and not self._arriving.ended:
            raise InvalidInput("the last memory bank is missing, of which there are versions")

    async def take(self, records: Sequence[Record]) -> Landed:
        arriving = self._arriving
        if arriving is None:
            raise AssertionError("a bank that was not checked")
        if self._begun is not arriving:
            await self._begin(arriving)
        if records[0].kind == "bank":
            return await self._end(arriving, records[0].fields)
        if arriving.epoch is None:
            return Landed(0)
        documents = [_version(self._owner, arriving.epoch, record.fields) for record in records]
        await self._versions.insert_many(documents)
        ids = [document["_id"] for document in documents]

        async def take_back() -> None:
            await self._versions.delete_many({"_id": {"$in": ids}, "user_id": self._owner})

        return Landed(len(documents), take_back)

    async def close(self) -> None:
        """Deletes the versions of a bank that has not come."""
        if self._begun is not None and self._begun.epoch is not None:
            await self._versions.delete_many({"user_id": self._owner, "epoch": self._begun.epoch})
        self._begun = None

    async def _begin(self, arriving: IncomingBank) -> None:
        kind, identifier, _ = arriving.named
        self._begun = arriving
        key = bank_key(self._owner, kind, identifier)
        found: Document | None = await self._banks.find_one({"_id": key, "user_id": self._owner})
        if found is not None and found["deleted_at"] is not None:
            await self._store.finish_deletion(found)
        elif found is not None:
            return
        await self._versions.delete_many({"user_id": self._owner, "bank": key, "imported": True})
        arriving.epoch = new_id()

    async def _end(self, arriving: IncomingBank, fields: Document) -> Landed:
        """Adds the bank. Where another of its name was made meanwhile, that one stays, and the versions go."""
        kind, identifier, _ = arriving.named
        if arriving.epoch is None:
            self._begun = None
            return Landed(0)
        document = _bank(self._owner, arriving, fields, self._due)
        [inserted] = await insert_new(self._banks, [document])
        if not inserted:
            await self.close()
            raise Conflict("A memory bank of the same name was made meanwhile", retry_after=1.0)
        self._begun = None
        await self._sections.follow(self._owner, kind, identifier)

        async def take_back() -> None:
            marked = await self._store.mark_deleted(self._owner, kind, identifier)
            if marked is not None and marked["epoch"] == document["epoch"]:
                await self._sections.forget(self._owner, document["_id"])
                await self._store.finish_deletion(marked)

        return Landed(1, take_back)


def _named(fields: Document) -> tuple[BankType, str, str]:
    return fields["type"], fields["id"], fields["epoch"]


def _version(owner: str, epoch: str, fields: Document) -> Document:
    return {name: value for name, value in fields.items() if name not in ("type", "id")} | {
        "_id": version_key(epoch, fields["version"]),
        "user_id": owner,
        "bank": bank_key(owner, fields["type"], fields["id"]),
        "epoch": epoch,
        "urgent": False,
        "imported": True,
    }


def _bank(owner: str, arriving: IncomingBank, fields: Document, due: Document) -> Document:
    files = [{"name": name, "tokens": count_tokens(file["text"])} | file for name, file in arriving.files.items()]
    return {
        "_id": bank_key(owner, arriving.named[0], arriving.named[1]),
        "user_id": owner,
        "type": fields["type"],
        "id": fields["id"],
        "epoch": arriving.epoch,
        "name": fields["name"],
        "path": fields.get("path"),
        "version": arriving.version,
        "files": files,
        "tokens": tokens_of({name: file["text"] for name, file in arriving.files.items()}),
        "errors": fields["errors"],
        "created_at": fields["created_at"],
        "updated_at": max((file["updated_at"] for file in arriving.files.values()), default=fields["created_at"]),
        "deleted_at": None,
        "urgent": False,
        "sections": pending(),
        "tidying": due,
    }
