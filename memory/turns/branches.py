"""Branches: what of a conversation was left behind when its user went on from an earlier place.

A client that sends its history along says by it what each message follows. Messages that follow one another to the
newest are the conversation's line, in the order of their places. Where the user goes on from an earlier one, what stood
behind that leaves the line: it stays stored, with `branch` in it. `replaced` is the message in whose place another was
put, with its answer, and an answer that was asked for again: recall does not find them, and no facts are made of them.
`left` is what came after these: it was said all the same. Who goes on with a branch has it in the line again.

`follows` is the id of the message before one, as a transcript told it; a message without follows the one at the place
before it, as far as anybody knows, and an answer without its prompt. `again` stands in a prompt that was asked
again: the exchange that answers it now.

A user may also say by a message's id from where to go on (`fork`). Then all that stands behind that in the line leaves
it, whichever door it came by: the user sees it as one conversation.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from weakref import WeakValueDictionary

from memory.domain import LEFT, REPLACED
from memory.gists import Caches
from memory.ids import fingerprint, keys_of
from memory.store import Changes, Collections, pending
from memory.turns.line import (
    BEGINNING,
    COMPARED,
    FIELDS,
    Line,
    Stored,
    Tree,
    behind,
    beside,
    ends_line,
    is_answer,
    is_asked_twice,
    stored,
)
from memory.turns.places import Place, Places
from utils.clock import now
from utils.errors import InvalidInput, NotFound
from utils.mongo import Document
from utils.tasks import each

BATCH = 32  # conversations that a sweep looks after at once
LOOKED_AFTER = timedelta(minutes=2)  # a line that changed: whoever changed it has told all of it by then, or is gone
LINE: Document = {"branch": {"$exists": False}}  # a filter: messages of the line


@dataclass(frozen=True)
class Found:
    """Where a transcript stands in a conversation. `known`: how many of its messages, from the first on, are there or
    before what is; None where none of them tells. `after`: the last of these, None for the beginning of the
    conversation. `asked`: its last message, where that is there. `ends_line`: whether nothing stands behind `after`."""

    known: int | None = None
    after: Stored | None = None
    asked: Stored | None = None
    ends_line: bool = False


@dataclass(frozen=True)
class Fork:
    """From where a user goes on. `after`: what is followed, None for the beginning. `asked`: the message that is asked
    again; None where something else is said."""

    after: Stored | None
    asked: Stored | None = None

    @property
    def follows(self) -> str:
        return BEGINNING if self.after is None else self.after.id


class Branches:
    """The lines of conversations, by what transcripts say."""

    def __init__(
        self,
        collections: Collections,
        places: Places,
        changes: Changes,
        caches: Caches,
        rewrite: Callable[[str, str, Collection[int]], Awaitable[None]],
    ) -> None:
        """`rewrite`: has the summaries written again that cover messages of a session, by their places."""
        self._rewrite = rewrite
        self._sessions = collections.sessions
        self._vectors = collections.vectors
        self._places = places
        self._changes = changes
        self._caches = caches
        self._opening: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()

    def opening(self, owner: str, session_id: str) -> asyncio.Lock:
        """What is held in this process from the look at a conversation to the commit of what goes on in it, so that the
        same request, made twice at once, finds its message."""
        return self._opening.setdefault((owner, session_id), asyncio.Lock())

    async def fork(
        self, owner: str, session_id: str, text: str, *, follows: str | None, instead_of: str | None
    ) -> Fork:
        """Where a text stands that follows a message, or takes the place of one of the user's: where that says the
        same, it is asked again. Raises `NotFound`, and `InvalidInput` where it would take the place of an answer."""
        own = {"user_id": owner, "session_id": session_id, "message_index": {"$gte": 0}}
        named = await self._read(own | {"_id": {"$in": keys_of(instead_of or follows or "", owner)}}, texts=True)
        if not named:
            raise NotFound("No such message in this session")
        [message] = named
        if instead_of is None:
            return Fork(message)
        if message.role != "user":
            raise InvalidInput(
                "instead_of: give the id of a message of the user's; to have its answer again, say the same"
            )
        asked = message if message.print == fingerprint(text) else None
        return Fork(await self._before(own, message), asked)

    async def find(self, owner: str, session_id: str, said: Sequence[Line], *, goes_on: bool = False) -> Found:
        """Where a transcript stands: what the user and the assistant said, to the user's message that is asked about.
        `goes_on`: a model has begun on that."""
        own = {"user_id": owner, "session_id": session_id, "message_index": {"$gte": 0}}
        newest = await self._read(own | LINE, newest=3, texts=True)
        prints = [(role, fingerprint(text)) for role, text in said]
        if not newest:
            return Found()
        if len(prints) == 1:
            return await self._alone(own, newest, prints[0], goes_on=goes_on)
        if ends_line(newest, prints):
            return Found(len(prints) - 1, newest[0], ends_line=True)
        if (newest[0].role, newest[0].print) == prints[-1] and ends_line(newest[1:], prints):
            return Found(len(prints) - 1, newest[1], newest[0])
        same = [mark for _, mark in prints]
        there = await self._saying(own, same)
        if not any((one.role, one.print) == prints[-2] for one in there):  # of other doors, or put in other words
            texts = [text for _, text in said]
            there += await self._read(own | {"fingerprint": {"$exists": False}, "content": {"$in": texts}}, texts=True)
        found = await self._matched(own, there, prints)
        return await self._under_way(own, newest, prints[-1]) if goes_on and found.known is None else found

    async def _alone(self, own: Document, newest: Sequence[Stored], asked: Line, *, goes_on: bool) -> Found:
        """The place of a message that comes without what was before it: the beginning, where the conversation begins so
        and has no other exchange, or its client has sent what came before; the end, where it waits for its answer
        there. Where a model goes on with it, that of the same message."""
        if goes_on:
            return await self._under_way(own, newest, asked)
        if len(newest) > 1 and (newest[0].role, newest[0].print) == asked:
            return Found(asked=newest[0])
        prompts = [one for one in newest if one.role == "user"]
        if len(newest) < 3:
            first = newest[-1]
        elif prompts and prompts[0].follows is not None:
            [first] = await self._read(own | LINE, oldest=1, texts=True)
        else:
            return Found()
        return Found(0, None, first) if (first.role, first.print) == asked else Found()

    async def _under_way(self, own: Document, newest: Sequence[Stored], asked: Line) -> Found:
        """The message that a model goes on with: the last that the user said, or the newest that says the same and
        waits for its answer."""
        last = next((one for one in newest if one.role == "user"), None)
        if last is not None and (last.role, last.print) == asked:
            return Found(0, None, last)
        same = [one for one in await self._saying(own, [asked[1]]) if one.role == asked[0]]
        waits = same and await self._answer_to(own, same[-1]) is None
        return Found(asked=same[-1]) if waits else Found()

    async def _matched(self, own: Document, there: Sequence[Stored], prints: Sequence[Line]) -> Found:
        """The message that most of a transcript leads to, of those that are there."""
        tree = Tree(there)
        before, asked = prints[:-1], prints[-1]
        best: tuple[int, int, bool, int] | None = None
        after: Stored | None = None
        for at, line in enumerate(before):
            for message in there:
                if (message.role, message.print) == line:
                    rank = (tree.reach(message, before, at), at, message.branch is None, message.index)
                    if best is None or rank > best:
                        best, after = rank, message
        if best is None or after is None:
            return Found()
        known = best[1] + 1
        ends = [after]
        if after.role == "user" and any(role == "assistant" for role, _ in before[known:]):  # answered in other words
            ends = await self._answers(own, after) or ends
            after = max(ends, key=lambda one: (one.branch is None, one.index))
        if any(role == "user" for role, _ in before[known:]):
            return Found(known, after)
        again = [one for one in there if (one.role, one.print) == asked and tree.is_behind(one, ends)]
        prompt = max(again, key=lambda one: (one.branch is None, one.index), default=None)
        return Found(len(before), after, prompt)

    async def answer_to(self, owner: str, session_id: str, prompt: Stored) -> Stored | None:
        """The answer in force to a prompt; None where it waits for it yet."""
        return await self._answer_to({"user_id": owner, "session_id": session_id}, prompt)

    async def _answer_to(self, own: Document, prompt: Stored) -> Stored | None:
        answers = await self._answers(own, prompt)
        return next((one for one in answers if one.own_turn == prompt.turn_id), None)

    async def _answers(self, own: Document, prompt: Stored) -> list[Stored]:
        """The first answer to a prompt, and that in force."""
        there = await self._read(own | {"message_index": {"$in": [prompt.index + 1, prompt.reply]}})
        turns = (prompt.own_turn, prompt.turn_id)
        answers = [one for one in there if one.role == "assistant" and one.own_turn in turns]
        if prompt.reply >= 0 or not answers or any(one.branch is None for one in answers):
            return answers
        later = await self._read(own | LINE | {"follows": prompt.id})  # it was asked again where it came from
        return [*answers, *(one for one in later if one.role == "assistant")]

    async def ask_again(self, owner: str, session_id: str, prompt: Stored, turn_id: str) -> Place | None:
        """A place for another answer to a prompt, by the exchange `turn_id`. None where the conversation is gone."""
        place = await self._places.reserve_reply(owner, session_id, prompt.index)
        if place is None:
            return None
        again = {"turn_id": turn_id, "index": place.reply}
        await self._vectors.update_one({"_id": prompt.key, "user_id": owner}, {"$set": {"again": again}})
        return place

    async def left(self, owner: str, session_id: str) -> frozenset[str]:
        """The `_id`s of the messages that left the line."""
        beside = {"user_id": owner, "session_id": session_id, "branch": {"$exists": True}}
        return frozenset([message["_id"] async for message in self._vectors.find(beside, {"_id": 1})])

    async def asked_by(self, owner: str, session_id: str, prompt: Stored, turn_id: str) -> Place | None:
        """The place of the answer that an exchange was to give; None where it was not begun."""
        if prompt.turn_id != turn_id:
            return None
        place = await self._places.place(owner, session_id)
        return place and replace(place, index=prompt.index, reply=prompt.reply)

    async def go_on(
        self,
        owner: str,
        session_id: str,
        after: Stored | None,
        *,
        edited: bool,
        whole: bool = False,
        answering: Collection[str] = (),
    ) -> bool:
        """Has the line end with a message, None for before the first; whether any left it or came back, of which
        `catch_up` has yet to tell. `edited`: the user says something else in the place of what followed it.
        `answering`: exchanges whose answers are under way.

        What came without its history stays, unless the user means the `whole` line: it is another's thread, or came by
        another door.
        """
        own = {"user_id": owner, "session_id": session_id, "message_index": {"$gte": 0}}
        back: list[Stored] = []
        fork: Stored | None = after
        while fork is not None and fork.branch is not None and fork not in back:
            back.append(fork)
            fork = await self._before(own, fork)
        end = after if fork is not None and fork in back else fork
        later = await self._read(own | LINE | {"message_index": {"$gt": -1 if end is None else end.index}})
        leaving = later if whole else behind(end, later)
        if not leaving and not back:
            return False
        replaced = leaving[:1]
        if replaced and replaced[0].role == "user":
            answers = [one for one in leaving if is_answer(one, replaced[0])]
            instead = back[-1].role == "user" if back else edited
            is_asked = bool(answers) or replaced[0].turn_id in answering
            taken_back = instead and (is_asked or whole)  # what nobody answered was not
            replaced = [*replaced, *answers] if taken_back else []
        left = [one for one in leaving if one not in replaced]
        # Whoever makes facts takes those of a message that was replaced, and makes those of one that is back.
        stated = [one for one in replaced if one.role == "user"] + [one for one in back if one.branch == REPLACED]
        await self._note(owner, session_id, [*leaving, *back])
        # What was left is found by what it follows: where this ends early, the same request ends it.
        await self._mark(owner, {LEFT: left, REPLACED: replaced, None: back}, stated)
        await self._take_along(owner, session_id, {REPLACED: replaced, LEFT: left})
        await self._count(owner, session_id)
        return True

    async def _take_along(self, owner: str, session_id: str, gone: Mapping[str, Sequence[Stored]]) -> None:
        """Has the answers leave the line that landed while their prompts, by the branch of each, left it: such a one
        may have looked for its prompt's mark too early."""
        own = {"user_id": owner, "session_id": session_id}
        for branch, messages in gone.items():
            turns = [turn for one in messages if one.role == "user" for turn in (one.own_turn, one.turn_id) if turn]
            late = await self._read(own | LINE | {"role": "assistant", "turn_id": {"$in": turns}}) if turns else []
            if late:
                await self._note(owner, session_id, late)
                await self._mark(owner, {branch: late})

    async def settle(self, owner: str, session_id: str, index: int, turn_id: str) -> bool:
        """Has the answer of an exchange stand where its prompt, at a place, does by now: that may have left the line,
        or been asked again, while it came. A prompt that another process was asked at the same time leaves the line,
        too. Whether any message left it, as `go_on` has it."""
        own = {"user_id": owner, "session_id": session_id}
        there = {one.index: one for one in await self._read(own | {"message_index": {"$in": beside(index)}})}
        prompt = there.get(index)
        if prompt is None or prompt.role != "user":
            return False
        twin = prompt.branch is None and is_asked_twice(prompt, there)
        if not twin and prompt.branch is None and prompt.turn_id == turn_id:
            return False
        leaving = await self._read(own | LINE | {"turn_id": turn_id, "role": "assistant"})
        leaving = [prompt, *leaving] if twin else leaving
        if leaving:
            await self._note(owner, session_id, leaving)
            await self._mark(owner, {prompt.branch or REPLACED: leaving}, leaving[:1] if twin else ())
            await self._count(owner, session_id)
        return bool(leaving)

    async def _note(self, owner: str, session_id: str, turning: Sequence[Stored]) -> None:
        """Notes in the session which messages are about to leave the line or come back, so that it is caught up with
        in any case."""
        places = [one.index for one in turning]
        noted: Document = {"$set": {"turned.at": now()}, "$addToSet": {"turned.places": {"$each": places}}}
        noted["$inc"] = {"line_changes": 1}
        await self._sessions.update_one({"user_id": owner, "session_id": session_id}, noted)

    async def _count(self, owner: str, session_id: str) -> None:
        own = {"user_id": owner, "session_id": session_id}
        beside = await self._vectors.count_documents(own | {"message_index": {"$gte": 0}, "branch": {"$exists": True}})
        await self._sessions.update_one(own, {"$set": {"left_behind": beside}})
        self._places.look_again(owner, session_id)

    async def catch_up(self, owner: str, session_id: str) -> None:
        """Has the summaries, and the count of what is beside the line, tell of a line that changed. May run twice."""
        own = {"user_id": owner, "session_id": session_id}
        session = await self._sessions.find_one(own, {"turned": 1})
        if session is None or (turned := session.get("turned")) is None:
            return
        prompts = await self._read(own | {"message_index": {"$in": turned["places"]}, "role": "user"})
        gone = {branch: [one for one in prompts if one.branch == branch] for branch in (REPLACED, LEFT)}
        await self._take_along(owner, session_id, gone)  # an answer lands beside the look by which it was in the line
        await self._count(owner, session_id)
        await self._rewrite(owner, session_id, turned["places"])
        await self._sessions.update_one(own | {"turned": turned}, {"$unset": {"turned": ""}})

    async def sweep(self) -> None:
        """Catches up where whoever changed a line has not, as a kill leaves it."""
        due = {"turned.at": {"$lt": now() - LOOKED_AFTER}}
        sessions = await self._sessions.find(due, {"user_id": 1, "session_id": 1}).limit(BATCH).to_list(None)
        await each(partial(self.catch_up, one["user_id"], one["session_id"]) for one in sessions)

    async def _mark(
        self, owner: str, marks: Mapping[str | None, Sequence[Stored]], stated: Sequence[Stored] = ()
    ) -> None:
        """Marks messages, None for the line; every index and cache sees it at its next look. `stated`: those whose
        facts are settled anew, which is marked in the same write."""
        while True:
            number = await self._changes.take(owner, deletion=True)
            for branch, messages in marks.items():
                keys = {"_id": {"$in": [one.key for one in messages]}, "user_id": owner}
                anew = {"_id": {"$in": [one.key for one in messages if one in stated]}, "user_id": owner}
                marked: Document = {"change": number} | ({} if branch is None else {"branch": branch})
                back: Document = {"$unset": {"branch": ""}} if branch is None else {}
                with_facts = {"$set": marked | {"facts": pending()}} | back
                await self._vectors.update_many(anew | {"facts": {"$exists": True}}, with_facts)
                await self._vectors.update_many(keys | {"change": {"$ne": number}}, {"$set": marked} | back)
            self._caches.let_go(owner, [one.key for one in marks.get(REPLACED, ())])
            if await self._changes.close(owner, number):
                return

    async def _before(self, own: Document, message: Stored) -> Stored | None:
        """The message that one follows; where it is gone, the newest of the line before it."""
        if message.follows == BEGINNING:
            return None
        earlier = own | {"message_index": {"$gte": 0, "$lt": message.index}}
        filter = earlier
        if message.follows is not None:
            filter = own | {"_id": {"$in": keys_of(message.follows, own["user_id"])}}
        elif message.role == "assistant" and message.turn_id is not None:
            filter = own | {"turn_id": message.turn_id, "role": "user"}
        found = await self._read(filter, newest=1) or await self._read(earlier | LINE, newest=1)
        return found[0] if found else None

    async def _saying(self, own: Document, prints: Sequence[str]) -> list[Stored]:
        """The messages with these fingerprints, in the order of their places."""
        filter = {"user_id": own["user_id"], "session_id": own["session_id"], "fingerprint": {"$in": list(set(prints))}}
        newest = self._vectors.find(filter, FIELDS).sort("timestamp", -1).limit(COMPARED)
        return sorted(map(stored, await newest.to_list(None)), key=lambda message: message.index)

    async def _read(self, filter: Document, *, newest: int = 0, oldest: int = 0, texts: bool = False) -> list[Stored]:
        """Messages in the order of their places, the `newest` the other way round. `texts`: to be compared, also those
        that have no fingerprint."""
        fields = FIELDS | {"content": 1} if texts else FIELDS
        cursor = self._vectors.find(filter, fields).sort("message_index", -1 if newest else 1)
        return [stored(document) for document in await cursor.limit(newest or oldest).to_list(None)]
