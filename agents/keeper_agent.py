"""What does the user ask to be kept under a key, or deleted?"""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from agents.context import Context
from memory.attributes import keys_beside, keys_of_the_same, place_beside
from memory.domain import KeyValue
from memory.engine import Engine
from memory.extract import fact_meant, facts_near, key_and_value, statement_to_forget, statement_to_remember, told
from memory.ids import prompt_id
from memory.keyvalues import NONE
from utils.errors import NotFound, PreconditionFailed
from utils.text import content_stems, slug

TRIES = 4  # times that a key is chosen anew, where others keep something under it meanwhile
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
KEPT_HERE = "Noted. I'll remember that in this conversation."

_MY = re.compile(r"^(?:my|our|the) ", re.IGNORECASE)
_ALL = re.compile(r"everything|all|anything|me|(?:that )?(?:you know|i (?:said|told you))(?: about me)?", re.IGNORECASE)


class KeeperAgent:
    """Stores the key/value fact of "remember that …", and deletes the one that "forget …" means."""

    name = "keeper_agent"

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def run(self, context: Context) -> Context:
        if context.request.temporary:
            return replace(context, done="This is a temporary chat: nothing is stored or deleted.")
        if context.intent.name == "forget" and statement_to_forget(context.request.query) is None:
            return replace(context, done=IN_ENGLISH)
        if context.request.isolated:  # facts are the user's, and known in every session
            meant = statement_to_forget(context.request.query)
            return replace(context, done=KEPT_HERE) if meant is None else await self._forget_here(context, meant)
        if (statement := statement_to_remember(context.request.query)) is not None:
            return replace(context, done=await self._keep(context, statement))
        if (meant := statement_to_forget(context.request.query)) is not None:
            return await self._forget(context, meant)
        return context

    async def _forget_here(self, context: Context, meant: str) -> Context:
        """Deletes the one fact of the conversation that is meant, what stated it, and the request itself."""
        owner, session, forgetter = context.request.owner, context.request.session_id, self._engine.forgetter
        asked = set(content_stems(meant))
        facts = await self._engine.facts.in_force(owner, session)
        found = [fact for fact in facts if asked and asked <= set(content_stems(fact.text))]
        if len(found) != 1:
            several = f" Which one: {' '.join(f'“{fact.text}”' for fact in found[:3])}" if found else ""
            return replace(context, done=f"I know no single fact of that kind here, so nothing was deleted.{several}")
        [fact] = found
        for source in fact.sources:
            await forgetter.exchange(owner, source)
        with suppress(NotFound):  # it went with the message
            await self._engine.facts.end(owner, fact.id)
        await forgetter.exchange(owner, prompt_id(context.request.turn_id))
        await self._engine.idempotency.forget(owner, but=context.request.turn_id)
        also = " and the messages in which you told me" if fact.sources else ""
        return replace(context, done=f"I have forgotten that{also}.", forgotten=True)

    async def _keep(self, context: Context, statement: str) -> str:
        request = context.request
        fact, new = await self._put(request.owner, statement, prompt_id(request.turn_id))
        key, value = fact.key, fact.value
        former: list[KeyValue] = []
        if fact.version > 1:
            with suppress(NotFound):  # somebody deleted it just now
                former = (await self._engine.keyvalues.history(request.owner, key))[1:2]
        instead = f" (before: {former[0].value})" if former and not new else ""
        return f"I'll remember: {told(key, value)}{instead}."

    async def _put(self, owner: str, statement: str, source: str) -> tuple[KeyValue, bool]:
        """Keeps a statement under the key that suits beside what is kept; returns it, and whether the key is new."""
        key, value = key_and_value(statement)
        for _ in range(TRIES):
            kept = await self._engine.keyvalues.under(owner, keys_beside(statement, key, value))
            known = {name: fact.value for name, fact in kept.items()}
            place, told_there = place_beside(statement, key, value, known)
            expected = kept[place].tag if place in kept else NONE
            with suppress(PreconditionFailed):  # others keep something of it now
                return await self._engine.keyvalues.put(owner, place, told_there, source=source, expected=expected)
        return await self._engine.keyvalues.put(owner, key, value, source=source)

    async def _forget(self, context: Context, meant: str) -> Context:
        """Deletes the fact, the exchanges that stated it, and the request itself, which may repeat it."""
        owner = context.request.owner
        if _ALL.fullmatch(meant):
            return replace(context, done=ONE_AT_A_TIME)
        facts = await self._engine.keyvalues.suited(owner, meant, LOOKED_AT)
        fact = fact_meant(meant, facts) or _only_one_of(meant, facts)
        if fact is None and (said := await self._engine.saying.statement(owner, meant)):
            for source in (*said, prompt_id(context.request.turn_id)):
                await self._engine.forgetter.exchange(owner, source)
            await self._engine.idempotency.forget(owner, but=context.request.turn_id)
            close = facts_near(meant, facts)
            kept = f" Still stored: {', '.join(f'“{one.key}”' for one in close)}." if close else ""
            elsewhere = await self._told_elsewhere(owner, meant)
            return replace(context, done=f"I have forgotten that.{kept}{elsewhere}", forgotten=True)
        if fact is None:
            close = facts_near(meant, facts)
            hint = f" The closest I have: {', '.join(f'“{one.key}”' for one in close)}." if close else ""
            return replace(context, done=f"I have no stored fact of exactly that kind, so nothing was deleted.{hint}")
        forgetter = self._engine.forgetter
        values, beside = [fact.value], keys_of_the_same(fact.key, [one.key for one in facts])[:NAMED]
        messages = await forgetter.sources_of(owner, fact)
        with suppress(NotFound):  # somebody else was faster
            values += [one.value for one in await self._engine.keyvalues.history(owner, fact.key)]
            await forgetter.redact(owner, fact.key, values)
            await self._engine.keyvalues.delete(owner, fact.key)
        await forgetter.exchange(owner, prompt_id(context.request.turn_id))
        stated, others = await self._engine.saying.value(owner, fact.key, values)
        messages += sum([await forgetter.exchange(owner, source) for source in stated])
        await self._engine.idempotency.forget(owner, but=context.request.turn_id)
        also = " and the messages in which you told me" if messages else ""
        what = "that" if told(fact.key, fact.value) == fact.value else f"“{fact.key}”"  # else the key tells the value
        left = f" Still stored: {', '.join(f'“{one}”' for one in beside)}." if beside else ""
        left += f" {SPOKEN_OF}" if others else ""
        left += await self._told_elsewhere(owner, meant)
        return replace(context, done=f"I have forgotten {what}{also}.{left}", forgotten=True)

    async def _told_elsewhere(self, owner: str, meant: str) -> str:
        """What is left to say where facts of conversations tell what is to be forgotten: these are forgotten there."""
        asked = set(content_stems(meant))
        facts = await self._engine.facts.page(owner, limit=LOOKED_AT)
        found = {fact.memory_id for fact, _ in facts if asked and asked <= set(content_stems(fact.text))}
        named = ", ".join(f"“{conversation}”" for conversation in sorted(found)[:3])
        return f" It was also told in the conversation {named}, and can be forgotten there." if found else ""


def _only_one_of(meant: str, facts: Sequence[KeyValue]) -> KeyValue | None:
    """The one fact that is kept of a thing, where something else than its name is: "my wife" of `wife's job`."""
    known = {fact.key: fact for fact in facts}
    found = keys_of_the_same(slug(_MY.sub("", meant)), list(known))
    return known[found[0]] if len(found) == 1 else None
