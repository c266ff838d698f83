"""Findings, insights and lessons: remembered, recalled, read out of outputs and sessions."""

from typing import Annotated

from fastapi import APIRouter, Path, Query

from api.auth import Owner
from api.http.once import LociRoute, ToolRoute
from api.http.openapi import errors
from api.http.state import TheMemory, ThePage
from api.wire import observations as wire
from api.wire.base import Deleted, Page
from memory.observations import LONGEST_SOURCE, Category
from utils.fields import PRINTABLE, Identifier

router = APIRouter(route_class=LociRoute, tags=["observations"])

ObservationId = Annotated[Identifier, Path()]
SourceQuery = Annotated[str | None, Query(max_length=LONGEST_SOURCE, pattern=PRINTABLE, description="Of it alone")]


@router.post("/v1/observations")
async def remember(body: wire.ObservationsRequest, memory: TheMemory, owner: Owner) -> wire.ObservationsResponse:
    """Remember one observation, or several. The same content of the same category and source is remembered once."""
    kept, _ = await memory.engine.notes.observations.remember(owner, body.observed, body.source)
    memory.nudge_embedding()
    return wire.ObservationsResponse(ids=[one.id for one in kept])


@router.get("/v1/observations")
async def list_observations(
    memory: TheMemory,
    owner: Owner,
    page: ThePage,
    category: Annotated[Category | None, Query(description="Of it alone")] = None,
    source: SourceQuery = None,
) -> Page[wire.ObservationOut]:
    """Observations, newest first."""
    observations = await memory.engine.notes.observations.page(
        owner, limit=page.sought, after=page.position, category=category, source=source or None
    )
    return Page[wire.ObservationOut].by_time(observations, page.limit)


@router.post("/v1/observations/recall")
async def recall(body: wire.RecallRequest, memory: TheMemory, owner: Owner) -> wire.RecallResponse:
    """Observations whose words suit a query, best first, of one category or all."""
    hits = await memory.recall_observations(
        owner,
        body.query,
        body.category,
        limit=body.limit,
        min_score=body.min_score or 0.0,
        since=body.since,
        until=body.until,
    )
    return wire.RecallResponse(items=[wire.RecalledOut.of(one.observation, score=one.score) for one in hits])


@router.post("/v1/observations/recall-fil")
async def recall_fil(body: wire.RecallFILRequest, memory: TheMemory, owner: Owner) -> wire.RecallFILResponse:
    """The findings, insights and lessons whose words suit a query, each best first."""
    recalled = await memory.recall_fil(owner, body.query, body.limit_per_category)
    return wire.RecallFILResponse(
        findings=[one.observation.content for one in recalled.findings],
        insights=[one.observation.content for one in recalled.insights],
        lessons=[one.observation.content for one in recalled.lessons],
    )


async def extract(body: wire.ExtractRequest, memory: TheMemory, owner: Owner) -> wire.ExtractResponse:
    """Remember what the output of a step tells, by a model or by rules."""
    done = await memory.extract_observations(owner, body.step_name, body.step_type, body.output)
    return wire.ExtractResponse.of(done, **wire.by_category(done.observations))


router.add_api_route("/v1/observations/extract", extract, methods=["POST"], route_class_override=ToolRoute)


@router.get("/v1/observations/{observation_id}", responses=errors(404))
async def get_observation(observation_id: ObservationId, memory: TheMemory, owner: Owner) -> wire.ObservationOut:
    """One observation."""
    return wire.ObservationOut.of(await memory.engine.notes.observations.get(owner, observation_id))


@router.delete("/v1/observations/{observation_id}", responses=errors(404))
async def delete_observation(observation_id: ObservationId, memory: TheMemory, owner: Owner) -> Deleted:
    """Delete an observation. What it came from stays."""
    await memory.engine.notes.observations.delete(owner, observation_id)
    await memory.engine.store.idempotency.forget(owner)
    return Deleted(deleted={"observations": 1})


@router.post("/v1/sessions/{session_id}/consolidate", responses=errors(404, 409))
async def consolidate(
    session_id: Annotated[Identifier, Path()],
    memory: TheMemory,
    owner: Owner,
    body: wire.ConsolidateRequest | None = None,
) -> wire.ConsolidateResponse:
    """Remember what a session decided and learned, and what sums it up; again, it adds nothing."""
    said = body.said if body is not None else None
    done = await memory.consolidate(owner, session_id, said)
    return wire.ConsolidateResponse.of(done, **wire.by_category(done.observations))
