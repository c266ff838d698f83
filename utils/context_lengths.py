"""How many tokens a provider's models take, where its list of models says so."""

import asyncio
import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING

from utils.errors import LociError

if TYPE_CHECKING:
    from openai import AsyncOpenAI

SECONDS = 5.0  # to wait for the list
LEAST = 512  # tokens; what is less is no context
# Where servers say it: vLLM and SGLang, OpenRouter and Together, Groq, Mistral, LM Studio; llama.cpp beneath `meta`.
FIELDS = ("max_model_len", "context_length", "context_window", "max_context_length", "loaded_context_length", "n_ctx")

log = logging.getLogger(__name__)


async def context_lengths(client: "AsyncOpenAI") -> dict[str, int]:
    """By the names of models, the tokens that they take; under "" that of the only one there is, which answers under
    any name. Nothing where the provider does not tell."""
    from utils.openai_client import PROVIDER_ERRORS  # the SDK: see utils.models

    try:
        async with asyncio.timeout(SECONDS):
            listed = (await client.with_options(timeout=SECONDS).models.list()).data
            found = {model.id: _length(model.model_dump()) for model in listed}
    except (*PROVIDER_ERRORS, LociError, TimeoutError, AttributeError, TypeError) as error:
        log.info("the provider does not say what its models take: %s", type(error).__name__)
        return {}
    lengths = {name: length for name, length in found.items() if length is not None}
    return {"": length, **lengths} if len(found) == 1 and (length := next(iter(lengths.values()), None)) else lengths


def _length(model: Mapping[str, object]) -> int | None:
    beneath = model.get("meta")
    for said in (model, beneath if isinstance(beneath, dict) else {}):
        lengths = [length for name in FIELDS if isinstance(length := said.get(name), int) and length >= LEAST]
        if lengths:
            return min(lengths)
    return None
