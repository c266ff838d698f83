"""A running server measured over `POST /v1/messages`, `POST /v1/search` and `DELETE /v1/users/{id}`."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import httpx
from pydantic import BaseModel

from bench.recall.corpus import Message
from bench.recall.system import Found

PER_CALL = 500
SECONDS = 600.0  # for a call to return; embedding many long messages takes minutes


class ServerRefused(Exception):
    """The server answered with an error."""


class ItemOut(BaseModel):
    id: str
    score: float


class FoundOut(BaseModel):
    items: list[ItemOut]


class OverHttp:
    """A server without API keys: every conversation is a user of its own."""

    description = "a server over HTTP"

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client

    async def add(self, owner: str, session: str, messages: Sequence[Message]) -> None:
        for first in range(0, len(messages), PER_CALL):
            said = [_wire(message) for message in messages[first : first + PER_CALL]]
            body = {"user_id": owner, "session_id": session, "messages": said, "wait": True}
            await self._call("POST", "/v1/messages", body)

    async def search(self, owner: str, query: str, top_k: int) -> list[Found]:
        body = {"user_id": owner, "query": query, "top_k": top_k, "kinds": ["turn"]}
        found = FoundOut.model_validate_json(await self._call("POST", "/v1/search", body))
        return [Found(item.id, item.score) for item in found.items]

    async def forget(self, owner: str) -> None:
        await self._call("DELETE", f"/v1/users/{owner}")

    async def _call(self, method: str, path: str, body: dict[str, object] | None = None) -> bytes:
        answer = await self._client.request(method, path, json=body)
        if answer.is_error:
            raise ServerRefused(f"{method} {path}: {answer.status_code} {answer.text[:300]}")
        return answer.content


@asynccontextmanager
async def over_http(url: str) -> AsyncIterator[OverHttp]:
    """`url`: of the server, which answers a user's name in the request where it has no API keys."""
    async with httpx.AsyncClient(base_url=url, timeout=SECONDS, trust_env=False) as client:
        yield OverHttp(client)


def _wire(message: Message) -> dict[str, str]:
    wire = {"id": message.id, "role": message.role, "content": message.text, "timestamp": message.timestamp.isoformat()}
    return wire | ({"name": message.speaker} if message.speaker else {})
