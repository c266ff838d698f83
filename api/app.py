"""The HTTP application."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from importlib.metadata import version
from time import monotonic
from typing import TYPE_CHECKING

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware

from agents.memory import Memory
from agents.open import open_memory
from agents.upkeep import bank_condensing, bank_files, mirroring
from api.anthropic import routes as anthropic
from api.auth import ApiKeys
from api.headers import EXPOSED
from api.http import openapi, problems
from api.http.ending import Ending
from api.http.guard import Guard
from api.mcp.http import install as install_mcp
from api.openai import completions
from api.openai import routes as openai
from api.openai.responses import conversations, responses
from api.routes import (
    admin,
    banks,
    facts,
    inspection,
    keys,
    memories,
    messages,
    observations,
    operations,
    probing,
    profile,
    projects,
    query,
    scratchpad,
    sessions,
    tool_memory,
    users,
)
from api.routes.pages import PAGES, SWAGGER, Assets
from api.routes.pages import router as pages
from config.settings import Settings
from utils.errors import ConfigurationError, LociError
from utils.mongo import StoreError
from utils.tasks import begun
from workers.app import make_app, ping_broker
from workers.inprocess import InProcessWorker
from workers.nudges import CeleryNudge

KEY_CHARACTERS = 16  # of a key that nobody guesses

if TYPE_CHECKING:
    from api.rates import Rates

log = logging.getLogger(__name__)


def create_app(settings: Settings, *, make_key: bool = False) -> FastAPI:
    """The application over the store and models of the settings. `make_key`: where it would be refused for want of API
    keys, make one for the default user and print it once."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            await _tell_of_no_broker(settings)
            worker = InProcessWorker(settings) if settings.redis_url is None else None
            nudge = CeleryNudge(worker.app if worker else make_app(settings)[0])
            stack.push_async_callback(asyncio.to_thread, nudge.close)  # in a thread: the loop keeps answers meanwhile
            memory = await stack.enter_async_context(open_memory(settings, nudge=nudge))
            admin_key = settings.admin_key.get_secret_value() if settings.admin_key else None
            api_keys = ApiKeys(memory.engine.store.api_keys, settings.keys, admin_key)
            await api_keys.load()
            await _require_keys(settings, api_keys, make_key=make_key)
            app.state.memory, app.state.keys, app.state.settings = memory, api_keys, settings
            app.state.started = monotonic()
            if worker:
                worker.start()
                stack.push_async_callback(asyncio.to_thread, worker.stop)
            if settings.mirror_path is not None:
                await stack.enter_async_context(mirroring(memory.engine, nudge, settings.mirror_path))
            files = bank_files(memory.engine, settings.bank_flush_seconds, dump=settings.debug_memory_dump)
            await stack.enter_async_context(files)
            await stack.enter_async_context(bank_condensing(memory.engine))
            await stack.enter_async_context(begun(_resumed(memory)))
            await stack.enter_async_context(mcp.running())
            yield

    app = FastAPI(
        title="Loci",
        summary="A self-hosted multi-agent chat backend that remembers",
        version=version("loci"),
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    problems.install(app)
    openapi.install(app)
    app.state.ending = Ending()
    app.state.rates = _rates(settings) if settings.rate_limit else None
    app.state.origins = origins = frozenset(filter(None, map(str.strip, settings.cors_origins.split(","))))
    if origins:
        app.add_middleware(
            CORSMiddleware, allow_origins=[*origins], allow_methods=["*"], allow_headers=["*"], expose_headers=EXPOSED
        )
    app.add_middleware(Guard, only_local=lambda: not app.state.keys.required, prefix=settings.root_path)
    # A request is matched with one after the other, and searches are to be quick.
    doors = (
        messages,
        query,
        openai,
        anthropic,
        completions,
        responses,
        conversations,
        sessions,
        projects,
        memories,
        facts,
        profile,
        banks,
        observations,
        scratchpad,
        tool_memory,
    )
    for module in (*doors, users, operations, admin, inspection, keys, probing):
        app.include_router(module.router)
    app.include_router(users.streamed)
    app.include_router(pages)
    app.state.mcp = mcp = install_mcp(app, origins)
    app.mount("/web", PAGES, name="web")
    app.mount("/swagger", Assets(SWAGGER), name="swagger")
    return app


def _tell_of_short(settings: Settings) -> None:
    """Warns of keys that others, who can reach this address, may guess."""
    short = sorted({user for key, user in settings.keys.items() if len(key) < KEY_CHARACTERS})
    told = [("API_KEYS", f"the key{'s' * (len(short) > 1)} of {', '.join(short)}")] if short else []
    if settings.admin_key is not None and len(settings.admin_key.get_secret_value()) < KEY_CHARACTERS:
        told.append(("ADMIN_KEY", "a key"))
    for setting, which in told:
        log.warning(
            "%s: %s of fewer than %d characters may be guessed from other machines, and HOST=%s lets them in; "
            "`openssl rand -hex 16` makes a key",
            setting,
            which,
            KEY_CHARACTERS,
            settings.host,
        )


async def _resumed(memory: Memory) -> None:
    """Ends the moves that a kill cut short; where that fails, the sweep does."""
    try:
        await memory.engine.moving.resume()
    except (LociError, StoreError) as error:
        log.warning("a project's move waits for the sweep: %s", type(error).__name__)


async def _tell_of_no_broker(settings: Settings) -> None:
    """Warns where the workers cannot be told of work, which goes on without them."""
    try:
        await ping_broker(settings)
    except OSError as error:
        log.warning(
            "REDIS_URL: %s; questions are answered, but embeddings, summaries, facts and notes of new messages wait in "
            "the database until the workers reach it again: see `loci doctor`",
            error,
        )


def _rates(settings: Settings) -> "Rates":
    from api.rates import Rates  # what it counts with takes 80 ms to import

    return Rates(settings.rate_limit, settings.redis_url.get_secret_value() if settings.redis_url else None)


async def _require_keys(settings: Settings, keys: ApiKeys, *, make_key: bool) -> None:
    if settings.on_loopback or keys.required:
        if not settings.on_loopback:
            _tell_of_short(settings)
        return
    if not make_key:
        raise ConfigurationError(f"HOST={settings.host} is not a loopback address: set API_KEYS=user:key first")
    key = await keys.create("default")
    print(f"API key of the user 'default', shown this once: {key}", flush=True)  # noqa: T201
