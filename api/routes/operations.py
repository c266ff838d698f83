"""Routes of operation: whether it is up, and what it runs on."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from importlib.metadata import version
from time import perf_counter
from typing import Literal

from fastapi import APIRouter, Depends, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from agents.memory import Memory
from api.auth import scraping
from api.http.state import TheMemory, TheSettings
from api.wire.admin import Health
from config.recipes import QUERY_RECIPES
from embedded.room import check_room, is_full
from memory.gists import Waiting
from memory.recall import NAME
from utils.errors import DiskFull, LociError, ModelUnavailable, StoreUnavailable
from utils.fields import Wire
from utils.mongo import FULL, StoreError, as_loci_error
from workers.app import ping_broker

router = APIRouter(tags=["operations"])

PROBE_SECONDS = 3.0
MOST_COUNTED = 100_000  # of what waits to be embedded
UNWRITABLE = "Its folder cannot be written"
VERSION = version("loci")


class Alive(Wire):
    status: Literal["ok"] = "ok"


class Dependency(Wire):
    ok: bool
    latency_ms: float
    detail: str


class Ready(Wire):
    """`not_embedded`: messages, facts and the like that wait for a worker, those among them that the local encoder of
    an earlier version embedded; most searches do not find them yet. None where the store does not tell.
    `not_embedded_at_least`: there may be more, for 100,000 are counted at most, for a moment at most."""

    ready: bool
    dependencies: dict[str, Dependency]
    not_embedded: int | None
    not_embedded_at_least: bool


@router.get("/livez")
async def livez() -> Alive:
    """Whether the process answers; touches nothing."""
    return Alive()


@router.get("/readyz", responses={503: {"model": Ready, "description": "A dependency is away"}})
async def readyz(response: Response, memory: TheMemory, settings: TheSettings) -> Ready:
    """Each dependency with its latency, and how much work waits."""

    async def store() -> str:
        await memory.engine.store.ping()
        if settings.mongodb_uri:
            return "MongoDB"
        try:
            await asyncio.to_thread(check_room, settings.loci_home / "store")
        except OSError as error:
            raise (DiskFull(FULL) if is_full(error) else StoreUnavailable(f"{UNWRITABLE}: {error.strerror}")) from error
        return "built-in store"

    async def broker() -> str:
        return await ping_broker(settings)

    async def encoder() -> str:
        if not memory.engine.gists.embedder.healthy:
            raise ModelUnavailable("The last call of the embedding model failed")
        return memory.engine.gists.embedder.model

    probes = {"store": store, "broker": broker, "embeddings": encoder}
    index = memory.engine.search.index
    if index is not None:

        async def vector_search() -> str:
            await index.look()
            return NAME

        probes["vector_search"] = vector_search
    probed, waiting = await asyncio.gather(asyncio.gather(*map(_probe, probes.values())), _waiting(memory))
    ready = all(one.ok for one in probed)
    response.status_code = 200 if ready else 503
    dependencies = dict(zip(probes, probed, strict=True))
    return Ready(
        ready=ready,
        dependencies=dependencies,
        not_embedded=waiting.count if waiting else None,
        not_embedded_at_least=waiting.at_least if waiting else False,
    )


async def _waiting(memory: Memory) -> Waiting | None:
    """How many gists wait for a worker; None where the store does not tell in time."""
    with suppress(TimeoutError, LociError, StoreError, OSError):
        async with asyncio.timeout(PROBE_SECONDS):
            return await memory.engine.gists.queue.count_waiting(MOST_COUNTED)
    return None


async def _probe(probe: Callable[[], Awaitable[str]]) -> Dependency:
    began = perf_counter()
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            detail, ok = await probe(), True
    except TimeoutError:
        detail, ok = f"no answer within {PROBE_SECONDS:g} s", False
    except (LociError, StoreError, OSError) as error:
        known = as_loci_error(error)
        told = known is error or isinstance(known, DiskFull)
        detail, ok = known.detail if known and told else type(error).__name__, False
    return Dependency(ok=ok, latency_ms=round(1_000 * (perf_counter() - began), 3), detail=detail)


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {}}}},
    dependencies=[Depends(scraping)],
)
async def metrics() -> Response:
    """Figures of this process, as Prometheus reads them. Where keys are on it takes any, the admin's or a user's."""
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)


@router.get("/health")
async def health(memory: TheMemory, settings: TheSettings) -> Health:
    """The basic configuration."""
    recipe = QUERY_RECIPES[settings.query_recipe]
    return Health(
        version=VERSION,
        store="mongodb" if settings.mongodb_uri else "built-in",
        broker="redis" if settings.redis_url else "in-process",
        chat_model=settings.chat_model if settings.has_model else "rule_based",
        summary_model=settings.summary_model if settings.has_model else "rule_based",
        embedding_model=memory.engine.gists.embedder.model,
        top_k=recipe.top_k,
        similarity_floor=recipe.floor,
        summary_interval=settings.summary_interval,
    )
