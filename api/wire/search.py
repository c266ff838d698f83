"""Wire shapes of a search and what it finds."""

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from api.wire.base import OwnedRequest
from api.wire.fields import Identifier, LastMoment, Moment, Query, Share, TopK, Wire
from memory.domain import Hit, Parts, Recall
from memory.gists import Waiting

TOLD = ("dense", "bm25", "fused", "rerank", "recency", "mmr")  # parts of a score
MOST_WAITING = 1_000  # gists that are counted where a search found nothing
Kind = Literal["turn", "fact", "finding", "insight", "lesson", "section"]


class SearchRequest(OwnedRequest):
    query: Query
    top_k: TopK = 8
    session_id: Identifier | None = None
    kinds: Annotated[list[Kind], Field(min_length=1, max_length=10)] | None = None
    min_score: Share | None = None
    recency_weight: Share | None = None
    mmr_lambda: Share | None = None
    since: Moment | None = None
    until: LastMoment | None = None

    @model_validator(mode="after")
    def _times_in_order(self) -> Self:
        if self.since is not None and self.until is not None and self.since > self.until:
            raise ValueError("since must not be later than until")
        return self


class Explanation(Wire):
    """Every part of a score; null where the recipe does not use it."""

    dense: float | None = None
    bm25: float | None = None
    fused: float | None = None
    rerank: float | None = None
    recency: float | None = None
    mmr: float | None = None

    @classmethod
    def of(cls, parts: Parts, digits: int | None = None) -> "Explanation":
        """`digits`: to which the parts are rounded; None for all that they have."""
        told = {name: getattr(parts, name) for name in TOLD}
        if digits is not None:
            told = {name: part if part is None else round(part, digits) for name, part in told.items()}
        return cls(**told)


class SearchItem(Wire):
    """`version`: of a part of a memory bank that was left out when that was condensed, the one that says it; else it is
    not there."""

    id: str
    kind: str
    role: str
    content: str
    score: float
    session_id: str
    timestamp: datetime
    explain: Explanation
    version: int | None = Field(default=None, exclude_if=lambda value: value is None)

    @classmethod
    def of(cls, hit: Hit) -> "SearchItem":
        gist, parts = hit.gist, hit.parts
        return cls(
            id=gist.id,
            kind=gist.kind,
            role=gist.role,
            content=gist.content,
            score=parts.score,
            session_id=gist.session_id,
            timestamp=gist.timestamp,
            explain=Explanation.of(parts),
            version=gist.condensed.version if gist.condensed is not None else None,
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
