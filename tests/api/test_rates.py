"""`RATE_LIMIT`: how many requests a key or an address may make."""

from collections.abc import Callable

import anthropic
import httpx
import openai
import pytest
from pydantic import ValidationError

from config.settings import Settings
from tests.checks import bearer, problem


def test_each_key_may_make_so_many_requests(serve: Callable[..., str]) -> None:
    address = serve(api_keys="ann:key-of-ann,bob:key-of-bob", rate_limit="3/hour;100/day")
    with httpx.Client(base_url=address, timeout=30) as client:
        for _ in range(3):
            client.get("/v1/sessions", headers=bearer("key-of-ann")).raise_for_status()
        refused = client.get("/v1/sessions", headers=bearer("key-of-ann"))
        assert "3 per 1 hour" in problem(refused, 429)["detail"]
        assert 1 <= int(refused.headers["retry-after"]) <= 3600
        client.get("/v1/sessions", headers=bearer("key-of-bob")).raise_for_status()
        client.get("/livez").raise_for_status()
        with pytest.raises(openai.RateLimitError, match="3 per 1 hour"):
            openai.OpenAI(base_url=f"{address}/v1", api_key="key-of-ann", max_retries=0).models.list()
        with pytest.raises(anthropic.RateLimitError, match="3 per 1 hour"):
            anthropic.Anthropic(base_url=f"{address}/anthropic", api_key="key-of-ann", max_retries=0).models.list()


def test_without_keys_each_address_may(serve: Callable[..., str]) -> None:
    with httpx.Client(base_url=serve(rate_limit="2/hour"), timeout=30) as client:
        statuses = [client.post("/query", json={"query": "Hello.", "user_id": f"u{n}"}).status_code for n in range(3)]
        assert statuses == [200, 200, 429]
        problem(client.post("/v1/messages", json={"session_id": "s", "messages": []}), 429)


@pytest.mark.parametrize("wrong", ["many", "5", "5/fortnight", "-1/minute"])
def test_a_limit_that_cannot_be_read_is_refused(wrong: str) -> None:
    with pytest.raises(ValidationError, match="120/minute"):
        Settings(rate_limit=wrong)
