"""What does a user have? All of it, thing by thing, in an order that is the same every time.

Nothing is held but a page of it at a time, and the ids of facts, or of one session's receipts, or of one task's traces.
It is no snapshot: each session is as it was when its record was made, and what comes while it goes on may be missing.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Any

from memory.gists import TEXT
from memory.ids import unscoped
from memory.portable.record import Record
from memory.store import Collections
from memory.turns import TOLD
from utils.clock import now
from utils.mongo import Collection, Document

PAGE = 200
AT_ONCE = 25  # documents that are read by their ids
RESULTS = 1_000_000  # characters of tools' results that are read at once

SESSION = ("title", "created_at", "updated_at", "epoch")
SUMMARY = ("text", "message_count", "model", "from_index", "to_index")
MESSAGE = ("session_id", "id", "role", "content", "timestamp", "created_at", "name", "turn_id", "model", "interrupted")
FACT = ("memory_id", "text", "valid_from", "valid_to", "sources", "decided_by", "created_at", "updated_at")
MEMORY = ("key", "value", "created_at", "updated_at", "version", "epoch", "source")
FORMER = ("value", "updated_at", "version", "source")
OBSERVATION = ("category", "content", "source", "created_at", "model", "messages")
ENTRY = ("key", "value", "created_at", "updated_at", "version", "epoch", "expires_at")
TASK = ("task_id", "epoch", "steps", "of_session", "created_at", "updated_at")
TRACE = ("task_id", "step", "place", "tool_call_id", "tool_name", "raw_input", "raw_output", "query", "timestamp")
BANK_VERSION = (
    "version",
    "at",
    "by",
    "reason",
    "changes",
    "files",
    "texts",
    "tokens",
    "said",
    "conversation_id",
    "update_count",
)
BANK = ("type", "id", "epoch", "name", "path", "created_at", "errors")
RECEIPT = (
    "turn_id", "session_id", "at", "query", "intent", "need_memory", "memory_reason", "agents_used", "model", "recipe",
    "used", "ledger", "prompt_tokens", "completion_tokens", "interrupted", "messages", "top_k", "tools_used",
    "searched",
)  # fmt: skip


class Exporter:
    def __init__(self, collections: Collections) -> None:
        self._collections = collections

    async def records(self, owner: str) -> AsyncIterator[Record]:
        """All that the owner has. What names another record comes after it, but for facts that name each other."""
        async for session in self._sessions(owner):
            async for record in self._conversation(owner, session):
                yield record
        order = [("created_at", 1), ("_id", 1)]
        async for fact in self._by_ids(self._collections.facts, {"user_id": owner}, order):
            yield Record("fact", _fact(owner, fact))
        async for memory in self._by_key(self._collections.memories, owner, "key"):
            history = [_picked(former, FORMER) for former in memory["history"]]
            told = {"sources": memory.get("sources", []), "history": history}
            yield Record("memory", _picked(memory, MEMORY) | told)
        async for observation in self._by_ids(self._collections.observations, {"user_id": owner}, order):
            yield Record("observation", _picked(observation, OBSERVATION))
        async for entry in self._by_key(self._collections.scratchpad, owner, "key"):
            if entry["expires_at"] is None or entry["expires_at"] > now():
                yield Record("entry", _picked(entry, ENTRY))
        async for task in self._by_key(self._collections.tasks, owner, "task_id"):
            yield Record("task", _picked(task, TASK))
            async for trace in self._traces(owner, task):
                yield Record("trace", _trace(trace))
        async for record in self._banks(owner):
            yield record
        async for session in self._sessions(owner):
            own = {"user_id": owner, "session_id": session["session_id"]}
            async for receipt in self._by_ids(self._collections.receipts, own, [("_id", 1)]):
                yield Record("receipt", _receipt(owner, receipt))

    def _sessions(self, owner: str) -> AsyncIterator[Document]:
        return self._by_key(self._collections.sessions, owner, "session_id", {"events": 0, "uncounted": 0})

    async def _conversation(self, owner: str, session: Document) -> AsyncIterator[Record]:
        """A session, its summaries and its messages in order, up to the place where it stood."""
        identifier, places = session["session_id"], session["next_index"]
        standing = {"id": identifier, "places": places, "summarised_to": session["summary"]["to"]}
        yield Record("session", standing | _picked(session, SESSION))
        own = {"user_id": owner, "session_id": identifier}
        async for summaries in self._collections.summaries.find(own).sort("_id", 1):
            yield Record("summaries", _summaries(summaries))
        after = -1
        while True:
            found = 0
            page = own | {"message_index": {"$gt": after, "$lt": places}, **TOLD}
            async for message in self._collections.vectors.find(page, TEXT).sort("message_index", 1).limit(PAGE):
                found, after = found + 1, message["message_index"]
                yield Record("message", _message(message))
            if found < PAGE:
                return

    async def _traces(self, owner: str, task: Document) -> AsyncIterator[Document]:
        """The traces of a task, oldest first, as many at once as their results allow."""
        own = {"user_id": owner, "task_id": task["task_id"], "epoch": task["epoch"]}
        order = [("step", 1), ("place", 1), ("_id", 1)]
        ids: list[str] = []
        characters = 0
        for one in await self._collections.traces.find(own, {"characters": 1}).sort(order).to_list(None):
            ids.append(one["_id"])
            characters += one.get("characters", RESULTS)
            if characters >= RESULTS or len(ids) == AT_ONCE:
                for trace in await _read(self._collections.traces, owner, ids):
                    yield trace
                ids, characters = [], 0
        for trace in await _read(self._collections.traces, owner, ids):
            yield trace

    async def _banks(self, owner: str) -> AsyncIterator[Record]:
        """Each memory bank behind its versions, of which it consists."""
        there = {"user_id": owner, "deleted_at": None}
        async for bank in self._by_ids(self._collections.banks, there, [("created_at", 1), ("_id", 1)]):
            number = 0
            own = {"user_id": owner, "bank": bank["_id"], "epoch": bank["epoch"]}
            named = {"type": bank["type"], "id": bank["id"], "epoch": bank["epoch"]}
            while True:
                before = number
                page = own | {"version": {"$gt": number}}
                async for version in self._collections.bank_versions.find(page).sort("version", 1).limit(AT_ONCE):
                    number = version["version"]
                    yield Record("bank_version", named | _picked(version, BANK_VERSION))
                if number == before:
                    break
            if number:
                yield Record("bank", _picked(bank, BANK) | {"version": number})

    async def _by_key(
        self, collection: Collection, owner: str, name: str, fields: Document | None = None
    ) -> AsyncIterator[Document]:
        """Documents in the order of a key that no two of the owner's share."""
        after = ""
        while True:
            found = 0
            page: dict[str, Any] = {"user_id": owner, name: {"$gt": after}}
            async for document in collection.find(page, fields).sort(name, 1).limit(PAGE):
                found, after = found + 1, document[name]
                yield document
            if found < PAGE:
                return

    async def _by_ids(
        self, collection: Collection, filter: Document, order: Sequence[tuple[str, int]]
    ) -> AsyncIterator[Document]:
        """The documents of a filter that are there now, in an order; each once, whatever becomes of them meanwhile."""
        found = await collection.find(filter, {"_id": 1}).sort(order).to_list(None)
        for start in range(0, len(found), AT_ONCE):
            ids = [one["_id"] for one in found[start : start + AT_ONCE]]
            for document in await _read(collection, filter["user_id"], ids):
                yield document


async def _read(collection: Collection, owner: str, ids: Sequence[str]) -> list[Document]:
    """Documents in the order of their ids; those that are gone are left out."""
    if not ids:
        return []
    found = await collection.find({"_id": {"$in": list(ids)}, "user_id": owner}).to_list(None)
    by_id = {document["_id"]: document for document in found}
    return [by_id[identifier] for identifier in ids if identifier in by_id]


def _picked(document: Document, names: Sequence[str]) -> Document:
    return {name: document[name] for name in names if document.get(name) is not None}


def _summaries(document: Document) -> Document:
    every = [{"at": one["t"]} | _picked(one, SUMMARY) for one in document["summaries"]]
    return {"summaries": every} | _picked(document, ("session_id", "created_at", "updated_at", "digest"))


def _message(document: Document) -> Document:
    made = _picked(document, MESSAGE) | {"place": document["message_index"]}
    if "facts" in document:
        made["facts"] = "done" if document["facts"]["state"] == "done" else "pending"
    return made


def _fact(owner: str, document: Document) -> Document:
    names = {name: unscoped(document[name], owner) for name in ("supersedes", "superseded_by") if document.get(name)}
    history = [
        _picked(event, ("event", "at", "by", "source"))
        | ({"other": unscoped(event["other"], owner)} if event.get("other") else {})
        for event in document["history"]
    ]
    return {"id": unscoped(document["_id"], owner)} | _picked(document, FACT) | names | {"history": history}


def _trace(document: Document) -> Document:
    observed = document["observe"]["state"] == "done"
    made = {"id": document["trace_id"]} | _picked(document, TRACE)
    return made | {"summary": document["summary"], "model": document["model"], "observed": observed}


def _receipt(owner: str, document: Document) -> Document:
    considered = {
        name: [one | {"key": unscoped(one["key"], owner)} for one in document[name]]
        for name in ("considered", "observed")
        if name in document
    }
    return _picked(document, RECEIPT) | considered
