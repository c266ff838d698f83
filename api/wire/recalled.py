"""Wire shapes of what is remembered for an assistant over MCP, which reads all of it and pays for that."""

from datetime import datetime
from typing import Annotated, Self

from pydantic import Field

from agents.tools import FURTHEST, MOST_READ, READ, part_of, passage
from api.wire.base import Shown
from api.wire.search import Explanation, SearchItem
from memory.domain import Gist, Hit, Recall
from memory.gists import Waiting
from utils.errors import NotFound
from utils.fields import ID_CHARACTERS, QUERY_CHARACTERS, ProjectName, Query, Timezone, TopK, Wire

SHOWN = 1_000  # characters of a message
DIGITS = 3  # of scores
CONDENSED = "Left out of the memory bank when it was condensed; it stands in loci://banks/{}/{}?version={}"
NOTHING = "Nothing that is remembered has to do with this"

NOT_YET = (
    "Nothing that can be searched by now has to do with this. Parts of what was told wait to be made searchable, {}, "
    "and may not be found yet: try again in a minute"
)


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


class RecalledItem(SearchItem):
    """`whole_characters`: where `content` is a part, those of the whole, which `read_memory` gives by the id.
    `condensed`: where a memory bank does not say it any more, what does."""

    whole_characters: int | None = Field(default=None, exclude_if=lambda value: value is None)
    condensed: str | None = Field(default=None, exclude_if=lambda value: value is None)

    @classmethod
    def of_hit(cls, hit: Hit, query: str) -> Self:
        item, gist = cls.of(hit), hit.gist
        content = passage(gist.content, query, SHOWN)
        parts = {name: round(part, DIGITS) for name, part in item.explain if part is not None}
        shown = {
            "content": content,
            "score": round(item.score, DIGITS),
            "explain": Explanation(**parts),
            "whole_characters": None if content == gist.content else len(gist.content),
            "condensed": _condensed(gist),
        }
        return item.model_copy(update=shown)


class Recalled(Wire):
    """`searched`: what was searched for, where words of the query were misspelt; `note`: where nothing was found."""

    items: list[RecalledItem]
    searched: str | None = Field(default=None, exclude_if=lambda value: value is None)
    note: str | None = Field(default=None, exclude_if=lambda value: value is None)

    @classmethod
    def of(cls, found: Recall, query: str, waiting: Waiting | None) -> Self:
        return cls(
            items=[RecalledItem.of_hit(hit, query) for hit in found.hits],
            searched=found.respelt(query),
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


class MemoryRead(Shown):
    """`more`: which part of the whole it is, and how to get the next; null where it is all. `condensed`: as `recall`
    gives it."""

    id: str
    kind: str
    role: str
    session_id: str
    timestamp: datetime
    content: str
    more: str | None
    condensed: str | None = Field(default=None, exclude_if=lambda value: value is None)

    @classmethod
    def of_gist(cls, gist: Gist, asked: MemoryCall) -> Self:
        """Raises `NotFound` where it has none of the words that are looked for."""
        part = part_of(gist.content, offset=asked.offset, limit=asked.limit, query=asked.query)
        if part is None:
            raise NotFound("It has none of these words; without a query it is read from the offset on")
        return cls.of(gist, content=part.text, more=part.more, condensed=_condensed(gist))


def _nothing(waiting: Waiting | None) -> str:
    if waiting is None or not waiting.count:
        return NOTHING
    return NOT_YET.format(f"{waiting.count:,}{' or more' if waiting.at_least else ''}")


def _condensed(gist: Gist) -> str | None:
    """Where that stands which a memory bank does not say any more; None of anything else."""
    if gist.condensed is None:
        return None
    return CONDENSED.format(gist.session_id, gist.condensed.file, gist.condensed.version)
