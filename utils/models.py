"""The client of a provider and its chat models, where the settings name one.

The SDK takes half a second and 15 MB to import, which a service without a provider is spared.
"""

from typing import TYPE_CHECKING

from config.settings import Settings
from utils.chat import ChatModel
from utils.circuit import CircuitBreaker

if TYPE_CHECKING:
    from openai import AsyncOpenAI


def client_of(settings: Settings) -> "AsyncOpenAI | None":
    """As `open_client`; None where no provider is set."""
    if not settings.has_model:
        return None
    from utils.openai_client import open_client

    return open_client(settings)


def chat_model_of(client: "AsyncOpenAI", name: str, settings: Settings, *, setting: str) -> ChatModel:
    """The provider's model of a name, with a circuit breaker of its own. `setting`: what names it (`CHAT_MODEL`), which
    a refusal tells."""
    from utils.llm import RemoteChatModel

    breaker = CircuitBreaker(name)
    return RemoteChatModel(client, name, deadline=settings.model_deadline, breaker=breaker, setting=setting)
