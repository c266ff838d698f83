"""Summaries: one for every window of messages, by a model or by rules."""

import asyncio
import logging
from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Literal

from pydantic import BaseModel

from config.prompts import prompt
from config.recipes import DigestRecipe, SummaryRecipe
from memory.domain import RULE_BASED, Gist, Summary
from memory.gists import TEXT, gist_of
from memory.ids import derived_id
from memory.language import LONGEST, doing, only_asks, summarise_by_rules
from memory.store import Changes, Claim, Collections, NotesCache, claim, fail, held, put_back
from utils.chat import ChatModel, ChatOptions
from utils.clock import now
from utils.embeddings import LocalEmbedder
from utils.errors import ModelError
from utils.model_json import Ask, Part, asking, text_in
from utils.mongo import Document
from utils.text import cut_at_word

BATCH = 8
LOOK_AGAIN = timedelta(seconds=1)  # after a window was found to miss a message that is still being answered
LOST = timedelta(seconds=5)  # a message that is not stored so long after its place was given was lost or forgotten
MESSAGE_CHARACTERS = 1_000  # of each message that a model summarises
LONGEST_SUMMARY = 2_000
WRITTEN = ("text", "message_count", "model", "from_index", "to_index")  # fields of a summary, beside its time
MOST_SUMMARIES = 1_000  # newest ones that a session keeps, far below what a document holds
NEWEST_SESSIONS = 8  # newest sessions whose summaries are kept at hand, and of each so many
NEWEST_SUMMARIES = 8
TOLD = {"forgotten": {"$exists": False}}  # a filter: messages that nobody is about to forget

RECIPE = SummaryRecipe()

log = logging.getLogger(__name__)


class _Summary(BaseModel):
    summary: str


class Summaries:
    """A session's summaries, one per window of `window` messages (the platform document: ten pairs), tiling it without
    gaps."""

    def __init__(
        self,
        collections: Collections,
        changes: Changes,
        model: ChatModel | None,
        window: int,
        abandoned: timedelta,
        reader: LocalEmbedder | None = None,
    ) -> None:
        """`reader`: tells rules more of what was said in other languages than English."""
        self._sessions = collections.sessions
        self._vectors = collections.vectors
        self._summaries = collections.summaries
        self._changes = changes
        self.cache = NotesCache(changes, self._read_newest)
        self._ask = asking(model) if model is not None else None
        self._window = window
        self._reader = reader
        self._abandoned = abandoned  # an answer that takes longer than this will not come

    @property
    def by_model(self) -> bool:
        return self._ask is not None

    async def newest(self, owner: str, session_id: str, most: int) -> list[Summary]:
        """The session's newest summaries, newest first, then those of the owner's other sessions up to `most`. Those
        that only ask are left out where any tells something."""
        summaries = [summary for summary in await self.cache.get(owner) if summary.text]
        sessions = {summary.session_id for summary in summaries}
        if len(sessions) == NEWEST_SESSIONS and session_id not in sessions:
            summaries += [summary for summary in await self.of_session(owner, session_id) if summary.text]
        summaries = [summary for summary in summaries if not only_asks(summary.text)] or summaries
        summaries.sort(
            key=lambda summary: (summary.session_id == session_id, summary.timestamp, summary.from_index), reverse=True
        )
        return summaries[:most]

    async def _read_newest(self, owner: str) -> list[Summary]:
        cursor = self._summaries.find({"user_id": owner}, {"summaries": {"$slice": -NEWEST_SUMMARIES}})
        documents = await cursor.sort([("updated_at", -1), ("_id", -1)]).limit(NEWEST_SESSIONS).to_list(None)
        return [_summary(document, entry) for document in documents for entry in document["summaries"]]

    async def of_session(self, owner: str, session_id: str) -> list[Summary]:
        """All summaries of a session, oldest first."""
        document = await self._summaries.find_one({"user_id": owner, "session_id": session_id})
        return [_summary(document, entry) for entry in document["summaries"]] if document else []

    async def rewrite(self, owner: str, session_id: str, indexes: Collection[int]) -> None:
        """Writes the summaries that cover messages again from what is left of their windows."""
        own = {"user_id": owner, "session_id": session_id}
        digested = own | {"digest.to_index": {"$gte": min(indexes)}}
        if await self._summaries.find_one(digested, {"_id": 1}) is not None:
            async with self._changes.noted(owner):  # it is made anew with the next message
                await self._summaries.update_many(digested, {"$unset": {"digest": ""}})
        for document in await self._summaries.find(own).to_list(None):
            for entry in document["summaries"]:
                window = range(entry["from_index"], entry["to_index"] + 1)
                if any(index in window for index in indexes):
                    await self._rewrite(document, window)

    async def _rewrite(self, document: Document, window: range) -> None:
        """Writes one summary again, until it tells what is there: more may be forgotten while a model writes it."""
        entry = {"summaries": {"$elemMatch": {"from_index": window[0], "to_index": window[-1]}}}
        messages: list[Gist] | None = None
        left = await self._messages(document, window)
        while left != messages:
            messages = left
            line = in_line(messages)
            text, model = await self._text(line, self._ask) if line else ("", RULE_BASED)
            rewritten = {
                "summaries.$.text": text,
                "summaries.$.model": model,
                "summaries.$.message_count": len(line),
                "updated_at": now(),
            }
            async with self._changes.noted(document["user_id"]):
                await self._summaries.update_one({"_id": document["_id"]} | entry, {"$set": rewritten})
            left = await self._messages(document, window)

    async def work(self, ask: Ask | None = None, *, key: str | None = None) -> int:
        """Writes summaries until none is due; returns how many. Safe to run twice at once. `ask`: how a model is asked;
        `key`: of the session whose summaries alone are written."""
        total = 0
        ask = ask or self._ask
        # A model's server may answer one call at a time, and the deadline of the others would run meanwhile.
        turn = asyncio.Semaphore(BATCH if ask is None else 1)

        async def advance(claimed: Claim, session: Document) -> int:
            async with turn:
                return await self._advance(claimed, session, ask)

        while True:
            claimed = await claim(self._sessions, "summary", BATCH, without="events", key=key)
            if not claimed.documents:
                return total
            async with held(self._sessions, "summary", claimed):
                advancing = [advance(claimed, session) for session in claimed.documents]
                written = await asyncio.gather(*advancing, return_exceptions=True)
            for outcome in written:
                if isinstance(outcome, BaseException):
                    raise outcome
                total += outcome

    async def _advance(self, claimed: Claim, session: Document, ask: Ask | None) -> int:
        """Summarises the windows of one leased session that are complete, and gives the lease back."""
        written = 0
        try:
            while (window := self._due(session)) is not None:
                messages = await self._messages(session, window)
                if not self._complete(session, window, messages):
                    await self._wait(claimed, session)
                    return written
                if messages:
                    await self._write(session, window, messages, ask)
                    written += 1
                    if await self._messages(session, window) != messages:  # something was forgotten meanwhile
                        await self.rewrite(session["user_id"], session["session_id"], [window[0]])
                session["summary"]["to"] = window[-1]
                kept = await self._sessions.find_one_and_update(
                    {"_id": session["_id"], "summary.lease": claimed.lease},
                    {"$set": {"summary.to": window[-1]}, "$unset": {"summary.waiting_since": ""}},
                    projection={"next_index": 1},
                )
                if kept is None:  # the lease ran out, or the session was deleted
                    same = {"_id": session["_id"], "epoch": session["epoch"]}
                    if await self._sessions.find_one(same, {"_id": 1}) is None:
                        async with self._changes.noted(session["user_id"]):
                            await self._summaries.delete_one({"_id": _key_of(session)})
                    return written
                session["summary"].pop("waiting_since", None)
            await self._finish(claimed, session)
        except Exception as error:
            await fail(self._sessions, "summary", claimed.lease, [session], type(error).__name__)
            raise
        return written

    def _due(self, session: Document) -> range | None:
        """The places of the next summary, where all of them were handed out."""
        start = session["summary"]["to"] + 1
        end = start + self._window
        return range(start, end) if session["next_index"] >= end else None

    async def _messages(self, session: Document, window: range) -> list[Gist]:
        filter = {
            "user_id": session["user_id"],
            "session_id": session["session_id"],
            "message_index": {"$gte": window[0], "$lte": window[-1]},
            **TOLD,
        }
        documents = await self._vectors.find(filter, TEXT).sort("message_index", 1).to_list(None)
        return [gist_of(document) for document in documents]

    def _complete(self, session: Document, window: range, messages: list[Gist]) -> bool:
        """Whether every place of the window is filled, or will not be any more: an answer may still be on its way."""
        filled = {message.message_index: message.role for message in messages}
        empty = [index for index in window if index not in filled]
        if not empty:
            return True
        answering = any(filled.get(index - 1) == "user" for index in empty)
        since = session["summary"].get("waiting_since")
        return since is not None and now() - since > (self._abandoned if answering else LOST)

    async def _wait(self, claimed: Claim, session: Document) -> None:
        if "waiting_since" not in session["summary"]:
            await self._sessions.update_one(
                {"_id": session["_id"], "summary.lease": claimed.lease}, {"$set": {"summary.waiting_since": now()}}
            )
        await put_back(self._sessions, "summary", claimed.lease, [session], LOOK_AGAIN)

    async def _finish(self, claimed: Claim, session: Document) -> None:
        """Ends the job, unless messages came in meanwhile that make another window due."""
        while True:
            ended = await self._sessions.update_one(
                {"_id": session["_id"], "summary.lease": claimed.lease, "next_index": session["next_index"]},
                {
                    "$set": {"summary.state": "done", "summary.attempts": 0, "summary.lease_until": now()},
                    "$unset": {"summary.lease": ""},
                },
            )
            if ended.matched_count:
                return
            current = await self._sessions.find_one({"_id": session["_id"]}, {"next_index": 1, "summary": 1})
            if current is None or current["summary"].get("lease") != claimed.lease:
                return
            session["next_index"] = current["next_index"]
            if self._due(session) is not None:
                await put_back(self._sessions, "summary", claimed.lease, [session], timedelta(0))
                return

    async def _write(self, session: Document, window: range, messages: list[Gist], ask: Ask | None) -> None:
        line = in_line(messages)
        text, model = await self._text(line, ask) if line else ("", RULE_BASED)
        moment = now()
        entry = {
            "t": moment,
            "text": text,
            "message_count": len(line),
            "model": model,
            "from_index": window[0],
            "to_index": window[-1],
        }
        key = {"_id": _key_of(session), "user_id": session["user_id"]}
        fresh = {"session_id": session["session_id"], "summaries": [], "created_at": moment}
        async with self._changes.noted(session["user_id"]):
            await self._summaries.update_one(key, {"$setOnInsert": fresh | {"updated_at": moment}}, upsert=True)
            await self._summaries.update_one(
                {**key, "summaries.from_index": {"$ne": window[0]}},
                {
                    "$push": {"summaries": {"$each": [entry], "$slice": -MOST_SUMMARIES}},
                    "$set": {"updated_at": moment},
                },
            )

    async def _text(self, messages: Sequence[Gist], ask: Ask | None) -> tuple[str, str]:
        """The summary and what wrote it. Its lines are read by the encoder before a question is compared with them."""
        text, model = await self._written(messages, ask)
        if self._reader is not None:
            await self._reader.read_all_ahead(lines_of(text))
        return text, model

    async def _written(self, messages: Sequence[Gist], ask: Ask | None) -> tuple[str, str]:
        lines = [f"{m.name or m.role}: {shortened(m)}" for m in messages[-RECIPE.last_messages :]]
        if (written := await write_by_model(ask, "summary", "\n".join(lines), _Summary, RECIPE)) is not None:
            return written
        telling = await self._telling(messages)
        return await asyncio.to_thread(summarise_by_rules, telling, RECIPE.max_tokens), RULE_BASED

    async def _telling(self, messages: Sequence[Gist]) -> list[Gist]:
        """Messages without those of the user's that only want something, but for questions with their mark, which a
        summary tells with their answers."""
        said = [message.content for message in messages if message.role == "user" and "?" not in message.content]
        short = [text for text in said if 0 < len(text) <= LONGEST]
        if self._reader is None or not short:
            return list(messages)
        try:
            vectors = await self._reader.embed(short)
        except ModelError:
            return list(messages)
        doings = {text: doing(vector, text) for text, vector in zip(short, vectors, strict=True)}
        empty = {text for text, does in doings.items() if does.asks_alone and not does.tells}
        return [message for message in messages if message.content not in empty] or list(messages)


async def write_by_model(
    ask: Ask | None,
    kind: Literal["summary", "digest"],
    data: object,
    answer: type[BaseModel],
    recipe: SummaryRecipe | DigestRecipe,
) -> tuple[str, str] | None:
    """What a model writes by the prompt of a kind, and the model's name; None where there is none, or it fails.
    `answer`: has a field of that name."""
    if ask is None:
        return None

    def read(answer: str) -> str:
        return text_in(answer, kind)[:LONGEST_SUMMARY]

    options: ChatOptions = {"temperature": recipe.temperature, "max_tokens": recipe.max_tokens}
    try:
        return await ask(Part(kind, "summary", prompt(kind).substitute(), data, answer, read, options))
    except ModelError as error:
        log.warning("%s by rules: %s", kind, error.detail)
        return None


def lines_of(summary: str) -> list[str]:
    """The lines of a summary, without the marks of a list."""
    return [line.strip().removeprefix("- ").strip() for line in summary.splitlines() if line.strip(" -")]


def in_line(messages: Sequence[Gist]) -> list[Gist]:
    """Messages without those of branches."""
    return [message for message in messages if message.branch is None]


def shortened(message: Gist) -> str:
    """As much of a message as a model summarises."""
    return cut_at_word(message.content, MESSAGE_CHARACTERS)


def key_of(owner: str, session_id: str, epoch: str) -> str:
    """The `_id` of a session's summaries: its own, not that of another session that had the same id before."""
    return derived_id(owner, session_id, epoch)


def _key_of(session: Document) -> str:
    return key_of(session["user_id"], session["session_id"], session["epoch"])


def _summary(document: Document, entry: Document) -> Summary:
    return Summary(document["session_id"], timestamp=entry["t"], **{name: entry[name] for name in WRITTEN})
