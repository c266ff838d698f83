"""Clients of one user, whom no other test knows: what a user tells in one conversation is known in all."""

from collections.abc import Iterator

import httpx
import pytest
from openai import OpenAI


@pytest.fixture
def api(api: httpx.Client, user: str) -> httpx.Client:
    api.params = httpx.QueryParams(user_id=user)
    return api


@pytest.fixture
def chat(chat: httpx.Client, user: str) -> httpx.Client:
    chat.params = httpx.QueryParams(user_id=user)
    return chat


@pytest.fixture
def client(client: OpenAI, user: str) -> Iterator[OpenAI]:
    with client.with_options(default_query={"user_id": user}) as made:
        yield made


@pytest.fixture
def plain_client(plain_client: OpenAI, user: str) -> Iterator[OpenAI]:
    with plain_client.with_options(default_query={"user_id": user}) as made:
        yield made
