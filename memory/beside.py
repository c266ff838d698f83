"""Names for what comes from an opened project where the user has something else of the same name: both stay.

A value of the scratchpad goes under its key with the project's name behind it, and so does a memory bank; of the global
banks, of which a user has one, the project's becomes a bank of its type `project`.
"""

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from itertools import count

from memory.banks import BankType, bank_id
from memory.ids import keys_of, user_of
from memory.observations import LONGEST_KEY
from memory.product import Record
from memory.store import AT_ONCE, Collections
from utils.errors import Conflict
from utils.mongo import Document

SAME_ID = "A message has the id of another one where it would go: delete one of both, then move"


class Beside:
    """Looks at what a user has, and finds names that are free. What was copied before is known again, and keeps its
    name."""

    def __init__(self, collections: Collections) -> None:
        self._entries = collections.scratchpad
        self._banks = collections.banks
        self._versions = collections.bank_versions
        self._vectors = collections.vectors

    async def check_messages(self, source: str, target: str, sessions: Sequence[str]) -> None:
        """Raises `Conflict` where a message of these sessions has the id of another one in the memory of `target`."""
        own = {"user_id": source, "session_id": {"$in": list(sessions)}, "kind": "turn"}
        listed = await self._vectors.find(own, {"id": 1}).to_list(None)
        for start in range(0, len(listed), AT_ONCE):
            ids = [message["id"] for message in listed[start : start + AT_ONCE]]
            there, here = [await self._texts(owner, ids) for owner in (target, source)]
            if any(here[identifier] != text for identifier, text in there.items() if identifier in here):
                raise Conflict(SAME_ID)

    async def _texts(self, owner: str, ids: Sequence[str]) -> dict[str, str]:
        own = {"_id": {"$in": [key for identifier in ids for key in keys_of(identifier, owner)]}, "user_id": owner}
        found = await self._vectors.find(own, {"id": 1, "content": 1}).to_list(None)
        return {message["id"]: message["content"] for message in found}

    async def renamed(self, records: AsyncIterator[Record], apart: str, project: str) -> AsyncIterator[Record]:
        """Records of a project's own memory, as they go into the user's."""
        user = user_of(apart)
        banks: dict[str, Document] = {}  # by epoch: how a bank differs
        async for record in records:
            fields = record.fields
            match record.kind:
                case "entry":
                    changed = {"key": await self._key(user, fields, project)}
                case "bank" | "bank_version":
                    if fields["epoch"] not in banks:
                        banks[fields["epoch"]] = await self._bank(user, apart, fields, project)
                    of_kind = ("type", "id", "name", "path") if record.kind == "bank" else ("type", "id")
                    changed = {name: value for name, value in banks[fields["epoch"]].items() if name in of_kind}
                case _:
                    changed = {}
            yield replace(record, fields=fields | changed)

    async def _key(self, user: str, fields: Document, project: str) -> str:
        key: str = fields["key"]
        for suffix in _suffixes(project):
            named = key[: LONGEST_KEY - len(suffix)] + suffix
            there = await self._entries.find_one({"user_id": user, "key": named})
            if there is None or all(there[name] == fields.get(name) for name in ("value", "expires_at")):
                return named
        raise AssertionError("a project without suffixes")

    async def _bank(self, user: str, apart: str, fields: Document, project: str) -> Document:
        own = {"user_id": apart, "epoch": fields["epoch"]}
        [last] = await self._versions.find(own, {"version": 1, "at": 1}).sort("version", -1).limit(1).to_list(None)
        bank = await self._banks.find_one(own, {"name": 1})
        named: Document = {}
        for suffix in _suffixes(project):
            if suffix:
                kind: BankType = "project" if fields["type"] == "global" else fields["type"]
                name = f"{bank['name'] if bank else fields['id']}{suffix}"
                named = {"type": kind, "id": bank_id(kind, name, None), "name": name, "path": None}
            place = {name: (fields | named)[name] for name in ("type", "id")}
            there = await self._banks.find_one({"user_id": user, "deleted_at": None} | place, {"epoch": 1})
            same = {"version": last["version"], "at": last["at"]}
            if there is None or await self._versions.find_one({"user_id": user, "epoch": there["epoch"]} | same):
                return named
        raise AssertionError("a project without suffixes")


def _suffixes(project: str) -> Iterator[str]:
    """What stands behind a name: nothing, else the project, else a number, too."""
    yield ""
    yield f" ({project})"
    yield from (f" ({project} {number})" for number in count(2))
