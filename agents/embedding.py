"""Who embeds texts where the settings leave it open: a provider that can, else the built-in encoder."""

import asyncio
import logging
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from config.settings import Settings
from memory.gists import has_embedded
from memory.store import Choices, Collections
from utils.embeddings import Embedder, LocalEmbedder, open_embedder
from utils.errors import ModelError, ModelGarbage, ModelUnavailable, ModelUnknown
from utils.mongo import Database

if TYPE_CHECKING:
    from openai import AsyncOpenAI

PROBE = "How does this feel?"
PROBE_SECONDS = 5.0
CHOICE = "embedding_model"

log = logging.getLogger(__name__)


async def embedder_of(
    settings: Settings, client: "AsyncOpenAI | None", local: LocalEmbedder, database: Database
) -> Embedder:
    """The embedder that the settings ask for. Where they name no model for the server at OPENAI_BASE_URL, that is asked
    once; where it is away, or has no such model, `local` embeds from then on, for the vectors of two models are never
    compared. A server that refuses for another reason, as a wrong key, is asked again at the next start. Raises
    `ConfigurationError` where a provider is set without a client."""
    if settings.local_embeddings:
        return local
    embedder = open_embedder(settings, client)
    if settings.openai_base_url is None or "embedding_model" in settings.model_fields_set:
        return embedder
    collections = Collections(database)
    choices = Choices(collections)
    chosen = await choices.get(CHOICE)
    if chosen is None:
        embeds = await has_embedded(collections, embedder.model) or await _embeds(embedder)
        if embeds is None:
            return embedder
        chosen = await choices.settle(CHOICE, embedder.model if embeds else local.model)
    if chosen == embedder.model:
        return embedder
    log.warning(
        "The built-in encoder embeds texts, for %s has no %s or was away: EMBEDDING_MODEL names another model",
        urlsplit(settings.openai_base_url).netloc.rpartition("@")[2],
        embedder.model,
    )
    return local


async def _embeds(embedder: Embedder) -> bool | None:
    """Whether a provider embeds; None where that cannot be told."""
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            await embedder.embed([PROBE])
    except (ModelUnknown, ModelGarbage, ModelUnavailable, TimeoutError):
        return False
    except ModelError:
        return None
    return True
