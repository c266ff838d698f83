"""Clients of one user, whom no other test knows: what a user tells in one conversation is known in all."""

import httpx
import pytest


@pytest.fixture
def api(api: httpx.Client, user: str) -> httpx.Client:
    api.params = httpx.QueryParams(user_id=user)
    return api


@pytest.fixture
def chat(chat: httpx.Client, user: str) -> httpx.Client:
    chat.params = httpx.QueryParams(user_id=user)
    return chat
