"""The API in this process: what clients send to a server, without one, over a store that is gone afterwards."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from httpx2 import ASGITransport, AsyncClient

from agents.open import open_memory
from api.app import create_app
from api.auth import ApiKeys
from bench.recall.in_process import Quiet, passing_settings
from memory.views.json_values import Json


class Api:
    """Posts and gets JSON, and raises where the API refuses."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    async def post(self, path: str, body: object) -> Json:
        answer = await self._client.post(path, json=body)
        answer.raise_for_status()
        value: Json = answer.json()
        return value

    async def get(self, path: str) -> Json:
        answer = await self._client.get(path)
        answer.raise_for_status()
        value: Json = answer.json()
        return value


@asynccontextmanager
async def in_memory_api() -> AsyncIterator[Api]:
    """Without a model, keys or work in the background."""
    with passing_settings() as settings:
        async with open_memory(settings, nudge=Quiet()) as memory:
            app = create_app(settings)
            keys = ApiKeys(memory.engine.api_keys, settings.keys, None)
            await keys.load()
            app.state.memory, app.state.settings, app.state.keys = memory, settings, keys
            transport = ASGITransport(app=app, client=("127.0.0.1", 1))
            async with AsyncClient(transport=transport, base_url="http://127.0.0.1:8000", timeout=120) as client:
                yield Api(client)
