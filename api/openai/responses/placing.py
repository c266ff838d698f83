"""Where a request for a response belongs: its session, and what came before it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from agents.openai_responses import kind_of
from agents.proxy import cached_as
from api.openai.responses.request import ResponseRequest, beginning_of, items_to_keep
from api.openai.wire import InvalidField
from memory.responses import Begun, Item, StoredResponse, StoredResponses
from utils.clock import now
from utils.errors import NotFound

TRIED_AGAIN = timedelta(minutes=10)  # in which OpenAI's clients give up and ask again
DIGITS = 32  # of the id of a response, with which those of its items begin


@dataclass(frozen=True)
class Placed:
    """`earlier`: the items from before it, as they were kept; `given`: its own, as they came; `kept`: as they are
    kept."""

    begun: Begun
    earlier: list[dict[str, Any]]
    given: list[Mapping[str, Any]]
    kept: list[Item]

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
    retried: bool,
) -> Placed:
    """Finds where a request belongs, and notes that it is asked. `identifier`: of the response, without `resp_`;
    `session`: that it names itself; `retried`: its client asked before.

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
    begins = beginning_of(given)
    if session is None:
        session = await _session(stored, owner, request, given, begins, retried=retried) or name
    begun = await stored.responses.begin(owner, name, session, begins)
    own = f"{begun.place}-"  # of an earlier try
    earlier = [item.body for item in items if not item.place.startswith(own)]
    return Placed(begun, earlier, given, items_to_keep(given, identifier))


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


async def _session(
    stored: StoredResponses,
    owner: str,
    request: ResponseRequest,
    given: Sequence[Mapping[str, Any]],
    begins: str | None,
    *,
    retried: bool,
) -> str | None:
    """The session in which a transcript goes on; None for one that begins.

    By the ids of items that were given out here; where nothing is stored, by the key under which the client has its
    conversation cached; else by how it begins.
    """
    ids = [name for item in given if isinstance(name := item.get("id"), str)]
    if ids:
        responses = [f"resp_{name.partition('_')[2][:DIGITS]}" for name in ids]
        known = await stored.responses.session_of(owner, responses) or await stored.responses.items.session_of(
            owner, ids
        )
        if known is not None:
            return known
    key = cached_as({"prompt_cache_key": request.fields.prompt_cache_key})
    if key is not None and not request.stored:
        return key
    goes_on = any(kind_of(item) != "message" or item.get("role") == "assistant" for item in given)
    if begins is None or not (goes_on or retried):
        return None
    if not goes_on:
        return await stored.responses.session_beginning(owner, begins, since=now() - TRIED_AGAIN)
    answers = {item.mark for item in items_to_keep(given, "") if item.said is not None and item.said[0] == "assistant"}
    return await stored.responses.session_beginning(owner, begins, answers=answers)
