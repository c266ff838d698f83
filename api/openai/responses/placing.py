"""Where a request for a response belongs: its session, and what came before it."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agents.openai_responses import kind_of
from agents.proxy import ProxyRequest, cached_as, fits, placed
from api.openai.responses.request import ResponseRequest, items_to_keep
from api.openai.wire import InvalidField
from memory.engine import Engine
from memory.responses import Begun, ResponseItem, StoredResponse, StoredResponses
from utils.errors import NotFound

DIGITS = 32  # of the id of a response, with which those of its items begin


@dataclass(frozen=True)
class Placed:
    """`noting`: the note that it is asked, under way. `earlier`: the items from before it, as they were kept; `given`:
    its own, as they came; `kept`: as they are kept."""

    begun: Begun
    noting: asyncio.Task[Begun]
    earlier: list[dict[str, Any]]
    given: list[Mapping[str, Any]]
    kept: list[ResponseItem]

    @property
    def items(self) -> list[Mapping[str, Any]]:
        """All that a model is to see."""
        return [*self.earlier, *self.given]


async def place(
    stored: StoredResponses,
    owner: str,
    request: ResponseRequest,
    identifier: str,
    session: str | None,
    *,
    again: bool,
) -> Placed:
    """Finds where a request belongs, and notes that it is asked. `identifier`: of the response, without `resp_`;
    `session`: that of its transcript, or that it names itself; `again`: it may have been made before.

    Raises `InvalidField` where it goes on from what is not there, `NotFound` where its conversation is not.
    """
    previous = await _previous(stored, owner, request)
    conversation = request.conversation
    name = f"resp_{identifier}"
    if conversation is not None:
        known = await stored.conversations.get(owner, conversation)
        items = await stored.responses.items.page(owner, await stored.conversations.items(owner, conversation))
        session = session or known.session_id
    elif previous is not None:
        before = await stored.responses.before(owner, previous, itself=True)
        items = await stored.responses.items.page(owner, before)
        session = session or previous.session_id
    else:
        items = []
    there = {item.id for item in items}
    given = await _resolved(stored, owner, request.given, there)
    begun = Begun.at_end(name, session or name)
    noting = asyncio.create_task(stored.responses.begin(owner, begun))
    if again:
        begun = await noting
    own = f"{begun.place}-"  # of an earlier try
    earlier = [item.body for item in items if not item.place.startswith(own)]
    return Placed(begun, noting, earlier, given, items_to_keep(given, identifier))


async def _previous(stored: StoredResponses, owner: str, request: ResponseRequest) -> StoredResponse | None:
    named = request.fields.previous_response_id
    if named is None:
        return None
    try:
        return await stored.responses.get(owner, named)
    except NotFound:
        detail = f"Previous response with id '{named}' not found."
        raise InvalidField(detail, "previous_response_id", "previous_response_not_found") from None


async def _resolved(
    stored: StoredResponses, owner: str, given: Sequence[Mapping[str, Any]], there: set[str]
) -> list[Mapping[str, Any]]:
    """The items with those in the place of references that these name; what came before already is not told again."""
    named = [str(item.get("id")) for item in given if kind_of(item) == "item_reference"]
    if not named:
        return [*given]
    known = await stored.responses.items.named(owner, named)
    resolved: list[Mapping[str, Any]] = []
    for item in given:
        name = str(item.get("id"))
        if kind_of(item) != "item_reference":
            resolved.append(item)
        elif name not in known:
            raise InvalidField(f"Item with id '{name}' not found.", "input")
        elif name not in there:
            resolved.append(known[name].body)
    return resolved


async def goes_on(engine: Engine, request: ResponseRequest, asking: ProxyRequest, name: str) -> ProxyRequest:
    """A request with the session named in which its transcript goes on, or a new one (`name`), unless it says by itself
    what came before.

    By the ids of items that were given out here; where nothing is stored, by the key under which the client has its
    conversation cached; else as a chat completion's.
    """
    if asking.options.memory_id or request.conversation is not None or request.fields.previous_response_id is not None:
        return asking
    responses = engine.responses.responses
    owners = await engine.chats.projects.owners(asking.owner, asking.options.project)
    ids = [item_id for item in request.given if isinstance(item_id := item.get("id"), str)]
    session = None
    if ids:
        ours = [f"resp_{item_id.partition('_')[2][:DIGITS]}" for item_id in ids]
        session = await responses.session_of(owners, ours) or await responses.items.session_of(owners, ids)
    if session is None and not request.stored:
        session = cached_as({"prompt_cache_key": request.fields.prompt_cache_key})
    if session is not None and await fits(engine, asking, session):
        return replace(asking, options=replace(asking.options, memory_id=session))
    return await placed(engine, asking, new=name)
