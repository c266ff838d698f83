"""OpenAI's client of one user, whom no other test knows."""

from collections.abc import Iterator

import pytest
from openai import OpenAI

from tests.api.one_user import api, chat

__all__ = ["api", "chat"]


@pytest.fixture
def client(client: OpenAI, user: str) -> Iterator[OpenAI]:
    with client.with_options(default_query={"user_id": user}) as made:
        yield made


@pytest.fixture
def plain_client(plain_client: OpenAI, user: str) -> Iterator[OpenAI]:
    with plain_client.with_options(default_query={"user_id": user}) as made:
        yield made
