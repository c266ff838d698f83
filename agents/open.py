"""The composition root, for the API, the workers, the command line and tests."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from agents.chat import (
    ROUNDS,
    ChatRequest,
    Coordinator,
    Exchanges,
    IntentDetector,
    KeeperAgent,
    Keeping,
    MemoryAgent,
    ModelTokens,
    ReadTexts,
    VisionAgent,
    WriterAgent,
)
from agents.embedding import embedder_of
from agents.memory import Memory
from agents.memory_tools import NOTES, MemoryTools
from agents.proxy import Knowing, Proxy
from agents.tools import ToolMemory, ViewOptions
from agents.upkeep import BackgroundNudge, Nudge, bank_condensing
from config.prompts import check_prompts, provider_prompt
from config.recipes import OBSERVED, PROXY, QUERY_RECIPES, BundleSizes, PromptBudget, PromptTable, Recipe
from config.settings import Settings
from memory.banks import BankFolder
from memory.domain import RULE_BASED
from memory.engine import Engine
from memory.observations import source_of_session
from memory.recall import NEEDED
from memory.turns import Preferences
from memory.wiring import Models, open_engine
from utils.chat import STREAM_DEADLINES, ChatModel
from utils.context_lengths import context_lengths
from utils.embeddings import LocalEmbedder, open_local_embedder
from utils.errors import ConfigurationError
from utils.models import chat_model_of, client_of
from utils.mongo import open_database
from utils.upstream import open_anthropic, open_upstream

if TYPE_CHECKING:
    from utils.reranker import Reranker

ABANDONED_DEADLINES = 8  # an answer takes at most seven: for its images, its recall, and five as a stream
WITH_TOOLS = STREAM_DEADLINES * (ROUNDS - 1)  # more, where a model is asked several times for one


@asynccontextmanager
async def open_memory(
    settings: Settings | None = None, *, nudge: Nudge | None = None, condenses: bool | None = None
) -> AsyncIterator[Memory]:
    """A memory over the store, models and encoder that the settings name; closed in reverse.

    `nudge`: who is told of work to do; not given, it is done in the background of this event loop. `condenses`: memory
    banks that have grown are condensed there, which asks for a loop that always runs; not given, where no nudge is.
    Raises `ConfigurationError`, or `embedded.launch.StoreStartError`.
    """
    settings = settings or Settings()
    condenses = nudge is None if condenses is None else condenses
    _refuse_unsupported(settings)
    check_prompts()
    recipe = QUERY_RECIPES[settings.query_recipe]
    reranker = await _open_reranker(settings)
    async with AsyncExitStack() as closing:
        client = client_of(settings)
        if client is not None:
            closing.push_async_callback(client.close)

        def model(name: str, setting: str) -> ChatModel | None:
            if client is None or name == RULE_BASED:
                return None
            return chat_model_of(client, name, settings, setting=setting)

        database = await closing.enter_async_context(open_database(settings))
        encoder = await asyncio.to_thread(open_local_embedder, settings)  # builds the local encoder on first use
        models = Models(
            embedder=await embedder_of(settings, client, encoder, database),
            encoder=encoder,
            writer=model(settings.summary_model, "SUMMARY_MODEL"),
            observer=model(
                settings.observer_model or settings.summary_model,
                "OBSERVER_MODEL" if settings.observer_model else "SUMMARY_MODEL",
            ),
            reranker=reranker,
        )
        abandoned = timedelta(seconds=_abandoned(settings) * settings.model_deadline)
        folder = BankFolder(settings.loci_home / "banks")
        engine = await open_engine(database, models, settings, abandoned=abandoned, bank_folder=folder)
        engine.gists.caches.kept.append(ReadTexts())
        if nudge is None:
            nudge = background = BackgroundNudge(engine)
            closing.push_async_callback(background.close)
        tools = ToolMemory(engine, nudge, ViewOptions(settings.tool_memory_top_k, settings.tool_memory_max_chars))
        keeping = Keeping()
        tokens = ModelTokens(
            {settings.chat_model: settings.context_tokens} if settings.context_tokens is not None else {},
            partial(context_lengths, client) if client is not None else None,
        )
        closing.push_async_callback(tokens.close)
        detector = IntentDetector(encoder, engine.gists.embedder if settings.use_llm_intent else None)
        exchanges = Exchanges(
            engine,
            keeping,
            detector,
            _coordinator(settings, engine, model(settings.chat_model, "CHAT_MODEL"), recipe, encoder, tokens),
            nudge,
            recipe,
            prompts=settings.prompt,
            budget=PromptBudget() if settings.has_model else None,
        )
        budget = PromptBudget()
        knowing = Knowing(engine, detector, _remembering(settings, engine, PROXY, budget), budget, tokens)
        proxy, anthropic = (
            Proxy(engine, keeping, upstream, nudge, tools, knowing) if upstream is not None else None
            for upstream in (open_upstream(settings) if settings.has_model else None, open_anthropic(settings))
        )
        timezone = settings.timezone if settings.timezone != "UTC" else None
        toolbox = _toolbox if settings.memory_tools and settings.has_model else None
        defaults = Preferences(timezone=timezone, locale=settings.locale)
        memory = Memory(engine, exchanges, keeping, nudge, tools, proxy, anthropic, toolbox, defaults)
        closing.push_async_callback(memory.close)
        if condenses:
            await closing.enter_async_context(bank_condensing(engine))
        yield memory


def _refuse_unsupported(settings: Settings) -> None:
    """Settings that would have no effect are refused rather than ignored."""
    if settings.vector_search == "mongodb":
        if settings.mongodb_uri is None:
            raise ConfigurationError(f"{NEEDED}: set MONGODB_URI to it, or VECTOR_SEARCH=exact")
        if QUERY_RECIPES[settings.query_recipe].candidates is not None:
            raise ConfigurationError(
                f"QUERY_RECIPE={settings.query_recipe} compares the newest messages, whatever MongoDB finds: set "
                "VECTOR_SEARCH=exact, or QUERY_RECIPE=query"
            )


async def _open_reranker(settings: Settings) -> "Reranker | None":
    if settings.rerank_model is None:
        return None
    from utils.reranker import load_reranker  # onnxruntime takes 0.2 s to import

    return await asyncio.to_thread(load_reranker, settings.rerank_model)


def _coordinator(
    settings: Settings,
    engine: Engine,
    model: ChatModel | None,
    recipe: Recipe,
    reader: LocalEmbedder,
    tokens: ModelTokens,
) -> Coordinator:
    budget = PromptBudget()
    remembering = _remembering(settings, engine, recipe, budget if model is not None else None)
    system = "\n\n".join(filter(None, (provider_prompt(settings.openai_base_url), settings.instructions)))
    writer = WriterAgent(model, system, reader, table=PromptTable(), budget=budget, tokens=tokens)
    return Coordinator(memory=remembering, keeper=KeeperAgent(engine), vision=VisionAgent(model), writer=writer)


def _remembering(settings: Settings, engine: Engine, recipe: Recipe, budget: PromptBudget | None) -> MemoryAgent:
    observed = OBSERVED if settings.use_observations else None
    return MemoryAgent(engine, recipe, BundleSizes(), observations=observed, budget=budget)


def _abandoned(settings: Settings) -> int:
    """Deadlines after which an answer comes no more."""
    return ABANDONED_DEADLINES + (WITH_TOOLS if settings.memory_tools else 0)


def _toolbox(memory: Memory, request: ChatRequest) -> MemoryTools | None:
    """Tools for a model that answers: what it keeps comes of the request's session and message. None for a request that
    leaves nothing behind, or knows one conversation alone."""
    if request.temporary or request.isolated or not request.reads:
        return None
    source, messages = source_of_session(request.session_id), (request.prompt_id,)
    return MemoryTools(memory, request.owner, source, messages=messages, names=NOTES)
