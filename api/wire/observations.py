"""Wire shapes of observations, and of a scratchpad's entries."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from api.wire.base import OwnedRequest, Shown
from memory.domain import Role
from memory.observations import (
    CATEGORIES,
    LONGEST,
    LONGEST_SOURCE,
    LONGEST_TTL,
    LONGEST_VALUE,
    Category,
    Observation,
    Observed,
    Outcome,
    SessionMessage,
    observed,
)
from utils.fields import CONTENT_CHARACTERS, PRINTABLE, LastMoment, Limit, Moment, Query, Share, Wire, not_blank

MOST = 1_000  # observations of a request

Text = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST), AfterValidator(not_blank)]
Source = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_SOURCE), AfterValidator(not_blank)]
Texts = Annotated[list[Text], Field(max_length=MOST)]


class ObservationsRequest(OwnedRequest):
    """One observation, `content` and `category`, or several: `findings`, `insights`, `lessons`."""

    source: Source
    content: Text | None = None
    category: Category | None = None
    findings: Texts | None = None
    insights: Texts | None = None
    lessons: Texts | None = None

    @model_validator(mode="after")
    def _check_form(self) -> "ObservationsRequest":
        lists = [texts for texts in (self.findings, self.insights, self.lessons) if texts is not None]
        if (self.content is None) != (self.category is None):
            raise ValueError("content and category go together")
        if (self.content is not None) == bool(lists):
            raise ValueError("takes either content and category, or some of findings, insights and lessons")
        if sum(map(len, lists)) > MOST:
            raise ValueError(f"takes at most {MOST} observations")
        return self

    @property
    def observed(self) -> tuple[Observed, ...]:
        if self.content is not None and self.category is not None:
            return (Observed(self.category, self.content),)
        return observed(self.findings or (), self.insights or (), self.lessons or ())


class ObservationsResponse(Wire):
    ids: list[str]


class ObservationOut(Shown):
    id: str
    category: Category
    content: str
    source: str
    created_at: datetime
    model: str | None


class RecallRequest(OwnedRequest):
    query: Query
    category: Category | None = None
    limit: Limit = 10
    min_score: Share | None = None
    since: Moment | None = None
    until: LastMoment | None = None


class RecalledOut(ObservationOut):
    score: float


class RecallResponse(Wire):
    items: list[RecalledOut]


class RecallFILRequest(OwnedRequest):
    query: Query
    limit_per_category: Limit = 5


class RecallFILResponse(Wire):
    """Texts, each list best first."""

    findings: list[str]
    insights: list[str]
    lessons: list[str]


class ExtractRequest(OwnedRequest):
    step_name: Annotated[
        str, StringConstraints(min_length=1, max_length=200, pattern=PRINTABLE), AfterValidator(not_blank)
    ]
    step_type: Annotated[
        str, StringConstraints(min_length=1, max_length=100, pattern=PRINTABLE), AfterValidator(not_blank)
    ]
    output: Annotated[str, StringConstraints(max_length=2_000_000)]


class NoteOut(Shown):
    id: str
    content: str


class ExtractResponse(Shown):
    """`outcome`: "skipped" where the output was too short, "failed" where the model gave nothing that can be read.
    `model`: who read it; null where nobody did."""

    outcome: Outcome
    model: str | None
    findings: list[NoteOut]
    insights: list[NoteOut]
    lessons: list[NoteOut]


class SaidIn(Wire):
    role: Role
    content: Annotated[str, StringConstraints(max_length=CONTENT_CHARACTERS)]


class ConsolidateRequest(OwnedRequest):
    """`messages`: of the session; not given, all that are kept of it."""

    messages: Annotated[list[SaidIn], Field(max_length=1_000)] | None = None

    @property
    def said(self) -> list[SessionMessage] | None:
        return None if self.messages is None else [SessionMessage(one.role, one.content) for one in self.messages]


class ConsolidateResponse(Shown):
    """What is remembered of the session, by this call or before. `summary`: its last long message by the assistant, an
    insight, too. `added`: how many of all these are new."""

    added: int
    findings: list[NoteOut]
    insights: list[NoteOut]
    lessons: list[NoteOut]
    summary: NoteOut | None


class EntryOut(Shown):
    key: str
    value: str
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None


class EntryPut(OwnedRequest):
    """`ttl_seconds`: for so long; else until it is replaced."""

    value: Annotated[str, StringConstraints(max_length=LONGEST_VALUE)]
    ttl_seconds: Annotated[int, Field(ge=1, le=LONGEST_TTL)] | None = None


def by_category(observations: Sequence[Observation]) -> dict[str, list[Observation]]:
    """Observations under the names of the fields that show them."""
    return {f"{category}s": [one for one in observations if one.category == category] for category in CATEGORIES}
