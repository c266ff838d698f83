"""The tools that an assistant has over MCP."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from mcp_types import Tool, ToolAnnotations
from pydantic import BeforeValidator, Field, StringConstraints
from pydantic.json_schema import GenerateJsonSchema

from agents.tools import LONGEST_ID, READ, id_of_row, read_record
from api.mcp.calling import Call
from api.wire import banks as wire
from api.wire.base import Page, Shown
from api.wire.facts import DecisionOut
from api.wire.paging import position_of
from api.wire.recalled import MemoryCall, MemoryRead, PartLimit, PartOffset, PartQuery, RecallCall, Recalled, Replaced
from api.wire.search import MOST_WAITING
from config.recipes import RECALL
from memory.domain import SAID, SECTION, TURN, Gist, Turn
from memory.facts import says_forget
from memory.recall import Scope, with_overrides
from utils.clock import now
from utils.errors import InvalidInput, NotFound
from utils.fields import Wire

# What `recall` looks through. Not insights: what agents' tools gave is noted under the same kind.
KINDS = (*SAID, "finding", "lesson", SECTION)
NOTES = "mcp"  # the session of what was to be remembered and states no fact
FORGETS_NOTHING = "Nothing was forgotten, for this tool only keeps: say it in a chat, or delete it on the memory page"
MOST_BANKS = 200  # that are listed in one answer

Run = Callable[[Call, Any], Awaitable[Any]]


class Untitled(GenerateJsonSchema):
    """Schemas without titles of fields, which say their names again in every request of a model."""

    def field_title_should_be_set(self, schema: object) -> bool:
        return False


@dataclass(frozen=True)
class Offer:
    """A tool. `takes`, `gives`: models of its arguments and its result."""

    name: str
    title: str
    description: str
    takes: type[Wire]
    gives: type[Wire]
    run: Run
    reads: bool = False

    @property
    def tool(self) -> Tool:
        """The tool as it is listed. Nothing that any of them does destroys anything."""
        hints = ToolAnnotations(
            title=self.title,
            read_only_hint=self.reads,
            destructive_hint=False,
            idempotent_hint=self.reads,
            open_world_hint=False,
        )
        return Tool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=self.takes.model_json_schema(schema_generator=Untitled),
            output_schema=self.gives.model_json_schema(mode="serialization", schema_generator=Untitled),
            annotations=hints,
        )


OFFERS: list[Offer] = []


def offered(title: str, *, reads: bool = False) -> Callable[[Run], Run]:
    """Makes a tool of a function: its name is the tool's, its docstring what an assistant is told of it."""

    def offer(run: Run) -> Run:
        takes, gives = run.__annotations__["asked"], run.__annotations__["return"]
        OFFERS.append(Offer(run.__name__, title, " ".join((run.__doc__ or "").split()), takes, gives, run, reads))
        return run

    return offer


class RecordCall(Wire):
    trace_id: Annotated[
        str,
        BeforeValidator(id_of_row),
        StringConstraints(min_length=1, max_length=LONGEST_ID),
        Field(description="With which the row begins"),
    ]
    query: PartQuery = ""
    offset: PartOffset = 0
    limit: PartLimit = READ


class RecordRead(Shown):
    """`more`: which part of the result it is, and how to get the next; null where it is all."""

    tool: str
    arguments: str
    result: str
    more: str | None


@offered("Activate a memory bank")
async def activate(call: Call, asked: wire.Activation) -> wire.ActivationResult:
    """Call this first in a conversation. Gives what earlier conversations left about a project, a code base, or the
    user, as Markdown files, with instructions; a bank that is not there yet is made. Name the project by project_name,
    by current_path (absolute), or by both, as before; `others` are banks of the same name or path."""
    bank = await call.memory.activate(
        call.owner, asked.conversation_type, asked.project_name, asked.current_path, asked.project_description
    )
    await call.memory.engine.library.activations.note(call.owner, call.client, bank.info)
    return wire.ActivationResult.of(bank)


@offered("Update the memory bank")
async def update(call: Call, asked: wire.Update) -> wire.UpdateResult:
    """Puts what is worth knowing next time into the active memory bank: decisions with their reasons, progress,
    architecture, preferences. Pass the conversation_id that activate gave. Nothing that is there is lost; errors of
    earlier updates are in previous_errors."""
    bank = await call.bank(asked.conversation_id)
    done = await call.memory.update(
        call.owner,
        bank.type,
        bank.id,
        asked.content,
        conversation_id=asked.conversation_id,
        update_count=asked.update_count,
        request=call.once
        if asked.update_count is None
        else None,  # a count names the update when its client repeats it
    )
    return wire.UpdateResult.of(done)


@offered("Recall", reads=True)
async def recall(call: Call, asked: RecallCall) -> Recalled:
    """Searches what is remembered of the user: what was said in any conversation, facts, findings and lessons, and
    memory banks, best first, with who said it and when. Where replaced_by is there, the text holds no longer, and this
    holds instead. Of long messages it shows what has to do with the query; read_memory gives the whole."""
    recipe, owner = with_overrides(RECALL, top_k=asked.top_k), await call.within(asked.project)
    found = await call.memory.search(owner, asked.query, recipe, Scope(kinds=KINDS, timezone=asked.timezone))
    waiting = None
    if not found.hits:
        waiting = await call.memory.engine.gists.queue.count_of(owner, KINDS, MOST_WAITING)
    replaced = await _replaced(call, owner, [hit.gist for hit in found.hits])
    return await asyncio.to_thread(Recalled.of, found, asked, replaced, waiting)


@offered("Read what is remembered", reads=True)
async def read_memory(call: Call, asked: MemoryCall) -> MemoryRead:
    """Reads the whole of what recall showed a part of, by its id. A long text comes in parts: `more` says how to get
    the next, `query` finds one by its words."""
    owner = await call.within(asked.project)
    found = await call.memory.engine.gists.reader.by_ids(owner, [asked.id])
    if not found:
        raise NotFound("Nothing is remembered under this id: take one that recall gave")
    return MemoryRead.of_gist(found[0], asked, await _replaced(call, owner, found))


async def _replaced(call: Call, owner: str, gists: Sequence[Gist]) -> Replaced:
    messages = [gist.id for gist in gists if gist.kind == TURN]
    return await call.memory.engine.knowledge.superseded.by_messages(owner, messages)


@offered("Remember")
async def remember(call: Call, asked: wire.RememberCall) -> wire.RememberResult:
    """Remembers what the user states of themselves or of their life, whatever the project. A new statement takes the
    place of an older one that it contradicts."""
    text, project, owner = asked.text.strip(), asked.project or call.project, await call.within(asked.project)
    if says_forget(text):
        raise InvalidInput(FORGETS_NOTHING)
    if decided := await call.memory.learn(owner, text, timezone=asked.timezone):
        return wire.RememberResult(decisions=list(map(DecisionOut.of, decided)), message_id=None)
    note = Turn(call.once, "user", text, now(), timezone=asked.timezone)
    session = NOTES if project is None else f"{project}.{NOTES}"
    kept = await call.memory.add(call.user, session, [note], project=project, ids_are_new=not call.may_be_done)
    return wire.RememberResult(decisions=[], message_id=kept.ids[0])


@offered("List memory banks", reads=True)
async def list_banks(call: Call, asked: wire.BanksCall) -> Page[wire.BankOut]:
    """Lists the user's memory banks, the last changed first. Where there are more, next_cursor asks for these."""
    after = position_of(asked.cursor)
    found = await call.memory.engine.library.banks.page(call.owner, limit=MOST_BANKS + 1, after=after)
    return Page[wire.BankOut].by_time(found, MOST_BANKS)


@offered("Read a tool's record", reads=True)
async def tool_record(call: Call, asked: RecordCall) -> RecordRead:
    """Reads what a tool gave before, where a compressed history shows a part of it, by the trace_id with which its row
    begins. A long result comes in parts: `more` says how to get the next, `query` finds one by its words."""
    trace = await call.memory.engine.tools.traces.get(call.owner, asked.trace_id)
    read = await asyncio.to_thread(read_record, trace, offset=asked.offset, limit=asked.limit, query=asked.query)
    return RecordRead.of(read)


BY_NAME = {offer.name: offer for offer in OFFERS}
