"""Fixtures of the model clients' tests: the real SDK, pointed at the scripted provider."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from openai import AsyncOpenAI

from config.settings import Settings
from tests.scripted_model import ScriptedModel
from utils import openai_client
from utils.openai_client import open_client

KEY = "sk-secret-7a81"


@pytest.fixture
def client_settings(scripted_model: ScriptedModel) -> Settings:
    return Settings(_env_file=None, openai_api_key=KEY, openai_base_url=scripted_model.url, model_deadline=5)


@pytest.fixture
async def client(client_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[AsyncOpenAI]:
    monkeypatch.setattr(openai_client, "FIRST_PAUSE", 0.01)
    async with open_client(client_settings) as client:
        yield client


Eventually = Callable[[Callable[[], bool]], Awaitable[None]]


@pytest.fixture
def eventually() -> Eventually:
    """Waits until a condition holds."""

    async def wait(condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(5):
            while not condition():  # noqa: ASYNC110 - what is waited for happens on the server's thread
                await asyncio.sleep(0.005)

    return wait
