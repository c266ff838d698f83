"""Searches over HTTP, asked and timed."""

from collections.abc import Sequence
from typing import NamedTuple

import orjson

from bench.speed.connection import Connection
from bench.speed.material import WARM

TOP_K = 8


class Search(NamedTuple):
    """Milliseconds that a client waited, and those that the server says it took."""

    waited: float
    took: float


async def search(connection: Connection, owner: str, question: str) -> Search:
    """Raises `ValueError` where nothing is found, which would be a quick answer and a wrong one."""
    body: dict[str, object] = {"user_id": owner, "query": question, "top_k": TOP_K, "min_score": 0}
    content, waited = await connection.post("/v1/search", body)
    answer = orjson.loads(content)
    if len(answer["items"]) != TOP_K:
        raise ValueError(f"{len(answer['items'])} of {TOP_K} found for {owner}: {question}")
    return Search(waited, answer["took_ms"])


async def search_all(connection: Connection, owner: str, questions: Sequence[str]) -> list[Search]:
    return [await search(connection, owner, question) for question in questions]


async def warm_up(connection: Connection, questions: Sequence[str]) -> None:
    """Has every question asked once of a small user: from then on the server has its encoding."""
    await search_all(connection, WARM, questions)
