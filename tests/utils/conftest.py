"""What tests of models share: the real SDK, pointed at the scripted provider, and a reranker that adds up."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import onnx
import pytest
from openai import AsyncOpenAI
from tokenizers import Tokenizer

from config.settings import Settings
from tests.scripted_model import ScriptedModel
from tests.utils.toy_reranker import Make, toy_graph, toy_tokenizer
from utils import openai_client
from utils.openai_client import open_client
from utils.reranker import Reranker, load_reranker

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


@pytest.fixture
def make_toy(tmp_path: Path) -> Make:
    """Writes a folder with a toy graph of these traits and a tokenizer."""

    def write(tokenizer: Tokenizer | None = None, **traits: Any) -> Path:
        onnx.save_model(toy_graph(**traits), tmp_path / "model.onnx")
        (tokenizer or toy_tokenizer()).save(str(tmp_path / "tokenizer.json"))
        return tmp_path

    return write


@pytest.fixture
def toy(make_toy: Make) -> Reranker:
    return load_reranker(make_toy())
