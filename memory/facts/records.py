"""Records of facts, out and in, with what replaced them.

Ids of facts are made of their owner, so that one that a file brings may be that of another user's fact some day. Every
fact that comes in has a `_id` as ids have that others took (`memory/ids.py`), and its own id again when it is exported.
One that its owner exported and still has is found under its own.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Annotated

from pydantic import AfterValidator, Field

from memory.facts.facts import Event
from memory.facts.store import FactStore
from memory.ids import keys_of, scoped, unscoped
from memory.lines import Kept, LinePart
from memory.product import Landed, Record, Taker
from memory.store import by_ids
from utils.fields import Identifier, MessageId, Moment
from utils.mongo import Collection, Document


class FactEvent(LinePart):
    event: Event
    at: Moment
    by: str
    source: MessageId | None = None
    other: MessageId | None = None
    memory_id: Identifier | None = None


def _begins(history: list[FactEvent]) -> list[FactEvent]:
    if history[0].event == "NONE":
        raise ValueError("must begin with how the fact came to be")
    return history


class FactLine(Kept):
    id: MessageId
    memory_id: Identifier
    text: str
    valid_from: Moment
    valid_to: Moment | None = None
    supersedes: MessageId | None = None
    superseded_by: MessageId | None = None
    sources: list[MessageId]
    decided_by: str
    pinned: bool | None = None
    hidden: bool | None = None
    history: Annotated[list[FactEvent], Field(min_length=1), AfterValidator(_begins)]


async def fact_records(facts: Collection, owner: str) -> AsyncIterator[Record]:
    """The owner's facts, oldest first; they name each other."""
    async for fact in by_ids(facts, {"user_id": owner}, [("created_at", 1), ("_id", 1)]):
        named = {name: unscoped(fact[name], owner) for name in ("supersedes", "superseded_by") if fact.get(name)}
        history = [
            FactEvent.picked(event) | ({"other": unscoped(event["other"], owner)} if event.get("other") else {})
            for event in fact["history"]
        ]
        identity = {"id": unscoped(fact["_id"], owner)}
        yield Record("fact", FactLine.picked(fact) | identity | named | {"history": history})


class FactTaker(Taker):
    """Takes in `fact`."""

    def __init__(self, owner: str, store: FactStore) -> None:
        self._owner = owner
        self._store = store

    async def take(self, records: Sequence[Record]) -> Landed:
        facts = [record.fields for record in records]
        named = {name for fact in facts for name in (fact["id"], *_others(fact))}
        known = await self._store.known(self._owner, [key for name in named for key in keys_of(name, self._owner)])

        def key(identifier: str) -> str:
            return identifier if identifier in known else scoped(identifier, self._owner)

        documents = {
            key(fact["id"]): self._document(fact, {name: key(name) for name in _others(fact)}) for fact in facts
        }
        documents = {identifier: document | {"_id": identifier} for identifier, document in documents.items()}
        new = await self._store.take_in(self._owner, list(documents.values()))

        async def take_back() -> None:
            await self._store.delete(self._owner, {"_id": {"$in": new}})

        return Landed(len(new), take_back)

    def _document(self, fact: Document, keys: dict[str, str]) -> Document:
        """A fact as it is kept. `keys`: the `_id`s of the facts that it names."""
        nothing: Document = {"valid_to": None, "supersedes": None, "superseded_by": None}
        named = {name: keys[fact[name]] for name in ("supersedes", "superseded_by") if name in fact}
        history = [
            {"source": None, **event, "other": keys[event["other"]] if "other" in event else None}
            for event in fact["history"]
        ]
        kept = {name: value for name, value in fact.items() if name != "id"}
        return nothing | kept | named | {"user_id": self._owner, "history": history}


def _others(fact: Document) -> list[str]:
    """The ids of the facts that a fact names."""
    names = [fact.get("supersedes"), fact.get("superseded_by"), *(event.get("other") for event in fact["history"])]
    return [name for name in names if name is not None]
