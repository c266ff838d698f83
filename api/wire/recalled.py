"""Wire shapes of what is remembered for an assistant over MCP, which reads all of it and pays for that."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Self

from pydantic import Field

from agents.tools import FURTHEST, MOST_READ, READ, part_of, passage
from memory.domain import SECTION, TURN, Gist, Hit, Recall
from memory.gists import Waiting
from utils.clock import at_home
from utils.errors import NotFound
from utils.fields import ID_CHARACTERS, QUERY_CHARACTERS, ProjectName, Query, Timezone, TopK, Wire

SHOWN = 1_000  # characters of a message
CONDENSED = "Left out of the memory bank when it was condensed; it stands in loci://banks/{}/{}?version={}"
NOTHING = "Nothing that is remembered has to do with this"

NOT_YET = (
    "Nothing that can be searched by now has to do with this. Parts of what was told wait to be made searchable, {}, "
    "and may not be found yet: try again in a minute"
)

Replaced = Mapping[str, Sequence[Gist]]  # by the ids of messages whose statements hold no longer, what holds instead


def absent() -> Any:
    """A field that is not there where it says nothing."""
    return Field(default=None, exclude_if=lambda value: value is None)


CallersTimezone = Annotated[
    Timezone | None,
    Field(description="The user's time zone, by its IANA name: whose days are meant by words such as yesterday"),
]


CallersProject = Annotated[
    ProjectName | None, Field(description="The user's project that it is about, where there is one")
]


class RecallCall(Wire):
    query: Annotated[Query, Field(description=f"What to look for, up to {QUERY_CHARACTERS:,} characters")]
    top_k: TopK = 8
    timezone: CallersTimezone = None
    project: CallersProject = None


class RecalledItem(Wire):
    """What is remembered, as a model reads it: without what recall went by. `who`: whose words it is, by name where
    there is one; of a fact, a finding or a lesson it is not there. `when`: it was said, or since when a fact holds.
    `bank`: the memory bank that says it. `replaced_by`: of a message that states what holds no longer, what holds
    instead; empty where nothing does. `whole_characters`: where `text` is a part, those of the whole, which
    `read_memory` gives by the id. `condensed`: where a memory bank does not say it any more, what does."""

    id: str
    kind: str
    text: str
    who: str | None = absent()
    when: datetime
    bank: str | None = absent()
    replaced_by: list[str] | None = absent()
    whole_characters: int | None = absent()
    condensed: str | None = absent()

    @classmethod
    def of(cls, gist: Gist, text: str, replaced: Replaced, timezone: str | None = None, **more: object) -> Self:
        """`timezone`: of what was said nobody knows where."""
        newer = replaced.get(gist.id) if gist.kind == TURN else None
        shown = {
            "id": gist.id,
            "kind": gist.kind,
            "text": text,
            "who": (gist.name or gist.role) if gist.kind == TURN else None,
            "when": at_home(gist.timestamp, gist.timezone or timezone).replace(microsecond=0),
            "bank": gist.session_id if gist.kind == SECTION else None,
            "replaced_by": [fact.content for fact in newer] if newer is not None else None,
            "condensed": _condensed(gist),
        }
        return cls.model_validate(shown | more)

    @classmethod
    def of_hit(cls, hit: Hit, asked: RecallCall, replaced: Replaced) -> Self:
        whole = hit.gist.content
        text = passage(whole, asked.query, SHOWN)
        characters = len(whole) if text != whole else None
        return cls.of(hit.gist, text, replaced, asked.timezone, whole_characters=characters)


class Recalled(Wire):
    """`searched`: what was searched for, where words of the query were misspelt; `note`: where nothing was found."""

    items: list[RecalledItem]
    searched: str | None = absent()
    note: str | None = absent()

    @classmethod
    def of(cls, found: Recall, asked: RecallCall, replaced: Replaced, waiting: Waiting | None) -> Self:
        return cls(
            items=[RecalledItem.of_hit(hit, asked, replaced) for hit in found.hits],
            searched=found.respelt(asked.query),
            note=None if found.hits else _nothing(waiting),
        )


PartQuery = Annotated[str, Field(max_length=2_000, description="Words by which the part is found; left out: none")]
PartOffset = Annotated[int, Field(ge=0, lt=FURTHEST, description="Characters that are passed over")]
PartLimit = Annotated[int, Field(ge=100, le=MOST_READ, description=f"Characters; left out: {READ}")]


class MemoryCall(Wire):
    id: Annotated[str, Field(min_length=1, max_length=2 * ID_CHARACTERS, description="The id of what recall gave")]
    query: PartQuery = ""
    offset: PartOffset = 0
    limit: PartLimit = READ
    project: CallersProject = None


class MemoryRead(RecalledItem):
    """`more`: which part of the whole it is, and how to get the next; null where it is all."""

    more: str | None

    @classmethod
    def of_gist(cls, gist: Gist, asked: MemoryCall, replaced: Replaced) -> Self:
        """Raises `NotFound` where it has none of the words that are looked for."""
        part = part_of(gist.content, offset=asked.offset, limit=asked.limit, query=asked.query)
        if part is None:
            raise NotFound("It has none of these words; without a query it is read from the offset on")
        return cls.of(gist, part.text, replaced, more=part.more)


def _nothing(waiting: Waiting | None) -> str:
    if waiting is None or not waiting.count:
        return NOTHING
    return NOT_YET.format(f"{waiting.count:,}{' or more' if waiting.at_least else ''}")


def _condensed(gist: Gist) -> str | None:
    """Where that stands which a memory bank does not say any more; None of anything else."""
    if gist.condensed is None:
        return None
    return CONDENSED.format(gist.session_id, gist.condensed.file, gist.condensed.version)
