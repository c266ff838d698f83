"""Banks: what is known of a project, a code base or a user, as a few Markdown files that an assistant reads whole."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from config.prompts import prompt
from memory import metrics
from memory.banks.bank import Bank, BankError, BankInfo, BankVersion, Updated, errors_of, info_of, texts_of, version_of
from memory.banks.decisions import told_of_files
from memory.banks.folder import BankFolder
from memory.banks.ids import GLOBAL_ID, NamedBank, bank_id, bank_key, bank_name, choose
from memory.banks.open_items import carry_out
from memory.banks.sections import BankSections
from memory.banks.store import HEAD, BankCache, BankStore, Change, Committed, Severity, versions_of
from memory.banks.types import BankType, template
from memory.banks.update import UNCOLOURED, BankUpdate
from memory.banks.writing import BankWriter
from memory.domain import RULE_BASED
from memory.store import Collections
from utils.clock import now
from utils.errors import HAS_CONTROL_CHARACTERS, Conflict, InvalidInput, NotFound
from utils.mongo import Document
from utils.text import CONTROL_CHARACTERS, shown

LONGEST_NAME = 200
IN_THREAD = 4_000  # characters of an update from which on checking it takes more than a few milliseconds
TRIES = 50  # times that a change is made anew because another was faster

log = logging.getLogger(__name__)


class Banks:
    """The memory banks of users. `folder`: where they stand in files, too; None where they do not. `large`: characters
    of an update after which these are written at once."""

    def __init__(
        self,
        collections: Collections,
        store: BankStore,
        sections: BankSections,
        writer: BankWriter,
        folder: BankFolder | None,
        large: int,
    ) -> None:
        self._banks = collections.banks
        self._versions = collections.bank_versions
        self._activations = collections.bank_activations
        self._store = store
        self._sections = sections
        self._writer = writer
        self._large = large
        self.folder = folder
        self.cache = BankCache()
        self.grown: Callable[[], None] = _nobody  # tells whoever condenses that there is something to do

    async def activate(
        self,
        owner: str,
        kind: BankType,
        name: str | None = None,
        path: str | None = None,
        description: str | None = None,
    ) -> Bank:
        """The bank of a project, made where there is none (`choose`); whose updates count from here on. One that has
        grown is given as it will be once it is condensed. Raises `InvalidInput` where nothing says which."""
        if CONTROL_CHARACTERS.search(name or ""):  # which its spelling would lose
            raise InvalidInput(HAS_CONTROL_CHARACTERS.format("project_name"))
        name, path = _said(kind, name, path)
        identifier, others = await self._meant(owner, kind, name, path)
        bank = await self.open(owner, kind, identifier, name=name, path=path or None, description=description)
        kept = await self._store.note_activation(owner, bank.info.key, bank.info.epoch, path)
        return await self._readable(replace(bank, info=replace(bank.info, path=kept), others=others))

    async def begin(self, owner: str, kind: BankType, name: str | None = None, path: str | None = None) -> Bank:
        """The same of a bank that is there. Raises `NotFound`, and `InvalidInput` where nothing says which."""
        identifier, _ = await self._meant(owner, kind, *_said(kind, name, path))
        bank = await self.get(owner, kind, identifier)
        await self._store.note_activation(owner, bank.info.key, bank.info.epoch)
        return await self._readable(bank)

    async def _readable(self, bank: Bank) -> Bank:
        """A bank in no more tokens than one may have, whatever it was told last."""
        info = bank.info
        if info.tokens <= self._writer.recipe.most:
            return bank
        short = await self._writer.shorten_by_rules(info.type, bank.content, info.version, now())
        return replace(bank, content=short, whole=False)

    async def _meant(self, owner: str, kind: BankType, name: str, path: str) -> tuple[str, tuple[NamedBank, ...]]:
        """The id of the bank that a project has or is to have, and the others of its name or path."""
        identifier = bank_id(kind, name, path)
        if kind == "global":
            return identifier, ()
        chosen, others = choose(identifier, name, path, await self._store.named(owner, kind))
        return chosen.id if chosen is not None else identifier, others

    async def open(
        self,
        owner: str,
        kind: BankType,
        identifier: str,
        *,
        name: str | None = None,
        path: str | None = None,
        description: str | None = None,
    ) -> Bank:
        """A bank by its id, made where there is none. Raises `InvalidInput` for a second global one, and for control
        characters."""
        if any(map(CONTROL_CHARACTERS.search, (name or "", path or "", description or ""))):
            raise InvalidInput(HAS_CONTROL_CHARACTERS.format("a memory bank"))
        if kind == "global" and identifier != GLOBAL_ID:
            raise InvalidInput(f"There is one global bank, and its id is {GLOBAL_ID}")
        for _ in range(TRIES):
            try:
                bank = await self.get(owner, kind, identifier)
                if bank.info.version:
                    return bank
                found = await self._find(owner, kind, identifier)
                if found["version"]:  # made since
                    continue
            except NotFound:
                await self._store.begin(owner, kind, identifier, bank_name(kind, identifier, name, path), path)
                continue
            files = template(kind, found["name"] if kind != "global" else "", (description or "").strip())
            made = await self.commit(found, Change(files, "created", RULE_BASED))
            if made is not None:
                return Bank(info_of(made.bank), texts_of(made.bank))
        raise busy()

    async def get(self, owner: str, kind: BankType, identifier: str) -> Bank:
        """A bank as it is. Raises `NotFound`."""
        head = await self._find(owner, kind, identifier, HEAD)
        kept = self.cache.get(head)
        if kept is not None:
            return Bank(info_of(head), texts_of(kept.bank), kept.since)
        bank = self.cache.put(await self._find(owner, kind, identifier)).bank
        return Bank(info_of(bank), texts_of(bank))

    async def info(self, owner: str, kind: BankType, identifier: str) -> BankInfo:
        """Raises `NotFound`."""
        return info_of(await self._find(owner, kind, identifier, HEAD))

    async def infos(self, keys: Sequence[str]) -> list[BankInfo]:
        """Banks of any users by their `_id`s; those that there are, in no order."""
        filter = {"_id": {"$in": list(keys)}, "deleted_at": None}
        return [info_of(bank) for bank in await self._banks.find(filter, HEAD).to_list(None)]

    async def at(self, owner: str, kind: BankType, identifier: str, version: int) -> tuple[BankVersion, dict[str, str]]:
        """A version of a bank, and its files as they were. Raises `NotFound`."""
        bank = await self._find(owner, kind, identifier, HEAD)
        found, files = await self._store.version(bank, version)
        return version_of(found), files

    async def versions(
        self, owner: str, kind: BankType, identifier: str, *, limit: int, before: int | None = None
    ) -> list[BankVersion]:
        """A bank's versions, the newest first. Raises `NotFound`."""
        bank = await self._find(owner, kind, identifier, HEAD)
        number = {"$lte": bank["version"]} if before is None else {"$lt": before}
        own = versions_of(bank) | {"version": number}
        newest_first = self._versions.find(own, {"texts": 0}).sort([("version", -1), ("_id", -1)])
        return [version_of(found) for found in await newest_first.limit(limit).to_list(None)]

    async def page(
        self, owner: str, *, limit: int, after: tuple[datetime, str] | None = None
    ) -> list[tuple[BankInfo, str]]:
        """Banks, the last changed first, each with its `_id`. `after`: `updated_at` and `_id` of the last one seen."""
        filter: Document = {"user_id": owner, "deleted_at": None}
        if after is not None:
            moment, key = after
            filter["$or"] = [{"updated_at": {"$lt": moment}}, {"updated_at": moment, "_id": {"$lt": key}}]
        newest_first = self._banks.find(filter, HEAD).sort([("updated_at", -1), ("_id", -1)])
        return [(info_of(found), found["_id"]) for found in await newest_first.limit(limit).to_list(None)]

    async def update(self, owner: str, told: BankUpdate) -> Updated:
        """Puts new content into a bank, all of it, which is made where it is not there; durable once it returns. What
        comes again within a day under the same `request`, or with the same count in a conversation, is carried out
        once.

        Raises `InvalidInput` where the content is empty or too long, the conversation is at work with another bank, or
        there can be no such bank; `NotFound` where it is deleted meanwhile; `Conflict` where others change it all the
        time.
        """
        told = await asyncio.to_thread(told.checked) if len(told.content) >= IN_THREAD else told.checked()
        kind, identifier = told.type, told.id
        seen = await self._begun(owner, kind, identifier)
        if created := seen is None:
            await self.open(owner, kind, identifier)
            seen = await self._find(owner, kind, identifier)
        request, errors = told.name_for(seen), errors_of(seen)
        if (again := await self._repeated(seen, request)) is not None:
            return again
        placed = await self._writer.place(kind, texts_of(seen), told.content)
        if placed.failed is not None:
            await self._note_error(seen, placed.failed, "warning")
        for _ in range(TRIES):
            texts = texts_of(seen)
            decisions = await self._writer.without_loss(placed, kind, texts, told.content)
            before = await self._writer.with_room(kind, texts, seen["version"], told.content)
            files, done = await asyncio.to_thread(carry_out, before, decisions, now())
            change = Change(
                files,
                "update",
                placed.by,
                done,
                told.content,
                told.conversation_id,
                told.update_count,
                request,
                urgent=len(told.content) >= self._large,
            )
            made = await self.commit(seen, change)
            if made is not None:
                warnings = [told_of_files(decisions, files)]
                if placed.by == RULE_BASED:  # a model reads what was meant
                    warnings.insert(0, told.misunderstood)
                for warning in filter(None, warnings):
                    await self._note_error(seen, warning, "warning")
                    errors += (BankError(now(), warning, "warning"),)
                if told.coloured:
                    errors += (BankError(now(), UNCOLOURED, "info"),)
                return Updated(info_of(made.bank), made.version, done, placed.by, errors, created=created)
            seen = await self._find(owner, kind, identifier)
            if (again := await self._repeated(seen, request)) is not None:
                return again
        raise busy()

    async def delete(self, owner: str, kind: BankType, identifier: str) -> dict[str, int]:
        """Deletes a bank with its versions, its sections and its files; returns counts by collection, each of what
        nobody else deleted meanwhile. Called again after a crash, it deletes what was left. Raises `NotFound`."""
        bank = await self._store.mark_deleted(owner, kind, identifier)
        if bank is None:
            raise NotFound("No such memory bank")
        return await self.end_deletion(bank)

    async def forget(self, owner: str) -> dict[str, int]:
        """Deletes all banks of a user that are there now; returns counts by collection."""
        moment = now()
        counts = {"banks": 0, "bank_versions": 0, "vectors": 0}
        for bank in await self._banks.find({"user_id": owner}, HEAD).to_list(None):
            marked = await self._store.mark_deleted(owner, bank["type"], bank["id"])
            for name, count in (await self.end_deletion(marked)).items() if marked is not None else ():
                counts[name] += count
        counts["bank_versions"] += await self._store.forget_strays(owner, moment)
        await self._activations.delete_many({"user_id": owner, "at": {"$lte": moment}})
        self.cache.let_go(owner)
        return counts

    async def note_error(self, info: BankInfo, description: str, severity: Severity) -> None:
        """Adds to a bank's errors what happened to it outside of a request."""
        await self._note_error({"_id": info.key, "user_id": info.owner, "epoch": info.epoch}, description, severity)

    async def changed_since(self, moment: datetime, after: str, limit: int) -> list[BankInfo]:
        """Banks of all users that changed at a time or later, in order, with an `_id` beyond `after` where they changed
        at that time."""
        filter = {
            "updated_at": {"$gte": moment},
            "$or": [{"updated_at": {"$gt": moment}}, {"_id": {"$gt": after}}],
            "deleted_at": None,
            "version": {"$gt": 0},
        }
        order = [("updated_at", 1), ("_id", 1)]
        return [info_of(bank) for bank in await self._banks.find(filter, HEAD).sort(order).limit(limit).to_list(None)]

    async def _find(self, owner: str, kind: BankType, identifier: str, fields: Document | None = None) -> Document:
        """A bank's document. Raises `NotFound`; then nothing of it is kept at hand, whoever deleted it."""
        try:
            return await self._store.find(owner, kind, identifier, fields)
        except NotFound:
            self.cache.drop(bank_key(owner, kind, identifier))
            raise

    async def _begun(self, owner: str, kind: BankType, identifier: str) -> Document | None:
        """A bank that has files; None where there is none, or whoever began it died before it had."""
        try:
            found = await self._find(owner, kind, identifier)
        except NotFound:
            return None
        return found if found["version"] else None

    async def _repeated(self, seen: Document, request: str | None) -> Updated | None:
        """What an update did that was made before, if it was."""
        if request is None or (made := await self._store.was_made(seen, request)) is None:
            return None
        info, again = await self.info(seen["user_id"], seen["type"], seen["id"]), version_of(made)
        return Updated(info, again.version, again.changes, again.by, errors_of(seen), repeated=True)

    async def commit(self, seen: Document, change: Change) -> Committed | None:
        """The next version of a bank, committed, its sections on their way; None where another was faster."""
        made = await self._store.commit(seen, change)
        if made is None:
            return None
        bank = made.bank
        self.cache.put(bank)
        metrics.BANK_VERSIONS.labels(change.reason, "rules" if change.by == RULE_BASED else "model").inc()
        metrics.BANK_TOKENS.observe(bank["tokens"])
        log.info(
            "memory bank %s of type %s: version %d, about %d tokens",
            bank["id"],
            bank["type"],
            made.version,
            bank["tokens"],
        )
        await self._sections.follow(bank["user_id"], bank["type"], bank["id"])
        if self.folder is not None and change.urgent:
            self.folder.wake()
        if bank["tokens"] > self._writer.recipe.most:
            self.grown()
        return made

    async def end_deletion(self, bank: Document) -> dict[str, int]:
        """Deletes a bank that is marked; what was made of it goes first. What is of one that was made anew since
        stays, or comes again."""
        owner = bank["user_id"]
        self.cache.drop(bank["_id"])
        gone = await self._sections.forget(owner, bank["_id"])
        await self._activations.delete_many({"user_id": owner, "epoch": bank["epoch"]})
        if self.folder is not None:
            await asyncio.to_thread(self.folder.remove, owner, bank["type"], bank["id"], bank["epoch"])
        banks, versions = await self._store.finish_deletion(bank)
        # again, for a writer that was under way
        await self._sections.follow(owner, bank["type"], bank["id"], anew=True)
        return {"banks": banks, "bank_versions": versions, "vectors": gone}

    async def _note_error(self, bank: Document, description: str, severity: Severity) -> None:
        metrics.BANK_ERRORS.labels(severity).inc()
        await self._store.note_error(bank, description, severity)


def instructions(kind: BankType, *, others: bool = False) -> str:
    """What an assistant is told about a bank of this type. `others`: it is told of others that may have been meant."""
    said = prompt(f"bank_{kind}").substitute()
    return f"{said}\n\n{prompt('bank_others').substitute()}" if others else said


def _said(kind: BankType, name: str | None, path: str | None) -> tuple[str, str]:
    """A project's name and path as they are kept. The one global bank has neither."""
    return (shown(name or "")[:LONGEST_NAME], (path or "").strip()) if kind != "global" else ("", "")


def _nobody() -> None:
    """Nobody condenses banks in this process; the sweep does."""


def busy() -> Conflict:
    """What is raised where `TRIES` were not enough."""
    return Conflict("Others change the memory bank all the time", retry_after=1.0)
