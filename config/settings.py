"""Settings and their defaults.

Only entry points (the API, the CLI, the workers) construct `Settings`; everything else receives what it needs.
"""

import re
from functools import cached_property
from ipaddress import ip_address
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

_MONGODB = re.compile(r"mongodb(?:\+srv)?://(?:[^@/]*@)?(?P<hosts>[^/?@\s]+)(?:[/?]\S*)?")
_HOST = re.compile(r"(?:\[[^\[\]]+\]|[^:\[\]]+)(?::(?P<port>\d{1,5}))?")
_PREFIX = re.compile(r"[\w.~-]+(?:/[\w.~-]+)*", re.ASCII)
OPENAI_URL = "https://api.openai.com/v1"
BY_RULES = "rule_based"  # the model of what no language model writes


LOCALE = r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$"  # BCP 47


class Settings(BaseSettings):
    """Every setting, read from the environment, then from `.env`, then from these defaults."""

    model_config = SettingsConfigDict(env_file=".env", env_ignore_empty=True, extra="ignore", frozen=True)

    mongodb_uri: SecretStr | None = Field(None, description="A real MongoDB; not set: the built-in store")
    mongodb_db: str = Field("loci", pattern=r'^[^/\\. "$*<>:|?\x00]{1,63}$', description="Database name")
    mongodb_driver: Literal["pymongo", "motor"] = Field(
        "pymongo", description="Driver: pymongo's async client, or Motor"
    )
    redis_url: SecretStr | None = Field(None, description="Celery's broker; not set: workers inside the API process")
    loci_home: Path = Field(
        Path("./.loci"), description="Where the built-in store and the local encoder keep their files"
    )
    mirror_path: Path | None = Field(
        None, description="Folder where memory stands in Markdown files, and whose edits it takes over; not set: none"
    )
    host: str = Field("127.0.0.1", description="Address to listen on; another than loopback needs API keys")
    port: int = Field(8000, ge=0, le=65535, description="Port to listen on")
    root_path: str = Field(
        "", description="Prefix of all paths behind a proxy, as /loci; X-Forwarded-Prefix says so for one request"
    )
    api_keys: SecretStr | None = Field(None, description="Comma-separated user:key pairs; set: every call needs a key")
    admin_key: SecretStr | None = Field(
        None, description="Key of /admin and its routes; not set: open where no API keys are, else closed"
    )
    cors_origins: str = Field("", description="Comma-separated origins that browsers may call from; none by default")
    rate_limit: str = Field(
        "",
        description="Requests that each API key, or without keys each address, may make: 120/minute, or several, as "
        "20/second;5000/day; any number by default",
    )

    openai_api_key: SecretStr | None = Field(None, description="Key of the model provider")
    openai_base_url: str | None = Field(
        None, description="OpenAI-compatible endpoint (OpenAI, Azure, vLLM, Ollama, llama.cpp)"
    )
    openai_responses: Literal["auto", "true", "false"] = Field(
        "auto",
        description="Whether the provider has /v1/responses, so that requests to it pass through; else they are "
        "translated to chat completions. auto: OpenAI's own has it",
    )
    unknown_models: Literal["chat_model", "as_sent"] = Field(
        "chat_model",
        description="Which model is asked at /v1/responses and /anthropic where the provider does not list the one "
        "that is named, as an SDK's default: CHAT_MODEL, or the name goes on as it was sent",
    )
    anthropic_base_url: str | None = Field(
        None,
        description="A server of Anthropic's API (https://api.anthropic.com), to which requests at /anthropic pass "
        "through; not set: they are translated to chat completions",
    )
    anthropic_api_key: SecretStr | None = Field(None, description="Its key, for clients that send none of their own")
    chat_model: str = Field("gpt-4o-mini", description="Model that writes answers and describes images")
    summary_model: str = Field(
        "gpt-4o-mini",
        description="Model that writes summaries and makes facts; 'rule_based': rules; not set: at OPENAI_BASE_URL the "
        "one that answers",
    )
    observer_model: str | None = Field(
        None, description="Model that notes what agents' tools give; not set: SUMMARY_MODEL"
    )
    embedding_model: str = Field(
        "text-embedding-3-small",
        description="Embedding model; 'local' uses the built-in encoder. If this is unset and the server at "
        "OPENAI_BASE_URL has no embeddings, Loci uses it too",
    )
    model_deadline: float = Field(
        60.0,
        gt=0,
        le=600,
        description="Seconds to the answer, or to the first word of a stream, retries included; through the proxy, "
        "seconds without a byte of the provider's, there 600 where it is not set",
    )

    timezone: str = Field(
        "UTC",
        description="IANA name of the time zone whose days are meant where a request names none, as Europe/Berlin",
    )
    locale: str | None = Field(
        None,
        pattern=LOCALE,
        description="BCP 47 tag of how dates and numbers are written, as de-DE, where a request and its user name none",
    )
    instructions: str | None = Field(
        None, max_length=8_000, description="What a model is told in every conversation, behind what Loci tells it"
    )
    use_llm_intent: bool = Field(False, description="Detect intents of English, too, by likeness to examples")
    vector_search: Literal["exact", "mongodb"] = Field(
        "exact",
        description="What finds messages by meaning: 'exact' keeps histories in memory, 'mongodb' asks Atlas, or "
        "MongoDB 8.2 or newer with mongot",
    )
    rerank_model: Path | None = Field(
        None, description="Path of an ONNX cross-encoder, or of its folder, that reads the best of each search"
    )
    summary_interval: int = Field(10, ge=1, le=1000, description="Message pairs between two summaries")
    query_recipe: Literal["query", "query-cosine", "query-newest-200"] = Field(
        "query",
        description="How /query recalls: by everything known of all messages, or by cosine similarity alone, of all "
        "messages or the newest 200",
    )
    prompt: Literal["budget", "table"] = Field(
        "budget",
        description="What the model of /query is sent: 'budget' fills its context, the conversation as messages of "
        "their own; 'table' is the platform document's, cut by characters, in one message",
    )
    context_tokens: int | None = Field(
        None,
        ge=1_024,
        description="Tokens that CHAT_MODEL takes, its answer's too; not set: what its provider says, else what is "
        "known of it, else 8192",
    )
    use_observations: bool = Field(
        True, description="Have /query answer from observations, too, whose words suit the question"
    )
    memory_tools: bool = Field(
        False, description="Let the model that answers /query remember and recall observations, and use the scratchpad"
    )
    max_entries: int = Field(
        0, ge=0, description="Messages that a conversation of the proxy keeps; the oldest and least recalled go; 0: all"
    )
    tool_memory_top_k: int = Field(
        3, ge=1, description="Tables of records that an agent's compressed history shows as retrieved ones"
    )
    tool_memory_max_chars: int = Field(
        2000, ge=100, description="Characters of one record in an agent's compressed history"
    )
    bank_flush_seconds: float = Field(
        60.0, gt=0, le=86_400, description="Seconds after which a changed memory bank is written to its Markdown files"
    )
    bank_large_update: int = Field(
        10_000, ge=1, description="Characters of an update to a memory bank after which its files are written at once"
    )
    bank_optimise_hours: float = Field(
        24.0, gt=0, description="Hours after a change until a memory bank is looked at for what may be condensed"
    )
    debug_memory_dump: bool = Field(
        False, description="Write the memory banks at hand to LOCI_HOME/banks/cache_memory_dump.json"
    )
    recall_memory_mb: int = Field(512, ge=1, description="Memory that recall indexes may take, in MB")
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"] = Field(
        "INFO", description="The least of what the processes log, to standard error"
    )

    @property
    def has_model(self) -> bool:
        """Whether a language model is configured at all."""
        return self.openai_api_key is not None or self.openai_base_url is not None

    @property
    def has_responses(self) -> bool:
        """Whether the provider has the Responses API."""
        if self.openai_responses == "auto":
            return urlsplit(self.openai_base_url or OPENAI_URL).hostname == urlsplit(OPENAI_URL).hostname
        return self.openai_responses == "true"

    @property
    def local_embeddings(self) -> bool:
        """Whether texts are embedded by the encoder that a package carries."""
        return not self.has_model or self.embedding_model == "local"

    @property
    def on_loopback(self) -> bool:
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @cached_property
    def keys(self) -> dict[str, str]:
        """API key → user id."""
        pairs = (self.api_keys.get_secret_value() if self.api_keys else "").split(",")
        return {key: user for user, _, key in (pair.strip().partition(":") for pair in pairs) if key}

    @model_validator(mode="before")
    @classmethod
    def _name_summary_model(cls, given: dict[str, object]) -> dict[str, object]:
        """A provider of one's own hardly has OpenAI's models, and its CHAT_MODEL is there."""
        if given.get("openai_base_url") and given.get("chat_model"):
            return {"summary_model": given["chat_model"]} | given
        return given

    @field_validator("root_path")
    @classmethod
    def _check_root_path(cls, path: str) -> str:
        bare = path.strip().strip("/")
        if bare and not _PREFIX.fullmatch(bare):
            raise ValueError("must be a path as /loci: of letters, digits and ._~- between slashes")
        return f"/{bare}" if bare else ""

    @field_validator("rate_limit")
    @classmethod
    def _check_rate_limit(cls, allowed: str) -> str:
        from limits import parse_many  # it takes 50 ms to import

        try:
            if allowed.strip():
                parse_many(allowed)
        except ValueError:
            raise ValueError("must be as 120/minute, or several, as 20/second;5000/day") from None
        return allowed.strip()

    @field_validator("timezone")
    @classmethod
    def _check_timezone(cls, name: str) -> str:
        try:
            if name != "UTC":
                ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise ValueError("must be the IANA name of a time zone, such as Europe/Berlin") from None
        return name

    @field_validator("admin_key")
    @classmethod
    def _check_admin_key(cls, key: SecretStr | None) -> SecretStr | None:
        if key is None:
            return None
        text = key.get_secret_value().strip()
        if not text:
            raise ValueError("must not be blank")
        if not (text.isascii() and text.isprintable()):
            raise ValueError("must be printable ASCII: clients send other characters in a header each in their own way")
        return SecretStr(text)

    @field_validator("openai_responses", mode="before")
    @classmethod
    def _name_choice(cls, choice: object) -> object:
        return str(choice).strip().lower() if isinstance(choice, str | bool) else choice

    @field_validator("log_level", mode="before")
    @classmethod
    def _name_level(cls, level: object) -> object:
        return level.strip().upper() if isinstance(level, str) else level

    @field_validator("mongodb_uri")
    @classmethod
    def _check_mongodb(cls, uri: SecretStr | None) -> SecretStr | None:
        if uri is not None and not _is_mongodb(uri.get_secret_value()):
            raise ValueError(
                "must be mongodb://host:port/, or mongodb+srv://host/; names and passwords have :/?#[]@ percent-encoded"
            )
        return uri

    @field_validator("redis_url")
    @classmethod
    def _check_redis(cls, url: SecretStr | None) -> SecretStr | None:
        if url is not None and not _is_redis(url.get_secret_value()):
            raise ValueError("must be redis://host:port/number, or rediss:// for TLS")
        return url

    @model_validator(mode="after")
    def _check_keys(self) -> "Settings":
        listed = [p for p in (self.api_keys.get_secret_value() if self.api_keys else "").split(",") if p.strip()]
        if len(self.keys) != len(listed) or not all(self.keys.values()):
            raise ValueError("API_KEYS must be comma-separated user:key pairs with distinct keys")
        return self


def _is_mongodb(uri: str) -> bool:
    """Whether it names hosts, and ports that there are; the driver looks at the rest."""
    found = _MONGODB.fullmatch(uri)
    return found is not None and all(
        (host := _HOST.fullmatch(one)) is not None and 0 < int(host["port"] or 27017) < 65536
        for one in found["hosts"].split(",")
    )


def _is_redis(url: str) -> bool:
    """Whether both Celery and the Redis client take it as an address; `unix://` is the client's alone."""
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises where it is none
    except ValueError:
        return False
    number = parts.path.strip("/")
    return parts.scheme in ("redis", "rediss") and (not number or number.isdecimal())
