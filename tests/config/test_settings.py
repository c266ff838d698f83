"""Settings say what is in force, and refuse what contradicts itself."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from config.settings import Settings


def test_the_defaults_need_nothing_installed_or_configured() -> None:
    settings = Settings()
    assert settings.mongodb_uri is settings.redis_url is settings.openai_api_key is None
    assert not settings.has_model
    assert settings.local_embeddings
    assert settings.on_loopback
    assert (settings.mongodb_db, settings.mongodb_driver, settings.port) == ("loci", "pymongo", 8000)
    assert (settings.chat_model, settings.summary_model) == ("gpt-4o-mini", "gpt-4o-mini")
    assert settings.embedding_model == "text-embedding-3-small"
    assert settings.summary_interval == 10
    assert settings.observer_model is None  # the model of summaries
    assert (settings.tool_memory_top_k, settings.tool_memory_max_chars) == (3, 2_000)
    assert not settings.use_llm_intent
    assert settings.recall_memory_mb == 512
    assert settings.keys == {}


def test_the_environment_goes_before_the_file_and_an_empty_variable_is_not_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / ".env"
    file.write_text("PORT=1234\nCHAT_MODEL=from-file\nOPENAI_API_KEY=sk-file\nUNKNOWN=x\n")
    monkeypatch.setenv("CHAT_MODEL", "from-environment")
    monkeypatch.setenv("OPENAI_API_KEY", "")
    settings = Settings(_env_file=file)
    assert (settings.port, settings.chat_model) == (1234, "from-environment")
    assert settings.has_model


@pytest.mark.parametrize(
    ("changes", "model", "local"),
    [
        ({"openai_api_key": "sk-1"}, True, False),
        ({"openai_base_url": "http://localhost:11434/v1"}, True, False),
        ({"openai_api_key": "sk-1", "embedding_model": "local"}, True, True),
        ({}, False, True),
    ],
)
def test_a_key_or_an_address_makes_a_model(changes: dict[str, Any], model: bool, local: bool) -> None:
    settings = Settings(**changes)
    assert (settings.has_model, settings.local_embeddings) == (model, local)


@pytest.mark.parametrize(
    ("given", "model"),
    [
        ({"openai_base_url": "http://localhost:11434/v1", "chat_model": "llama3.2"}, "llama3.2"),
        ({"openai_base_url": "http://localhost:11434/v1", "chat_model": "a", "summary_model": "b"}, "b"),
        ({"openai_api_key": "sk-1", "chat_model": "gpt-5"}, "gpt-4o-mini"),
    ],
)
def test_summaries_are_by_a_model_that_the_provider_has(given: dict[str, Any], model: str) -> None:
    assert Settings(**given).summary_model == model


@pytest.mark.parametrize(
    ("host", "loopback"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("127.9.9.9", True), ("0.0.0.0", False), ("::", False),
     ("192.168.1.2", False), ("example.org", False)],
)  # fmt: skip
def test_only_this_machine_is_loopback(host: str, loopback: bool) -> None:
    assert Settings(host=host).on_loopback is loopback


def test_api_keys_name_their_users() -> None:
    settings = Settings(api_keys="ann:key-1, bob:key:2 ,")
    assert settings.keys == {"key-1": "ann", "key:2": "bob"}


@pytest.mark.parametrize("keys", ["ann", "ann:", ":key", "ann:key,bob:key", "ann:key,,bob"])
def test_api_keys_that_name_no_user_or_two_are_refused(keys: str) -> None:
    with pytest.raises(ValidationError):
        Settings(api_keys=keys)


@pytest.mark.parametrize(
    "changes",
    [
        {"port": 70_000},
        {"summary_interval": 0},
        {"model_deadline": 0},
        {"mongodb_driver": "other"},
        {"vector_search": "x"},
        {"log_level": "loud"},
        {"log_level": "10"},
        {"tool_memory_top_k": 0},
        {"tool_memory_max_chars": 99},
    ],
)
def test_values_that_make_no_sense_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Settings(**changes)


@pytest.mark.parametrize(
    "url", ["foo", "http://host", "unix:///run/redis.sock", "redis://host:port/0", "redis://host:99999", "redis://h/x"]
)
def test_a_redis_url_that_is_none_is_refused_without_showing_it(url: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Settings(redis_url=f"{url}?hunter2")
    assert "must be redis://" in str(refused.value)
    assert "hunter2" not in refused.value.errors()[0]["msg"]


@pytest.mark.parametrize("url", ["redis://host", "redis://:pass@host:6379/2", "rediss://host:1/0?ssl_cert_reqs=none"])
def test_a_redis_url_is_taken(url: str) -> None:
    assert Settings(redis_url=url).redis_url is not None


@pytest.mark.parametrize(("said", "level"), [("DEBUG", "DEBUG"), (" warning", "WARNING")])
def test_a_level_of_the_log_has_a_name(said: Any, level: str) -> None:
    assert Settings().log_level == "INFO"
    assert Settings(log_level=said).log_level == level


def test_secrets_do_not_show_in_what_is_printed() -> None:
    settings = Settings(
        mongodb_uri="mongodb://ann:pass-1@host", openai_api_key="sk-2", api_keys="ann:key-3", admin_key="key-4",
        redis_url="redis://:pass-5@host",
    )  # fmt: skip
    printed = f"{settings!r} {settings}"
    assert not any(secret in printed for secret in ("pass-1", "sk-2", "key-3", "key-4", "pass-5"))


@pytest.mark.parametrize(
    "uri",
    ["mongodb://localhost", "mongodb://localhost:27017/?replicaSet=rs0", "mongodb://a:1,b:2,c/db", "mongodb://[::1]:27017",
     "mongodb://ann:p%40ss:word@host/", "mongodb+srv://cluster0.example.net/?retryWrites=true",
     "mongodb://%2Ftmp%2Fmongodb-27017.sock"],
)  # fmt: skip
def test_addresses_of_mongodb_are_taken(uri: str) -> None:
    assert Settings(mongodb_uri=uri).mongodb_uri


@pytest.mark.parametrize(
    "uri",
    ["bogus", "mongodb", "mongodb://", "mongodb+srv://", "http://host:27017", "mongodb://host:99999", "mongodb://host:x",
     "mongodb://host:0", "mongodb://a b/", "mongodb://ann:p@ss@host", "mongodb://a,,b", "localhost:27017"],
)  # fmt: skip
def test_what_is_no_address_of_mongodb_is_refused_without_repeating_it(uri: str) -> None:
    with pytest.raises(ValidationError, match="mongodb://host:port/") as refused:
        Settings(mongodb_uri=uri)
    assert [one["loc"] for one in refused.value.errors()] == [("mongodb_uri",)]
