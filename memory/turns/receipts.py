"""Receipts: why an answer remembered what it did, one per exchange."""

import asyncio
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from pymongo.errors import DuplicateKeyError

from memory.domain import RULE_BASED, Candidate, Parts
from memory.ids import keys_of
from memory.store import Collections
from memory.turns.places import Place
from utils.coalesce import Coalescer
from utils.errors import NotFound
from utils.mongo import Document, insert_new

FIRST = 0.005  # seconds in which the client gets its answer before the receipt of it is written
LeftOut = Literal["budget", "not_quoted", "no_question", "no_answer", "image"]
_OPTIONAL = ("recency", "mmr", "bm25", "fused", "rerank")  # parts that not every recipe has


@dataclass(frozen=True)
class LedgerEntry:
    """What one section of the prompt took. The entries of a ledger add up to the prompt that was sent."""

    section: str
    characters: int
    tokens: int


@dataclass(frozen=True)
class Used:
    """A memory that stood in the prompt under a number, or that rules answered from."""

    n: int
    id: str
    kind: str
    section: str


@dataclass(frozen=True)
class Receipt:
    """What an exchange considered, used and spent. `observed`: the observations that it considered, by their ids;
    `tools_used`: by a model, before it answered. `searched`: what was searched for, where that is not the query, since
    words of it were misspelt. `left_out`: why the answer did not come to use what was found."""

    turn_id: str
    session_id: str
    at: datetime
    query: str
    intent: str
    need_memory: bool
    memory_reason: str
    agents_used: tuple[str, ...]
    model: str
    recipe: str
    considered: tuple[Candidate, ...] = ()
    used: tuple[Used, ...] = ()
    ledger: tuple[LedgerEntry, ...] = ()
    prompt_tokens: int = 0
    completion_tokens: int = 0
    interrupted: bool = False
    messages: tuple[str, ...] = field(default=())  # ids of the prompt and the answer
    top_k: int = 8
    observed: tuple[Candidate, ...] = ()
    tools_used: tuple[str, ...] = ()
    searched: str | None = None
    left_out: LeftOut = "budget"


class Receipts:
    def __init__(self, collections: Collections) -> None:
        self._receipts = collections.receipts
        self._sessions = collections.sessions
        self._vectors = collections.vectors
        self._expected: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._inserts: Coalescer[Document, bool] = Coalescer(lambda new: insert_new(self._receipts, new))

    async def keep(self, owner: str, receipt: Receipt) -> None:
        """Stores a receipt; another of the same exchange takes the place of the first."""
        document = _document(owner, receipt)
        if await self._inserts.get(document | {"_id": receipt.turn_id}):
            return
        for key in keys_of(receipt.turn_id, owner):
            with suppress(DuplicateKeyError):  # the first one is another user's, or is being written just now
                await self._receipts.replace_one({"_id": key, "user_id": owner}, document | {"_id": key}, upsert=True)
                return

    async def keep_at(self, place: Place, receipt: Receipt) -> None:
        """Stores the receipt of the exchange at a place; nothing is left of it where the session was deleted since."""
        await self.keep(place.owner, receipt)
        if await self._sessions.find_one(place.session, {"_id": 1}) is None:
            await self.delete(place.owner, receipt.turn_id)

    async def keep_after(self, owner: str, made: Callable[[], Receipt], messages: Collection[str]) -> None:
        """Stores the receipt of an exchange whose messages, by their ids, are committed; nothing is left of it where
        one of them was deleted since."""
        await asyncio.sleep(FIRST)
        receipt = made()
        await self.keep(owner, receipt)
        keys = [key for identifier in messages for key in keys_of(identifier, owner)]
        if await self._vectors.count_documents({"_id": {"$in": keys}, "user_id": owner}) < len(messages):
            await self._drop(owner, receipt.turn_id)

    def expect(self, owner: str, turn_id: str, writing: "asyncio.Task[None]") -> None:
        """Has those wait who ask for a receipt that is just being written, or delete it."""
        self._expected[owner, turn_id] = writing
        writing.add_done_callback(lambda _: self._expected.pop((owner, turn_id), None))

    async def get(self, owner: str, turn_id: str) -> Receipt:
        await self._written(owner, turn_id)
        found = await self._receipts.find_one({"_id": {"$in": keys_of(turn_id, owner)}, "user_id": owner})
        if found is None:
            raise NotFound("No such receipt")
        return _receipt(found)

    async def delete(self, owner: str, turn_id: str) -> None:
        """Deletes the receipt of an exchange, where there is one."""
        await self._written(owner, turn_id)
        await self._drop(owner, turn_id)

    async def _written(self, owner: str, turn_id: str) -> None:
        if (writing := self._expected.get((owner, turn_id))) is not None:
            await asyncio.wait([writing])

    async def _drop(self, owner: str, turn_id: str) -> None:
        await self._receipts.delete_one({"_id": {"$in": keys_of(turn_id, owner)}, "user_id": owner})


def left_out_of(model: str, *, used: bool, unused: LeftOut = "no_answer") -> LeftOut:
    """Why an answer by a model, or by rules, did not come to use what was found. `used`: whether rules quoted any of
    it; `unused`: why they quoted none."""
    if model != RULE_BASED:
        return "budget"
    return "not_quoted" if used else unused


def _document(owner: str, receipt: Receipt) -> Document:
    optional = {
        "observed": [_considered(candidate) for candidate in receipt.observed],
        "tools_used": list(receipt.tools_used),
        "searched": receipt.searched,
    }
    return {name: value for name, value in optional.items() if value} | {
        "turn_id": receipt.turn_id,
        "user_id": owner,
        "session_id": receipt.session_id,
        "at": receipt.at,
        "query": receipt.query,
        "intent": receipt.intent,
        "need_memory": receipt.need_memory,
        "memory_reason": receipt.memory_reason,
        "agents_used": list(receipt.agents_used),
        "model": receipt.model,
        "recipe": receipt.recipe,
        "considered": [_considered(candidate) for candidate in receipt.considered],
        "used": [vars(used) for used in receipt.used],
        "ledger": [vars(entry) for entry in receipt.ledger],
        "prompt_tokens": receipt.prompt_tokens,
        "completion_tokens": receipt.completion_tokens,
        "interrupted": receipt.interrupted,
        "messages": list(receipt.messages),
        "top_k": receipt.top_k,
        "left_out": receipt.left_out,
    }


def _considered(candidate: Candidate) -> Document:
    parts = candidate.parts
    entry: Document = {"key": candidate.key, "score": parts.score, "dense": parts.dense}
    entry |= {name: value for name in _OPTIONAL if (value := getattr(parts, name)) is not None}
    if candidate.dropped is not None:
        entry["dropped"] = candidate.dropped
    return entry


def _candidate(entry: Document) -> Candidate:
    parts = Parts(entry["dense"], entry["score"], **{name: entry.get(name) for name in _OPTIONAL})
    return Candidate(entry["key"], parts, entry.get("dropped"))


def _receipt(found: Document) -> Receipt:
    return Receipt(
        turn_id=found["turn_id"],
        session_id=found["session_id"],
        at=found["at"],
        query=found["query"],
        intent=found["intent"],
        need_memory=found["need_memory"],
        memory_reason=found["memory_reason"],
        agents_used=tuple(found["agents_used"]),
        model=found["model"],
        recipe=found["recipe"],
        considered=tuple(_candidate(entry) for entry in found["considered"]),
        used=tuple(Used(**entry) for entry in found["used"]),
        ledger=tuple(LedgerEntry(**entry) for entry in found["ledger"]),
        prompt_tokens=found["prompt_tokens"],
        completion_tokens=found["completion_tokens"],
        interrupted=found["interrupted"],
        messages=tuple(found["messages"]),
        top_k=found.get("top_k", 8),
        observed=tuple(_candidate(entry) for entry in found.get("observed", ())),
        tools_used=tuple(found.get("tools_used", ())),
        searched=found.get("searched"),
        left_out=found.get("left_out") or left_out_of(found["model"], used=bool(found["used"])),
    )
