"""The search index that recall asks is there, and where it is not, it is said what to do."""

import logging
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import SecretStr

from agents.open import open_memory
from config.settings import Settings
from tests.conversations import Silent
from tests.scripted_model import ScriptedModel, status
from tests.scripted_mongot import NO_MONGOT, NOT_ENABLED, Refusal, ScriptedMongot
from utils.embeddings import SHARED_VECTORS
from utils.errors import ConfigurationError, StoreUnavailable

FILTERED = ["user_id", "embedding_model", "session_id", "kind", "timestamp", "model"]


@pytest.fixture
def settings(make_settings: Callable[..., Settings], mongot: ScriptedMongot) -> Settings:
    return make_settings(mongodb_uri=mongot.uri, vector_search="mongodb")


async def start(settings: Settings) -> None:
    async with open_memory(settings, nudge=Silent()):
        pass


async def refusal(settings: Settings) -> str:
    with pytest.raises(ConfigurationError) as refused:
        await start(settings)
    return refused.value.detail


async def test_the_index_is_made_at_the_first_start_and_used_at_the_next(
    settings: Settings, mongot: ScriptedMongot
) -> None:
    await start(settings)
    await start(settings)
    [made] = mongot.sent("createSearchIndexes")
    assert made["createSearchIndexes"] == "vectors"
    vector = {"type": "vector", "path": "embedding", "numDimensions": 384, "similarity": "dotProduct"}
    filters = [{"type": "filter", "path": path} for path in FILTERED]
    assert made["indexes"] == [
        {"name": "loci_embeddings", "type": "vectorSearch", "definition": {"fields": [vector, *filters]}}
    ]
    assert mongot.sent("$listSearchIndexes")[-1] == {"name": "loci_embeddings"}
    assert mongot.sent("updateSearchIndex") == []


async def test_an_index_that_another_process_makes_meanwhile_is_used(
    settings: Settings, mongot: ScriptedMongot, monkeypatch: pytest.MonkeyPatch
) -> None:
    await start(settings)
    made = mongot.indexes.copy()
    mongot.indexes.clear()
    create = mongot._create

    def late(*args: Any) -> Any:
        mongot.indexes |= made
        return create(*args)

    monkeypatch.setattr(mongot, "_create", late)
    await start(settings)
    assert mongot.indexes == made


async def test_an_index_of_other_dimensions_is_refused_with_the_way_out(
    settings: Settings, mongot: ScriptedMongot
) -> None:
    await start(settings)
    mongot.indexes[settings.mongodb_db]["latestDefinition"]["fields"][0]["numDimensions"] = 1536
    told = await refusal(settings)
    assert "1536 dimensions" in told
    assert "384" in told
    assert 'db.vectors.dropSearchIndex("loci_embeddings")' in told


async def test_an_index_that_could_not_be_built_is_refused_with_the_way_out(
    settings: Settings, mongot: ScriptedMongot
) -> None:
    await start(settings)
    mongot.indexes[settings.mongodb_db]["status"] = "FAILED"
    assert "dropSearchIndex" in await refusal(settings)


async def test_an_index_of_before_learns_the_filters_that_it_lacks(settings: Settings, mongot: ScriptedMongot) -> None:
    await start(settings)
    fields = mongot.indexes[settings.mongodb_db]["latestDefinition"]["fields"]
    fields[0]["quantization"] = "scalar"  # whoever runs it may say so
    mongot.indexes[settings.mongodb_db]["latestDefinition"] = {"fields": fields[:-1]}
    await start(settings)
    [update] = mongot.sent("updateSearchIndex")
    assert (update["updateSearchIndex"], update["name"]) == ("vectors", "loci_embeddings")
    assert update["definition"] == {"fields": fields}


@pytest.mark.parametrize(
    "answer",
    [
        NOT_ENABLED,
        (115, "CommandNotSupported", "Search index commands are only supported with Atlas."),
        (6047401, "Location6047401", "$listSearchIndexes stage is only allowed on MongoDB Atlas"),
        (59, "CommandNotFound", "no such command: 'createSearchIndexes'"),
        (40324, "Location40324", "Unrecognized pipeline stage name: '$listSearchIndexes'"),
    ],
)
async def test_a_mongodb_without_search_is_refused(settings: Settings, mongot: ScriptedMongot, answer: Refusal) -> None:
    mongot.refusing = answer
    told = await refusal(settings)
    assert "MongoDB Atlas, or MongoDB 8.2 or newer with mongot" in told
    assert "VECTOR_SEARCH=exact" in told


async def test_the_built_in_store_is_refused(make_settings: Callable[..., Settings]) -> None:
    assert "this server has no search" in await refusal(make_settings(vector_search="mongodb"))
    assert "set MONGODB_URI" in await refusal(make_settings(vector_search="mongodb", mongodb_uri=None))


async def test_a_mongot_that_is_away_at_the_start_is_told_as_such(settings: Settings, mongot: ScriptedMongot) -> None:
    mongot.refusing = NO_MONGOT
    told = await refusal(settings)
    assert "CommandFailed" in told
    assert "check that mongot runs" in told


async def test_the_recipe_that_compares_the_newest_messages_is_refused(settings: Settings) -> None:
    told = await refusal(settings.model_copy(update={"query_recipe": "query-newest-200"}))
    assert "QUERY_RECIPE=query" in told


async def test_the_first_start_needs_the_embedding_model_and_later_ones_do_not(
    model_settings: Settings,
    mongot: ScriptedMongot,
    scripted_model: ScriptedModel,
    caplog: pytest.LogCaptureFixture,
) -> None:
    settings = model_settings.model_copy(
        update={"mongodb_uri": SecretStr(mongot.uri), "vector_search": "mongodb", "model_deadline": 0.5}
    )
    scripted_model.always(status(503), on="embeddings")
    assert "EMBEDDING_MODEL=local" in await refusal(settings)
    scripted_model.always(None, on="embeddings")
    await start(settings)
    assert mongot.indexes[settings.mongodb_db]["latestDefinition"]["fields"][0]["numDimensions"] == 1536
    scripted_model.always(status(503), on="embeddings")
    SHARED_VECTORS._made.clear()  # as in another process
    with caplog.at_level(logging.WARNING):
        await start(settings)
    assert "was not compared with the embedding model" in caplog.text


async def test_an_index_that_is_being_built_is_logged_and_searches_are_refused_until_it_is(
    settings: Settings, mongot: ScriptedMongot, caplog: pytest.LogCaptureFixture
) -> None:
    mongot.building = True
    async with open_memory(settings, nudge=Silent()) as memory:
        assert "not built yet" in caplog.text
        with pytest.raises(StoreUnavailable, match="being built") as refused:
            await memory.search("ann", "anything")
        assert refused.value.retry_after
        mongot.ready(settings.mongodb_db)
        assert (await memory.search("ann", "anything")).hits == ()
        looked = len(mongot.sent("$listSearchIndexes"))
        await memory.search("ann", "anything")
        assert len(mongot.sent("$listSearchIndexes")) == looked
