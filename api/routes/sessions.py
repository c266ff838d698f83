"""A user's sessions and their messages."""

from collections.abc import Sequence
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query

from api.auth import NamedProject, Owner
from api.http.once import LociRoute
from api.http.openapi import errors
from api.http.state import TheMemory, ThePage
from api.wire import sessions as wire
from api.wire.base import Deleted, Page
from memory.domain import Turn
from memory.ids import user_of
from utils.fields import PRINTABLE, Identifier, MessageId

router = APIRouter(prefix="/v1/sessions", route_class=LociRoute, tags=["sessions"])

SessionId = Annotated[Identifier, Path()]
PART_OF_TITLE = "A part of the title, in any case; messages are not searched"
AnyMessageId = Annotated[MessageId, Path()]


@router.get("")
async def list_sessions(
    memory: TheMemory,
    owner: Owner,
    page: ThePage,
    project: NamedProject = None,
    q: Annotated[str | None, Query(max_length=200, pattern=PRINTABLE, description=PART_OF_TITLE)] = None,
) -> Page[wire.SessionOut]:
    """Sessions, that first in which something was said last. `q` searches their titles alone; what was said is found by
    `POST /v1/search`. Those of isolated projects are listed where `project` names theirs."""
    sessions = await memory.engine.chats.sessions.page(
        owner, limit=page.sought, after=page.position, title=q or None, project=project
    )
    return Page[wire.SessionOut].by_time(sessions, page.limit)


@router.get("/{session_id}", responses=errors(404))
async def get_session(session_id: SessionId, memory: TheMemory, owner: Owner) -> wire.SessionDetail:
    """One session with its summaries, and which answers in it are under way."""
    session = await memory.engine.chats.sessions.get(owner, session_id)
    summaries = await memory.engine.chats.summaries.of_session(owner, session_id)
    answering = await memory.detached.of_session(owner, session_id)
    return wire.SessionDetail.of(session, summaries=summaries, answering=answering)


@router.patch("/{session_id}", responses=errors(404, 409))
async def change_session(
    session_id: SessionId, body: wire.SessionPatch, memory: TheMemory, owner: Owner
) -> wire.SessionOut:
    """Give a session another title, standing instructions, or a place in another project, or in none."""
    await memory.engine.chats.sessions.get(owner, session_id)
    if "project" in body.model_fields_set:
        owner = await memory.move(user_of(owner), session_id, body.project)
    fields = body.model_dump(include=body.model_fields_set & {"title", "instructions"})
    if not fields:
        return wire.SessionOut.of(await memory.engine.chats.sessions.get(owner, session_id))
    return wire.SessionOut.of(await memory.engine.chats.sessions.change(owner, session_id, fields))


@router.delete("/{session_id}", responses=errors(404))
async def delete_session(session_id: SessionId, memory: TheMemory, owner: Owner) -> Deleted:
    """Delete a session with everything derived from it."""
    counts = await memory.engine.oversight.forgetter.session(owner, session_id)
    await memory.engine.store.idempotency.forget(owner)
    return Deleted(deleted=counts)


@router.get("/{session_id}/messages", responses=errors(404))
async def list_messages(
    session_id: SessionId,
    memory: TheMemory,
    owner: Owner,
    page: ThePage,
    order: Annotated[Literal["asc", "desc"], Query(description="`desc`: the newest first")] = "asc",
) -> Page[wire.MessageOut]:
    """The messages of a session, in order."""
    await memory.engine.chats.sessions.get(owner, session_id)
    turns = await memory.engine.chats.turns.page(
        owner, session_id, after=page.index, limit=page.sought, newest_first=order == "desc"
    )
    shown = await _shown(memory, owner, turns)
    return Page[wire.MessageOut].of(shown, page.limit, lambda message: str(message.message_index))


@router.get("/{session_id}/messages/{message_id:path}", responses=errors(404))
async def get_message(
    session_id: SessionId, message_id: AnyMessageId, memory: TheMemory, owner: Owner
) -> wire.MessageOut:
    """One message; its `message_index` says where it stands in the session."""
    [message] = await _shown(memory, owner, [await memory.engine.chats.turns.get(owner, session_id, message_id)])
    return message


@router.get("/{session_id}/images/{message_id:path}", responses=errors(404))
async def get_images(
    session_id: SessionId, message_id: AnyMessageId, memory: TheMemory, owner: Owner
) -> wire.ImagesOut:
    """The images that a message came with, to be shown again."""
    await memory.engine.chats.turns.get(owner, session_id, message_id)
    found = await memory.engine.chats.images.of(owner, [message_id])
    return wire.ImagesOut(images=found.get(message_id, ()))


@router.patch("/{session_id}/messages/{message_id:path}", responses=errors(404))
async def change_message(
    session_id: SessionId, message_id: AnyMessageId, body: wire.MessagePatch, memory: TheMemory, owner: Owner
) -> wire.MessageOut:
    """Have a message recalled for other answers or, with `recalled: false`, no more; it stays in its session."""
    turns = memory.engine.chats.turns
    changed = await turns.set_recalled(owner, session_id, message_id, recalled=body.recalled)
    [message] = await _shown(memory, owner, [changed])
    return message


@router.delete("/{session_id}/messages/{message_id:path}", responses=errors(404))
async def delete_message(session_id: SessionId, message_id: AnyMessageId, memory: TheMemory, owner: Owner) -> Deleted:
    """Delete one message with what was made of it: its facts, its part in summaries, the receipt of its exchange."""
    await memory.engine.chats.turns.get(owner, session_id, message_id)
    deleted = await memory.engine.oversight.forgetter.message(owner, message_id)
    await memory.engine.store.idempotency.forget(owner)
    return Deleted(deleted={"vectors": int(deleted)})


async def _shown(memory: TheMemory, owner: str, turns: Sequence[Turn]) -> list[wire.MessageOut]:
    cited = await memory.engine.chats.receipts.cited(owner, turns)
    return [wire.MessageOut.of(turn, cites=cited.get(turn.id, [])) for turn in turns]
