"""Responses: what was asked, what came, and which response each goes on from."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pymongo.errors import DuplicateKeyError

from memory.ids import derived_id, fingerprint, keys_of, prompt_id, response_id
from memory.responses.item import Begun, Items, ResponseItem, Said, StoredItem, packed, unpacked
from memory.store import Collections
from utils.clock import now
from utils.errors import NotFound
from utils.mongo import Document

SAYING = {"id": 1, "role": 1, "content": 1}  # a projection


@dataclass(frozen=True)
class StoredResponse:
    """`body`: the response without its output. `previous`: that from which it goes on; `conversation`: to which it
    belongs."""

    id: str
    session_id: str
    place: str
    body: dict[str, Any]
    previous: str | None
    conversation: str | None


@dataclass(frozen=True)
class Answered:
    """What becomes of a response: its `body` without its output, the items that it was given, and those that it gave.
    `turn_id`: of its exchange, which is committed; `asked`: what the user said last before it; `kept`: the ids of that
    and of the answer, as far as they were just committed, none where nobody knows."""

    turn_id: str
    body: Mapping[str, Any]
    given: Sequence[ResponseItem]
    output: Sequence[ResponseItem]
    asked: Said | None = None
    kept: Sequence[str] = ()


class Responses:
    """A user's responses. Of one that is not to be stored, or failed before it began, the session alone is known, so
    that whoever sends its transcript goes on there."""

    def __init__(self, collections: Collections) -> None:
        self._responses = collections.responses
        self._conversations = collections.conversations
        self._vectors = collections.vectors
        self.items = Items(collections)

    async def begin(self, owner: str, begun: Begun) -> Begun:
        """Notes that a response is asked for; where it was before, its session and place stay."""
        key = derived_id(owner, begun.id)
        document = {
            "user_id": owner,
            "id": begun.id,
            "session_id": begun.session_id,
            "created_at": now(),
            "place": begun.place,
            "stored": False,
            "previous": None,
            "conversation": None,
        }
        try:
            await self._responses.insert_one({"_id": key} | document)
        except DuplicateKeyError:
            there = await self._responses.find_one({"_id": key, "user_id": owner})
            document = there or document
        return Begun(begun.id, str(document["session_id"]), str(document["place"]))

    async def take_back(self, owner: str, begun: Begun) -> None:
        """Forgets that a response was asked for, where the request is refused."""
        await self._responses.delete_one({"_id": derived_id(owner, begun.id), "user_id": owner, "stored": False})

    async def session_of(self, owners: Sequence[str], ids: Sequence[str]) -> str | None:
        """The session of the newest of these responses, stored or not, that one of these owners has."""
        own = {"user_id": {"$in": list(owners)}, "id": {"$in": list(ids)}}
        newest = self._responses.find(own, {"session_id": 1}).sort([("created_at", -1), ("_id", -1)])
        found = await newest.limit(1).to_list(None)
        return str(found[0]["session_id"]) if found else None

    async def owner_of(self, owners: Sequence[str], identifier: str) -> str | None:
        """The one of these owners that has a response, or a conversation."""
        keys = [derived_id(owner, identifier) for owner in owners]
        for kept in (self._responses, self._conversations) if keys else ():
            if (found := await kept.find_one({"_id": {"$in": keys}}, {"user_id": 1})) is not None:
                return str(found["user_id"])
        return None

    async def get(self, owner: str, identifier: str) -> StoredResponse:
        """Raises `NotFound` where there is none that is stored."""
        found = await self._responses.find_one({"_id": derived_id(owner, identifier), "user_id": owner, "stored": True})
        if found is None:
            raise NotFound(f"Response with id '{identifier}' not found.")
        return _stored(found)

    async def keep(
        self,
        owner: str,
        begun: Begun,
        answered: Answered,
        *,
        previous: str | None = None,
        conversation: str | None = None,
        stored: bool = True,
    ) -> None:
        """Stores a response; what belongs to a conversation joins it. What was forgotten since, and may be resent,
        stays forgotten."""
        turn_id, given, output, asked = answered.turn_id, answered.given, answered.output, answered.asked
        own = {"_id": derived_id(owner, begun.id), "user_id": owner}
        fields: Document = {"stored": stored, "previous": previous, "conversation": conversation, "turn_id": turn_id}
        fields |= {"body": packed(answered.body)} if stored else {}
        noting = self._responses.update_one(own, {"$set": fields})
        if not stored and conversation is None:
            await noting
            return
        response = begun.id if stored else None
        add = partial(self.items.add, owner, begun, response=response, conversation=conversation, outputs=len(output))
        if answered.kept and all(item.said in (None, asked) for item in given):  # it is of this exchange alone
            [own_prompt, *own_answer] = answered.kept
            every = [(item, [own_prompt]) for item in given]
            every += [(item, own_answer if item.said and own_answer else [own_prompt]) for item in output]
            noted, _ = await asyncio.gather(noting, add(every))
            await (self._forget_gone(owner, every) if noted.matched_count else self.items.take_back(owner, begun))
            return
        if not (await noting).matched_count:
            return
        prompt, answer = prompt_id(turn_id), response_id(turn_id)
        texts = {item.said for item in given if item.said is not None} | ({asked} if asked is not None else set())
        messages, there = await asyncio.gather(
            self._messages(owner, begun.session_id, texts), self._there(owner, [prompt, answer])
        )
        exchange = [prompt] if prompt in there else messages.get(asked, []) if asked is not None else []
        if asked is not None and not exchange:  # it was forgotten meanwhile
            return
        of_given = [(item, _sources(item, messages, exchange)) for item in given]
        of_output = [(item, [answer] if item.said and answer in there else exchange) for item in output]
        every = [(item, source) for item, source in of_given if source is not None] + of_output
        await add(every)
        await self._forget_gone(owner, every)

    async def _forget_gone(self, owner: str, every: Sequence[tuple[ResponseItem, Sequence[str]]]) -> None:
        """Deletes those of items just kept that were made of messages which are not there any more."""
        named = {message for _, source in every for message in source}
        for message in named - await self._there(owner, sorted(named)):
            await self.items.forget_message(owner, message)

    async def _messages(self, owner: str, session_id: str, said: set[Said]) -> dict[Said, list[str]]:
        """The ids of a session's messages that say one of these."""
        if not said:
            return {}
        own = {"user_id": owner, "session_id": session_id}
        prints = {"fingerprint": {"$in": [fingerprint(text) for _, text in said]}}
        messages = _by_said(await self._vectors.find(own | prints, SAYING).to_list(None))
        if left := said - messages.keys():  # of other doors, or of none
            others = {"message_index": {"$gte": 0}, "fingerprint": {"$exists": False}}
            texts = {"content": {"$in": [text for _, text in left]}}
            messages |= _by_said(await self._vectors.find(own | others | texts, SAYING).to_list(None))
        return {one: ids for one, ids in messages.items() if one in said}

    async def _there(self, owner: str, ids: Sequence[str]) -> set[str]:
        keys = [key for identifier in ids for key in keys_of(identifier, owner)]
        found = self._vectors.find({"_id": {"$in": keys}, "user_id": owner}, {"id": 1})
        return {message["id"] for message in await found.to_list(None)}

    async def delete(self, owner: str, identifier: str) -> None:
        """Deletes a response; those after it go on from the one before it. Raises `NotFound`."""
        response = await self.get(owner, identifier)
        after = {"user_id": owner, "session_id": response.session_id, "previous": identifier}
        await self._responses.update_many(after, {"$set": {"previous": response.previous}})
        await self.items.leave(owner, "response", identifier)
        await self._responses.delete_one({"_id": derived_id(owner, identifier), "user_id": owner})

    async def output(self, owner: str, response: StoredResponse) -> list[StoredItem]:
        """The items that it gave."""
        own = {"response": response.id, "output": True}
        return await self.items.page(owner, own)

    async def before(self, owner: str, response: StoredResponse, *, itself: bool) -> Document:
        """A filter of all items that a response was made of, or where `itself` says so, those that it gave, too."""
        own: Document = {"response": response.id} | ({} if itself else {"output": False})
        if response.conversation is not None:
            return {"$or": [own, {"conversation": response.conversation, "place": {"$lt": response.place}}]}
        chain = await self._chain(owner, response)
        return {"response": {"$in": [response.id, *chain]}} if itself else {"$or": [own, {"response": {"$in": chain}}]}

    async def _chain(self, owner: str, response: StoredResponse) -> list[str]:
        """The ids of the responses from which one goes on, the last first."""
        own = {"user_id": owner, "session_id": response.session_id}
        every = await self._responses.find(own, {"id": 1, "previous": 1}).to_list(None)
        previous = {one["id"]: one["previous"] for one in every}
        chain: dict[str, None] = {}
        at = response.previous
        while at is not None and at not in chain:
            chain[at] = None
            at = previous[at] if at in previous else await self._previous(owner, at)
        return list(chain)

    async def _previous(self, owner: str, identifier: str) -> str | None:
        """The response before one of another session."""
        found = await self._responses.find_one(
            {"_id": derived_id(owner, identifier), "user_id": owner}, {"previous": 1}
        )
        return None if found is None else found["previous"]

    async def leave(self, owner: str, conversation: str) -> None:
        """Takes a conversation away from its responses."""
        await self._responses.update_many(
            {"user_id": owner, "conversation": conversation}, {"$set": {"conversation": None}}
        )


def _sources(item: ResponseItem, messages: Mapping[Said, list[str]], exchange: list[str]) -> list[str] | None:
    """Of which messages an item was made: those that say it, or the user's whose exchange this is; None for what a user
    says that memory has not, or not any more."""
    if item.said is None:
        return exchange
    role, text = item.said
    return messages.get(item.said, None if role == "user" and text else exchange)


def _by_said(found: Sequence[Document]) -> dict[Said, list[str]]:
    """The ids of messages by what they say."""
    messages: dict[Said, list[str]] = {}
    for message in found:
        messages.setdefault((message["role"], message["content"]), []).append(message["id"])
    return messages


def _stored(found: Document) -> StoredResponse:
    return StoredResponse(
        found["id"],
        found["session_id"],
        found["place"],
        unpacked(found["body"]),
        found["previous"],
        found["conversation"],
    )
