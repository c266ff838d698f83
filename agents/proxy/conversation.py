"""The conversation that a request belongs to, told by its transcript, for clients that name none.

A client sends the whole history each time, or what it made of it: the conversation is the one that has most of what
stands there before the user's last message, the newest of equals. A first message begins a conversation of its own,
unless that is the one that waits for an answer yet: then it is asked again.
"""

from collections.abc import Sequence
from dataclasses import replace

from agents.openai_chat import kept_text, newest_user
from agents.proxy.identity import cached_as
from agents.proxy.request import ProxyRequest
from agents.proxy.transcript import ANSWERING, is_begun, said_before
from memory.engine import Engine
from memory.ids import derived_id
from utils.errors import Conflict


async def placed(engine: Engine, request: ProxyRequest, *, new: str | None = None) -> ProxyRequest:
    """A user's request with its conversation named. Where it names no project, the conversation may be in an isolated
    one. `new`: the id of a new one; None derives it from the turn's, unless the client has a key for it."""
    options = request.options
    if options.memory_id:
        return request
    owners = await engine.chats.projects.owners(request.owner, options.project)
    known = await _known(engine, request, owners)
    if known is None or not await fits(engine, request, known):  # what goes on elsewhere begins anew here
        derived = new or derived_id(request.once or request.turn_id, "conversation")
        known = await _cached(engine, request, owners) or derived
    return replace(request, options=replace(options, memory_id=known))


async def _cached(engine: Engine, request: ProxyRequest, owners: Sequence[str]) -> str | None:
    """The key under which a client has a conversation cached, where it can name this one. A client may have one key for
    all: a first message begins a conversation of its own though another has the key already."""
    key = cached_as(request.body)
    if key is None or not await fits(engine, request, key):
        return None
    if any(message.get("role") in ANSWERING for message in request.messages):
        return key
    return None if any([await engine.chats.places.place(owner, key) for owner in owners]) else key


async def fits(engine: Engine, request: ProxyRequest, session: str) -> bool:
    """Whether a conversation, if it is there, is in the project that a request names, if it names one."""
    if request.options.project is None:
        return True
    try:
        await engine.chats.projects.standpoint(request.owner, request.options.project, session)
    except Conflict:
        return False
    return True


async def _known(engine: Engine, request: ProxyRequest, owners: Sequence[str]) -> str | None:
    """The conversation of one of these owners that a transcript goes on with, or in which its message waits; None for a
    new one."""
    messages, turns = request.messages, engine.chats.turns
    at = newest_user(messages)
    if at is None:
        return None
    texts = [one.text for one in said_before(messages[: at + is_begun(messages, at)])]
    asked = kept_text(messages[at].get("content"))
    known = await turns.conversations_with(owners, texts or [asked])
    if texts or not known:
        return next((session for _, session in known), None)
    branches = engine.chats.branches
    same = (await branches.find(*known[0], [("user", asked)])).asked
    waits = same is not None and (request.retried or await branches.answer_to(*known[0], same) is None)
    return known[0][1] if waits else None
