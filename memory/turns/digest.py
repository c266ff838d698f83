"""The digest of a whole conversation: one summary, made of the one before and what was said since."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise
from typing import Any

from pydantic import BaseModel
from pymongo.errors import DuplicateKeyError

from config.recipes import DigestRecipe
from memory.domain import RULE_BASED, Gist, Summary
from memory.gists import TEXT, gist_of
from memory.language import extend_by_rules
from memory.store import Changes, Collections, NotesCache
from memory.turns.summaries import TOLD, in_line, key_of, shortened, write_by_model
from utils.chat import ChatModel
from utils.clock import now
from utils.model_json import Ask, asking
from utils.mongo import Document

ANSWERED = timedelta(minutes=10)  # after its prompt; what takes longer will not come
RECIPE = DigestRecipe()


class _Digest(BaseModel):
    digest: str


class Digests:
    """The digest of a conversation stands beside its summaries of windows."""

    def __init__(self, collections: Collections, changes: Changes, model: ChatModel | None) -> None:
        self._sessions = collections.sessions
        self._vectors = collections.vectors
        self._summaries = collections.summaries
        self._changes = changes
        self.cache = NotesCache(changes, self._read)
        self._ask = asking(model) if model is not None else None

    async def get(self, owner: str, session_id: str) -> str:
        """The digest of a conversation; empty where there is none yet."""
        digest = await self.summary(owner, session_id)
        return digest.text if digest is not None else ""

    async def summary(self, owner: str, session_id: str) -> Summary | None:
        """The same as a summary of all messages that it tells; None where there is none yet."""
        return await self.cache.get(owner, session_id)

    async def _read(self, owner: str, session_id: str) -> Summary | None:
        own = {"user_id": owner, "session_id": session_id}
        document = await self._summaries.find_one(own, {"digest": 1})
        digest = document.get("digest") if document else None
        if not digest or not digest["text"]:
            return None
        last = digest["to_index"]
        return Summary(session_id, digest["text"], last + 1, digest["model"], digest["at"], 0, last)

    async def extend(self, owner: str, session_id: str, ask: Ask | None = None) -> bool:
        """Takes up what was said since; False where nothing was. Of two at once one writes, the other leaves it.
        `ask`: how a model is asked."""
        session = await self._sessions.find_one({"user_id": owner, "session_id": session_id}, {"epoch": 1})
        if session is None:
            return False
        key = key_of(owner, session_id, session["epoch"])
        stored = await self._summaries.find_one({"_id": key, "user_id": owner}, {"digest": 1})
        digest = (stored or {}).get("digest")
        messages = await self._since(owner, session_id, digest["to_index"] if digest else None)
        if not messages:
            return False
        text, model = digest["text"] if digest else "", RULE_BASED
        for start in range(0, len(messages), RECIPE.messages):
            text, model = await self._extended(text, messages[start : start + RECIPE.messages], ask or self._ask)
        made = {"text": text, "model": model, "to_index": messages[-1].message_index, "at": now()}
        async with self._changes.noted(owner):
            if not await self._write(owner, session_id, key, digest, made):
                return False
            if await self._sessions.find_one(session, {"_id": 1}) is None:  # it was deleted meanwhile
                await self._summaries.delete_one({"_id": key, "user_id": owner})
            elif not await self._are_told(owner, messages):  # one was forgotten meanwhile: the next message tells anew
                mine = {"_id": key, "user_id": owner, "digest.to_index": made["to_index"], "digest.at": made["at"]}
                await self._summaries.update_one(mine, {"$unset": {"digest": ""}})
                return False
        return True

    async def _since(self, owner: str, session_id: str, to_index: int | None) -> list[Gist]:
        """What was said after a place, in order, up to an answer that is still to come; without a place, the newest."""
        after = {"$gte": 0 if to_index is None else to_index}  # with the last that was told, which may be a question
        filter = {"user_id": owner, "session_id": session_id, "message_index": after, **TOLD}
        cursor = self._vectors.find(filter, TEXT).sort("message_index", -1).limit(RECIPE.newest + 1)
        documents = list(reversed(await cursor.to_list(None)))
        before_gap = next(
            (at for at, both in enumerate(pairwise(documents), 1) if _is_answered_later(*both)), len(documents)
        )
        said = [gist_of(document) for document in documents[:before_gap] if document["message_index"] != to_index]
        return in_line(said)[-RECIPE.newest :]

    async def _are_told(self, owner: str, messages: Sequence[Gist]) -> bool:
        """Whether all of these messages are still there, with the same texts."""
        filter = {"_id": {"$in": [message.key for message in messages]}, "user_id": owner, **TOLD}
        left = {gist.key: gist for gist in map(gist_of, await self._vectors.find(filter, TEXT).to_list(None))}
        return all(left.get(message.key) == message for message in messages)

    async def _extended(self, text: str, messages: Sequence[Gist], ask: Ask | None) -> tuple[str, str]:
        """The digest with these messages, and what wrote it."""
        said = [{"role": m.name or m.role, "content": shortened(m)} for m in messages]
        told = {"summary": text, "messages": said}
        if (written := await write_by_model(ask, "digest", told, _Digest, RECIPE)) is not None:
            return written
        return await asyncio.to_thread(extend_by_rules, text, messages, RECIPE.rules_tokens), RULE_BASED

    async def _write(
        self, owner: str, session_id: str, key: str, before: Document | None, digest: dict[str, Any]
    ) -> bool:
        """Puts a digest in the place of the one that it was made of; False where that is another by now."""
        same: dict[str, Any] = {"digest": {"$exists": False}}
        if before is not None:
            same = {"digest.to_index": before["to_index"], "digest.at": before["at"]}
        moment = now()
        fresh = {"session_id": session_id, "summaries": [], "created_at": moment, "updated_at": moment}
        try:
            written = await self._summaries.update_one(
                {"_id": key, "user_id": owner} | same,
                {"$set": {"digest": digest}, "$setOnInsert": fresh},
                upsert=before is None,
            )
        except DuplicateKeyError:  # it has a digest by now
            return False
        return bool(written.matched_count or written.upserted_id)


def _is_answered_later(message: Document, following: Document) -> bool:
    """Whether the answer to a message may still come to the place between it and the one that follows."""
    is_gap = following["message_index"] > message["message_index"] + 1
    is_prompt = message["role"] == "user" and "turn_id" in message  # one that was imported has no place for an answer
    return is_gap and is_prompt and now() - message["created_at"] < ANSWERED
