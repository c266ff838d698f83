"""The queue of messages that facts are still to be made of."""

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from functools import partial
from time import monotonic

from memory.domain import REPLACED, RULE_BASED
from memory.facts.facts import Decided, Facts, Origin
from memory.facts.learner import Learner, Reading, origin_of
from memory.facts.rules.reconcile import Add, Decision, Delete, Keep, Update
from memory.gists import gist_of, is_of_the_user
from memory.store import Claim, Collections, NamedLeases, claim, fail, held, put_back
from memory.turns import TOLD, Writings
from utils.chat import ChatModel
from utils.clock import at_home, now
from utils.embeddings import LocalEmbedder
from utils.errors import Conflict, LociError, NotFound
from utils.model_json import Ask, asking
from utils.mongo import Document
from utils.one_call import in_one_call
from utils.text import on_one_line, without_recalled
from utils.yielding import Pace

BATCH = 16  # messages, where each is a question to a model
BATCH_BY_RULES = 128
NEWEST = 4  # one in so many of a batch, while more waits than it holds: of those who come after an import, say
TURN = 2.0  # seconds, after which other work of the process has its turn
LOOK_AGAIN = timedelta(seconds=1)  # after an earlier message of the same conversation was found unsettled
ANSWERED = timedelta(minutes=1)  # within which a message is mostly answered; its facts wait no longer
TRIES = 4  # times that is decided what becomes of the same facts, where those in force changed meanwhile

SETTLED = {
    "$set": {"facts.state": "done"},
    "$unset": {"facts.lease": "", "facts.lease_until": "", "facts.error": "", "facts.decisions": ""},
}

log = logging.getLogger(__name__)

_DECISIONS: dict[str, type[Add] | type[Update] | type[Delete] | type[Keep]] = {
    "ADD": Add,
    "UPDATE": Update,
    "DELETE": Delete,
    "NONE": Keep,
}


class FactQueue:
    """The messages whose facts are to be settled. Any number of workers may run `work` at once. `writings`:
    are written of a conversation along with its facts, or once they are settled. Of a message that was replaced, the
    facts go that it alone supported."""

    def __init__(
        self,
        collections: Collections,
        leases: NamedLeases,
        facts: Facts,
        reader: LocalEmbedder,
        model: ChatModel | None,
        writings: Writings,
    ) -> None:
        self._vectors = collections.vectors
        self._leases = leases
        self._facts = facts
        self._learner = Learner(collections, facts, reader, model)
        self._model = model
        self._ask = asking(model) if model is not None else None
        self._writings = writings

    async def work(self) -> int:
        """Settles what is due, each conversation in order, and then sees to its upkeep; returns how many messages."""
        total = 0
        while (settled := await self.step()) is not None:
            total += settled
        return total

    async def turn(self) -> bool:
        """Settles what is due for some seconds; returns whether there may be more, for which others have their turn
        first."""
        until = monotonic() + TURN
        while await self.step() is not None:
            if monotonic() >= until:
                return True
        return False

    async def step(self) -> int | None:
        """Settles some of what is due; returns how many messages, None where nothing was due."""
        pace = Pace()
        most = BATCH_BY_RULES if self._model is None else BATCH
        claimed = await claim(self._vectors, "facts", most, without="embedding", newest=most // NEWEST)
        if not claimed.documents:
            return None
        async with held(self._vectors, "facts", claimed):
            settled = await self._settle_all(claimed, pace)
            proxied = (message for message in settled if message.get("proxied"))
            for owner, session_id in dict.fromkeys((one["user_id"], one["session_id"]) for one in proxied):
                await pace.step()
                await self._writings.follow(owner, session_id)
        return len(settled)

    async def learn(self, owner: str, memory_id: str, text: str, timezone: str | None = None) -> list[Decided]:
        """Settles what a text states, as if the user had said it now, in a time zone; a statement that no rule
        understands is a fact itself.

        Raises `Conflict` where the conversation is deleted meanwhile, or others keep changing its facts.
        """
        async with self._facts.asking(Origin(owner, memory_id, RULE_BASED, now())) as origin:
            reading = await self._learner.read_as_told(owner, text, at_home(origin.at, timezone), self._ask)
            return await self._learn(replace(origin, by=reading.by), reading) if reading.stated else []

    async def _learn(self, origin: Origin, reading: Reading) -> list[Decided]:
        async with self._leases.held("learning", origin.owner) as held:
            if not held:
                raise Conflict("Other things are being learnt of the user", retry_after=1.0)
            await self._learner.keep_corrected(origin, reading.stated)
            for _ in range(TRIES):
                decisions, by = await self._learner.decisions(origin, reading)
                try:
                    return await self._facts.apply(replace(origin, by=by, at=now()), decisions)
                except (Conflict, NotFound) as error:
                    log.info("decided anew: %s", error.detail)
        raise Conflict("The facts of the conversation are changed or deleted meanwhile", retry_after=1.0)

    async def _settle_all(self, claimed: Claim, pace: Pace) -> list[Document]:
        """Settles what was claimed, each conversation in order, and one beside the other as they were said: what is due
        longest, then those of who said least; returns the messages that are settled. What a turn has no time for is
        given back."""
        said = Counter(document["user_id"] for document in claimed.documents)
        documents = _by_time(claimed.documents)
        longest = next(one for one in documents if one["session_id"] == claimed.documents[0]["session_id"])
        documents.sort(key=lambda one: 0 if one is longest else said[one["user_id"]])
        stating: list[Document] = []
        silent: list[Document] = []
        for document in documents:
            (silent if await self._states_nothing(document) else stating).append(document)
        settled = await self._settle_silent(claimed.lease, silent) if silent else []
        until, written = monotonic() + TURN, set[tuple[str, str]]()  # conversations of which all is written by now
        for at, document in enumerate(stating):
            await pace.step()
            if at and monotonic() >= until:
                await put_back(self._vectors, "facts", claimed.lease, stating[at:], None)
                break
            if await self._settle(claimed, document, written):
                settled.append(document)
        return settled

    async def _settle_silent(self, lease: str, documents: list[Document]) -> list[Document]:
        """Settles messages that state nothing, which are most, in one call; returns those that are settled."""
        keys = [document["_id"] for document in documents]
        mine = {"_id": {"$in": keys}, "facts.lease": lease}
        if (await self._vectors.update_many(mine, SETTLED)).matched_count == len(documents):
            return documents
        for document in documents:
            await self._forget_where_deleted(document)
        done = {"_id": {"$in": keys}, "facts.state": "done"}
        left = {found["_id"] for found in await self._vectors.find(done, {"_id": 1}).to_list(None)}
        return [document for document in documents if document["_id"] in left]

    async def _states_nothing(self, document: Document) -> bool:
        """Whether it is known without a look at the conversation, or at a model's answer, that no facts are made of a
        message."""
        if not is_of_the_user(document["user_id"], document["role"], document.get("name")):
            return True
        if document.get("branch") == REPLACED:
            return False
        is_decided = "decisions" in document["facts"]
        if self._model is not None or is_decided:
            return False
        content = without_recalled(document["content"])
        return not await self._learner.read_by_rules(content, gist_of(document).said_at)

    async def _settle(self, claimed: Claim, document: Document, written: set[tuple[str, str]]) -> bool:
        """Whether a message is settled; one that fails or has to wait is given back, so that the others go on.
        `written`: the conversations beside whose facts nothing is to be written; this one's comes in."""
        lease = claimed.lease
        mine = self._mine(lease, document)
        try:
            if document.get("branch") == REPLACED:
                await self._facts.forget_source(document["user_id"], document["session_id"], document["id"])
            elif (
                await self._is_early(document)
                or await self._is_being_answered(document)
                or not (await self._is_echo(document) or await self._learn_along(lease, document, written))
            ):
                wait = None if document["_id"] in claimed.ahead else LOOK_AGAIN
                await put_back(self._vectors, "facts", lease, [document], wait)
                return False
        except Exception as error:
            if isinstance(error, LociError):
                log.warning("the facts of a message are not settled: %s", error.detail)
            else:
                log.exception("the facts of a message are not settled")
            await fail(self._vectors, "facts", lease, [document], type(error).__name__)
            return False
        if (await self._vectors.update_one(mine, SETTLED)).matched_count:
            return True
        await self._forget_where_deleted(document)
        return False

    async def _is_early(self, document: Document) -> bool:
        """Whether an earlier message of the conversation is still to be settled, which may take a while."""
        earlier = {
            "user_id": document["user_id"],
            "session_id": document["session_id"],
            "message_index": {"$gte": 0, "$lt": document["message_index"]},
            "facts.state": {"$in": ["pending", "leased"]},
            "facts.lease_until": {"$exists": True},  # as the index has it
        }
        return await self._vectors.find_one(earlier, {"_id": 1}) is not None

    async def _is_being_answered(self, document: Document) -> bool:
        """Whether a message waits for its answer, which a model's work on facts would delay, and after which more is to
        be written by a model."""
        if self._model is None or "turn_id" not in document or now() - document["created_at"] > ANSWERED:
            return False
        later = {
            "user_id": document["user_id"],
            "session_id": document["session_id"],
            "message_index": {"$gt": document["message_index"]},
        }
        return await self._vectors.find_one(later, {"_id": 1}) is None

    async def _is_echo(self, document: Document) -> bool:
        """Whether the answer before a message says all of it, word for word, as one does that quotes memories."""
        before = {
            "user_id": document["user_id"],
            "session_id": document["session_id"],
            "message_index": {"$gte": 0, "$lt": document["message_index"]},
            "role": "assistant",
        }
        found = await self._vectors.find(before, {"content": 1}).sort("message_index", -1).limit(1).to_list(None)
        return any(on_one_line(document["content"]) in on_one_line(answer["content"]) for answer in found)

    async def _learn_along(self, lease: str, document: Document, written: set[tuple[str, str]]) -> bool:
        """As `_learn_from`; what else a model is to write of the conversation goes along in one call."""
        if self._model is None:
            return await self._learn_from(lease, document, None)
        conversation = (document["user_id"], document["session_id"])
        due = await self._writings.due(document) if conversation not in written else ()
        written.add(conversation)
        return await in_one_call(self._model, partial(self._learn_from, lease, document), due)

    async def _learn_from(self, lease: str, document: Document, ask: Ask | None) -> bool:
        """Makes facts of a message; False where others keep the owner's.

        Decisions are committed before they are carried out, so that a crash in between does not make others of facts
        that are half settled. They are made anew where the facts that they are of have changed since.
        """
        stored = document["facts"].get("decisions")
        reading = Reading(())
        if stored is None:
            reading = await self._read_message(document, ask)
            if not reading.stated:
                return True
        async with self._leases.held("learning", document["user_id"]) as held:
            if not held:
                return False
            if stored is not None:
                try:
                    await self._carry_out(lease, document, stored)
                    return True
                except (Conflict, NotFound):
                    reading = await self._read_message(document, ask)
            origin, stands = origin_of(document, reading.by), partial(self._stands, lease, document)
            await self._learner.keep_corrected(origin, reading.stated, stands)
            for _ in range(TRIES):
                decisions, decided_by = await self._learner.decisions(origin, reading)
                written = {
                    "by": decided_by,
                    "at": document["timestamp"],
                    "of": [asdict(decision) for decision in decisions],
                }
                kept = {"$set": {"facts.decisions": written}}
                if not (await self._vectors.update_one(self._mine(lease, document), kept)).matched_count:
                    return True  # the lease ran out, or the message was deleted
                try:
                    await self._carry_out(lease, document, written)
                    return True
                except (Conflict, NotFound) as error:
                    log.info("decided anew: %s", error.detail)
        raise Conflict("The facts of the conversation are changed meanwhile")

    async def _carry_out(self, lease: str, document: Document, written: Document) -> None:
        stands = partial(self._stands, lease, document)
        await self._facts.apply(origin_of(document, written["by"]), _read(written["of"]), stands)

    async def _stands(self, lease: str, document: Document) -> bool:
        """Whether a message is there, and still this worker's."""
        return await self._vectors.find_one(self._mine(lease, document), {"_id": 1}) is not None

    async def _read_message(self, document: Document, ask: Ask | None) -> Reading:
        return await self._learner.read(document["user_id"], document["content"], gist_of(document).said_at, ask)

    def _mine(self, lease: str, document: Document) -> Document:
        """The filter of a message that is there, and still this worker's to settle."""
        return {"_id": document["_id"], "facts.lease": lease}

    async def _forget_where_deleted(self, document: Document) -> None:
        """Takes back the facts of a message that was deleted meanwhile, or is being deleted."""
        there = {"_id": document["_id"], "user_id": document["user_id"], **TOLD}
        if await self._vectors.find_one(there, {"_id": 1}) is None:
            await self._facts.forget_source(document["user_id"], document["session_id"], document["id"])


def _by_time(messages: Iterable[Document]) -> list[Document]:
    """Messages in the order in which they were said; those of a conversation stay in that of their places."""
    reached: dict[tuple[str, str], datetime] = {}
    moments: list[tuple[datetime, Document]] = []
    for message in sorted(messages, key=lambda message: int(message["message_index"])):
        conversation, said = (message["user_id"], message["session_id"]), message["timestamp"]
        reached[conversation] = max(said, reached.get(conversation, said))
        moments.append((reached[conversation], message))
    return [message for _, message in sorted(moments, key=lambda moment: moment[0])]


def _read(stored: Sequence[Document]) -> list[Decision]:
    return [_DECISIONS[decision["event"]](**{k: v for k, v in decision.items() if k != "event"}) for decision in stored]
