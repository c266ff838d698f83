"""Records of observations and of the scratchpad, out and in."""

from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Annotated

from pydantic import StringConstraints

from memory.ids import derived_id
from memory.lines import Epoch, Kept, Line, Passed, Version
from memory.observations.observation import LONGEST, LONGEST_SOURCE, Category, Observation, Observed, observation_id
from memory.observations.observations import Observations, document_of
from memory.observations.scratchpad import LONGEST_VALUE, folded_of, wrong_with
from memory.product import Inserting, Landed, Record, Taker
from memory.store import Collections, by_ids, by_key
from utils.clock import now
from utils.fields import MessageId, Moment, checked_by
from utils.mongo import Document


class ObservationLine(Line):
    category: Category
    content: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST)]
    source: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_SOURCE)]
    created_at: Passed
    model: str | None = None
    messages: list[MessageId] | None = None


class EntryLine(Kept):
    key: Annotated[str, checked_by(wrong_with)]
    value: Annotated[str, StringConstraints(max_length=LONGEST_VALUE)]
    version: Version
    epoch: Epoch | None = None
    expires_at: Moment | None = None


async def observation_records(collections: Collections, owner: str) -> AsyncIterator[Record]:
    """Observations, oldest first, and the entries of the scratchpad that are in force."""
    async for observation in by_ids(collections.observations, {"user_id": owner}, [("created_at", 1), ("_id", 1)]):
        yield Record("observation", ObservationLine.picked(observation))
    async for entry in by_key(collections.scratchpad, owner, "key"):
        if entry["expires_at"] is None or entry["expires_at"] > now():
            yield Record("entry", EntryLine.picked(entry))


class EntryTaker(Inserting):
    """Takes in `entry`: what stands in the scratchpad."""

    def __init__(self, owner: str, collections: Collections) -> None:
        super().__init__(collections.scratchpad, owner, partial(_entry, owner))


def _entry(owner: str, fields: Document) -> Document:
    key, value = fields["key"], fields["value"]
    return {"_id": derived_id(owner, key), "expires_at": None} | fields | {"folded": folded_of(key, value)}


class ObservationTaker(Taker):
    """Takes in `observation`. Its id is made of what it says and of whose it is."""

    def __init__(self, owner: str, observations: Observations) -> None:
        self._owner = owner
        self._observations = observations

    async def take(self, records: Sequence[Record]) -> Landed:
        made = [self._document(record.fields) for record in records]
        documents = {document["_id"]: document for document in reversed(made)}
        new = await self._observations.insert(self._owner, list(documents.values()))

        async def take_back() -> None:
            await self._observations.take_back(self._owner, list(new))

        return Landed(len(new), take_back)

    def _document(self, fields: Document) -> Document:
        category, content, source = fields["category"], fields["content"], fields["source"]
        identifier = observation_id(self._owner, Observed(category, content), source)
        one = Observation(identifier, category, content, source, fields["created_at"], fields.get("model"))
        return document_of(self._owner, one, fields.get("messages", []))
