"""A call of a tool: as it comes in, and as it is kept."""

from dataclasses import dataclass
from datetime import datetime

from memory.domain import RULE_BASED
from memory.views import ToolRecord


@dataclass(frozen=True)
class Task:
    """A task under way. `step`: how often it was gone on with."""

    owner: str
    id: str
    epoch: str
    step: int


@dataclass(frozen=True)
class Called:
    """A call of a tool as it comes in: what was called, and what came back, as texts. `query`: what the user asked for.
    `call_id` need not be of this call alone."""

    call_id: str
    tool_name: str
    raw_input: str
    raw_output: str
    query: str = ""


@dataclass(frozen=True)
class Trace:
    """A call of a tool as it is kept. `key`: tells it from all others, as `id` tells it from its owner's. `model`: what
    wrote the summary. `asked`: the same for all that came back from one call with the same arguments. `characters`: of
    what came back. `signs`: of how that begins and ends. Read without the truth, both raw texts are empty."""

    id: str
    key: str
    task_id: str
    step: int
    call_id: str
    tool_name: str
    raw_input: str
    raw_output: str
    timestamp: datetime
    summary: str
    model: str
    asked: str
    characters: int
    signs: tuple[str, ...] = ()

    @property
    def updated_at(self) -> datetime:
        """When it came last in a list of the newest: it never changes."""
        return self.timestamp

    @property
    def record(self) -> ToolRecord:
        """As it is packed; a summary by rules says nothing that its result does not."""
        told = "" if self.model == RULE_BASED else self.summary
        return ToolRecord(self.id, self.tool_name, self.raw_input, self.raw_output, told)
