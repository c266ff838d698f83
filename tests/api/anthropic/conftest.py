"""Anthropic's client of one user, whom no other test knows, before each who may answer."""

from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from anthropic import Anthropic

from tests.api.one_user import api, chat
from tests.conftest import before_a_model
from tests.scripted_model import ScriptedModel, echo

__all__ = ["api", "chat"]

MakeClient = Callable[..., Anthropic]


@pytest.fixture(scope="session")
def _passing(store_uri: str, home: Path) -> Iterator[tuple[ScriptedModel, str]]:
    def provider(url: str) -> dict[str, str]:
        return {"anthropic_base_url": url.removesuffix("/v1"), "anthropic_api_key": "sk-ant-test"}

    with before_a_model(store_uri, home, "passing", provider) as both:
        yield both


@pytest.fixture
def claude(_passing: tuple[ScriptedModel, str]) -> Iterator[ScriptedModel]:
    """The provider of Anthropic's API behind `passed`, without a script."""
    model = _passing[0]
    model.requests.clear()
    yield model
    model.forget_script()
    model.reply = echo


@pytest.fixture
def passed(claude: ScriptedModel, _passing: tuple[ScriptedModel, str], user: str) -> Iterator[httpx.Client]:
    """An API with that provider."""
    with httpx.Client(base_url=_passing[1], timeout=30, params={"user_id": user}) as client:
        yield client


def _client(api: httpx.Client, user: str) -> Anthropic:
    address = f"{api.base_url}/anthropic"
    return Anthropic(base_url=address, api_key="loci", max_retries=0, default_query={"user_id": user})


@pytest.fixture
def translated_client(chat: httpx.Client, user: str) -> Iterator[Anthropic]:
    """Before a provider of chat completions."""
    with _client(chat, user) as made:
        yield made


@pytest.fixture
def passing_client(passed: httpx.Client, user: str) -> Iterator[Anthropic]:
    """Before a provider of the same API."""
    with _client(passed, user) as made:
        yield made


@pytest.fixture
def rules_client(api: httpx.Client, user: str) -> Iterator[Anthropic]:
    """Before rules."""
    with _client(api, user) as made:
        yield made
