"""Wire shapes of a search and what it finds."""

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import AliasPath, Field, model_validator

from api.wire.base import OwnedRequest, Shown
from memory.domain import Recall
from memory.gists import Waiting
from utils.fields import Identifier, LastMoment, Moment, Query, Share, Timezone, TopK, Wire

MOST_WAITING = 1_000  # gists that are counted where a search found nothing
GistKind = Literal["turn", "fact", "finding", "insight", "lesson", "section"]


class SearchRequest(OwnedRequest):
    query: Query
    top_k: TopK = 8
    session_id: Identifier | None = None
    kinds: Annotated[list[GistKind], Field(min_length=1, max_length=10)] | None = None
    min_score: Share | None = None
    recency_weight: Share | None = None
    mmr_lambda: Share | None = None
    since: Moment | None = None
    until: LastMoment | None = None
    timezone: Timezone | None = None

    @model_validator(mode="after")
    def _times_in_order(self) -> Self:
        if self.since is not None and self.until is not None and self.since > self.until:
            raise ValueError("since must not be later than until")
        return self


class Explanation(Shown):
    """Every part of a score; null where the recipe does not use it."""

    dense: float | None = None
    bm25: float | None = None
    fused: float | None = None
    rerank: float | None = None
    recency: float | None = None
    mmr: float | None = None


class SearchItem(Shown):
    """`version`: of a part of a memory bank that was left out when that was condensed, the one that says it; else it is
    not there."""

    id: str = Field(validation_alias=AliasPath("gist", "id"))
    kind: str = Field(validation_alias=AliasPath("gist", "kind"))
    role: str = Field(validation_alias=AliasPath("gist", "role"))
    content: str = Field(validation_alias=AliasPath("gist", "content"))
    score: float
    session_id: str = Field(validation_alias=AliasPath("gist", "session_id"))
    timestamp: datetime = Field(validation_alias=AliasPath("gist", "timestamp"))
    explain: Explanation = Field(validation_alias="parts")
    version: int | None = Field(
        default=None, validation_alias=AliasPath("gist", "condensed", "version"), exclude_if=lambda value: value is None
    )


class SearchResponse(Wire):
    """`searched`: what was searched for, where words of the query were misspelt; else it is not there. `not_embedded`:
    where nothing was found, how many gists wait to be embedded and may not be found yet, up to 1,000."""

    items: list[SearchItem]
    took_ms: float
    searched: str | None = Field(default=None, exclude_if=lambda value: value is None)
    not_embedded: int | None = Field(default=None, exclude_if=lambda value: not value)

    @classmethod
    def of(cls, found: Recall, query: str, took_ms: float, waiting: Waiting | None) -> "SearchResponse":
        return cls(
            items=[SearchItem.of(hit) for hit in found.hits],
            took_ms=round(took_ms, 3),
            searched=found.respelt(query),
            not_embedded=waiting.count if waiting is not None else None,
        )
