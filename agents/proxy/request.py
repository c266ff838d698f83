"""What the proxy is asked for, and what it gives."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, Literal

from agents.chat import SEARCHED_BY
from agents.openai_chat import newest_user, said_in, storable
from agents.proxy.chores import chore_of
from agents.proxy.dialect import CHAT, Dialect
from config.recipes import PROXY, Recipe
from memory.domain import Turn
from memory.ids import new_id
from memory.recall import with_overrides
from utils.clock import now
from utils.text import without_recalled

Strategy = Literal["recall", "tool_memory", "none"]


@dataclass(frozen=True)
class ProxyOptions:
    """The proxy's own fields of a request; None leaves the recipe's number. `memory_id`: the conversation; empty: the
    transcript tells it. `timezone`, `project`, `temporary`, `paused`: as a `ChatRequest` has them. `instructions`:
    those that stand, and the request's; they go before its messages."""

    memory_id: str = ""
    top_k: int | None = None
    recency_weight: float | None = None
    floor: float | None = None
    strategy: Strategy = "recall"
    timezone: str | None = None
    project: str | None = None
    temporary: bool = False
    paused: bool = False
    instructions: tuple[str, ...] = ()

    def said(self, identifier: str, text: str, turn_id: str | None = None, *, at: datetime | None = None) -> Turn:
        """A message of the user's, as it is kept. `at`: when it came; None for now."""
        zone, project = self.timezone, self.project
        moment = at or now()
        return Turn(identifier, "user", text, moment, turn_id=turn_id, proxied=True, timezone=zone, project=project)

    @property
    def recipe(self) -> Recipe:
        return with_overrides(PROXY, top_k=self.top_k, floor=self.floor, recency_weight=self.recency_weight)

    @property
    def reads(self) -> bool:
        """Whether memory is asked; else the messages go on as they came, or compressed."""
        return self.strategy == "recall" and (self.top_k is None or self.top_k > 0)

    @property
    def compresses(self) -> bool:
        """Whether the history goes on with the results of tools packed."""
        return self.strategy == "tool_memory" and (self.top_k is None or self.top_k > 0)


@dataclass(frozen=True)
class ProxyRequest:
    """A request to pass on, a chat completion or what `dialect` says. `body`: without the proxy's own fields, else any
    JSON, for it goes to the provider as it came; `raw`: the same as bytes, where they are what came. `headers`,
    `query`, `bearer`: as `Upstream` takes them. `turn_id`: of its exchange. `once`: the same where the request may have
    been made under it before, or None; `retried`: its client made it before, and did not get the answer."""

    owner: str
    body: dict[str, Any]
    options: ProxyOptions
    raw: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    query: str = ""
    bearer: str | None = None
    turn_id: str = field(default_factory=new_id)
    once: str | None = None
    retried: bool = False
    dialect: Dialect = CHAT

    @cached_property
    def messages(self) -> list[dict[str, Any]]:
        """Those of the request, as a chat completion has them."""
        return self.dialect.messages(self.body)

    @cached_property
    def said(self) -> str:
        """The user's newest message; empty where there is none."""
        messages = self.messages
        at = newest_user(messages)
        return "" if at is None else said_in(messages[at].get("content"))

    @cached_property
    def searched_by(self) -> str:
        """The same, as far as memory is searched by it."""
        text = storable(self.said)
        return (without_recalled(text) or text)[:SEARCHED_BY]

    @cached_property
    def is_chore(self) -> bool:
        """Whether a front asks for itself."""
        return chore_of(self.messages, self.body.get("max_tokens")) is not None

    @property
    def streamed(self) -> bool:
        return self.body.get("stream") is True


@dataclass(frozen=True)
class Proxied:
    """What the client gets. `turn_id`: names the exchange and its receipt; `session`: its conversation; `memories`: the
    ids of those that the model was given; `kept`: once all has come, those of the user's message and of the answer, as
    far as they are kept."""

    status: int
    headers: Mapping[str, str]
    media_type: str
    body: bytes | AsyncGenerator[bytes, None]
    turn_id: str
    session: str = ""
    memories: tuple[str, ...] = ()
    kept: list[str] = field(default_factory=list)
