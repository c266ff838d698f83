"""Who embeds where the settings leave it open."""

from collections.abc import Awaitable, Callable

import pytest

from agents import embedding
from agents.embedding import embedder_of
from config.settings import Settings
from memory.store import Collections
from tests import scripted_model as say
from tests.scripted_model import Behaviour, ScriptedModel
from utils.embeddings import open_local_embedder
from utils.models import client_of
from utils.mongo import open_database

PROVIDERS, BUILT_IN = "text-embedding-3-small", "loci-e5-1"


@pytest.fixture
def start(
    make_settings: Callable[..., Settings], scripted_model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Awaitable[str]]:
    """Starts as a process does, and gives the model that embeds."""
    monkeypatch.setattr(embedding, "PROBE_SECONDS", 0.5)
    given = make_settings(openai_base_url=scripted_model.url, openai_api_key="sk").model_dump()

    async def start(refusal: Behaviour | None = None, *, named: bool = False, used: str | None = None) -> str:
        settings = Settings(**{name: value for name, value in given.items() if named or name != "embedding_model"})
        scripted_model.forget_script()
        if refusal is not None:
            scripted_model.script(*[refusal] * 9, on="embeddings")
        client = client_of(settings)
        assert client is not None
        async with client, open_database(settings) as database:
            if used is not None:
                await Collections(database).vectors.insert_one({"_id": "m", "embedding_model": used})
            return (await embedder_of(settings, client, open_local_embedder(settings), database)).model

    return start


@pytest.mark.parametrize(
    ("refusal", "model", "then"),
    [
        (None, PROVIDERS, PROVIDERS),
        (say.status(404), BUILT_IN, BUILT_IN),
        (say.html(), BUILT_IN, BUILT_IN),  # a server that answers whatever it does not know with 200
        (say.hang(), BUILT_IN, BUILT_IN),
        (say.status(401), PROVIDERS, BUILT_IN),
        (say.status(402), PROVIDERS, BUILT_IN),
    ],
)
async def test_a_provider_is_asked_once_whether_it_embeds(
    start: Callable[..., Awaitable[str]], refusal: Behaviour | None, model: str, then: str
) -> None:
    assert await start(refusal) == model
    assert await start(say.status(404)) == then  # of no account where it was chosen
    assert await start() == then


async def test_a_model_that_is_named_or_was_used_is_kept(
    start: Callable[..., Awaitable[str]], scripted_model: ScriptedModel
) -> None:
    assert await start(say.status(404), named=True) == PROVIDERS
    assert await start(say.status(404), used=PROVIDERS) == PROVIDERS
    assert scripted_model.requests == []


async def test_what_the_built_in_encoder_did_before_there_was_a_provider_does_not_decide(
    start: Callable[..., Awaitable[str]],
) -> None:
    assert await start(used=BUILT_IN) == PROVIDERS
