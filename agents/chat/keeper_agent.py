"""The keeper agent: keeps what the user asks to be kept under a key, and deletes what is to be forgotten."""

import re
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from agents.chat.context import ChatRequest, Context
from memory.domain import KeyValue
from memory.engine import Engine
from memory.facts import (
    Fact,
    attribute_meant,
    corrects,
    fact_meant,
    facts_near,
    gives,
    key_and_value,
    key_named,
    keys_beside,
    keys_of_the_same,
    owned,
    place_beside,
    says_forget,
    statement_to_forget,
    statement_to_remember,
    told,
    unmarked,
    value_instead,
)
from memory.language import asked_by, doing
from memory.oversight import Statement
from memory.turns import NONE, Place
from utils.errors import NotFound, PreconditionFailed
from utils.text import content_stems, slug

TRIES = 4  # times that a key is chosen anew, where others keep something under it meanwhile
CANDIDATES = 5  # statements that are named where several may be meant
NAMED = 3  # keys that are named in an answer
LOOKED_AT = 1_000  # facts among which the one to forget is looked for
ONE_AT_A_TIME = (
    "I forget one thing at a time, so nothing was deleted. Name it, delete this conversation, or have all that I know "
    "of you deleted with DELETE /v1/users/{user_id}."
)
SPOKEN_OF = "Other messages of yours say something else of it, and stay until you delete them."
IN_ENGLISH = (
    "I deleted nothing. What to forget I understand in English alone, as in “forget my phone number” or “forget that I "
    "live in Lyon”. You can also delete the message that says it, or this conversation."
)
NOTHING_STORED = "I have no stored fact of exactly that kind, so nothing was deleted."
OTHER_WAYS = (
    "You can say what it is, as in “forget that I live in Lyon”, delete the message that says it, or this conversation."
)
WHICH = "You told me several of these, so nothing was deleted. Which one? Say “forget that”, and what it is:"
OF_THE_USER = frozenset(content_stems("the user"))  # what a fact says beside the statement
TEMPORARY = "This is a temporary chat: nothing is stored or deleted."
PAUSED = "Remembering is paused: nothing is stored or deleted."
KEPT_HERE = "Noted. I'll remember that in this conversation."

_MY = re.compile(r"^(?:my|our|the) ", re.IGNORECASE)
_KNOWN = r"(?:that )?(?:you (?:know|have|keep|stored|store|saved|remember)|i (?:said|told you))(?: (?:about|of|on) me)?"
_ALL = re.compile(
    rf"everything|all|anything|me|{_KNOWN}|"
    r"(?:all |everything )?(?:of )?(?:my|our|the) (?:(?:personal|private|stored|saved|own) )?"
    r"(?:data|information|info|memory|memories|messages|conversations|chats|history|chat history|account|facts|details)"
    rf"(?: (?:about|of|on) me| {_KNOWN})?",
    re.IGNORECASE,
)


class Done(NamedTuple):
    """What was done upon a request, in words. `changed`: something was kept or deleted; `forgotten`: the request was
    deleted with it."""

    said: str
    changed: bool = False
    forgotten: bool = False


class KeeperAgent:
    """Stores the key/value fact of "remember that …", and deletes the one that "forget …" means."""

    name = "keeper_agent"

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def run(self, context: Context) -> Context:
        request = context.request
        if request.temporary:
            return replace(context, done=PAUSED if request.paused else TEMPORARY)
        if (statement := statement_to_remember(request.query)) is not None:
            # Key-values are the user's, and known in every session.
            if request.isolated:
                return replace(context, done=KEPT_HERE)
            return replace(context, done=await self.keep(request.owner, statement, request.prompt_id))
        if (meant := statement_to_forget(request.query)) is None:
            return replace(context, done=IN_ENGLISH)
        done = await (self._forget_here if request.isolated else self._forget)(request, meant)
        return replace(context, done=done.said, forgotten=done.forgotten)

    async def done(self, request: ChatRequest, place: Place | None) -> Done | None:
        """What is done upon a message at a place that is answered elsewhere; None where it asks for nothing to be kept
        or forgotten. "Remove my name" may be said of anything there, so nothing is deleted that is not to be
        forgotten."""
        if (statement := statement_to_remember(request.query)) is not None:
            return Done(await self.keep(request.owner, statement, request.prompt_id), changed=True)
        if (meant := statement_to_forget(request.query)) is not None:
            return await self._forget(request, meant) if says_forget(request.query) else None
        amended = await self.amended(request, place)
        return None if amended is None else Done(amended, changed=True)

    async def amended(self, request: ChatRequest, place: Place | None) -> str | None:
        """Keeps the other value where the request corrects what the exchange before it had kept: "No, it's 40"; None
        where it does not."""
        chats = self._engine.chats
        if place is None or request.isolated or not request.reads or not corrects(request.query):
            return None
        before = await chats.turns.recent(request.owner, request.session_id, place, 2)
        said = {message.id for message in before}  # which may have told a value again that was kept before
        facts = [fact for fact, _ in await chats.keyvalues.page(request.owner, limit=LOOKED_AT, after=None)]
        kept = next((fact for fact in facts if not said.isdisjoint(fact.sources)), None)
        if kept is None or (value := value_instead(request.query, kept.key, kept.value)) is None:
            return None
        source = request.prompt_id
        with suppress(PreconditionFailed):  # something else is kept there now
            await chats.keyvalues.put(request.owner, kept.key, value, source=source, expected=kept.tag)
            former = f" (before: {kept.value})" if kept.value != value else ""
            return f"I'll remember: {told(kept.key, value)}{former}."
        return None

    async def _forget_here(self, request: ChatRequest, meant: str) -> Done:
        """Deletes the one fact of the conversation that is meant, what stated it, and the request itself."""
        owner, session, forgetter = request.owner, request.session_id, self._engine.oversight.forgetter
        asked = set(content_stems(meant))
        facts = await self._engine.knowledge.facts.in_force(owner, session)
        found = [fact for fact in facts if asked and asked <= set(content_stems(fact.text))]
        if not found and (attribute := attribute_meant(meant)) is not None:
            found = [fact for fact in facts if gives(fact.text, attribute)]
        if len(found) != 1:
            several = [" Which one:", *(f"- {fact.text}" for fact in found[:CANDIDATES])] if found else [""]
            nothing = "I know no single fact of that kind here, so nothing was deleted."
            return Done(nothing + "\n".join(several))
        [fact] = found
        for source in fact.sources:
            await forgetter.exchange(owner, source)
        with suppress(NotFound):  # it went with the message
            await self._engine.knowledge.facts.end(owner, fact.id)
        also = " and the messages in which you told me" if fact.sources else ""
        return await self._forgotten(request, f"I have forgotten that{also}.")

    async def keep_told(self, owner: str, text: str, replaced: Collection[str] = ()) -> None:
        """Keeps what a text that is no message asks to remember, or the other value where it corrects one. `replaced`:
        facts that it took the place of."""
        if (statement := statement_to_remember(text)) is not None:
            await self.keep(owner, statement, None)
        for fact in replaced if corrects(text) else ():
            stems = set(content_stems(fact))
            for kept in await self._engine.chats.keyvalues.suited(owner, fact, CANDIDATES):
                value = value_instead(text, kept.key, kept.value)
                if value is not None and stems.issuperset(content_stems(told(kept.key, kept.value))):
                    with suppress(PreconditionFailed):  # something else is kept there now
                        await self._engine.chats.keyvalues.put(owner, kept.key, value, expected=kept.tag)

    async def keep(self, owner: str, statement: str, source: str | None) -> str:
        """Keeps a statement under its key, as the message `source` asks; returns what is said to that."""
        fact, new = await self._put(owner, statement, source)
        key, value = fact.key, fact.value
        former: list[KeyValue] = []
        if fact.version > 1:
            with suppress(NotFound):  # somebody deleted it just now
                former = (await self._engine.chats.keyvalues.history(owner, key))[1:2]
        instead = f" (before: {former[0].value})" if former and not new else ""
        return f"I'll remember: {told(key, value)}{instead}."

    async def _put(self, owner: str, statement: str, source: str | None) -> tuple[KeyValue, bool]:
        """Keeps a statement under the key that suits beside what is kept; returns it, and whether the key is new."""
        key, value = key_and_value(statement)
        await self._set_apart(owner, unmarked(key))
        for _ in range(TRIES):
            kept = await self._engine.chats.keyvalues.under(owner, keys_beside(statement, key))
            known = {name: fact.value for name, fact in kept.items()}
            place, told_there = place_beside(statement, key, value, known)
            expected = kept[place].tag if place in kept else NONE
            with suppress(PreconditionFailed):  # others keep something of it now
                return await self._engine.chats.keyvalues.put(
                    owner, place, told_there, source=source, expected=expected
                )
        return await self._engine.chats.keyvalues.put(owner, key, value, source=source)

    async def _set_apart(self, owner: str, key: str) -> None:
        """Keeps each value that an earlier version kept under a key without symbols under the one that its message
        names: what was said of "C++" and of "C#" under "c" alone."""
        keyvalues = self._engine.chats.keyvalues
        with suppress(NotFound, PreconditionFailed):  # there is none, or others keep something of it now
            values = await keyvalues.history(owner, key)
            sources = await self._engine.gists.reader.by_ids(owner, [one.source for one in values if one.source])
            said = {gist.id: gist.content for gist in sources}
            named = {key_named(said.get(one.source or "", ""), key): one for one in reversed(values)}
            if set(named) == {key}:
                return
            own = named.pop(key, None)
            for name, one in named.items():
                with suppress(PreconditionFailed):
                    await keyvalues.put(owner, name, one.value, source=one.source, expected=NONE)
            if own is None:
                await keyvalues.delete(owner, key, expected=values[0].tag)
            elif own is not values[0]:
                await keyvalues.put(owner, key, own.value, source=own.source, expected=values[0].tag)

    async def _forget(self, request: ChatRequest, meant: str) -> Done:
        """Deletes the fact, the exchanges that stated it, and the request itself."""
        owner = request.owner
        if _ALL.fullmatch(meant):
            return Done(ONE_AT_A_TIME)
        await self._set_apart(owner, unmarked(_MY.sub("", meant)))
        facts = await self._engine.chats.keyvalues.suited(owner, meant, LOOKED_AT)
        fact = fact_meant(meant, facts) or _only_one_of(meant, facts)
        if fact is None:
            return await self._forget_said(request, meant, facts_near(meant, facts))
        forgetter = self._engine.oversight.forgetter
        values, beside = [fact.value], keys_of_the_same(fact.key, [one.key for one in facts])[:NAMED]
        with suppress(NotFound):  # somebody else was faster
            values += [one.value for one in await self._engine.chats.keyvalues.history(owner, fact.key)]
        # All that states it is looked for before any of it goes, and the fact goes last: what fails changes nothing.
        stated, others = await self._engine.oversight.saying.value(owner, fact.key, values)
        own = request.prompt_id  # it may state the value, too, and goes at the end
        messages = await forgetter.exchanges(owner, [one for one in (*fact.sources, *stated) if one != own])
        await forgetter.redact(owner, fact.key, values)
        with suppress(NotFound):
            await self._engine.chats.keyvalues.delete(owner, fact.key)
        also = " and the messages in which you told me" if messages else ""
        what = "that" if told(fact.key, fact.value) == fact.value else f"“{fact.key}”"  # else the key tells the value
        left = f" Still stored: {', '.join(f'“{one}”' for one in beside)}." if beside else ""
        left += f" {SPOKEN_OF}" if others else ""
        left += (await self._forget_facts(owner, meant))[1]
        return await self._forgotten(request, f"I have forgotten {what}{also}.{left}")

    async def _forget_said(self, request: ChatRequest, meant: str, near: Sequence[KeyValue]) -> Done:
        """Deletes what the user said without asking to remember it: the statement, or the one value of the attribute
        that is meant, and nothing else. `near`: facts that are kept of the like."""
        owner, saying = request.owner, self._engine.oversight.saying
        named = ", ".join(f"“{one.key}”" for one in near)
        said = [] if await self._asks(meant) else await saying.statement(owner, meant)
        if not said and (attribute := attribute_meant(meant)) is not None:
            said = await saying.attribute(owner, attribute)
            if len({slug(one.value) for one in said}) > 1:
                return Done(_which(one.statement for one in said))
        for one in said:
            await self._unsay(owner, one)
        facts, others = await self._forget_facts(owner, meant)
        if not said and len({fact.text for fact in facts}) > 1:
            return Done(_which(fact.text for fact in facts))
        if not said and not facts:
            hint = f" The closest I have: {named}." if named else ""
            return Done(f"{NOTHING_STORED}{hint} {OTHER_WAYS}")
        kept = f" Still stored: {named}." if named else ""
        return await self._forgotten(request, f"I have forgotten that.{kept}{others}")

    async def _forgotten(self, request: ChatRequest, done: str) -> Done:
        """Deletes the request itself, which may repeat what is forgotten, and the kept answers to others."""
        await self._engine.oversight.forgetter.exchange(request.owner, request.prompt_id)
        await self._engine.store.idempotency.forget(request.owner, but=request.turn_id)
        return Done(done, changed=True, forgotten=True)

    async def _asks(self, text: str) -> bool:
        """Whether a text surely asks, and so states nothing that could have been told."""
        [vector] = await self._engine.gists.encoder.embed([text])
        return asked_by(text, doing(vector, text), surely=True) is not None

    async def _unsay(self, owner: str, said: Statement) -> None:
        """Deletes the exchange of a message, or the sentences alone where it says something else, too; the values that
        they give go out of the answers that tell them."""
        if not said.rest or not await self._engine.oversight.forgetter.reword(owner, said.id, said.rest):
            await self._engine.oversight.forgetter.exchange(owner, said.id)
        for key, value in owned(said.statement):
            await self._engine.oversight.forgetter.redact(owner, key, [value])

    async def _forget_facts(self, owner: str, meant: str) -> tuple[list[Fact], str]:
        """Deletes the one fact that is meant and that no message states; returns those that are meant so, and what is
        left to say of others that name it."""
        asked, facts = set(content_stems(meant)), self._engine.knowledge.facts
        stems = {fact: set(content_stems(fact.text)) for fact in await facts.newest(owner, LOOKED_AT)}
        found = [fact for fact in stems if asked and asked <= stems[fact]]
        unsourced = [fact for fact in found if not fact.sources]
        unsourced = [fact for fact in unsourced if stems[fact] <= asked | OF_THE_USER] or unsourced
        if len({fact.text for fact in unsourced}) == 1:
            for fact in unsourced:
                with suppress(NotFound):  # it went with another of its chain
                    await facts.forget_unsourced(owner, fact.id)
        others = sorted({f"“{fact.text}”" for fact in found if fact.sources})[:NAMED]
        return unsourced, f" Still known: {', '.join(others)}." if others else ""


def _which(statements: Iterable[str]) -> str:
    """The question which of several statements is meant."""
    each = {statement.casefold(): f"- {statement}" for statement in statements}
    return "\n".join([WHICH, *list(each.values())[-CANDIDATES:]])


def _only_one_of(meant: str, facts: Sequence[KeyValue]) -> KeyValue | None:
    """The one fact that is kept of a thing, where something else than its name is: "my wife" of `wife's job`."""
    known = {fact.key: fact for fact in facts}
    found = keys_of_the_same(slug(_MY.sub("", meant)), list(known))
    return known[found[0]] if len(found) == 1 else None
