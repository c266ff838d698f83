"""Wire shapes of what admins try: what a search considers, what a model would be sent, where memories lie."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from api.wire.base import Shown
from api.wire.paging import cursor_of_key
from api.wire.search import Explanation
from utils.fields import Identifier, Query, TopK, Wire

RecipeName = Literal["query", "query-cosine", "query-newest-200", "search", "recall", "proxy"]


class ProbeRequest(Wire):
    """`session_id`: that the question is asked in."""

    query: Query
    recipe: RecipeName = "query"
    session_id: Identifier | None = None
    top_k: TopK | None = None


class ProbedOut(Wire):
    """A candidate. `document`: names it among the documents of `vectors`; `dropped`: why it was left out, and `reason`
    in words; null where it was returned. `holds`: whether what it states does, as far as facts were made of it; prompts
    mark what does not, and answers leave it out. `replaced_by`: what holds instead."""

    document: str
    kind: str | None
    role: str | None
    session_id: str | None
    timestamp: datetime | None
    content: str | None
    score: float
    explain: Explanation
    dropped: str | None
    reason: str | None
    holds: bool
    replaced_by: list[str]


class ProbeOut(Wire):
    """Candidates, best first. `searched`: what was searched for, where words of the query were misspelt."""

    recipe: str
    top_k: int
    floor: float
    took_ms: float
    searched: str | None
    candidates: list[ProbedOut]


class PromptRequest(Wire):
    """`session_id`: of which project it is asked; the prompt is that of a new chat there."""

    query: Query
    session_id: Identifier | None = None


class SectionOut(Wire):
    name: str
    text: str
    tokens: int


class MessageOut(Wire):
    role: str
    sections: list[SectionOut]


class PromptOut(Wire):
    """`tokens`: an estimate."""

    messages: list[MessageOut]
    tokens: int


class SpotOut(Shown):
    """`document`: names it among the documents of `vectors`; `x`, `y`: in -1..1."""

    document: Annotated[str, BeforeValidator(cursor_of_key)] = Field(validation_alias="key")
    x: float
    y: float
    kind: str
    session_id: str | None
    timestamp: datetime
    text: str


class MapOut(Shown):
    """`share`: of all that the embeddings differ by, how much the map shows, 0..1."""

    spots: list[SpotOut]
    share: float


class DayOut(Shown):
    """`counts`: of documents by collection, at the end of a day, or by now."""

    day: str
    counts: dict[str, int]


class GrowthOut(Wire):
    days: list[DayOut]
