"""Forgetting: something is deleted with all that was derived from it.

Of single messages, what was made of them goes first and they go last: a deletion that a crash cut short finds them
again when it is repeated, or when the sweep ends it. Before all they are marked as forgotten. From then on summaries
and digests are made without them, though they are still there, and the mark tells the session's counts that this is the
same deletion.
"""

import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial

from memory.domain import RULE_BASED
from memory.gists import TEXT, Gists
from memory.ids import derived_id, keys_of, new_id, prompt_id, user_of
from memory.oversight.unquote import QUOTED, Told, lines_of, patterns_of_values
from memory.product import Product, SessionEnd
from memory.store import Store, leased, pending
from memory.turns import TOLD, Conversations, Ended, title_of
from utils.clock import now
from utils.errors import LociError, NotFound
from utils.mongo import Document
from utils.tasks import each
from utils.text import content_stems

CUT_SHORT = timedelta(minutes=10)  # after which a deletion that is not done was cut short: models may rewrite summaries
AT_ONCE = 100

log = logging.getLogger(__name__)


class Forgetter:
    """Deletes sessions, users, single messages and texts. Every recall index of every process sees it at its next
    search."""

    def __init__(self, store: Store, gists: Gists, conversations: Conversations, products: Sequence[Product]) -> None:
        self._store = store
        self._collections = store.collections
        self._projects = conversations.projects
        self._sessions = conversations.sessions
        self._summaries = conversations.summaries
        self._receipts = conversations.receipts
        self._caches = gists.caches
        self._eraser = gists.eraser
        self._products = products

    async def session(self, owner: str, session_id: str, ended: Ended | None = None) -> dict[str, int]:
        """Deletes a session with its messages, summaries, facts, receipts, what observations came of it and what
        the tools of its agent gave; returns counts by collection.

        It is ended first, so that answers that land later find it gone, and what is said from then on stays. Called
        again after a crash, it deletes what was left. An import of the user's that is under way ends. `ended`: how it
        was ended already.
        """
        await self._end_imports(owner)
        begun = now()
        ended = ended or await self._sessions.end(owner, session_id)
        successor, places = (None, None) if ended is None else (ended.successor, ended.places)
        session = SessionEnd(session_id, begun, now(), successor, places)
        counts = Counter(sessions=int(ended is not None))
        for product in self._products:
            counts.update(await product.forget_session(owner, session))
        if ended is not None:
            await self._sessions.drop_unused(owner, ended)
        if not any(counts.values()):
            raise NotFound("No such session")
        return dict(counts)

    async def exchanges(self, owner: str, source_ids: Iterable[str]) -> int:
        """Deletes the exchanges of messages, so that neither recall nor a summary tells them again; returns how many
        messages that were."""
        return sum([await self.exchange(owner, source) for source in dict.fromkeys(source_ids)])

    async def exchange(self, owner: str, source_id: str) -> int:
        """Deletes the exchange that a message belongs to, or the message alone where it was imported; returns how many
        messages that were. The session's title goes where it quotes the message."""
        source = {"_id": {"$in": keys_of(source_id, owner)}, "user_id": owner}
        message = await self._collections.vectors.find_one(source)
        if message is None:
            return 0
        own = {"user_id": owner, "session_id": message["session_id"]}
        prompt = message["id"]
        if message["role"] == "assistant" and "turn_id" in message:
            prompt = message.get("follows") or prompt_id(message["turn_id"])
        # The answers to a prompt that was asked again are each of an exchange of its own.
        either: list[Document] = [{"id": prompt}, {"follows": prompt, "role": "assistant"}]
        either += [{"turn_id": message["turn_id"]}] if "turn_id" in message else []
        found = await self._collections.vectors.find(own | {"$or": either}, {"turn_id": 1}).to_list(None)
        turns = {one["turn_id"] for one in found if "turn_id" in one} or {message["id"]}
        for turn_id in turns:
            await self._receipts.delete(owner, turn_id)
        of_turns = own | {"turn_id": {"$in": list(turns)}}
        await self._collections.drafts.delete_many(of_turns)  # else its answer would be recovered
        return await self._messages(owner, of_turns if "turn_id" in message else own | {"$or": either})

    async def message(self, owner: str, message_id: str) -> bool:
        """Deletes one message, whatever becomes of the rest of its exchange; False where there is none. Its receipt,
        the facts that it alone supported, and the session's title where it quotes the message go with it."""
        message = await self._turn(owner, message_id)
        if message is None:
            return False
        await self._receipts.delete(owner, message.get("turn_id") or message["id"])
        own = {"user_id": owner, "session_id": message["session_id"], "id": message["id"]}
        await self._collections.drafts.delete_many(own)  # of an answer that was recovered from it just now
        return await self._messages(owner, {"_id": message["_id"], "user_id": owner}) > 0

    async def reword(self, owner: str, message_id: str, text: str) -> bool:
        """Puts another text in the place of a message's; False where there is none. What was made of the former text
        goes or is made anew: embedding, facts, summary, title, the receipt of a question, observations."""
        while (message := await self._turn(owner, message_id)) is not None:
            if message["role"] == "user":
                await self._receipts.delete(owner, message.get("turn_id") or message["id"])
            told = await self._told_of(owner, message["session_id"], [message])
            # First the job is taken from whoever makes facts of the former text; after a crash it comes back.
            held = {"_id": message["_id"], "user_id": owner, "facts": {"$exists": True}}
            await self._collections.vectors.update_one(held, {"$set": {"facts": leased()}})
            await self._forget_made(owner, message)
            if await self._overwrite(owner, message, text):  # else somebody was faster: it has yet another text
                await self._unquote(owner, told.but_for(text))
                await self._sessions.retitle(owner, message, title_of(text))
                return True
        return False

    async def redact(self, owner: str, key: str, values: Sequence[str]) -> int:
        """Takes the values that a fact had out of the assistant's messages that speak of it; returns how many those
        were. Their embeddings and the summaries that cover them are made anew."""
        longest = sorted(set(filter(None, values)), key=len, reverse=True)  # of "44" and "4471" the whole goes
        if not longest:
            return 0
        subject = set(content_stems(key))

        def without_values(text: str) -> str:
            if subject & set(content_stems(text)):
                for value in longest:
                    text = _without_value(text, value)
            return text

        return await self._take_out(owner, patterns_of_values(longest), without_values)

    async def _take_out(
        self, owner: str, patterns: Sequence[str], take_out: Callable[[str], str], **which: object
    ) -> int:
        """Gives the assistant's messages that match a pattern the texts that are left of them; returns how many there
        were. `which`: of these messages."""
        changed = set[str]()
        for pattern in patterns:
            telling = {"user_id": owner, "role": "assistant", **which, "content": {"$regex": pattern}}
            for message in await self._collections.vectors.find(telling, TEXT).to_list(None):
                found: Document | None = message
                while found is not None and (text := take_out(found["content"])) != found["content"]:
                    if await self._overwrite(owner, found, text):
                        changed.add(found["_id"])
                        break
                    found = await self._turn(owner, found["id"])  # somebody else was faster
        return len(changed)

    async def _told_of(self, owner: str, session_id: str, messages: Sequence[Document]) -> Told:
        """What answers by rules may have told of messages: what these say, what was made of them alone, and the lines
        of a model's summaries of them."""
        ids, places = [message["id"] for message in messages], [message["message_index"] for message in messages]
        texts = [message["content"] for message in messages]
        for product in self._products:
            texts += await product.texts_of(owner, ids)
        lines: set[str] = set()
        for summary in await self._summaries.of_session(owner, session_id):
            if summary.model != RULE_BASED and any(summary.from_index <= at <= summary.to_index for at in places):
                lines |= lines_of(summary.text)
        return Told(tuple(texts), frozenset(lines))

    async def _unquote(self, owner: str, told: Told) -> None:
        """Takes what was told out of the answers by rules, which quote and sum up."""
        await self._take_out(owner, told.patterns(), told.taken_out_of, model=RULE_BASED, **TOLD)

    async def user(self, owner: str, until: datetime | None = None) -> dict[str, int]:
        """Deletes everything of a user that is there now, isolated projects with it; returns counts by collection. An
        import that is under way ends. `until`: where what was said or kept since that moment stays."""
        await self._end_imports(owner)  # first: what of it landed before is not later than this
        moment, own = until or now(), {"user_id": owner}
        counts = Counter(sessions=0)
        for apart in await self._projects.apart(owner):
            counts.update(await self.user(apart, until))
        going = own | ({} if until is None else {"updated_at": {"$lte": until}})
        for session in await self._collections.sessions.find(going, {"session_id": 1}).to_list(None):
            with suppress(NotFound):  # somebody else was faster
                counts.update(await self.session(owner, session["session_id"]))
        for product in reversed(self._products):  # what was made of messages goes before them
            counts.update(await product.forget_user(owner, moment))
        await self._collections.idempotency.delete_many(own | {"at": {"$lte": moment}})
        if await self._store.drop_unused(owner):  # else the user came back meanwhile
            self._caches.forget(owner)
        return dict(counts)

    async def _end_imports(self, owner: str) -> None:
        """What an import brings from now on is taken back (`memory/portable`)."""
        await self._collections.idempotency.delete_many({"user_id": user_of(owner), "importing": True})

    async def finish(self) -> None:
        """Ends the deletions of messages that a crash cut short, some of them at a time."""
        marked = {"forgotten.at": {"$exists": True, "$lt": now() - CUT_SHORT}}
        messages = await self._collections.vectors.find(marked, {"user_id": 1}).limit(AT_ONCE).to_list(None)
        await each(partial(self._finish, message["user_id"], message["_id"]) for message in messages)

    async def _finish(self, owner: str, key: str) -> None:
        try:
            await self._messages(owner, {"_id": key, "user_id": owner})
        except LociError as error:
            log.warning("the deletion of a message is ended later: %s", error.detail)

    async def _turn(self, owner: str, message_id: str) -> Document | None:
        own = {"_id": {"$in": keys_of(message_id, owner)}, "user_id": owner, "kind": "turn"}
        message: Document | None = await self._collections.vectors.find_one(own, TEXT)
        return message

    async def _messages(self, owner: str, going: Document) -> int:
        """Deletes the messages of a filter, all of one session; returns how many."""
        deleted = 0
        while messages := await self._marked(going):  # again where an answer landed meanwhile
            session_id = messages[0]["session_id"]
            told = await self._told_of(owner, session_id, messages)
            await self._unquote(owner, told)  # first, for what was made of them tells what to look for
            for message in messages:
                mark = derived_id(message["forgotten"]["by"], message["_id"])[:16]
                await self._sessions.uncount(owner, session_id, mark, is_answer=message["role"] == "assistant")
            for message in messages:
                await self._forget_made(owner, message)
                await self._sessions.retitle(owner, message)
            await self._summaries.rewrite(owner, session_id, [message["message_index"] for message in messages])
            keys = [message["_id"] for message in messages]
            deleted += await self._eraser.erase(owner, {"_id": {"$in": keys}, "user_id": owner})
            for message in messages:  # again, for whoever was making facts of it
                await self._forget_made(owner, message)
            await self._unquote(owner, told)  # and for whoever was answering with it
        return deleted

    async def _forget_made(self, owner: str, message: Document) -> None:
        """Deletes what was made of a message alone."""
        for product in self._products:
            await product.forget_message(owner, message["session_id"], message["id"])

    async def _marked(self, going: Document) -> list[Document]:
        """The messages of a filter, each under the mark of the first deletion of it; no more facts are made of them."""
        vectors = self._collections.vectors
        mark = {"by": new_id(), "at": now()}
        await vectors.update_many(
            going | {"forgotten": {"$exists": False}}, {"$set": {"forgotten": mark}, "$unset": {"facts": ""}}
        )
        marked: list[Document] = await vectors.find(going | {"forgotten": {"$exists": True}}, TEXT).to_list(None)
        return marked

    async def _overwrite(self, owner: str, message: Document, text: str) -> bool:
        """Gives a message another text, of which embedding, facts and the summary that covers it are to be made; False
        where it has not the text any more that was found."""
        anew = {"content": text, "embed": pending()} | ({"facts": pending()} if "facts" in message else {})
        async with self._store.changes.overwriting(owner):
            done = await self._collections.vectors.update_one(
                {"_id": message["_id"], "user_id": owner, "content": message["content"]},
                {"$set": anew, "$unset": {"embedding": "", "embedding_model": "", "recall": ""}},
            )
        self._caches.let_go(owner, [message["_id"]])
        await self._forget_made(owner, message)
        await self._summaries.rewrite(owner, message["session_id"], [message["message_index"]])
        return bool(done.matched_count)


def _without_value(text: str, value: str) -> str:
    if value[:QUOTED].lower() not in text.lower():
        return text
    return re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", "…", text, flags=re.IGNORECASE)
