"""Receipts: why an answer remembered what it did, one per exchange; and their records, out and in."""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Collection as Ids
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator
from pymongo.errors import DuplicateKeyError

from config.recipes import RECIPES, Recipe
from memory.domain import RULE_BASED, Candidate, Drop, Parts, Turn
from memory.ids import keys_of, response_id, unscoped
from memory.lines import Count, Line, LinePart, Passed
from memory.product import Landed, Record, Taker
from memory.store import Collections, by_ids, by_key
from utils.coalesce import Coalescer
from utils.errors import NotFound
from utils.fields import Identifier, MessageId, Share
from utils.mongo import Document, insert_new
from utils.text import numbers_cited

FIRST = 0.005  # seconds in which the client gets its answer before the receipt of it is written
LeftOut = Literal["budget", "not_quoted", "no_question", "no_answer", "task", "image"]
Number = Literal["floor", "silence", "recency_weight"]  # of a recipe, that a request may set itself
OPTIONAL = (
    "observed",
    "tools_used",
    "searched",
    "numbers",
    "branch",
)  # fields of a document, which has none that are empty
PARTS = ("recency", "mmr", "bm25", "fused", "rerank")  # parts that not every recipe has


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
    words of it were misspelt. `left_out`: why the answer did not come to use what was found. `numbers`: those of the
    recipe that the request set itself."""

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
    messages: tuple[str, ...] = ()  # ids of the prompt and the answer
    top_k: int = 8
    observed: tuple[Candidate, ...] = ()
    tools_used: tuple[str, ...] = ()
    searched: str | None = None
    left_out: LeftOut = "budget"
    numbers: Mapping[str, float] = field(default_factory=dict)
    branch: Literal["replaced", "left"] | None = None  # of the answer, as it is read


CONSIDERED = ("considered", "observed")  # lists of candidates, by their `_id`s, which an import may give others


class Receipts:
    def __init__(self, collections: Collections) -> None:
        self._receipts = collections.receipts
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
        document = await self._receipts.find_one({"_id": {"$in": keys_of(turn_id, owner)}, "user_id": owner})
        if document is None:
            raise NotFound("No such receipt")
        named = {"_id": {"$in": keys_of(response_id(turn_id), owner)}, "user_id": owner}
        answer = await self._vectors.find_one(named, {"branch": 1}) or {}
        return replace(_receipt(document), branch=answer.get("branch"))

    async def cited(self, owner: str, turns: Iterable[Turn]) -> dict[str, list[int]]:
        """The numbers of the memories that answers cite, by their ids."""
        answers = {turn.turn_id: turn.content for turn in turns if turn.turn_id and turn.role == "assistant"}
        numbers = {turn_id: found for turn_id, text in answers.items() if (found := numbers_cited(text))}
        if not numbers:
            return {}
        for turn_id in numbers:
            await self._written(owner, turn_id)
        keys = [key for turn_id in numbers for key in keys_of(turn_id, owner)]
        receipts = self._receipts.find({"_id": {"$in": keys}, "user_id": owner}, {"turn_id": 1, "used": 1})
        return {
            response_id(turn_id := receipt["turn_id"]): [
                one["n"] for one in receipt["used"] if one["n"] in numbers[turn_id]
            ]
            async for receipt in receipts
        }

    async def delete(self, owner: str, turn_id: str) -> None:
        """Deletes the receipt of an exchange, where there is one."""
        await self._written(owner, turn_id)
        await self._drop(owner, turn_id)

    async def _written(self, owner: str, turn_id: str) -> None:
        if (writing := self._expected.get((owner, turn_id))) is not None:
            await asyncio.wait([writing])

    async def _drop(self, owner: str, turn_id: str) -> None:
        await self._receipts.delete_one({"_id": {"$in": keys_of(turn_id, owner)}, "user_id": owner})


def numbers_of(recipe: Recipe) -> dict[str, float]:
    """The numbers of a recipe that are not those of the one of its name."""
    names: tuple[str, ...] = get_args(Number)
    return {name: number for name in names if (number := getattr(recipe, name)) != getattr(RECIPES[recipe.name], name)}


def left_out_of(model: str, *, used: bool, unused: LeftOut = "no_answer") -> LeftOut:
    """Why an answer by a model, or by rules, did not come to use what was found. `used`: whether rules quoted any of
    it; `unused`: why they quoted none."""
    if model != RULE_BASED:
        return "budget"
    return "not_quoted" if used else unused


def _document(owner: str, receipt: Receipt) -> Document:
    document = vars(receipt) | {
        "user_id": owner,
        "considered": [_considered(candidate) for candidate in receipt.considered],
        "observed": [_considered(candidate) for candidate in receipt.observed],
        "used": [vars(used) for used in receipt.used],
        "ledger": [vars(entry) for entry in receipt.ledger],
    }
    return {name: value for name, value in document.items() if value or name not in OPTIONAL}


def _considered(candidate: Candidate) -> Document:
    parts = candidate.parts
    entry: Document = {"key": candidate.key, "score": parts.score, "dense": parts.dense}
    entry |= {name: value for name in PARTS if (value := getattr(parts, name)) is not None}
    if candidate.dropped is not None:
        entry["dropped"] = candidate.dropped
    return entry


def _candidate(entry: Document) -> Candidate:
    parts = Parts(entry["dense"], entry["score"], **{name: entry.get(name) for name in PARTS})
    return Candidate(entry["key"], parts, entry.get("dropped"))


def _receipt(document: Document) -> Receipt:
    named = {field.name: document[field.name] for field in fields(Receipt) if field.name in document}
    made: Document = {name: tuple(value) if isinstance(value, list) else value for name, value in named.items()}
    made.setdefault("left_out", left_out_of(document["model"], used=bool(document["used"])))
    return Receipt(
        **made
        | {
            "considered": tuple(map(_candidate, document["considered"])),
            "observed": tuple(map(_candidate, document.get("observed", ()))),
            "used": tuple(Used(**entry) for entry in document["used"]),
            "ledger": tuple(LedgerEntry(**entry) for entry in document["ledger"]),
        }
    )


def _known_recipe(name: str) -> str:
    if name not in RECIPES:
        raise ValueError("must be a recipe that is known here")
    return name


class Considered(LinePart):
    key: MessageId
    score: float
    dense: float
    recency: float | None = None
    mmr: float | None = None
    bm25: float | None = None
    fused: float | None = None
    rerank: float | None = None
    dropped: Drop | None = None


class UsedMemory(LinePart):
    n: Count
    id: MessageId
    kind: str
    section: str


class LedgerLine(LinePart):
    section: str
    characters: Count
    tokens: Count


class ReceiptLine(Line):
    turn_id: Identifier
    session_id: Identifier
    at: Passed
    query: str
    intent: str
    need_memory: bool
    memory_reason: str
    agents_used: list[str]
    model: str
    recipe: Annotated[str, AfterValidator(_known_recipe)]
    used: list[UsedMemory]
    ledger: list[LedgerLine]
    prompt_tokens: Count
    completion_tokens: Count
    interrupted: bool
    messages: list[MessageId]
    top_k: Count
    tools_used: list[str] | None = None
    searched: str | None = None
    numbers: dict[Number, Share] | None = None
    considered: list[Considered]
    observed: list[Considered] | None = None


async def receipt_records(collections: Collections, owner: str, only: Ids[str] | None = None) -> AsyncIterator[Record]:
    """The receipts of each session. `only`: ids of those that are wanted."""
    async for session in by_key(collections.sessions, owner, "session_id", {"session_id": 1}, only):
        own = {"user_id": owner, "session_id": session["session_id"]}
        async for receipt in by_ids(collections.receipts, own, [("_id", 1)]):
            considered = {
                name: [candidate | {"key": unscoped(candidate["key"], owner)} for candidate in receipt[name]]
                for name in CONSIDERED
                if name in receipt
            }
            yield Record("receipt", ReceiptLine.picked(receipt) | considered)


class ReceiptTaker(Taker):
    """Takes in `receipt`."""

    def __init__(self, owner: str, collections: Collections) -> None:
        self._owner = owner
        self._receipts = collections.receipts
        self._vectors = collections.vectors

    async def take(self, records: Sequence[Record]) -> Landed:
        receipts = {record.fields["turn_id"]: record.fields for record in reversed(records)}
        there = {
            "_id": {"$in": [key for name in receipts for key in keys_of(name, self._owner)]},
            "user_id": self._owner,
        }
        known = {one["turn_id"] async for one in self._receipts.find(there, {"turn_id": 1})}
        left = [receipt for name, receipt in receipts.items() if name not in known]
        keys = await self._keys(
            [one["key"] for receipt in left for name in CONSIDERED for one in receipt.get(name, ())]
        )
        new: list[str] = []
        for at in range(2):  # one that another user has gets a `_id` of its own
            documents = [
                self._document(receipt, keys, keys_of(receipt["turn_id"], self._owner)[at]) for receipt in left
            ]
            inserted = await insert_new(self._receipts, documents) if documents else []
            new += [document["_id"] for document, is_new in zip(documents, inserted, strict=True) if is_new]
            left = [receipt for receipt, is_new in zip(left, inserted, strict=True) if not is_new]

        async def take_back() -> None:
            await self._receipts.delete_many({"_id": {"$in": new}, "user_id": self._owner})

        return Landed(len(new), take_back)

    async def _keys(self, ids: Sequence[str]) -> dict[str, str]:
        """The `_id`s here of what was considered; what is not there has its own."""
        names = {key: name for name in ids for key in keys_of(name, self._owner)}
        gists = self._vectors.find({"_id": {"$in": list(names)}, "user_id": self._owner}, {"_id": 1})
        return {names[gist["_id"]]: gist["_id"] async for gist in gists}

    def _document(self, receipt: Document, keys: dict[str, str], key: str) -> Document:
        considered = {
            name: [candidate | {"key": keys.get(candidate["key"], candidate["key"])} for candidate in receipt[name]]
            for name in CONSIDERED
            if name in receipt
        }
        return receipt | considered | {"_id": key, "user_id": self._owner}
